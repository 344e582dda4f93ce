import type { UndiciWireOptions } from "./undici-wire.ts";
import type { Wire, WireExchange, WireListener, WireRequest } from "./wire.ts";

/** HTTP/1.1; its library is loaded now, since programs that stay in one process never need it. */
export async function loadUndiciWire(options: UndiciWireOptions): Promise<Wire> {
  const { undiciWire } = await import("./undici-wire.ts");
  return undiciWire(options);
}

/** A wire that is made when the first request comes. When that fails, the requests that wait fail, and the next tries again. */
export class LazyWire implements Wire {
  readonly #make: () => Promise<Wire>;
  #wire: Wire | undefined;
  #making: Promise<Wire> | undefined;
  #isDestroyed = false;

  constructor(make: () => Promise<Wire>) {
    this.#make = make;
  }

  send(request: WireRequest, listener: WireListener): WireExchange {
    if (this.#wire !== undefined) return this.#wire.send(request, listener);
    const exchange = new WaitingExchange(listener);
    this.#making ??= this.#makeOnce().finally(() => void (this.#making = undefined));
    this.#making.then(
      (wire) => exchange.start(wire, request),
      (error: unknown) => exchange.abort(error as Error),
    );
    return exchange;
  }

  async retire(): Promise<void> {
    await this.#making?.catch(() => {});
    await this.#wire?.retire();
  }

  async destroy(): Promise<void> {
    this.#isDestroyed = true;
    await this.#wire?.destroy();
  }

  async #makeOnce(): Promise<Wire> {
    const wire = await this.#make();
    if (this.#isDestroyed) {
      await wire.destroy();
      throw new Error("the connections are closed");
    }
    this.#wire = wire;
    return wire;
  }
}

/** A request that waits for its wire. */
class WaitingExchange implements WireExchange {
  readonly #listener: WireListener;
  #exchange: WireExchange | undefined;
  #isAborted = false;

  constructor(listener: WireListener) {
    this.#listener = listener;
  }

  start(wire: Wire, request: WireRequest): void {
    if (!this.#isAborted) this.#exchange = wire.send(request, this.#listener);
  }

  abort(reason: Error): void {
    if (this.#exchange !== undefined) return this.#exchange.abort(reason);
    if (this.#isAborted) return;
    this.#isAborted = true;
    this.#listener.onError(reason);
  }

  pause(): void {
    this.#exchange?.pause();
  }

  resume(): void {
    this.#exchange?.resume();
  }
}
