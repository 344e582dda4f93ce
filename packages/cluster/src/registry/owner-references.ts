import type { StoredObject } from "../store/revision.ts";
import { withMetadata } from "./metadata.ts";

/**
 * The object without owner references that name an owner a second time, and a warning about them.
 * Source: k8s.io/apiserver pkg/endpoints/handlers/rest.go (dedupOwnerReferencesAndAddWarning).
 */
export function uniqueOwnerReferences(
  object: StoredObject,
  options: { readonly afterAdmission: boolean; warn(text: string): void },
): StoredObject {
  const references = object.metadata.ownerReferences ?? [];
  const seen = new Set<string>();
  const doubled = new Set<string>();
  const unique = references.filter((reference) => {
    const first = !seen.has(reference.uid);
    seen.add(reference.uid);
    if (!first) doubled.add(reference.uid);
    return first;
  });
  if (doubled.size === 0) return object;
  const when = options.afterAdmission ? " after mutating admission happens" : "";
  options.warn(
    `.metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${[...doubled].join(", ")}`,
  );
  return withMetadata(object, { ownerReferences: unique });
}
