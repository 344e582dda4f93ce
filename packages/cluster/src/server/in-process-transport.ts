/** The transport that hands requests to an API server in the same process: no bytes, no copies, the same handlers. */
import { setMaxListeners } from "node:events";
import { StatusError, deepFreeze, type Status } from "@bowline/api";
import {
  type ApiRequest,
  type ApiResponse,
  type ByteStream,
  ConnectionError,
  type MessageSocket,
  type Transport,
  type WatchEvent,
  type WatchStream,
} from "@bowline/client";
import type { UserInfo } from "../registry/user.ts";
import { untyped } from "./answer.ts";
import type { ApiServer } from "./api-server.ts";
import { encodeBody } from "./encode.ts";
import type { ServerRequest, ServerResponse } from "./request.ts";
import { socketPair } from "./socket-pair.ts";
import type { WatchSession } from "./watch-session.ts";

export interface InProcessTransportOptions {
  /** Who the requests are from. */
  readonly user: UserInfo;
  /** Sent as User-Agent unless a request has its own: names the field manager of plain writes. */
  readonly userAgent: string;
}

/** @returns a transport whose requests act as `user`; closing it ends its watches, not the server */
export function createInProcessTransport(server: ApiServer, options: InProcessTransportOptions): Transport {
  const closed = new AbortController();
  // every open watch listens: any number of them is right
  setMaxListeners(0, closed.signal);

  const watches = new Set<WatchSession>();
  const signalOf = ({ signal }: ApiRequest): AbortSignal =>
    signal === undefined ? closed.signal : AbortSignal.any([closed.signal, signal]);

  // made only for those who listen to it: joined signals cost more than most requests
  const handle = async (
    request: ApiRequest,
    signal = (): AbortSignal => signalOf(request),
  ): Promise<ServerResponse> => {
    if (closed.signal.aborted) throw new ConnectionError("the transport is closed");
    request.signal?.throwIfAborted();
    const response = await server.handle(serverRequest(request, options, signal));
    if (response.status >= 400) throw statusError(response);
    return response;
  };

  return {
    async request<T>(request: ApiRequest): Promise<ApiResponse<T>> {
      const response = await handle(request);
      request.signal?.throwIfAborted();
      return {
        status: response.status,
        headers: flatHeaders(response),
        body: bodyOf(response) as T,
        warnings: warningsOf(response),
      };
    },
    async watch<T>(request: ApiRequest): Promise<WatchStream<T>> {
      const response = await handle(request, () => request.signal ?? closed.signal);
      if (response.kind !== "watch") throw new ConnectionError(`${request.path} did not answer a watch`);
      const { session } = response;
      watches.add(session);
      session.onClose(() => watches.delete(session));
      if (closed.signal.aborted) session.close();
      const check = (): void => {
        closed.signal.throwIfAborted();
        request.signal?.throwIfAborted();
      };
      return watchStream(session, check) as WatchStream<T>;
    },
    async stream(request: ApiRequest): Promise<ByteStream> {
      const response = await handle(request);
      return byteStream(response);
    },
    async openSocket(request: ApiRequest): Promise<MessageSocket> {
      const upgrade = { connection: "Upgrade", upgrade: "websocket" };
      const response = await handle({ ...request, headers: { ...request.headers, ...upgrade } });
      if (response.kind !== "socket") throw new ConnectionError(`${request.path} did not answer a socket`);
      return openedSocket(response, signalOf(request));
    },
    close(): Promise<void> {
      closed.abort(new ConnectionError("the transport is closed"));
      for (const session of watches) session.close();
      return Promise.resolve();
    },
  };
}

function serverRequest(
  request: ApiRequest,
  options: InProcessTransportOptions,
  signal: () => AbortSignal,
): ServerRequest {
  let known: AbortSignal | undefined;
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(request.query ?? {})) {
    if (value === undefined) continue;
    for (const one of typeof value === "string" ? [value] : value) query.append(name, one);
  }
  const headers: Record<string, string> = { accept: "application/json", "user-agent": options.userAgent };
  for (const [name, value] of Object.entries(request.headers ?? {})) {
    headers[name] = typeof value === "string" ? value : value.join(", ");
  }
  return {
    method: request.method,
    path: request.path,
    query,
    headers,
    body: bodyIn(request.body),
    user: options.user,
    get signal() {
      return (known ??= signal());
    },
  };
}

