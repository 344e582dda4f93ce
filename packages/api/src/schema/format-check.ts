import { quote } from "../status/field-error.ts";
import { stringFormats } from "./formats.ts";
import type { JsonSchema } from "./json-schema.ts";
import { type SchemaError, addError } from "./schema-error.ts";

/** The format that the server enforces: one that it does not know, or not for this type, counts as none. */
export function effectiveFormat(schema: JsonSchema, types: readonly string[]): string {
  const format = schema.format ?? "";
  return format === "" || !isKnownFormat(format, types) ? "" : format;
}

/**
 * Whether the server knows the format for a schema of these types.
 * Source: apiextensions-apiserver pkg/apiserver/validation/formats.go.
 */
export function isKnownFormat(format: string, types: readonly string[]): boolean {
  const type = types.length === 1 ? types[0] : "";
  if (type === "integer") return format === "int32" || format === "int64";
  if (type === "number") return format === "float" || format === "double";
  return (type === "" || type === "string") && stringFormats.has(normalized(format));
}

/** Undefined when the format says nothing about texts. */
export function formatCheck(
  format: string,
): ((value: string, path: string, errors: SchemaError[]) => void) | undefined {
  const accepts = stringFormats.get(normalized(format));
  if (accepts === undefined) return undefined;
  return (value, path, errors) => {
    if (accepts(value)) return;
    const message = `${path} in body must be of type ${format}: ${quote(value)}`;
    addError(errors, { message, type: "TypeInvalid", path, badValue: value, detail: message });
  };
}

/** `date-time` and `datetime` are one format. */
function normalized(format: string): string {
  return format.replaceAll("-", "");
}
