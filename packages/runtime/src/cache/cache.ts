import {
  type AnyKind,
  type DeepReadonly,
  type KindOf,
  type KubeObject,
  parseFieldSelector,
  parseLabelSelector,
} from "@bowline/api";
import { type Client, type Clock, type Random } from "@bowline/client";
import { CacheSyncError, MisuseError } from "../errors.ts";
import { type Logger, silentLogger } from "../manager/logger.ts";
import { select } from "./cached-list.ts";
import { type IndexFunction, controllerIndex, controllerUidOf } from "./indexer.ts";
import { type Informer, SharedInformer } from "./informer.ts";
import { OwnWrites, type ReadScope, resourceText } from "./read-your-writes.ts";
import { hasReached } from "./resource-version.ts";
import type { ReflectorReport, ReflectorScope, ReflectorSettings } from "./reflector.ts";
import type { Transform } from "./transform.ts";

/** How a cached read treats writes of this manager that the watch has not shown yet. */
export interface CachedReadOptions {
  /**
   * `"own-writes"` (default): the read waits until the cache has seen every write this manager made to what is read.
   * `"any"`: it answers at once what the cache has.
   */
  readonly consistency?: "own-writes" | "any";
  /** How long it waits for that. Default 10,000. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** What to list from a cache. All given conditions must hold. */
export interface CachedListOptions<T extends KubeObject = KubeObject> extends CachedReadOptions {
  readonly namespace?: string;
  /** A label selector (`app=web,tier in (a,b)`), or labels that must all be equal. */
  readonly labels?: string | Readonly<Record<string, string>>;
  /** A registered index and the value wanted. */
  readonly index?: { readonly name: string; readonly value: string };
  readonly filter?: (object: DeepReadonly<T>) => boolean;
  /** At most so many, the rest is left out. */
  readonly limit?: number;
}

/** What is cached of a kind. */
export interface KindCacheOptions extends ReflectorScope {
  /** Several namespaces, each with a list and a watch of its own. */
  readonly namespaces?: readonly string[];
  /** What is kept of an object. Default: everything but managedFields. */
  readonly transform?: Transform;
}

export interface CacheOptions extends ReflectorSettings {
  /** Only this namespace of every namespaced kind, unless `kinds` says otherwise. */
  readonly namespace?: string;
  /** Only these namespaces of every namespaced kind, unless `kinds` says otherwise: RBAC in each of them suffices. */
  readonly namespaces?: readonly string[];
  /** By `apiVersion/Kind`: `{ "v1/Secret": { labelSelector: "app=web" } }`. */
  readonly kinds?: Readonly<Record<string, KindCacheOptions>>;
  /** All objects are told again to the handlers every so often, +-10 %. Default: never; use a controller's `everyMs`. */
  readonly resyncMs?: number;
  /** Warn when all Secrets, ConfigMaps, Pods or Events of a cluster are cached. Default true. */
  readonly warnUnscoped?: boolean;
  /** How long a first read waits for the first list of its kind. Default 120,000. */
  readonly syncTimeoutMs?: number;
}

/** Informers of one cluster by kind, shared by everything that reads or watches through the cache. */
export interface Cache {
  /** Reads one object; starts an informer on the first use of its kind and waits for it. */
  get<K extends AnyKind>(
    kind: K,
    key: { readonly name: string; readonly namespace?: string | undefined },
    options?: CachedReadOptions,
  ): Promise<DeepReadonly<KindOf<K>> | undefined>;
  /** Lists in the order of the keys. */
  list<K extends AnyKind>(
    kind: K,
    options?: CachedListOptions<KindOf<K>>,
  ): Promise<readonly DeepReadonly<KindOf<K>>[]>;
  /**
   * The informer of a kind, made (not started) on first use. It is shared: handlers are added to it. It lives until the
   * kind is removed; `hold` is for those who will let go of it.
   */
  informer<K extends AnyKind>(kind: K, scope?: ReflectorScope): Informer<KindOf<K>>;
  /**
   * A share in the informer of a kind. When the last one is released its watch ends and its memory is free, unless
   * somebody reads the kind without holding it.
   */
  hold<K extends AnyKind>(kind: K, scope?: ReflectorScope): InformerHold<KindOf<K>>;
  /** Registers an index under a name, also while the informer runs. Registering the same twice is fine. */
  addIndex<K extends AnyKind>(kind: K, name: string, index: IndexFunction<KindOf<K>>): void;
  /**
   * Stops and drops the informer of a kind: its watch ends and its memory is free.
   * @throws MisuseError while somebody holds it: a controller that works with it
   */
  remove(kind: AnyKind): Promise<void>;
  /** What it holds, for health and the debug page. */
  report(): readonly KindReport[];
}

/** One informer in a report. */
export interface KindReport extends ReflectorReport {
  readonly kind: string;
  readonly apiVersion: string;
  readonly scope: ReflectorScope;
  readonly hasSynced: boolean;
  readonly objectCount: number;
  /** Estimated from the JSON of up to 50 objects. */
  readonly bytes: number;
  readonly pendingWriteCount: number;
}

/** A share in an informer. */
export interface InformerHold<T extends KubeObject = KubeObject> {
  readonly informer: Informer<T>;
  /** Lets go of it. Resolves when its requests have ended, if this was the last share. Safe to call twice. */
  release(): Promise<void>;
}

/** A first list that is waited for. */
interface Sync {
  readonly signal: AbortSignal | undefined;
  readonly limitMs: number;
  readonly startedAt: number;
  readonly over: Promise<void>;
}

/** Waits that begin within this time, milliseconds, are one: their limits are much longer. */
const togetherMs = 1000;

interface Entry {
  readonly key: string;
  readonly informer: SharedInformer;
  readonly writes: OwnWrites;
  readonly scope: ReflectorScope;
  holderCount: number;
  /** Somebody who holds no share counts on it. */
  isPinned: boolean;
}

/** A cache that belongs to no manager. */
export interface StandaloneCache extends Cache {
  /** Stops every informer. */
  stop(): Promise<void>;
}

/** A cache for programs that have no manager: `createCache(client)`. Reads do not wait for writes: it does not see any. */
export function createCache(
  client: Client,
  options: CacheOptions & { readonly logger?: Logger } = {},
): StandaloneCache {
  const { clock, random } = client;
  return new InformerCache({ client, clock, random, log: options.logger ?? silentLogger }, options);
}

export interface CacheDependencies {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log?: Logger;
}

/** Kinds that are numerous or large in most clusters: caching them all is rarely meant. */
const heavyKinds: ReadonlySet<string> = new Set(["Secret", "ConfigMap", "Pod", "Event"]);

/** The one implementation of `Cache`. */
export class InformerCache implements Cache {
  readonly #deps: CacheDependencies;
  readonly #options: CacheOptions;
  readonly #log: Logger;
  readonly #entries = new Map<string, Entry>();
  /** First lists that are waited for. */
  readonly #syncs = new Map<SharedInformer, Sync>();
  /** Registered indexes by kind and name: an informer that is dropped and made again has them again. */
  readonly #indexes = new Map<string, Map<string, IndexFunction>>();
  /** Newest version written of each kind: an informer that comes later must have reached it before it is read. */
  readonly #newestWrites = new Map<string, string>();
  readonly #byInformer = new WeakMap<SharedInformer, Entry>();
  #isStopped = false;

