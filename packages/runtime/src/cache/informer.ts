import type { AnyKind, DeepReadonly, KubeObject } from "@bowline/api";
import { type ObjectEvent, type Timer, sleep } from "@bowline/client";
import { RetryDelay } from "../queue/back-off.ts";

import { objectKey } from "../controller/request.ts";
import { type Logger, silentLogger } from "../manager/logger.ts";
import type { CacheEvent } from "./cache-event.ts";
import { differencesOf, isSameState } from "./difference.ts";
import { type IndexFunction, Indexer, namespaceIndex, namespaceOf } from "./indexer.ts";
import {
  Reflector,
  type ReflectorDependencies,
  type ReflectorReport,
  type ReflectorScope,
  type ReflectorSettings,
  type ReflectorTarget,
} from "./reflector.ts";
import { compareResourceVersions, hasReached } from "./resource-version.ts";
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
  /** Several namespaces instead of that of `scope`: a list and a watch for each. */
  readonly namespaces?: readonly string[] | undefined;
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

/** What one reflector covers: everything of the kind, or one namespace of several. */
interface Slice {
  readonly namespace: string | undefined;
  readonly reflector: Reflector;
  hasSynced: boolean;
  resourceVersion: string;
}

/** The one implementation of `Informer`. */
export class SharedInformer implements Informer {
  readonly kind: AnyKind;
  readonly indexer: Indexer = new Indexer();
  readonly #slices: readonly Slice[];
  readonly #log: Logger;
  readonly #options: InformerOptions;
  readonly #registrations = new Set<Registration>();
  readonly #progressListeners = new Set<(isRewound: boolean) => void>();
  readonly #syncWaiters = new Set<() => void>();
  #hasSynced = false;
  #running: { readonly stop: AbortController; readonly over: Promise<void> } | undefined;
  #resyncTimer: Timer | undefined;
  #handlerErrorCount = 0;

  constructor(options: InformerOptions) {
    this.kind = options.kind;
    this.#options = options;
    this.#log = options.dependencies.log ?? silentLogger;
    this.indexer.addIndex(namespaceIndex, namespaceOf);
    const namespaces = options.namespaces ?? [options.scope?.namespace];
    this.#slices = namespaces.map((namespace) => this.#slice(namespace));
  }

  get hasSynced(): boolean {
    return this.#hasSynced;
  }

  get size(): number {
    return this.indexer.size;
  }

  /** How far the store is in a namespace: it has seen every change there up to this version. */
  resourceVersionOf(namespace: string): string {
    const slice = this.#slices.find((s) => s.namespace === namespace) ?? this.#slices[0];
    return slice?.resourceVersion ?? "";
  }

  /** Whether the whole store has seen every change up to a version. */
  hasReached(resourceVersion: string): boolean {
    return this.#slices.every((slice) => hasReached(slice.resourceVersion, resourceVersion));
  }

  /** How many times a handler has thrown. */
  get handlerErrorCount(): number {
    return this.#handlerErrorCount;
  }

