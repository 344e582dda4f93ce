import { type Clock, systemClock } from "@bowline/client";
import type { Cause } from "../controller/request.ts";
import { type BackOff, exponentialBackOff } from "./back-off.ts";
import { DelayedKeys } from "./delay.ts";
import { type BandItem, PriorityBands, normalPriority } from "./priority.ts";

/** Takes the figures of a queue. All durations are in seconds. */
export interface WorkQueueObserver {
  added(): void;
  retried(): void;
  /** A key was handed out after waiting so long. */
  waited(seconds: number): void;
  /** A key was done after being worked on so long. */
  worked(seconds: number): void;
}

export interface WorkQueueOptions {
  readonly clock?: Clock;
  /** Waits of keys that failed. Default: 5 ms, doubled up to 1000 s. */
  readonly backOff?: BackOff;
  /** After how many keys of higher priority one of a lower is taken. Default 16. */
  readonly agingInterval?: number;
  readonly observer?: WorkQueueObserver;
}

export interface AddOptions {
  /** Higher first. Default 0. A key that is queued already keeps the higher of both. */
  readonly priority?: number;
  readonly cause?: Cause | undefined;
}

/** A key that a worker holds, until `done`. */
export interface QueueItem {
  readonly key: string;
  readonly priority: number;
  /** Why it was queued; at most eight, the oldest are kept. */
  readonly causes: readonly Cause[];
  /** How often it was added for this one run. */
  readonly addCount: number;
}

const causesMax = 8;
const noCauses: readonly Cause[] = [];

class Entry implements QueueItem, BandItem {
  readonly key: string;
  // of the run in progress
  priority = 0;
  causes: readonly Cause[] = noCauses;
  addCount = 0;
  startedAt = 0;
  isProcessing = false;
  // of the run to come
  isDirty = false;
  nextPriority = 0;
  nextCauses: Cause[] | undefined = undefined;
  nextAddCount = 0;
  queuedAt = 0;
  // of its place in a band
  isLive = false;
  sequence = 0;

  constructor(key: string) {
    this.key = key;
  }
}

/**
 * Keys that need work. A key is in the *dirty* set when it needs work and in *processing* while a worker holds it:
 *
 * - adding a key that is dirty changes nothing but its priority and causes: any number of adds is one run;
 * - a key that is processing is not handed out again; added meanwhile, it is queued when it is done;
 * - so a key has one worker at a time, and every add is followed by a run that starts after it.
 *
 * `get` hands out the highest priority first, and takes a key out of dirty before the work starts. Delayed keys wait
 * apart (`addAfter`) and are added when their time comes, whatever happens to the key before: "at the latest".
 * Source of the rules: client-go util/workqueue (queue.go), controller-runtime pkg/controller/priorityqueue.
 */
export class WorkQueue {
  readonly #clock: Clock;
  readonly #backOff: BackOff;
  readonly #observer: WorkQueueObserver | undefined;
  readonly #entries = new Map<string, Entry>();
  readonly #ready: PriorityBands<Entry>;
  readonly #delayed: DelayedKeys;
  readonly #waiting: ((item: QueueItem | undefined) => void)[] = [];
  readonly #idle: (() => void)[] = [];
  #processingCount = 0;
  #isShutDown = false;

