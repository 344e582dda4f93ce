/**
 * A map ordered by its string keys, for buckets of up to millions of entries. Keys live in chunks of bounded size, so an
 * insertion moves at most one chunk and a range read starts with two binary searches.
 */
export class SortedMap<V> {
  /** Large enough that there are few chunks, small enough that moving half of one is cheap. */
  static readonly #chunkMax = 512;
  readonly #values = new Map<string, V>();
  #chunks: string[][] = [];

  get size(): number {
    return this.#values.size;
  }

  get(key: string): V | undefined {
    return this.#values.get(key);
  }

  set(key: string, value: V): void {
    if (!this.#values.has(key)) this.#insert(key);
    this.#values.set(key, value);
  }

  delete(key: string): boolean {
    if (!this.#values.delete(key)) return false;
    const at = this.#chunkOf(key);
    const chunk = this.#chunks[at];
    if (chunk !== undefined) {
      chunk.splice(lowerBound(chunk, key), 1);
      if (chunk.length === 0) this.#chunks.splice(at, 1);
    }
    return true;
  }

  clear(): void {
    this.#values.clear();
    this.#chunks = [];
  }

  /** Values in key order, from the first key >= `from`. Must not be interleaved with changes. */
  *valuesFrom(from: string): Generator<V> {
    for (let c = this.#chunkOf(from); c < this.#chunks.length; c++) {
      const chunk = this.#chunks[c] as string[];
      const first = chunk[0] as string;
      for (let i = first >= from ? 0 : lowerBound(chunk, from); i < chunk.length; i++) {
        yield this.#values.get(chunk[i] as string) as V;
      }
    }
  }

  #insert(key: string): void {
    if (this.#chunks.length === 0) {
      this.#chunks.push([key]);
      return;
    }
    const at = this.#chunkOf(key);
    const chunk = this.#chunks[at] as string[];
    chunk.splice(lowerBound(chunk, key), 0, key);
    if (chunk.length > SortedMap.#chunkMax) this.#chunks.splice(at + 1, 0, chunk.splice(chunk.length >> 1));
  }

  /** Index of the chunk that holds `key`, or would hold it. */
  #chunkOf(key: string): number {
    let low = 0;
    let high = this.#chunks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#chunks[middle]?.[0] as string) <= key) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

/** Index of the first element >= key. */
function lowerBound(sorted: readonly string[], key: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] as string) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
