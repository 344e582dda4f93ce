/** Lists in which order does not count: sets, and list maps. Source: apiserver pkg/cel/common (valuesunstructured.go). */
import { equals } from "./equality.ts";
import {
  CelDouble,
  CelError,
  type CelList,
  CelListBase,
  CelMap,
  type CelValue,
  isList,
  listItems,
  listSize,
  noSuchOverload,
} from "./value.ts";

/** The elements of a set or list map, JSON or computed. */
export interface Items {
  readonly size: number;
  at(index: number): CelValue;
}

class ComputedItems implements Items {
  readonly values: readonly CelValue[];
  constructor(values: readonly CelValue[]) {
    this.values = values;
  }
  get size(): number {
    return this.values.length;
  }
  at(index: number): CelValue {
    return this.values[index] as CelValue;
  }
}

/** A list in which each element has a key, so that order does not count. */
abstract class KeyedList extends CelListBase {
  protected readonly items: Items;
  #byKey: ReadonlyMap<unknown, CelValue> | undefined;

  constructor(items: Items) {
    super();
    this.items = items;
  }

  protected abstract keyOf(value: CelValue): unknown;

  get size(): number {
    return this.items.size;
  }

  at(index: number): CelValue {
    return this.items.at(index);
  }

  equals(other: CelValue): boolean {
    if (!isList(other)) throw noSuchOverload();
    if (listSize(other) !== this.size) return false;
    const mine = this.#keyed();
    const seen = new Set<unknown>();
    for (const value of listItems(other)) {
      const key = this.keyOf(value);
      const found = mine.get(key);
      if (found === undefined || !equals(found, value)) return false;
      seen.add(key);
    }
    return seen.size === mine.size;
  }

  contains(value: CelValue): boolean {
    return containsEqual(this, value);
  }

  /** The elements with those of `other`: the same key in place, new keys at the end. */
  protected merged(other: CelList, replace: boolean): CelValue[] {
    const values = [...listItems(this)];
    const places = new Map(values.map((value, i) => [this.keyOf(value), i]));
    for (const value of listItems(other)) {
      const key = this.keyOf(value);
      const place = places.get(key);
      if (place === undefined) {
        if (!replace) places.set(key, values.length);
        values.push(value);
      } else if (replace) values[place] = value;
    }
    return values;
  }

  #keyed(): ReadonlyMap<unknown, CelValue> {
    this.#byKey ??= new Map(listItems(this).map((value) => [this.keyOf(value), value]));
    return this.#byKey;
  }
}

/** A list without duplicates. */
export class SetList extends KeyedList {
  protected keyOf(value: CelValue): unknown {
    if (isList(value) || value instanceof CelMap) {
      throw new CelError("listSet operations are only supported on lists of scalar values");
    }
    return scalarKey(value);
  }

  concat(other: CelList): CelList {
    return new SetList(new ComputedItems(this.merged(other, false)));
  }
}

/** A list of objects that have keys. */
export class MapList extends KeyedList {
  readonly #keys: readonly string[];

  constructor(items: Items, keys: readonly string[]) {
    super(items);
    this.#keys = keys;
  }

  protected keyOf(value: CelValue): unknown {
    const parts = this.#keys.map((key) => (value instanceof CelMap ? (value.get(key) ?? null) : null));
    return parts.length === 1 ? scalarKey(parts[0] as CelValue) : JSON.stringify(parts.map(scalarKey));
  }

  concat(other: CelList): CelList {
    return new MapList(new ComputedItems(this.merged(other, true)), this.#keys);
  }
}

function scalarKey(value: CelValue): unknown {
  if (value instanceof CelDouble) return `d${value.value}`;
  if (typeof value === "bigint") return `i${value}`;
  if (typeof value === "object" && value !== null)
    return JSON.stringify(value, (_, v) => (typeof v === "bigint" ? String(v) : v));
  return value;
}

/** Whether an element is equal; when none is, one that cannot be compared is an error. */
export function containsEqual(list: CelListBase, value: CelValue): boolean {
  let failure: unknown;
  for (const item of listItems(list)) {
    try {
      if (equals(item, value)) return true;
    } catch (error) {
      if (!(error instanceof CelError)) throw error;
      failure ??= error;
    }
  }
  if (failure !== undefined) throw failure;
  return false;
}
