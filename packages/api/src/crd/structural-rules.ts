/**
 * Whether a schema is structural: the shape is said outside of junctors, and junctors only restrict it.
 * Source: apiextensions-apiserver pkg/apiserver/schema (convert.go, validation.go, complete.go).
 */
import { type JsonSchema, itemSchema } from "../schema/json-schema.ts";
import { compilePattern } from "../schema/pattern.ts";
import { type FieldError, fieldChild, fieldErrorText, fieldKey } from "../status/field-error.ts";
import { compareCodePoints } from "../status/go-text.ts";
import { ErrorList } from "./error-list.ts";

/** Why a schema cannot even be read as a structural one; undefined when it can. */
export function structuralConversionError(schema: JsonSchema): string | undefined {
  const unsupported = unsupportedKeyword(schema);
  if (unsupported !== undefined) return `OpenAPIV3Schema '${unsupported}' is not supported`;
  const junctors = [schema.not, ...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  for (const junctor of junctors) {
    const error = junctor && structuralConversionError(junctor);
    if (error !== undefined) return error;
  }
  if (schema["x-kubernetes-preserve-unknown-fields"] === false) {
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
  }
  if (Array.isArray(schema.items) && schema.items.length > 0) {
    return "OpenAPIV3Schema 'items' must be a schema, but is an array";
  }
  const { additionalProperties } = schema;
  const items = itemSchema(schema);
  const children = Object.values(schema.properties ?? {});
  if (items !== undefined) children.push(items);
  if (typeof additionalProperties === "object") children.push(additionalProperties);
  for (const child of children) {
    const error = structuralConversionError(child);
    if (error !== undefined) return error;
  }
  return undefined;
}

function unsupportedKeyword(schema: JsonSchema): string | undefined {
  if ((schema.id ?? "") !== "") return "id";
  if ((schema.$schema ?? "") !== "") return "schema";
  if ((schema.$ref ?? "") !== "") return "$ref";
  if (hasEntries(schema.patternProperties)) return "patternProperties";
  if (hasEntries(schema.dependencies)) return "dependencies";
  if (schema.additionalItems !== undefined) return "additionalItems";
  return hasEntries(schema.definitions) ? "definitions" : undefined;
}

function hasEntries(map: object | undefined): boolean {
  return map !== undefined && Object.keys(map).length > 0;
}

/** What keeps a schema from being structural, sorted by the text of the errors. */
export function validateStructural(schema: JsonSchema, path: string): FieldError[] {
  const list = new ErrorList();
  checkInvariants(schema, "root", path, list);
  checkCompleteness(schema, schema, path, path, list);
  const texts = new Map(list.errors.map((error) => [error, fieldErrorText(error)]));
  return list.errors.sort((a, b) => compareCodePoints(texts.get(a) ?? "", texts.get(b) ?? ""));
}

type Level = "root" | "item" | "field";

const whereTypeIsMissing: Record<Level, string> = {
  root: "must not be empty at the root",
  item: "must not be empty for specified array items",
  field: "must not be empty for specified object fields",
};

function checkInvariants(schema: JsonSchema, level: Level, path: string, list: ErrorList): void {
  const { additionalProperties } = schema;
  const items = itemSchema(schema);
  if (schema.type === "array" && items === undefined)
    list.required(fieldChild(path, "items"), "must be specified");
  if (items !== undefined) checkInvariants(items, "item", fieldChild(path, "items"), list);
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    checkInvariants(property, "field", fieldKey(fieldChild(path, "properties"), name), list);
  }
  if (additionalProperties !== undefined) {
    const place = fieldChild(path, "additionalProperties");
    if (level === "root") list.forbidden(place, "must not be used at the root");
    if (typeof additionalProperties === "object") checkInvariants(additionalProperties, "field", place, list);
  }
  checkExtensions(schema, path, list);
  const isIntOrStringAllOf = isIntOrString(schema.allOf?.[0]?.anyOf);
  checkValidations(
    schema,
    { anyOf: isIntOrString(schema.anyOf), firstAllOf: isIntOrStringAllOf },
    level,
    path,
    list,
  );
  checkType(schema, level, path, list);
  checkResourceFields(schema, level, path, list);
}

