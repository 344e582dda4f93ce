/** Priority of a fresh event. */
export const normalPriority = 0;
/** Priority of objects that were there at start, and of resyncs: they must not delay fresh events. */
export const lowPriority = -100;

interface Band<T> {
  readonly priority: number;
  items: (T | undefined)[];
  /** Index of the next one to take; what is before it is gone. */
  head: number;
  liveCount: number;
}

/** A thing that a `PriorityBands` can hold: `isLive` false makes it be skipped, which is how one is taken back. */
export interface BandItem {
  isLive: boolean;
  /** Rises with every push in the whole structure. */
  sequence: number;
}

/**
 * First in, first out inside a priority, higher priorities first, and nobody starves: when `agingInterval` takes in a row
 * passed lower bands over, the one waiting longest there is taken. Few distinct priorities are expected; every operation
 * is constant in the number of items.
 */
export class PriorityBands<T extends BandItem> {
  readonly #agingInterval: number;
  /** Highest priority first. */
  readonly #bands: Band<T>[] = [];
  #size = 0;
  #passedOver = 0;
  #sequence = 0;

  constructor(agingInterval: number) {
    this.#agingInterval = agingInterval;
  }

  get size(): number {
    return this.#size;
  }

  push(item: T, priority: number): void {
    item.isLive = true;
    item.sequence = this.#sequence++;
    const band = this.#band(priority);
    band.items.push(item);
    band.liveCount++;
    this.#size++;
  }

  /** Takes an item back. Its slot stays and is skipped. */
  discard(item: T, priority: number): void {
    item.isLive = false;
    this.#band(priority).liveCount--;
    this.#size--;
  }

  shift(): T | undefined {
    if (this.#size === 0) return undefined;
    const top = this.#bands.find((band) => band.liveCount > 0) as Band<T>;
    if (top.liveCount === this.#size) {
      this.#passedOver = 0;
      return this.#take(top);
    }
    if (this.#passedOver < this.#agingInterval) {
      this.#passedOver++;
      return this.#take(top);
    }
    this.#passedOver = 0;
    return this.#take(this.#longestWaiting(top));
  }

  /** Live items per priority, for metrics: `[[0, 3], [-100, 40]]`. */
  counts(): [priority: number, count: number][] {
    return this.#bands.map((band) => [band.priority, band.liveCount]);
  }

  clear(): void {
    for (const band of this.#bands) Object.assign(band, { items: [], head: 0, liveCount: 0 });
    this.#size = 0;
  }

  #longestWaiting(except: Band<T>): Band<T> {
    let best = except;
    let bestSequence = Number.POSITIVE_INFINITY;
    for (const band of this.#bands) {
      if (band === except || band.liveCount === 0) continue;
      const { sequence } = this.#head(band);
      if (sequence < bestSequence) [best, bestSequence] = [band, sequence];
    }
    return best;
  }

  /** The first live item; only called when there is one. */
  #head(band: Band<T>): T {
    while (band.items[band.head]?.isLive !== true) this.#advance(band);
    return band.items[band.head] as T;
  }

  #take(band: Band<T>): T {
    const item = this.#head(band);
    this.#advance(band);
    item.isLive = false;
    band.liveCount--;
    this.#size--;
    return item;
  }

  #advance(band: Band<T>): void {
    band.items[band.head++] = undefined;
    // cutting the used front off only when it is half of the array keeps a take constant on average
    if (band.head > 1024 && band.head * 2 > band.items.length) {
      band.items = band.items.slice(band.head);
      band.head = 0;
    }
  }

  #band(priority: number): Band<T> {
    const known = this.#bands.find((band) => band.priority === priority);
    if (known !== undefined) return known;
    const band: Band<T> = { priority, items: [], head: 0, liveCount: 0 };
    this.#bands.push(band);
    this.#bands.sort((a, b) => b.priority - a.priority);
    return band;
  }
}
