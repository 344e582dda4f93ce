/** What a part of a jq expression does: makes any number of values of one. Source of the rules: jq 1.7, manual. */
import { jsonEqual } from "@bowline/api";

/** Values for a value. @throws JqError for a value that it cannot take */
export type Filter = (value: unknown) => Iterable<unknown>;

/** A value that a filter cannot take: the whole query then finds nothing. */
export class JqError extends Error {
  override readonly name: string = "JqError";
}

export const identity: Filter = (value) => [value];

export function constant(value: unknown): Filter {
  return () => [value];
}

export function pipe(first: Filter, second: Filter): Filter {
  return function* (value) {
    for (const between of first(value)) yield* second(between);
  };
}

export function comma(first: Filter, second: Filter): Filter {
  return function* (value) {
    yield* first(value);
    yield* second(value);
  };
}

/** What the first gives that is neither false nor null, else what the second gives. */
export function alternative(first: Filter, second: Filter): Filter {
  return function* (value) {
    const found = gathered(first, value).filter(isTrue);
    if (found.length > 0) yield* found;
    else yield* second(value);
  };
}

/** As many as the filter gave before it failed. */
function gathered(filter: Filter, value: unknown): unknown[] {
  const found: unknown[] = [];
  try {
    for (const one of filter(value)) found.push(one);
  } catch (error) {
    if (!(error instanceof JqError)) throw error;
  }
  return found;
}

/** Fails as silence. */
export function attempt(filter: Filter): Filter {
  return (value) => gathered(filter, value);
}

/** For each value of the right side each of the left one, as jq takes them. */
export function binary(left: Filter, right: Filter, combine: (a: unknown, b: unknown) => unknown): Filter {
  return function* (value) {
    for (const b of right(value)) for (const a of left(value)) yield combine(a, b);
  };
}

/** `and` and `or`, which leave the right side alone when the left one decides. */
export function logical(left: Filter, right: Filter, decisive: boolean): Filter {
  return function* (value) {
    for (const a of left(value)) {
      if (isTrue(a) === decisive) yield decisive;
      else for (const b of right(value)) yield isTrue(b);
    }
  };
}

export function conditional(condition: Filter, yes: Filter, no: Filter): Filter {
  return function* (value) {
    for (const decided of condition(value)) yield* (isTrue(decided) ? yes : no)(value);
  };
}

/** `[ ... ]`. */
export function collect(filter: Filter): Filter {
  return (value) => [[...filter(value)]];
}

/** `{ a: ..., b: ... }`: one object for every combination. */
export function construct(entries: readonly (readonly [Filter, Filter])[]): Filter {
  return (value) => {
    let made: Record<string, unknown>[] = [{}];
    for (const [keys, values] of entries) {
      made = made.flatMap((object) =>
        [...keys(value)].flatMap((key) =>
          [...values(value)].map((item) => ({ ...object, [textOf(key)]: item })),
        ),
      );
    }
    return made;
  };
}

/** `.[key]`, the key being what a filter says of the whole. */
export function index(target: Filter, key: Filter): Filter {
  return function* (value) {
    for (const found of target(value)) for (const at of key(value)) yield item(found, at);
  };
}

function item(value: unknown, key: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (typeof key === "string" && isObject(value)) return Object.hasOwn(value, key) ? value[key] : null;
  if (typeof key === "number" && Array.isArray(value)) return value.at(Math.floor(key)) ?? null;
  throw new JqError(`Cannot index ${typeName(value)} with ${JSON.stringify(key)}`);
}

/** `.[from:to]`. */
export function slice(target: Filter, from: Filter | undefined, to: Filter | undefined): Filter {
  return function* (value) {
    for (const found of target(value)) {
      if (found === null || found === undefined) yield null;
      else if (!Array.isArray(found) && typeof found !== "string")
        throw new JqError(`Cannot slice ${typeName(found)}`);
      else yield found.slice(boundOf(from, value), boundOf(to, value));
    }
  };
}

function boundOf(filter: Filter | undefined, value: unknown): number | undefined {
  const [bound] = filter === undefined ? [] : [...filter(value)];
  return typeof bound === "number" ? bound : undefined;
}

/** `.[]`. */
export function items(target: Filter): Filter {
  return function* (value) {
    for (const found of target(value)) {
      if (typeof found !== "object" || found === null)
        throw new JqError(`Cannot iterate over ${typeName(found)}`);
      yield* Object.values(found);
    }
  };
}

/** `..`. */
export function* descend(value: unknown): Iterable<unknown> {
  yield value;
  if (typeof value !== "object" || value === null) return;
  for (const inner of Object.values(value)) yield* descend(inner);
}

export function isTrue(value: unknown): boolean {
  return value !== false && value !== null && value !== undefined;
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function typeName(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value;
}

/** Text stays; anything else is its JSON. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? null);
}

export function isSame(a: unknown, b: unknown): boolean {
  return jsonEqual((a ?? null) as never, (b ?? null) as never);
}

const ranks: readonly string[] = ["null", "boolean", "number", "string", "array", "object"];

/** Order of values: null, false, true, numbers, texts, lists, objects. */
export function compare(a: unknown, b: unknown): number {
  const [typeA, typeB] = [typeName(a), typeName(b)];
  if (typeA !== typeB) return ranks.indexOf(typeA) - ranks.indexOf(typeB);
  if (Array.isArray(a) && Array.isArray(b)) {
    for (let at = 0; at < Math.min(a.length, b.length); at++) {
      const order = compare(a[at], b[at]);
      if (order !== 0) return order;
    }
    return a.length - b.length;
  }
  if (isObject(a) && isObject(b)) {
    const [keysA, keysB] = [Object.keys(a).sort(), Object.keys(b).sort()];
    const order = compare(keysA, keysB);
    if (order !== 0) return order;
    return compare(
      keysA.map((key) => a[key]),
      keysB.map((key) => b[key]),
    );
  }
  return (a as never) < (b as never) ? -1 : (a as never) > (b as never) ? 1 : 0;
}