  constructor(dependencies: CacheDependencies, options: CacheOptions = {}) {
    this.#deps = dependencies;
    this.#options = options;
    this.#log = dependencies.log ?? silentLogger;
  }

  async get<K extends AnyKind>(
    kind: K,
    key: { readonly name: string; readonly namespace?: string | undefined },
    options: CachedReadOptions = {},
  ): Promise<DeepReadonly<KindOf<K>> | undefined> {
    if (kind.scope === "Namespaced" && !key.namespace) {
      throw new MisuseError(
        `get of ${resourceText(kind)} ${key.name}: the kind is namespaced, and no namespace is given`,
      );
    }
    const storeKey = kind.scope === "Cluster" ? `/${key.name}` : `${key.namespace ?? ""}/${key.name}`;
    const entry = this.#entry(kind);
    const ready = this.#ready(entry, { key: storeKey }, options);
    if (ready !== undefined) await ready;
    return entry.informer.getByKey(storeKey) as DeepReadonly<KindOf<K>> | undefined;
  }

  async list<K extends AnyKind>(
    kind: K,
    options: CachedListOptions<KindOf<K>> = {},
  ): Promise<readonly DeepReadonly<KindOf<K>>[]> {
    const entry = this.#entry(kind);
    const scope = options.namespace === undefined ? "all" : { namespace: options.namespace };
    const ready = this.#ready(entry, scope, options);
    if (ready !== undefined) await ready;
    return select(entry.informer, options as unknown as CachedListOptions) as unknown as DeepReadonly<
      KindOf<K>
    >[];
  }

