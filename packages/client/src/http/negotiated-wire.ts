import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import type { Clock } from "../ports/clock.ts";
import type { Connector } from "./connector.ts";
import { http2Wire } from "./http2-wire.ts";
import { undiciWire } from "./undici-wire.ts";
import type { Wire, WireExchange, WireListener, WireRequest } from "./wire.ts";

/**
 * HTTP/2 where the server agrees to it, HTTP/1.1 otherwise: the first connection decides. For watches and streams, of
 * which dozens stay open: on HTTP/2 they share a connection, and a dead one is noticed by pings.
 *
 * Requests that end soon do not go this way: from Node they are as fast on a bounded set of HTTP/1.1 connections (2,000
 * reads at once, server on the same two cores: 0.20 s against 0.25 s), and a long list there never holds up the others.
 */
export function negotiatedWire(connector: Connector, origin: string, clock: Clock): Wire {
  return new NegotiatedWire(connector, origin, clock);
}

class NegotiatedWire implements Wire {
  readonly #connector: Connector;
  readonly #origin: string;
  readonly #clock: Clock;
  #wire: Wire | undefined;
  #deciding: Promise<Wire> | undefined;
  #isDestroyed = false;

  constructor(connector: Connector, origin: string, clock: Clock) {
    this.#connector = connector;
    this.#origin = origin;
    this.#clock = clock;
  }

  send(request: WireRequest, listener: WireListener): WireExchange {
    if (this.#wire !== undefined) return this.#wire.send(request, listener);
    const exchange = new WaitingExchange(listener);
    this.#deciding ??= this.#decide().finally(() => void (this.#deciding = undefined));
    this.#deciding.then(
      (wire) => exchange.start(wire, request),
      (error: unknown) => exchange.abort(error as Error),
    );
    return exchange;
  }

  async retire(): Promise<void> {
    await this.#deciding?.catch(() => {});
    await this.#wire?.retire();
  }

  async destroy(): Promise<void> {
    this.#isDestroyed = true;
    await this.#wire?.destroy();
  }

  async #decide(): Promise<Wire> {
    let first: Socket | undefined = await this.#connector.connect(["h2", "http/1.1"]);
    if (this.#isDestroyed) {
      first.destroy();
      throw new Error("the connections are closed");
    }
    const isHttp2 = (first as Partial<TLSSocket>).alpnProtocol === "h2";
    const protocols = isHttp2 ? ["h2"] : ["http/1.1"];
    const connect = (): Promise<Socket> => {
      const socket = first;
      first = undefined;
      return socket === undefined ? this.#connector.connect(protocols) : Promise.resolve(socket);
    };
    const options = { origin: this.#origin, clock: this.#clock, connect };
    this.#wire = isHttp2 ? http2Wire(options) : undiciWire(options);
    return this.#wire;
  }
}

/** A request that waits for the decision. */
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
