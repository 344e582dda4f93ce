/**
 * A custom resource's schema as OpenAPI publishes it. Version 3 says all that the CRD says; version 2 loses what old kubectl
 * could not read. Sources: apiextensions-apiserver pkg/apiserver/schema (kubeopenapi.go, unfold.go), pkg/controller/openapi
 * (builder.go, v2/conversion.go).
 */
import type { DeepReadonly, JsonObject } from "../object/object.ts";
import type { JsonSchema } from "../schema/json-schema.ts";
import type { OpenApiKind } from "./openapi-kind.ts";

type Schema = DeepReadonly<JsonSchema>;

/** A published schema; it may carry extensions of OpenAPI that a CRD's schema has not. */
export type PublishedSchema = JsonSchema & {
  "x-kubernetes-group-version-kind"?: JsonObject[];
  "x-kubernetes-selectable-fields"?: JsonObject[];
};

export type OpenApiVersion = 2 | 3;

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1";

const apiVersionProperty: JsonSchema = {
  type: "string",
  description: "Group and version of the API that the object is written in.",
};
const kindProperty: JsonSchema = {
  type: "string",
  description: "The kind of the object, as the API spells it.",
};

/** The path of references in a document of this version. */
export function refTo(definition: string, version: OpenApiVersion): string {
  return version === 2 ? `#/definitions/${definition}` : `#/components/schemas/${definition}`;
}

/** A reference with a description: what stands beside a reference in version 3 must be wrapped. */
function describedRef(definition: string, description: string, version: OpenApiVersion): JsonSchema {
  const ref = { $ref: refTo(definition, version) };
  return version === 2 ? { ...ref, description } : { allOf: [ref], description };
}

function metadataProperty(version: OpenApiVersion): JsonSchema {
  return describedRef(
    `${meta}.ObjectMeta`,
    "Metadata that every object has: name, labels, owners and so on.",
    version,
  );
}

/** The schema of the kind. */
export function customKindSchema(kind: OpenApiKind, version: OpenApiVersion): PublishedSchema {
  const { resource, custom } = kind;
  const out = rootSchema(custom?.schema, version);
  out["x-kubernetes-group-version-kind"] = [gvkObject(resource.group, resource.version, resource.kind)];
  addSelectableFields(out, kind);
  return out;
}

function rootSchema(schema: Schema | undefined, version: OpenApiVersion): PublishedSchema {
  // Properties would make kubectl take everything else for forbidden.
  const open =
    schema === undefined || (version === 2 && schema["x-kubernetes-preserve-unknown-fields"] === true);
  if (open) return { type: "object" };
  const out: PublishedSchema = published(schema, version);
  out.properties = {
    ...out.properties,
    apiVersion: apiVersionProperty,
    kind: kindProperty,
    metadata: metadataProperty(version),
  };
  return out;
}

/** The schema of the list kind. */
export function customListSchema(kind: OpenApiKind, item: string, version: OpenApiVersion): PublishedSchema {
  const { resource } = kind;
  const out: PublishedSchema = {
    type: "object",
    description: `${resource.listKind} is a list of ${resource.kind}`,
    required: ["items"],
    properties: {
      apiVersion: apiVersionProperty,
      items: {
        type: "array",
        description: `The ${resource.plural} of the list.`,
        items: { $ref: refTo(item, version) },
      },
      kind: kindProperty,
      metadata: describedRef(
        `${meta}.ListMeta`,
        "Metadata that every list has: version and next page.",
        version,
      ),
    },
    "x-kubernetes-group-version-kind": [gvkObject(resource.group, resource.version, resource.listKind)],
  };
  addSelectableFields(out, kind);
  return out;
}

function gvkObject(group: string, version: string, kind: string): JsonObject {
  return { group, version, kind };
}

function addSelectableFields(schema: PublishedSchema, { custom }: OpenApiKind): void {
  const fields = custom?.selectableFields ?? [];
  if (fields.length === 0) return;
  schema["x-kubernetes-selectable-fields"] = fields.map(({ jsonPath }) => ({
    fieldPath: jsonPath.replace(/^\./, ""),
  }));
}

/** A structural schema at any depth. */
function published(schema: Schema, version: OpenApiVersion): JsonSchema {
  const out = version === 2 ? lossy(schema) : lossless(schema);
  if (out.properties !== undefined)
    out.properties = mapValues(out.properties, (child) => published(child, version));
  if (out.items !== undefined) out.items = published(out.items as Schema, version);
  if (typeof out.additionalProperties === "object") {
    out.additionalProperties = published(out.additionalProperties, version);
  }
  return embedded(out, version);
}

/** Keywords whose empty or false form says nothing and is left out. */
const generic = ["type", "description", "title", "format", "pattern"] as const;
const flags = [
  "nullable",
  "exclusiveMaximum",
  "exclusiveMinimum",
  "uniqueItems",
  "x-kubernetes-preserve-unknown-fields",
  "x-kubernetes-embedded-resource",
  "x-kubernetes-int-or-string",
] as const;
const lists = ["enum", "required", "x-kubernetes-list-map-keys", "x-kubernetes-validations"] as const;
const present = [
  "default",
  "example",
  "externalDocs",
  "maximum",
  "minimum",
  "multipleOf",
  "maxLength",
  "minLength",
  "maxItems",
  "minItems",
  "maxProperties",
  "minProperties",
  "x-kubernetes-list-type",
  "x-kubernetes-map-type",
] as const;

