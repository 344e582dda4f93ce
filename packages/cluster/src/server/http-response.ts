/** Answers on their way to the network. */
import type { ServerResponse as HttpResponse } from "node:http";
import type { Http2ServerResponse } from "node:http2";
import { createGzip } from "node:zlib";
import { internalError } from "@bowline/api";
import { encodeBody } from "./encode.ts";
import { encodeEvent, encodeEvents } from "./encode-event.ts";
import type { ResponseHeaders, ServerRequest, ServerResponse } from "./request.ts";
import { type WatchSession, errorEvent } from "./watch-session.ts";

export type AnyResponse = HttpResponse | Http2ServerResponse;

/** Answers smaller than this are not compressed. Source: apiserver endpoints/handlers/responsewriters. */
const gzipBytesMin = 128 * 1024;

/** Pieces of a body below this size are joined: one write costs more than the copy. */
const joinedBytesMax = 64 * 1024;

/** What of a request its answer depends on. */
export type AnsweredRequest = Pick<ServerRequest, "method" | "headers" | "query">;

/** Sends an answer; resolves when it is handed over, or the client has gone. */
export async function sendResponse(
  answer: ServerResponse,
  request: AnsweredRequest,
  response: AnyResponse,
): Promise<void> {
  switch (answer.kind) {
    case "watch":
      return sendWatch(answer, request, response);
    case "bytes":
      return sendStream(answer, response);
    case "socket":
    case "spdy":
      throw new Error("a socket can only be answered to an upgrade");
    default:
      return sendBody(answer, request, response);
  }
}

/** Headers as Node takes them: one character for each byte of their UTF-8. */
export function wireHeaders(headers: ResponseHeaders): Record<string, string | string[]> {
  const out: Record<string, string | string[]> = {};
  for (const name in headers) {
    const value = headers[name] ?? "";
    out[name] = typeof value === "string" ? wireText(value) : value.map(wireText);
  }
  return out;
}

function wireText(value: string): string {
  return /[^\u0000-\u007f]/.test(value) ? Buffer.from(value).toString("latin1") : value;
}

function writeHead(response: AnyResponse, status: number, headers: Record<string, string | string[]>): void {
  (response as HttpResponse).writeHead(status, headers);
}

async function sendBody(
  answer: Extract<ServerResponse, { kind: "object" | "list" | "raw" }>,
  request: AnsweredRequest,
  response: AnyResponse,
): Promise<void> {
  const chunks = encodeBody(answer, wantsPretty(request));
  let size = 0;
  for (const chunk of chunks) size += chunk.length;
  const headers = wireHeaders(answer.headers);
  if (size >= gzipBytesMin && /\bgzip\b/.test(request.headers["accept-encoding"] ?? "")) {
    headers["content-encoding"] = "gzip";
    headers["vary"] = "Accept-Encoding";
    writeHead(response, answer.status, headers);
    if (request.method === "HEAD") return end(response);
    return sendCompressed(chunks, response);
  }
  if (answer.status !== 304) headers["content-length"] = String(size);
  writeHead(response, answer.status, headers);
  if (request.method === "HEAD" || size === 0) return end(response);
  if (size <= joinedBytesMax)
    return end(response, chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, size));
  for (const chunk of chunks) {
    if (!write(response, chunk)) await drained(response);
    if (response.destroyed) return;
  }
  end(response);
}

async function sendCompressed(chunks: readonly Uint8Array[], response: AnyResponse): Promise<void> {
  const gzip = createGzip({ level: 1 });
  gzip.pipe(response as NodeJS.WritableStream);
  response.on("close", () => gzip.destroy());
  for (const chunk of chunks) {
    if (gzip.destroyed) return;
    if (!gzip.write(chunk)) await drained(gzip);
  }
  gzip.end();
}

function wantsPretty({ query }: AnsweredRequest): boolean {
  return /^(1|t|true)$/i.test(query.get("pretty") ?? "");
}

/** A reader that falls behind is waited for here, and its session closed when too much piles up meanwhile. */
async function sendWatch(
  answer: Extract<ServerResponse, { kind: "watch" }>,
  request: AnsweredRequest,
  response: AnyResponse,
): Promise<void> {
  const { session } = answer;
  response.on("close", () => session.close());
  if (response.destroyed) return session.close();
  writeHead(response, answer.status, wireHeaders(answer.headers));
  if (request.method === "HEAD") {
    session.close();
    return end(response);
  }
  flushHead(response);
  await pump(session, answer, response);
  end(response);
}

async function pump(
  session: WatchSession,
  { encoding }: Extract<ServerResponse, { kind: "watch" }>,
  response: AnyResponse,
): Promise<void> {
  for await (const batch of session) {
    // the initial state of a large collection is one batch: its reader starts while the rest is still being encoded
    for (let at = 0; at < batch.length; at += eventsPerWrite) {
      let bytes: Uint8Array;
      try {
        bytes = encodeEvents(batch.slice(at, at + eventsPerWrite), encoding);
      } catch (error) {
        // an object that has no form in this encoding: said as the last event, so that no client waits for more
        write(response, encodeEvent(errorEvent(internalError(String(error)).status), encoding));
        return session.close();
      }
      if (!write(response, bytes)) await drained(response);
      if (response.destroyed) return;
    }
  }
}

/** About 100 KiB of small objects. */
const eventsPerWrite = 128;

async function sendStream(
  answer: Extract<ServerResponse, { kind: "bytes" }>,
  response: AnyResponse,
): Promise<void> {
  writeHead(response, answer.status, wireHeaders(answer.headers));
  flushHead(response);
  for await (const chunk of answer.stream) {
    if (response.destroyed) return;
    if (!write(response, chunk)) await drained(response);
  }
  end(response);
}

function write(response: AnyResponse, chunk: Uint8Array): boolean {
  return response.destroyed || (response as NodeJS.WritableStream).write(chunk as Buffer);
}

function end(response: AnyResponse, chunk?: Uint8Array): void {
  if (chunk === undefined) response.end();
  else (response as NodeJS.WritableStream).end(chunk as Buffer);
}

/** Waits until a writable takes more, or is gone. */
async function drained(writable: NodeJS.EventEmitter & { readonly destroyed: boolean }): Promise<void> {
  if (writable.destroyed) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      writable.off("drain", done);
      writable.off("close", done);
      resolve();
    };
    writable.on("drain", done);
    writable.on("close", done);
  });
}

/** Sends the head of a stream at once, before there is anything in it. */
function flushHead(response: AnyResponse): void {
  if ("flushHeaders" in response) response.flushHeaders();
}
