import { type Counter, type Gauge, type Histogram, type InstrumentRegistry } from "../manager/instruments.ts";

/** The figures of one webhook path. */
export interface WebhookMetrics {
  readonly latency: Histogram;
  readonly inFlight: Gauge;
  readonly panics: Counter;
  requests(code: number): Counter;
}

/** Seconds. */
const latencyBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Names are controller-runtime's. Source: controller-runtime pkg/webhook/internal/metrics (metrics.go). */
export function webhookMetrics(registry: InstrumentRegistry, webhook: string): WebhookMetrics {
  const labels = { webhook };
  const requests = (code: number): Counter =>
    registry.counter(
      "controller_runtime_webhook_requests_total",
      "Total number of admission requests by HTTP status code.",
      {
        ...labels,
        code: String(code),
      },
    );
  requests(200);
  requests(500);
  const panics =
    webhook === "/convert"
      ? registry.counter(
          "controller_runtime_conversion_webhook_panics_total",
          "Total number of conversion webhook panics",
        )
      : registry.counter("controller_runtime_webhook_panics_total", "Total number of webhook panics");
  return {
    requests,
    panics,
    latency: registry.histogram(
      "controller_runtime_webhook_latency_seconds",
      "Histogram of the latency of processing admission requests",
      latencyBounds,
      labels,
    ),
    inFlight: registry.gauge(
      "controller_runtime_webhook_requests_in_flight",
      "Current number of admission requests being served.",
      labels,
    ),
  };
}
