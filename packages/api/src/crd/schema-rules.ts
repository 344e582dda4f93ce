/**
 * What a CRD may say in a schema, apart from being structural. Source: apiextensions-apiserver
 * pkg/apis/apiextensions/validation/validation.go (ValidateCustomResourceDefinitionOpenAPISchema).
 */
import { type JsonSchema, itemSchema } from "../schema/json-schema.ts";
import { type FieldError, fieldChild, fieldKey } from "../status/field-error.ts";
import { ErrorList } from "./error-list.ts";
import { itemsStruct } from "./internal-struct.ts";

export interface SchemaRuleOptions {
  readonly requireValidTypes: boolean;
  readonly requireAtomicSets: boolean;
  readonly requireMapKeys: boolean;
}

/** Where the walk is: what is forbidden here because of what is above. */
interface Place {
  readonly root: boolean;
  readonly insideMeta: boolean;
  /** Why defaults are forbidden; undefined when they are allowed. */
  readonly noDefaults: string | undefined;
}

export function validateSchemaRules(
  schema: JsonSchema,
  path: string,
  options: SchemaRuleOptions,
): FieldError[] {
  const list = new ErrorList();
  check(schema, path, { root: true, insideMeta: false, noDefaults: undefined }, options, list);
  return list.errors;
}

function check(
  schema: JsonSchema,
  path: string,
  place: Place,
  options: SchemaRuleOptions,
  list: ErrorList,
): void {
  checkKeywords(schema, path, place, options, list);
  if (schema.uniqueItems === true) {
    const detail = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
    list.forbidden(fieldChild(path, "uniqueItems"), detail);
  }
  checkChildren(schema, path, place, options, list);
  if (schema["x-kubernetes-preserve-unknown-fields"] === false) {
    list.invalid(
      fieldChild(path, "x-kubernetes-preserve-unknown-fields"),
      false,
      "must be true or undefined",
    );
  }
  checkMapType(schema, path, list);
  checkListType(schema, path, options, list);
  checkListMapKeys(schema, path, list);
  if (options.requireMapKeys) list.add(mapKeyErrors(schema, path));
}

const types = ["array", "boolean", "integer", "number", "object", "string"];

function checkKeywords(
  schema: JsonSchema,
  path: string,
  place: Place,
  options: SchemaRuleOptions,
  list: ErrorList,
): void {
  const { type = "" } = schema;
  if (options.requireValidTypes && type !== "" && !types.includes(type)) {
    list.notSupported(fieldChild(path, "type"), type, types);
  }
  if (schema.default !== undefined && schema.default !== null && place.noDefaults !== undefined) {
    list.forbidden(fieldChild(path, "default"), `must not be set ${place.noDefaults}`);
  }
  const unsupported = (keyword: string): void =>
    list.forbidden(fieldChild(path, keyword), `${keyword} is not supported`);
  if ((schema.id ?? "") !== "") unsupported("id");
  if (schema.additionalItems !== undefined) unsupported("additionalItems");
  if (Object.keys(schema.patternProperties ?? {}).length > 0) unsupported("patternProperties");
  if (Object.keys(schema.definitions ?? {}).length > 0) unsupported("definitions");
  if (schema.dependencies !== undefined) unsupported("dependencies");
  if (schema.$ref !== undefined) unsupported("$ref");
  if (type === "null") {
    list.forbidden(fieldChild(path, "type"), "type cannot be set to null, use nullable as an alternative");
  }
  if (Array.isArray(schema.items) && schema.items.length > 0) {
    list.forbidden(fieldChild(path, "items"), "items must be a schema object and not an array");
  }
  if (place.insideMeta && schema["x-kubernetes-embedded-resource"] === true) {
    list.forbidden(
      fieldChild(path, "x-kubernetes-embedded-resource"),
      "must not be used inside of resource meta",
    );
  }
}

