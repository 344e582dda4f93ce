import type { FieldManagement, ManagedObject } from "./field-management.ts";
import type { MergeType } from "./merge-type.ts";
import { validateTyped } from "./validate-typed.ts";

/** An object in one version, with the type of that version. */
export interface Typed {
  readonly apiVersion: string;
  readonly type: MergeType;
  readonly value: unknown;
}

/**
 * Converts the objects of one operation between versions, each at most once. Undefined: that version does not exist any
 * more. Source: apimachinery managedfields/internal (versionconverter.go).
 */
export class ObjectVersions {
  readonly #management: FieldManagement;
  readonly #converted = new Map<unknown, Map<string, Typed | undefined>>();

  constructor(management: FieldManagement) {
    this.#management = management;
  }

  typed(value: unknown, apiVersion: string): Typed | undefined {
    const type = this.#management.typeOf(apiVersion);
    return type === undefined ? undefined : { apiVersion, type, value };
  }

  /** @throws TypedError when the converted object has fields that the other version does not know */
  convert(object: Typed, apiVersion: string): Typed | undefined {
    if (object.apiVersion === apiVersion) return object;
    let versions = this.#converted.get(object.value);
    if (versions === undefined) {
      versions = new Map();
      this.#converted.set(object.value, versions);
    }
    if (!versions.has(apiVersion)) versions.set(apiVersion, this.#convert(object, apiVersion));
    return versions.get(apiVersion);
  }

  #convert(object: Typed, apiVersion: string): Typed | undefined {
    const type = this.#management.typeOf(apiVersion);
    if (type === undefined) return undefined;
    const { convert } = this.#management;
    const value = convert === undefined ? object.value : convert(object.value as ManagedObject, apiVersion);
    if (value === undefined) return undefined;
    validateTyped(type, value, true);
    return { apiVersion, type, value };
  }
}
