/** The API server on the network: HTTP/1.1 and HTTP/2 over TLS, or plain HTTP. */
import { once } from "node:events";
import http, { type IncomingMessage, type Server, type ServerResponse as HttpResponse } from "node:http";
import http2, { type Http2SecureServer, type Http2ServerRequest, type Http2ServerResponse } from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { TLSSocket } from "node:tls";
import { type StatusError, badRequest, failure, goDurationMs, unauthorized } from "@bowline/api";
import type { Authenticator, Credentials } from "../access/authentication.ts";
import { type UserInfo, anonymousUser } from "../registry/user.ts";
import { type ApiServer, errorAnswer } from "./api-server.ts";
import { bodyBytesMax } from "./body.ts";
import { type AnyRequest, HttpRequest, readBody } from "./http-request.ts";
import { type AnyResponse, sendResponse } from "./http-response.ts";
import type { ServerResponse } from "./request.ts";
import { snapshotBodyLimit } from "./snapshot-endpoint.ts";
import { refuseUpgrade, serveSpdyUpgrade, serveUpgrade } from "./upgrade.ts";

export interface HttpServerOptions {
  readonly api: ApiServer;
  readonly authenticator: Authenticator;
  /** `127.0.0.1` unless told otherwise. */
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** PEM; absent for plain HTTP. */
  readonly tls: { readonly cert: string; readonly key: string; readonly clientCa: string } | undefined;
}

/** Room for the headers of a request, bytes. Source: net/http DefaultMaxHeaderBytes. */
const headerBytesMax = 1 << 20;

/** What one HTTP/2 connection may hold, MiB: many watches share one, and each may have a burst to send. */
const sessionMegabytesMax = 1024;

/** How long an idle connection stays open, milliseconds. Source: apiserver server/secure_serving.go. */
const idleMs = 90_000;

/** A port is in use, or may not be used. */
export class ListenError extends Error {
  override readonly name: string = "ListenError";
  readonly code: string = "BOWLINE_LISTEN";
}

/** A listening server. */
export class HttpServer {
  readonly url: string;
  readonly port: number;
  readonly #server: Server | Http2SecureServer;
  readonly #sockets: Set<Socket>;

  private constructor(server: Server | Http2SecureServer, url: string, sockets: Set<Socket>) {
    this.#server = server;
    this.url = url;
    this.port = (server.address() as AddressInfo).port;
    this.#sockets = sockets;
  }

  /** @throws ListenError when the address cannot be used */
  static async listen(options: HttpServerOptions): Promise<HttpServer> {
    const sockets = new Set<Socket>();
    const handler = (request: AnyRequest, response: AnyResponse): void => {
      serve(options, request, response).catch(() => response.destroy());
    };
    const server =
      options.tls === undefined
        ? http.createServer(
            { maxHeaderSize: headerBytesMax },
            handler as (request: IncomingMessage, response: HttpResponse) => void,
          )
        : http2.createSecureServer(
            {
              allowHTTP1: true,
              cert: options.tls.cert,
              key: options.tls.key,
              ca: options.tls.clientCa,
              requestCert: true,
              rejectUnauthorized: false,
              settings: {
                maxConcurrentStreams: 1000,
                initialWindowSize: 1 << 20,
                maxHeaderListSize: headerBytesMax,
              },
              maxSessionMemory: sessionMegabytesMax,
            },
            handler as (request: Http2ServerRequest, response: Http2ServerResponse) => void,
          );
    server.on("connection", (socket: Socket) => {
      socket.setNoDelay(true);
      sockets.add(socket);
      socket.on("close", () => sockets.delete(socket));
    });
    const upgrading = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
      upgrade(options, request, socket, head).catch(() => socket.destroy());
    };
    (server as Server).on("upgrade", upgrading);
    // a server of both versions of HTTP takes these for its HTTP/1.1 connections, though not as options
    Object.assign(server, { keepAliveTimeout: idleMs, maxHeaderSize: headerBytesMax });
    // clients that break off in the middle are their own business
    server.on("sessionError", () => {});
    server.on("tlsClientError", () => {});
    (server as Server).on("clientError", malformed);
    server.listen(options.port, options.host);
    await listening(server, options);
    const { port } = server.address() as AddressInfo;
    const host = options.host.includes(":") ? `[${options.host}]` : options.host;
    return new HttpServer(
      server,
      `${options.tls === undefined ? "http" : "https"}://${host}:${port}`,
      sockets,
    );
  }

  /** Stops listening and cuts every connection. */
  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, "close");
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}

async function listening(server: Server | Http2SecureServer, options: HttpServerOptions): Promise<void> {
  try {
    await once(server, "listening");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const where = `${options.host}:${options.port}`;
    const why =
      code === "EADDRINUSE"
        ? `${where} is in use by another process: stop it, or choose another port (0 takes a free one)`
        : `cannot listen on ${where}: ${(error as Error).message}`;
    throw new ListenError(why, { cause: error });
  }
}

/** Answers what is not HTTP, where somebody still listens. */
function malformed(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === "ECONNRESET") return void socket.destroy();
  const status =
    error.code === "HPE_HEADER_OVERFLOW" ? "431 Request Header Fields Too Large" : "400 Bad Request";
  const head = `HTTP/1.1 ${status}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n`;
  socket.end(`${head}${status}`);
}

