/** Metadata of embedded resources. Source: apiextensions-apiserver pkg/apiserver/schema/objectmeta. */
import { dns1035LabelErrors, pathSegmentNameErrors } from "../object/name.ts";
import { decodeObjectMeta, decodeObjectMetaLeniently } from "../object/decode-object-meta.ts";
import type { Json, JsonObject, ObjectMeta } from "../object/object.ts";
import { validateObjectMeta } from "../object/validate-metadata.ts";
import { type FieldError, fieldChild, fieldErrorText, fieldKey } from "../status/field-error.ts";
import { compareCodePoints } from "../status/go-text.ts";
import { mapFields, mapItems } from "./copy-on-write.ts";
import { isObject } from "./json-value.ts";
import { type SchemaNode, fieldNode } from "./schema-node.ts";

export interface Coerced {
  readonly value: Json;
  /** Paths of unknown fields inside metadata, sorted. */
  readonly unknownFields: readonly string[];
  /** The first thing that cannot be decoded, and the server's sentence about it. */
  readonly failure?: FieldError;
  readonly error?: string;
}

interface Run {
  readonly dropInvalid: boolean;
  readonly unknown: string[];
  failure: FieldError | undefined;
}

/** Brings the metadata of embedded resources into the shape of ObjectMeta. */
export function coerceEmbedded(
  node: SchemaNode,
  value: Json,
  options: { readonly dropInvalid: boolean; readonly resource?: boolean; readonly path?: string },
): Coerced {
  const root = options.resource === true && !node.embedded ? asEmbedded(node) : node;
  if (!root.below.embedded) return { value, unknownFields: [] };
  const run: Run = { dropInvalid: options.dropInvalid, unknown: [], failure: undefined };
  const coerced = coerce(root, value, options.path ?? "", run);
  const unknownFields = run.unknown.sort(compareCodePoints);
  const { failure } = run;
  return {
    value: coerced,
    unknownFields,
    ...(failure === undefined ? {} : { failure, error: fieldErrorText(failure) }),
  };
}

function asEmbedded(node: SchemaNode): SchemaNode {
  return { ...node, embedded: true, below: { ...node.below, embedded: true } };
}

function coerce(node: SchemaNode | undefined, value: Json, path: string, run: Run): Json {
  if (node === undefined || !node.below.embedded || run.failure !== undefined) return value;
  if (Array.isArray(value))
    return mapItems(value, (item, i) => coerce(node.items, item, fieldKey(path, i), run));
  if (!isObject(value)) return value;
  return mapFields(value, (name, field) => {
    const own = node.embedded ? coerceMetaField(name, field, path, run) : field;
    if (own === undefined || run.failure !== undefined) return own;
    const place = node.properties.has(name) ? fieldChild(path, name) : fieldKey(path, name);
    return coerce(fieldNode(node, name), own, place, run);
  });
}

function coerceMetaField(name: string, value: Json, path: string, run: Run): Json | undefined {
  if (name === "apiVersion" || name === "kind") {
    if (typeof value === "string") return value;
    if (run.dropInvalid) return undefined;
    run.failure = invalid(fieldChild(path, name), value, "must be a string");
    return value;
  }
  if (name !== "metadata") return value;
  const place = fieldChild(path, "metadata");
  const { meta, unknown, error } = run.dropInvalid
    ? decodeObjectMetaLeniently(value)
    : decodeObjectMeta(value);
  for (const field of unknown) run.unknown.push(`${place}.${field}`);
  if (error !== undefined) run.failure = invalid(place, value, error);
  return meta ?? value;
}

function invalid(field: string, badValue: Json, detail: string): FieldError {
  return { type: "Invalid", field, badValue, detail };
}

/** What is wrong with apiVersion, kind and metadata of embedded resources. */
export function validateEmbedded(
  node: SchemaNode,
  value: unknown,
  options: { readonly resource?: boolean; readonly path?: string } = {},
): FieldError[] {
  const errors: FieldError[] = [];
  const root = options.resource === true && !node.embedded ? asEmbedded(node) : node;
  validate(root, value, options.path ?? "", errors);
  return errors;
}

function validate(node: SchemaNode | undefined, value: unknown, path: string, errors: FieldError[]): void {
  if (node === undefined || !node.below.embedded) return;
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) validate(node.items, item, fieldKey(path, i), errors);
    return;
  }
  if (!isObject(value)) return;
  if (node.embedded) validateResource(value, path, errors);
  for (const name in value) {
    const place = node.properties.has(name) ? fieldChild(path, name) : fieldKey(path, name);
    validate(fieldNode(node, name), value[name], place, errors);
  }
}

function validateResource(value: Record<string, unknown>, path: string, errors: FieldError[]): void {
  for (const name of ["apiVersion", "kind"]) {
    if (!Object.hasOwn(value, name))
      errors.push({ type: "Required", field: fieldChild(path, name), detail: "" });
  }
  if (Object.hasOwn(value, "apiVersion")) {
    typeText(fieldChild(path, "apiVersion"), value["apiVersion"], apiVersionDetail, errors);
  }
  if (Object.hasOwn(value, "kind")) typeText(fieldChild(path, "kind"), value["kind"], kindDetail, errors);
  if (Object.hasOwn(value, "metadata")) validateMeta(value["metadata"], fieldChild(path, "metadata"), errors);
}

function typeText(
  field: string,
  value: unknown,
  detailOf: (text: string) => string | undefined,
  errors: FieldError[],
): void {
  const detail =
    typeof value !== "string" ? "must be a string" : value === "" ? "must not be empty" : detailOf(value);
  if (detail !== undefined) errors.push({ type: "Invalid", field, badValue: value, detail });
}

function apiVersionDetail(apiVersion: string): string | undefined {
  return apiVersion.split("/").length > 2 ? `unexpected GroupVersion string: ${apiVersion}` : undefined;
}

function kindDetail(kind: string): string | undefined {
  const errors = dns1035LabelErrors(kind.toLowerCase());
  if (errors.length === 0) return undefined;
  return `may have mixed case, but should otherwise match: ${errors.join(",")}`;
}

function validateMeta(value: unknown, path: string, errors: FieldError[]): void {
  const { meta, error } = decodeObjectMeta((value ?? null) as Json);
  if (meta === undefined) {
    errors.push({ type: "Invalid", field: path, badValue: value, detail: error ?? "" });
    return;
  }
  // A name is not required here, so that an absent one must not count as missing.
  const named: JsonObject = { name: "fakename", ...meta };
  const namespaced = typeof meta["namespace"] === "string" && meta["namespace"] !== "";
  errors.push(...validateObjectMeta(named as ObjectMeta, { namespaced, name: pathSegmentNameErrors, path }));
}
