/** What the paths of a scale subresource lead to. Source: customresource/validator.go, unstructured/helpers.go. */
import type { CrdScale } from "../crd/custom-resource-definition.ts";
import type { JsonObject } from "../object/object.ts";
import type { FieldError } from "../status/field-error.ts";
import { goValue } from "../status/go-text.ts";
import { goTypeOf, isObject } from "./json-value.ts";

const int32Max = 2 ** 31 - 1;

/** Replica counts must be 32-bit integers, the selector a text; what is absent is fine. */
export function scaleErrors(
  object: JsonObject,
  scale: CrdScale,
  options: { readonly statusOnly: boolean },
): FieldError[] {
  const errors: FieldError[] = [];
  if (!options.statusOnly) checkReplicas(object, scale.specReplicasPath, errors);
  checkReplicas(object, scale.statusReplicasPath, errors);
  if (scale.labelSelectorPath !== undefined) {
    const { error } = nested(object, scale.labelSelectorPath, "string");
    if (error !== undefined) add(errors, scale.labelSelectorPath, "", error);
  }
  return errors;
}

function checkReplicas(object: JsonObject, path: string, errors: FieldError[]): void {
  const { value, error } = nested(object, path, "integer");
  if (error !== undefined) add(errors, path, 0, error);
  else if (value === undefined) return;
  else if (Number(value) < 0) add(errors, path, value, "should be a non-negative integer");
  else if (Number(value) > int32Max) add(errors, path, value, `should be less than or equal to ${int32Max}`);
}

function add(errors: FieldError[], field: string, badValue: unknown, detail: string): void {
  errors.push({ type: "Invalid", field, badValue, detail });
}

const goNames = {
  null: "<nil>",
  boolean: "bool",
  string: "string",
  integer: "int64",
  number: "float64",
  array: "[]interface {}",
  object: "map[string]interface {}",
};

interface Nested {
  /** Undefined when the path leads nowhere. */
  readonly value?: unknown;
  readonly error?: string;
}

function nested(object: JsonObject, path: string, expected: "integer" | "string"): Nested {
  const names = path.replace(/^\./, "").split(".");
  let value: unknown = object;
  for (const [i, name] of names.entries()) {
    if (value === null) return {};
    if (!isObject(value))
      return { error: accessError(names.slice(0, i + 1), value, "map[string]interface{}") };
    if (!Object.hasOwn(value, name)) return {};
    value = value[name];
  }
  return goTypeOf(value) === expected ? { value } : { error: accessError(names, value, goNames[expected]) };
}

function accessError(names: readonly string[], value: unknown, expected: string): string {
  const type = goNames[goTypeOf(value)];
  return `.${names.join(".")} accessor error: ${goValue(value)} is of the type ${type}, expected ${expected}`;
}
