/**
 * Calls a webhook over HTTPS, as the API server does: POST of a review, answer of a review.
 * Source: k8s.io/apiserver pkg/util/webhook (client.go), client-go rest (request.go).
 */
import https from "node:https";
import { isIP } from "node:net";
import type { IncomingMessage } from "node:http";
import type { Clock } from "@bowline/client";
import { transportErrorText, unexpectedAnswerText } from "./transport-error-text.ts";

/** Source: admissionregistration.k8s.io/v1 WebhookClientConfig; a CRD's is the same. */
export interface WebhookClientConfig {
  readonly url?: string;
  readonly service?: {
    readonly namespace: string;
    readonly name: string;
    readonly port?: number;
    readonly path?: string;
  };
  /** PEM in base64. */
  readonly caBundle?: string;
}

/** A service that a webhook configuration names. */
export interface ServiceReference {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

/** Where a service is reached in development. */
export interface ServiceTarget {
  /** `https://127.0.0.1:9443`; its path is not used. */
  readonly url: string;
  /** The name that the server's certificate must be good for. Default `NAME.NAMESPACE.svc`, as on a real cluster. */
  readonly serverName?: string;
}

/** What is behind a service in this process: it is asked without a connection, which virtual time would not wait for. */
export interface ServiceHandler {
  answer(request: {
    /** Without the query. */
    readonly path: string;
    readonly method: string;
    readonly contentType: string;
    readonly body: string;
    readonly signal: AbortSignal;
  }): Promise<{ readonly status: number; readonly body: string }>;
}

/**
 * Finds the server behind a service. Undefined: it knows nothing of it, which is then as without a resolver. Throws an error with
 * the reason when there is none.
 */
export type ServiceResolver = (service: ServiceReference) => ServiceTarget | ServiceHandler | undefined;

/** The webhook could not be asked, or did not answer as it should. The message is the API server's. */
export class WebhookCallError extends Error {
  override readonly name: string = "WebhookCallError";
}

/** Largest answer that is read, bytes. Source: client-go rest (a response of a webhook is limited like a request body). */
const answerBytesMax = 3 * 1024 * 1024;

/** One webhook's server. Connections are kept for the next call. */
export class WebhookClient {
  readonly #config: WebhookClientConfig;
  readonly #clock: Clock;
  readonly #resolve: ServiceResolver;
  readonly #agent: https.Agent;

  constructor(
    config: WebhookClientConfig,
    ports: { readonly clock: Clock; readonly resolveService: ServiceResolver },
  ) {
    this.#config = config;
    this.#clock = ports.clock;
    this.#resolve = ports.resolveService;
    const bundle = Buffer.from(config.caBundle ?? "", "base64").toString();
    this.#agent = new https.Agent({ keepAlive: true, ...(bundle.trim() === "" ? {} : { ca: bundle }) });
  }

  /** @throws WebhookCallError */
  async post(review: object, timeoutSeconds: number | undefined): Promise<unknown> {
    const address = this.#address(timeoutSeconds);
    const gone = new AbortController();
    const timer =
      timeoutSeconds === undefined
        ? undefined
        : this.#clock.setTimer(timeoutSeconds * 1000, () =>
            gone.abort(new Error("context deadline exceeded")),
          );
    try {
      return await this.#exchange(address, Buffer.from(JSON.stringify(review)), gone.signal);
    } catch (error) {
      if (error instanceof WebhookCallError) throw error;
      const reason = gone.signal.aborted ? (gone.signal.reason as Error) : error;
      const text = transportErrorText(reason);
      throw new WebhookCallError(`Post ${JSON.stringify(address.shown)}: ${text}`, { cause: error });
    } finally {
      timer?.cancel();
    }
  }

  /** Cuts its connections. */
  close(): void {
    this.#agent.destroy();
  }