  informer<K extends AnyKind>(kind: K, scope?: ReflectorScope): Informer<KindOf<K>> {
    const entry = this.#entry(kind, scope);
    entry.isPinned = true;
    return entry.informer as unknown as Informer<KindOf<K>>;
  }

  hold<K extends AnyKind>(
    kind: K,
    scope?: ReflectorScope,
  ): InformerHold<KindOf<K>> & { readonly informer: SharedInformer } {
    const entry = this.#entry(kind, scope);
    entry.holderCount++;
    let isReleased = false;
    const release = async (): Promise<void> => {
      if (isReleased) return;
      isReleased = true;
      entry.holderCount--;
      if (entry.holderCount > 0 || entry.isPinned || this.#entries.get(entry.key) !== entry) return;
      this.#entries.delete(entry.key);
      await entry.informer.stop();
    };
    return { informer: entry.informer as never, release };
  }

  /** The shared informer itself, for the runtime's own parts. */
  shared(kind: AnyKind, scope?: ReflectorScope): SharedInformer {
    return this.#entry(kind, scope).informer;
  }

  addIndex<K extends AnyKind>(kind: K, name: string, index: IndexFunction<KindOf<K>>): void {
    const { key, informer } = this.#entry(kind);
    if (informer.indexer.hasIndex(name)) return;
    const indexes = this.#indexes.get(key) ?? new Map<string, IndexFunction>();
    this.#indexes.set(key, indexes.set(name, index as unknown as IndexFunction));
    informer.addIndex(name, index as unknown as IndexFunction);
  }

  async remove(kind: AnyKind): Promise<void> {
    const prefix = kindKey(kind);
    const entries = [...this.#entries.values()].filter(
      ({ key }) => key === prefix || key.startsWith(`${prefix}?`),
    );
    if (entries.some((entry) => entry.holderCount > 0)) {
      throw new MisuseError(
        `the cache of ${resourceText(kind)} cannot be removed while controllers work with it: remove them first`,
      );
    }
    for (const entry of entries) this.#entries.delete(entry.key);
    await Promise.all(entries.map((entry) => entry.informer.stop()));
  }

  /** Whether an unscoped informer of the kind runs already and has its first list: reading through it starts no watch. */
  isWatching(kind: AnyKind): boolean {
    const informer = this.#entries.get(kindKey(kind))?.informer;
    return informer !== undefined && informer.isRunning && informer.hasSynced;
  }

  /** Stops every informer; a read afterwards answers what the cache has. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(Array.from(this.#entries.values(), (entry) => entry.informer.stop()));
  }

  /** Lets informers start again after `stop`. */
  resume(): void {
    this.#isStopped = false;
  }

  /**
   * The object as the cache has it, when it need not wait: `undefined` as the whole answer means that `get` must be
   * called. The fast way of every reconcile to its object.
   */
  peek(
    informer: SharedInformer,
    key: string,
  ): { readonly object: DeepReadonly<KubeObject> | undefined } | undefined {
    const entry = this.#byInformer.get(informer);
    if (!informer.hasSynced || !entry?.writes.isClear({ key })) return undefined;
    return { object: informer.getByKey(key) };
  }

  /** Waits until the informer has seen this manager's writes of the key. @throws StaleCacheError */
  async waitForOwnWrites(informer: SharedInformer, key: string, options: CachedReadOptions): Promise<void> {
    const entry = this.#byInformer.get(informer);
    const ready = entry === undefined ? undefined : this.#ready(entry, { key }, options);
    if (ready !== undefined) await ready;
  }

  /** A write through the manager's client answered with this object. */
  noteWrite(
    kind: { readonly apiVersion: string; readonly kind: string },
    object: DeepReadonly<KubeObject>,
  ): void {
    const { uid, resourceVersion, namespace = "", name = "" } = object.metadata;
    if (uid === undefined || resourceVersion === undefined) return;
    const key = `${namespace}/${name}`;
    const id = `${kind.apiVersion}/${kind.kind}`;
    const newest = this.#newestWrites.get(id);
    if (newest === undefined || hasReached(resourceVersion, newest))
      this.#newestWrites.set(id, resourceVersion);
    for (const entry of this.#entriesOf(kind)) {
      const isIn = isInScope(object, entry.scope) || entry.informer.getByKey(key) !== undefined;
      if (isIn) entry.writes.wrote(key, { uid, resourceVersion });
    }
  }

  /** A delete through the manager's client answered that the object is gone. */
  noteDelete(
    kind: { readonly apiVersion: string; readonly kind: string },
    key: string,
    uid: string | undefined,
  ): void {
    for (const entry of this.#entriesOf(kind)) {
      const stored = entry.informer.getByKey(key);
      if (stored !== undefined && (uid === undefined || stored.metadata.uid === uid)) {
        entry.writes.deleted(key, stored.metadata.uid ?? "");
      }
    }
  }

  report(): readonly KindReport[] {
    return Array.from(this.#entries.values(), ({ informer, writes, scope }) => ({
      ...informer.report,
      kind: informer.kind.kind,
      apiVersion: informer.kind.apiVersion,
      scope,
      hasSynced: informer.hasSynced,
      objectCount: informer.size,
      bytes: estimateBytes(informer),
      pendingWriteCount: writes.pendingCount,
    }));
  }

