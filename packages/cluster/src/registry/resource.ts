import type { ApiResource, PatchSchema, ReplicasPaths, TablePrinter } from "@bowline/api";
import type { OpenApiKind } from "@bowline/api/catalog";
import type { Bucket } from "../store/bucket.ts";
import type { Revision, StoredObject } from "../store/revision.ts";
import type { Strategy, WriteStrategy } from "./strategy.ts";

export type MaybePromise<T> = T | Promise<T>;

/** Reads the text of a selectable field; `""` when it is absent. */
export type FieldReader = (object: StoredObject) => string;

/** Where a scale finds its numbers in the parent: paths of field names. */
export interface ScalePaths {
  readonly specReplicas: readonly string[];
  readonly statusReplicas: readonly string[];
  /** A field with the selector as text; or a LabelSelector object for built-in kinds. */
  readonly selector: readonly string[] | undefined;
  /** True: the selector is a map of labels and not a LabelSelector. */
  readonly isPlainSelector?: boolean;
}

/**
 * One resource in one served version: all that the verbs need to know. Built once per change of what is served (a CRD
 * created or changed), never per request.
 */
export interface Resource {
  readonly api: ApiResource;
  readonly openapi: OpenApiKind;
  /** Shared by all versions of the resource. */
  readonly bucket: Bucket;
  readonly strategy: Strategy;
  /** Absent for kinds without the status subresource. */
  readonly status: WriteStrategy | undefined;
  /** Further endpoints that write the object, by subresource: `approval` of signing requests, `resize` of pods. */
  readonly endpoints?: ReadonlyMap<string, WriteStrategy>;
  readonly scale: ScalePaths | undefined;
  /** Where replicas are in every version: ownership of them is shared with the scale. */
  readonly replicasPaths: ReplicasPaths;
  readonly printer: TablePrinter;
  /** Text of the Warning header on every request to a deprecated version. */
  readonly deprecation: string | undefined;
  /** Field selectors beside metadata.name and metadata.namespace. */
  readonly selectableFields: ReadonlyMap<string, FieldReader>;
  /** Items of a list carry apiVersion and kind: true for custom resources, not for built-in JSON lists. */
  readonly typedItems: boolean;
  /** How strategic merge patch merges; undefined where it is not supported (custom resources). */
  readonly patchSchema: PatchSchema | undefined;
  /** Key of an object in the real server's etcd, which some error texts show: `/registry/pods/default/x`. */
  readonly registryPath: string;
  /** Group and kind that error messages name. */
  readonly kind: { readonly group: string; readonly kind: string };
  /** Why creates are refused at the moment (a CRD that is being deleted), if they are, in words about the object's name. */
  readonly createRefusal: ((name: string) => Error | undefined) | undefined;
  /** Stored revisions as this version shows them. */
  see(revisions: readonly Revision[]): MaybePromise<readonly Revision[]>;
  /** An object of this version as it is stored. */
  toStorage(object: StoredObject): MaybePromise<StoredObject>;
}

/** Key of an object in its bucket. */
export function storeKey(namespaced: boolean, namespace: string, name: string): string {
  return namespaced ? `${namespace}/${name}` : name;
}

/** Prefix of the keys of a collection; `""` for all namespaces and for cluster-scoped resources. */
export function storePrefix(namespaced: boolean, namespace: string): string {
  return namespaced && namespace !== "" ? `${namespace}/` : "";
}

/** One revision as a version shows it. */
export async function seeOne(resource: Resource, revision: Revision): Promise<Revision> {
  const [seen] = await resource.see([revision]);
  if (seen === undefined)
    throw new Error(`${resource.api.plural}: conversion gave nothing for ${revision.key}`);
  return seen;
}
