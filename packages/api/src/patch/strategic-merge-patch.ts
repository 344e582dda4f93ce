import { goTypeName } from "../codec/go-text.ts";
import { failure } from "../status/status-error.ts";
import {
  type Value,
  type ValueList,
  type ValueObject,
  deepEqual,
  isList,
  isObject,
  member,
  withMember,
  withoutMember,
} from "./json-value.ts";
import type { PatchField, PatchSchema } from "./patch-schema.ts";
import {
  StrategicPatchError,
  asList,
  asObject,
  badFormat,
  deleteListPrefix,
  elementOrderPrefix,
  hasDirective,
  listOf,
  mergeKeyOf,
  noMergeKey,
  patchDirective,
  retainKeysDirective,
  unknownDirective,
  withoutDirectives,
  withoutNullMembers,
} from "./strategic-directive.ts";
import {
  checkOrder,
  identityOf,
  itemKindOf,
  mergeScalars,
  orderItems,
  withoutScalars,
} from "./strategic-list.ts";

/**
 * The value after a strategic merge patch. Shares unchanged parts; the same value when nothing changes.
 * @throws StatusError 400, 422 or 500 as the API server answers for a patch that cannot be applied
 * Source of the rules: apimachinery pkg/util/strategicpatch (patch.go).
 */
export function applyStrategicMergePatch(
  value: ValueObject,
  patch: ValueObject,
  schema: PatchSchema,
): ValueObject {
  try {
    return mergeObject(value, patch, schema, "apply");
  } catch (error) {
    if (!(error instanceof StrategicPatchError)) throw error;
    if (error.code === 400) throw failure(400, "BadRequest", error.message);
    if (error.code === 500) throw failure(500, "", error.message);
    throw failure(422, "Invalid", "the server rejected our request due to an error in our request", {});
  }
}

/**
 * `apply` carries a patch out. `combine` merges two patches into one that does what both say: nulls and directives stay.
 */
export type MergeMode = "apply" | "combine";

/** Merges a patch into an object, or into another patch. @throws StrategicPatchError */
export function mergeObject(
  original: ValueObject,
  patch: ValueObject,
  schema: PatchSchema,
  mode: MergeMode,
): ValueObject {
  const directive = member(patch, patchDirective);
  if (directive === "replace") return replaced(original, withoutMember(patch, patchDirective));
  if (directive === "delete") return Object.keys(original).length === 0 ? original : {};
  if (directive !== undefined) throw unknownDirective(directive, patch);
  const [retained, changes] = retainKeys(original, patch, mode);
  const [ordered, rest] = mergeOrderedLists(retained, changes, schema, mode);
  return Object.entries(rest).reduce(
    (result, [key, change]) => mergeMember(result, key, change, schema, mode),
    ordered,
  );
}

/** The new value, or the old one when they are equal. */
function replaced<T extends Value>(before: Value, after: T): T {
  return deepEqual(before, after) ? (before as T) : after;
}

function mergeMember(
  original: ValueObject,
  key: string,
  change: Value,
  schema: PatchSchema,
  mode: MergeMode,
): ValueObject {
  if (key.startsWith(deleteListPrefix)) return deleteScalars(original, key, change, schema, mode);
  if (change === null)
    return mode === "apply" ? withoutMember(original, key) : withMember(original, key, null);
  const before = member(original, key);
  if (isObject(before) && isObject(change)) {
    const field = fieldOf(schema, key);
    const after = field.strategy === "replace" ? change : mergeObject(before, change, field.schema, mode);
    return withMember(original, key, after);
  }
  if (isList(before) && isList(change)) {
    return withMember(original, key, mergeList(before, change, fieldOf(schema, key), mode));
  }
  const sameType = before !== undefined && goTypeName(before) === goTypeName(change);
  const cleaned = withoutDirectives(mode === "apply" && !sameType ? withoutNullMembers(change) : change);
  return cleaned === undefined ? withoutMember(original, key) : withMember(original, key, cleaned);
}

