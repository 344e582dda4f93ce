import { DecodeError } from "../codec/decode-error.ts";
import { decodeJson } from "../codec/json.ts";
import { badRequest } from "../status/status-error.ts";
import {
  type Value,
  type ValueObject,
  isList,
  isObject,
  jsonTypeName,
  withMember,
  withoutMember,
} from "./json-value.ts";

/** A merge patch body, read. */
export interface DecodedMergePatch {
  /** An object, or null for a body `null`. */
  readonly patch: Value;
  /** Texts of strict field validation: `duplicate field "spec.x"`. */
  readonly strictErrors: readonly string[];
}

/**
 * Reads the body of a merge patch (plain or strategic) as the API server does.
 * @throws StatusError 400 for a body that is no JSON object
 */
export function decodeMergePatch(text: string): DecodedMergePatch {
  try {
    const { value, duplicateFields } = decodeJson(text);
    if (value === null || isObject(value)) return { patch: value, strictErrors: duplicateFields };
    throw new DecodeError(
      `json: cannot unmarshal ${jsonTypeName(value)} into Go value of type map[string]interface {}`,
    );
  } catch (error) {
    if (error instanceof DecodeError) throw badRequest(`error decoding patch: ${error.message}`);
    throw error;
  }
}

/**
 * The value after an RFC 7386 merge patch: null removes, objects merge, all else replaces. Shares what the patch leaves
 * alone; the same value when nothing changes.
 *
 * As the API server's library does, nulls vanish from objects that are added, also from those inside of added lists, while
 * a null that is itself an element stays. Source: github.com/evanphx/json-patch (merge.go).
 */
export function applyMergePatch(value: Value, patch: Value): Value {
  if (isObject(patch)) return isObject(value) ? mergeObjects(value, patch) : withoutNulls(patch);
  if (value === patch) return value;
  return isObject(value) ? patch : withoutNulls(patch);
}

function mergeObjects(value: ValueObject, patch: ValueObject): ValueObject {
  let result = value;
  for (const [key, change] of Object.entries(patch)) {
    if (change === null) {
      result = withoutMember(result, key);
      continue;
    }
    const before = Object.hasOwn(value, key) ? (value[key] as Value) : null;
    result = withMember(
      result,
      key,
      before === null ? withoutNulls(change) : applyMergePatch(before, change),
    );
  }
  return result;
}

/** The value without null members of its objects; the same value when there are none. */
function withoutNulls(value: Value): Value {
  if (isList(value)) {
    const items = value.map(withoutNulls);
    return items.every((item, i) => item === value[i]) ? value : items;
  }
  if (!isObject(value)) return value;
  let result = value;
  for (const [key, item] of Object.entries(value)) {
    result = item === null ? withoutMember(result, key) : withMember(result, key, withoutNulls(item));
  }
  return result;
}
