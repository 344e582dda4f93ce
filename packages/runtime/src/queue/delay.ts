import type { Clock, Timer } from "@bowline/client";
import type { Cause } from "../controller/request.ts";

interface Waiting {
  readonly key: string;
  readonly at: number;
  readonly priority: number;
  /** Why it waits: that of the first add. */
  readonly cause: Cause | undefined;
  isLive: boolean;
}

/** Called with a key whose time has come. */
type OnReady = (key: string, priority: number, cause: Cause | undefined) => void;

/**
 * Keys that wait for their time. A key waits once: adding it again keeps the earlier time and the higher priority. One
 * timer serves all.
 */
export class DelayedKeys {
  readonly #clock: Clock;
  readonly #onReady: OnReady;
  /** A binary heap by `at`. Cancelled ones stay until they come to the top. */
  readonly #heap: Waiting[] = [];
  readonly #byKey = new Map<string, Waiting>();
  #timer: Timer | undefined;
  #timerAt = Number.POSITIVE_INFINITY;

  constructor(clock: Clock, onReady: OnReady) {
    this.#clock = clock;
    this.#onReady = onReady;
  }

  get size(): number {
    return this.#byKey.size;
  }

  add(key: string, delayMs: number, priority: number, cause?: Cause): void {
    const at = this.#clock.monotonic() + delayMs;
    const before = this.#byKey.get(key);
    if (before !== undefined) {
      if (before.at <= at && before.priority >= priority) return;
      before.isLive = false;
    }
    const waiting: Waiting = {
      key,
      at: Math.min(at, before?.at ?? at),
      priority: Math.max(priority, before?.priority ?? priority),
      cause: before?.cause ?? cause,
      isLive: true,
    };
    this.#byKey.set(key, waiting);
    this.#push(waiting);
    this.#schedule();
  }

  cancel(key: string): void {
    const waiting = this.#byKey.get(key);
    if (waiting === undefined) return;
    waiting.isLive = false;
    this.#byKey.delete(key);
  }

  clear(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#timerAt = Number.POSITIVE_INFINITY;
    this.#heap.length = 0;
    this.#byKey.clear();
  }

  #schedule(): void {
    while (this.#heap[0]?.isLive === false) this.#pop();
    const next = this.#heap[0];
    if (next === undefined || next.at >= this.#timerAt) return;
    this.#timer?.cancel();
    this.#timerAt = next.at;
    this.#timer = this.#clock.setTimer(next.at - this.#clock.monotonic(), () => this.#fire());
  }

  #fire(): void {
    this.#timer = undefined;
    this.#timerAt = Number.POSITIVE_INFINITY;
    // platform timers may fire a fraction early; what is due within that fraction is due
    const now = this.#clock.monotonic() + 1;
    for (let top = this.#heap[0]; top !== undefined && (!top.isLive || top.at <= now); top = this.#heap[0]) {
      this.#pop();
      if (!top.isLive) continue;
      this.#byKey.delete(top.key);
      this.#onReady(top.key, top.priority, top.cause);
    }
    this.#schedule();
  }

  #push(waiting: Waiting): void {
    const heap = this.#heap;
    let index = heap.push(waiting) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = heap[parent] as Waiting;
      if (above.at <= waiting.at) break;
      heap[index] = above;
      index = parent;
    }
    heap[index] = waiting;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop() as Waiting;
    if (heap.length === 0) return;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && (heap[child + 1] as Waiting).at < (heap[child] as Waiting).at) child++;
      if ((heap[child] as Waiting).at >= last.at) break;
      heap[index] = heap[child] as Waiting;
      index = child;
    }
    heap[index] = last;
  }
}
