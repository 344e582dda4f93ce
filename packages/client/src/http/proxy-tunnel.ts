import net from "node:net";
import tls from "node:tls";
import { opened } from "./opened-socket.ts";

/** Longest answer to CONNECT that is read before giving up. */
const answerBytesMax = 16_384;

/**
 * A connection to `target` through an HTTP proxy (CONNECT) or a SOCKS5 proxy. User and password of the proxy's URL are
 * sent to it. @throws Error that names the proxy and what it answered
 */
export async function openTunnel(
  proxy: URL,
  target: { readonly host: string; readonly port: number },
  signal: AbortSignal,
): Promise<net.Socket> {
  try {
    const socket = await connectToProxy(proxy, signal);
    const open = proxy.protocol.startsWith("socks5") ? socksConnect : httpConnect;
    return await whileOpen(socket, signal, () => open(socket, proxy, target));
  } catch (error) {
    if (signal.aborted) throw error;
    throw new Error(`proxy ${proxy.protocol}//${proxy.host}: ${(error as Error).message}`, { cause: error });
  }
}

async function connectToProxy(proxy: URL, signal: AbortSignal): Promise<net.Socket> {
  const host = proxy.hostname.replace(/^\[(.*)\]$/, "$1");
  const defaultPort = { "https:": 443, "http:": 80 }[proxy.protocol] ?? 1080;
  const port = Number(proxy.port || defaultPort);
  const raw = await opened(net.connect({ host, port, keepAlive: true }), "connect", signal);
  if (proxy.protocol !== "https:") return raw;
  const servername = net.isIP(host) === 0 ? host : "";
  return opened(tls.connect({ socket: raw, host, servername }), "secureConnect", signal);
}

/** Runs a greeting on the socket; destroys the socket when it fails or the signal is aborted. */
async function whileOpen<T>(socket: net.Socket, signal: AbortSignal, greeting: () => Promise<T>): Promise<T> {
  const onAbort = (): void => void socket.destroy(signal.reason as Error);
  signal.addEventListener("abort", onAbort);
  try {
    return await greeting();
  } catch (error) {
    socket.destroy();
    throw signal.aborted ? signal.reason : error;
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

async function httpConnect(
  socket: net.Socket,
  proxy: URL,
  target: { readonly host: string; readonly port: number },
): Promise<net.Socket> {
  const host = net.isIPv6(target.host) ? `[${target.host}]` : target.host;
  const authority = `${host}:${target.port}`;
  const login = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  const authorization =
    proxy.username === "" ? "" : `Proxy-Authorization: Basic ${Buffer.from(login).toString("base64")}\r\n`;
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${authorization}\r\n`);
  const head = await readUntil(socket, (bytes) => {
    const end = bytes.indexOf("\r\n\r\n");
    return end < 0 ? undefined : end + 4;
  });
  const statusLine = head.toString("latin1").split("\r\n", 1)[0] ?? "";
  if (!/^HTTP\/1\.[01] 2\d\d/.test(statusLine)) {
    throw new Error(`it refused to connect to ${authority}: ${statusLine.slice(0, 200)}`);
  }
  return socket;
}

/** Source: RFC 1928 and, for user and password, RFC 1929. The proxy resolves the host name. */
async function socksConnect(
  socket: net.Socket,
  proxy: URL,
  target: { readonly host: string; readonly port: number },
): Promise<net.Socket> {
  const withLogin = proxy.username !== "";
  socket.write(Buffer.from(withLogin ? [5, 2, 0, 2] : [5, 1, 0]));
  const method = await readUntil(socket, (bytes) => (bytes.length >= 2 ? 2 : undefined));
  if (method[1] === 2 && withLogin) {
    const user = Buffer.from(decodeURIComponent(proxy.username));
    const password = Buffer.from(decodeURIComponent(proxy.password));
    socket.write(
      Buffer.concat([Buffer.from([1, user.length]), user, Buffer.from([password.length]), password]),
    );
    const verdict = await readUntil(socket, (bytes) => (bytes.length >= 2 ? 2 : undefined));
    if (verdict[1] !== 0) throw new Error("it refused the user and password");
  } else if (method[1] !== 0) {
    throw new Error("it wants a login that the proxy URL does not hold");
  }
  const host = Buffer.from(target.host);
  const port = Buffer.from([target.port >> 8, target.port & 0xff]);
  socket.write(Buffer.concat([Buffer.from([5, 1, 0, 3, host.length]), host, port]));
  const answer = await readUntil(socket, socksAnswerLength);
  if (answer[1] !== 0)
    throw new Error(`it refused to connect to ${target.host}:${target.port} (SOCKS code ${answer[1]})`);
  return socket;
}

function socksAnswerLength(bytes: Buffer): number | undefined {
  if (bytes.length < 5) return undefined;
  const addressLength = { 1: 4, 4: 16 }[bytes[3] ?? 0] ?? 1 + (bytes[4] ?? 0);
  const length = 4 + addressLength + 2;
  return bytes.length >= length ? length : undefined;
}

/** Reads exactly as many bytes as `complete` says; what follows stays in the socket. */
function readUntil(socket: net.Socket, complete: (bytes: Buffer) => number | undefined): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let bytes = Buffer.alloc(0);
    const settle = (): void => {
      socket.off("readable", onReadable).off("error", onError).off("end", onEnd).off("close", onEnd);
    };
    const onReadable = (): void => {
      for (
        let chunk = socket.read() as Buffer | null;
        chunk !== null;
        chunk = socket.read() as Buffer | null
      ) {
        bytes = Buffer.concat([bytes, chunk]);
        const length = complete(bytes);
        if (length !== undefined) {
          settle();
          if (bytes.length > length) socket.unshift(bytes.subarray(length));
          return resolve(bytes.subarray(0, length));
        }
        if (bytes.length > answerBytesMax) return onError(new Error("its answer does not end"));
      }
    };
    const onError = (error: Error): void => {
      settle();
      reject(error);
    };
    const onEnd = (): void => onError(new Error("it closed the connection"));
    socket.on("readable", onReadable).on("error", onError).on("end", onEnd).on("close", onEnd);
    onReadable();
  });
}
