/**
 * Built-in definitions as OpenAPI version 3 publishes them: references under another path, wrapped where something stands beside
 * them, with the zero values as defaults, and with the types that JSON may write in two ways spelled out. Source: kube-openapi pkg/builder3/util, apimachinery's
 * OpenAPIV3OneOfTypes.
 */
import { builtinDefinition, definitionOfRef } from "../builtin/definitions.ts";
import type { JsonSchema } from "../schema/json-schema.ts";
import { type PublishedSchema, refTo } from "./custom-schema.ts";

const cache = new Map<string, PublishedSchema>();

const twoWays: Readonly<Record<string, PublishedSchema>> = {
  "io.k8s.apimachinery.pkg.api.resource.Quantity": { oneOf: [{ type: "string" }, { type: "number" }] },
  "io.k8s.apimachinery.pkg.util.intstr.IntOrString": {
    format: "int-or-string",
    oneOf: [{ type: "integer" }, { type: "string" }],
  },
};

/** A built-in definition by name, for a document of version 3. Made once. */
export function builtinSchemaV3(name: string): PublishedSchema | undefined {
  const known = cache.get(name) ?? twoWays[name];
  if (known !== undefined) return known;
  const definition = builtinDefinition(name);
  if (definition === undefined) return undefined;
  const converted = convert(definition) as PublishedSchema;
  cache.set(name, converted);
  return converted;
}

const cacheV2 = new Map<string, PublishedSchema>();

/** A built-in definition by name, for a document of version 2, which has no defaults. Made once. */
export function builtinSchemaV2(name: string): PublishedSchema | undefined {
  const known = cacheV2.get(name);
  if (known !== undefined) return known;
  const definition = builtinDefinition(name);
  if (definition === undefined) return undefined;
  const converted = withoutDefaults(definition) as PublishedSchema;
  cacheV2.set(name, converted);
  return converted;
}

/** Only properties have defaults, and only those of the definition itself. */
function withoutDefaults(definition: JsonSchema): JsonSchema {
  const entries = Object.entries(definition.properties ?? {});
  if (entries.every(([, property]) => property.default === undefined)) return definition;
  const properties = entries.map(([name, property]) => {
    const copy = { ...property };
    delete copy.default;
    return [name, copy];
  });
  return { ...definition, properties: Object.fromEntries(properties) as Record<string, JsonSchema> };
}

function convert(schema: JsonSchema): JsonSchema {
  if (schema.$ref !== undefined) {
    const { $ref, ...beside } = schema;
    return wrapped({ $ref: refTo(definitionOfRef($ref), 3) }, beside);
  }
  const out: JsonSchema = { ...schema };
  if (schema.properties !== undefined) out.properties = convertProperties(schema, schema.properties);
  if (schema.items !== undefined && !Array.isArray(schema.items)) out.items = withZero(schema.items);
  if (typeof schema.additionalProperties === "object")
    out.additionalProperties = withZero(schema.additionalProperties);
  return out;
}

function wrapped(ref: JsonSchema, beside: JsonSchema): JsonSchema {
  return Object.keys(beside).length === 0 ? ref : { ...beside, allOf: [ref] };
}

const always = new Set(["metadata", "spec", "status"]);

function convertProperties(
  schema: PublishedSchema,
  properties: Record<string, JsonSchema>,
): Record<string, JsonSchema> {
  const isKind = schema["x-kubernetes-group-version-kind"] !== undefined;
  const written = new Set(schema.required ?? []);
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => {
      const zero = written.has(name) || (isKind && always.has(name));
      const converted = zero ? withZero(property) : convert(property);
      return [name, isKind ? described(name, converted) : converted];
    }),
  );
}

const descriptions: Readonly<Record<string, string>> = {
  apiVersion: "Group and version of the API that the object is written in.",
  kind: "The kind of the object, as the API spells it.",
  metadata: "Name, labels, owners and all else that every object has.",
  spec: "What is wanted.",
  status: "What was last observed; written by controllers.",
  items: "The objects of the list.",
};

/** What stands beside a reference must be wrapped. */
function described(name: string, schema: JsonSchema): JsonSchema {
  const description = descriptions[name];
  if (description === undefined) return schema;
  return schema.$ref === undefined ? { ...schema, description } : wrapped(schema, { description });
}

/**
 * A value that Go always writes has its zero value as the default: required fields, elements of lists and maps, and the
 * metadata, spec and status of kinds.
 */
function withZero(schema: JsonSchema): JsonSchema {
  const converted = convert(schema);
  if (converted.$ref !== undefined)
    return isStruct(converted.$ref) ? wrapped(converted, { default: {} }) : converted;
  if (converted.type === "string" && converted.format !== "byte") return { ...converted, default: "" };
  if (converted.type === "boolean") return { ...converted, default: false };
  if (converted.type === "integer" || converted.type === "number") return { ...converted, default: 0 };
  return converted;
}

function isStruct(ref: string): boolean {
  return builtinDefinition(definitionOfRef(ref))?.properties !== undefined;
}
