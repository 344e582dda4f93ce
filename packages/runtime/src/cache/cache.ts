import type { DeepReadonly, KindOf, KubeObject } from "@bowline/api";
import type { AnyKind } from "../controller/event-handler.ts";
import type { Informer } from "./informer.ts";

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

/** Answers the values under which an object is found in an index. */
export type IndexFunction<T extends KubeObject = KubeObject> = (object: DeepReadonly<T>) => readonly string[];

/** Informers of one cluster by kind, shared by everything that reads or watches through the cache. */
export interface Cache {
  /** Reads one object; starts an informer on the first use of its kind and waits for it. */
  get<K extends AnyKind>(
    kind: K,
    key: { readonly name: string; readonly namespace?: string | undefined },
    options?: CachedReadOptions,
  ): Promise<DeepReadonly<KindOf<K>> | undefined>;
  list<K extends AnyKind>(
    kind: K,
    options?: CachedListOptions<KindOf<K>>,
  ): Promise<readonly DeepReadonly<KindOf<K>>[]>;
  /** The informer of a kind, made (not started) on first use. It is shared: handlers are added to it. */
  informer<K extends AnyKind>(kind: K): Informer<KindOf<K>>;
  /** Registers an index under a name, also while the informer runs. */
  addIndex<K extends AnyKind>(kind: K, name: string, index: IndexFunction<KindOf<K>>): void;
  /** Stops and drops the informer of a kind: its watch ends and its memory is free. */
  remove(kind: AnyKind): Promise<void>;
}
