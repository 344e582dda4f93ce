import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { WebSocket } from "ws";
import { ConnectionError } from "../errors.ts";
import type { MessageSocket } from "../ports/transport.ts";
import type { WireHeaders, WireRequest } from "./wire.ts";

/** What came of asking for a WebSocket: the socket (status 200), or the answer that refused it. */
export interface SocketAnswer {
  readonly status: number;
  readonly headers: WireHeaders;
  readonly body: Buffer;
  readonly socket?: MessageSocket;
}

export interface SocketOptions {
  /** `https://host:port`. */
  readonly origin: string;
  readonly signal: AbortSignal | undefined;
  readonly connect: () => Promise<Socket>;
}

/** Messages that were not taken yet stop the reading from the connection at this size. */
const bufferedBytesMax = 1 << 20;

/** Asks for a WebSocket over a connection of its own. `ws` is loaded here: most programs never need it. */
export async function openMessageSocket(request: WireRequest, options: SocketOptions): Promise<SocketAnswer> {
  const [{ WebSocket }, connection] = await Promise.all([import("ws"), options.connect()]);
  const { "sec-websocket-protocol": offered = [], accept: _accept, ...headers } = request.headers;
  const url = `${options.origin.replace(/^http/, "ws")}${request.path}`;
  const webSocket = new WebSocket(url, offered as string | string[], {
    headers: headers as Record<string, string>,
    createConnection: () => connection,
    perMessageDeflate: false,
  });
  return new Promise((resolve, reject) => {
    const { signal } = options;
    const onAbort = (): void => webSocket.terminate();
    const settle = (): void => signal?.removeEventListener("abort", onAbort);
    signal?.addEventListener("abort", onAbort);
    webSocket.once("open", () => {
      settle();
      webSocket.removeAllListeners();
      const socket = new WsMessageSocket(webSocket, signal);
      resolve({ status: 200, headers: {}, body: Buffer.alloc(0), socket });
    });
    webSocket.once("error", (error) => {
      settle();
      reject(signal?.aborted ? signal.reason : error);
    });
    webSocket.once("unexpected-response", (_request, response: IncomingMessage) => {
      settle();
      refusal(response)
        .then(resolve, reject)
        .finally(() => connection.destroy());
    });
  });
}

async function refusal(response: IncomingMessage): Promise<SocketAnswer> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return { status: response.statusCode ?? 500, headers: response.headers, body: Buffer.concat(chunks) };
}

class WsMessageSocket implements MessageSocket {
  readonly protocol: string;
  readonly #webSocket: WebSocket;
  readonly #signal: AbortSignal | undefined;
  #messages: Uint8Array[] = [];
  #bufferedBytes = 0;
  #isEnded = false;
  #error: unknown;
  #wake: (() => void) | undefined;
  readonly #onAbort = (): void => this.#end(this.#signal?.reason);

  constructor(webSocket: WebSocket, signal: AbortSignal | undefined) {
    this.protocol = webSocket.protocol;
    this.#webSocket = webSocket;
    this.#signal = signal;
    signal?.addEventListener("abort", this.#onAbort);
    if (signal?.aborted) this.#onAbort();
    webSocket.on("message", (data: Buffer) => this.#push(data));
    webSocket.on("error", (error) =>
      this.#end(new ConnectionError(`the connection broke: ${error.message}`, { cause: error })),
    );
    webSocket.on("close", (code, reason) => {
      // 1000 and no code at all are how servers end a session; the channel for errors has said what there is to say.
      const isNormal = code === 1000 || code === 1005;
      this.#end(
        isNormal
          ? undefined
          : new ConnectionError(`the connection ended with code ${code} ${reason.toString()}`.trim()),
      );
    });
  }

  send(message: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#webSocket.send(message, (error) => {
        if (error)
          reject(new ConnectionError(`the connection is closed: ${error.message}`, { cause: error }));
        else resolve();
      });
    });
  }

  close(): void {
    this.#end(undefined);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      while (true) {
        const messages = this.#messages;
        this.#messages = [];
        this.#bufferedBytes = 0;
        this.#webSocket.resume();
        yield* messages;
        if (this.#messages.length > 0) continue;
        if (this.#error !== undefined) throw this.#error;
        if (this.#isEnded) return;
        await new Promise<void>((resolve) => void (this.#wake = resolve));
      }
    } finally {
      this.close();
    }
  }

  #push(data: Buffer): void {
    if (this.#isEnded) return;
    this.#messages.push(data);
    this.#bufferedBytes += data.length;
    if (this.#bufferedBytes > bufferedBytesMax) this.#webSocket.pause();
    this.#wakeUp();
  }

  #end(error: unknown): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#error = error;
    this.#signal?.removeEventListener("abort", this.#onAbort);
    if (error === undefined) this.#webSocket.close();
    else this.#webSocket.terminate();
    this.#wakeUp();
  }

  #wakeUp(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }
}