  #address(timeoutSeconds: number | undefined): Address {
    const { service, url: text } = this.#config;
    const query = timeoutSeconds === undefined ? "" : `timeout=${timeoutSeconds}s`;
    const pathOf = ({ pathname, search }: URL): string => {
      const all = [search.slice(1), query].filter((part) => part !== "").join("&");
      return all === "" ? pathname : `${pathname}?${all}`;
    };
    if (service === undefined) {
      if (text === undefined)
        throw new WebhookCallError("webhook configuration must have either service or URL");
      const url = new URL(text);
      const path = pathOf(url);
      const target = (): Target => ({ url, serverName: url.hostname });
      return { shown: `${url.origin}${path}`, host: url.host, path, target };
    }
    const { namespace, name, port = 443 } = service;
    const serverName = `${name}.${namespace}.svc`;
    const host = `${serverName}:${port}`;
    const path = pathOf(new URL(service.path ?? "/", `https://${host}`));
    const target = (): Target | ServiceHandler => {
      const found = this.#resolve({ namespace, name, port });
      if (found === undefined) throw new Error(`service ${JSON.stringify(name)} not found`);
      if ("answer" in found) return found;
      return { url: new URL(found.url), serverName: found.serverName ?? serverName };
    };
    return { shown: `https://${host}${path}`, host, path, target };
  }

  async #exchange(address: Address, body: Buffer, signal: AbortSignal): Promise<unknown> {
    for (let attempt = 1; ; attempt++) {
      const state = { reused: false };
      try {
        const { status, text } = await this.#send(address, { body, signal, state });
        if (status < 200 || status > 299) throw new WebhookCallError(unexpectedAnswerText(status, text));
        return parse(text);
      } catch (error) {
        // a kept connection that the server closed meanwhile says nothing about the server
        const stale = state.reused && (error as NodeJS.ErrnoException).code === "ECONNRESET";
        if (!stale || attempt > 1) throw error;
      }
    }
  }

  async #send(address: Address, sent: Sent): Promise<Answer> {
    const target = address.target();
    if (!("answer" in target)) return this.#sendTo(target, address, sent);
    const answered = target.answer({
      path: address.path.split("?")[0] ?? "",
      method: "POST",
      contentType: "application/json",
      body: sent.body.toString(),
      signal: sent.signal,
    });
    const { status, body } = await Promise.race([answered, abortion(sent.signal)]);
    return { status, text: body };
  }

  #sendTo(
    { url, serverName }: Target,
    { host, path }: Address,
    { body, signal, state }: Sent,
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const request = https.request({
        agent: this.#agent,
        host: bare(url.hostname),
        port: url.port === "" ? 443 : url.port,
        method: "POST",
        path,
        // an address has no server name: its certificate is checked for the address itself
        servername: isIP(bare(serverName)) === 0 ? serverName : "",
        headers: {
          accept: "application/json, */*",
          "content-type": "application/json",
          "content-length": body.length,
          host,
          "user-agent": "kube-apiserver-admission",
        },
        signal,
      });
      request.on("error", (error) => {
        state.reused = request.reusedSocket;
        reject(error);
      });
      request.on("response", (response: IncomingMessage) => {
        readAll(response).then((text) => resolve({ status: response.statusCode ?? 0, text }), reject);
      });
      request.end(body);
    });
  }
}

interface Sent {
  readonly body: Buffer;
  readonly signal: AbortSignal;
  /** Whether the connection was one that was kept. */
  readonly state: { reused: boolean };
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

interface Target {
  readonly url: URL;
  /** Whose certificate is expected. */
  readonly serverName: string;
}

/** One call's address. */
interface Address {
  /** The URL as messages show it. */
  readonly shown: string;
  readonly host: string;
  readonly path: string;
  /** Where it really leads. @throws what the resolver says of a service that is nowhere */
  target(): Target | ServiceHandler;
}

/** Rejects when the signal is aborted. */
function abortion(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });
}

function bare(host: string): string {
  return host.replace(/^\[|\]$/g, "");
}

async function readAll(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > answerBytesMax) throw new Error("http: response body too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const shown = text.trim() === "" ? "unexpected end of JSON input" : goJsonError(text);
    throw new WebhookCallError(`couldn't get version/kind; json parse error: ${shown}`);
  }
}

function goJsonError(text: string): string {
  const first = [...text.trimStart()][0] ?? "";
  return /[[{"\d\-tfn]/.test(first)
    ? "unexpected end of JSON input"
    : `invalid character '${first}' looking for beginning of value`;
}
