import type { FieldError, NameCheck } from "@bowline/api";
import type { StoredObject } from "../../store/revision.ts";
import type { FieldReader } from "../resource.ts";

/**
 * What is special about one built-in kind, beside its schema. Everything is optional: a kind without rules is stored as
 * it is. All functions are pure and return the same object when nothing changes.
 */
export interface BuiltinRules {
  /** Fills in what the real server fills in. Source: kubernetes pkg/apis/GROUP/VERSION/defaults.go. */
  readonly defaults?: (object: StoredObject) => StoredObject;
  /** Default: DNS-1123 subdomain. */
  readonly name?: NameCheck;
  /** Beside metadata. Source: kubernetes pkg/apis/GROUP/validation. */
  readonly validateCreate?: (object: StoredObject) => readonly FieldError[];
  readonly validateUpdate?: (object: StoredObject, old: StoredObject) => readonly FieldError[];
  readonly prepareForCreate?: (object: StoredObject) => StoredObject;
  readonly prepareForUpdate?: (object: StoredObject, old: StoredObject) => StoredObject;
  /** True: metadata.generation counts changes of the spec. */
  readonly generation?: boolean;
  /** Default true, as for most core kinds. */
  readonly allowUnconditionalUpdate?: boolean;
  readonly allowCreateOnUpdate?: boolean;
  readonly gracePeriodSeconds?: (object: StoredObject, asked: number | undefined) => number;
  readonly defaultPropagation?: "Background" | "Orphan";
  readonly prepareForDelete?: (object: StoredObject) => StoredObject;
  readonly keepsDeleted?: (object: StoredObject) => boolean;
  /** Field selectors beside metadata.name and metadata.namespace. */
  readonly fields?: Readonly<Record<string, FieldReader>>;
  /** Fields that only the status endpoint writes; default `["status"]` when the kind has that subresource. */
  readonly statusFields?: readonly string[];
}

/** Reads a nested field as the text that a field selector compares. */
export function fieldReader(...path: readonly string[]): FieldReader {
  return (object) => {
    const value = path.reduce<unknown>((v, key) => (v as Record<string, unknown> | undefined)?.[key], object);
    return value === undefined || value === null ? "" : String(value);
  };
}
