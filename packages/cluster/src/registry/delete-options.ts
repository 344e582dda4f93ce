import { failure } from "@bowline/api";

/** Options of a delete. Source: meta/v1 DeleteOptions. */
export interface DeleteOptions {
  readonly dryRun: boolean;
  readonly gracePeriodSeconds: number | undefined;
  readonly propagationPolicy: string | undefined;
  /** Deprecated; beats propagationPolicy. */
  readonly orphanDependents: boolean | undefined;
  readonly preconditions:
    | { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined }
    | undefined;
}

/**
 * Fails when the object is not the one that the client meant to delete.
 * @throws StatusError 409
 */
export function checkDeletePreconditions(
  kind: { readonly group: string; readonly kind: string },
  name: string,
  options: DeleteOptions,
  found: { readonly uid?: string; readonly resourceVersion?: string },
): void {
  const { uid, resourceVersion } = options.preconditions ?? {};
  if (uid !== undefined && uid !== found.uid) {
    const why = `the UID in the precondition (${uid}) does not match the UID in record (${found.uid ?? ""}). The object might have been deleted and then recreated`;
    throw preconditionFailed(kind, name, why);
  }
  if (resourceVersion !== undefined && resourceVersion !== found.resourceVersion) {
    const why = `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${found.resourceVersion ?? ""}). The object might have been modified`;
    throw preconditionFailed(kind, name, why);
  }
}

function preconditionFailed(
  kind: { readonly group: string; readonly kind: string },
  name: string,
  why: string,
): Error {
  const qualified = kind.group === "" ? kind.kind : `${kind.kind}.${kind.group}`;
  return failure(409, "Conflict", `Operation cannot be fulfilled on ${qualified} "${name}": ${why}`, {
    name,
    ...(kind.group === "" ? {} : { group: kind.group }),
    kind: kind.kind,
  });
}
