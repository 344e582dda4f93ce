import type { DeepReadonly, KubeObject } from "@bowline/api";

/** Answers the values under which an object is found in an index. */
export type IndexFunction<T extends KubeObject = KubeObject> = (object: DeepReadonly<T>) => readonly string[];

type Frozen = DeepReadonly<KubeObject>;

/** Name of the index that every indexer has: the namespace. */
export const namespaceIndex = "namespace";
/** Name of the index by uid of the controlling owner; made on first use. */
export const controllerIndex = "controller-uid";

interface Index {
  readonly keysOf: IndexFunction;
  /** Keys of the objects under a value. */
  readonly buckets: Map<string, Set<string>>;
}

/**
 * Objects under `namespace/name`, and indexes over them that are always in step. Objects are frozen and shared: nothing
 * is copied in or out.
 */
export class Indexer {
  #objects = new Map<string, Frozen>();
  readonly #indexes = new Map<string, Index>();

  get size(): number {
    return this.#objects.size;
  }

  get(key: string): Frozen | undefined {
    return this.#objects.get(key);
  }

  keys(): IterableIterator<string> {
    return this.#objects.keys();
  }

  entries(): IterableIterator<[string, Frozen]> {
    return this.#objects.entries();
  }

  values(): IterableIterator<Frozen> {
    return this.#objects.values();
  }

  set(key: string, object: Frozen): void {
    const before = this.#objects.get(key);
    this.#objects.set(key, object);
    for (const index of this.#indexes.values()) reindex(index, key, before, object);
  }

  delete(key: string): void {
    const before = this.#objects.get(key);
    if (before === undefined) return;
    this.#objects.delete(key);
    for (const index of this.#indexes.values()) reindex(index, key, before, undefined);
  }

  /** Everything at once: no reader ever sees a mix of old and new. */
  replaceAll(objects: Map<string, Frozen>): void {
    this.#objects = objects;
    for (const index of this.#indexes.values()) {
      index.buckets.clear();
      for (const [key, object] of objects) reindex(index, key, undefined, object);
    }
  }

  /** @throws Error when an index of that name exists already */
  addIndex(name: string, keysOf: IndexFunction): void {
    if (this.#indexes.has(name)) throw new Error(`index ${name} exists already`);
    const index: Index = { keysOf, buckets: new Map() };
    for (const [key, object] of this.#objects) reindex(index, key, undefined, object);
    this.#indexes.set(name, index);
  }

  hasIndex(name: string): boolean {
    return this.#indexes.has(name);
  }

  /** Keys of the objects under a value, in no order. @throws Error when there is no such index */
  keysUnder(name: string, value: string): ReadonlySet<string> {
    const index = this.#indexes.get(name);
    if (index === undefined) {
      const known = [...this.#indexes.keys()].join(", ") || "none";
      throw new Error(`no index ${name}: register it with addIndex (known: ${known})`);
    }
    return index.buckets.get(value) ?? noKeys;
  }

  /** Objects under a value, in no order. */
  under(name: string, value: string): Frozen[] {
    return Array.from(this.keysUnder(name, value), (key) => this.#objects.get(key) as Frozen);
  }
}

const noKeys: ReadonlySet<string> = new Set();

function reindex(index: Index, key: string, before: Frozen | undefined, after: Frozen | undefined): void {
  const old = before === undefined ? [] : index.keysOf(before);
  const now = after === undefined ? [] : index.keysOf(after);
  if (old.length === 1 && now.length === 1 && old[0] === now[0]) return;
  for (const value of old) {
    const bucket = index.buckets.get(value);
    bucket?.delete(key);
    if (bucket?.size === 0) index.buckets.delete(value);
  }
  for (const value of now) {
    const bucket = index.buckets.get(value);
    if (bucket === undefined) index.buckets.set(value, new Set([key]));
    else bucket.add(key);
  }
}

/** Uid of the owner that is the object's controller, as an index function. */
export const controllerUidOf: IndexFunction = (object) => {
  const owner = object.metadata.ownerReferences?.find((reference) => reference.controller === true);
  return owner === undefined ? [] : [owner.uid];
};

export const namespaceOf: IndexFunction = (object) => [object.metadata.namespace ?? ""];
