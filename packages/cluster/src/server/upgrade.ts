/** WebSockets on the network: sessions in containers and forwarded ports. */
import { STATUS_CODES, type IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { MessageSocket } from "@bowline/client";
import type { WebSocket } from "ws";
import { encodeBody } from "./encode.ts";
import { wireHeaders } from "./http-response.ts";
import type { ServerResponse } from "./request.ts";

/** Completes the upgrade that an answer of kind `socket` agrees to, and serves it until either side ends. */
export async function serveUpgrade(
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  answer: Extract<ServerResponse, { kind: "socket" }>,
): Promise<void> {
  const { WebSocketServer } = await import("ws");
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    handleProtocols: () => answer.protocol || false,
  });
  const accepted = await new Promise<WebSocket>((resolve) =>
    server.handleUpgrade(request, socket, head, resolve),
  );
  const messages = new WebSocketMessages(accepted, answer.protocol);
  try {
    await answer.serve(messages);
  } finally {
    messages.close();
  }
}

/** Answers an upgrade that is not agreed to, on the bare socket. */
export function refuseUpgrade(socket: Duplex, answer: ServerResponse): void {
  const finite = answer.kind === "object" || answer.kind === "list" || answer.kind === "raw";
  const body = finite ? Buffer.concat(encodeBody(answer, false)) : Buffer.alloc(0);
  const headers = {
    ...wireHeaders(answer.headers),
    "content-length": String(body.length),
    connection: "close",
  };
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().map((v) => `${name}: ${v}\r\n`),
  );
  const status = `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status] ?? ""}\r\n`;
  socket.end(Buffer.concat([Buffer.from(`${status}${lines.join("")}\r\n`, "latin1"), body]));
}

/** A WebSocket as a port of messages. What arrives waits here until it is read; the connection is paused meanwhile. */
class WebSocketMessages implements MessageSocket {
  readonly protocol: string;
  readonly #socket: WebSocket;
  readonly #received: Uint8Array[] = [];
  #wake: (() => void) | undefined;
  #ended = false;

  constructor(socket: WebSocket, protocol: string) {
    this.#socket = socket;
    this.protocol = protocol;
    socket.on("message", (data: Buffer | ArrayBuffer | Buffer[]) => {
      this.#received.push(Array.isArray(data) ? Buffer.concat(data) : new Uint8Array(data));
      socket.pause();
      this.#wake?.();
    });
    socket.on("close", () => this.#end());
    socket.on("error", () => this.#end());
  }

  async send(message: Uint8Array): Promise<void> {
    if (this.#ended) throw new Error("the connection is closed");
    await new Promise<void>((resolve, reject) => {
      this.#socket.send(message, { binary: true }, (error) => (error ? reject(error) : resolve()));
    });
  }

  close(): void {
    this.#socket.close(1000);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    while (!this.#ended || this.#received.length > 0) {
      const message = this.#received.shift();
      if (message !== undefined) {
        if (this.#received.length === 0 && !this.#ended) this.#socket.resume();
        yield message;
        continue;
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = undefined;
    }
  }

  #end(): void {
    this.#ended = true;
    this.#wake?.();
  }
}
