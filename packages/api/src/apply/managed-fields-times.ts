import type { ManagedFields, ManagedObject } from "./field-management.ts";
import { equalValues } from "./value-kind.ts";
import { withManagedFields } from "./track-update.ts";

/**
 * The object with the times of the stored one, when times of its managedFields are all that differs: a write that changes
 * nothing must not get a new resourceVersion. Call it last, on what would be stored; then compare with the stored object.
 * Source: apiserver endpoints/handlers/fieldmanager (equality.go).
 */
export function keepManagedFieldsTimes(stored: ManagedObject, object: ManagedObject): ManagedObject {
  const before = stored.metadata?.managedFields;
  const after = object.metadata?.managedFields;
  if (before === after || before === undefined || after === undefined) return object;
  if (!sameButTimes(before, after)) return object;
  const kept = withManagedFields(object, before);
  return equalValues(withoutVersion(kept), withoutVersion(stored)) ? kept : object;
}

function sameButTimes(a: ManagedFields, b: ManagedFields): boolean {
  return (
    a.length === b.length &&
    a.every((entry, index) => equalValues({ ...entry, time: 0 }, { ...b[index], time: 0 }))
  );
}

function withoutVersion(object: ManagedObject): unknown {
  return { ...object, metadata: { ...object.metadata, resourceVersion: "" } };
}
