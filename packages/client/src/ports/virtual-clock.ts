import type { Clock, Timer } from "./clock.ts";

interface Entry {
  readonly at: number;
  readonly order: number;
  readonly callback: () => void;
}

/**
 * A clock that stands still until it is told to move. Timers fire in order of their time, and those of the same time in
 * the order they were set; between two of them all promises that can settle do settle.
 */
export class VirtualClock implements Clock {
  #nowMs: number;
  readonly #startMs: number;
  #order = 0;
  #timers: Entry[] = [];

  /** @param startMs wall-clock start, milliseconds since 1970; default 2026-01-01T00:00:00Z */
  constructor(startMs: number = Date.UTC(2026, 0, 1)) {
    this.#nowMs = startMs;
    this.#startMs = startMs;
  }

  now(): number {
    return this.#nowMs;
  }

  monotonic(): number {
    return this.#nowMs - this.#startMs;
  }

  setTimer(delayMs: number, callback: () => void): Timer {
    const entry: Entry = { at: this.#nowMs + Math.max(0, delayMs), order: this.#order++, callback };
    this.#timers.push(entry);
    return { cancel: () => void (this.#timers = this.#timers.filter((e) => e !== entry)) };
  }

  /** How many timers are waiting. */
  get pendingCount(): number {
    return this.#timers.length;
  }

  /** Time of the next timer, milliseconds since 1970; undefined when none waits. */
  get nextAt(): number | undefined {
    return this.#earliest()?.at;
  }

  /** Moves time forward by `milliseconds`, firing every timer on the way, and lets all promises settle. */
  async advance(milliseconds: number): Promise<void> {
    const target = this.#nowMs + milliseconds;
    await settle();
    for (let next = this.#earliest(); next !== undefined && next.at <= target; next = this.#earliest()) {
      this.#fire(next);
      await settle();
    }
    this.#nowMs = target;
  }

  /**
   * Moves time from timer to timer until `done()` is true.
   * @throws Error when no timer is left or `limitMs` of virtual time have passed first
   */
  async advanceUntil(done: () => boolean, limitMs = 3_600_000): Promise<void> {
    const limit = this.#nowMs + limitMs;
    await settle();
    while (!done()) {
      const next = this.#earliest();
      if (next === undefined)
        throw new Error("virtual clock: the condition is not met and no timer is waiting");
      if (next.at > limit) throw new Error(`virtual clock: the condition is not met after ${limitMs} ms`);
      this.#fire(next);
      await settle();
    }
  }

  #fire(entry: Entry): void {
    this.#timers = this.#timers.filter((e) => e !== entry);
    this.#nowMs = Math.max(this.#nowMs, entry.at);
    entry.callback();
  }

  #earliest(): Entry | undefined {
    let best: Entry | undefined;
    for (const e of this.#timers) {
      if (best === undefined || e.at < best.at || (e.at === best.at && e.order < best.order)) best = e;
    }
    return best;
  }
}

/**
 * Resolves after every promise and in-process stream that can settle has settled. A macrotask turn is what drains all
 * microtasks whatever their depth; a few turns also let in-process streams hand over.
 */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
}
