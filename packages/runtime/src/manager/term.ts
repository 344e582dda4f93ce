import type { Clock } from "@bowline/client";
import { TermOverError } from "../errors.ts";

/** The time in which a process may work: while it leads, or until it stops. */
export interface Term {
  /** Aborted when the term is over. */
  readonly signal: AbortSignal;
  /** @throws TermOverError when the term is over, also when the timer that would say so has not fired yet */
  throwIfOver(): void;
}

/** A term that has to be renewed. */
export class RenewableTerm implements Term {
  readonly #clock: Clock;
  readonly #controller = new AbortController();
  readonly #validMs: number;
  #renewedMonotonic: number;
  #renewedWall: number;

  /** @param validMs how long a renewal holds, counted from `at` of both clocks */
  constructor(clock: Clock, validMs: number, at: { readonly monotonic: number; readonly wall: number }) {
    this.#clock = clock;
    this.#validMs = validMs;
    this.#renewedMonotonic = at.monotonic;
    this.#renewedWall = at.wall;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  renew(at: { readonly monotonic: number; readonly wall: number }): void {
    this.#renewedMonotonic = at.monotonic;
    this.#renewedWall = at.wall;
  }

  /**
   * Milliseconds left. The monotonic clock may stand still while a machine sleeps and the wall clock may be set back: the
   * one that has gone further counts.
   */
  get leftMs(): number {
    const elapsed = Math.max(
      this.#clock.monotonic() - this.#renewedMonotonic,
      this.#clock.now() - this.#renewedWall,
    );
    return this.#validMs - elapsed;
  }

  end(why: string): void {
    this.#controller.abort(new TermOverError(why));
  }

  throwIfOver(): void {
    if (!this.signal.aborted && this.leftMs <= 0) {
      this.end(`the lease was not renewed for ${this.#validMs} ms, so another may lead; nothing was sent`);
    }
    this.signal.throwIfAborted();
  }
}

/** A term that ends by its signal alone. */
export function plainTerm(signal: AbortSignal): Term {
  return { signal, throwIfOver: () => signal.throwIfAborted() };
}