  get report(): ReflectorReport {
    const reports = this.#slices.map((slice) => slice.reflector.report);
    const worst = reports.reduce((a, b) => (b.failuresInRow > a.failuresInRow ? b : a));
    const sum = (count: (report: ReflectorReport) => number): number =>
      reports.reduce((total, report) => total + count(report), 0);
    return { ...worst, listCount: sum((r) => r.listCount), watchCount: sum((r) => r.watchCount) };
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

  /** An index function that throws finds the object under no value; it is logged. */
  addIndex(name: string, index: IndexFunction): void {
    this.indexer.addIndex(name, (object) => {
      try {
        return index(object);
      } catch (error) {
        this.#log.error(
          { kind: this.kind.kind, index: name, object: objectKey(object), err: error },
          "an index function threw",
        );
        return [];
      }
    });
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

  /**
   * Calls `listener` after every change and bookmark; `isRewound` when the server went back to an older state. Answers how
   * to take it off.
   */
  onProgress(listener: (isRewound: boolean) => void): () => void {
    this.#progressListeners.add(listener);
    return () => void this.#progressListeners.delete(listener);
  }

  start(): void {
    const before = this.#running;
    if (before !== undefined && !before.stop.signal.aborted) return;
    const stop = new AbortController();
    // a start right after a stop waits until the requests of before have ended
    const over = (before?.over ?? Promise.resolve()).then(async () => {
      await Promise.all(this.#slices.map((slice) => this.#supervise(slice.reflector, stop.signal)));
    });
    this.#running = { stop, over };
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

  #slice(namespace: string | undefined): Slice {
    const { kind, scope, transform, dependencies } = this.#options;
    const target: ReflectorTarget = {
      replace: (items, version) => this.#replace(slice, items, version),
      apply: (events, version) => this.#apply(slice, events, version),
    };
    const reflector = new Reflector({
      kind,
      scope: { ...scope, namespace },
      settings: this.#options,
      target,
      transform: transform ?? stripManagedFields,
      dependencies,
    });
    const slice: Slice = { namespace, reflector, hasSynced: false, resourceVersion: "" };
    return slice;
  }

  /** A reflector never ends by itself; one that does is started again. */
  async #supervise(reflector: Reflector, signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#options.dependencies;
    const retry = new RetryDelay({ clock, random });
    while (!signal.aborted) {
      try {
        await reflector.run(signal);
      } catch (error) {
        this.#log.error({ kind: this.kind.kind, err: error }, "a reflector failed; it is started again");
      }
      if (!signal.aborted) await sleep(clock, retry.next(), signal).catch(() => undefined);
    }
  }

  /** A list: the slice of the store becomes exactly this, and handlers are told the net difference. */
  #replace(slice: Slice, items: readonly Frozen[], resourceVersion: string): void {
    const events: CacheEvent[] = [];
    const isRewound = (compareResourceVersions(resourceVersion, slice.resourceVersion) ?? 0) < 0;
    const isWhole = this.#slices.length === 1;
    const outside = (key: string): boolean => !isWhole && !key.startsWith(`${slice.namespace}/`);
    const before = [...this.indexer.entries()];
    const after = new Map(isWhole ? [] : before.filter(([key]) => outside(key)));
    for (const item of items) {
      const key = objectKey(item);
      const old = this.indexer.get(key);
      const object = old !== undefined && isSameState(old, item, isRewound) ? old : item;
      after.set(key, object);
      if (object !== old) events.push(...differencesOf(key, old, object, !slice.hasSynced));
    }
    for (const [key, object] of before) {
      if (!after.has(key)) events.push({ type: "deleted", key, object, isFinalStateUnknown: true });
    }
    this.indexer.replaceAll(after);
    slice.resourceVersion = resourceVersion;
    for (const event of events) this.#tellAll(event);
    slice.hasSynced = true;
    this.#markSynced();
    this.#progress(isRewound);
  }

  #apply(slice: Slice, events: readonly ObjectEvent<Frozen>[], resourceVersion: string): void {
    for (const event of events) {
      if (event.type !== "BOOKMARK") this.#applyOne(event);
    }
    slice.resourceVersion = resourceVersion;
    this.#progress(false);
  }

  #applyOne(event: Exclude<ObjectEvent<Frozen>, { type: "BOOKMARK" }>): void {
    const key = objectKey(event.object);
    const old = this.indexer.get(key);
    const differences: CacheEvent[] = [];
    if (event.type === "DELETED") {
      if (old === undefined) return;
      this.indexer.delete(key);
      const isOld = old.metadata.uid !== event.object.metadata.uid;
      const object = isOld ? old : event.object;
      differences.push({ type: "deleted", key, object, isFinalStateUnknown: isOld });
    } else {
      // a watch opened again may repeat what was seen
      if (old !== undefined && old.metadata.resourceVersion === event.object.metadata.resourceVersion) return;
      this.indexer.set(key, event.object);
      differences.push(...differencesOf(key, old, event.object, false));
    }
    for (const difference of differences) this.#tellAll(difference);
  }

  #markSynced(): void {
    if (this.#hasSynced || this.#slices.some((slice) => !slice.hasSynced)) return;
    this.#hasSynced = true;
    for (const registration of this.#registrations) registration.hasSynced = true;
    for (const waiter of this.#syncWaiters) waiter();
    this.#syncWaiters.clear();
  }

  #progress(isRewound: boolean): void {
    for (const listener of this.#progressListeners) listener(isRewound);
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
