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
  const server = new WebSocketServer({ noServer: true, clientTracking: false, perMessageDeflate: false });
  // the library refuses protocols with a slash in their name, which kubectl offers: they are agreed on without it
  delete request.headers["sec-websocket-protocol"];
  server.on("headers", (lines) => {
    if (answer.protocol !== "") lines.push(`Sec-WebSocket-Protocol: ${answer.protocol}`);
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

/** Completes an upgrade to SPDY, and serves it until either side ends. */
export async function serveSpdyUpgrade(
  socket: Duplex,
  head: Buffer,
  answer: Extract<ServerResponse, { kind: "spdy" }>,
): Promise<void> {
  const headers = {
    ...wireHeaders(answer.headers),
    connection: "Upgrade",
    upgrade: "SPDY/3.1",
    "x-stream-protocol-version": answer.protocol,
  };
  socket.write(`HTTP/1.1 101 Switching Protocols\r\n${headerLines(headers)}\r\n`);
  const bytes = new DuplexMessages(socket, head, answer.protocol);
  try {
    await answer.serve(bytes);
  } finally {
    bytes.close();
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
  const status = `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status] ?? ""}\r\n`;
  socket.end(Buffer.concat([Buffer.from(`${status}${headerLines(headers)}\r\n`, "latin1"), body]));
}

function headerLines(headers: Readonly<Record<string, string | readonly string[]>>): string {
  return Object.entries(headers)
    .flatMap(([name, value]) => [value].flat().map((line) => `${name}: ${line}\r\n`))
    .join("");
}

/** The bytes of a connection as a port of messages. */
class DuplexMessages implements MessageSocket {
  readonly protocol: string;
  readonly #socket: Duplex;
  readonly #head: Buffer;

  constructor(socket: Duplex, head: Buffer, protocol: string) {
    this.#socket = socket;
    this.#head = head;
    this.protocol = protocol;
  }

  async send(message: Uint8Array): Promise<void> {
    if (this.#socket.destroyed || this.#socket.writableEnded) throw new Error("the connection is closed");
    await new Promise<void>((resolve, reject) => {
      this.#socket.write(message, (error) => (error ? reject(error) : resolve()));
    });
  }

  close(): void {
    this.#socket.end();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    if (this.#head.length > 0) yield this.#head;
    yield* this.#socket as AsyncIterable<Buffer>;
  }
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
