/**
 * The source text of a Zod schema that converts to a given structural schema. What Zod has no word for goes through
 * `k8s.keywords` beside the construct, and what no construct holds through `k8s.raw`.
 */
import { type Json, type JsonSchema, defineKind } from "@bowline/api";
import * as z from "zod";

/** Keywords that a construct has said; the others go into `k8s.keywords`. */
interface Said {
  readonly text: string;
  readonly keywords: readonly (keyof JsonSchema)[];
}

const meta: readonly (keyof JsonSchema)[] = ["description"];

/** @param indent of the line on which the text begins */
export function zodSource(schema: JsonSchema, indent = ""): string {
  const said = construct(schema, indent) ?? rawSource(schema);
  const left = Object.fromEntries(
    Object.entries(schema).filter(
      ([word, value]) =>
        value !== undefined && ![...said.keywords, ...meta].includes(word as keyof JsonSchema),
    ),
  );
  const rest = Object.keys(left).length === 0 ? "" : `.check(k8s.keywords(${literal(left)}))`;
  const text = schema.description === undefined ? "" : `.describe(${literal(schema.description)})`;
  return `${said.text}${rest}${text}`;
}

/** A property: optional unless it is required, with its default where Zod can hold it. */
function propertySource(schema: JsonSchema, isRequired: boolean, indent: string): string {
  const { default: value, ...rest } = schema;
  if (isRequired) return zodSource(schema, indent);
  if (value !== undefined && isPlainDefault(value, schema)) {
    const plain = typeof value === "object" ? "prefault" : "default";
    return `${zodSource(rest, indent)}.${plain}(${literal(value)})`;
  }
  return `${zodSource(schema, indent)}.optional()`;
}

/** Defaults that Zod accepts of its own schema for certain: scalars, and `{}` where nothing is required. */
function isPlainDefault(value: Json, schema: JsonSchema): boolean {
  if (schema["x-kubernetes-int-or-string"] === true) return false;
  if (typeof value === "string") return schema.type === "string" && schema.pattern === undefined;
  if (typeof value === "number") return schema.type === "integer" || schema.type === "number";
  if (typeof value === "boolean") return schema.type === "boolean";
  const isEmpty =
    value !== null && typeof value === "object" && !Array.isArray(value) && Object.keys(value).length === 0;
  return isEmpty && schema.properties !== undefined && (schema.required ?? []).length === 0;
}

function construct(schema: JsonSchema, indent: string): Said | undefined {
  if (schema["x-kubernetes-int-or-string"] === true) return intOrString(schema);
  const base = ofType(schema, indent);
  if (base === undefined) return undefined;
  const rules = (schema["x-kubernetes-validations"] ?? []).map(({ rule, ...options }) =>
    Object.keys(options).length === 0
      ? `.check(k8s.rule(${literal(rule)}))`
      : `.check(k8s.rule(${literal(rule)}, ${literal(options as Json)}))`,
  );
  const isNullable = schema.nullable === true && schema.enum === undefined;
  return {
    text: `${base.text}${rules.join("")}${isNullable ? ".nullable()" : ""}`,
    keywords: [...base.keywords, "x-kubernetes-validations", ...(isNullable ? (["nullable"] as const) : [])],
  };
}

function ofType(schema: JsonSchema, indent: string): Said | undefined {
  switch (schema.type) {
    case "string":
      return stringSource(schema);
    case "integer":
    case "number":
      return numberSource(schema);
    case "boolean":
      return { text: "z.boolean()", keywords: ["type"] };
    case "array":
      return arraySource(schema, indent);
    case "object":
      return objectSource(schema, indent);
    default:
      return undefined;
  }
}

const rawTypes: Readonly<Record<string, string>> = {
  array: "unknown[]",
  object: "Record<string, unknown>",
};

/** The static type is the best that the schema's own words give. */
function rawSource(schema: JsonSchema): Said {
  const { description: _description, ...rest } = schema;
  const type =
    schema["x-kubernetes-int-or-string"] === true
      ? "number | string"
      : (rawTypes[schema.type ?? ""] ?? "unknown");
  return {
    text: `k8s.raw<${type}>(${literal(rest)})`,
    keywords: Object.keys(schema) as (keyof JsonSchema)[],
  };
}

const intAndString = JSON.stringify([{ type: "integer" }, { type: "string" }]);

function intOrString(schema: JsonSchema): Said | undefined {
  if (JSON.stringify(schema.anyOf) !== intAndString) return undefined;
  return { text: "k8s.intOrString()", keywords: ["anyOf", "x-kubernetes-int-or-string"] };
}

const serverFormats: ReadonlySet<string> = new Set(
  (
    "bsonobjectid uri email hostname ipv4 ipv6 cidr mac uuid uuid3 uuid4 uuid5 isbn isbn10 isbn13 creditcard ssn hexcolor " +
    "rgbcolor byte password date duration k8s-short-name k8s-long-name"
  ).split(" "),
);

function stringSource(schema: JsonSchema): Said {
  const { enum: values, format, pattern, minLength, maxLength } = schema;
  const isEnum =
    values !== undefined &&
    values.every((value) => typeof value === "string") &&
    new Set(values).size === values.length;
  if (isEnum) return { text: `z.enum(${literal(values)})`, keywords: ["type", "enum"] };
  const keywords: (keyof JsonSchema)[] = ["type", "minLength", "maxLength"];
  let text = "z.string()";
  if (format === "date-time") text = "k8s.dateTime()";
  else if (format !== undefined && serverFormats.has(format))
    text += `.check(k8s.format(${literal(format)}))`;
  if (format === "date-time" || serverFormats.has(format ?? "")) keywords.push("format");
  if (minLength !== undefined) text += `.min(${minLength})`;
  if (maxLength !== undefined) text += `.max(${maxLength})`;
  const regex = pattern === undefined ? undefined : regexSource(pattern);
  if (regex !== undefined) {
    text += `.regex(${regex})`;
    keywords.push("pattern");
  }
  return { text, keywords };
}

