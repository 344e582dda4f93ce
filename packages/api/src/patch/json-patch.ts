import { DecodeError } from "../codec/decode-error.ts";
import { decodeJson, encodeJson } from "../codec/json.ts";
import { quote } from "../status/field-error.ts";
import { badRequest, failure } from "../status/status-error.ts";
import { type JsonPatchOperation, JsonPatchFailure, applyOperation } from "./json-patch-operation.ts";
import { type Value, type ValueObject, isList, isObject, jsonTypeName } from "./json-value.ts";

/** How many operations the API server accepts in one patch. */
export const jsonPatchOperationsMax: number = 10_000;

/** A patch body, read. */
export interface DecodedJsonPatch {
  readonly operations: readonly JsonPatchOperation[];
  /** Texts of strict field validation: `json patch duplicate field "[0].path"`. */
  readonly strictErrors: readonly string[];
}

/**
 * Reads a JSON patch body as the API server does.
 * @throws StatusError 400 for what is no JSON patch, 413 for more than `jsonPatchOperationsMax` operations
 * Source of the wordings: apiserver pkg/endpoints/handlers (patch.go), github.com/evanphx/json-patch v5 (patch.go).
 */
export function decodeJsonPatch(text: string): DecodedJsonPatch {
  const { items, strictErrors } = readItems(text);
  for (const item of items) {
    const problem = operationProblem(item);
    if (problem !== undefined) throw badRequest(`invalid operation ${operationText(item)}: ${problem}`);
  }
  if (items.length > jsonPatchOperationsMax) {
    const limit = `The allowed maximum operations in a JSON patch is ${jsonPatchOperationsMax}, got ${items.length}`;
    throw failure(413, "RequestEntityTooLarge", `Request entity too large: ${limit}`);
  }
  return { operations: items as readonly unknown[] as readonly JsonPatchOperation[], strictErrors };
}

/**
 * The value after all operations; shares every part that no operation touched, and is the same value when none changed
 * anything.
 * @throws StatusError 422 when a path is not there or a test fails; the server says no more than that
 */
export function applyJsonPatch(value: Value, operations: readonly JsonPatchOperation[]): Value {
  try {
    return operations.reduce(applyOperation, value);
  } catch (error) {
    if (!(error instanceof JsonPatchFailure)) throw error;
    throw failure(422, "Invalid", "the server rejected our request due to an error in our request", {});
  }
}

const operationFields: ReadonlySet<string> = new Set(["op", "path", "from", "value"]);
const textFields: readonly string[] = ["op", "path", "from"];

function readItems(text: string): { items: readonly Value[]; strictErrors: readonly string[] } {
  try {
    const { value, duplicateFields } = decodeJson(text);
    if (value === null) return { items: [], strictErrors: [] };
    if (!isList(value)) {
      throw new DecodeError(
        `json: cannot unmarshal ${jsonTypeName(value)} into Go value of type []handlers.jsonPatchOp`,
      );
    }
    const unknown = value.flatMap(checkItem);
    return {
      items: value,
      strictErrors: [...duplicateFields, ...unknown].map((problem) => `json patch ${problem}`),
    };
  } catch (error) {
    if (error instanceof DecodeError) throw badRequest(`error decoding patch: ${error.message}`);
    throw error;
  }
}

/** The unknown fields of one operation. */
function checkItem(item: Value, index: number): string[] {
  if (item === null) return [];
  if (!isObject(item)) {
    throw new DecodeError(
      `json: cannot unmarshal ${jsonTypeName(item)} into Go value of type handlers.jsonPatchOp`,
    );
  }
  for (const field of textFields) {
    const value = item[field];
    if (value !== undefined && value !== null && typeof value !== "string") {
      const type = jsonTypeName(value);
      throw new DecodeError(
        `json: cannot unmarshal ${type} into Go struct field jsonPatchOp.${field} of type string`,
      );
    }
  }
  return Object.keys(item)
    .filter((key) => !operationFields.has(key))
    .map((key) => `unknown field ${quote(`[${index}].${key}`)}`);
}

/** What is wrong with an operation before it is applied to anything. */
function operationProblem(item: Value): string | undefined {
  const { op, path, from, value } = isObject(item) ? item : ({} as ValueObject);
  switch (op) {
    case "add":
    case "replace":
      if (value === undefined)
        return "failed to decode 'value': operation, missing value field: missing value";
      break;
    case "move":
    case "copy":
      if (typeof from !== "string")
        return "failed to decode 'from': operation, missing from field: missing value";
      break;
    case "remove":
    case "test":
      break;
    default:
      return "unsupported operation";
  }
  return typeof path === "string"
    ? undefined
    : "failed to decode 'path': operation missing path field: missing value";
}

/** The operation as Go prints a map: sorted by key. */
function operationText(item: Value): string {
  if (!isObject(item)) return encodeJson(item);
  return encodeJson(Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1))));
}
