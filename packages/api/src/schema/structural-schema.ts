import type { JsonObject } from "../object/object.ts";
import type { FieldError } from "../status/field-error.ts";
import type { JsonSchema } from "./json-schema.ts";

/** A schema of one version of a custom kind, compiled once and then used for every object. */
export interface StructuralSchema {
  /** The schema as the CRD holds it. */
  readonly schema: JsonSchema;
}

export interface DecodeOptions {
  /** True: list the paths of unknown fields (field validation Warn or Strict). Default false. */
  readonly unknownFields?: boolean;
  /** True: malformed metadata is dropped, as on reads from storage, instead of failing. Default false. */
  readonly dropInvalidMetadata?: boolean;
  /** The deprecated `spec.preserveUnknownFields` of the CRD: nothing is pruned. Default false. */
  readonly preserveUnknownFields?: boolean;
}

/** What decoding made of an object. */
export interface DecodedObject {
  /** The same reference when nothing changed. */
  readonly object: JsonObject;
  /** Paths in the server's order: `metadata.x`, `spec.list[0].y`. The server's text is `unknown field "PATH"`. */
  readonly unknownFields: readonly string[];
  /**
   * Why the object cannot be decoded at all; the server answers 400 with
   * `Application in version "v1" cannot be handled as a Application: ERROR`.
   */
  readonly error?: string;
}

/** Compiles a schema; undefined is the empty schema, which knows only apiVersion, kind and metadata. */
export function compileSchema(_schema: JsonSchema | undefined): StructuralSchema {
  throw new Error("in progress");
}

/**
 * What the server does with an object after parsing its JSON, on requests and on reads from storage: metadata is
 * brought into the shape of ObjectMeta, fields that the schema does not know are pruned, nulls that may not be null
 * and have no default are dropped, metadata of embedded resources is checked. Also to be called after conversion.
 * Source: apiextensions-apiserver pkg/apiserver customresource_handler.go (unstructuredSchemaCoercer).
 */
export function decodeCustomResource(
  _schema: StructuralSchema,
  _object: JsonObject,
  _options: DecodeOptions = {},
): DecodedObject {
  throw new Error("in progress");
}

/** Fills in the defaults of the schema, at every depth; the same reference when nothing changed. */
export function applyDefaults(_schema: StructuralSchema, _object: JsonObject): JsonObject {
  throw new Error("in progress");
}

/** Checks a value against the schema alone (no CEL, no list types, no metadata), in the words of kube-openapi. */
export function validateSchema(_schema: StructuralSchema, _value: unknown, _path = ""): FieldError[] {
  throw new Error("in progress");
}
