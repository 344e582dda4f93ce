/** The frames of SPDY/3.1. Source: the SPDY/3.1 protocol draft, section 2.6. */

export const frameType = {
  synStream: 1,
  synReply: 2,
  reset: 3,
  settings: 4,
  ping: 6,
  goAway: 7,
  headers: 8,
  windowUpdate: 9,
} as const;

/** The sender will send no more on this stream. */
export const finFlag = 1;

export type SpdyFrame =
  | {
      readonly kind: "control";
      readonly type: number;
      readonly flags: number;
      readonly payload: Uint8Array;
    }
  | {
      readonly kind: "data";
      readonly stream: number;
      readonly flags: number;
      readonly payload: Uint8Array;
    };

const headBytes = 8;
const version = 3;

/** Cuts bytes as they come into frames. */
export class FrameReader {
  #rest: Buffer = Buffer.alloc(0);

  /** The frames that are complete now. @throws Error for another version of the protocol */
  read(chunk: Uint8Array): SpdyFrame[] {
    this.#rest = this.#rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([this.#rest, chunk]);
    const frames: SpdyFrame[] = [];
    while (this.#rest.length >= headBytes) {
      const end = headBytes + this.#rest.readUIntBE(5, 3);
      if (this.#rest.length < end) break;
      frames.push(decodeFrame(this.#rest.subarray(0, end)));
      this.#rest = this.#rest.subarray(end);
    }
    return frames;
  }
}

function decodeFrame(bytes: Buffer): SpdyFrame {
  const first = bytes.readUInt32BE(0);
  const flags = bytes[4] ?? 0;
  const payload = bytes.subarray(headBytes);
  if (first >>> 31 === 0) return { kind: "data", stream: first, flags, payload };
  const spoken = (first >>> 16) & 0x7fff;
  if (spoken !== version) throw new Error(`SPDY/3 is spoken here, and a frame of version ${spoken} came`);
  return { kind: "control", type: first & 0xffff, flags, payload };
}

export function encodeFrame(frame: SpdyFrame): Uint8Array {
  const head = Buffer.alloc(headBytes);
  const first = frame.kind === "data" ? frame.stream : (0x8000 | version) * 0x10000 + frame.type;
  head.writeUInt32BE(first);
  head.writeUInt8(frame.flags, 4);
  head.writeUIntBE(frame.payload.length, 5, 3);
  return Buffer.concat([head, frame.payload]);
}

/** The headers of a stream: names in lower case. @throws Error for a block that is cut off */
export function decodeHeaders(block: Uint8Array): Record<string, string> {
  const bytes = Buffer.from(block.buffer, block.byteOffset, block.length);
  let at = 0;
  const number = (): number => {
    if (at + 4 > bytes.length) throw new Error("a SPDY header block is cut off");
    at += 4;
    return bytes.readUInt32BE(at - 4);
  };
  const text = (): string => {
    const length = number();
    if (at + length > bytes.length) throw new Error("a SPDY header block is cut off");
    at += length;
    return bytes.toString("utf8", at - length, at);
  };
  const headers: Record<string, string> = {};
  for (let left = number(); left > 0; left--) {
    const name = text().toLowerCase();
    // several values of one name are separated by a zero byte
    headers[name] = text().replaceAll("\0", ", ");
  }
  return headers;
}

export function encodeHeaders(headers: Readonly<Record<string, string>>): Uint8Array {
  const entries = Object.entries(headers);
  const number = (value: number): Buffer => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return bytes;
  };
  const text = (value: string): Buffer[] => [number(Buffer.byteLength(value)), Buffer.from(value)];
  return Buffer.concat([
    number(entries.length),
    ...entries.flatMap(([name, value]) => [...text(name), ...text(value)]),
  ]);
}
