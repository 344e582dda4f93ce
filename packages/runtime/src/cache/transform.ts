import type { DeepReadonly, KubeObject } from "@bowline/api";

/** Changes what a cache keeps of an object: answers a new frozen object, or the same one. */
export type Transform = (object: DeepReadonly<KubeObject>) => DeepReadonly<KubeObject>;

/** Leaves managedFields out: nobody reads them from a cache, and they are often half of an object. */
export const stripManagedFields: Transform = (object) => {
  if (object.metadata.managedFields === undefined) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return Object.freeze({ ...object, metadata: Object.freeze(metadata) });
};
