import { type MergeType, compileMergeType, deepFreeze } from "@bowline/api";
import { builtinDefinitionName, decodeBuiltin, linkedDefinition } from "@bowline/api/catalog";
import type { AdmissionRequest } from "../../registry/admission.ts";
import { type Resource, seeOne } from "../../registry/resource.ts";
import { Revision, type StoredObject } from "../../store/revision.ts";

/** The objects of a request in the version of a webhook or policy. */
export interface VersionedObjects {
  readonly object: StoredObject | undefined;
  readonly oldObject: StoredObject | undefined;
}

/** Group, version and kind as reviews and expressions show them. */
export interface ShownKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** The kind that a request is about: of subresources such as scale and binding it is not that of the resource. */
export function shownKind({ api }: Resource, { object, oldObject }: VersionedObjects): ShownKind {
  const shown = object ?? oldObject;
  if (shown?.kind === undefined || shown.kind === api.kind)
    return { group: api.group, version: api.version, kind: api.kind };
  return kindOf(shown);
}

function kindOf({ apiVersion, kind }: StoredObject): ShownKind {
  const [version = "", group = ""] = apiVersion.split("/").reverse();
  return { group, version, kind };
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
  // what subresources speak of has one version for all versions of the resource
  if (from === to || object.kind !== from.api.kind) return object;
  const stored = deepFreeze(await from.toStorage(object)) as StoredObject;
  return (await seeOne(to, new Revision(object.metadata.name ?? "", 0, stored))).object;
}

/** A JSON value as an object of a resource or of a subresource: pruned, coerced and defaulted. @throws Error when it is none */
export function decodedObject(resource: Resource, value: unknown): StoredObject {
  const { apiVersion = "", kind = "" } = value as Partial<StoredObject>;
  if (kind === resource.api.kind) {
    const decoded = resource.strategy.decode(value as never, { strict: false });
    if (decoded.error !== undefined) throw new Error(decoded.error);
    return deepFreeze(resource.strategy.applyDefaults(decoded.object)) as unknown as StoredObject;
  }
  const { object, error } = decodeBuiltin(kindOf({ apiVersion, kind } as StoredObject), value as never);
  if (error !== undefined) throw new Error(error);
  return deepFreeze(object) as unknown as StoredObject;
}

const subresourceTypes = new Map<string, MergeType>();

/** How an object of a resource or of a subresource merges; undefined for a kind that nobody knows. */
export function mergeTypeOf(resource: Resource, object: StoredObject): MergeType | undefined {
  if (object.kind === resource.api.kind) return resource.strategy.management.typeOf(object.apiVersion);
  const name = builtinDefinitionName(kindOf(object));
  if (name === undefined) return undefined;
  const type = subresourceTypes.get(name) ?? compileMergeType(linkedDefinition(name));
  subresourceTypes.set(name, type);
  return type;
}