  constructor(options: WorkQueueOptions = {}) {
    this.#clock = options.clock ?? systemClock;
    this.#backOff = options.backOff ?? exponentialBackOff();
    this.#observer = options.observer;
    this.#ready = new PriorityBands(options.agingInterval ?? 16);
    this.#delayed = new DelayedKeys(this.#clock, (key, priority, cause) =>
      this.add(key, { priority, cause: cause ?? timerCause }),
    );
  }

  /** Marks a key as needing work. Does nothing after `shutDown`. */
  add(key: string, options: AddOptions = noOptions): void {
    if (this.#isShutDown) return;
    const priority = options.priority ?? normalPriority;
    let entry = this.#entries.get(key);
    if (entry === undefined) this.#entries.set(key, (entry = new Entry(key)));
    if (!entry.isDirty) this.#makeDirty(entry, priority);
    else if (priority > entry.nextPriority) entry = this.#raise(entry, priority);
    entry.nextAddCount++;
    if (options.cause !== undefined) addCause(entry, options.cause);
    if (this.#waiting.length > 0) this.#handOver();
  }

  /** Adds the key after a delay, unless it waits for an earlier time already. 0 or less adds it now. */
  addAfter(key: string, delayMs: number, options: AddOptions = noOptions): void {
    if (this.#isShutDown) return;
    if (delayMs <= 0) this.add(key, options);
    else this.#delayed.add(key, delayMs, options.priority ?? normalPriority, options.cause);
  }

  /** Adds the key after the wait its back-off asks for, counting one more failure. Answers the wait in milliseconds. */
  addRateLimited(key: string, options: AddOptions = noOptions): number {
    const delayMs = this.#backOff.next(key);
    this.#observer?.retried();
    this.addAfter(key, delayMs, options);
    return delayMs;
  }

  /** The key succeeded: its back-off starts again. */
  forget(key: string): void {
    this.#backOff.forget(key);
  }

  /** Failures in a row of the key. */
  failures(key: string): number {
    return this.#backOff.failures(key);
  }

  /** Drops the key's pending delay: for keys whose object is gone. */
  cancelDelay(key: string): void {
    this.#delayed.cancel(key);
  }

  /** The next key, if one is ready. Call `done` with it afterwards. */
  tryGet(): QueueItem | undefined {
    const entry = this.#ready.shift();
    if (entry === undefined) return undefined;
    entry.isDirty = false;
    entry.isProcessing = true;
    entry.priority = entry.nextPriority;
    entry.causes = entry.nextCauses ?? noCauses;
    entry.nextCauses = undefined;
    entry.addCount = entry.nextAddCount;
    entry.nextAddCount = 0;
    entry.startedAt = this.#clock.monotonic();
    this.#processingCount++;
    this.#observer?.waited((entry.startedAt - entry.queuedAt) / 1000);
    return entry;
  }

  /** Waits for the next key; undefined when the queue is shut down (and empty, if it drains). */
  get(): Promise<QueueItem | undefined> {
    const item = this.tryGet();
    if (item !== undefined || this.#isShutDown) return Promise.resolve(item);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** The worker is through with the key. It is queued again if it was added meanwhile. */
  done(item: QueueItem): void {
    const entry = item as Entry;
    if (!entry.isProcessing) return;
    entry.isProcessing = false;
    this.#processingCount--;
    this.#observer?.worked((this.#clock.monotonic() - entry.startedAt) / 1000);
    if (entry.isDirty) {
      this.#ready.push(entry, entry.nextPriority);
      if (this.#waiting.length > 0) this.#handOver();
    } else {
      this.#entries.delete(entry.key);
    }
    if (this.#isShutDown) this.#finish();
  }

  /**
   * No key is taken in any more, and delayed ones are dropped. What is queued is dropped too, or worked off first with
   * `drain`. Resolves when no worker holds a key.
   */
  shutDown(options: { readonly drain: boolean } = { drain: false }): Promise<void> {
    this.#isShutDown = true;
    this.#delayed.clear();
    if (!options.drain) {
      this.#ready.clear();
      for (const entry of this.#entries.values()) entry.isDirty = false;
    }
    return new Promise((resolve) => {
      this.#idle.push(resolve);
      this.#finish();
    });
  }

  get isShutDown(): boolean {
    return this.#isShutDown;
  }

  /** Keys that are ready, without delayed ones and those being worked on. */
  get depth(): number {
    return this.#ready.size;
  }

  get delayedCount(): number {
    return this.#delayed.size;
  }

  get processingCount(): number {
    return this.#processingCount;
  }

  /** Ready keys by priority. */
  depths(): [priority: number, count: number][] {
    return this.#ready.counts();
  }

  /** The keys that workers hold, and since how many seconds. */
  processing(): { readonly key: string; readonly seconds: number }[] {
    const now = this.#clock.monotonic();
    const held = [...this.#entries.values()].filter((entry) => entry.isProcessing);
    return held.map((entry) => ({ key: entry.key, seconds: (now - entry.startedAt) / 1000 }));
  }

  #makeDirty(entry: Entry, priority: number): void {
    entry.isDirty = true;
    entry.nextPriority = priority;
    entry.queuedAt = this.#clock.monotonic();
    this.#observer?.added();
    if (!entry.isProcessing) this.#ready.push(entry, priority);
  }

  /** Answers the entry that stands for the key from now on. */
  #raise(entry: Entry, priority: number): Entry {
    if (entry.isProcessing) {
      entry.nextPriority = priority;
      return entry;
    }
    // the old slot stays in its band until it is skipped, so what moves is a new entry
    this.#ready.discard(entry, entry.nextPriority);
    const moved = Object.assign(new Entry(entry.key), entry, { nextPriority: priority });
    this.#entries.set(entry.key, moved);
    this.#ready.push(moved, priority);
    return moved;
  }

  #handOver(): void {
    while (this.#waiting.length > 0 && this.#ready.size > 0) this.#waiting.shift()?.(this.tryGet());
  }

  #finish(): void {
    if (this.#ready.size > 0) return;
    for (const resolve of this.#waiting.splice(0)) resolve(undefined);
    if (this.#processingCount === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }
}

const noOptions: AddOptions = {};
const timerCause: Cause = { event: "timer" };

function addCause(entry: Entry, cause: Cause): void {
  if (entry.nextCauses === undefined) entry.nextCauses = [cause];
  else if (entry.nextCauses.length < causesMax) entry.nextCauses.push(cause);
}