/** What the schema says itself; the schemas inside are still those of the CRD. */
function ownKeywords(schema: Schema): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  for (const key of generic) if (schema[key] !== undefined && schema[key] !== "") out[key] = schema[key];
  for (const key of flags) if (schema[key] === true) out[key] = true;
  for (const key of lists) if (schema[key] !== undefined && schema[key].length > 0) out[key] = schema[key];
  for (const key of present) if (schema[key] !== undefined && schema[key] !== null) out[key] = schema[key];
  return out;
}

function lossless(schema: Schema): JsonSchema {
  const out = ownKeywords(schema) as JsonSchema;
  addInner(out, schema);
  for (const key of ["allOf", "anyOf", "oneOf"] as const) {
    const parts = schema[key];
    if (parts !== undefined && parts.length > 0) out[key] = parts.map(nested);
  }
  if (schema.not !== undefined) out.not = nested(schema.not);
  return schema["x-kubernetes-int-or-string"] === true ? unfolded(out) : out;
}

function addInner(out: JsonSchema, schema: Schema): void {
  if (schema.properties !== undefined && Object.keys(schema.properties).length > 0) {
    out.properties = schema.properties as Record<string, JsonSchema>;
  }
  if (schema.items !== undefined) out.items = schema.items as JsonSchema;
  if (schema.additionalProperties !== undefined) {
    out.additionalProperties = schema.additionalProperties as JsonSchema | boolean;
  }
}

/** A schema inside a junctor: values only, plus the types of int-or-string. Maps inside are not published. */
function nested(schema: Schema): JsonSchema {
  const out = ownKeywords(schema) as JsonSchema;
  if (schema.items !== undefined && !Array.isArray(schema.items)) out.items = nested(schema.items as Schema);
  if (schema.properties !== undefined && Object.keys(schema.properties).length > 0) {
    out.properties = mapValues(schema.properties, nested);
  }
  for (const key of ["allOf", "anyOf", "oneOf"] as const) {
    const parts = schema[key];
    if (parts !== undefined && parts.length > 0) out[key] = parts.map(nested);
  }
  if (schema.not !== undefined) out.not = nested(schema.not);
  return out;
}

const intOrString: JsonSchema[] = [{ type: "integer" }, { type: "string" }];

/** int-or-string is spelled out as a choice of the two types, unless the schema does so itself. */
function unfolded(schema: JsonSchema): JsonSchema {
  if (isIntOrString(schema.anyOf) || isIntOrString(schema.allOf?.[0]?.anyOf)) return schema;
  if (schema.anyOf === undefined) return { ...schema, anyOf: intOrString };
  return { ...schema, allOf: [{ anyOf: intOrString }, ...(schema.allOf ?? [])] };
}

function isIntOrString(parts: readonly JsonSchema[] | undefined): boolean {
  const [first, second] = parts ?? [];
  return (
    parts?.length === 2 &&
    first?.type === "integer" &&
    second?.type === "string" &&
    Object.keys(first).length === 1 &&
    Object.keys(second).length === 1
  );
}

/** Version 2 has no junctors, no null and no defaults; and old kubectl stumbles over types beside open content. */
function lossy(schema: Schema): JsonSchema {
  const out = ownKeywords(schema) as JsonSchema;
  delete out.default;
  addInner(out, schema);
  const preserve = schema["x-kubernetes-preserve-unknown-fields"] === true;
  if (schema.nullable === true) {
    delete out.type;
    delete out.nullable;
  }
  if (schema.nullable === true || preserve) {
    delete out.items;
    delete out.properties;
  }
  if (out.type === "array" && out.items === undefined) delete out.type;
  if (preserve && out.type === "object") delete out.type;
  dropNullableRequired(out);
  return out;
}

/** A field that may be null cannot be required where null does not exist. */
function dropNullableRequired(schema: JsonSchema): void {
  if (schema.required === undefined) return;
  const values = schema.additionalProperties;
  const required = schema.required.filter((name) => schema.properties?.[name]?.nullable !== true);
  if (required.length === 0 || (typeof values === "object" && values.nullable === true))
    delete schema.required;
  else schema.required = required;
}

/** An embedded object has apiVersion, kind and metadata, unless that would close content which version 2 must leave open. */
function embedded(schema: JsonSchema, version: OpenApiVersion): JsonSchema {
  if (schema["x-kubernetes-embedded-resource"] !== true) return schema;
  if (version === 2 && schema["x-kubernetes-preserve-unknown-fields"] === true) return schema;
  const required = [...(schema.required ?? [])];
  for (const name of ["kind", "apiVersion"]) if (!required.includes(name)) required.push(name);
  return {
    ...schema,
    required,
    properties: {
      ...schema.properties,
      apiVersion: apiVersionProperty,
      kind: kindProperty,
      metadata: metadataProperty(version),
    },
  };
}

function mapValues<T>(
  record: Readonly<Record<string, T>>,
  change: (value: T) => JsonSchema,
): Record<string, JsonSchema> {
  const out: Record<string, JsonSchema> = {};
  for (const key of Object.keys(record)) out[key] = change(record[key] as T);
  return out;
}