function checkChildren(
  schema: JsonSchema,
  path: string,
  place: Place,
  options: SchemaRuleOptions,
  list: ErrorList,
): void {
  const below: Place = { ...place, root: false };
  const visit = (child: JsonSchema, at: string, where: Place = below): void =>
    check(child, at, where, options, list);
  const { additionalProperties, properties = {}, items } = schema;
  if (additionalProperties !== undefined) {
    const at = fieldChild(path, "additionalProperties");
    if (Object.keys(properties).length > 0 && additionalProperties !== true) {
      list.forbidden(at, "additionalProperties and properties are mutual exclusive");
    }
    const noDefaults = place.insideMeta
      ? "inside additionalProperties applying to object metadata"
      : place.noDefaults;
    if (typeof additionalProperties === "object") visit(additionalProperties, at, { ...below, noDefaults });
  }
  for (const [name, property] of Object.entries(properties)) {
    visit(property, fieldKey(fieldChild(path, "properties"), name), propertyPlace(schema, name, place));
  }
  if (schema.not !== undefined) visit(schema.not, fieldChild(path, "not"));
  for (const junctor of ["allOf", "oneOf", "anyOf"] as const) {
    schema[junctor]?.forEach((s, i) => visit(s, fieldKey(fieldChild(path, junctor), i)));
  }
  for (const [name, definition] of Object.entries(schema.definitions ?? {})) {
    visit(definition, fieldKey(fieldChild(path, "definitions"), name));
  }
  if (Array.isArray(items)) items.forEach((s, i) => visit(s, fieldKey(fieldChild(path, "items"), i)));
  else if (items) visit(items, fieldChild(path, "items"));
  for (const [name, dependency] of Object.entries(schema.dependencies ?? {})) {
    if (!Array.isArray(dependency)) visit(dependency, fieldKey(fieldChild(path, "dependencies"), name));
  }
}

function propertyPlace(schema: JsonSchema, name: string, place: Place): Place {
  const below: Place = { ...place, root: false };
  const resource = place.root || schema["x-kubernetes-embedded-resource"] === true;
  if (!resource || (name !== "metadata" && name !== "kind" && name !== "apiVersion")) return below;
  return { ...below, insideMeta: true, noDefaults: place.root ? `in top-level ${name}` : place.noDefaults };
}

/** A list or map type needs the type that it describes. */
function requireType(schema: JsonSchema, keyword: string, type: string, path: string, list: ErrorList): void {
  const detail = `must be ${type} if ${keyword} is specified`;
  if ((schema.type ?? "") === "") list.required(fieldChild(path, "type"), detail);
  else list.invalid(fieldChild(path, "type"), schema.type, detail);
}

function checkMapType(schema: JsonSchema, path: string, list: ErrorList): void {
  const mapType = schema["x-kubernetes-map-type"];
  if (mapType === undefined) return;
  if (schema.type !== "object") requireType(schema, "x-kubernetes-map-type", "object", path, list);
  if (mapType !== "atomic" && mapType !== "granular") {
    list.notSupported(fieldChild(path, "x-kubernetes-map-type"), mapType, ["atomic", "granular"]);
  }
}

function checkListType(schema: JsonSchema, path: string, options: SchemaRuleOptions, list: ErrorList): void {
  const listType = schema["x-kubernetes-list-type"];
  if (listType === undefined) return;
  if (schema.type !== "array") requireType(schema, "x-kubernetes-list-type", "array", path, list);
  else if (options.requireAtomicSets) {
    const keyword = nonAtomicSetKeyword(schema);
    if (keyword !== undefined) {
      const badValue = (schema.items as JsonSchema)["x-kubernetes-list-type"] ?? null;
      const detail = "must be atomic as item of a list with x-kubernetes-list-type=set";
      list.invalid(fieldChild(fieldChild(path, "items"), keyword), badValue, detail);
    }
  }
  if (listType !== "atomic" && listType !== "set" && listType !== "map") {
    list.notSupported(fieldChild(path, "x-kubernetes-list-type"), listType, ["atomic", "set", "map"]);
  }
}

