import type { JsonSchema } from "../schema/json-schema.ts";

/** How values of a schema merge; opaque to callers. */
export interface MergeType {
  readonly scalar?: "numeric" | "string" | "boolean" | "untyped";
}

/** The type of a kind without schema: maps merge by key, lists and scalars are replaced as a whole. */
export const deducedType: MergeType = { scalar: "untyped" };

/**
 * Compiles the merge type of a kind, once. `schema` is the `openAPIV3Schema` of a CRD version or the definition of a
 * built-in kind; `definitions` resolves `$ref`s (`#/definitions/name`). apiVersion, kind and metadata are always typed as the
 * server types them.
 */
export function compileMergeType(
  schema: JsonSchema,
  options?: { readonly definitions?: { readonly [name: string]: JsonSchema }; readonly preserveUnknownFields?: boolean },
): MergeType {
  throw new Error(`not built yet: ${schema.type}${options === undefined}`);
}
