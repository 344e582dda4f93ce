/**
 * One open watch: what the store commits, as this client asked to see it.
 * Source: k8s.io/apiserver pkg/storage/cacher, pkg/endpoints/handlers/watch.go.
 */
import { type DeepReadonly, type KubeObject, type Status, deepFreeze } from "@bowline/api";
import type { Clock, Timer, WatchEvent } from "@bowline/client";
import type { Resource } from "../registry/resource.ts";
import { Revision, type StoredObject } from "../store/revision.ts";
import type { StoreEvent, Subscription } from "../store/watch-hub.ts";
import { withMetadata } from "../registry/metadata.ts";

/** One event on its way out. `revision` has the object and, for JSON, its cached bytes; absent for errors and tables. */
export interface OutgoingEvent {
  readonly type: WatchEvent["type"];
  readonly object: unknown;
  readonly revision: Revision | undefined;
}

export interface WatchSessionOptions {
  readonly resource: Resource;
  readonly subscription: Subscription;
  /** Selectors of the client, on objects of the request's version. */
  readonly matches: ((object: StoredObject) => boolean) | undefined;
  /** What to send first, as ADDED. */
  readonly initial: readonly Revision[];
  /** Revision of the initial state: the bookmark that ends the initial events carries it. Undefined: no such bookmark. */
  readonly initialEndRevision: number | undefined;
  readonly bookmarks: boolean;
  /** The store's counter: what a bookmark carries when every event was taken. */
  readonly currentRevision: () => number;
  readonly clock: Clock;
  /** Milliseconds after which the stream ends. */
  readonly timeoutMs: number;
  /** Turns an event into what the client negotiated (a Table, metadata only); undefined for plain objects. */
  readonly transform: ((event: OutgoingEvent, first: boolean) => OutgoingEvent) | undefined;
}

/** How often an idle watch gets a bookmark, milliseconds. */
const bookmarkEveryMs = 60_000;

/** How long a watch must have lasted to get a bookmark at its end, milliseconds. Source: cacher/cache_watcher.go. */
const lastBookmarkMs = 2_000;

/** An async iterator over batches of events; ends when the time is over, the store closes, or `close` is called. */
export class WatchSession implements AsyncIterable<readonly OutgoingEvent[]> {
  readonly #options: WatchSessionOptions;
  #wake: (() => void) | undefined;
  #due: OutgoingEvent[] = [];
  #timedOut = false;
  #closed = false;
  #sentAny = false;
  #timers: Timer[] = [];
  readonly #onClose: (() => void)[] = [];

