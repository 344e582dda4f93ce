import { deepFreeze } from "@bowline/api";
import type { AdmissionRequest } from "../../registry/admission.ts";
import { type Resource, seeOne } from "../../registry/resource.ts";
import { Revision, type StoredObject } from "../../store/revision.ts";

/** The objects of a request in the version of a webhook or policy. */
export interface VersionedObjects {
  readonly object: StoredObject | undefined;
  readonly oldObject: StoredObject | undefined;
}

export async function versionedObjects(
  request: AdmissionRequest,
  resource: Resource,
): Promise<VersionedObjects> {
  if (resource === request.resource) return request;
  const convert = async (object: StoredObject | undefined): Promise<StoredObject | undefined> =>
    object === undefined ? undefined : converted(object, request.resource, resource);
  return { object: await convert(request.object), oldObject: await convert(request.oldObject) };
}

/** An object of one version of a resource as another shows it. */
export async function converted(object: StoredObject, from: Resource, to: Resource): Promise<StoredObject> {
  if (from === to) return object;
  const stored = deepFreeze(await from.toStorage(object)) as StoredObject;
  return (await seeOne(to, new Revision(object.metadata.name ?? "", 0, stored))).object;
}

/** A JSON value as an object of a resource: pruned, coerced and defaulted. @throws Error when it is none */
export function decodedObject(resource: Resource, value: unknown): StoredObject {
  const decoded = resource.strategy.decode(value as never, { strict: false });
  if (decoded.error !== undefined) throw new Error(decoded.error);
  return deepFreeze(resource.strategy.applyDefaults(decoded.object)) as unknown as StoredObject;
}
