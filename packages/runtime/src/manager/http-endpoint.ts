import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Server as SecureServer } from "node:https";
import type { AddressInfo } from "node:net";

/** An answer of an endpoint. */
export interface EndpointAnswer {
  readonly status: number;
  readonly contentType?: string;
  readonly body: string;
}

/** One GET. */
export interface EndpointRequest {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly authorization: string | undefined;
}

/** Answers a GET; undefined is 404. */
export type EndpointHandler = (request: EndpointRequest) => Promise<EndpointAnswer | undefined>;

/** A certificate and its key, PEM. */
export interface EndpointCertificate {
  readonly certificatePem: string;
  readonly keyPem: string;
}

/** A small HTTP server for health, metrics and debugging. `node:http` is loaded when it starts. */
export class HttpEndpoint {
  readonly #address: { readonly host: string | undefined; readonly port: number };
  readonly #handler: EndpointHandler;
  #certificate: EndpointCertificate | undefined;
  #server: Server | SecureServer | undefined;

  /** @param address `:8081`, `127.0.0.1:0` @param certificate with one, it speaks HTTPS */
  constructor(address: string, handler: EndpointHandler, certificate?: EndpointCertificate) {
    this.#certificate = certificate;
    this.#address = parseAddress(address);
    this.#handler = handler;
  }

  /** The port it listens on. */
  get port(): number {
    return (this.#server?.address() as AddressInfo | null)?.port ?? this.#address.port;
  }

  /** @throws Error when the port is in use */
  async start(): Promise<void> {
    const respond = (request: IncomingMessage, response: ServerResponse): void => {
      void this.#answer(request).then(({ status, contentType, body }) => {
        response.writeHead(status, {
          "content-type": contentType ?? "text/plain; charset=utf-8",
          "x-content-type-options": "nosniff",
        });
        response.end(body);
      });
    };
    const server = await createServer(respond, this.#certificate);
    this.#server = server;
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(this.#address.port, this.#address.host, () => {
        server.off("error", reject);
        resolve();
      });
    });
  }

  /** Serves new connections with another certificate. Only for an endpoint that was made with one. */
  useCertificate(certificate: EndpointCertificate): void {
    this.#certificate = certificate;
    const server = this.#server;
    if (server !== undefined && "setSecureContext" in server) {
      server.setSecureContext({ cert: certificate.certificatePem, key: certificate.keyPem });
    }
  }

  async stop(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  }

  async #answer(request: IncomingMessage): Promise<EndpointAnswer> {
    try {
      const { pathname: path, searchParams: query } = new URL(request.url ?? "/", "http://localhost");
      const answer = await this.#handler({ path, query, authorization: request.headers.authorization });
      return answer ?? { status: 404, body: "404 page not found\n" };
    } catch {
      return { status: 500, body: "internal server error\n" };
    }
  }
}

async function createServer(
  respond: (request: IncomingMessage, response: ServerResponse) => void,
  certificate: EndpointCertificate | undefined,
): Promise<Server | SecureServer> {
  if (certificate === undefined) return (await import("node:http")).createServer(respond);
  const { createServer: createSecure } = await import("node:https");
  return createSecure(
    { cert: certificate.certificatePem, key: certificate.keyPem, minVersion: "TLSv1.2" },
    respond,
  );
}

/** @throws Error when it is not `host:port` or `:port` */
export function parseAddress(address: string): { readonly host: string | undefined; readonly port: number } {
  const colon = address.lastIndexOf(":");
  const port = Number(address.slice(colon + 1));
  if (colon < 0 || !Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new Error(`address ${JSON.stringify(address)}: expected host:port or :port, such as ":8081"`);
  }
  const host = address.slice(0, colon).replace(/^\[|\]$/g, "");
  return { host: host === "" ? undefined : host, port };
}

/** Whether an address switches an endpoint off: `0`, empty, or none. */
export function isOff(address: string | false | undefined): address is undefined | false | "" | "0" {
  return address === undefined || address === false || address === "" || address === "0";
}
