/** Requests from the network, as the API server takes them. */
import type { IncomingMessage } from "node:http";
import type { Http2ServerRequest } from "node:http2";
import type { UserInfo } from "../registry/user.ts";
import { bodyBytesMax } from "./body.ts";
import { parseQuery } from "./query.ts";
import type { RequestBody, ServerRequest } from "./request.ts";

export type AnyRequest = IncomingMessage | Http2ServerRequest;

/**
 * How much of a body that is too large is still read and thrown away, bytes: a client that is still sending would not read
 * the answer. Whoever sends more is cut off.
 */
const discardedBytesMax = 16 * bodyBytesMax;

const goneReason = new Error("the client has gone");

/** A request of a client that may go away at any time. Its signal is only made when somebody asks for it. */
export class HttpRequest implements ServerRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: RequestBody;
  readonly user: UserInfo;
  #gone = false;
  #controller: AbortController | undefined;

  constructor(request: AnyRequest, user: UserInfo, body: Uint8Array | undefined) {
    const url = request.url ?? "/";
    const mark = url.indexOf("?");
    this.method = request.method ?? "GET";
    this.path = mark < 0 ? url : url.slice(0, mark);
    this.query = parseQuery(mark < 0 ? "" : url.slice(mark + 1));
    this.headers = joined(request.headers);
    this.body = body === undefined || body.length === 0 ? undefined : { bytes: body };
    this.user = user;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#gone) this.#controller.abort(goneReason);
    }
    return this.#controller.signal;
  }

  get gone(): boolean {
    return this.#gone;
  }

  /** Called when the connection or stream has closed. */
  abort(): void {
    if (this.#gone) return;
    this.#gone = true;
    this.#controller?.abort(goneReason);
  }
}

function joined(headers: AnyRequest["headers"]): Record<string, string | undefined> {
  const out: Record<string, string | undefined> = {};
  for (const name in headers) {
    const value = headers[name];
    out[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return out;
}

/**
 * The whole body; undefined when it is larger than the server reads.
 * @throws when the client goes away in the middle
 */
export function readBody(
  request: AnyRequest,
  bytesMax: number = bodyBytesMax,
): Promise<Uint8Array | undefined> {
  if (request.method === "GET" || request.method === "HEAD") return Promise.resolve(new Uint8Array());
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= bytesMax) chunks.push(chunk);
      else chunks.length = 0;
      if (size > Math.max(bytesMax, discardedBytesMax)) request.destroy();
    });
    request.on("end", () => {
      if (size > bytesMax) resolve(undefined);
      else resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
    });
    request.on("error", reject);
    request.on("close", () => reject(goneReason));
  });
}
