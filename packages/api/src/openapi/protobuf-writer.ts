import { utf8 } from "../discovery/sha256.ts";

/** Writes protobuf's wire format: varints, doubles, and length-delimited texts and messages. */
export class ProtobufWriter {
  #bytes = new Uint8Array(1 << 16);
  #length = 0;

  string(field: number, text: string): void {
    const bytes = utf8(text);
    this.#tag(field, 2);
    this.#varint(bytes.length);
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  bool(field: number, value: boolean): void {
    this.#tag(field, 0);
    this.#varint(value ? 1 : 0);
  }

  /** @param value a whole number from 0 to 2^53 */
  int64(field: number, value: number): void {
    this.#tag(field, 0);
    this.#varint(value);
  }

  double(field: number, value: number): void {
    this.#tag(field, 1);
    this.#reserve(8);
    new DataView(this.#bytes.buffer).setFloat64(this.#length, value, true);
    this.#length += 8;
  }

  /** A message inside: its length goes before it, so what was written is moved by the length's own size. */
  message(field: number, write: () => void): void {
    this.#tag(field, 2);
    const start = this.#length;
    write();
    const size = this.#length - start;
    let lengthSize = 1;
    for (let rest = size; rest >= 128; rest = Math.floor(rest / 128)) lengthSize++;
    this.#reserve(lengthSize);
    this.#bytes.copyWithin(start + lengthSize, start, this.#length);
    this.#length = start;
    this.#varint(size);
    this.#length = start + lengthSize + size;
  }

  finish(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  #tag(field: number, wireType: 0 | 1 | 2): void {
    this.#varint(field * 8 + wireType);
  }

  #varint(value: number): void {
    this.#reserve(10);
    let rest = value;
    while (rest >= 128) {
      this.#bytes[this.#length++] = (rest % 128) | 128;
      rest = Math.floor(rest / 128);
    }
    this.#bytes[this.#length++] = rest;
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + count));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }
}
