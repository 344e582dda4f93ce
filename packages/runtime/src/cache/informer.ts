import { type AnyKind, type DeepReadonly, type KubeObject, jsonEqual } from "@bowline/api";
import { type ObjectEvent, type Timer } from "@bowline/client";

import { objectKey } from "../controller/request.ts";
import { type Logger, silentLogger } from "../manager/logger.ts";
import type { CacheEvent } from "./cache-event.ts";
import { type IndexFunction, Indexer, namespaceIndex, namespaceOf } from "./indexer.ts";
import {
  Reflector,
  type ReflectorDependencies,
  type ReflectorReport,
  type ReflectorScope,
  type ReflectorSettings,
  type ReflectorTarget,
} from "./reflector.ts";
import { compareResourceVersions } from "./resource-version.ts";
import { type Transform, stripManagedFields } from "./transform.ts";

type Frozen = DeepReadonly<KubeObject>;

/** A registered handler. */
export interface HandlerRegistration {
  /** True when the handler has seen every object of the initial list, not just the store. */
  readonly hasSynced: boolean;
  /** Takes the handler off; it gets no event any more. Safe to call twice. */
  remove(): void;
}

/**
 * A local copy of one kind's objects, kept equal to the server's by list and watch, and telling its handlers every
 * difference. Objects are frozen and shared by everyone: reading never copies.
 */
export interface Informer<T extends KubeObject = KubeObject> {
  readonly kind: AnyKind;
  /** True when the first list is in the store and told to the handlers that were there. */
  readonly hasSynced: boolean;
  /**
   * Handlers are called in the order of registration, one event after the other; one that throws harms no other. A
   * handler that comes later first gets every object as `added`.
   */
  addHandler(handler: (event: CacheEvent<T>) => void): HandlerRegistration;
  /** The object under `namespace/name` (`/name`), as the store has it now. */
  getByKey(key: string): DeepReadonly<T> | undefined;
  /** Every object. The iterator reads the live store: do not keep it over an await. */
  values(): IterableIterator<DeepReadonly<T>>;
  readonly size: number;
  /** Starts it, if it does not run yet. */
  start(): void;
  /** Waits for the first list. @throws the signal's reason; Error when the informer is stopped first */
  waitForSync(signal?: AbortSignal): Promise<void>;
  /** Resolves when no request of it is under way any more. It may be started again. */
  stop(): Promise<void>;
  /** How its reflector fares. */
  readonly report: ReflectorReport;
}

export interface InformerOptions extends ReflectorSettings {
  readonly kind: AnyKind;
  readonly scope?: ReflectorScope;
  /** What is kept of an object. Default: everything but managedFields. */
  readonly transform?: Transform | undefined;
  /** Every so often all objects are told again as updates with `object === old`. Default: never. */
  readonly resyncMs?: number | undefined;
  readonly dependencies: ReflectorDependencies;
}

interface Registration {
  readonly handler: (event: CacheEvent) => void;
  hasSynced: boolean;
}

/** The one implementation of `Informer`. */
export class SharedInformer implements Informer, ReflectorTarget {
  readonly kind: AnyKind;
  readonly indexer: Indexer = new Indexer();
  readonly #reflector: Reflector;
  readonly #transform: Transform;
  readonly #log: Logger;
  readonly #options: InformerOptions;
  readonly #registrations = new Set<Registration>();
  readonly #progressListeners = new Set<() => void>();
  readonly #syncWaiters = new Set<() => void>();
  #hasSynced = false;
  #resourceVersion = "";
  #running: { readonly stop: AbortController; readonly over: Promise<void> } | undefined;
  #resyncTimer: Timer | undefined;
  #handlerErrorCount = 0;

