import type { DeepReadonly, Json, JsonObject } from "../object/object.ts";

/** JSON values that nobody may change: what stores, caches and patches share. */
export type Value = DeepReadonly<Json>;
export type ValueObject = DeepReadonly<JsonObject>;
export type ValueList = readonly Value[];

export function isObject(value: Value | undefined): value is ValueObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isList(value: Value | undefined): value is ValueList {
  return Array.isArray(value);
}

/** The member, or undefined; inherited names are no members. */
export function member(object: ValueObject, key: string): Value | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** The object with the member set; the same object when it has that very value. */
export function withMember(object: ValueObject, key: string, value: Value): ValueObject {
  if (Object.hasOwn(object, key) && object[key] === value) return object;
  return { ...object, [key]: value };
}

/** The object without the member; the same object when it has none. */
export function withoutMember(object: ValueObject, key: string): ValueObject {
  if (!Object.hasOwn(object, key)) return object;
  const { [key]: _removed, ...rest } = object;
  return rest;
}

/** Whether two values are the same JSON: members in any order, elements in order. */
export function deepEqual(a: Value, b: Value): boolean {
  if (a === b) return true;
  if (isList(a))
    return isList(b) && a.length === b.length && a.every((item, i) => deepEqual(item, b[i] as Value));
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && deepEqual(a[key] as Value, b[key] as Value));
}

/** How Go names the type of a JSON value in its errors. */
export function jsonTypeName(value: Value): string {
  if (value === null) return "null";
  if (isList(value)) return "array";
  if (typeof value === "boolean") return "bool";
  return typeof value === "bigint" ? "number" : typeof value;
}
