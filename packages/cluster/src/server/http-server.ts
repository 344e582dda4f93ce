/** The API server on the network: HTTP/1.1 and HTTP/2 over TLS, or plain HTTP. */
import { once } from "node:events";
import http, { type IncomingMessage, type Server, type ServerResponse as HttpResponse } from "node:http";
import http2, { type Http2SecureServer, type Http2ServerRequest, type Http2ServerResponse } from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { createGzip } from "node:zlib";
import { failure, unauthorized } from "@bowline/api";
import type { Authenticator, Credentials } from "../access/authentication.ts";
import { type UserInfo, anonymousUser } from "../registry/user.ts";
import { type ApiServer, errorAnswer } from "./api-server.ts";
import { bodyBytesMax } from "./body.ts";
import { encodeBody } from "./encode.ts";
import { encodeEvent } from "./encode-event.ts";
import { parseQuery } from "./query.ts";
import type { ServerRequest, ServerResponse } from "./request.ts";

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

type AnyRequest = IncomingMessage | Http2ServerRequest;
type AnyResponse = HttpResponse | Http2ServerResponse;

/** Answers smaller than this are not compressed. Source: apiserver endpoints/handlers/responsewriters. */
const gzipBytesMin = 128 * 1024;

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
      void serve(options, request, response);
    };
    const server =
      options.tls === undefined
        ? http.createServer(handler as (request: IncomingMessage, response: HttpResponse) => void)
        : http2.createSecureServer(
            {
              allowHTTP1: true,
              cert: options.tls.cert,
              key: options.tls.key,
              ca: options.tls.clientCa,
              requestCert: true,
              rejectUnauthorized: false,
              settings: { maxConcurrentStreams: 1000, initialWindowSize: 1 << 20 },
            },
            handler as (request: Http2ServerRequest, response: Http2ServerResponse) => void,
          );
    server.on("connection", (socket: Socket) => {
      socket.setNoDelay(true);
      sockets.add(socket);
      socket.on("close", () => sockets.delete(socket));
    });
    // clients that break off in the middle are their own business
    server.on("sessionError", () => {});
    server.on("clientError", (_error: Error, socket: Socket) => socket.destroy());
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

async function serve(options: HttpServerOptions, request: AnyRequest, response: AnyResponse): Promise<void> {
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  response.on("error", () => gone.abort());
  try {
    const parsed = await readRequest(options, request, gone.signal);
    const answer = "status" in parsed ? parsed : await options.api.handle(parsed);
    await send(answer, request, response, gone.signal);
  } catch (error) {
    if (!gone.signal.aborted && !response.headersSent) {
      const answer = errorAnswer(failure(500, "InternalError", `Internal error occurred: ${String(error)}`));
      await send(answer, request, response, gone.signal);
    } else {
      response.destroy();
    }
  }
}

/** The request, or the answer that refuses it before it is looked at. */
async function readRequest(
  options: HttpServerOptions,
  request: AnyRequest,
  signal: AbortSignal,
): Promise<ServerRequest | ServerResponse> {
  const user = authenticate(options.authenticator, request);
  if (user === undefined) return errorAnswer(unauthorized());
  const url = request.url ?? "/";
  const mark = url.indexOf("?");
  const bytes = await readBody(request);
  if (bytes === "too large") {
    return errorAnswer(
      failure(413, "RequestEntityTooLarge", `Request entity too large: limit is ${bodyBytesMax}`),
    );
  }
  return {
    method: request.method ?? "GET",
    path: mark < 0 ? url : url.slice(0, mark),
    query: parseQuery(mark < 0 ? "" : url.slice(mark + 1)),
    headers: joined(request.headers),
    body: bytes.length === 0 ? undefined : { bytes },
    user,
    signal,
  };
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

async function readBody(request: AnyRequest): Promise<Uint8Array | "too large"> {
  if (request.method === "GET" || request.method === "HEAD") return new Uint8Array();
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > bodyBytesMax) return "too large";
    chunks.push(chunk);
  }
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
}

