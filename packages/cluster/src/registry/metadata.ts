import { type DeepReadonly, type ObjectMeta, type UnstructuredObject, generatedName } from "@bowline/api";
import { type Clock, type Random, rfc3339 } from "@bowline/client";
import type { StoredObject } from "../store/revision.ts";

type Meta = DeepReadonly<ObjectMeta>;

const order = [
  "annotations",
  "creationTimestamp",
  "deletionGracePeriodSeconds",
  "deletionTimestamp",
  "finalizers",
  "generateName",
  "generation",
  "labels",
  "managedFields",
  "name",
  "namespace",
  "ownerReferences",
  "resourceVersion",
  "selfLink",
  "uid",
] as const;

/** The object with these metadata fields set, or removed where the value is undefined; fields in the server's order. */
export function withMetadata(
  object: StoredObject,
  changes: { readonly [K in keyof ObjectMeta]?: DeepReadonly<ObjectMeta[K]> | undefined },
): StoredObject {
  const merged: Record<string, unknown> = {};
  for (const field of order) {
    const value = field in changes ? changes[field] : object.metadata[field];
    if (value !== undefined) merged[field] = value;
  }
  const { apiVersion, kind, metadata: _metadata, ...rest } = object as UnstructuredObject;
  return { apiVersion, kind, metadata: merged as Meta, ...rest } as StoredObject;
}

/**
 * Metadata of a new object as the server fills it in: uid and creationTimestamp its own, deletion fields and selfLink
 * wiped, a name made from generateName. Source: k8s.io/apiserver pkg/registry/rest (meta.go, create.go).
 */
export function newMetadata(object: StoredObject, ports: { clock: Clock; random: Random }): StoredObject {
  const { name, generateName } = object.metadata;
  const generated = !name && generateName ? generatedName(generateName, ports.random) : undefined;
  return withMetadata(object, {
    uid: ports.random.uuid(),
    creationTimestamp: rfc3339(ports.clock.now()),
    deletionTimestamp: undefined,
    deletionGracePeriodSeconds: undefined,
    resourceVersion: undefined,
    selfLink: undefined,
    ...(generated === undefined ? {} : { name: generated }),
  });
}

/**
 * Metadata of a changed object where the server has the last word: what a client left out or may not change is taken from
 * the stored object. Source: k8s.io/apiserver pkg/registry/rest (update.go).
 */
export function keptMetadata(object: StoredObject, old: StoredObject): StoredObject {
  const { metadata } = object;
  return withMetadata(object, {
    uid: metadata.uid || old.metadata.uid,
    creationTimestamp: old.metadata.creationTimestamp || metadata.creationTimestamp,
    deletionTimestamp: old.metadata.deletionTimestamp ?? metadata.deletionTimestamp,
    deletionGracePeriodSeconds:
      metadata.deletionGracePeriodSeconds ?? old.metadata.deletionGracePeriodSeconds,
    generation: old.metadata.generation,
    selfLink: undefined,
  });
}