function deleteScalars(
  original: ValueObject,
  key: string,
  change: Value,
  schema: PatchSchema,
  mode: MergeMode,
): ValueObject {
  if (mode === "combine") return withMember(original, key, change);
  const name = listOf(key, deleteListPrefix);
  if (change === null) return withoutMember(original, name);
  const before = member(original, name);
  if (!isList(before) || !isList(change)) return original;
  const { mergeKey, schema: items } = fieldOf(schema, name);
  if (before.length === 0 && change.length === 0) return original;
  if (itemKindOf(before, change) === "scalar")
    return withMember(original, name, withoutScalars(before, change));
  return withMember(original, name, mergeObjectLists(before, change, mergeKey, items, mode));
}

function fieldOf(schema: PatchSchema, key: string): PatchField {
  const field = schema.field(key);
  if (field !== undefined) return field;
  throw new StrategicPatchError(
    `unable to find api field in struct ${schema.name} for the json field ${JSON.stringify(key)}`,
  );
}

function mergeList(before: ValueList, patch: ValueList, field: PatchField, mode: MergeMode): ValueList {
  if (field.strategy !== "merge") return replaced(before, patch);
  if (before.length === 0 && patch.length === 0) return before;
  const merged =
    itemKindOf(before, patch) === "scalar"
      ? orderItems(mergeScalars(before, patch), patch, before, identityOf("scalar", ""))
      : mergeObjectLists(before, patch, field.mergeKey, field.schema, mode);
  return sameItems(before, merged) ? before : merged;
}

function sameItems(a: ValueList, b: ValueList): boolean {
  return a.length === b.length && a.every((item, i) => item === b[i]);
}

function mergeObjectLists(
  before: ValueList,
  patch: ValueList,
  mergeKey: string,
  schema: PatchSchema,
  mode: MergeMode,
): ValueList {
  if (mergeKey === "")
    throw new StrategicPatchError(`cannot merge lists without merge key for ${schema.name}`);
  const { kept, changes, replaces } = carryOutDirectives(before, patch, mergeKey);
  const identity = identityOf("object", mergeKey);
  if (replaces) return orderItems(changes, [], changes, identity);
  const merged: Value[] = [...kept];
  for (const change of changes) {
    const key = mergeKeyOf(change, mergeKey);
    const at = indexOfKey(merged, mergeKey, key);
    if (at < 0) merged.push(change);
    else merged[at] = mergeObject(asObject(merged[at]), asObject(change), schema, mode);
  }
  return orderItems(merged, changes, kept, identity);
}

/** Takes out what the patch deletes, and the items with directives out of the patch. */
function carryOutDirectives(
  before: ValueList,
  patch: ValueList,
  mergeKey: string,
): { kept: ValueList; changes: ValueList; replaces: boolean } {
  let kept = before;
  let replaces = false;
  for (const item of patch.map(asObject)) {
    const directive = member(item, patchDirective);
    if (directive === undefined) continue;
    if (directive === "replace") replaces = true;
    else if (directive === "delete") {
      const key = member(item, mergeKey);
      if (key === undefined) throw noMergeKey(item, mergeKey);
      kept = kept.filter((other, i) => objectAt(other, i)[mergeKey] !== key);
    } else if (directive === "merge") {
      throw new StrategicPatchError("merging lists cannot yet be specified in the patch");
    } else throw unknownDirective(directive, item);
  }
  return { kept, changes: patch.filter((item) => !hasDirective(item)), replaces };
}

function indexOfKey(list: ValueList, mergeKey: string, key: Value): number {
  return list.findIndex((item, i) => {
    const value = member(objectAt(item, i), mergeKey);
    return value !== undefined && value === key;
  });
}

function objectAt(item: Value, index: number): ValueObject {
  if (isObject(item)) return item;
  throw new StrategicPatchError(`value for key ${index} is not a map`);
}

