import type { Socket } from "node:net";
import type { Dispatcher } from "undici";
import Pool from "undici/lib/dispatcher/pool.js";
import type { Wire, WireExchange, WireListener, WireRequest } from "./wire.ts";

/** An idle connection is kept so long: below the 60 s after which common load balancers drop it. */
const keepIdleMs = 30_000;

export interface UndiciWireOptions {
  /** `https://host:port`. */
  readonly origin: string;
  /** At most so many connections; further requests wait. Absent: no limit. */
  readonly connectionCountMax?: number | undefined;
  /** Opens a connection that is ready for HTTP. */
  connect(): Promise<Socket>;
}

/** HTTP/1.1, one request at a time on each connection. All time limits are the caller's. */
export function undiciWire(options: UndiciWireOptions): Wire {
  const pool = new Pool(options.origin, {
    connections: options.connectionCountMax ?? null,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: keepIdleMs,
    connect: (_options, callback) => void hand(options.connect(), callback),
  });
  return {
    send: (request, listener) => new UndiciExchange(pool, request, listener),
    retire: () => pool.close(),
    destroy: () => pool.destroy(),
  };
}

async function hand(
  connecting: Promise<Socket>,
  callback: (...result: [null, Socket] | [Error, null]) => void,
): Promise<void> {
  let result: [null, Socket] | [Error, null];
  try {
    result = [null, await connecting];
  } catch (error) {
    result = [error as Error, null];
  }
  callback(...result);
}

class UndiciExchange implements WireExchange, Dispatcher.DispatchHandler {
  readonly #listener: WireListener;
  #controller: Dispatcher.DispatchController | undefined;
  #aborted: Error | undefined;
  #ended = false;

  constructor(pool: Dispatcher, request: WireRequest, listener: WireListener) {
    this.#listener = listener;
    const headers = request.headers as Record<string, string | string[]>;
    const { method, path, body = null } = request;
    pool.dispatch({ method: method as Dispatcher.HttpMethod, path, headers, body }, this);
  }

  abort(reason: Error): void {
    if (this.#ended) return;
    this.#aborted = reason;
    if (this.#controller !== undefined) return this.#controller.abort(reason);
    // Still waiting for a connection: nothing was sent, and nothing will be.
    this.#ended = true;
    this.#listener.onError(reason);
  }

  pause(): void {
    this.#controller?.pause();
  }

  resume(): void {
    this.#controller?.resume();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#aborted !== undefined) controller.abort(this.#aborted);
    else this.#listener.onStart();
  }

  onResponseStart(_controller: unknown, status: number, headers: Record<string, string | string[]>): void {
    if (!this.#ended && status >= 200) this.#listener.onHeaders(status, headers);
  }

  onResponseData(_controller: unknown, chunk: Buffer): void {
    if (!this.#ended) this.#listener.onData(chunk);
  }

  onResponseEnd(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#listener.onEnd();
  }

  onResponseError(_controller: unknown, error: Error): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#listener.onError(this.#aborted ?? error);
  }
}
