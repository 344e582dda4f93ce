import type { DeepReadonly, KubeObject } from "@bowline/api";
import type { Connection, Credentials } from "../config/connection.ts";
import { isLoopback, proxyFromEnvironment } from "../config/proxy.ts";
import { ConfigError, ConnectionError } from "../errors.ts";
import { type Clock, sleep } from "../ports/clock.ts";
import type { Random } from "../ports/random.ts";
import { systemClock } from "../ports/system-clock.ts";
import { systemRandom } from "../ports/system-random.ts";
import type {
  ApiRequest,
  ApiResponse,
  ByteStream,
  MessageSocket,
  Transport,
  WatchStream,
} from "../ports/transport.ts";
import { bodyText, isJson, joinHeaders, statusErrorFrom, warningsOf } from "./answer.ts";
import { byteStream } from "./byte-stream.ts";
import { connectionFailure } from "./connection-failure.ts";
import { type ExchangeLimits, type OpenAnswer, type WholeAnswer, collect, open } from "./exchange.ts";
import { readJson, writeBody } from "./json-body.ts";
import { type IdentityWires, identityWires } from "./identity-wires.ts";
import { type SocketAnswer, openMessageSocket } from "./message-socket.ts";
import { type RequestObserver, observation } from "./request-observer.ts";
import { impersonationHeaders, queryText } from "./request-headers.ts";
import { isStaleConnection, retryCountMax, retryDelayMs } from "./retry.ts";
import { httpWatchStream } from "./watch-stream.ts";
import type { Wire, WireHeaders, WireRequest } from "./wire.ts";

export interface HttpTransportOptions {
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
  /** Connections for requests; further requests wait for one. Watches and streams have their own. Default 32. */
  readonly connectionCountMax?: number | undefined;
  /** Longest silence of the server while it owes an answer. Default 65 s: API servers give up after 60. */
  readonly silenceMs?: number | undefined;
  /**
   * Longest silence of a watch that asked for bookmarks, which come every minute. Then it is taken to be dead and fails
   * with ConnectionError. Default 180 s: below the 240 s after which load balancers forget a connection.
   */
  readonly watchSilenceMs?: number | undefined;
  readonly connectTimeoutMs?: number | undefined;
  /** Watches and streams share connections where the server speaks HTTP/2. Default true. */
  readonly http2?: boolean | undefined;
  /** Who asks, for the server's log; the part before `/` becomes the field manager when none is named. Default `bowline/...`. */
  readonly userAgent?: string | undefined;
  /** Hears of every request and connection: for metrics and logs. */
  readonly observer?: RequestObserver | undefined;
}

/** A Transport with what only HTTP has. */
export interface HttpTransport extends Transport {
  readonly connection: Connection;
  openSocket(request: ApiRequest): Promise<MessageSocket>;
}

/**
 * Speaks to an API server over HTTP(S). Requests share a bounded set of connections, every watch and stream has one of its
 * own, so that neither can starve the other. Answers 429 and 5xx that carry Retry-After are waited for and tried again,
 * 401 leads to one renewal of the credentials.
 * @throws ConfigError when the server's address is not a URL
 */
export function createHttpTransport(
  connection: Connection,
  options: HttpTransportOptions = {},
): HttpTransport {
  return new ConnectedTransport(connection, options);
}

const defaults = {
  connectionCountMax: 32,
  silenceMs: 65_000,
  watchSilenceMs: 180_000,
  connectTimeoutMs: 10_000,
  http2: true,
};
const noCredentials: Credentials = {};

/** How one kind of exchange is opened, and what of its answer is read when it is an error. */
interface Opening<A> {
  open(wires: IdentityWires, request: WireRequest): Promise<A>;
  whole(answer: A): Promise<WholeAnswer>;
}

class ConnectedTransport implements HttpTransport {
  readonly connection: Connection;
  readonly #options: typeof defaults & HttpTransportOptions;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #server: URL;
  readonly #prefix: string;
  readonly #proxyUrl: URL | undefined;
  readonly #headers: Record<string, string | readonly string[]>;
  readonly #compression: boolean;
  #wires: IdentityWires | undefined;
  readonly #retired = new Set<IdentityWires>();
  readonly #closing = new AbortController();

