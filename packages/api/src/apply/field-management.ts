import type { DeepReadonly, KubeObject, ManagedFieldsEntry } from "../object/object.ts";
import type { FieldSet } from "./field-set.ts";
import type { MergeType } from "./merge-type.ts";

/** An object with any fields beside metadata, as stored: never changed by the functions here. */
export type ManagedObject = DeepReadonly<KubeObject> & { readonly [field: string]: unknown };

/**
 * What field management must know about one endpoint (a resource or one of its subresources, at one version). Build it
 * once per endpoint and keep it: the compiled types and the field sets inside are caches.
 */
export interface FieldManagement {
  /** `example.com/v1`: the version of the endpoint. Objects given to it must be in this version. */
  readonly apiVersion: string;
  readonly kind: string;
  /** `status`, `scale`; absent or empty for the main endpoint. */
  readonly subresource?: string;
  /**
   * The merge type of the kind at an apiVersion, and undefined when that version does not exist any more: entries of such a
   * version are dropped. Made by `compileMergeType`, or `deducedType` for kinds without schema.
   */
  typeOf(apiVersion: string): MergeType | undefined;
  /**
   * Converts the object to another version of its kind; needed only when entries of other versions may exist. Without it
   * versions differ in `apiVersion` alone (conversion strategy None). Undefined: that version cannot be converted to.
   */
  readonly convert?: (object: ManagedObject, apiVersion: string) => ManagedObject | undefined;
  /**
   * What a new object of the kind is before anything is set: fields that it already has are not owned for being there. Needed
   * for built-in kinds (`zeroObject`), absent for custom ones.
   */
  readonly zero?: ManagedObject;
  /**
   * Whether `managedFields: []` in an update clears ownership. True for built-in kinds; for custom ones decoding drops the
   * empty list, and only one empty entry (`[{}]`) clears.
   */
  readonly emptyListClears?: boolean;
  /**
   * Fields that this endpoint never changes, per apiVersion: nobody gets to own them here. The main endpoint of a kind with
   * status subresource has `fieldSetOf([["status"]])`; its status endpoint has `fieldSetOf([["metadata"], ["spec"]])`.
   */
  readonly resetFields?: { readonly [apiVersion: string]: FieldSet };
}

/** A write that already made its result: create, update, and every patch but apply. */
export interface TrackUpdateRequest {
  /** The stored object; absent on create. In the endpoint's version. */
  readonly live?: ManagedObject;
  /** What will be stored, still with the `metadata.managedFields` that the client sent, if any; after pruning and defaulting. */
  readonly object: ManagedObject;
  /** Field manager, from `managerName`. Empty becomes `unknown`. */
  readonly manager: string;
  /** RFC 3339, whole seconds, UTC: `2026-01-02T03:04:05Z`. */
  readonly now: string;
}

/** A server-side apply. */
export interface ApplyRequest {
  /** The stored object, in the endpoint's version; absent when there is none and the apply creates it. */
  readonly live?: ManagedObject;
  /** The parsed body, not pruned and not defaulted. */
  readonly patch: { readonly [field: string]: unknown };
  readonly manager: string;
  /** True: take over the fields of others instead of failing with a conflict. */
  readonly force?: boolean;
  /** RFC 3339, whole seconds, UTC. */
  readonly now: string;
}

export interface ApplyResult {
  /**
   * The merged object with its new managedFields, not defaulted and not validated: fill defaults, run admission, validate.
   * Explicit nulls of the patch are still there and so are nulls for containers that lost their last field: defaulting or
   * validation judges them. Name and namespace are as in the patch and the live object.
   */
  readonly object: ManagedObject;
  /** False: no field changed, at most ownership did. */
  readonly changed: boolean;
}

export type ManagedFields = readonly DeepReadonly<ManagedFieldsEntry>[];
