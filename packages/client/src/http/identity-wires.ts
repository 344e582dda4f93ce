import type { Socket } from "node:net";
import type { Credentials } from "../config/connection.ts";
import { type ConnectorOptions, createConnector } from "./connector.ts";
import { LazyWire, loadUndiciWire } from "./lazy-wire.ts";
import { negotiatedWire } from "./negotiated-wire.ts";
import type { Wire } from "./wire.ts";

export interface IdentityWiresOptions extends ConnectorOptions {
  readonly connectionCountMax: number;
  /** Watches and streams share connections where the server speaks HTTP/2. */
  readonly http2: boolean;
}

/** All connections to one server with one client certificate. */
export interface IdentityWires {
  readonly certificate: Credentials["certificate"];
  /** For requests that end soon: bounded. */
  readonly requests: Wire;
  /** For watches and streams, which hold their connection for long: not bounded. */
  readonly watches: Wire;
  /** Opens a connection of its own for a WebSocket. */
  readonly connect: () => Promise<Socket>;
  /** Takes no more requests; calls `onEnd` when those under way have ended and everything is closed. */
  retire(onEnd: () => void): void;
  destroy(): Promise<void>;
}

export function identityWires(options: IdentityWiresOptions): IdentityWires {
  const connector = createConnector(options);
  const { origin } = options.server;
  const connect = (): Promise<Socket> => connector.connect(["http/1.1"]);
  const { connectionCountMax } = options;
  const requests = new LazyWire(() => loadUndiciWire({ origin, connect, connectionCountMax }));
  const watches = options.http2
    ? negotiatedWire(connector, origin, options.clock)
    : new LazyWire(() => loadUndiciWire({ origin, connect }));
  return {
    certificate: options.certificate,
    requests,
    watches,
    connect,
    retire(onEnd) {
      void Promise.all([requests.retire(), watches.retire()]).then(onEnd);
    },
    async destroy() {
      await Promise.all([requests.destroy(), watches.destroy()]);
    },
  };
}