  constructor(connection: Connection, options: HttpTransportOptions) {
    this.connection = connection;
    const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
    this.#options = { ...defaults, ...given };
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? systemRandom;
    this.#server = parseUrl(connection.server, `${connection.origin}: server`, ["https:", "http:"]);
    this.#prefix = this.#server.pathname.replace(/\/+$/, "");
    const proxy = connection.proxyUrl ?? proxyFromEnvironment(this.#server, process.env);
    this.#proxyUrl = proxy ? parseUrl(proxy, `${connection.origin}: proxy-url`, proxySchemes) : undefined;
    this.#headers = {
      "user-agent":
        options.userAgent ?? `bowline/node-${process.versions.node} (${process.platform}/${process.arch})`,
      ...impersonationHeaders(connection.impersonate),
    };
    this.#compression =
      connection.compression ?? !isLoopback(this.#server.hostname.replace(/^\[(.*)\]$/, "$1"));
  }

  async request<T>(request: ApiRequest): Promise<ApiResponse<T>> {
    const limits = this.#limits(request, this.#options.silenceMs);
    const answer = await this.#exchange(request, {
      open: (wires, wireRequest) => collect(wires.requests, wireRequest, limits),
      whole: (whole) => Promise.resolve(whole),
    });
    const text = await bodyText(answer).catch((error: unknown) => this.#fail(request, error));
    return {
      status: answer.status,
      headers: joinHeaders(answer.headers),
      body: (isJson(answer.headers) ? this.#parse(request, text) : text) as T,
      warnings: warningsOf(answer.headers),
    };
  }

  async watch<T = DeepReadonly<KubeObject>>(request: ApiRequest): Promise<WatchStream<T>> {
    const answer = await this.#open(request, (wires) => wires.watches);
    const hasBookmarks = request.query?.["allowWatchBookmarks"] === "true";
    const silenceMs = hasBookmarks ? this.#options.watchSilenceMs : undefined;
    return httpWatchStream<T>(answer.body, silenceMs, (error) => this.#failure(request, error));
  }

  async stream(request: ApiRequest): Promise<ByteStream> {
    const answer = await this.#open(request, (wires) => wires.watches);
    return byteStream(answer.body, (error) => this.#failure(request, error));
  }

  async openSocket(request: ApiRequest): Promise<MessageSocket> {
    const closing = this.#closing.signal;
    const signal = request.signal === undefined ? closing : AbortSignal.any([request.signal, closing]);
    const { origin } = this.#server;
    const answer = await this.#exchange<SocketAnswer>(request, {
      open: ({ connect }, wireRequest) => openMessageSocket(wireRequest, { origin, signal, connect }),
      whole: (refused) => Promise.resolve(refused),
    });
    return answer.socket ?? this.#fail(request, new Error("the server did not switch to a WebSocket"));
  }

  async close(): Promise<void> {
    this.#closing.abort(this.#closedError());
    const all = [...this.#retired, ...(this.#wires === undefined ? [] : [this.#wires])];
    await Promise.all(all.map((wires) => wires.destroy()));
  }

  async #open(request: ApiRequest, choose: (wires: IdentityWires) => Wire): Promise<OpenAnswer> {
    const limits = this.#limits(request, this.#options.silenceMs);
    return this.#exchange(request, {
      open: (wires, wireRequest) => open(choose(wires), wireRequest, limits),
      whole: async ({ status, headers, body }) => ({
        status,
        headers,
        body: await body.rest(this.#options.silenceMs),
      }),
    });
  }

