/**
 * A set of field paths in its wire form (FieldsV1): `{"f:spec": {".": {}, "f:replicas": {}}}` holds `.spec` and
 * `.spec.replicas`. A node is a member of the set when it is empty or has `"."`. Immutable.
 */
export interface FieldSet {
  readonly [element: string]: FieldSet;
}

/** The set of these paths of field names: `fieldSetOf([["metadata"], ["spec", "replicas"]])`. */
export function fieldSetOf(paths: readonly (readonly string[])[]): FieldSet {
  throw new Error(`not built yet: ${paths.length}`);
}
