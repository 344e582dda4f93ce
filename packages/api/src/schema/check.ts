import type { Correlation } from "./correlation.ts";
import type { JsonSchema } from "./json-schema.ts";
import type { SchemaError } from "./schema-error.ts";

/**
 * Checks a value and adds what is wrong to `errors`.
 *
 * The result is the validator's score: of several alternatives of an `anyOf` or `oneOf`, none of which fits, the errors of
 * the one with the best score are reported, so it is counted exactly as there.
 * @param path place of the value as the validator names it
 * @param correlation the old value, when errors of unchanged values are to be forgiven
 */
export type ValueCheck = (
  value: unknown,
  path: string,
  errors: SchemaError[],
  correlation: Correlation | undefined,
) => number;

/** Compiles the schema of a part of a value. */
export type CompilePart = (schema: JsonSchema) => ValueCheck;

/**
 * What a schema is compiled for. Values of objects are checked as the server checks objects; defaults are checked against
 * the structural form of the schema, which says less: int-or-string has no type there, junctors have no
 * additionalProperties, and a format counts on every type. Source: apiextensions-apiserver schema/kubeopenapi.go.
 */
export type CheckPurpose = "object" | "default";