/** Answers one request. Whatever happens, the client gets an answer or loses the connection. */
async function serve(options: HttpServerOptions, request: AnyRequest, response: AnyResponse): Promise<void> {
  let taken: HttpRequest | undefined;
  response.on("close", () => taken?.abort());
  response.on("error", () => {});
  try {
    const user = authenticate(options.authenticator, request);
    const body = await readBody(request, snapshotBodyLimit(request.url, user));
    const known = user ?? anonymousUser;
    taken = new HttpRequest(request, known, body);
    if (user === undefined) return await sendResponse(errorAnswer(unauthorized(), taken), taken, response);
    if (body === undefined) return await sendResponse(errorAnswer(bodyTooLarge(), taken), taken, response);
    await sendResponse(await answered(options, taken), taken, response);
  } catch (error) {
    if (response.destroyed || response.headersSent || taken === undefined) return void response.destroy();
    const failed = failure(500, "InternalError", `Internal error occurred: ${String(error)}`);
    await sendResponse(errorAnswer(failed, taken), taken, response);
  }
}

function bodyTooLarge(): StatusError {
  return failure(413, "RequestEntityTooLarge", `Request entity too large: limit is ${bodyBytesMax}`);
}

/** Longest time that a request may take that does not stream, milliseconds. Source: apiserver endpoints/handlers. */
const answerMsMax = 34_000;

/** The answer within the time that the server or the client allows. */
async function answered(options: HttpServerOptions, request: HttpRequest): Promise<ServerResponse> {
  const allowedMs = allowedTime(request.query.get("timeout"));
  if (allowedMs === undefined) {
    const problem = durationProblem(request.query.get("timeout") ?? "");
    const why = `invalid timeout specified in the request URL - time: ${problem}`;
    return errorAnswer(badRequest(why), request);
  }
  let late = (): void => {};
  const tooLate = new Promise<ServerResponse>((resolve) => {
    late = () => resolve(errorAnswer(notInTime(), request));
  });
  const timer = options.api.clock.setTimer(allowedMs, () => late());
  try {
    return await Promise.race([options.api.handle(request), tooLate]);
  } finally {
    timer.cancel();
  }
}

function notInTime(): StatusError {
  return failure(504, "Timeout", "Timeout: request did not complete within the allotted timeout", {});
}

/** What Go says of a text that is no duration. */
function durationProblem(text: string): string {
  const [, unit] =
    /^[-+]?(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|ms|s|m|h))*(?:\d+\.?\d*|\.\d+)([^\d.]*)/.exec(text) ?? [];
  const quoted = JSON.stringify(text);
  if (unit === undefined) return `invalid duration ${quoted}`;
  return unit === ""
    ? `missing unit in duration ${quoted}`
    : `unknown unit ${JSON.stringify(unit)} in duration ${quoted}`;
}

/**
 * Milliseconds that a request may take: what its `timeout` says in Go's words (`1m30s`), within the limit, which also holds for
 * a negative one; undefined for nonsense.
 */
function allowedTime(text: string | null): number | undefined {
  if (text === null || text === "") return answerMsMax;
  const ms = goDurationMs(text);
  if (ms === undefined) return undefined;
  return ms <= 0 ? answerMsMax : Math.min(ms, answerMsMax);
}

/** Answers a request to turn the connection into a WebSocket. */
async function upgrade(
  options: HttpServerOptions,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): Promise<void> {
  socket.on("error", () => {});
  const user = authenticate(options.authenticator, request);
  const taken = new HttpRequest(request, user ?? anonymousUser, undefined);
  socket.on("close", () => taken.abort());
  const answer = user === undefined ? errorAnswer(unauthorized(), taken) : await answered(options, taken);
  if (answer.kind !== "socket" && answer.kind !== "spdy") return refuseUpgrade(socket, answer);
  try {
    if (answer.kind === "spdy") await serveSpdyUpgrade(socket, head, answer);
    else await serveUpgrade(request, socket, head, answer);
  } catch {
    socket.destroy();
  }
}

function authenticate(authenticator: Authenticator, request: AnyRequest): UserInfo | undefined {
  const found = authenticator.authenticate({
    authorization: request.headers.authorization,
    certificate: clientCertificate(request.socket as TLSSocket),
  });
  return found === "anonymous" ? anonymousUser : found;
}

const certificates = new WeakMap<object, Exclude<Credentials["certificate"], undefined> | "none">();

/** Subject of the connection's client certificate, when our authority signed it. Read once per connection. */
function clientCertificate(socket: TLSSocket): Credentials["certificate"] {
  if (socket.encrypted !== true) return undefined;
  let known = certificates.get(socket);
  if (known === undefined) {
    const subject = socket.getPeerCertificate().subject as { CN?: string; O?: string | string[] } | undefined;
    const { CN: commonName, O: organizations = [] } = subject ?? {};
    if (commonName === undefined) known = "none";
    else known = socket.authorized ? { commonName, organizations: [organizations].flat() } : "invalid";
    certificates.set(socket, known);
  }
  return known === "none" ? undefined : known;
}
