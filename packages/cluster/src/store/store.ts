import { deepFreeze, jsonEqual } from "@bowline/api";
import { Bucket, type BucketHost, type HistoryPolicy } from "./bucket.ts";
import type { Journal } from "./journal.ts";
import type { Revision, StoredObject } from "./revision.ts";
import type { StoreEvent } from "./watch-hub.ts";

/** Options of a store; every limit has a default that suits a cluster of a hundred thousand objects. */
export interface StoreOptions {
  /** Wall clock, milliseconds: ages of history are judged by it. */
  readonly now: () => number;
  /** Default: 100,000 events per resource, five minutes. */
  readonly history?: Partial<HistoryPolicy>;
  /** Events a watcher may leave untaken before it is closed. Default 100,000. */
  readonly subscriptionPendingMax?: number;
  /** Keeps commits beyond the process; what it holds already is taken in. */
  readonly journal?: Journal | undefined;
}

/** The state of a store at one moment. Shares all objects with it, so that it costs next to nothing. */
export interface StoreSnapshot {
  /** The counter at that moment. */
  readonly revision: number;
  readonly buckets: ReadonlyMap<string, readonly Revision[]>;
}

/** What putting a snapshot back has changed. */
export interface RestoredDifference {
  /** The counter afterwards. */
  readonly revision: number;
  /** Objects that were missing or different. */
  readonly written: number;
  readonly deleted: number;
}

/**
 * Revisions that are left out after a restart: watchers may have seen some that the journal had not yet taken, and no
 * revision may ever name two states.
 */
const restartGap = 1000;

/**
 * What a cluster knows, in memory: one bucket per resource and one revision counter over all of them, so that every
 * resourceVersion is unique and ordered. Commits are synchronous; a reader never sees half of one.
 */
export class Store {
  readonly #buckets = new Map<string, Bucket>();
  readonly #host: BucketHost;
  readonly #listeners = new Set<(bucket: Bucket, event: StoreEvent) => void>();
  readonly #journal: Journal | undefined;
  /** History of a restarted store begins here. */
  readonly #floor: number;
  #revision: number;

  constructor(options: StoreOptions) {
    this.#journal = options.journal;
    const content = options.journal?.read();
    this.#floor = content === undefined || content.revision === 0 ? 0 : content.revision + restartGap;
    this.#revision = Math.max(1, this.#floor);
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
        this.#journal?.append(bucket.name, event);
        for (const listener of this.#listeners) listener(bucket, event);
      },
    };
    for (const { bucket, key, revision, object } of content?.entries ?? [])
      this.bucket(bucket).load(key, revision, object);
  }

  /** Resolves when everything committed so far survives the end of the process; at once without a journal. */
  flushed(): Promise<void> | undefined {
    return this.#journal?.flush();
  }

  /** What is stored now. */
  snapshot(): StoreSnapshot {
    return {
      revision: this.#revision,
      buckets: new Map([...this.#buckets].map(([name, bucket]) => [name, bucket.list("")])),
    };
  }

  /**
   * Makes the store hold what it held at a snapshot. What differs is deleted and written as anybody would, with new
   * revisions, so that watches go on and see exactly the difference. A snapshot of another store moves the counter past
   * its own: no revision may ever name two states.
   */
  restore(snapshot: StoreSnapshot): RestoredDifference {
    this.#revision = Math.max(this.#revision, snapshot.revision);
    let [written, deleted] = [0, 0];
    for (const name of new Set([...this.#buckets.keys(), ...snapshot.buckets.keys()])) {
      const bucket = this.bucket(name);
      const wanted = new Map((snapshot.buckets.get(name) ?? []).map((revision) => [revision.key, revision]));
      for (const current of bucket.list("")) {
        if (wanted.has(current.key)) continue;
        bucket.remove(current.key, current, (version) => withVersion(current.object, version));
        deleted++;
      }
      for (const revision of wanted.values()) {
        const current = bucket.get(revision.key);
        if (current !== undefined && isSameState(current, revision)) continue;
        bucket.put(revision.key, current, (version) => withVersion(revision.object, version));
        written++;
      }
    }
    return { revision: this.#revision, written, deleted };
  }

  /** The counter: the revision of the newest write to any bucket. */
  get revision(): number {
    return this.#revision;
  }

  /** The bucket of a resource, made on first use. `name` is `group/plural`. */
  bucket(name: string): Bucket {
    let bucket = this.#buckets.get(name);
    if (bucket === undefined) {
      bucket = new Bucket(name, this.#host, this.#floor);
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

  /** Ends all watches, and gives the journal back when everything is in it. */
  async close(): Promise<void> {
    for (const bucket of this.#buckets.values()) bucket.closeSubscriptions();
    await this.#journal?.close();
  }
}

/** Versions of another store say nothing: only the content counts. */
function isSameState(a: Revision, b: Revision): boolean {
  return a === b || jsonEqual(withVersion(a.object, ""), withVersion(b.object, ""));
}

function withVersion(object: StoredObject, resourceVersion: string): StoredObject {
  return deepFreeze({ ...object, metadata: { ...object.metadata, resourceVersion } }) as StoredObject;
}
