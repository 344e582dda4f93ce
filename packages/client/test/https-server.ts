import type { IncomingMessage, ServerResponse } from "node:http";
import http2 from "node:http2";
import https from "node:https";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import type { TLSSocket } from "node:tls";
import { type Authority, type KeyPair, createAuthority } from "./certificates.ts";

export type Handler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

/** A real HTTPS server on loopback that does what a test says. */
export interface TestServer {
  readonly url: string;
  readonly port: number;
  readonly authority: Authority;
  /** How many connections were accepted, from the start. */
  readonly acceptedCount: number;
  /** How many are open now. */
  readonly openCount: number;
  /** The HTTP/2 connections open now. */
  readonly sessions: ReadonlySet<http2.ServerHttp2Session>;
  /** Protocols of the requests served: `1.1`, `2.0`. */
  readonly protocols: ReadonlySet<string>;
  /** Requests served, `METHOD path?query`, in order. */
  readonly requests: readonly string[];
  /** Uses another certificate for new connections. */
  rotate(pair: KeyPair): void;
  /** Breaks every open connection with a reset. */
  reset(): void;
  onUpgrade(handler: (request: IncomingMessage, socket: Duplex, head: Buffer) => void): void;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface TestServerOptions {
  readonly authority?: Authority;
  /** Offers HTTP/2 as well. Default false. */
  readonly http2?: boolean;
  /** Port to listen on. Default: any. */
  readonly port?: number;
  /** Most concurrent streams of an HTTP/2 connection. */
  readonly maxConcurrentStreams?: number;
}

let sharedAuthority: Promise<Authority> | undefined;

/** One authority serves all tests that do not need their own: making keys takes longer than most tests. */
export function testAuthority(): Promise<Authority> {
  sharedAuthority ??= createAuthority();
  return sharedAuthority;
}

export async function startServer(handler: Handler, options: TestServerOptions = {}): Promise<TestServer> {
  const authority = options.authority ?? (await testAuthority());
  const pair = await authority.server();
  const sockets = new Set<TLSSocket>();
  const requests: string[] = [];
  const protocols = new Set<string>();
  let acceptedCount = 0;
  const tls = { ...pair, ca: authority.ca, requestCert: true, rejectUnauthorized: false };
  const settings = { maxConcurrentStreams: options.maxConcurrentStreams ?? 100 };
  const server: https.Server = options.http2
    ? (http2.createSecureServer({ ...tls, allowHTTP1: true, settings }) as unknown as https.Server)
    : https.createServer(tls);
  server.on("secureConnection", (socket) => {
    acceptedCount++;
    // Without it, small writes wait 40 ms for each other.
    socket.setNoDelay(true);
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => {});
  });
  server.on("request", (request, response) => {
    requests.push(`${request.method} ${request.url}`);
    protocols.add(request.httpVersion);
    response.on("error", () => {});
    void handler(request, response);
  });
  const sessions = new Set<http2.ServerHttp2Session>();
  server.on("session", (session: http2.ServerHttp2Session) => {
    sessions.add(session);
    session.on("close", () => sessions.delete(session));
  });
  server.on("sessionError", () => {});
  server.on("tlsClientError", () => {});
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return {
    url: `https://localhost:${port}`,
    port,
    authority,
    get acceptedCount() {
      return acceptedCount;
    },
    get openCount() {
      return sockets.size;
    },
    sessions,
    protocols,
    requests,
    rotate: (next) => server.setSecureContext({ ...next, ca: authority.ca }),
    reset: () => {
      for (const socket of sockets) resetConnection(socket);
    },
    onUpgrade: (listener) => void server.on("upgrade", listener),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Breaks a connection with a reset rather than an end. */
export function resetConnection(socket: TLSSocket | Duplex): void {
  const raw = (socket as unknown as { _parent?: { resetAndDestroy?: () => void } })._parent;
  if (raw?.resetAndDestroy !== undefined) raw.resetAndDestroy();
  else if ("resetAndDestroy" in socket) (socket as TLSSocket).resetAndDestroy();
  else socket.destroy();
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string | string[]> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

export async function readBody(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return text;
}