/** Carries out `$retainKeys`: gives the object without other keys, and the patch without the directive. */
function retainKeys(original: ValueObject, patch: ValueObject, mode: MergeMode): [ValueObject, ValueObject] {
  const keys = member(patch, retainKeysDirective);
  if (keys === undefined) return [original, patch];
  const changes = withoutMember(patch, retainKeysDirective);
  if (mode === "combine") {
    const before = member(original, retainKeysDirective);
    if (before === undefined) return [withMember(original, retainKeysDirective, keys), changes];
    if (deepEqual(before, keys)) return [original, changes];
    throw new StrategicPatchError("the two patches retain different keys");
  }
  if (!isList(keys)) throw badFormat("retainKeys");
  const retained: ReadonlySet<Value> = new Set(keys);
  for (const [key, change] of Object.entries(changes)) {
    const isParallel = key.startsWith(deleteListPrefix) || key.startsWith(elementOrderPrefix);
    if (change !== null && !isParallel && !retained.has(key)) throw badFormat("retainKeys");
  }
  const gone = Object.keys(original).filter((key) => !retained.has(key));
  return [gone.reduce(withoutMember, original), changes];
}

/** Merges the lists that have a `$setElementOrder`: gives the object with them, and the patch without them. */
function mergeOrderedLists(
  original: ValueObject,
  patch: ValueObject,
  schema: PatchSchema,
  mode: MergeMode,
): [ValueObject, ValueObject] {
  let [result, rest] = [original, patch];
  for (const [key, order] of Object.entries(patch)) {
    if (!key.startsWith(elementOrderPrefix)) continue;
    if (mode === "combine") result = combineOrders(result, key, order);
    const name = listOf(key, elementOrderPrefix);
    rest = withoutMember(rest, key);
    const merged = mergeOrderedList(
      member(result, name),
      member(rest, name),
      asList(order),
      fieldOf(schema, name),
      mode,
    );
    rest = merged === undefined ? rest : withoutMember(rest, name);
    result = merged === undefined ? result : withMember(result, name, merged);
  }
  return [result, rest];
}

function combineOrders(original: ValueObject, key: string, order: Value): ValueObject {
  const before = member(original, key);
  if (before !== undefined && !deepEqual(before, order)) throw badFormat("setElementOrder list");
  return before === undefined ? withMember(original, key, order) : original;
}

function mergeOrderedList(
  before: Value | undefined,
  change: Value | undefined,
  order: ValueList,
  field: PatchField,
  mode: MergeMode,
): ValueList | undefined {
  const present = before === undefined ? [] : asList(before);
  const patch = change === undefined ? [] : asList(change);
  checkOrder(patch, order, field.mergeKey);
  if (before === undefined && change === undefined) return undefined;
  const merged = mergeUnordered(before, change, field, mode);
  const kind = itemKindOf(present, patch);
  const known =
    kind === "object" && field.strategy === "merge" ? refilled(present, patch, field.mergeKey) : present;
  const ordered = orderItems(merged, order, known, identityOf(kind, field.mergeKey));
  return sameItems(present, ordered) && before !== undefined ? present : ordered;
}

/**
 * The list whose order the server goes by: upstream works in place, so items that the patch adds fill the room of those
 * that it deletes.
 */
function refilled(present: ValueList, patch: ValueList, mergeKey: string): ValueList {
  const { kept, changes, replaces } = carryOutDirectives(present, patch, mergeKey);
  if (replaces || kept.length === present.length) return kept;
  const added = changes.filter((item) => indexOfKey(kept, mergeKey, mergeKeyOf(item, mergeKey)) < 0);
  return [...kept, ...added].slice(0, present.length);
}

function mergeUnordered(
  before: Value | undefined,
  change: Value | undefined,
  field: PatchField,
  mode: MergeMode,
): ValueList {
  if (change === undefined) return asList(before);
  if (before === undefined) return asList(withoutDirectives(change));
  return mergeList(asList(before), asList(change), field, mode);
}
