import { isStatusError } from "@bowline/api";
import type { ApiRequest, ApiResponse, ByteStream, Clock, Transport, WatchStream } from "@bowline/client";
import type { Span, Tracer } from "@opentelemetry/api";
import type { Histogram, InstrumentRegistry } from "./instruments.ts";

/** OpenTelemetry's SpanStatusCode.ERROR; only types of that package are used here, so it is not loaded. */
const spanError = 2;

/** A transport whose requests are counted (`rest_client_requests_total`) and traced. It owns nothing. */
export function observedTransport(
  inner: Transport,
  options: {
    readonly instruments: InstrumentRegistry;
    readonly host: string;
    readonly tracer: Tracer | undefined;
    /** Takes how long requests take; undefined: nobody asks. */
    readonly clock: Clock | undefined;
  },
): Transport {
  const { instruments, host, tracer, clock } = options;
  const count = (request: ApiRequest, code: string): void =>
    instruments
      .counter(
        "rest_client_requests_total",
        "Number of HTTP requests, partitioned by status code, method, and host.",
        {
          code,
          method: request.method,
          host,
        },
      )
      .inc();
  const observe = async <T>(
    request: ApiRequest,
    send: () => Promise<T>,
    codeOf: (answer: T) => number,
  ): Promise<T> => {
    const startedAt = clock?.monotonic() ?? 0;
    try {
      const answer = await send();
      count(request, String(codeOf(answer)));
      return answer;
    } catch (error) {
      count(request, isStatusError(error) ? String(error.code) : "<error>");
      throw error;
    } finally {
      if (clock !== undefined)
        requestDuration(instruments, request, host).observe((clock.monotonic() - startedAt) / 1000);
    }
  };
  const traced = <T>(request: ApiRequest, send: () => Promise<T>): Promise<T> => {
    if (tracer === undefined) return send();
    const attributes = {
      "http.request.method": request.method,
      "url.path": request.path,
      "server.address": host,
    };
    return tracer.startActiveSpan(`${request.method} ${request.path}`, { attributes }, (span) =>
      inSpan(span, send),
    );
  };
  return {
    request: <T>(request: ApiRequest): Promise<ApiResponse<T>> =>
      traced(request, () =>
        observe(
          request,
          () => inner.request<T>(request),
          (answer) => answer.status,
        ),
      ),
    watch: <T>(request: ApiRequest): Promise<WatchStream<T>> =>
      traced(request, () =>
        observe(
          request,
          () => inner.watch<T>(request),
          () => 200,
        ),
      ),
    stream: (request: ApiRequest): Promise<ByteStream> =>
      traced(request, () =>
        observe(
          request,
          () => inner.stream(request),
          () => 200,
        ),
      ),
    // sessions in pods are as long as their user wants: they have no latency to observe
    ...(inner.openSocket && { openSocket: inner.openSocket.bind(inner) }),
    close: () => inner.close(),
  };
}

/** Seconds. Source: k8s.io/component-base metrics/prometheus/restclient (metrics.go). */
const durationBounds = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];

function requestDuration(instruments: InstrumentRegistry, { method }: ApiRequest, host: string): Histogram {
  const help = "Request latency in seconds. Broken down by verb, and host.";
  const labels = { verb: method, host };
  return instruments.histogram("rest_client_request_duration_seconds", help, durationBounds, labels);
}

/** Runs work in a span that ends with it. */
export async function inSpan<T>(span: Span, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    failSpan(span, error);
    throw error;
  } finally {
    span.end();
  }
}

/** Marks a span as failed. */
function failSpan(span: Span, error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  span.recordException(error instanceof Error ? error : message);
  span.setStatus({ code: spanError, message });
}
