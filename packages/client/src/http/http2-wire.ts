import type { ClientHttp2Session, ClientHttp2Stream, IncomingHttpHeaders } from "node:http2";
import type { Socket } from "node:net";
import type { Clock, Timer } from "../ports/clock.ts";
import type { Wire, WireExchange, WireListener, WireRequest } from "./wire.ts";

export interface Http2WireOptions {
  /** `https://host:port`. */
  readonly origin: string;
  readonly clock: Clock;
  /** Opens a connection on which HTTP/2 was agreed. */
  connect(): Promise<Socket>;
}

/** A server that allows more streams on one connection still gets no more: one slow connection holds up all its streams. */
const streamCountMax = 100;

/** A connection with streams is asked for a sign of life so often, and given so long. Source: client-go's http2 health check. */
const pingIntervalMs = 30_000;
const pingTimeoutMs = 15_000;

/** Room for what may arrive unread, of a stream and of a connection: the protocol's 64 KiB would slow large streams down. */
const streamWindowBytes = 1 << 20;
const connectionWindowBytes = 8 << 20;

/**
 * HTTP/2: many streams on few connections. A connection that the server is closing takes no new streams but ends those it
 * has; one that gives no sign of life is broken, and all its streams with it.
 */
export function http2Wire(options: Http2WireOptions): Wire {
  return new Http2Wire(options);
}

class Http2Wire implements Wire {
  readonly #options: Http2WireOptions;
  readonly #connections = new Set<Http2Connection>();
  #opening: Promise<Http2Connection> | undefined;
  #onRetired: (() => void) | undefined;

  constructor(options: Http2WireOptions) {
    this.#options = options;
  }

  send(request: WireRequest, listener: WireListener): WireExchange {
    const exchange = new Http2Exchange(listener);
    this.#start(request, exchange).catch((error: unknown) => exchange.fail(error as Error));
    return exchange;
  }

  retire(): Promise<void> {
    return new Promise((resolve) => {
      this.#onRetired = resolve;
      for (const connection of this.#connections) connection.drain();
      if (this.#connections.size === 0) resolve();
    });
  }

  destroy(): Promise<void> {
    for (const connection of this.#connections) connection.destroy(new Error("the connections are closed"));
    return Promise.resolve();
  }

  async #start(request: WireRequest, exchange: Http2Exchange): Promise<void> {
    while (!exchange.isEnded) {
      const free = [...this.#connections].find((connection) => connection.hasRoom);
      if (free !== undefined) return free.start(request, exchange);
      this.#opening ??= this.#open().finally(() => void (this.#opening = undefined));
      await this.#opening;
    }
  }

  async #open(): Promise<Http2Connection> {
    const [{ connect }, socket] = await Promise.all([import("node:http2"), this.#options.connect()]);
    const session = connect(this.#options.origin, {
      createConnection: () => socket,
      settings: { enablePush: false, initialWindowSize: streamWindowBytes },
    });
    const connection = new Http2Connection(session, this.#options.clock);
    this.#connections.add(connection);
    session.on("close", () => {
      this.#connections.delete(connection);
      if (this.#connections.size === 0) this.#onRetired?.();
    });
    await connection.ready;
    return connection;
  }
}

class BrokenOff extends Error {
  readonly code = "ERR_HTTP2_BROKEN_OFF";
}

class Http2Connection {
  readonly #session: ClientHttp2Session;
  readonly #clock: Clock;
  readonly ready: Promise<void>;
  #streamCount = 0;
  #isDraining = false;
  #timer: Timer | undefined;

  constructor(session: ClientHttp2Session, clock: Clock) {
    this.#session = session;
    this.#clock = clock;
    session.on("error", () => {});
    session.on("goaway", () => this.drain());
    session.on("close", () => this.#timer?.cancel());
    session.once("connect", () => session.setLocalWindowSize(connectionWindowBytes));
    // How many streams the server allows is known only with its settings.
    this.ready = new Promise((resolve, reject) => {
      session.once("remoteSettings", () => resolve()).once("error", reject);
      session.once("close", () => reject(new BrokenOff("the server closed the connection")));
    });
  }

  get hasRoom(): boolean {
    const allowed = this.#session.remoteSettings?.maxConcurrentStreams ?? streamCountMax;
    const isOpen = !this.#isDraining && !this.#session.closed && !this.#session.destroyed;
    return isOpen && this.#streamCount < Math.max(1, Math.min(allowed, streamCountMax));
  }

  start(request: WireRequest, exchange: Http2Exchange): void {
    const { method, path, headers, body } = request;
    const hasBody = body !== undefined;
    const stream = this.#session.request(
      { ...(headers as IncomingHttpHeaders), ":method": method, ":path": path },
      { endStream: !hasBody },
    );
    if (hasBody) stream.end(body);
    if (++this.#streamCount === 1) {
      this.#session.ref();
      this.#schedulePing();
    }
    stream.once("close", () => {
      if (--this.#streamCount > 0) return;
      // Without work the connection keeps no process alive.
      this.#session.unref();
      this.#timer?.cancel();
      if (this.#isDraining) this.#session.close();
    });
    exchange.attach(stream);
  }

  /** No new streams; closes after the last one. */
  drain(): void {
    this.#isDraining = true;
    if (this.#streamCount === 0 && !this.#session.closed) this.#session.close();
  }

  destroy(error: Error): void {
    this.#isDraining = true;
    this.#session.destroy(error);
  }

  #schedulePing(): void {
    this.#timer?.cancel();
    this.#timer = this.#clock.setTimer(pingIntervalMs, () => {
      this.#timer = this.#clock.setTimer(pingTimeoutMs, () => {
        this.destroy(new BrokenOff(`the connection gave no sign of life for ${pingTimeoutMs / 1000} s`));
      });
      if (!this.#session.destroyed) this.#session.ping(() => this.#streamCount > 0 && this.#schedulePing());
    });
  }
}

class Http2Exchange implements WireExchange {
  readonly #listener: WireListener;
  #stream: ClientHttp2Stream | undefined;
  #error: Error | undefined;
  isEnded = false;

  constructor(listener: WireListener) {
    this.#listener = listener;
  }

  attach(stream: ClientHttp2Stream): void {
    this.#stream = stream;
    this.#listener.onStart();
    stream.on("response", ({ ":status": status = 0, ...headers }) => {
      if (!this.isEnded) this.#listener.onHeaders(status, headers);
    });
    stream.on("data", (chunk: Buffer) => {
      if (!this.isEnded) this.#listener.onData(chunk);
    });
    stream.on("error", (error) => void (this.#error ??= error));
    // Not `end`: a stream that the server resets ends as well, and only its close tells the two apart.
    stream.on("close", () => {
      const { rstCode } = stream;
      if (this.#error === undefined && rstCode === 0 && !stream.aborted) this.#finish();
      else this.fail(this.#error ?? new BrokenOff(`the server broke off the stream (code ${rstCode})`));
    });
  }

  abort(reason: Error): void {
    this.fail(reason);
    this.#stream?.destroy();
  }

  pause(): void {
    this.#stream?.pause();
  }

  resume(): void {
    this.#stream?.resume();
  }

  fail(error: Error): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.#listener.onError(error);
  }

  #finish(): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.#listener.onEnd();
  }
}
