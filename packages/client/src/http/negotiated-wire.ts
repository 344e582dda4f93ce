import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import type { Clock } from "../ports/clock.ts";
import type { Connector } from "./connector.ts";
import { http2Wire } from "./http2-wire.ts";
import { LazyWire, loadUndiciWire } from "./lazy-wire.ts";
import type { Wire } from "./wire.ts";

/**
 * HTTP/2 where the server agrees to it, HTTP/1.1 otherwise: the first connection decides. For watches and streams, of
 * which dozens stay open: on HTTP/2 they share a connection, and a dead one is noticed by pings.
 *
 * Requests that end soon do not go this way: from Node they are as fast on a bounded set of HTTP/1.1 connections (2,000
 * reads at once, server on the same two cores: 0.20 s against 0.25 s), and a long list there never holds up the others.
 */
export function negotiatedWire(connector: Connector, origin: string, clock: Clock): Wire {
  return new LazyWire(async () => {
    let first: Socket | undefined = await connector.connect(["h2", "http/1.1"]);
    const isHttp2 = (first as Partial<TLSSocket>).alpnProtocol === "h2";
    const protocols = isHttp2 ? ["h2"] : ["http/1.1"];
    const connect = (): Promise<Socket> => {
      const socket = first;
      first = undefined;
      return socket === undefined ? connector.connect(protocols) : Promise.resolve(socket);
    };
    return isHttp2 ? http2Wire({ origin, clock, connect }) : loadUndiciWire({ origin, connect });
  });
}