/** The one place where junctors may carry types: an integer or a string. */
function isIntOrString(anyOf: readonly JsonSchema[] | undefined): boolean {
  return anyOf?.length === 2 && isOnlyType(anyOf[0], "integer") && isOnlyType(anyOf[1], "string");
}

function isOnlyType(schema: JsonSchema | undefined, type: string): boolean {
  if (schema?.type !== type) return false;
  return Object.entries(schema).every(([key, value]) => key === "type" || isEmpty(value));
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === "" || value === false) return true;
  return Array.isArray(value) && value.length === 0;
}

function checkExtensions(schema: JsonSchema, path: string, list: ErrorList): void {
  if (schema["x-kubernetes-int-or-string"] !== true) return;
  for (const keyword of ["x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"] as const) {
    if (schema[keyword] !== true) continue;
    list.invalid(fieldChild(path, keyword), true, "must be false if x-kubernetes-int-or-string is true");
  }
}

function checkType(schema: JsonSchema, level: Level, path: string, list: ErrorList): void {
  const type = schema.type ?? "";
  const place = fieldChild(path, "type");
  const embedded = schema["x-kubernetes-embedded-resource"] === true;
  if (embedded && type !== "object") {
    const detail = "must be object if x-kubernetes-embedded-resource is true";
    if (type === "") list.required(place, detail);
    else list.invalid(place, type, detail);
  } else if (type === "" && schema["x-kubernetes-int-or-string"] !== true && !preservesUnknown(schema)) {
    list.required(place, whereTypeIsMissing[level]);
  }
  if (embedded && schema.additionalProperties !== undefined) {
    const detail = "must not be used if x-kubernetes-embedded-resource is set";
    list.forbidden(fieldChild(path, "additionalProperties"), detail);
  }
  if (level === "root" && type !== "" && type !== "object")
    list.invalid(place, type, "must be object at the root");
}

function preservesUnknown(schema: JsonSchema): boolean {
  return schema["x-kubernetes-preserve-unknown-fields"] === true;
}

/** apiVersion, kind and metadata are fixed in a resource, and may only be restricted a little. */
function checkResourceFields(schema: JsonSchema, level: Level, path: string, list: ErrorList): void {
  const embedded = schema["x-kubernetes-embedded-resource"] === true;
  const properties = schema.properties ?? {};
  const place = (name: string): string => fieldKey(fieldChild(path, "properties"), name);
  if (level === "root" || embedded) {
    for (const name of ["kind", "apiVersion"]) {
      const property = properties[name];
      if (property === undefined || property.type === "string") continue;
      list.invalid(fieldChild(place(name), "type"), property.type ?? "", "must be string");
    }
    const metadata = properties["metadata"];
    if (metadata !== undefined && metadata.type !== "object") {
      list.invalid(fieldChild(place("metadata"), "type"), metadata.type ?? "", "must be object");
    }
  }
  if (
    level === "root" &&
    properties["metadata"] !== undefined &&
    !restrictsOnlyNames(properties["metadata"])
  ) {
    const detail =
      "must not specify anything other than name and generateName, but metadata is implicitly specified";
    list.forbidden(place("metadata"), detail);
  }
  if (embedded && !preservesUnknown(schema) && Object.keys(properties).length === 0) {
    const detail =
      "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields";
    list.required(fieldChild(path, "properties"), detail);
  }
}

function restrictsOnlyNames(metadata: JsonSchema): boolean {
  if (metadata.additionalProperties !== undefined) return false;
  return Object.entries(metadata).every(([key, value]) => {
    if (key === "type" || key === "default" || isEmpty(value)) return true;
    return (
      key === "properties" && Object.keys(value as object).every((n) => n === "name" || n === "generateName")
    );
  });
}

interface Skipped {
  readonly anyOf: boolean;
  readonly firstAllOf: boolean;
}

