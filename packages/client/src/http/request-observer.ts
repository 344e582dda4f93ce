import type { Clock } from "../ports/clock.ts";
import type { ApiRequest } from "../ports/transport.ts";

/** One request and what became of it; a request that is tried again is observed each time. */
export interface ObservedRequest {
  /** `GET`, ... */
  readonly method: string;
  /** Path without query. */
  readonly path: string;
  /** `host:port` of the server. */
  readonly host: string;
  readonly isWatch: boolean;
  /** HTTP status; undefined when there was no answer. */
  readonly status: number | undefined;
  /** Until the answer was whole; for watches and streams until it began. */
  readonly durationMs: number;
}

/** A request that waits because the server asked for it (429 or 5xx with Retry-After), and is then sent again. */
export interface ObservedWait {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly delayMs: number;
}

/** Hears of requests and connections. What it throws is thrown into the request: it must not throw. */
export interface RequestObserver {
  readonly onRequest?: ((request: ObservedRequest) => void) | undefined;
  /** A request begins to wait. */
  readonly onWait?: ((wait: ObservedWait) => void) | undefined;
  /** A connection was opened. */
  readonly onConnect?: (() => void) | undefined;
}

/** Starts the observation of a request; call the result when it ended. */
export function observation(
  observer: RequestObserver | undefined,
  clock: Clock,
  request: ApiRequest,
  host: string,
): (status: number | undefined) => void {
  if (observer?.onRequest === undefined) return () => {};
  const started = clock.monotonic();
  const { method, path } = request;
  const isWatch = request.query?.["watch"] === "true";
  return (status) => {
    observer.onRequest?.({ method, path, host, isWatch, status, durationMs: clock.monotonic() - started });
  };
}
