/**
 * Defaults must be valid and must not hold fields that the schema does not know.
 * Source: apiextensions-apiserver pkg/apiserver/schema/defaulting/validation.go.
 */
import { compileSchemaRules } from "../cel/schema-rules.ts";
import type { Json, JsonObject } from "../object/object.ts";
import { coerceEmbedded, validateEmbedded } from "../schema/embedded-metadata.ts";
import { type JsonSchema, itemSchema } from "../schema/json-schema.ts";
import { jsonEqual } from "../schema/json-value.ts";
import { prune } from "../schema/prune.ts";
import { schemaNode } from "../schema/schema-node.ts";
import { validateDefaultValue } from "../schema/structural-schema.ts";
import { type FieldError, fieldChild, fieldErrorsText, fieldKey } from "../status/field-error.ts";
import { ErrorList } from "./error-list.ts";
import { someSchema } from "./schema-walk.ts";

export interface DefaultRuleOptions {
  readonly requirePruned: boolean;
}

/** Builds the smallest resource around a value inside its metadata. */
type Surround = (value: Json) => JsonObject;

interface Place {
  readonly insideMeta: boolean;
  /** The schema of the resource that the place belongs to. */
  readonly resource: JsonSchema;
  readonly surround: Surround;
}

/** @param schema a structural schema of a whole resource */
export function validateDefaults(
  schema: JsonSchema,
  path: string,
  options: DefaultRuleOptions,
): FieldError[] {
  if (!someSchema(schema, hasDefault)) return [];
  const list = new ErrorList();
  const root = { ...schema, "x-kubernetes-embedded-resource": true };
  visit(root, path, { insideMeta: false, resource: root, surround: asResource }, options, list);
  return list.errors;
}

function hasDefault(schema: JsonSchema): boolean {
  return (schema.default ?? null) !== null;
}

/** A resource needs a type to be valid; what the value says counts. */
function asResource(value: Json): JsonObject {
  return { kind: "Validation", apiVersion: "validation/v1", ...(value as JsonObject) };
}

function visit(
  schema: JsonSchema,
  path: string,
  at: Place,
  options: DefaultRuleOptions,
  list: ErrorList,
): void {
  const embedded = schema["x-kubernetes-embedded-resource"] === true;
  const place: Place = embedded ? { insideMeta: false, resource: schema, surround: asResource } : at;
  if (hasDefault(schema)) checkDefault(schema, fieldChild(path, "default"), place, options, list);
  const items = itemSchema(schema);
  const surround = place.surround;
  if (items !== undefined) {
    visit(
      items,
      fieldChild(path, "items"),
      { ...place, surround: (value) => surround([value] as Json) },
      options,
      list,
    );
  }
  // Defaults below additionalProperties are not looked at.
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const meta = embedded && (name === "metadata" || name === "apiVersion" || name === "kind");
    const below: Place = {
      ...place,
      insideMeta: place.insideMeta || meta,
      surround: (value) => surround({ [name]: value }),
    };
    visit(property, fieldKey(fieldChild(path, "properties"), name), below, options, list);
  }
}

function checkDefault(
  schema: JsonSchema,
  path: string,
  place: Place,
  options: DefaultRuleOptions,
  list: ErrorList,
): void {
  const value = schema.default as Json;
  const errors = place.insideMeta
    ? metadataErrors(value, path, place)
    : resourceErrors(schema, value, path, options, list);
  if (errors.length > 0) return list.add(errors);
  const invalid = validateDefaultValue(schema, value, path);
  list.add(invalid.length > 0 ? invalid : ruleErrors(schema, value, path, schema === place.resource));
}

/** Metadata is only valid or not as a whole. */
function metadataErrors(value: Json, path: string, place: Place): FieldError[] {
  const object = place.surround(value);
  const node = schemaNode(place.resource);
  const { error } = coerceEmbedded(node, object, { dropInvalid: false, resource: true });
  const invalid = error === undefined ? validateEmbedded(node, object, { resource: true }) : [];
  if (error === undefined && invalid.length === 0) return [];
  const why = error ?? fieldErrorsText(invalid);
  const detail = `must result in valid metadata: ${why}`;
  return [{ type: "Invalid", field: path, badValue: value, detail }];
}

function resourceErrors(
  schema: JsonSchema,
  value: Json,
  path: string,
  options: DefaultRuleOptions,
  list: ErrorList,
): readonly FieldError[] {
  const node = schemaNode(schema);
  if (options.requirePruned && !jsonEqual(prune(node, value, { resource: node.embedded }).value, value)) {
    list.invalid(path, value, "must not have unknown fields");
  }
  const coerced = coerceEmbedded(node, value, { dropInvalid: false, path });
  return coerced.failure === undefined ? validateEmbedded(node, value, { path }) : [coerced.failure];
}

/** The rules must hold for a default that was always there and for one that is new. */
function ruleErrors(schema: JsonSchema, value: Json, path: string, root: boolean): readonly FieldError[] {
  const rules = compileSchemaRules(schema, { root });
  if (rules === undefined) return [];
  const kept = rules.validate(value, value, { path }).errors;
  return kept.length > 0 ? kept : rules.validate(value, undefined, { path }).errors;
}
