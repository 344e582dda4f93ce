import type { Revision, StoredObject } from "./revision.ts";
import { Revision as RevisionValue } from "./revision.ts";
import { SortedMap } from "./sorted-map.ts";
import { type StoreEvent, Subscription } from "./watch-hub.ts";

/** The state that a write was computed from is no longer the stored one: read again and repeat. */
export class StaleWrite extends Error {
  override readonly name: string = "StaleWrite";
}

/** History before `compacted` is gone: a watch or an exact list from `asked` cannot be answered. */
export class Compacted extends Error {
  override readonly name: string = "Compacted";
  readonly asked: number;
  readonly compacted: number;
  constructor(asked: number, compacted: number) {
    super(`revision ${asked} has been compacted, the oldest is ${compacted}`);
    this.asked = asked;
    this.compacted = compacted;
  }
}

/** How much history a bucket keeps for watches and exact lists. Both limits apply; the newer floor wins. */
export interface HistoryPolicy {
  /** Events kept per bucket. */
  readonly eventsMax: number;
  /** Age of the oldest event, milliseconds. The real server compacts every five minutes. */
  readonly ageMaxMs: number;
}

/** What a bucket needs of its store: the one revision counter, the clock and the limits. */
export interface BucketHost {
  readonly policy: HistoryPolicy;
  readonly subscriptionPendingMax: number;
  nextRevision(): number;
  currentRevision(): number;
  now(): number;
  committed(bucket: Bucket, event: StoreEvent): void;
}

/**
 * All objects of one resource, with the recent history of their changes. Every write names the state it was computed
 * from and fails with StaleWrite when that is not the stored one, which is what makes optimistic concurrency exact.
 *
 * Example of the history: put a (1), put b (2), put a (3), delete b (4). A list at 2 takes today's state {a@3} and undoes
 * 4 and 3: {a@1, b@2}.
 */
export class Bucket {
  /** `group/plural`, with an empty group for core: `/pods`, `apps/deployments`. */
  readonly name: string;
  readonly #host: BucketHost;
  readonly #live = new SortedMap<Revision>();
  readonly #subscriptions = new Set<Subscription>();
  /** Events after #floor, oldest first, starting at index #head. */
  #log: StoreEvent[] = [];
  #head = 0;
  #floor: number;

  constructor(name: string, host: BucketHost, floor = 0) {
    this.name = name;
    this.#host = host;
    this.#floor = floor;
  }

  get size(): number {
    return this.#live.size;
  }

  /** Watches and exact lists can start at this revision or later. */
  get floor(): number {
    return this.#floor;
  }

  get subscriptionCount(): number {
    return this.#subscriptions.size;
  }

  get(key: string): Revision | undefined {
    return this.#live.get(key);
  }

  /**
   * Writes one object. `make` gets the new resourceVersion and returns the object, frozen.
   * @param expected what `get` gave when the write was computed; undefined for a create
   * @throws StaleWrite
   */
  put(
    key: string,
    expected: Revision | undefined,
    make: (resourceVersion: string) => StoredObject,
  ): Revision {
    const previous = this.#require(key, expected);
    const revision = this.#host.nextRevision();
    const current = new RevisionValue(key, revision, make(String(revision)));
    this.#live.set(key, current);
    this.#commit({ revision, key, current, deleted: false, previous, at: this.#host.now() });
    return current;
  }

  /**
   * Deletes one object. `make` gets the delete's own resourceVersion and the stored object, and returns the last state.
   * @throws StaleWrite
   */
  remove(key: string, expected: Revision, make: (resourceVersion: string) => StoredObject): Revision {
    const previous = this.#require(key, expected);
    const revision = this.#host.nextRevision();
    const current = new RevisionValue(key, revision, make(String(revision)));
    this.#live.delete(key);
    this.#commit({ revision, key, current, deleted: true, previous, at: this.#host.now() });
    return current;
  }

  /** Takes an object in as it was stored before this process began. History starts after it. */
  load(key: string, revision: number, object: StoredObject): void {
    this.#live.set(key, new RevisionValue(key, revision, object));
  }

  /** Today's objects whose key starts with `prefix`, in key order. */
  list(prefix: string): Revision[] {
    const found: Revision[] = [];
    for (const revision of this.#live.valuesFrom(prefix)) {
      if (!revision.key.startsWith(prefix)) break;
      found.push(revision);
    }
    return found;
  }

  /**
   * The objects as they were at `revision`, in key order.
   * @throws Compacted
   */
  listAt(revision: number, prefix: string): Revision[] {
    if (revision >= this.#host.currentRevision()) return this.list(prefix);
    const undone = new Map<string, Revision | undefined>();
    for (const event of this.#eventsAfter(revision).reverse()) {
      if (event.key.startsWith(prefix)) undone.set(event.key, event.previous);
    }
    if (undone.size === 0) return this.list(prefix);
    const kept = this.list(prefix).filter((r) => !undone.has(r.key));
    for (const old of undone.values()) if (old !== undefined) kept.push(old);
    return kept.sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  /**
   * Events after revision `from` that `accepts` lets through: those of the past at once, then the new ones.
   * @throws Compacted
   */
  subscribe(from: number, accepts: (event: StoreEvent) => boolean): Subscription {
    const subscription = new Subscription({
      accepts,
      pendingMax: this.#host.subscriptionPendingMax,
      onClose: (ended) => this.#subscriptions.delete(ended),
      replay: from >= this.#host.currentRevision() ? [] : this.#eventsAfter(from),
    });
    this.#subscriptions.add(subscription);
    return subscription;
  }

  /** Forgets history up to and including `revision`. */
  compact(revision: number): void {
    if (revision <= this.#floor) return;
    this.#floor = Math.min(revision, this.#host.currentRevision());
    while (this.#head < this.#log.length && (this.#log[this.#head] as StoreEvent).revision <= this.#floor)
      this.#head++;
    this.#reclaim();
  }

  /** Ends all watches, as a server does that restarts. */
  closeSubscriptions(): void {
    for (const subscription of [...this.#subscriptions]) subscription.close();
  }

  #require(key: string, expected: Revision | undefined): Revision | undefined {
    const current = this.#live.get(key);
    if (current !== expected) throw new StaleWrite(`${this.name} ${key} was changed meanwhile`);
    return current;
  }

  #commit(event: StoreEvent): void {
    this.#log.push(event);
    this.#trim(event.at);
    this.#host.committed(this, event);
    for (const subscription of this.#subscriptions) subscription.offer(event);
  }

  #eventsAfter(revision: number): StoreEvent[] {
    if (revision < this.#floor) throw new Compacted(revision, this.#floor);
    let low = this.#head;
    let high = this.#log.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#log[middle] as StoreEvent).revision <= revision) low = middle + 1;
      else high = middle;
    }
    return this.#log.slice(low);
  }

  #trim(now: number): void {
    const { eventsMax, ageMaxMs } = this.#host.policy;
    const oldest = now - ageMaxMs;
    while (this.#head < this.#log.length) {
      const event = this.#log[this.#head] as StoreEvent;
      if (this.#log.length - this.#head <= eventsMax && event.at >= oldest) break;
      this.#floor = event.revision;
      this.#head++;
    }
    this.#reclaim();
  }

  /** Gives the dropped front of the log back once it is the larger half, so that a commit costs constant time on average. */
  #reclaim(): void {
    if (this.#head > 1024 && this.#head * 2 > this.#log.length) {
      this.#log = this.#log.slice(this.#head);
      this.#head = 0;
    } else if (this.#head > 0 && this.#head === this.#log.length) {
      this.#log = [];
      this.#head = 0;
    }
  }
}