  constructor(options: WatchSessionOptions) {
    this.#options = options;
    const { clock, timeoutMs, subscription } = options;
    this.#timers.push(clock.setTimer(timeoutMs, () => this.#timeOut()));
    if (options.bookmarks) this.#scheduleBookmark();
    subscription.onChange(() => this.#wake?.());
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const timer of this.#timers) timer.cancel();
    this.#options.subscription.close();
    this.#wake?.();
    for (const listener of this.#onClose) listener();
  }

  /** Called when it is over. */
  onClose(listener: () => void): void {
    this.#onClose.push(listener);
  }

  /** Ends it when the signal is aborted; a signal that lives longer keeps nothing of it. */
  endWith(signal: AbortSignal): void {
    const end = (): void => this.close();
    signal.addEventListener("abort", end, { once: true });
    this.onClose(() => signal.removeEventListener("abort", end));
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<readonly OutgoingEvent[], void, undefined> {
    try {
      if (this.#closed) return;
      const initial = await this.#initialEvents();
      if (initial.length > 0) yield initial;
      while (!this.#closed) {
        const batch = await this.#nextBatch();
        if (batch === undefined) return;
        if (batch.length > 0) yield batch;
      }
    } finally {
      this.close();
    }
  }

  async #initialEvents(): Promise<OutgoingEvent[]> {
    const { resource, initial, initialEndRevision } = this.#options;
    const events: OutgoingEvent[] = [];
    for (const seen of await resource.see(initial)) {
      if (this.#matches(seen.object)) events.push(this.#outgoing("ADDED", seen));
    }
    if (initialEndRevision !== undefined) {
      events.push(this.#bookmark(initialEndRevision, { "k8s.io/initial-events-end": "true" }));
    }
    return events;
  }

  /** The next events; undefined when the stream is over. */
  async #nextBatch(): Promise<OutgoingEvent[] | undefined> {
    const { subscription } = this.#options;
    while (
      !this.#closed &&
      subscription.idle &&
      this.#due.length === 0 &&
      !this.#timedOut &&
      subscription.state === "open"
    ) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = undefined;
    }
    if (this.#closed) return undefined;
    const events = await this.#translate(subscription.take());
    events.push(...this.#due.splice(0));
    if (events.length > 0) return events;
    if (subscription.state !== "open" || this.#timedOut) return undefined;
    return events;
  }

  async #translate(taken: readonly StoreEvent[]): Promise<OutgoingEvent[]> {
    const events: OutgoingEvent[] = [];
    for (const event of taken) {
      const seeing = this.#options.resource.see(
        event.previous === undefined ? [event.current] : [event.current, event.previous],
      );
      // only a conversion webhook makes a watcher wait
      const [current, previous] = seeing instanceof Promise ? await seeing : seeing;
      if (current === undefined) continue;
      const outgoing = this.#transition(event, current, previous);
      if (outgoing !== undefined) events.push(outgoing);
    }
    return events;
  }

  /** What a change means to this client: an object that stops matching is deleted to it, one that starts is added. */
  #transition(
    event: StoreEvent,
    current: Revision,
    previous: Revision | undefined,
  ): OutgoingEvent | undefined {
    const now = !event.deleted && this.#matches(current.object);
    const before = previous !== undefined && this.#matches(previous.object);
    if (now) return this.#outgoing(before ? "MODIFIED" : "ADDED", current);
    if (!before || previous === undefined) return undefined;
    if (event.deleted) return this.#outgoing("DELETED", current);
    const left = deepFreeze(
      withMetadata(previous.object, { resourceVersion: String(event.revision) }),
    ) as StoredObject;
    return this.#outgoing("DELETED", new Revision(event.key, event.revision, left));
  }

  #matches(object: StoredObject): boolean {
    return this.#options.matches === undefined || this.#options.matches(object);
  }

  #outgoing(type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK", revision: Revision): OutgoingEvent {
    const event: OutgoingEvent = { type, object: revision.object, revision };
    const first = !this.#sentAny;
    this.#sentAny = true;
    return this.#options.transform?.(event, first) ?? event;
  }

  #bookmark(revision: number, annotations?: Record<string, string>): OutgoingEvent {
    const { api } = this.#options.resource;
    const object = deepFreeze({
      apiVersion: api.group === "" ? api.version : `${api.group}/${api.version}`,
      kind: api.kind,
      metadata: { ...(annotations === undefined ? {} : { annotations }), resourceVersion: String(revision) },
    }) as StoredObject;
    return this.#outgoing("BOOKMARK", new Revision("", revision, object));
  }

  #scheduleBookmark(): void {
    const timer = this.#options.clock.setTimer(bookmarkEveryMs, () => {
      this.#timers = this.#timers.filter((t) => t !== timer);
      this.#offerBookmark();
      if (!this.#closed) this.#scheduleBookmark();
    });
    this.#timers.push(timer);
  }

  #timeOut(): void {
    const { bookmarks, timeoutMs } = this.#options;
    if (bookmarks && timeoutMs >= lastBookmarkMs) this.#offerBookmark();
    this.#timedOut = true;
    this.#wake?.();
  }

  /** A bookmark is true only when every event up to the store's counter has been taken. */
  #offerBookmark(): void {
    if (!this.#options.subscription.idle || this.#due.length > 0) return;
    this.#due.push(this.#bookmark(this.#options.currentRevision()));
    this.#wake?.();
  }
}

/** An ERROR event, the last of its stream. */
export function errorEvent(status: DeepReadonly<Status> | DeepReadonly<KubeObject>): OutgoingEvent {
  return { type: "ERROR", object: status, revision: undefined };
}
