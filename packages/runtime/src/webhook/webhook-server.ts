import type { IncomingMessage } from "node:http";
import type { Server } from "node:https";
import type { AddressInfo } from "node:net";
import { parseAddress } from "../manager/http-endpoint.ts";
import type { KeyPair } from "./certificate.ts";
import type { WebhookRouter } from "./webhook-router.ts";

/** Larger reviews are refused. Source: controller-runtime pkg/webhook/admission (http.go). */
const bodyBytesMax = 7 * 1024 * 1024;

/** The HTTPS server of webhooks. `node:https` is loaded when it starts. */
export class WebhookServer {
  readonly #router: WebhookRouter;
  readonly #address: { readonly host: string | undefined; readonly port: number };
  readonly #clientCaPem: string | undefined;
  #server: Server | undefined;

  constructor(options: {
    readonly router: WebhookRouter;
    /** `:9443`. */
    readonly address: string;
    /** Only clients with a certificate of this authority are served. */
    readonly clientCaPem?: string | undefined;
  }) {
    this.#router = options.router;
    this.#address = parseAddress(options.address);
    this.#clientCaPem = options.clientCaPem;
  }

  get port(): number {
    return (this.#server?.address() as AddressInfo | null)?.port ?? this.#address.port;
  }

  get isListening(): boolean {
    return this.#server?.listening ?? false;
  }

  /** @throws Error when the port is in use or the certificate is unusable */
  async start(pair: KeyPair): Promise<void> {
    const { createServer } = await import("node:https");
    const mutual =
      this.#clientCaPem === undefined
        ? {}
        : { ca: this.#clientCaPem, requestCert: true, rejectUnauthorized: true };
    const options = {
      cert: pair.certificatePem,
      key: pair.keyPem,
      minVersion: "TLSv1.2" as const,
      ...mutual,
    };
    const server = createServer(options, (request, response) => {
      const gone = new AbortController();
      response.on("close", () => gone.abort(new Error("the API server waits no longer")));
      void this.#answer(request, gone.signal).then(({ status, body }) => {
        response.writeHead(status, { "content-type": status === 200 ? "application/json" : "text/plain" });
        response.end(body);
      });
    });
    this.#server = server;
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(this.#address.port, this.#address.host, () => {
        server.off("error", reject);
        resolve();
      });
    });
  }

  /** New connections use this certificate; open ones keep theirs. */
  useCertificate(pair: KeyPair): void {
    const mutual = this.#clientCaPem === undefined ? {} : { ca: this.#clientCaPem };
    this.#server?.setSecureContext({ cert: pair.certificatePem, key: pair.keyPem, ...mutual });
  }

  async stop(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    server.closeIdleConnections();
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
  }

  async #answer(request: IncomingMessage, signal: AbortSignal): Promise<{ status: number; body: string }> {
    try {
      const body = await readBody(request);
      if (body === undefined)
        return { status: 413, body: `the review is larger than ${bodyBytesMax} bytes\n` };
      return await this.#router.answer({
        path: new URL(request.url ?? "/", "https://localhost").pathname,
        method: request.method ?? "GET",
        contentType: request.headers["content-type"] ?? "",
        body,
        signal,
      });
    } catch {
      return { status: 500, body: "internal server error\n" };
    }
  }
}

/** Undefined when it is too large. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bodyBytesMax) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
