import { jsonEqual } from "@bowline/api";
import type { StoredObject } from "../store/revision.ts";
import { withMetadata } from "./metadata.ts";

/**
 * The object without owner references that it has twice, word for word, and a warning about them.
 * Source: k8s.io/apiserver pkg/endpoints/handlers/rest.go (dedupOwnerReferencesAndAddWarning).
 */
export function uniqueOwnerReferences(
  object: StoredObject,
  options: { readonly afterAdmission: boolean; warn(text: string): void },
): StoredObject {
  const references = object.metadata.ownerReferences;
  if (references === undefined || references.length < 2) return object;
  const unique: (typeof references)[number][] = [];
  const doubled = new Set<string>();
  for (const reference of references) {
    if (unique.some((kept) => jsonEqual(kept, reference))) doubled.add(reference.uid);
    else unique.push(reference);
  }
  if (doubled.size === 0) return object;
  const when = options.afterAdmission ? " after mutating admission happens" : "";
  options.warn(
    `.metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${[...doubled].join(", ")}`,
  );
  return withMetadata(object, { ownerReferences: unique });
}
