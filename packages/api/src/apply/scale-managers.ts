import type { ManagedFields } from "./field-management.ts";

/** Where replicas are in each version of the parent kind: `{"apps/v1": ["spec", "replicas"]}`; undefined: no scale there. */
export type ReplicasPaths = { readonly [apiVersion: string]: readonly string[] | undefined };

/** The entries of a parent object as its Scale shows them. */
export function scaleManagedFields(parent: ManagedFields, paths: ReplicasPaths): ManagedFields {
  throw new Error(`not built yet: ${parent.length}${Object.keys(paths).length}`);
}

/** The entries of the parent after a write through /scale left the Scale with `scale` entries. */
export function parentManagedFields(
  parent: ManagedFields,
  scale: ManagedFields,
  options: { readonly apiVersion: string; readonly paths: ReplicasPaths },
): ManagedFields {
  throw new Error(`not built yet: ${parent.length}${scale.length}${options.apiVersion}`);
}