function checkValidations(
  schema: JsonSchema,
  skip: Skipped,
  level: Level,
  path: string,
  list: ErrorList,
): void {
  const none: Skipped = { anyOf: false, firstAllOf: false };
  const at = (junctor: string, i: number): string => fieldKey(fieldChild(path, junctor), i);
  if (!skip.anyOf) schema.anyOf?.forEach((s, i) => checkNested(s, none, level, at("anyOf", i), list));
  schema.allOf?.forEach((s, i) => {
    checkNested(s, { anyOf: skip.firstAllOf && i === 0, firstAllOf: false }, level, at("allOf", i), list);
  });
  schema.oneOf?.forEach((s, i) => checkNested(s, none, level, at("oneOf", i), list));
  if (schema.not !== undefined) checkNested(schema.not, none, level, fieldChild(path, "not"), list);
  const { pattern = "" } = schema;
  if (pattern === "") return;
  try {
    compilePattern(pattern);
  } catch (error) {
    const detail = `must be a valid regular expression, but isn't: ${(error as Error).message}`;
    list.invalid(fieldChild(path, "pattern"), pattern, detail);
  }
}

/** Keywords that a junctor may not have, with what must hold instead. */
const forbiddenInJunctors: readonly (readonly [keyof JsonSchema, string, (value: unknown) => boolean])[] = [
  ["type", "must be empty to be structural", (v) => !isEmpty(v)],
  ["additionalProperties", "must be undefined to be structural", (v) => v !== undefined && v !== false],
  ["default", "must be undefined to be structural", (v) => v !== undefined && v !== null],
  ["title", "must be empty to be structural", (v) => !isEmpty(v)],
  ["description", "must be empty to be structural", (v) => !isEmpty(v)],
  ["nullable", "must be false to be structural", (v) => v === true],
  ["x-kubernetes-preserve-unknown-fields", "must be false to be structural", (v) => v === true],
  ["x-kubernetes-embedded-resource", "must be false to be structural", (v) => v === true],
  ["x-kubernetes-int-or-string", "must be false to be structural", (v) => v === true],
  ["x-kubernetes-list-map-keys", "must be empty to be structural", (v) => !isEmpty(v)],
  ["x-kubernetes-list-type", "must be undefined to be structural", (v) => v !== undefined],
  ["x-kubernetes-map-type", "must be undefined to be structural", (v) => v !== undefined],
  ["x-kubernetes-validations", "must be empty to be structural", (v) => !isEmpty(v)],
];

function checkNested(schema: JsonSchema, skip: Skipped, level: Level, path: string, list: ErrorList): void {
  const none: Skipped = { anyOf: false, firstAllOf: false };
  checkValidations(schema, skip, level, path, list);
  const items = itemSchema(schema);
  if (items !== undefined) checkNested(items, none, level, fieldChild(path, "items"), list);
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    checkNested(property, none, "field", fieldKey(fieldChild(path, "properties"), name), list);
  }
  for (const [keyword, detail, isSet] of forbiddenInJunctors) {
    if (isSet(schema[keyword])) list.forbidden(fieldChild(path, keyword), detail);
  }
  if (schema.properties?.["metadata"] !== undefined) {
    const place = fieldKey(fieldChild(path, "properties"), "metadata");
    list.forbidden(place, "must not be specified in a nested context");
  }
}

/** What junctors say something about must be specified outside of them. */
function checkCompleteness(
  schema: JsonSchema,
  shape: JsonSchema,
  shapePath: string,
  path: string,
  list: ErrorList,
): void {
  const junctors: [JsonSchema, string][] = [];
  if (schema.not !== undefined) junctors.push([schema.not, fieldChild(path, "not")]);
  for (const name of ["allOf", "anyOf", "oneOf"] as const) {
    schema[name]?.forEach((s, i) => junctors.push([s, fieldKey(fieldChild(path, name), i)]));
  }
  for (const [junctor, place] of junctors) checkNestedCompleteness(junctor, shape, shapePath, place, list);
}

function checkNestedCompleteness(
  schema: JsonSchema,
  shape: JsonSchema | undefined,
  shapePath: string,
  path: string,
  list: ErrorList,
): void {
  if (shape === undefined) return list.required(shapePath, `because it is defined in ${path}`);
  checkCompleteness(schema, shape, shapePath, path, list);
  const items = itemSchema(schema);
  if (items !== undefined) {
    checkNestedCompleteness(
      items,
      itemSchema(shape),
      fieldChild(shapePath, "items"),
      fieldChild(path, "items"),
      list,
    );
  }
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const shapePlace = fieldKey(fieldChild(shapePath, "properties"), name);
    const place = fieldKey(fieldChild(path, "properties"), name);
    checkNestedCompleteness(property, shape.properties?.[name], shapePlace, place, list);
  }
}
