import type { Revision } from "./revision.ts";

/** One committed change of one key. */
export interface StoreEvent {
  /** The store's counter at the change. */
  readonly revision: number;
  readonly key: string;
  /** State after the change; for a delete the last state, carrying the delete's own revision. */
  readonly current: Revision;
  readonly deleted: boolean;
  /** State before the change; absent on create. */
  readonly previous: Revision | undefined;
  /** Wall clock, milliseconds. */
  readonly at: number;
}

/**
 * The events one watcher has not taken yet. A watcher that lets more than `pendingMax` events pile up is closed with
 * reason `slow`: it must start again, it never silently misses one.
 */
export class Subscription {
  readonly #accepts: (event: StoreEvent) => boolean;
  readonly #pendingMax: number;
  readonly #onClose: (subscription: Subscription) => void;
  #pending: StoreEvent[] = [];
  #wake: (() => void) | undefined;
  #closed: "open" | "closed" | "slow" = "open";

  constructor(options: {
    accepts: (event: StoreEvent) => boolean;
    pendingMax: number;
    onClose: (subscription: Subscription) => void;
    replay: StoreEvent[];
  }) {
    this.#accepts = options.accepts;
    this.#pendingMax = options.pendingMax;
    this.#onClose = options.onClose;
    this.#pending = options.replay.filter(options.accepts);
  }

  get state(): "open" | "closed" | "slow" {
    return this.#closed;
  }

  /** True when every committed event has been taken. */
  get idle(): boolean {
    return this.#pending.length === 0;
  }

  /** Called by the store, in commit order. */
  offer(event: StoreEvent): void {
    if (this.#closed !== "open" || !this.#accepts(event)) return;
    if (this.#pending.length >= this.#pendingMax) return this.#end("slow");
    this.#pending.push(event);
    this.#notify();
  }

  /** What has been committed since the last call, in order. */
  take(): StoreEvent[] {
    if (this.#pending.length === 0) return [];
    const events = this.#pending;
    this.#pending = [];
    return events;
  }

  /** Calls `listener` whenever events arrive or the subscription ends; once at once if there is something already. */
  onChange(listener: () => void): void {
    this.#wake = listener;
    if (this.#pending.length > 0 || this.#closed !== "open") listener();
  }

  close(): void {
    this.#end("closed");
  }

  #end(state: "closed" | "slow"): void {
    if (this.#closed !== "open") return;
    this.#closed = state;
    if (state === "closed") this.#pending = [];
    this.#onClose(this);
    this.#notify();
  }

  #notify(): void {
    this.#wake?.();
  }
}