const regexes = new Map<string, string | undefined>();

/** The pattern as a JavaScript literal, when it converts back to exactly itself; the server's patterns are RE2. */
function regexSource(pattern: string): string | undefined {
  if (!regexes.has(pattern)) regexes.set(pattern, findRegex(pattern));
  return regexes.get(pattern);
}

function findRegex(pattern: string): string | undefined {
  try {
    const expression = new RegExp(pattern);
    const spec = z.object({ a: z.string().regex(expression) });
    const { schema } = defineKind({ group: "example.com", version: "v1", kind: "Pattern", spec });
    return schema.properties?.["spec"]?.properties?.["a"]?.pattern === pattern
      ? String(expression)
      : undefined;
  } catch {
    return undefined;
  }
}

function numberSource(schema: JsonSchema): Said {
  const { type, format, minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  const keywords: (keyof JsonSchema)[] = ["type", "minimum", "maximum"];
  if (exclusiveMinimum !== undefined) keywords.push("exclusiveMinimum");
  if (exclusiveMaximum !== undefined) keywords.push("exclusiveMaximum");
  let text = type === "number" ? "z.number()" : "z.int()";
  if (type === "integer" && (format === "int32" || format === "int64")) {
    text = format === "int32" ? "z.int32()" : "k8s.int64()";
    keywords.push("format");
  }
  if (minimum !== undefined) text += exclusiveMinimum === true ? `.gt(${minimum})` : `.min(${minimum})`;
  if (maximum !== undefined) text += exclusiveMaximum === true ? `.lt(${maximum})` : `.max(${maximum})`;
  return { text, keywords };
}

function arraySource(schema: JsonSchema, indent: string): Said | undefined {
  const { items, minItems, maxItems } = schema;
  if (items === undefined || Array.isArray(items) || items.default !== undefined) return undefined;
  const inner = zodSource(items, indent);
  const keywords: (keyof JsonSchema)[] = ["type", "items", "minItems", "maxItems"];
  const listType = schema["x-kubernetes-list-type"];
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  let text = `z.array(${inner})`;
  if (listType === "map" && keys.every((key) => items.properties?.[key] !== undefined)) {
    text = `k8s.listMap(${inner}, ${keys.map((key) => literal(key)).join(", ")})`;
    keywords.push("x-kubernetes-list-type", "x-kubernetes-list-map-keys");
  } else if (listType === "set" && isScalar(items)) {
    text = `k8s.set(${inner})`;
    keywords.push("x-kubernetes-list-type");
  } else if (listType === "atomic") {
    text += ".check(k8s.atomic())";
    keywords.push("x-kubernetes-list-type");
  }
  if (minItems !== undefined) text += `.min(${minItems})`;
  if (maxItems !== undefined) text += `.max(${maxItems})`;
  return { text, keywords };
}

function isScalar(schema: JsonSchema): boolean {
  return ["string", "integer", "number", "boolean"].includes(schema.type ?? "") && schema.nullable !== true;
}

function objectSource(schema: JsonSchema, indent: string): Said | undefined {
  const { properties = {}, additionalProperties, required = [] } = schema;
  const keywords: (keyof JsonSchema)[] = ["type", "minProperties", "maxProperties"];
  let text: string;
  if (additionalProperties !== undefined) {
    if (typeof additionalProperties === "boolean" || additionalProperties.default !== undefined)
      return undefined;
    text = `z.record(z.string(), ${zodSource(additionalProperties, indent)})`;
    keywords.push("additionalProperties");
  } else {
    const isOpen = schema["x-kubernetes-preserve-unknown-fields"] === true;
    text = `z.${isOpen ? "looseObject" : "object"}(${shapeSource(properties, required, indent)})`;
    keywords.push("properties");
    if (isOpen) keywords.push("x-kubernetes-preserve-unknown-fields");
    if (required.every((name) => properties[name] !== undefined)) keywords.push("required");
  }
  if (schema["x-kubernetes-map-type"] === "atomic") {
    text += ".check(k8s.atomic())";
    keywords.push("x-kubernetes-map-type");
  }
  if (schema.minProperties !== undefined) text += `.check(k8s.minProperties(${schema.minProperties}))`;
  if (schema.maxProperties !== undefined) text += `.check(k8s.maxProperties(${schema.maxProperties}))`;
  return { text, keywords };
}

/** `{ name: z.string(), ... }`, a property a line. */
export function shapeSource(
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[],
  indent: string,
): string {
  const inner = `${indent}  `;
  const lines = Object.entries(properties).map(
    ([name, property]) =>
      `${inner}${keyText(name)}: ${propertySource(property, required.includes(name), inner)},\n`,
  );
  return lines.length === 0 ? "{}" : `{\n${lines.join("")}${indent}}`;
}

/** A name as a key of an object literal. */
function keyText(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) && name !== "__proto__" ? name : JSON.stringify(name);
}

/** A JSON value as TypeScript. */
export function literal(value: Json | JsonSchema): string {
  if (Array.isArray(value)) return `[${value.map((each) => literal(each)).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).map(([key, each]) => `${keyText(key)}: ${literal(each as Json)}`);
  return entries.length === 0 ? "{}" : `{ ${entries.join(", ")} }`;
}
