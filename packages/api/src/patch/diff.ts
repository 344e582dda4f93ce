import type { JsonPatchOperation } from "./json-patch-operation.ts";
import {
  type Value,
  type ValueList,
  type ValueObject,
  deepEqual,
  isList,
  isObject,
  member,
} from "./json-value.ts";
import { applyMergePatch } from "./merge-patch.ts";
import type { PatchSchema } from "./patch-schema.ts";
import { diffObjects } from "./strategic-diff.ts";
import { mergeObject } from "./strategic-merge-patch.ts";

/**
 * The merge patch that turns `from` into `to`; `{}` when they are equal. A merge patch cannot set a null, so a null in `to`
 * becomes an absent field.
 */
export function createMergePatch(from: ValueObject, to: ValueObject): ValueObject {
  const entries: [string, Value][] = [];
  for (const [key, after] of Object.entries(to)) {
    const before = member(from, key);
    if (before === after) continue;
    if (isObject(before) && isObject(after)) {
      const patch = createMergePatch(before, after);
      if (Object.keys(patch).length > 0) entries.push([key, patch]);
    } else if (before === undefined || !deepEqual(before, after)) entries.push([key, after]);
  }
  for (const key of Object.keys(from)) if (!Object.hasOwn(to, key)) entries.push([key, null]);
  return Object.fromEntries(entries);
}

/**
 * The JSON patch that turns `from` into `to`; empty when they are equal. Lists keep their common start and end; what is
 * between is changed item by item.
 */
export function createJsonPatch(from: Value, to: Value): JsonPatchOperation[] {
  const operations: JsonPatchOperation[] = [];
  diffValue(from, to, "", operations);
  return operations;
}

/**
 * The strategic merge patch that turns `from` into `to`; `{}` when they are equal.
 * @throws StrategicPatchError for lists that cannot be merged, for example when an item lacks its merge key
 */
export function createStrategicMergePatch(
  from: ValueObject,
  to: ValueObject,
  schema: PatchSchema,
): ValueObject {
  return diffObjects(from, to, schema, "both");
}

/**
 * The strategic merge patch of client-side apply: takes away what `original` (last applied) had and `modified` has not, and
 * sets what differs between `current` and `modified`. Wins over changes that others made to the same fields.
 * @throws StrategicPatchError as `createStrategicMergePatch`
 */
export function createThreeWayMergePatch(
  original: ValueObject,
  modified: ValueObject,
  current: ValueObject,
  schema: PatchSchema,
): ValueObject {
  const additions = diffObjects(current, modified, schema, "additions");
  const deletions = diffObjects(original, modified, schema, "deletions");
  return mergeObject(deletions, additions, schema, "combine");
}

/** The same as a JSON merge patch, which client-side apply sends for custom resources. */
export function createThreeWayJsonMergePatch(
  original: ValueObject,
  modified: ValueObject,
  current: ValueObject,
): ValueObject {
  const additions = pickMembers(createMergePatch(current, modified), "values");
  const deletions = pickMembers(createMergePatch(original, modified), "nulls");
  return mergePatches(deletions, additions);
}

/** One merge patch that does what two do that touch different fields. */
function mergePatches(first: ValueObject, second: ValueObject): ValueObject {
  const result = applyMergePatch(first, second);
  return isObject(result) ? result : {};
}

/** The part of a merge patch that sets, or that removes. An empty object that is set is a value. */
function pickMembers(patch: ValueObject, which: "nulls" | "values"): ValueObject {
  const entries: [string, Value][] = [];
  for (const [key, value] of Object.entries(patch)) {
    if (isObject(value) && Object.keys(value).length > 0) {
      const picked = pickMembers(value, which);
      if (Object.keys(picked).length > 0) entries.push([key, picked]);
    } else if ((value === null) === (which === "nulls")) entries.push([key, value]);
  }
  return Object.fromEntries(entries);
}

function diffValue(from: Value, to: Value, path: string, operations: JsonPatchOperation[]): void {
  if (from === to) return;
  if (isObject(from) && isObject(to)) diffMembers(from, to, path, operations);
  else if (isList(from) && isList(to)) diffItems(from, to, path, operations);
  else operations.push({ op: "replace", path, value: to });
}

function diffMembers(
  from: ValueObject,
  to: ValueObject,
  path: string,
  operations: JsonPatchOperation[],
): void {
  for (const key of Object.keys(from)) {
    if (!Object.hasOwn(to, key)) operations.push({ op: "remove", path: pointer(path, key) });
  }
  for (const [key, after] of Object.entries(to)) {
    const before = member(from, key);
    if (before === undefined) operations.push({ op: "add", path: pointer(path, key), value: after });
    else if (key !== "") diffValue(before, after, pointer(path, key), operations);
    // The server's library takes an empty token inside of a path for the container itself.
    else if (!deepEqual(before, after))
      operations.push({ op: "replace", path: pointer(path, key), value: after });
  }
}

function diffItems(from: ValueList, to: ValueList, path: string, operations: JsonPatchOperation[]): void {
  const shorter = Math.min(from.length, to.length);
  let start = 0;
  while (start < shorter && deepEqual(from[start] as Value, to[start] as Value)) start++;
  let tail = 0;
  while (tail < shorter - start && deepEqual(from.at(-1 - tail) as Value, to.at(-1 - tail) as Value)) tail++;
  const both = shorter - tail;
  for (let i = start; i < both; i++) {
    diffValue(from[i] as Value, to[i] as Value, pointer(path, String(i)), operations);
  }
  for (let i = from.length - tail - 1; i >= both; i--)
    operations.push({ op: "remove", path: pointer(path, String(i)) });
  for (let i = both; i < to.length - tail; i++) {
    operations.push({ op: "add", path: pointer(path, String(i)), value: to[i] });
  }
}

function pointer(path: string, key: string): string {
  return `${path}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
