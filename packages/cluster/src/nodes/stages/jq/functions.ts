/** The functions of jq that expressions about objects are made of. Source of the rules: jq 1.7, manual. */
import { operators } from "./arithmetic.ts";
import {
  type Filter,
  JqError,
  compare,
  descend,
  isObject,
  isSame,
  isTrue,
  pipe,
  textOf,
  typeName,
} from "./filter.ts";

type Make = (...args: readonly Filter[]) => Filter;

/** A function of the value alone. */
const of =
  (compute: (value: unknown) => unknown): Make =>
  () =>
  (value) => [compute(value)];

/** A function of the value and of each value of its argument. */
const with1 =
  (compute: (value: unknown, arg: unknown) => unknown): Make =>
  (arg = () => []) =>
    function* (value) {
      for (const given of arg(value)) yield compute(value, given);
    };

function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new JqError(`${typeName(value)} is no array`);
}

function stringOf(value: unknown): string {
  if (typeof value === "string") return value;
  throw new JqError(`${typeName(value)} is no string`);
}

function lengthOf(value: unknown): number {
  if (value === null || value === undefined) return 0;
  if (typeof value === "number") return Math.abs(value);
  if (typeof value === "string") return [...value].length;
  if (typeof value === "object") return Object.keys(value).length;
  throw new JqError(`${typeName(value)} has no length`);
}

function keysOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return [...value.keys()];
  if (isObject(value)) return Object.keys(value).sort();
  throw new JqError(`${typeName(value)} has no keys`);
}

function has(value: unknown, key: unknown): boolean {
  if (Array.isArray(value) && typeof key === "number") return key >= 0 && key < value.length;
  if (isObject(value) && typeof key === "string") return Object.hasOwn(value, key);
  throw new JqError(`Cannot check whether ${typeName(value)} has a ${typeName(key)} key`);
}

function contains(value: unknown, part: unknown): boolean {
  if (typeof value === "string" && typeof part === "string") return value.includes(part);
  if (Array.isArray(value) && Array.isArray(part))
    return part.every((wanted) => value.some((found) => sameType(found, wanted) && contains(found, wanted)));
  if (isObject(value) && isObject(part))
    return Object.entries(part).every(([key, wanted]) => key in value && contains(value[key], wanted));
  return isSame(value, part);
}

function sameType(a: unknown, b: unknown): boolean {
  return typeName(a) === typeName(b);
}

function numberOf(value: unknown): number {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  if (typeof number === "number" && !Number.isNaN(number)) return number;
  throw new JqError(`${textOf(value)} cannot be parsed as a number`);
}

function pattern(text: unknown): RegExp {
  try {
    return new RegExp(stringOf(text), "u");
  } catch {
    throw new JqError(`${textOf(text)} is not a valid regex`);
  }
}

const sum = operators["+"] as (a: unknown, b: unknown) => unknown;

/** Unknown names, or names with another number of arguments, are not in here: `name/arguments`. */
export const functions: Readonly<Record<string, Make>> = {
  "empty/0": () => () => [],
  "not/0": of((value) => !isTrue(value)),
  "length/0": of(lengthOf),
  "keys/0": of(keysOf),
  "add/0": of((value) => Object.values((value ?? {}) as object).reduce(sum, null)),
  "any/0": of((value) => listOf(value).some(isTrue)),
  "all/0": of((value) => listOf(value).every(isTrue)),
  "first/0": of((value) => listOf(value)[0] ?? null),
  "last/0": of((value) => listOf(value).at(-1) ?? null),
  "sort/0": of((value) => [...listOf(value)].sort(compare)),
  "reverse/0": of((value) => [...listOf(value)].reverse()),
  "unique/0": of((value) =>
    [...listOf(value)].sort(compare).filter((one, at, all) => at === 0 || !isSame(one, all[at - 1])),
  ),
  "min/0": of((value) => [...listOf(value)].sort(compare)[0] ?? null),
  "max/0": of((value) => [...listOf(value)].sort(compare).at(-1) ?? null),
  "floor/0": of((value) => Math.floor(numberOf(value))),
  "type/0": of(typeName),
  "tostring/0": of(textOf),
  "tonumber/0": of(numberOf),
  "ascii_downcase/0": of((value) => stringOf(value).toLowerCase()),
  "ascii_upcase/0": of((value) => stringOf(value).toUpperCase()),
  "to_entries/0": of((value) =>
    Object.entries((value ?? {}) as object).map(([key, v]) => ({ key, value: v })),
  ),
  "recurse/0": () => descend,
  "has/1": with1(has),
  "contains/1": with1(contains),
  "inside/1": with1((value, whole) => contains(whole, value)),
  "startswith/1": with1((value, start) => stringOf(value).startsWith(stringOf(start))),
  "endswith/1": with1((value, end) => stringOf(value).endsWith(stringOf(end))),
  "ltrimstr/1": with1((value, start) =>
    typeof value === "string" && value.startsWith(textOf(start)) ? value.slice(textOf(start).length) : value,
  ),
  "rtrimstr/1": with1((value, end) =>
    typeof value === "string" && value.endsWith(textOf(end)) ? value.slice(0, -textOf(end).length) : value,
  ),
  "split/1": with1((value, by) => stringOf(value).split(stringOf(by))),
  "join/1": with1((value, by) => listOf(value).map(textOf).join(stringOf(by))),
  "test/1": with1((value, text) => pattern(text).test(stringOf(value))),
  "index/1": with1((value, part) => {
    const at = stringOf(value).indexOf(stringOf(part));
    return at < 0 ? null : at;
  }),
  "select/1": (condition = () => []) =>
    function* (value) {
      for (const decided of condition(value)) if (isTrue(decided)) yield value;
    },
  "map/1":
    (filter = () => []) =>
    (value) => [[...pipe((all) => Object.values((all ?? {}) as object), filter)(value)]],
  "any/1":
    (filter = () => []) =>
    (value) => [listOf(value).some((one) => [...filter(one)].some(isTrue))],
  "all/1":
    (filter = () => []) =>
    (value) => [listOf(value).every((one) => [...filter(one)].every(isTrue))],
  "first/1": (filter = () => []) =>
    function* (value) {
      for (const found of filter(value)) return void (yield found);
    },
  "sort_by/1":
    (filter = () => []) =>
    (value) => [[...listOf(value)].sort((a, b) => compare([...filter(a)], [...filter(b)]))],
};
