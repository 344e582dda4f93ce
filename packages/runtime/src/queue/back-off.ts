import type { Clock, Random } from "@bowline/client";

/**
 * How long a key that failed has to wait. Counters live apart from the queue: they only grow until `forget`.
 * Source of the rules: client-go util/workqueue (default_rate_limiters.go).
 */
export interface BackOff {
  /** Counts one more failure of the key and answers how many milliseconds it has to wait. */
  next(key: string): number;
  /** The key succeeded: its counter starts again at 0. */
  forget(key: string): void;
  /** Failures since the last `forget`. */
  failures(key: string): number;
}

export interface ExponentialOptions {
  /** Wait after the first failure. Default 5. */
  readonly baseMs?: number;
  /** Longest wait. Default 1,000,000. */
  readonly maxMs?: number;
}

/** Per key: `baseMs * 2^failures`, at most `maxMs`. 5, 10, 20, ... with the defaults. */
export function exponentialBackOff(options: ExponentialOptions = {}): BackOff {
  const { baseMs = 5, maxMs = 1_000_000 } = options;
  const counts = new Map<string, number>();
  return {
    next(key) {
      const count = counts.get(key) ?? 0;
      counts.set(key, count + 1);
      // beyond 2^1023 the power is Infinity, and the minimum still right
      return Math.min(baseMs * 2 ** count, maxMs);
    },
    forget: (key) => void counts.delete(key),
    failures: (key) => counts.get(key) ?? 0,
  };
}

export interface TokenBucketOptions {
  readonly clock: Clock;
  /** Retries per second, over all keys. Default 10. */
  readonly perSecond?: number;
  /** Retries that may go at once. Default 100. */
  readonly burst?: number;
}

/** Over all keys: a bucket of tokens. A retry that finds it empty reserves the next token and waits for it. */
export function tokenBucketBackOff(options: TokenBucketOptions): BackOff {
  const { clock, perSecond = 10, burst = 100 } = options;
  let tokens = burst;
  let at = clock.monotonic();
  return {
    next() {
      const now = clock.monotonic();
      tokens = Math.min(burst, tokens + ((now - at) / 1000) * perSecond) - 1;
      at = now;
      return tokens >= 0 ? 0 : (-tokens / perSecond) * 1000;
    },
    forget() {},
    failures: () => 0,
  };
}

/** The longest of the waits that several ask for. */
export function longestBackOff(...all: readonly BackOff[]): BackOff {
  return {
    next: (key) => Math.max(0, ...all.map((b) => b.next(key))),
    forget: (key) => all.forEach((b) => b.forget(key)),
    failures: (key) => Math.max(0, ...all.map((b) => b.failures(key))),
  };
}

/** Waits between attempts of one thing (a connection, a watch), which reset themselves when it stayed well for long. */
export class RetryDelay {
  readonly #options: Required<RetryDelayOptions>;
  readonly #clock: Clock;
  readonly #random: Random;
  #nextMs: number;
  #lastAt = Number.NEGATIVE_INFINITY;

  constructor(options: RetryDelayOptions & { readonly clock: Clock; readonly random: Random }) {
    this.#options = { baseMs: 800, maxMs: 30_000, jitter: 1, resetMs: 120_000, ...options };
    this.#clock = options.clock;
    this.#random = options.random;
    this.#nextMs = this.#options.baseMs;
  }

  /** How many milliseconds to wait before the next attempt. */
  next(): number {
    const now = this.#clock.monotonic();
    if (now - this.#lastAt > this.#options.resetMs) this.#nextMs = this.#options.baseMs;
    this.#lastAt = now;
    const wait = this.#nextMs;
    this.#nextMs = Math.min(this.#nextMs * 2, this.#options.maxMs);
    return jittered(wait, this.#options.jitter, this.#random);
  }

  reset(): void {
    this.#nextMs = this.#options.baseMs;
  }
}

export interface RetryDelayOptions {
  /** First wait. Default 800. */
  readonly baseMs?: number;
  /** Longest wait before jitter. Default 30,000. */
  readonly maxMs?: number;
  /** A wait is lengthened by a random share of itself up to this factor. Default 1. */
  readonly jitter?: number;
  /** An attempt this long after the one before starts again at the first wait. Default 120,000. */
  readonly resetMs?: number;
}

/** `ms` lengthened by a random share of up to `factor` of itself. */
export function jittered(ms: number, factor: number, random: Random): number {
  return ms * (1 + factor * random.next());
}
