import { DecodeError } from "./decode-error.ts";

/** How the value of a field is laid out. Source: protobuf's encoding guide. */
export type WireType = 0 | 1 | 2 | 5;

/** Reads protobuf's wire format from a part of a buffer. Every read beyond the end is a DecodeError. */
export class WireReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at: number;
  readonly #end: number;

  constructor(bytes: Uint8Array, start = 0, end: number = bytes.length) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#at = start;
    this.#end = end;
  }

  get done(): boolean {
    return this.#at >= this.#end;
  }

  /** The next field's number and layout. */
  tag(): { field: number; wire: WireType } {
    const tag = this.uint32();
    const wire = tag & 7;
    if (wire !== 0 && wire !== 1 && wire !== 2 && wire !== 5) {
      throw new DecodeError(`proto: illegal wireType ${wire}`);
    }
    return { field: tag >>> 3, wire };
  }

  uint32(): number {
    return Number(BigInt.asUintN(32, this.varint()));
  }

  int32(): number {
    return Number(BigInt.asIntN(32, this.varint()));
  }

  /** An integer of 64 bits with sign: a number when that holds it exactly. */
  int64(): number | bigint {
    const value = BigInt.asIntN(64, this.varint());
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : value;
  }

  bool(): boolean {
    return this.varint() !== 0n;
  }

  double(): number {
    this.#need(8);
    const value = this.#view.getFloat64(this.#at, true);
    this.#at += 8;
    return value;
  }

  string(): string {
    const { start, end } = this.#span();
    return decodeUtf8(this.#bytes, start, end);
  }

  bytes(): Uint8Array {
    const { start, end } = this.#span();
    return this.#bytes.subarray(start, end);
  }

  /** A reader over a message inside. */
  message(): WireReader {
    const { start, end } = this.#span();
    return new WireReader(this.#bytes, start, end);
  }

  skip(wire: WireType): void {
    if (wire === 0) this.varint();
    else if (wire === 2) this.#span();
    else {
      this.#need(wire === 1 ? 8 : 4);
      this.#at += wire === 1 ? 8 : 4;
    }
  }

  varint(): bigint {
    let small = 0;
    for (let shift = 0; shift < 28; shift += 7) {
      const byte = this.#byte();
      small |= (byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt(small);
    }
    let value = BigInt(small);
    for (let shift = 28n; shift < 70n; shift += 7n) {
      const byte = this.#byte();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new DecodeError("proto: integer overflow");
  }

  #span(): { start: number; end: number } {
    const length = this.uint32();
    this.#need(length);
    const start = this.#at;
    this.#at += length;
    return { start, end: this.#at };
  }

  #byte(): number {
    this.#need(1);
    return this.#bytes[this.#at++] ?? 0;
  }

  #need(count: number): void {
    if (this.#at + count > this.#end) throw new DecodeError("unexpected EOF");
  }
}

/**
 * Writes protobuf's wire format from the end to the start, so that a message's length is known when its head is written.
 * Fields are therefore written last first.
 */
export class WireWriter {
  #bytes: Uint8Array = new Uint8Array(1024);
  /** Everything from here on is written. */
  #start: number = this.#bytes.length;

  /** How much is written so far; the difference to an earlier length is the size of what came since. */
  get length(): number {
    return this.#bytes.length - this.#start;
  }

  finish(): Uint8Array {
    return this.#bytes.slice(this.#start);
  }

  tag(field: number, wire: WireType): void {
    this.uint(field * 8 + wire);
  }

  /** The head of a message or text that was written since `lengthBefore`. */
  head(field: number, lengthBefore: number): void {
    this.uint(this.length - lengthBefore);
    this.tag(field, 2);
  }

  string(field: number, text: string): void {
    const before = this.length;
    this.#text(text);
    this.head(field, before);
  }

  bytes(field: number, bytes: Uint8Array): void {
    const before = this.length;
    this.raw(bytes);
    this.head(field, before);
  }

  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#start -= bytes.length;
    this.#bytes.set(bytes, this.#start);
  }

  double(field: number, value: number): void {
    this.#reserve(8);
    this.#start -= 8;
    new DataView(this.#bytes.buffer).setFloat64(this.#start, value, true);
    this.tag(field, 1);
  }

  /** An integer with sign, of up to 64 bits. */
  int(field: number, value: number | bigint): void {
    if (typeof value === "number" && value >= 0 && value < 2 ** 31) this.uint(value);
    else this.#varint(BigInt.asUintN(64, BigInt(value)));
    this.tag(field, 0);
  }

  /** A bare varint below 2^35. */
  uint(value: number): void {
    const size = value < 128 ? 1 : value < 16384 ? 2 : Math.ceil(Math.log2(value + 1) / 7);
    this.#reserve(size);
    this.#start -= size;
    let rest = value;
    for (let i = 0; i < size; i++) {
      this.#bytes[this.#start + i] = (rest % 128) | (i < size - 1 ? 128 : 0);
      rest = Math.floor(rest / 128);
    }
  }

  #varint(value: bigint): void {
    const digits: number[] = [];
    for (let rest = value; digits.length === 0 || rest > 0n; rest >>= 7n) digits.push(Number(rest & 127n));
    this.#reserve(digits.length);
    this.#start -= digits.length;
    digits.forEach((digit, i) => {
      this.#bytes[this.#start + i] = digit | (i < digits.length - 1 ? 128 : 0);
    });
  }

  #text(text: string): void {
    this.#reserve(text.length * 3);
    for (let i = text.length - 1; i >= 0; i--) {
      let code = text.charCodeAt(i);
      if (code < 0x80) this.#bytes[--this.#start] = code;
      else if (code < 0x800) this.#put(0xc0 | (code >> 6), 0x80 | (code & 0x3f));
      else if (isLowSurrogate(code) && isHighSurrogate(text.charCodeAt(i - 1))) {
        code = text.codePointAt(--i) ?? 0;
        this.#put(
          0xf0 | (code >> 18),
          0x80 | ((code >> 12) & 0x3f),
          0x80 | ((code >> 6) & 0x3f),
          0x80 | (code & 0x3f),
        );
      } else {
        if ((code & 0xf800) === 0xd800) code = 0xfffd;
        this.#put(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f));
      }
    }
  }

  #put(...bytes: number[]): void {
    this.#start -= bytes.length;
    this.#bytes.set(bytes, this.#start);
  }

  #reserve(count: number): void {
    if (this.#start >= count) return;
    const written = this.length;
    const grown = new Uint8Array(Math.max(this.#bytes.length * 2, written + count));
    grown.set(this.#bytes.subarray(this.#start), grown.length - written);
    this.#bytes = grown;
    this.#start = grown.length - written;
  }
}

function isLowSurrogate(code: number): boolean {
  return (code & 0xfc00) === 0xdc00;
}

function isHighSurrogate(code: number): boolean {
  return (code & 0xfc00) === 0xd800;
}

/** The text of UTF-8 bytes; what is no UTF-8 becomes U+FFFD. */
export function decodeUtf8(bytes: Uint8Array, start = 0, end: number = bytes.length): string {
  let text = "";
  for (let i = start; i < end; ) {
    const first = bytes[i] ?? 0;
    if (first < 0x80) {
      text += String.fromCharCode(first);
      i++;
      continue;
    }
    const size = first >= 0xf0 && first < 0xf5 ? 4 : first >= 0xe0 ? 3 : 2;
    const code =
      first >= 0xc2 && first < 0xf5 ? continuation(bytes, i, Math.min(end, i + size), size) : undefined;
    text += code === undefined ? "\uFFFD" : String.fromCodePoint(code);
    i += code === undefined ? 1 : size;
  }
  return text;
}

const smallest: Readonly<Record<number, number>> = { 2: 0x80, 3: 0x800, 4: 0x10000 };

/** The code point of a sequence of `size` bytes; undefined when it is broken, overlong or a surrogate. */
function continuation(bytes: Uint8Array, start: number, end: number, size: number): number | undefined {
  if (end - start < size) return undefined;
  let code = (bytes[start] ?? 0) & (0x7f >> size);
  for (let i = start + 1; i < end; i++) {
    const byte = bytes[i] ?? 0;
    if ((byte & 0xc0) !== 0x80) return undefined;
    code = (code << 6) | (byte & 0x3f);
  }
  const isValid = code >= (smallest[size] ?? 0) && code <= 0x10ffff && (code & 0xfffff800) !== 0xd800;
  return isValid ? code : undefined;
}