/** Which keyword makes the items of a set composite ones that are not compared as a whole. */
export function nonAtomicSetKeyword(
  schema: JsonSchema,
): "x-kubernetes-list-type" | "x-kubernetes-map-type" | undefined {
  const items = itemSchema(schema);
  if (schema["x-kubernetes-list-type"] !== "set" || items === undefined) return undefined;
  const listType = items["x-kubernetes-list-type"] ?? "atomic";
  if (items.type === "array" && listType !== "atomic") return "x-kubernetes-list-type";
  return items.type === "object" && items["x-kubernetes-map-type"] !== "atomic"
    ? "x-kubernetes-map-type"
    : undefined;
}

function checkListMapKeys(schema: JsonSchema, path: string, list: ErrorList): void {
  const listType = schema["x-kubernetes-list-type"];
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const typePlace = fieldChild(path, "x-kubernetes-list-type");
  const keysPlace = fieldChild(path, "x-kubernetes-list-map-keys");
  if (keys.length > 0 && listType !== "map") {
    const detail = "must be map if x-kubernetes-list-map-keys is non-empty";
    if (listType === undefined) list.required(typePlace, detail);
    else list.invalid(typePlace, listType, detail);
  }
  if (listType !== "map") return;
  if (keys.length === 0) list.required(keysPlace, "must not be empty if x-kubernetes-list-type is map");
  const items = itemSchema(schema);
  const itemsPlace = fieldChild(path, "items");
  if (schema.items === undefined) {
    return list.required(itemsPlace, "must have a schema if x-kubernetes-list-type is map");
  }
  if (items === undefined) {
    const detail = "must only have a single schema if x-kubernetes-list-type is map";
    return list.invalid(itemsPlace, itemsStruct(schema.items), detail);
  }
  if (items.type !== "object") {
    const detail = "must be object if parent array's x-kubernetes-list-type is map";
    return list.invalid(fieldChild(itemsPlace, "type"), items.type ?? "", detail);
  }
  checkKeyProperties(items, keys, itemsPlace, keysPlace, list);
}

function checkKeyProperties(
  items: JsonSchema,
  keys: readonly string[],
  itemsPlace: string,
  keysPlace: string,
  list: ErrorList,
): void {
  const seen = new Set<string>();
  for (const key of keys) {
    const property = items.properties?.[key];
    if (property === undefined) list.invalid(keysPlace, keys, "entries must all be names of item properties");
    else if (property.type === "array" || property.type === "object") {
      const place = fieldChild(fieldKey(fieldChild(itemsPlace, "properties"), key), "type");
      // The server prints the type of the items here, not that of the key.
      list.invalid(
        place,
        items.type,
        "must be a scalar type if parent array's x-kubernetes-list-type is map",
      );
    }
    if (seen.has(key)) list.invalid(keysPlace, keys, "must not contain duplicate entries");
    seen.add(key);
  }
}

/** Items of sets and maps must not be null, and keys of maps must always be there. */
export function mapKeyErrors(schema: JsonSchema, path: string): readonly FieldError[] {
  const items = itemSchema(schema);
  const listType = schema["x-kubernetes-list-type"];
  if (items === undefined || (listType !== "set" && listType !== "map")) return [];
  const list = new ErrorList();
  const place = fieldChild(path, "items");
  if (items.nullable === true) {
    list.forbidden(
      fieldChild(place, "nullable"),
      `cannot be nullable when x-kubernetes-list-type is ${listType}`,
    );
  }
  const keys = listType === "map" ? (schema["x-kubernetes-list-map-keys"] ?? []) : [];
  for (const key of keys) {
    const property = items.properties?.[key];
    if (property === undefined) continue;
    const at = fieldKey(fieldChild(place, "properties"), key);
    const why = "this property is in x-kubernetes-list-map-keys, so it";
    if (!items.required?.includes(key) && (property.default ?? null) === null) {
      list.required(fieldChild(at, "default"), `${why} must have a default or be a required property`);
    }
    if (property.nullable === true) list.forbidden(fieldChild(at, "nullable"), `${why} cannot be nullable`);
  }
  return list.errors;
}
