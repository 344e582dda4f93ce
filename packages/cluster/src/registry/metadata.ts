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
  const given = changes as Readonly<Record<string, unknown>>;
  const before = object.metadata as Readonly<Record<string, unknown>>;
  if (!changesAny(before, given)) return object;
  const metadata: Record<string, unknown> = {};
  for (const field of order) {
    const value = field in given ? given[field] : before[field];
    if (value !== undefined) metadata[field] = value;
  }
  if (typeComesFirst(object)) return { ...object, metadata: metadata as Meta } as StoredObject;
  const { apiVersion, kind, metadata: _metadata, ...rest } = object as UnstructuredObject;
  return { apiVersion, kind, metadata: metadata as Meta, ...rest } as StoredObject;
}

/** Whether the fields are in the order already in which they are stored and sent. */
function typeComesFirst(object: StoredObject): boolean {
  let place = 0;
  for (const field in object) {
    if (field !== leadingFields[place]) return false;
    if (++place === leadingFields.length) return true;
  }
  return false;
}

const leadingFields = ["apiVersion", "kind", "metadata"] as const;

function changesAny(
  before: Readonly<Record<string, unknown>>,
  changes: Readonly<Record<string, unknown>>,
): boolean {
  for (const field in changes) if (changes[field] !== before[field]) return true;
  return false;
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
