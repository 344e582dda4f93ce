/** Compression of SPDY header blocks: one zlib stream for each direction of a connection. */
import { type Inflate, constants, createInflate } from "node:zlib";
import { decodeHeaders, encodeHeaders } from "./spdy-frames.ts";
import { spdyDictionary } from "./spdy-dictionary.ts";

/** Larger blocks are no headers of Kubernetes' streams, and are refused. */
const blockBytesMax = 1 << 16;

/** Reads the blocks of one direction, in their order. */
export class HeaderReader {
  readonly #inflate: Inflate = createInflate({
    dictionary: spdyDictionary,
    finishFlush: constants.Z_SYNC_FLUSH,
  });
  #chunks: Buffer[] = [];
  #size = 0;
  #failed: (error: Error) => void = () => {};

  constructor() {
    this.#inflate.on("data", (chunk: Buffer) => {
      this.#size += chunk.length;
      if (this.#size <= blockBytesMax) this.#chunks.push(chunk);
    });
    this.#inflate.on("error", (error) => this.#failed(error));
  }

  /** Wait for one block before the next. @throws Error for what is no such block */
  async read(block: Uint8Array): Promise<Record<string, string>> {
    this.#chunks = [];
    this.#size = 0;
    await new Promise<void>((resolve, reject) => {
      // the callback of a write that fails is never called
      this.#failed = reject;
      this.#inflate.write(block, () => resolve());
    });
    if (this.#size > blockBytesMax) throw new Error("a SPDY header block is too large");
    return decodeHeaders(Buffer.concat(this.#chunks));
  }

  close(): void {
    this.#inflate.close();
  }
}

/** The beginning of a zlib stream that needs no dictionary. */
const zlibHead = Uint8Array.of(0x78, 0x01);

/** An empty block: readers hand out what they have when one comes. */
const flushMark = Uint8Array.of(0, 0, 0, 0xff, 0xff);

/** Writes the blocks of one direction, as they are: a stored block is also a compressed one. */
export class HeaderWriter {
  #isFirst = true;

  write(headers: Readonly<Record<string, string>>): Uint8Array {
    const block = encodeHeaders(headers);
    const head = Buffer.alloc(5);
    head.writeUInt16LE(block.length, 1);
    head.writeUInt16LE(~block.length & 0xffff, 3);
    const parts = this.#isFirst ? [zlibHead, head, block, flushMark] : [head, block, flushMark];
    this.#isFirst = false;
    return Buffer.concat(parts);
  }
}
