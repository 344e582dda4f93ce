import type { ManagedObject } from "./field-management.ts";
import { leavesOfSet } from "./field-set.ts";
import type { MergeType } from "./merge-type.ts";
import { readFieldSet } from "./read-field-set.ts";
import { extractFields } from "./remove-fields.ts";
import { asMap } from "./value-kind.ts";

/**
 * What a manager applied, taken out of an object: change it and apply it again. Undefined when the manager owns nothing
 * there. The keys of list items are included because applying an item owns them. Source: apimachinery managedfields
 * (extract.go).
 * @param owner `subresource` is `status` or `scale` when the manager applied through that; default the main resource
 */
export function extractOwned(
  type: MergeType,
  object: ManagedObject,
  owner: { readonly manager: string; readonly subresource?: string },
): Record<string, unknown> | undefined {
  const entry = object.metadata?.managedFields?.find(
    (candidate) =>
      candidate.manager === owner.manager &&
      candidate.operation === "Apply" &&
      (candidate.subresource ?? "") === (owner.subresource ?? ""),
  );
  if (entry === undefined) return undefined;
  const owned = asMap(extractFields(type, object, leavesOfSet(readFieldSet(entry.fieldsV1)))) ?? {};
  const { namespace, name } = object.metadata;
  const names = {
    ...(name === undefined ? {} : { name }),
    ...(namespace === undefined ? {} : { namespace }),
  };
  const metadata = { ...names, ...asMap(owned["metadata"]) };
  return { apiVersion: object.apiVersion, kind: object.kind, ...owned, metadata };
}
