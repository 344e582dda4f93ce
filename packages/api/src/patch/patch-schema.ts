import type { JsonSchema } from "../schema/json-schema.ts";

/** How one field of a built-in kind is merged, found lazily from its OpenAPI definition. */
export interface PatchSchema {
  /** The schema of a field of this object, or undefined when the definition has no such field. */
  field(name: string): PatchField | undefined;
}

/** A field's patch strategy. */
export interface PatchField {
  /** `merge`, `replace`, `retainKeys`; empty for none given. */
  readonly strategies: readonly string[];
  /** The field that identifies an item of a merged list of objects: `name`; empty for none. */
  readonly mergeKey: string;
  /** Schema of the object, of a list's items, or of a map's values; undefined for scalars. */
  readonly schema: PatchSchema | undefined;
}

/**
 * The patch schema of a definition, for example `io.k8s.api.apps.v1.Deployment`.
 * @param definitions by name, as `definitions` of an OpenAPI document
 * @throws Error for an unknown name
 */
export declare function patchSchemaOf(
  definitions: Readonly<Record<string, JsonSchema>>,
  name: string,
): PatchSchema;