  constructor(options: InformerOptions) {
    this.kind = options.kind;
    this.#options = options;
    this.#transform = options.transform ?? stripManagedFields;
    this.#log = options.dependencies.log ?? silentLogger;
    this.indexer.addIndex(namespaceIndex, namespaceOf);
    this.#reflector = new Reflector({
      kind: options.kind,
      scope: options.scope ?? {},
      settings: options,
      target: this,
      dependencies: options.dependencies,
    });
  }

  get hasSynced(): boolean {
    return this.#hasSynced;
  }

  get size(): number {
    return this.indexer.size;
  }

  /** How far the store is: it has seen every change up to this version. */
  get resourceVersion(): string {
    return this.#resourceVersion;
  }

  /** How many times a handler has thrown. */
  get handlerErrorCount(): number {
    return this.#handlerErrorCount;
  }

  get report(): ReflectorReport {
    return this.#reflector.report;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  getByKey(key: string): Frozen | undefined {
    return this.indexer.get(key);
  }

  values(): IterableIterator<Frozen> {
    return this.indexer.values();
  }

  addIndex(name: string, index: IndexFunction): void {
    this.indexer.addIndex(name, index);
  }

  addHandler(handler: (event: CacheEvent) => void): HandlerRegistration {
    const registration: Registration = { handler, hasSynced: this.#hasSynced };
    for (const [key, object] of this.#hasSynced ? [...this.indexer.entries()] : []) {
      this.#tell(registration, { type: "added", key, object, isInitialList: true });
    }
    this.#registrations.add(registration);
    return {
      get hasSynced() {
        return registration.hasSynced;
      },
      remove: () => void this.#registrations.delete(registration),
    };
  }

  get handlerCount(): number {
    return this.#registrations.size;
  }

  /** Calls `listener` after every change and bookmark. Answers how to take it off. */
  onProgress(listener: () => void): () => void {
    this.#progressListeners.add(listener);
    return () => void this.#progressListeners.delete(listener);
  }

  start(): void {
    if (this.#running !== undefined) return;
    const stop = new AbortController();
    this.#running = { stop, over: this.#reflector.run(stop.signal) };
    this.#scheduleResync();
  }

  async stop(): Promise<void> {
    const running = this.#running;
    this.#resyncTimer?.cancel();
    if (running === undefined) return;
    running.stop.abort(new Error(`the informer of ${this.kind.kind} is stopped`));
    await running.over;
    if (this.#running === running) this.#running = undefined;
  }

  waitForSync(signal?: AbortSignal): Promise<void> {
    if (this.#hasSynced) return Promise.resolve();
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const onSync = (): void => {
        signal?.removeEventListener("abort", onAbort);
        resolve();
      };
      const onAbort = (): void => {
        this.#syncWaiters.delete(onSync);
        reject(signal?.reason);
      };
      this.#syncWaiters.add(onSync);
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  }

  /** A list: the store becomes exactly this, and handlers are told the net difference. */
  replace(items: readonly Frozen[], resourceVersion: string): void {
    const before = this.indexer;
    const after = new Map<string, Frozen>();
    const events: CacheEvent[] = [];
    const isInitialList = !this.#hasSynced;
    // a server that was restored from an older state gives versions out a second time
    const isRewound = (compareResourceVersions(resourceVersion, this.#resourceVersion) ?? 0) < 0;
    for (const item of items) {
      const key = objectKey(item);
      const old = before.get(key);
      const object = old !== undefined && isSameState(old, item, isRewound) ? old : this.#transform(item);
      after.set(key, object);
      if (object !== old)
        pushDifference(events, key, old, object, { isInitialList, isFinalStateUnknown: true });
    }
    for (const [key, object] of before.entries()) {
      if (!after.has(key)) events.push({ type: "deleted", key, object, isFinalStateUnknown: true });
    }
    before.replaceAll(after);
    this.#resourceVersion = resourceVersion;
    for (const event of events) this.#tellAll(event);
    this.#markSynced();
    this.#progress();
  }

  apply(events: readonly ObjectEvent<Frozen>[], resourceVersion: string): void {
    for (const event of events) {
      if (event.type !== "BOOKMARK") this.#applyOne(event);
    }
    this.#resourceVersion = resourceVersion;
    this.#progress();
  }

  #applyOne(event: Exclude<ObjectEvent<Frozen>, { type: "BOOKMARK" }>): void {
    const key = objectKey(event.object);
    const old = this.indexer.get(key);
    const differences: CacheEvent[] = [];
    if (event.type === "DELETED") {
      if (old === undefined) return;
      this.indexer.delete(key);
      const isOld = old.metadata.uid !== event.object.metadata.uid;
      const object = isOld ? old : this.#transform(event.object);
      differences.push({ type: "deleted", key, object, isFinalStateUnknown: isOld });
    } else {
      // a watch opened again may repeat what was seen
      if (old !== undefined && old.metadata.resourceVersion === event.object.metadata.resourceVersion) return;
      const object = this.#transform(event.object);
      this.indexer.set(key, object);
      pushDifference(differences, key, old, object, { isInitialList: false, isFinalStateUnknown: true });
    }
    for (const difference of differences) this.#tellAll(difference);
  }

  #markSynced(): void {
    if (this.#hasSynced) return;
    this.#hasSynced = true;
    for (const registration of this.#registrations) registration.hasSynced = true;
    for (const waiter of this.#syncWaiters) waiter();
    this.#syncWaiters.clear();
  }

  #progress(): void {
    for (const listener of this.#progressListeners) listener();
  }

  #tellAll(event: CacheEvent): void {
    for (const registration of this.#registrations) this.#tell(registration, event);
  }

  #tell(registration: Registration, event: CacheEvent): void {
    try {
      registration.handler(event);
    } catch (error) {
      this.#handlerErrorCount++;
      const fields = { kind: this.kind.kind, object: event.key, event: event.type, err: error };
      this.#log.error(fields, "an event handler threw; other handlers and events are not affected");
    }
  }

  #scheduleResync(): void {
    const { resyncMs, dependencies } = this.#options;
    if (resyncMs === undefined) return;
    // a spread of a tenth either way keeps informers from replaying together
    const inMs = resyncMs * (0.9 + 0.2 * dependencies.random.next());
    this.#resyncTimer = dependencies.clock.setTimer(inMs, () => {
      for (const [key, object] of [...this.indexer.entries()]) {
        this.#tellAll({ type: "updated", key, object, old: object, isResync: true });
      }
      this.#scheduleResync();
    });
  }
}

function isSameState(old: Frozen, item: Frozen, isRewound: boolean): boolean {
  const [a, b] = [old.metadata, item.metadata];
  if (a.resourceVersion !== b.resourceVersion || a.uid !== b.uid) return false;
  return !isRewound || jsonEqual(stripManagedFields(old), stripManagedFields(item));
}

/** The difference between two states of a key; an object with another uid is another object. */
function pushDifference(
  events: CacheEvent[],
  key: string,
  old: Frozen | undefined,
  object: Frozen,
  how: { readonly isInitialList: boolean; readonly isFinalStateUnknown: boolean },
): void {
  if (old !== undefined && old.metadata.uid === object.metadata.uid) {
    events.push({ type: "updated", key, object, old, isResync: false });
    return;
  }
  if (old !== undefined) {
    events.push({ type: "deleted", key, object: old, isFinalStateUnknown: how.isFinalStateUnknown });
  }
  events.push({ type: "added", key, object, isInitialList: how.isInitialList });
}
