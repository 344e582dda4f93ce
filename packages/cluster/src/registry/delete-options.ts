import { conflict, failure } from "@bowline/api";
import type { Resource } from "./resource.ts";

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
  resource: Resource,
  name: string,
  options: DeleteOptions,
  found: { readonly uid?: string; readonly resourceVersion?: string },
): void {
  const { uid, resourceVersion } = options.preconditions ?? {};
  if (uid !== undefined && uid !== found.uid) {
    throw failed(resource, name, { field: "UID", asked: uid, found: found.uid ?? "" });
  }
  if (resourceVersion !== undefined && resourceVersion !== found.resourceVersion) {
    const version = { asked: resourceVersion, found: found.resourceVersion ?? "" };
    throw failed(resource, name, { field: "ResourceVersion", ...version });
  }
}

interface Mismatch {
  readonly field: "UID" | "ResourceVersion";
  readonly asked: string;
  readonly found: string;
}

function failed(resource: Resource, name: string, { field, asked, found }: Mismatch): Error {
  // kinds that go through a phase of termination look for themselves, in words of their own
  if (resource.strategy.prepareForDelete !== undefined) {
    const why = `Precondition failed: ${field} in precondition: ${asked}, ${field} in object meta: ${found}`;
    return conflict({ group: resource.api.group, resource: resource.api.plural }, name, why);
  }
  const { group, kind } = resource.kind;
  const qualified = group === "" ? kind : `${kind}.${group}`;
  const guess = field === "UID" ? "deleted and then recreated" : "modified";
  const why = `the ${field} in the precondition (${asked}) does not match the ${field} in record (${found}). The object might have been ${guess}`;
  return failure(409, "Conflict", `Operation cannot be fulfilled on ${qualified} "${name}": ${why}`, {
    name,
    ...(group === "" ? {} : { group }),
    kind,
  });
}
