import http from "node:http";
import https from "node:https";

/** Which server, as whom. */
export interface ServerAddress {
  readonly url: string;
  readonly token?: string | undefined;
  /** PEM. Without `ca` a server on TLS is not verified. */
  readonly ca?: string | Buffer | undefined;
  readonly cert?: string | Buffer | undefined;
  readonly key?: string | Buffer | undefined;
}

export interface Answer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  text: string;
}

/** A stream of events that stays open until it is aborted or the server ends it. */
export interface OpenWatch {
  /** What has arrived so far. */
  text(): string;
  /** Whether the server has ended it, or the request failed. */
  hasEnded(): boolean;
  /** Resolves with the status when the stream is over, 0 for one that never began. */
  readonly done: Promise<number>;
  abort(): void;
}

const answerTimeoutMs = 45_000;

/** Plain requests over node:http, so that nothing between a case and the server changes what is sent. */
export class HttpClient {
  readonly #base: URL;
  readonly #token: string | undefined;
  readonly #lib: typeof http | typeof https;
  readonly #agent: http.Agent;

  constructor(server: ServerAddress) {
    this.#base = new URL(server.url);
    this.#token = server.token;
    const secure = this.#base.protocol === "https:";
    this.#lib = secure ? https : http;
    this.#agent = secure
      ? new https.Agent({
          keepAlive: true,
          rejectUnauthorized: server.ca !== undefined,
          ca: server.ca,
          cert: server.cert,
          key: server.key,
        })
      : new http.Agent({ keepAlive: true });
  }

  close(): void {
    this.#agent.destroy();
  }

  /** Sends a request and waits for the whole answer. */
  send(method: string, path: string, headers: Record<string, string>, body?: string): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const request = this.#request(method, path, headers, body, (response) => {
        const chunks: Buffer[] = [];
        const answer = (): Answer => ({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(chunks).toString(),
        });
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () => resolve(answer()));
        response.on("aborted", () => resolve(answer()));
        response.on("error", reject);
      });
      request.on("error", (error: NodeJS.ErrnoException) => {
        // The server closed an idle connection at the moment of its reuse: the request never arrived.
        if (request.reusedSocket && ["ECONNRESET", "EPIPE"].includes(error.code ?? "")) {
          resolve(this.send(method, path, headers, body));
        } else reject(error);
      });
      request.setTimeout(answerTimeoutMs, () =>
        request.destroy(new Error(`no answer within 45 s: ${method} ${path}`)),
      );
      request.end();
    });
  }

  /** Opens a watch. Errors end it, as a client would see. */
  watch(path: string, headers: Record<string, string>): OpenWatch {
    let text = "";
    let ended = false;
    let request: http.ClientRequest;
    const open = (): Promise<number> =>
      new Promise((resolve) => {
        let status = 0;
        request = this.#request("GET", path, headers, undefined, (response) => {
          status = response.statusCode ?? 0;
          response.on("data", (chunk: Buffer) => {
            text += chunk.toString();
          });
          for (const end of ["end", "error", "aborted"]) response.on(end, () => resolve(status));
        });
        request.on("error", (error: NodeJS.ErrnoException) => {
          const neverArrived = request.reusedSocket && ["ECONNRESET", "EPIPE"].includes(error.code ?? "");
          resolve(neverArrived ? open() : status);
        });
        request.end();
      });
    const done = open().then((status) => {
      ended = true;
      return status;
    });
    return { text: () => text, hasEnded: () => ended, done, abort: () => request.destroy() };
  }

  #request(
    method: string,
    path: string,
    headers: Record<string, string>,
    body: string | undefined,
    onResponse: (response: http.IncomingMessage) => void,
  ): http.ClientRequest {
    const target = new URL(path, this.#base);
    const request = this.#lib.request(
      {
        method,
        agent: this.#agent,
        hostname: target.hostname,
        port: target.port,
        path: target.pathname + target.search,
        headers: {
          ...(this.#token === undefined ? {} : { authorization: `Bearer ${this.#token}` }),
          ...headers,
          ...(body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) }),
        },
      },
      onResponse,
    );
    if (body !== undefined) request.write(body);
    return request;
  }
}
