/**
 * Deletes, with grace periods, finalizers and propagation.
 * Source: k8s.io/apiserver pkg/registry/generic/registry (store.go), pkg/registry/rest (delete.go).
 */
import { deepFreeze, notFound } from "@bowline/api";
import { rfc3339 } from "@bowline/client";
import { StaleWrite } from "../store/bucket.ts";
import { Revision, type StoredObject } from "../store/revision.ts";
import { type DeleteOptions, checkDeletePreconditions } from "./delete-options.ts";
import {
  type WriteContext,
  admissionRequest,
  commit,
  removeStored,
  resourceName,
} from "./generic-registry.ts";
import { withMetadata } from "./metadata.ts";
import { type Resource, seeOne, storeKey } from "./resource.ts";

export interface Deleted {
  /** The object as it is now, when it stays; as it last was, when it is gone. */
  readonly revision: Revision;
  readonly gone: boolean;
}

/** @throws StatusError 404, 409 for a failed precondition, and what admission says */
export async function deleteObject(
  resource: Resource,
  context: WriteContext,
  request: { readonly namespace: string; readonly name: string; readonly options: DeleteOptions },
): Promise<Deleted> {
  const key = storeKey(resource.api.namespaced, request.namespace, request.name);
  for (;;) {
    const stored = resource.bucket.get(key);
    if (stored === undefined) throw notFound(resourceName(resource), request.name);
    checkDeletePreconditions(resource, request.name, request.options, stored.object.metadata);
    const seen = await seeOne(resource, stored);
    await context.admission.validate(
      admissionRequest(resource, context, {
        operation: "DELETE",
        namespace: request.namespace,
        name: request.name,
        oldObject: seen.object,
      }),
    );
    try {
      return await deleteOnce(resource, context, stored, request.options);
    } catch (error) {
      // somebody else wrote in between: the preconditions decide again, on the new state
      if (!(error instanceof StaleWrite)) throw error;
    }
  }
}

async function deleteOnce(
  resource: Resource,
  context: WriteContext,
  stored: Revision,
  options: DeleteOptions,
): Promise<Deleted> {
  const { orphanWarning } = resource.strategy;
  const saysPropagation = options.orphanDependents !== undefined || options.propagationPolicy !== undefined;
  if (orphanWarning !== undefined && !saysPropagation) context.warn(orphanWarning);
  const marked = markDeleted(resource, context, stored.object, options);
  if (!stays(resource, marked)) {
    if (resource.bucket.get(stored.key) !== stored) throw new StaleWrite(stored.key);
    if (!context.dryRun) removeStored(resource, stored);
    return { revision: await seeOne(resource, stored), gone: true };
  }
  if (marked === stored.object) return { revision: await seeOne(resource, stored), gone: false };
  if (context.dryRun) {
    const imagined = new Revision(stored.key, stored.revision, deepFreeze(marked) as StoredObject);
    return { revision: await seeOne(resource, imagined), gone: false };
  }
  return { revision: await seeOne(resource, commit(resource, stored.key, stored, marked)), gone: false };
}

function stays(resource: Resource, object: StoredObject): boolean {
  const { finalizers, deletionGracePeriodSeconds: grace = 0 } = object.metadata;
  return (finalizers?.length ?? 0) > 0 || grace > 0 || resource.strategy.keepsDeleted?.(object) === true;
}

/** The object with deletion mark, grace period and finalizers as this delete leaves them; the same one for no change. */
function markDeleted(
  resource: Resource,
  context: WriteContext,
  object: StoredObject,
  options: DeleteOptions,
): StoredObject {
  const finalizers = finalizersAfter(resource, object, options);
  const grace = graceAfter(resource, object, options);
  const { metadata } = object;
  const first = metadata.deletionTimestamp === undefined;
  const shorter = grace < (metadata.deletionGracePeriodSeconds ?? 0);
  const sameFinalizers =
    finalizers.length === (metadata.finalizers?.length ?? 0) &&
    finalizers.every((f, i) => f === metadata.finalizers?.[i]);
  if (!first && !shorter && sameFinalizers) return object;
  const changed = withMetadata(object, {
    finalizers: finalizers.length === 0 ? undefined : finalizers,
    ...(first || shorter
      ? {
          deletionTimestamp: rfc3339(context.clock.now() + grace * 1000),
          deletionGracePeriodSeconds: grace,
        }
      : {}),
    // the mark counts as a change of what is wanted, for kinds that count
    ...(first && metadata.generation !== undefined ? { generation: metadata.generation + 1 } : {}),
  });
  return first ? (resource.strategy.prepareForDelete?.(changed) ?? changed) : changed;
}

/** Seconds until the object may go. A second delete can only shorten it. */
function graceAfter(resource: Resource, object: StoredObject, options: DeleteOptions): number {
  const asked = options.gracePeriodSeconds;
  const grace = resource.strategy.gracePeriodSeconds?.(object, asked) ?? 0;
  const running =
    object.metadata.deletionTimestamp === undefined ? undefined : object.metadata.deletionGracePeriodSeconds;
  if (running === undefined) return grace;
  return asked === undefined ? running : Math.min(running, grace);
}

const orphanFinalizer = "orphan";
const foregroundFinalizer = "foregroundDeletion";

function finalizersAfter(
  resource: Resource,
  object: StoredObject,
  options: DeleteOptions,
): readonly string[] {
  const existing = object.metadata.finalizers ?? [];
  const wanted = propagation(resource, existing, options);
  const kept = existing.filter((f) => f !== orphanFinalizer && f !== foregroundFinalizer);
  if (wanted === "Orphan") kept.push(orphanFinalizer);
  if (wanted === "Foreground") kept.push(foregroundFinalizer);
  // the same ones in another order are no change
  const same = new Set(existing);
  return kept.length === existing.length && kept.every((f) => same.has(f)) ? existing : kept;
}

/** What happens to the dependents: the options say, else finalizers from an earlier delete, else the kind's default. */
function propagation(resource: Resource, existing: readonly string[], options: DeleteOptions): string {
  if (options.orphanDependents !== undefined) return options.orphanDependents ? "Orphan" : "Background";
  if (options.propagationPolicy !== undefined) return options.propagationPolicy;
  if (existing.includes(orphanFinalizer)) return "Orphan";
  if (existing.includes(foregroundFinalizer)) return "Foreground";
  return resource.strategy.defaultPropagation;
}
