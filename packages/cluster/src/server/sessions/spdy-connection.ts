/**
 * The server's side of a SPDY/3.1 connection: streams that the client opens, over one connection of bytes. There is no flow
 * control by windows, as Kubernetes' clients and servers have none; a stream whose reader falls behind holds up the others.
 */
import type { MessageSocket } from "@bowline/client";
import { ByteQueue } from "../../byte-queue.ts";
import { FrameReader, type SpdyFrame, encodeFrame, finFlag, frameType } from "./spdy-frames.ts";
import { HeaderReader, HeaderWriter } from "./spdy-headers.ts";

/** One stream, both ways. */
export interface SpdyStream {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** What the client sends, until it ends its side. */
  readonly incoming: AsyncIterable<Uint8Array>;
  /** Aborted when the client has gone, or wants no more of the stream. */
  readonly signal: AbortSignal;
  send(bytes: Uint8Array): Promise<void>;
  /** Ends this side. */
  end(): Promise<void>;
  /** Breaks it off. */
  reset(): void;
}

/** Data is sent in pieces of at most this size, so that streams take turns. */
const pieceBytesMax = 32 * 1024;
/** Streams that are open at once: more are refused. */
const streamsMax = 1000;

const resetCode = { refused: 3, cancelled: 5 } as const;

export class SpdyConnection {
  readonly #socket: MessageSocket;
  readonly #streams = new Map<number, OpenStream>();
  readonly #gone = new AbortController();
  readonly #headerReader = new HeaderReader();
  readonly #headerWriter = new HeaderWriter();
  #onStream: (stream: SpdyStream) => void = () => {};

  constructor(socket: MessageSocket) {
    this.#socket = socket;
  }

  /** Aborted when the client has gone. */
  get signal(): AbortSignal {
    return this.#gone.signal;
  }

  /** Reads until the connection ends. Never rejects: a connection that breaks the protocol is over. */
  async serve(onStream: (stream: SpdyStream) => void): Promise<void> {
    this.#onStream = onStream;
    const reader = new FrameReader();
    try {
      for await (const chunk of this.#socket) {
        for (const frame of reader.read(chunk)) await this.#take(frame);
      }
    } catch {
      this.#socket.close();
    }
    this.#gone.abort(new Error("the client has gone"));
    for (const stream of this.#streams.values()) stream.break();
    this.#streams.clear();
    this.#headerReader.close();
  }

  /** @param stream its number; see the frame types of the protocol for `payload` */
  send(frame: SpdyFrame): Promise<void> {
    return this.#socket.send(encodeFrame(frame));
  }

  forget(stream: number): void {
    this.#streams.delete(stream);
  }

  async #take(frame: SpdyFrame): Promise<void> {
    if (frame.kind === "data") {
      const stream = this.#streams.get(frame.stream);
      await stream?.received.push(frame.payload);
      if ((frame.flags & finFlag) !== 0) stream?.ended();
      return;
    }
    const { type, payload, flags } = frame;
    switch (type) {
      case frameType.synStream:
        return this.#open(payload, flags);
      case frameType.headers:
        // the block must be read, for those after it to be readable
        await this.#headerReader.read(payload.subarray(4));
        return;
      case frameType.reset:
        return this.#streams.get(numberAt(payload, 0))?.break();
      case frameType.ping:
        return this.send({ kind: "control", type, flags: 0, payload });
      default:
        // settings and windows mean nothing here; after a go-away the client closes the connection
        return undefined;
    }
  }

  async #open(payload: Uint8Array, flags: number): Promise<void> {
    const id = numberAt(payload, 0);
    const headers = await this.#headerReader.read(payload.subarray(10));
    if (this.#streams.size >= streamsMax) return this.send(resetFrame(id, resetCode.refused));
    const stream = new OpenStream(this, id, headers);
    this.#streams.set(id, stream);
    if ((flags & finFlag) !== 0) stream.ended();
    const reply = Buffer.concat([numberBytes(id), this.#headerWriter.write({})]);
    await this.send({ kind: "control", type: frameType.synReply, flags: 0, payload: reply });
    this.#onStream(stream);
  }
}

class OpenStream implements SpdyStream {
  readonly headers: Readonly<Record<string, string>>;
  readonly received: ByteQueue = new ByteQueue();
  readonly #connection: SpdyConnection;
  readonly #id: number;
  readonly #gone = new AbortController();
  #isRemoteEnded = false;
  #isEnded = false;

  constructor(connection: SpdyConnection, id: number, headers: Readonly<Record<string, string>>) {
    this.#connection = connection;
    this.#id = id;
    this.headers = headers;
  }

  get incoming(): AsyncIterable<Uint8Array> {
    return this.received;
  }

  get signal(): AbortSignal {
    return this.#gone.signal;
  }

  async send(bytes: Uint8Array): Promise<void> {
    for (let start = 0; start < bytes.length && !this.#isEnded; start += pieceBytesMax) {
      const payload = bytes.subarray(start, start + pieceBytesMax);
      await this.#connection.send({ kind: "data", stream: this.#id, flags: 0, payload });
    }
  }

  async end(): Promise<void> {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.received.discard();
    if (this.#isRemoteEnded) this.#connection.forget(this.#id);
    const payload = new Uint8Array();
    await this.#connection.send({ kind: "data", stream: this.#id, flags: finFlag, payload });
  }

  reset(): void {
    this.break();
    // a client that has gone needs no word
    this.#connection.send(resetFrame(this.#id, resetCode.cancelled)).catch(() => {});
  }

  /** The client's side is over. */
  ended(): void {
    this.#isRemoteEnded = true;
    this.received.end();
    if (this.#isEnded) this.#connection.forget(this.#id);
  }

  /** Both sides are over. */
  break(): void {
    this.#isEnded = true;
    this.received.end();
    this.#gone.abort(new Error("the stream was broken off"));
    this.#connection.forget(this.#id);
  }
}

function resetFrame(stream: number, code: number): SpdyFrame {
  const payload = Buffer.concat([numberBytes(stream), numberBytes(code)]);
  return { kind: "control", type: frameType.reset, flags: 0, payload };
}

function numberAt(bytes: Uint8Array, at: number): number {
  if (bytes.length < at + 4) throw new Error("a SPDY frame is cut off");
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(at) & 0x7fffffff;
}

function numberBytes(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
