import type { FieldError, NameCheck } from "@bowline/api";
import type { StoredObject } from "../../store/revision.ts";
import type { FieldReader } from "../resource.ts";
import type { UserInfo } from "../user.ts";

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
  /** Of writes through the status endpoint. */
  readonly validateStatusUpdate?: (object: StoredObject, old: StoredObject) => readonly FieldError[];
  /** Texts of Warning headers; `old` is undefined on create. Not asked for writes of the status. */
  readonly warnings?: (object: StoredObject, old: StoredObject | undefined) => readonly string[];
  /** Called with uid and name set. `user` is who asks, `now` the time as objects have it. */
  readonly prepareForCreate?: (object: StoredObject, user: UserInfo | undefined, now: string) => StoredObject;
  readonly prepareForUpdate?: (object: StoredObject, old: StoredObject) => StoredObject;
  /** Called with everything but the status and some metadata taken from the stored object. */
  readonly prepareForStatusUpdate?: (object: StoredObject, old: StoredObject) => StoredObject;
  /** Status of a new object, for kinds with a status. Default `{}`, as Go writes it. */
  readonly initialStatus?: Readonly<Record<string, unknown>>;
  /** True: a create may bring its status (nodes register themselves with it). */
  readonly keepsStatusOnCreate?: boolean;
  /** metadata.generation counts changes: of the spec, or those that a function says are changes of what is wanted. */
  readonly generation?: true | ((object: StoredObject, old: StoredObject) => boolean);
  /** Default true, as for most core kinds. */
  readonly allowUnconditionalUpdate?: boolean;
  readonly allowCreateOnUpdate?: boolean;
  readonly gracePeriodSeconds?: (object: StoredObject, asked: number | undefined) => number;
  readonly defaultPropagation?: "Background" | "Orphan";
  /** Warning for deletes that do not say what shall happen to the dependents. */
  readonly orphanWarning?: string;
  readonly prepareForDelete?: (object: StoredObject) => StoredObject;
  readonly keepsDeleted?: (object: StoredObject) => boolean;
  /** Field selectors beside metadata.name and metadata.namespace. */
  readonly fields?: Readonly<Record<string, FieldReader>>;
  /** Further endpoints that write the object, such as `approval`. */
  readonly endpoints?: Readonly<Record<string, EndpointRules>>;
  /** Fields that only the status endpoint writes; default `["status"]` when the kind has that subresource. */
  readonly statusFields?: readonly string[];
}

/** What is special about writes through one endpoint of a kind. */
export interface EndpointRules {
  /** Takes from the stored object what this endpoint does not let a client set. */
  prepareForUpdate(object: StoredObject, old: StoredObject): StoredObject;
  validateUpdate(object: StoredObject, old: StoredObject): readonly FieldError[];
}

/** Reads a nested field as the text that a field selector compares. */
export function fieldReader(...path: readonly string[]): FieldReader {
  return (object) => {
    const value = path.reduce<unknown>((v, key) => (v as Record<string, unknown> | undefined)?.[key], object);
    return value === undefined || value === null ? "" : String(value);
  };
}

/** As `fieldReader`, for booleans that print as `false` when they are not set. */
export function booleanReader(...path: readonly string[]): FieldReader {
  const read = fieldReader(...path);
  return (object) => read(object) || "false";
}

/** As `fieldReader`, for numbers that print as `0` when they are not set. */
export function numberReader(...path: readonly string[]): FieldReader {
  const read = fieldReader(...path);
  return (object) => read(object) || "0";
}
