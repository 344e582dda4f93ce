import type { DeepReadonly, KubeObject } from "./object.ts";

/** Whether the object lists the finalizer. */
export function hasFinalizer(object: DeepReadonly<KubeObject>, finalizer: string): boolean {
  return object.metadata.finalizers?.includes(finalizer) ?? false;
}

/** The object with the finalizer at the end of its list; the same object when it already has it. */
export function addFinalizer<T extends DeepReadonly<KubeObject>>(object: T, finalizer: string): T {
  if (hasFinalizer(object, finalizer)) return object;
  const finalizers = [...(object.metadata.finalizers ?? []), finalizer];
  return { ...object, metadata: { ...object.metadata, finalizers } };
}

/**
 * The object without the finalizer (every occurrence of it); the same object when it has none. An emptied list stays as
 * `[]`, which a merge patch or an update needs to say that nothing is left.
 */
export function removeFinalizer<T extends DeepReadonly<KubeObject>>(object: T, finalizer: string): T {
  if (!hasFinalizer(object, finalizer)) return object;
  const finalizers = object.metadata.finalizers?.filter((name) => name !== finalizer) ?? [];
  return { ...object, metadata: { ...object.metadata, finalizers } };
}
