import { goValueText } from "../codec/go-text.ts";
import {
  type Value,
  type ValueList,
  type ValueObject,
  deepEqual,
  isList,
  isObject,
  member,
} from "./json-value.ts";
import type { PatchField, PatchSchema } from "./patch-schema.ts";
import {
  StrategicPatchError,
  asObject,
  deleteListPrefix,
  elementOrderPrefix,
  mergeKeyOf,
  patchDirective,
  retainKeysDirective,
} from "./strategic-directive.ts";
import { identityOf, itemKindOf, positionsOf, sortBy } from "./strategic-list.ts";

/** Which differences a patch takes up: `both` for two-way; the halves make up a three-way patch. */
export type DiffPart = "both" | "additions" | "deletions";

/**
 * The strategic merge patch between two objects.
 * @throws StrategicPatchError for lists that cannot be merged
 * Source of the rules: apimachinery pkg/util/strategicpatch (patch.go).
 */
export function diffObjects(
  from: ValueObject,
  to: ValueObject,
  schema: PatchSchema,
  part: DiffPart,
  retainKeys = false,
): ValueObject {
  const patch: Record<string, Value> = {};
  const set = (key: string, value: Value): void => {
    Object.defineProperty(patch, key, { value, enumerable: true, configurable: true, writable: true });
  };
  for (const [key, after] of Object.entries(to)) {
    const before = member(from, key);
    if (isObject(before) && isObject(after)) diffObjectField(key, before, after, schema, part, set);
    else if (isList(before) && isList(after)) diffListField(key, before, after, schema, part, set);
    else if (part !== "deletions" && before !== after) set(key, after);
  }
  const removed = Object.keys(from).filter((key) => !Object.hasOwn(to, key));
  if (part !== "additions") for (const key of removed) set(key, null);
  if (retainKeys) addRetainKeys(patch, from, to, removed, set);
  return patch;
}

type SetMember = (key: string, value: Value) => void;

function addRetainKeys(
  patch: ValueObject,
  from: ValueObject,
  to: ValueObject,
  removed: readonly string[],
  set: SetMember,
): void {
  const kept = Object.keys(to).filter((key) => to[key] !== null);
  const loses = removed.some((key) => from[key] !== null);
  if (kept.length > 0 && (Object.keys(patch).length > 0 || loses)) set(retainKeysDirective, kept.sort());
}

/** The field, or undefined when the two values are equal and it does not matter that the schema lacks it. */
function fieldFor(schema: PatchSchema, key: string, before: Value, after: Value): PatchField | undefined {
  const field = schema.field(key);
  if (field !== undefined || deepEqual(before, after)) return field;
  throw new StrategicPatchError(
    `unable to find api field in struct ${schema.name} for the json field ${JSON.stringify(key)}`,
  );
}

function diffObjectField(
  key: string,
  before: ValueObject,
  after: ValueObject,
  schema: PatchSchema,
  part: DiffPart,
  set: SetMember,
): void {
  if (before === after) return;
  const field = fieldFor(schema, key, before, after);
  if (field === undefined) return;
  if (field.strategy === "replace") {
    if (part !== "deletions" && !deepEqual(before, after)) set(key, after);
    return;
  }
  const patch = diffObjects(before, after, field.schema, part, field.retainKeys);
  if (Object.keys(patch).length > 0) set(key, patch);
}

function diffListField(
  key: string,
  before: ValueList,
  after: ValueList,
  schema: PatchSchema,
  part: DiffPart,
  set: SetMember,
): void {
  if (before === after) return;
  const field = fieldFor(schema, key, before, after);
  if (field === undefined) return;
  if (field.strategy !== "merge") {
    if (part !== "deletions" && !deepEqual(before, after)) set(key, after);
    return;
  }
  const { changes, deletions, order } = diffMergedLists(before, after, field, part);
  if (changes.length > 0) set(key, changes);
  if (deletions.length > 0) set(`${deleteListPrefix}/${key}`, deletions);
  if (order.length > 0) set(`${elementOrderPrefix}/${key}`, order);
}

interface ListDiff {
  readonly changes: ValueList;
  readonly deletions: ValueList;
  readonly order: ValueList;
}

function diffMergedLists(before: ValueList, after: ValueList, field: PatchField, part: DiffPart): ListDiff {
  if (before.length === 0) {
    return { changes: part === "deletions" ? [] : after, deletions: [], order: [] };
  }
  return itemKindOf(before, after) === "scalar"
    ? diffScalarLists(before, after, part)
    : diffObjectLists(before, after, field, part);
}

function diffScalarLists(before: ValueList, after: ValueList, part: DiffPart): ListDiff {
  const added = part === "deletions" ? [] : subtract(after, before);
  const deletions = part === "additions" ? [] : subtract(before, after).sort(byText);
  const reorders = part !== "deletions" && !deepEqual(before, after);
  return { changes: added, deletions, order: deletions.length > 0 || reorders ? after : [] };
}

/** The items of `list` that `other` has fewer of. */
function subtract(list: ValueList, other: ValueList): Value[] {
  const left = new Map<Value, number>();
  for (const item of other) left.set(item, (left.get(item) ?? 0) + 1);
  return list.filter((item) => {
    const count = left.get(item) ?? 0;
    left.set(item, count - 1);
    return count <= 0;
  });
}

function byText(a: Value, b: Value): number {
  const [left, right] = [goValueText(a), goValueText(b)];
  return left < right ? -1 : left > right ? 1 : 0;
}

function diffObjectLists(before: ValueList, after: ValueList, field: PatchField, part: DiffPart): ListDiff {
  const { mergeKey } = field;
  const identity = identityOf("object", mergeKey);
  const present = new Map(before.map((item) => [identity(item), item]));
  const positions = positionsOf(after, identity);
  const changed = after.flatMap((item) => changeOf(present.get(identity(item)), asObject(item), field, part));
  const deleted = part === "additions" ? [] : before.filter((item) => !positions.has(identity(item)));
  const deletions = deleted
    .map((item) => identity(item))
    .sort(byText)
    .map((key) => ({ [mergeKey]: key, [patchDirective]: "delete" }));
  const changes = [...sortBy(changed, positions, identity), ...deletions];
  const reorders = part !== "deletions" && !sameOrder(before, after, mergeKey);
  const order = changes.length > 0 || reorders ? after.map((item) => ({ [mergeKey]: identity(item) })) : [];
  return { changes, deletions: [], order };
}

function changeOf(
  before: Value | undefined,
  after: ValueObject,
  field: PatchField,
  part: DiffPart,
): ValueList {
  if (before === undefined) return part === "deletions" ? [] : [after];
  if (before === after) return [];
  const patch = diffObjects(asObject(before), after, field.schema, part, field.retainKeys);
  return Object.keys(patch).length === 0
    ? []
    : [{ ...patch, [field.mergeKey]: mergeKeyOf(after, field.mergeKey) }];
}

function sameOrder(before: ValueList, after: ValueList, mergeKey: string): boolean {
  return (
    before.length === after.length &&
    after.every((item, i) => mergeKeyOf(before[i], mergeKey) === mergeKeyOf(item, mergeKey))
  );
}
