/** One HTTP request, ready to be sent. Header names are in lower case; a list of values becomes a line each. */
export interface WireRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: Uint8Array | string | undefined;
}

/** Headers of an answer, names in lower case. */
export type WireHeaders = Readonly<Record<string, string | string[] | undefined>>;

/**
 * Hears what becomes of a request: `onStart` when a connection takes it, `onHeaders`, `onData` any number of times, then `onEnd`; or `onError` once, at any
 * point, as the last call.
 */
export interface WireListener {
  onStart(): void;
  onHeaders(status: number, headers: WireHeaders): void;
  onData(chunk: Buffer): void;
  onEnd(): void;
  onError(error: Error): void;
}

/** A request under way. */
export interface WireExchange {
  /** Gives up: the listener hears `onError(reason)` unless it heard the end already. */
  abort(reason: Error): void;
  pause(): void;
  resume(): void;
}

/** Sends HTTP requests to one server as one identity, over connections that it keeps. */
export interface Wire {
  send(request: WireRequest, listener: WireListener): WireExchange;
  /** Takes no more requests; resolves when those under way have ended and everything is closed. */
  retire(): Promise<void>;
  /** Breaks everything. */
  destroy(): Promise<void>;
}