  /** Sends a request until there is an answer that stands. @throws like `Transport.request` */
  async #exchange<A extends { status: number; headers: WireHeaders }>(
    request: ApiRequest,
    opening: Opening<A>,
  ): Promise<A> {
    const { signal } = request;
    const body = writeBody(request.body);
    let credentials: Credentials | undefined;
    let isRenewed = false;
    for (let retryCount = 0; ; ) {
      signal?.throwIfAborted();
      credentials ??= (await this.connection.credentials?.current(signal)) ?? noCredentials;
      const answer = await this.#attempt(request, body, credentials, opening);
      if (answer.status >= 200 && answer.status < 300) return answer;
      const whole = await opening.whole(answer).catch((error: unknown) => this.#fail(request, error));
      if (answer.status === 401 && !isRenewed) {
        isRenewed = true;
        credentials = await this.connection.credentials?.renew?.(credentials, signal);
        if (credentials !== undefined) continue;
      }
      const delayMs = retryDelayMs(answer.status, answer.headers, this.#random.next());
      if (delayMs === undefined || retryCount >= retryCountMax) {
        const text = await bodyText(whole).catch((error: unknown) => this.#fail(request, error));
        throw statusErrorFrom(whole.status, whole.headers, text, this.#asked(request));
      }
      retryCount++;
      credentials = undefined;
      const { method, path } = request;
      this.#options.observer?.onWait?.({ method, path, status: answer.status, delayMs });
      await sleep(this.#clock, delayMs, signal);
    }
  }

  /** One request and its answer; a read is repeated once when it met a connection that the server had closed. */
  async #attempt<A extends { status: number }>(
    request: ApiRequest,
    body: string | Uint8Array | undefined,
    credentials: Credentials,
    opening: Opening<A>,
  ): Promise<A> {
    const wireRequest = this.#wireRequest(request, body, credentials);
    for (let isRepeated = false; ; isRepeated = true) {
      const observe = observation(this.#options.observer, this.#clock, request, this.#server.host);
      try {
        const answer = await opening.open(this.#wiresFor(credentials), wireRequest);
        observe(answer.status);
        return answer;
      } catch (error) {
        observe(undefined);
        if (
          request.method === "GET" &&
          !isRepeated &&
          !this.#closing.signal.aborted &&
          isStaleConnection(error)
        )
          continue;
        return this.#fail(request, error);
      }
    }
  }

  #wireRequest(
    request: ApiRequest,
    body: string | Uint8Array | undefined,
    credentials: Credentials,
  ): WireRequest {
    const headers: Record<string, string | readonly string[]> = {
      accept: "application/json",
      ...this.#headers,
    };
    if (credentials.authorization !== undefined) headers["authorization"] = credentials.authorization;
    if (body !== undefined) headers["content-type"] = "application/json";
    if (this.#compression && request.method === "GET" && request.query?.["watch"] === undefined) {
      headers["accept-encoding"] = "gzip";
    }
    Object.assign(headers, request.headers);
    return {
      method: request.method,
      path: this.#prefix + request.path + queryText(request.query),
      headers,
      body,
    };
  }

  /** Connections carry the client certificate, so another certificate needs others; the old ones end with their work. */
  #wiresFor(credentials: Credentials): IdentityWires {
    if (this.#closing.signal.aborted) throw this.#closedError();
    const { certificate } = credentials;
    if (this.#wires !== undefined && sameCertificate(this.#wires.certificate, certificate))
      return this.#wires;
    const old = this.#wires;
    if (old !== undefined) {
      this.#retired.add(old);
      old.retire(() => this.#retired.delete(old));
    }
    const { ca } = this.connection;
    this.#wires = identityWires({
      server: this.#server,
      ca: typeof ca === "function" ? ca : () => Promise.resolve(ca),
      certificate,
      tlsServerName: this.connection.tlsServerName,
      insecureSkipTlsVerify: this.connection.insecureSkipTlsVerify,
      proxyUrl: this.#proxyUrl,
      connectTimeoutMs: this.#options.connectTimeoutMs,
      connectionCountMax: this.#options.connectionCountMax,
      http2: this.#options.http2,
      clock: this.#clock,
      closing: this.#closing.signal,
      onConnect: this.#options.observer?.onConnect,
    });
    return this.#wires;
  }

  #limits(request: ApiRequest, silenceMs: number): ExchangeLimits {
    const { signal } = request;
    const onSilence = (milliseconds: number): Error => {
      const text = `nothing arrived for ${milliseconds / 1000} s; the connection is taken to be dead`;
      return new ConnectionError(
        `${this.#asked(request)}: no answer from ${this.connection.server}: ${text}`,
      );
    };
    return { clock: this.#clock, silenceMs, onSilence, signal };
  }

  #parse(request: ApiRequest, text: string): unknown {
    try {
      return readJson(text);
    } catch (error) {
      const broken = `the answer is not JSON, though it says so: ${text.slice(0, 200)}`;
      throw new ConnectionError(`${this.#asked(request)}: ${this.connection.server}: ${broken}`, {
        cause: error,
      });
    }
  }

  #fail(request: ApiRequest, error: unknown): never {
    throw this.#failure(request, error);
  }

  #failure(request: ApiRequest, error: unknown): unknown {
    if (request.signal?.aborted) return request.signal.reason;
    if (this.#closing.signal.aborted) return this.#closedError();
    return connectionFailure(this.connection.server, this.#asked(request), error);
  }

  #closedError(): ConnectionError {
    return new ConnectionError(`the connections to ${this.connection.server} are closed`);
  }

  #asked(request: ApiRequest): string {
    return `${request.method} ${request.path}`;
  }
}

const proxySchemes = ["http:", "https:", "socks5:", "socks5h:"];

function parseUrl(text: string, what: string, schemes: readonly string[]): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && schemes.includes(url.protocol)) return url;
  const wanted = schemes.map((scheme) => `${scheme}//`).join(" or ");
  throw new ConfigError(`${what}: expected a URL that begins with ${wanted}, found ${JSON.stringify(text)}`);
}

function sameCertificate(a: Credentials["certificate"], b: Credentials["certificate"]): boolean {
  return a === b || (a?.cert === b?.cert && a?.key === b?.key);
}
