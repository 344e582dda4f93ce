import { Bucket, type BucketHost, type HistoryPolicy } from "./bucket.ts";
import type { StoreEvent } from "./watch-hub.ts";

/** Options of a store; every limit has a default that suits a cluster of a hundred thousand objects. */
export interface StoreOptions {
  /** Wall clock, milliseconds: ages of history are judged by it. */
  readonly now: () => number;
  /** Default: 100,000 events per resource, five minutes. */
  readonly history?: Partial<HistoryPolicy>;
  /** Events a watcher may leave untaken before it is closed. Default 100,000. */
  readonly subscriptionPendingMax?: number;
  /** The counter's first value. Default 1. */
  readonly revision?: number;
}

/**
 * What a cluster knows, in memory: one bucket per resource and one revision counter over all of them, so that every
 * resourceVersion is unique and ordered. Commits are synchronous; a reader never sees half of one.
 */
export class Store {
  readonly #buckets = new Map<string, Bucket>();
  readonly #host: BucketHost;
  readonly #listeners = new Set<(bucket: Bucket, event: StoreEvent) => void>();
  #revision: number;

  constructor(options: StoreOptions) {
    this.#revision = options.revision ?? 1;
    this.#host = {
      policy: {
        eventsMax: options.history?.eventsMax ?? 100_000,
        ageMaxMs: options.history?.ageMaxMs ?? 300_000,
      },
      subscriptionPendingMax: options.subscriptionPendingMax ?? 100_000,
      nextRevision: () => ++this.#revision,
      currentRevision: () => this.#revision,
      now: options.now,
      committed: (bucket, event) => {
        for (const listener of this.#listeners) listener(bucket, event);
      },
    };
  }

  /** The counter: the revision of the newest write to any bucket. */
  get revision(): number {
    return this.#revision;
  }

  /** The bucket of a resource, made on first use. `name` is `group/plural`. */
  bucket(name: string): Bucket {
    let bucket = this.#buckets.get(name);
    if (bucket === undefined) {
      bucket = new Bucket(name, this.#host);
      this.#buckets.set(name, bucket);
    }
    return bucket;
  }

  /** Calls `listener` after every commit, before watchers hear of it. Returns how to stop. */
  onCommit(listener: (bucket: Bucket, event: StoreEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Forgets all history up to and including `revision`, in every bucket. */
  compact(revision: number): void {
    for (const bucket of this.#buckets.values()) bucket.compact(revision);
  }

  /** Ends all watches. */
  close(): void {
    for (const bucket of this.#buckets.values()) bucket.closeSubscriptions();
  }
}
