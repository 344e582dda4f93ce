import type { Json, JsonObject } from "../object/object.ts";
import { decodeObjectMeta, decodeObjectMetaLeniently } from "../object/decode-object-meta.ts";
import type { FieldError } from "../status/field-error.ts";
import { correlate } from "./correlation.ts";
import { fillDefaults } from "./defaults.ts";
import { coerceEmbedded } from "./embedded-metadata.ts";
import type { JsonSchema } from "./json-schema.ts";
import { isObject } from "./json-value.ts";
import { dropNulls, prune } from "./prune.ts";
import { ratcheted } from "./ratchet.ts";
import { type SchemaError, toFieldError } from "./schema-error.ts";
import { type SchemaNode, schemaNode } from "./schema-node.ts";
import type { ValueCheck } from "./check.ts";
import { compileCheck } from "./value-check.ts";

/** A schema of one version of a custom kind, compiled once and then used for every object. */
export interface StructuralSchema {
  /** The schema as the CRD holds it. */
  readonly schema: JsonSchema;
  /** @internal */
  readonly node: SchemaNode;
  /** @internal */
  readonly check: ValueCheck;
}

export interface DecodeOptions {
  /** True: list the paths of unknown fields (field validation Warn or Strict). Default false. */
  readonly unknownFields?: boolean;
  /** True: malformed metadata is dropped, as on reads from storage, instead of failing. Default false. */
  readonly dropInvalidMetadata?: boolean;
  /** The deprecated `spec.preserveUnknownFields` of the CRD: nothing is pruned. Default false. */
  readonly preserveUnknownFields?: boolean;
  /**
   * The kind that the schema is of. An object of another kind is left alone, for validation to refuse; of one of another
   * version nothing is known.
   */
  readonly kind?: { readonly group: string; readonly version: string; readonly kind: string };
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
export function compileSchema(schema: JsonSchema | undefined): StructuralSchema {
  const given = schema ?? {};
  return { schema: given, node: schemaNode(given), check: ratcheted(compileCheck(given, "object")) };
}

/**
 * What the server does with an object after parsing its JSON, on requests and on reads from storage: metadata is
 * brought into the shape of ObjectMeta, fields that the schema does not know are pruned, nulls that may not be null
 * and have no default are dropped, metadata of embedded resources is checked. Also to be called after conversion.
 * Source: apiextensions-apiserver pkg/apiserver customresource_handler.go (unstructuredSchemaCoercer).
 */
export function decodeCustomResource(
  schema: StructuralSchema,
  object: JsonObject,
  options: DecodeOptions = {},
): DecodedObject {
  const dropInvalid = options.dropInvalidMetadata === true;
  const unknownFields: string[] = [];
  let metadata = object["metadata"];
  if (metadata !== undefined) {
    const { meta, unknown, error } = dropInvalid
      ? decodeObjectMetaLeniently(metadata)
      : decodeObjectMeta(metadata);
    if (error !== undefined) return { object, unknownFields: [], error };
    for (const path of unknown) unknownFields.push(`metadata.${path}`);
    if (meta !== undefined) metadata = meta;
  }
  const node = nodeFor(schema, object, options.kind);
  if (node === undefined) return { object: withTypeAndMeta(object, object, metadata), unknownFields };
  let result = object;
  if (options.preserveUnknownFields !== true) {
    const track = options.unknownFields === true;
    const pruned = prune(node, object, { resource: true, unknownFields: track });
    unknownFields.push(...pruned.unknownFields);
    result = dropNulls(node, pruned.value) as JsonObject;
  }
  const coerced = coerceEmbedded(node, result, { dropInvalid });
  if (coerced.error !== undefined) return { object, unknownFields: [], error: coerced.error };
  unknownFields.push(...coerced.unknownFields);
  result = withTypeAndMeta(coerced.value as JsonObject, object, metadata);
  return { object: result, unknownFields: options.unknownFields === true ? unknownFields : [] };
}

const nothingKnown = schemaNode({});

/** What is known about an object that should be of this kind; undefined when it is not. */
function nodeFor(
  schema: StructuralSchema,
  object: JsonObject,
  kind: DecodeOptions["kind"],
): SchemaNode | undefined {
  if (kind === undefined) return schema.node;
  const apiVersion = String(object["apiVersion"] ?? "");
  if (object["kind"] !== kind.kind || !apiVersion.startsWith(`${kind.group}/`)) return undefined;
  return apiVersion === `${kind.group}/${kind.version}` ? schema.node : nothingKnown;
}

/** apiVersion, kind and metadata are what they were, whatever the schema says about them. */
function withTypeAndMeta(result: JsonObject, object: JsonObject, metadata: Json | undefined): JsonObject {
  const { apiVersion, kind } = object;
  if (result["apiVersion"] === apiVersion && result["kind"] === kind && result["metadata"] === metadata)
    return result;
  return {
    ...(apiVersion === undefined ? {} : { apiVersion }),
    ...(kind === undefined ? {} : { kind }),
    ...result,
    ...(metadata === undefined ? {} : { metadata }),
  };
}

/** Fills in the defaults of the schema, at every depth; the same reference when nothing changed. */
export function applyDefaults(schema: StructuralSchema, object: JsonObject): JsonObject {
  return fillDefaults(schema.node, object) as JsonObject;
}

/** Checks a value against the schema alone (no CEL, no list types, no metadata), in the words of kube-openapi. */
export function validateSchema(schema: StructuralSchema, value: unknown, path = ""): FieldError[] {
  return runCheck(schema.check, value, path);
}

/** The same for a change: errors of values that did not change are forgiven, at every place that can be compared. */
export function validateSchemaUpdate(
  schema: StructuralSchema,
  value: unknown,
  old: unknown,
  path = "",
): FieldError[] {
  // Comparing is only worth it when there is something to forgive.
  if (runCheck(schema.check, value, path).length === 0) return [];
  const errors: SchemaError[] = [];
  schema.check(value, "", errors, correlate(value, old, schema.schema));
  return errors.map((error) => toFieldError(error, path));
}

/** The same for a default of a schema, which the server checks against less: see `CheckPurpose`. */
export function validateDefaultValue(schema: JsonSchema, value: unknown, path: string): FieldError[] {
  return runCheck(compileCheck(schema, "default"), value, path);
}

function runCheck(check: ValueCheck, value: unknown, path: string): FieldError[] {
  const errors: SchemaError[] = [];
  check(value, "", errors, undefined);
  return errors.map((error) => toFieldError(error, path));
}

/** The schema of the status alone, for the status subresource; undefined when the schema does not describe one. */
export function statusSchema(schema: StructuralSchema): StructuralSchema | undefined {
  const status = schema.schema.properties?.["status"];
  return status === undefined || !isObject(status) ? undefined : compileSchema(status);
}
