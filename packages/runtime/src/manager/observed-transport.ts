import { isStatusError } from "@bowline/api";
import type { ApiRequest, ApiResponse, ByteStream, Transport, WatchStream } from "@bowline/client";
import type { Span, Tracer } from "@opentelemetry/api";
import type { InstrumentRegistry } from "./instruments.ts";

/** OpenTelemetry's SpanStatusCode.ERROR; only types of that package are used here, so it is not loaded. */
const spanError = 2;

/** A transport whose requests are counted (`rest_client_requests_total`) and traced. It owns nothing. */
export function observedTransport(
  inner: Transport,
  options: {
    readonly instruments: InstrumentRegistry;
    readonly host: string;
    readonly tracer: Tracer | undefined;
  },
): Transport {
  const { instruments, host, tracer } = options;
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
    try {
      const answer = await send();
      count(request, String(codeOf(answer)));
      return answer;
    } catch (error) {
      count(request, isStatusError(error) ? String(error.code) : "<error>");
      throw error;
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
