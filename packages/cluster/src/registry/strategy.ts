import type { FieldError, FieldManagement, JsonObject } from "@bowline/api";
import type { StoredObject } from "../store/revision.ts";
import type { UserInfo } from "./user.ts";

/** What a check found: causes of a 422, and texts of Warning headers. */
export interface Verdict {
  readonly errors: readonly FieldError[];
  readonly warnings: readonly string[];
}

/** What decoding made of a body. */
export interface DecodedBody {
  readonly object: JsonObject;
  /** What strict validation objects to: `unknown field "spec.x"`. Only listed when asked for. */
  readonly strictErrors: readonly string[];
  /** Why the body cannot be read as this kind: the server answers 400. */
  readonly error?: string;
}

/**
 * What is special about writes to one endpoint of a kind: its main endpoint or its status. The generic registry does the
 * rest. Functions are pure: they return a new object, or the same one when nothing changes.
 * Source: k8s.io/apiserver pkg/registry/rest (RESTCreateStrategy, RESTUpdateStrategy).
 */
export interface WriteStrategy {
  /** Drops what this endpoint does not let a client set, counts the generation. */
  prepareForUpdate(object: StoredObject, old: StoredObject): StoredObject;
  validateUpdate(object: StoredObject, old: StoredObject): Verdict;
  /** Ownership of fields for writes through this endpoint. */
  readonly management: FieldManagement;
  /**
   * Converts for field management where a webhook does it: entries of managedFields may be of other versions. Undefined for
   * versions that do not exist. Absent when versions differ in their name alone.
   */
  readonly convert?: (object: StoredObject, apiVersion: string) => Promise<StoredObject | undefined>;
}

/** The strategy of a kind's main endpoint. */
export interface Strategy extends WriteStrategy {
  /** Brings a parsed body into the shape of the kind: unknown fields pruned, metadata coerced. */
  decode(value: JsonObject, options: { readonly strict: boolean }): DecodedBody;
  /**
   * True: the result of an apply is decoded too, as it becomes a struct of a built-in kind. Custom objects stay as they were
   * merged, so that an explicit null is judged by validation and not dropped.
   */
  readonly decodesApplied: boolean;
  /** Fills in defaults. */
  applyDefaults(object: JsonObject): JsonObject;
  /** @param user who asks */
  prepareForCreate(object: StoredObject, user?: UserInfo): StoredObject;
  validateCreate(object: StoredObject): Verdict;
  /** True: an update without resourceVersion overwrites whatever is stored. */
  readonly allowUnconditionalUpdate: boolean;
  /** True: PUT of a missing object creates it. */
  readonly allowCreateOnUpdate?: boolean;
  /** The grace period that a delete gets, in seconds: 0 deletes at once. Absent for kinds without graceful deletion. */
  gracePeriodSeconds?(object: StoredObject, asked: number | undefined): number;
  /** What a delete without propagationPolicy does. Jobs and a few others orphan; the rest collect in the background. */
  readonly defaultPropagation: "Background" | "Orphan";
  /** Warning for deletes that do not say what shall happen to the dependents. */
  readonly orphanWarning?: string;
  /** Changes that a delete makes to an object that stays (a namespace turns Terminating). */
  prepareForDelete?(object: StoredObject): StoredObject;
  /** True: the object must stay although it has no metadata finalizers (a namespace with spec.finalizers). */
  keepsDeleted?(object: StoredObject): boolean;
}