function joined(headers: AnyRequest["headers"]): Record<string, string | undefined> {
  const out: Record<string, string | undefined> = {};
  for (const name in headers) {
    const value = headers[name];
    out[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return out;
}

async function send(
  answer: ServerResponse,
  request: AnyRequest,
  response: AnyResponse,
  signal: AbortSignal,
): Promise<void> {
  for (const name in answer.headers) response.setHeader(name, headerText(answer.headers[name] ?? ""));
  response.statusCode = answer.status;
  switch (answer.kind) {
    case "watch":
      return sendWatch(answer, response, signal);
    case "bytes":
      return sendStream(answer.stream, response, signal);
    default:
      return sendBody(encodeBody(answer, wantsPretty(request)), request, response);
  }
}

/** Text of a header as Node takes it: one character for each byte of its UTF-8. */
function headerText(value: string | string[]): string | string[] {
  if (typeof value !== "string") return value.map((line) => headerText(line) as string);
  return /[^\u0000-\u007f]/.test(value) ? Buffer.from(value).toString("latin1") : value;
}

function wantsPretty(request: AnyRequest): boolean {
  return /[?&]pretty=(1|t|true)\b/i.test(request.url ?? "");
}

async function sendBody(
  chunks: readonly Uint8Array[],
  request: AnyRequest,
  response: AnyResponse,
): Promise<void> {
  const size = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  const accepted = String(request.headers["accept-encoding"] ?? "");
  if (size >= gzipBytesMin && /\bgzip\b/.test(accepted)) {
    response.setHeader("content-encoding", "gzip");
    response.setHeader("vary", "Accept-Encoding");
    const gzip = createGzip({ level: 1 });
    gzip.pipe(response as NodeJS.WritableStream);
    for (const chunk of chunks) if (!gzip.write(chunk)) await once(gzip, "drain");
    gzip.end();
    return;
  }
  response.setHeader("content-length", size);
  if (request.method === "HEAD") {
    response.end();
    return;
  }
  for (const chunk of chunks.slice(0, -1)) if (!write(response, chunk)) await drained(response);
  (response as NodeJS.WritableStream).end((chunks.at(-1) ?? new Uint8Array()) as Buffer);
}

async function sendWatch(
  answer: Extract<ServerResponse, { kind: "watch" }>,
  response: AnyResponse,
  signal: AbortSignal,
): Promise<void> {
  const { session } = answer;
  signal.addEventListener("abort", () => session.close(), { once: true });
  if (signal.aborted) return session.close();
  flushHead(response);
  for await (const batch of session) {
    const lines = batch.map((event) => encodeEvent(event, answer.encoding));
    if (!write(response, lines.length === 1 ? (lines[0] as Uint8Array) : Buffer.concat(lines)))
      await drained(response);
    if (signal.aborted) return;
  }
  response.end();
}

async function sendStream(
  stream: AsyncIterable<Uint8Array>,
  response: AnyResponse,
  signal: AbortSignal,
): Promise<void> {
  flushHead(response);
  for await (const chunk of stream) {
    if (signal.aborted) return;
    if (!write(response, chunk)) await drained(response);
  }
  response.end();
}

function write(response: AnyResponse, chunk: Uint8Array): boolean {
  return (response as NodeJS.WritableStream).write(chunk as Buffer);
}

/** Waits until the connection takes more, or is gone. */
async function drained(response: AnyResponse): Promise<void> {
  if (response.destroyed) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      response.off("drain", done);
      response.off("close", done);
      resolve();
    };
    response.on("drain", done);
    response.on("close", done);
  });
}

/** Sends the head of a stream at once, before there is anything in it. */
function flushHead(response: AnyResponse): void {
  if ("flushHeaders" in response) response.flushHeaders();
  else if (!response.headersSent)
    response.stream.respond({ ":status": response.statusCode, ...response.getHeaders() });
}
