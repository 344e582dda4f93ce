import net from "node:net";
import tls from "node:tls";
import type { Clock } from "../ports/clock.ts";
import { opened } from "./opened-socket.ts";
import { openTunnel } from "./proxy-tunnel.ts";

/** Where and how to connect: worked out once per server and identity. */
export interface ConnectorOptions {
  readonly server: URL;
  /** CA certificates, PEM; asked for at each connection, because the file may rotate. Undefined: the system's. */
  readonly ca: () => Promise<string | undefined>;
  readonly certificate?: { readonly cert: string; readonly key: string } | undefined;
  readonly tlsServerName?: string | undefined;
  readonly insecureSkipTlsVerify?: boolean | undefined;
  readonly proxyUrl?: URL | undefined;
  readonly connectTimeoutMs: number;
  readonly clock: Clock;
  /** Aborted when no more connections are wanted: breaks those that are being opened. */
  readonly closing: AbortSignal;
  /** Called for every connection that was opened. */
  onConnect?: (() => void) | undefined;
}

/** Opens connections to one server: TCP, through a proxy where one is set, with TLS for https. */
export interface Connector {
  /** @param alpn the protocols to offer, best first; the socket's `alpnProtocol` tells which was chosen */
  connect(alpn: readonly string[]): Promise<net.Socket>;
}

/** An idle TCP connection is probed after so long, so that the kernel notices a peer that is gone. */
const keepAliveProbeMs = 30_000;

export function createConnector(options: ConnectorOptions): Connector {
  const trust = currentTrust(options);
  return {
    async connect(alpn) {
      const limit = new AbortController();
      const timer = options.clock.setTimer(options.connectTimeoutMs, () => {
        limit.abort(new ConnectTimeout(`no connection after ${options.connectTimeoutMs / 1000} s`));
      });
      try {
        const signal = AbortSignal.any([limit.signal, options.closing]);
        const raw = await openRaw(options, signal);
        const isSecure = options.server.protocol === "https:";
        const socket = isSecure ? await openTls(raw, options, await trust(), alpn, signal) : raw;
        socket.setNoDelay(true);
        options.onConnect?.();
        return socket;
      } finally {
        timer.cancel();
      }
    },
  };
}

class ConnectTimeout extends Error {
  readonly code = "ETIMEDOUT";
}

async function openRaw(options: ConnectorOptions, signal: AbortSignal): Promise<net.Socket> {
  const { server, proxyUrl } = options;
  const port = Number(server.port || (server.protocol === "https:" ? 443 : 80));
  if (proxyUrl !== undefined) return openTunnel(proxyUrl, { host: hostOf(server), port }, signal);
  const socket = net.connect({
    host: hostOf(server),
    port,
    keepAlive: true,
    keepAliveInitialDelay: keepAliveProbeMs,
  });
  return opened(socket, "connect", signal);
}

/** Parsed certificates, and the session that the server may resume with them. */
interface Trust {
  readonly ca: string | undefined;
  readonly context: tls.SecureContext;
  session?: Buffer;
}

/** The certificates, parsed anew when one changes: parsing takes longer than the rest of a connection. */
function currentTrust(options: ConnectorOptions): () => Promise<Trust> {
  let known: Trust | undefined;
  return async () => {
    const ca = await options.ca();
    if (known === undefined || known.ca !== ca) {
      const { cert, key } = options.certificate ?? {};
      const context = tls.createSecureContext({
        ...(ca && { ca }),
        ...(cert && { cert }),
        ...(key && { key }),
      });
      // A session goes with the authority that verified it: what another one would say must be asked.
      known = { ca, context };
    }
    return known;
  };
}

function openTls(
  raw: net.Socket,
  options: ConnectorOptions,
  trust: Trust,
  alpn: readonly string[],
  signal: AbortSignal,
): Promise<net.Socket> {
  const { tlsServerName: name } = options;
  const socket = tls.connect({
    socket: raw,
    secureContext: trust.context,
    host: hostOf(options.server),
    servername: serverName(options),
    rejectUnauthorized: options.insecureSkipTlsVerify !== true,
    ALPNProtocols: [...alpn],
    ...(trust.session && { session: trust.session }),
    ...(name && { checkServerIdentity: (_host, certificate) => tls.checkServerIdentity(name, certificate) }),
  });
  socket.on("session", (session) => void (trust.session = session));
  return opened(socket, "secureConnect", signal);
}

/** The name in the TLS greeting; addresses are never sent. */
function serverName(options: ConnectorOptions): string {
  const name = options.tlsServerName ?? hostOf(options.server);
  return net.isIP(name) === 0 ? name : "";
}

function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, "$1");
}
