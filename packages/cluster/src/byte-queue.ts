/** So much may wait for its reader before the writer is held up. */
const waitingBytesMax = 1 << 20;

/** Bytes that others write and one reads later. */
export class ByteQueue implements AsyncIterable<Uint8Array> {
  #chunks: Uint8Array[] = [];
  #size = 0;
  #isEnded = false;
  #isUnwanted = false;
  #wakeReader: (() => void) | undefined;
  #waitingWriters: (() => void)[] = [];

  /** Resolves when there is room for more. What comes after the end is dropped. */
  async push(chunk: Uint8Array): Promise<void> {
    if (this.#isEnded || this.#isUnwanted || chunk.length === 0) return;
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    this.#wakeReader?.();
    while (this.#size > waitingBytesMax && !this.#isEnded && !this.#isUnwanted) {
      await new Promise<void>((resolve) => this.#waitingWriters.push(resolve));
    }
  }

  #wakeWriters(): void {
    for (const wake of this.#waitingWriters.splice(0)) wake();
  }

  /** Nothing more will be written. */
  end(): void {
    this.#isEnded = true;
    this.#wakeReader?.();
    this.#wakeWriters();
  }

  /** Nobody reads any more: writers are never held up again. */
  discard(): void {
    this.#isUnwanted = true;
    this.#chunks = [];
    this.#size = 0;
    this.#wakeWriters();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    for (;;) {
      const chunk = this.#chunks.shift();
      if (chunk !== undefined) {
        this.#size -= chunk.length;
        if (this.#size <= waitingBytesMax) this.#wakeWriters();
        yield chunk;
      } else if (this.#isEnded) {
        return;
      } else {
        await new Promise<void>((resolve) => {
          this.#wakeReader = resolve;
        });
        this.#wakeReader = undefined;
      }
    }
  }
}
