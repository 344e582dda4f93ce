import type { Clock } from "@bowline/client";

/** Beyond so many keys everything is forgotten: expectations and timers start again. */
const keysMax = 100_000;

/** What a controller remembers of its keys between reconciles: deadlines of expectations, and when timers were due. */
export class KeyMemory {
  readonly #clock: Clock;
  /** By key, then by `expect name` or `every name`: a time of the monotonic clock. */
  readonly #times = new Map<string, Map<string, number>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Milliseconds left, 0 or less when timed out; undefined when met. */
  expect(key: string, name: string, isMet: boolean, timeoutMs: number): number | undefined {
    const slot = `expect ${name}`;
    if (isMet) {
      this.#times.get(key)?.delete(slot);
      return undefined;
    }
    const times = this.#timesOf(key);
    const now = this.#clock.monotonic();
    const deadline = times.get(slot) ?? now + timeoutMs;
    times.set(slot, deadline);
    return deadline - now;
  }

  every(key: string, name: string, periodMs: number): { readonly isDue: boolean; readonly nextMs: number } {
    const slot = `every ${name}`;
    const times = this.#timesOf(key);
    const now = this.#clock.monotonic();
    const last = times.get(slot);
    if (last !== undefined && now - last < periodMs) return { isDue: false, nextMs: last + periodMs - now };
    times.set(slot, now);
    return { isDue: true, nextMs: periodMs };
  }

  forget(key: string): void {
    this.#times.delete(key);
  }

  #timesOf(key: string): Map<string, number> {
    let times = this.#times.get(key);
    if (times === undefined) {
      if (this.#times.size >= keysMax) this.#times.clear();
      this.#times.set(key, (times = new Map()));
    }
    return times;
  }
}