function bodyIn(body: unknown): ServerRequest["body"] {
  if (body === undefined) return undefined;
  if (body instanceof Uint8Array) return { bytes: body };
  if (typeof body === "string") return { bytes: Buffer.from(body) };
  return { value: body };
}

function bodyOf(response: ServerResponse): unknown {
  switch (response.kind) {
    case "object":
      return deepFreeze(response.object);
    case "list":
      return Object.freeze({
        ...response.list,
        metadata: deepFreeze(response.list.metadata),
        items: Object.freeze(response.items.map((r) => (response.typedItems ? r : untyped(r)).object)),
      });
    case "raw":
      return rawBody(response);
    default:
      throw new ConnectionError("a stream was answered where one body was expected");
  }
}

function rawBody(response: Extract<ServerResponse, { kind: "raw" }>): unknown {
  const text = typeof response.data === "string" ? response.data : Buffer.from(response.data).toString();
  return response.headers["content-type"] === "application/json" && text !== ""
    ? deepFreeze(JSON.parse(text))
    : text;
}

function statusError(response: ServerResponse): StatusError {
  if (response.kind === "object") return new StatusError(response.object as Status);
  const text = response.kind === "raw" ? String(response.data).trim() : "";
  const reason = response.status === 404 ? "NotFound" : "";
  return new StatusError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: response.status === 404 ? "the server could not find the requested resource" : text,
    ...(reason === "" ? {} : { reason }),
    details: { causes: [{ reason: "UnexpectedServerResponse", message: text }] },
    code: response.status,
  });
}

function flatHeaders(response: ServerResponse): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(response.headers)) flat[name] = [value].flat().join(", ");
  return flat;
}

function warningsOf(response: ServerResponse): string[] {
  return [response.headers["warning"] ?? []]
    .flat()
    .map((line) => line.replace(/^299 - "(.*)"$/s, "$1").replace(/\\(.)/g, "$1"));
}

/** @param check throws when the watch was ended by a signal */
function watchStream(session: WatchSession, check: () => void): WatchStream<unknown> {
  let isClosed = false;
  return {
    close() {
      isClosed = true;
      session.close();
    },
    async *[Symbol.asyncIterator](): AsyncGenerator<readonly WatchEvent<unknown>[], void, undefined> {
      for await (const batch of session) {
        yield batch.map((event) => ({ type: event.type, object: event.object }) as WatchEvent<unknown>);
      }
      // the session ends the same way for its server, for its reader and for a signal; only the last is an error
      if (!isClosed) check();
    },
  };
}

/** The client's end of a socket whose other end the server's handler serves. */
function openedSocket(
  response: Extract<ServerResponse, { kind: "socket" }>,
  signal: AbortSignal,
): MessageSocket {
  const { client, server } = socketPair(response.protocol);
  const close = (): void => client.close();
  signal.addEventListener("abort", close, { once: true });
  // what went wrong was said through the socket, or is nobody's business once the client has gone
  response
    .serve(server)
    .catch(() => {})
    .finally(() => {
      signal.removeEventListener("abort", close);
      close();
    });
  return client;
}

function byteStream(response: ServerResponse): ByteStream {
  if (response.kind === "bytes") {
    const iterator = response.stream[Symbol.asyncIterator]();
    return {
      close: () => void iterator.return?.(),
      [Symbol.asyncIterator]: () => iterator,
    };
  }
  if (response.kind === "watch" || response.kind === "socket" || response.kind === "spdy")
    throw new ConnectionError(`a ${response.kind} was answered where bytes were expected`);
  const chunks = encodeBody(response, false);
  return {
    close: () => {},
    async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
      yield* chunks;
    },
  };
}
