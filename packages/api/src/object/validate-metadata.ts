import type { FieldError } from "../status/field-error.ts";
import type { DeepReadonly, ObjectMeta } from "./object.ts";
import type { NameCheck } from "./name.ts";

export interface MetadataCheckOptions {
  readonly namespaced: boolean;
  /** Default: path segment names (what the generic registry checks again for every kind). */
  readonly name?: NameCheck;
  /** Default `metadata`. */
  readonly path?: string;
}

/** What is wrong with the metadata of an object to be created. Source: apimachinery pkg/api/validation objectmeta.go. */
export function validateObjectMeta(
  _meta: DeepReadonly<ObjectMeta>,
  _options: MetadataCheckOptions,
): FieldError[] {
  throw new Error("in progress");
}

/** What is wrong with the new metadata of a stored object: format and immutable fields. */
export function validateObjectMetaUpdate(
  _meta: DeepReadonly<ObjectMeta>,
  _old: DeepReadonly<ObjectMeta>,
  _options: MetadataCheckOptions,
): FieldError[] {
  throw new Error("in progress");
}
