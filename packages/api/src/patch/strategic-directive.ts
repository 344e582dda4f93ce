import { goTypeName, goValueText } from "../codec/go-text.ts";
import {
  type Value,
  type ValueList,
  type ValueObject,
  isList,
  isObject,
  member,
  withMember,
  withoutMember,
} from "./json-value.ts";

/** What a strategic merge patch says beside values. Source: apimachinery pkg/util/strategicpatch (patch.go). */

/** `"$patch": "replace"` or `"delete"`: what happens to the object that holds it. */
export const patchDirective = "$patch";
/** `"$retainKeys": ["a"]`: fields of the present object that are not listed go. */
export const retainKeysDirective = "$retainKeys";
/** `"$deleteFromPrimitiveList/x": ["a"]`: scalars to take out of the list `x`. */
export const deleteListPrefix = "$deleteFromPrimitiveList";
/** `"$setElementOrder/x": [...]`: the order of the list `x` after the merge. */
export const elementOrderPrefix = "$setElementOrder";

/** A strategic merge patch that cannot be applied or made. The message is the API server's. */
export class StrategicPatchError extends Error {
  override readonly name: string = "StrategicPatchError";
  /** HTTP status that the server answers with. */
  readonly code: 400 | 422 | 500;

  constructor(message: string, code: 400 | 422 | 500 = 500) {
    super(message);
    this.code = code;
  }
}

export function badFormat(
  what: "primitive list" | "retainKeys" | "setElementOrder list",
): StrategicPatchError {
  return new StrategicPatchError(`invalid patch format of ${what}`, 400);
}

export function noMergeKey(item: ValueObject, mergeKey: string): StrategicPatchError {
  return new StrategicPatchError(
    `map: ${goValueText(item)} does not contain declared merge key: ${mergeKey}`,
  );
}

export function unknownDirective(directive: Value, patch: ValueObject): StrategicPatchError {
  return new StrategicPatchError(
    `unknown patch type: ${goValueText(directive)} in map: ${goValueText(patch)}`,
  );
}

export function asObject(value: Value | undefined): ValueObject {
  if (isObject(value)) return value;
  throw new StrategicPatchError(`expected a map[string]interface {}, but received a ${goTypeName(value)}`);
}

export function asList(value: Value | undefined): ValueList {
  if (isList(value)) return value;
  throw new StrategicPatchError(`expected a []interface {}, but received a ${goTypeName(value)}`);
}

/** The value of the merge key of a list's item. */
export function mergeKeyOf(item: Value | undefined, mergeKey: string): Value {
  const object = asObject(item);
  const value = member(object, mergeKey);
  if (value === undefined) throw noMergeKey(object, mergeKey);
  return value;
}

export function hasDirective(value: Value | undefined): boolean {
  return isObject(value) && Object.hasOwn(value, patchDirective);
}

export function isDeletion(item: Value | undefined): boolean {
  return asObject(item)[patchDirective] === "delete";
}

/** The name of the list that a directive `$prefix/name` is about. */
export function listOf(key: string, prefix: string): string {
  if (key.startsWith(`${prefix}/`)) return key.slice(prefix.length + 1);
  throw badFormat(prefix === deleteListPrefix ? "primitive list" : "setElementOrder list");
}

/** The value without parts that a directive marks; undefined when it is marked itself. */
export function withoutDirectives(value: Value): Value | undefined {
  if (isList(value)) {
    const kept = value.map(withoutDirectives).filter((item) => item !== undefined);
    return kept.length === value.length && kept.every((item, i) => item === value[i]) ? value : kept;
  }
  if (!isObject(value)) return value;
  if (hasDirective(value)) return undefined;
  let result = value;
  for (const [key, item] of Object.entries(value)) {
    const kept = withoutDirectives(item);
    result = kept === undefined ? withoutMember(result, key) : withMember(result, key, kept);
  }
  return result;
}

/** The value without null members, also inside of lists. */
export function withoutNullMembers(value: Value): Value {
  if (isList(value)) {
    const items = value.map(withoutNullMembers);
    return items.every((item, i) => item === value[i]) ? value : items;
  }
  if (!isObject(value)) return value;
  let result = value;
  for (const [key, item] of Object.entries(value)) {
    result = item === null ? withoutMember(result, key) : withMember(result, key, withoutNullMembers(item));
  }
  return result;
}