  /** Undefined when the read can go on at once. */
  #ready(entry: Entry, scope: ReadScope, options: CachedReadOptions): Promise<void> | undefined {
    const { informer, writes } = entry;
    if (entry.holderCount === 0) entry.isPinned = true;
    if (!informer.isRunning && !this.#isStopped) informer.start();
    const waits = options.consistency !== "any";
    if (informer.hasSynced && (!waits || writes.isClear(scope))) return undefined;
    return this.#wait(entry, waits ? scope : undefined, options);
  }

  async #wait(entry: Entry, scope: ReadScope | undefined, options: CachedReadOptions): Promise<void> {
    if (!entry.informer.hasSynced) await this.waitForSync(entry.informer, options.signal);
    if (scope === undefined || entry.writes.isClear(scope)) return;
    const { timeoutMs = 10_000, signal } = options;
    await entry.writes.wait(scope, signal === undefined ? { timeoutMs } : { timeoutMs, signal });
  }

  /** @throws CacheSyncError when the first list does not come in time */
  async waitForSync(informer: SharedInformer, signal?: AbortSignal, timeoutMs?: number): Promise<void> {
    if (informer.hasSynced) return;
    const limitMs = timeoutMs ?? this.#options.syncTimeoutMs ?? 120_000;
    if (limitMs < 10 * togetherMs) return this.#sync(informer, signal, limitMs);
    const startedAt = this.#deps.clock.monotonic();
    const known = this.#syncs.get(informer);
    const isSame = known?.signal === signal && known?.limitMs === limitMs;
    // controllers that start together wait for the same informers
    if (known !== undefined && isSame && startedAt - known.startedAt < togetherMs) return known.over;
    const over = this.#sync(informer, signal, limitMs);
    this.#syncs.set(informer, { signal, limitMs, startedAt, over });
    try {
      await over;
    } finally {
      if (this.#syncs.get(informer)?.over === over) this.#syncs.delete(informer);
    }
  }

  async #sync(informer: SharedInformer, signal: AbortSignal | undefined, limitMs: number): Promise<void> {
    const stop = new AbortController();
    const onAbort = (): void => stop.abort(signal?.reason);
    signal?.addEventListener("abort", onAbort, { once: true });
    if (signal?.aborted) onAbort();
    const timer = this.#deps.clock.setTimer(limitMs, () => stop.abort(syncError(informer, limitMs)));
    try {
      await informer.waitForSync(stop.signal);
    } finally {
      timer.cancel();
      signal?.removeEventListener("abort", onAbort);
    }
  }

  *#entriesOf(kind: { readonly apiVersion: string; readonly kind: string }): Iterable<Entry> {
    for (const entry of this.#entries.values()) {
      if (entry.informer.kind.kind === kind.kind && entry.informer.kind.apiVersion === kind.apiVersion)
        yield entry;
    }
  }

  #entry(kind: AnyKind, scope?: ReflectorScope): Entry {
    const key = kindKey(kind, scope);
    const known = this.#entries.get(key);
    if (known !== undefined) return known;
    const {
      transform,
      namespaces: ownNamespaces,
      ...own
    } = this.#options.kinds?.[`${kind.apiVersion}/${kind.kind}`] ?? {};
    const isNamespaced = kind.scope === "Namespaced";
    const namespace = isNamespaced ? this.#options.namespace : undefined;
    const effective: ReflectorScope = { ...(namespace === undefined ? {} : { namespace }), ...own, ...scope };
    const several =
      isNamespaced && effective.namespace === undefined
        ? (ownNamespaces ?? this.#options.namespaces)
        : undefined;
    const informer = new SharedInformer({
      ...this.#options,
      kind,
      scope: effective,
      namespaces: several,
      transform,
      dependencies: this.#deps,
    });
    informer.addIndex(controllerIndex, controllerUidOf);
    for (const [name, index] of this.#indexes.get(key) ?? []) informer.addIndex(name, index);
    const newest = this.#newestWrites.get(`${kind.apiVersion}/${kind.kind}`);
    const entry: Entry = {
      key,
      informer,
      writes: new OwnWrites(informer, this.#deps.clock, newest),
      scope: effective,
      holderCount: 0,
      isPinned: false,
    };
    this.#entries.set(key, entry);
    this.#byInformer.set(informer, entry);
    const isHeavy = heavyKinds.has(kind.kind) && Object.keys(effective).length === 0 && several === undefined;
    if (isHeavy && this.#options.warnUnscoped !== false) this.#warnWhenLarge(informer);
    return entry;
  }

  /** Says once how much an unscoped cache of a numerous kind holds. */
  #warnWhenLarge(informer: SharedInformer): void {
    const off = informer.onProgress(() => {
      off();
      const bytes = estimateBytes(informer);
      const fields = { kind: informer.kind.kind, objects: informer.size, bytes };
      const hint = "scope it with a namespace or a label selector, or cache metadata only";
      this.#log.warn(fields, `caching every ${informer.kind.kind} of the cluster; ${hint}`);
    });
  }
}

function syncError(informer: SharedInformer, limitMs: number): CacheSyncError {
  const { phase, lastError } = informer.report;
  const answer = lastError === undefined ? "no answer yet" : `last answer: ${lastError}`;
  const what = resourceText(informer.kind);
  return new CacheSyncError(
    `cache of ${what} (${informer.kind.apiVersion}): no first list within ${limitMs} ms (${phase}; ${answer})`,
  );
}

function kindKey(kind: AnyKind, scope?: ReflectorScope): string {
  const form = (kind as { metadataOnly?: boolean }).metadataOnly === true ? "#metadata" : "";
  const key = `${kind.apiVersion}/${kind.kind}${form}`;
  const { namespace, labelSelector, fieldSelector } = scope ?? {};
  if (namespace === undefined && labelSelector === undefined && fieldSelector === undefined) return key;
  return `${key}?${namespace ?? ""}&${labelSelector ?? ""}&${fieldSelector ?? ""}`;
}

function isInScope(object: DeepReadonly<KubeObject>, scope: ReflectorScope): boolean {
  if (scope.namespace !== undefined && scope.namespace !== object.metadata.namespace) return false;
  if (
    scope.labelSelector !== undefined &&
    !parseLabelSelector(scope.labelSelector).matches(object.metadata.labels)
  ) {
    return false;
  }
  if (scope.fieldSelector === undefined) return true;
  return parseFieldSelector(scope.fieldSelector).matches((field) => valueAt(object, field));
}

/** The text of a field; empty when it is absent or no scalar. */
function valueAt(object: unknown, path: string): string {
  let value = object;
  for (const part of path.split(".")) value = (value as Record<string, unknown> | undefined)?.[part];
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? `${value}`
    : "";
}

const sampleMax = 50;

function estimateBytes(informer: SharedInformer): number {
  let bytes = 0;
  let count = 0;
  for (const object of informer.values()) {
    if (count === sampleMax) break;
    bytes += JSON.stringify(object, (_, value: unknown) =>
      typeof value === "bigint" ? String(value) : value,
    ).length;
    count++;
  }
  return count === 0 ? 0 : Math.round((bytes / count) * informer.size);
}
