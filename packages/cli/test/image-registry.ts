/** A small image registry (OCI distribution specification) for tests that must not depend on an installed one. */
import { randomBytes } from "node:crypto";
import http from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";
import { digestOf } from "../src/image/oci-layout.ts";

export interface RegistryOptions {
  /** How it wants a login; the user is `ada`, the password `secret`. */
  readonly login?: "basic" | "bearer";
  /** So many of the first uploads are answered with 503. */
  readonly busy?: number;
  /** At so many of the first pieces the connection breaks when they have arrived, and before they are answered. */
  readonly breaks?: number;
  /** PEM; speaks TLS with it. */
  readonly certificate?: { readonly cert: string; readonly key: string };
}

interface Answer {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: Buffer | object;
}

export class ImageRegistry {
  readonly blobs = new Map<string, Buffer>();
  readonly manifests = new Map<string, { mediaType: string; bytes: Buffer }>();
  /** `PATCH /v2/shop/blobs/uploads/…` without what is random. */
  readonly requests: string[] = [];
  readonly #uploads = new Map<string, Buffer>();
  readonly #options: RegistryOptions;
  readonly #server: http.Server | https.Server;
  #busy: number;
  #breaks: number;
  /** Called for each request before it is answered. */
  onRequest: (line: string) => void = () => undefined;

  constructor(options: RegistryOptions) {
    this.#options = options;
    this.#busy = options.busy ?? 0;
    this.#breaks = options.breaks ?? 0;
    const { certificate } = options;
    const answer: http.RequestListener = (request, response) => {
      void this.#serve(request).then(({ status, headers = {}, body }) => {
        const bytes = body === undefined || Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
        response.writeHead(status, headers);
        response.end(request.method === "HEAD" ? undefined : bytes);
      });
    };
    this.#server =
      certificate === undefined ? http.createServer(answer) : https.createServer(certificate, answer);
  }

  static async start(options: RegistryOptions = {}): Promise<ImageRegistry> {
    const registry = new ImageRegistry(options);
    await new Promise<void>((resolve) => registry.#server.listen(0, "127.0.0.1", resolve));
    return registry;
  }

  /** `127.0.0.1:40123`. */
  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: http.IncomingMessage): Promise<Answer> {
    const url = new URL(request.url ?? "/", `http://${this.host}`);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const line = `${request.method} ${url.pathname.replace(/sha256:[0-9a-f]{64}|[0-9a-f]{16}$/, "…")}`;
    this.requests.push(line);
    this.onRequest(line);
    if (url.pathname === "/token") return this.#token(request, url);
    const refused = this.#refuse(request);
    if (refused !== undefined) return refused;
    const [, repository = "", kind = "", name = ""] =
      /^\/v2\/(.+)\/(blobs|manifests)\/(.*)$/.exec(url.pathname) ?? [];
    if (kind === "manifests") return this.#manifest(request, `${repository}/${name}`, repository, body);
    if (kind === "blobs" && name.startsWith("uploads/"))
      return this.#upload(request, url, name.slice(8), body);
    if (kind === "blobs") return this.#blob(name);
    return { status: 404 };
  }

  #token(request: http.IncomingMessage, url: URL): Answer {
    const expected = `Basic ${Buffer.from("ada:secret").toString("base64")}`;
    if (request.headers.authorization !== expected)
      return { status: 401, body: { details: "wrong password" } };
    return { status: 200, body: { token: `for ${url.searchParams.get("scope")}` } };
  }

  #refuse(request: http.IncomingMessage): Answer | undefined {
    const { login } = this.#options;
    const { authorization = "" } = request.headers;
    if (login === "basic" && authorization !== `Basic ${Buffer.from("ada:secret").toString("base64")}`) {
      return { status: 401, headers: { "www-authenticate": 'Basic realm="test"' }, body: unauthorized };
    }
    if (login === "bearer" && !/^Bearer for repository:[a-z/]+:pull,push$/.test(authorization)) {
      const challenge = `Bearer realm="http://${this.host}/token",service="registry.test"`;
      return { status: 401, headers: { "www-authenticate": challenge }, body: unauthorized };
    }
    return undefined;
  }

  #blob(digest: string): Answer {
    const bytes = this.blobs.get(digest);
    return bytes === undefined ? { status: 404, body: errors("BLOB_UNKNOWN") } : { status: 200, body: bytes };
  }

  #upload(request: http.IncomingMessage, url: URL, id: string, body: Buffer): Answer {
    if (request.method === "POST") {
      if (this.#busy-- > 0) return { status: 503 };
      const mount = url.searchParams.get("mount") ?? "";
      if (this.blobs.has(mount)) return { status: 201 };
      const made = randomBytes(8).toString("hex");
      this.#uploads.set(made, Buffer.alloc(0));
      return { status: 202, headers: { location: `${url.pathname}${made}?state=1` } };
    }
    const before = this.#uploads.get(id);
    if (before === undefined) return { status: 404, body: errors("BLOB_UPLOAD_UNKNOWN") };
    const range = request.headers["content-range"];
    if (range !== undefined && Number(range.split("-")[0]) !== before.length) return { status: 416 };
    const all = Buffer.concat([before, body]);
    this.#uploads.set(id, all);
    if (request.method === "PATCH" && this.#breaks-- > 0) request.socket.destroy();
    if (request.method === "PATCH") return { status: 202, headers: { location: `${url.pathname}?state=2` } };
    const digest = digestOf(all);
    if (digest !== url.searchParams.get("digest")) return { status: 400, body: errors("DIGEST_INVALID") };
    this.blobs.set(digest, all);
    return { status: 201 };
  }

  #manifest(request: http.IncomingMessage, key: string, repository: string, body: Buffer): Answer {
    if (request.method === "PUT") {
      const mediaType = String(request.headers["content-type"]);
      const stored = { mediaType, bytes: body };
      const missing = this.#missing(body, repository);
      if (missing !== undefined) return { status: 400, body: errors(`MANIFEST_BLOB_UNKNOWN: ${missing}`) };
      this.manifests.set(key, stored);
      this.manifests.set(`${repository}/${digestOf(body)}`, stored);
      return { status: 201 };
    }
    const found = this.manifests.get(key);
    if (found === undefined) return { status: 404, body: errors("MANIFEST_UNKNOWN") };
    return { status: 200, headers: { "content-type": found.mediaType }, body: found.bytes };
  }

  #missing(bytes: Buffer, repository: string): string | undefined {
    type Reference = { digest: string };
    const {
      config,
      layers = [],
      manifests = [],
    } = JSON.parse(bytes.toString()) as {
      config?: Reference;
      layers?: Reference[];
      manifests?: Reference[];
    };
    const blobs = [...(config === undefined ? [] : [config]), ...layers];
    return (
      blobs.find(({ digest }) => !this.blobs.has(digest)) ??
      manifests.find(({ digest }) => !this.manifests.has(`${repository}/${digest}`))
    )?.digest;
  }
}

const unauthorized = { errors: [{ code: "UNAUTHORIZED", message: "authentication required" }] };

function errors(code: string): object {
  return { errors: [{ code, message: "no" }] };
}
