import type { Clock } from "@bowline/client";
import type { InstrumentRegistry } from "../manager/instruments.ts";
import type { Logger } from "../manager/logger.ts";
import { type AdmissionRequest, admitMutating, admitValidating } from "./admission-review.ts";
import { type ConversionDefinition, type ConversionRequest, answerConversion } from "./define-conversion.ts";
import type { WebhookDefinition } from "./define-webhook.ts";
import { type WebhookMetrics, webhookMetrics } from "./webhook-metrics.ts";

/** One request to the webhook server, read. */
export interface WebhookRequest {
  readonly path: string;
  readonly method: string;
  readonly contentType: string;
  readonly body: string;
  readonly signal: AbortSignal;
}

export interface WebhookAnswer {
  readonly status: number;
  /** JSON, or text of an error. */
  readonly body: string;
}

interface Review {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly request?: unknown;
}

type Route = (
  review: Review,
  signal: AbortSignal,
) => Promise<{ readonly response: unknown; readonly panic: unknown }>;

/** Path of the conversion webhook. */
export const conversionPath = "/convert";

/** Routes reviews to webhook definitions, without any network. */
export class WebhookRouter {
  readonly #routes = new Map<string, Route>();
  readonly #metrics = new Map<string, WebhookMetrics>();
  readonly #clock: Clock;
  readonly #log: Logger;

  constructor(
    definitions: readonly (WebhookDefinition | ConversionDefinition)[],
    ports: { readonly clock: Clock; readonly log: Logger; readonly instruments: InstrumentRegistry },
  ) {
    this.#clock = ports.clock;
    this.#log = ports.log;
    const conversions = new Map<string, ConversionDefinition>();
    for (const definition of definitions) {
      if (definition.type === "conversion") {
        conversions.set(`${definition.kind.group}/${definition.kind.kind}`, definition);
        continue;
      }
      const { mutatePath, validatePath } = definition;
      if (mutatePath !== undefined) {
        this.#routes.set(mutatePath, (review, signal) =>
          admitMutating(definition, review.request as AdmissionRequest, signal),
        );
      }
      if (validatePath !== undefined) {
        this.#routes.set(validatePath, (review, signal) =>
          admitValidating(definition, review.request as AdmissionRequest, signal),
        );
      }
    }
    if (conversions.size > 0) {
      this.#routes.set(conversionPath, async (review) => ({
        response: answerConversion(conversions, review.request as ConversionRequest),
        panic: undefined,
      }));
    }
    for (const path of this.#routes.keys()) this.#metrics.set(path, webhookMetrics(ports.instruments, path));
  }

  get paths(): readonly string[] {
    return [...this.#routes.keys()];
  }

  async answer(request: WebhookRequest): Promise<WebhookAnswer> {
    const route = this.#routes.get(request.path);
    const metrics = this.#metrics.get(request.path);
    if (route === undefined || metrics === undefined) return { status: 404, body: "404 page not found\n" };
    metrics.inFlight.add(1);
    const startedAt = this.#clock.monotonic();
    const answer = await this.#review(route, metrics, request);
    metrics.latency.observe((this.#clock.monotonic() - startedAt) / 1000);
    metrics.inFlight.add(-1);
    metrics.requests(answer.status).inc();
    return answer;
  }

  async #review(route: Route, metrics: WebhookMetrics, request: WebhookRequest): Promise<WebhookAnswer> {
    if (request.method !== "POST") return { status: 405, body: "a review is a POST\n" };
    if (!request.contentType.startsWith("application/json")) {
      return { status: 415, body: `contentType=${request.contentType}, expected application/json\n` };
    }
    let review: Review;
    try {
      review = JSON.parse(request.body) as Review;
    } catch (error) {
      return { status: 400, body: `the body is not JSON: ${(error as Error).message}\n` };
    }
    if (typeof review?.request !== "object" || review.request === null) {
      return { status: 400, body: "the review has no request\n" };
    }
    const { response, panic } = await route(review, request.signal);
    if (panic !== undefined) {
      metrics.panics.inc();
      this.#log.error({ webhook: request.path, err: panic }, "a webhook failed");
    }
    // answered in the review version that was asked in
    const { apiVersion, kind } = review;
    return { status: 200, body: JSON.stringify({ apiVersion, kind, response }) };
  }
}
