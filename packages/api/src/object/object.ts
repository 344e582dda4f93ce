/**
 * Kubernetes objects as plain JSON, exactly as on the wire: timestamps are RFC 3339 strings, quantities are strings,
 * unknown fields survive. An integer outside +-2^53 is a `bigint`, because a `number` would silently round it.
 */

/** Any value that JSON can hold. `bigint` stands for integers that a `number` cannot hold exactly. */
export type Json = null | boolean | number | bigint | string | Json[] | { [key: string]: Json };

/** A JSON object. */
export type JsonObject = { [key: string]: Json };

/** `T` with every property and element read-only, at every depth. Stored and cached objects have this type. */
export type DeepReadonly<T> = T extends string | number | boolean | bigint | null | undefined
  ? T
  : T extends readonly (infer E)[]
    ? readonly DeepReadonly<E>[]
    : T extends object
      ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
      : T;

/** A reference from a dependent to the object that owns it. Source: meta/v1 OwnerReference. */
export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  /** True for the one owner that manages this object. */
  controller?: boolean;
  /** True: foreground deletion of the owner waits for this object. */
  blockOwnerDeletion?: boolean;
}

/** Which fields one manager owns, through one operation, version and subresource. Source: meta/v1 ManagedFieldsEntry. */
export interface ManagedFieldsEntry {
  manager?: string;
  operation?: "Apply" | "Update";
  apiVersion?: string;
  /** RFC 3339, whole seconds. */
  time?: string;
  fieldsType?: "FieldsV1";
  fieldsV1?: JsonObject;
  subresource?: string;
}

/** Metadata of every stored object. Source: meta/v1 ObjectMeta. */
export interface ObjectMeta {
  name?: string;
  generateName?: string;
  namespace?: string;
  uid?: string;
  /** Opaque outside the server's store: compare only for equality. */
  resourceVersion?: string;
  generation?: number;
  /** RFC 3339, whole seconds. */
  creationTimestamp?: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  ownerReferences?: OwnerReference[];
  managedFields?: ManagedFieldsEntry[];
  selfLink?: string;
}

/** Any Kubernetes object. */
export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
}

/** An object whose fields beside metadata are not known to the compiler. */
export interface UnstructuredObject extends KubeObject {
  [field: string]: unknown;
}

/** Metadata of a list. Source: meta/v1 ListMeta. */
export interface ListMeta {
  resourceVersion?: string;
  /** Token for the next page; empty or absent on the last one. */
  continue?: string;
  remainingItemCount?: number;
}

/** A list of objects as the server answers it. */
export interface KubeList<T = KubeObject> {
  apiVersion: string;
  kind: string;
  metadata: ListMeta;
  items: T[];
}

/** Source: meta/v1 Condition. */
export interface Condition {
  type: string;
  status: "True" | "False" | "Unknown";
  observedGeneration?: number;
  /** RFC 3339. */
  lastTransitionTime: string;
  reason: string;
  message: string;
}
