import type { DeepReadonly, KubeObject, Status } from "@bowline/api";

/** One request to an API server. */
export interface ApiRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Escaped path without query: `/apis/apps/v1/namespaces/default/deployments/web`. */
  readonly path: string;
  /** Query parameters; those that are undefined are left out, values are not escaped yet. */
  readonly query?: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** A JSON value; or text or bytes, to be sent as they are under the `content-type` header given. */
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

/** A successful answer (2xx). */
export interface ApiResponse<T = unknown> {
  readonly status: number;
  /** Names in lower case; several lines of one header are joined with `, `. */
  readonly headers: Readonly<Record<string, string>>;
  /** The decoded JSON, frozen at every depth; text when the answer was not JSON. */
  readonly body: T;
  /** Texts of the Warning headers (code 299), unquoted. */
  readonly warnings: readonly string[];
}

/** One change, as a watch delivers it. `ERROR` carries a Status and is the last event of its stream. */
export type WatchEvent<T = DeepReadonly<KubeObject>> =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: T }
  | { readonly type: "BOOKMARK"; readonly object: DeepReadonly<KubeObject> }
  | { readonly type: "ERROR"; readonly object: DeepReadonly<Status> };

/**
 * An open watch. Iterating gives the events in batches, in the order the server sent them; the iteration ends when the
 * server ends the stream and throws when the connection breaks. Leaving the iteration closes the stream.
 */
export interface WatchStream<T = DeepReadonly<KubeObject>> extends AsyncIterable<readonly WatchEvent<T>[]> {
  /** Ends the stream; the iteration then ends without an error. Safe to call twice. */
  close(): void;
}

/** An open answer of unknown length, such as a followed log. Leaving the iteration closes it. */
export interface ByteStream extends AsyncIterable<Uint8Array> {
  close(): void;
}

/** An open connection of messages both ways, such as a session in a container. Iterating gives what the other side sends. */
export interface MessageSocket extends AsyncIterable<Uint8Array> {
  /** The subprotocol that the server chose; `""` for none. */
  readonly protocol: string;
  /** Resolves when the message has left; @throws ConnectionError when the connection is broken or closed */
  send(message: Uint8Array): Promise<void>;
  /** Ends the connection; the iteration then ends without an error. Safe to call twice. */
  close(): void;
}

/**
 * The seam between everything that speaks to a cluster and how it gets there: over HTTPS, or to an API server in the
 * same process. Implementations share one suite of tests.
 */
export interface Transport {
  /**
   * Sends one request and waits for the whole answer.
   * @throws StatusError for every answer that is not 2xx; ConnectionError when there was no answer; the signal's reason
   */
  request<T = unknown>(request: ApiRequest): Promise<ApiResponse<T>>;
  /** Opens a watch (the request's query names `watch=true`). Resolves when the server accepted it. Throws like `request`. */
  watch<T = DeepReadonly<KubeObject>>(request: ApiRequest): Promise<WatchStream<T>>;
  /** Opens a byte stream. Resolves when the server accepted it. Throws like `request`. */
  stream(request: ApiRequest): Promise<ByteStream>;
  /**
   * Opens a WebSocket. The subprotocols to offer, best first, are in the request's `sec-websocket-protocol` header. Throws
   * like `request`. Absent where a transport has no such connections.
   */
  openSocket?(request: ApiRequest): Promise<MessageSocket>;
  /** Closes all connections; pending requests fail with ConnectionError. Safe to call twice. */
  close(): Promise<void>;
}
