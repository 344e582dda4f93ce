import { describe, expect, it } from "vitest";
import { fieldErrorText } from "../status/field-error.ts";
import type { JsonSchema } from "../schema/json-schema.ts";
import type { CrdSpec, CrdVersion, CustomResourceDefinition } from "./custom-resource-definition.ts";
import { defaultCrd } from "./default-crd.ts";
import { prepareCrdForCreate } from "./prepare-crd.ts";
import { validateCrd } from "./validate-crd.ts";

// Expected causes are those of k8s.io/apiextensions-apiserver v0.36.

function kettle(spec: Partial<CrdSpec>, version: Partial<CrdVersion> = {}): CustomResourceDefinition {
  const v1: CrdVersion = {
    name: "v1",
    served: true,
    storage: true,
    schema: { openAPIV3Schema: { type: "object" } },
  };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "kettles.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "kettles", kind: "Kettle" },
      versions: [{ ...v1, ...version }],
      ...spec,
    },
  };
}

function causes(crd: CustomResourceDefinition): string[] {
  return validateCrd(prepareCrdForCreate(defaultCrd(crd)))
    .errors.map(fieldErrorText)
    .sort();
}

function withSchema(schema: JsonSchema): CustomResourceDefinition {
  return kettle({}, { schema: { openAPIV3Schema: schema } });
}

/** The schema of one field below the root. */
function field(schema: JsonSchema): CustomResourceDefinition {
  return withSchema({ type: "object", properties: { spec: schema } });
}

function withStatus(schema: JsonSchema): CustomResourceDefinition {
  return kettle({}, { schema: { openAPIV3Schema: schema }, subresources: { status: {} } });
}

type Case<T> = readonly [change: T, causes: readonly string[]];

const structuralSchemasCases: readonly Case<JsonSchema>[] = [
  [
    {},
    [
      "spec.validation.openAPIV3Schema.properties[spec].type: Required value: must not be empty for specified object fields",
    ],
  ],
  [
    { type: "" },
    [
      "spec.validation.openAPIV3Schema.properties[spec].type: Required value: must not be empty for specified object fields",
    ],
  ],
  [
    { type: "foo" },
    [
      'spec.validation.openAPIV3Schema.properties[spec].type: Unsupported value: "foo": supported values: "array", "boolean", "integer", "number", "object", "string"',
    ],
  ],
  [
    { type: "null" },
    [
      "spec.validation.openAPIV3Schema.properties[spec].type: Forbidden: type cannot be set to null, use nullable as an alternative",
      'spec.validation.openAPIV3Schema.properties[spec].type: Unsupported value: "null": supported values: "array", "boolean", "integer", "number", "object", "string"',
    ],
  ],
  [
    { type: "array" },
    ["spec.validation.openAPIV3Schema.properties[spec].items: Required value: must be specified"],
  ],
  [
    { type: "array", items: {} },
    [
      "spec.validation.openAPIV3Schema.properties[spec].items.type: Required value: must not be empty for specified array items",
    ],
  ],
  [{ type: "array", items: { type: "string" } }, []],
  [
    { type: "object", properties: { a: {} } },
    [
      "spec.validation.openAPIV3Schema.properties[spec].properties[a].type: Required value: must not be empty for specified object fields",
    ],
  ],
  [
    { type: "object", additionalProperties: {} },
    [
      "spec.validation.openAPIV3Schema.properties[spec].additionalProperties.type: Required value: must not be empty for specified object fields",
    ],
  ],
  [{ type: "object", additionalProperties: { type: "string" } }, []],
  [{ type: "object", additionalProperties: true }, []],
  [
    { type: "object", properties: { a: { type: "string" } }, additionalProperties: { type: "string" } },
    [
      "spec.validation.openAPIV3Schema.properties[spec].additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive",
    ],
  ],
  [{ type: "object", properties: { a: { type: "string" } }, additionalProperties: true }, []],
  [
    { type: "object", properties: { a: { type: "string" } }, additionalProperties: false },
    [
      "spec.validation.openAPIV3Schema.properties[spec].additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive",
    ],
  ],
  [{ "x-kubernetes-preserve-unknown-fields": true }, []],
  [{ "x-kubernetes-preserve-unknown-fields": true, type: "object" }, []],
  [
    { "x-kubernetes-preserve-unknown-fields": false, type: "object" },
    [
      "spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined",
    ],
  ],
  [{ "x-kubernetes-int-or-string": true }, []],
  [{ "x-kubernetes-int-or-string": true, type: "string" }, []],
  [
    { "x-kubernetes-int-or-string": true, "x-kubernetes-preserve-unknown-fields": true },
    [
      "spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-preserve-unknown-fields: Invalid value: true: must be false if x-kubernetes-int-or-string is true",
    ],
  ],
  [
    {
      "x-kubernetes-int-or-string": true,
      "x-kubernetes-embedded-resource": true,
      type: "object",
      properties: { a: { type: "string" } },
    },
    [
      "spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-embedded-resource: Invalid value: true: must be false if x-kubernetes-int-or-string is true",
    ],
  ],
  [{ "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] }, []],
  [
    { "x-kubernetes-int-or-string": true, anyOf: [{ type: "string" }, { type: "integer" }] },
    [
      "spec.validation.openAPIV3Schema.properties[spec].anyOf[0].type: Forbidden: must be empty to be structural",
      "spec.validation.openAPIV3Schema.properties[spec].anyOf[1].type: Forbidden: must be empty to be structural",
    ],
  ],
  [
    { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string", minLength: 1 }] },
    [
      "spec.validation.openAPIV3Schema.properties[spec].anyOf[0].type: Forbidden: must be empty to be structural",
      "spec.validation.openAPIV3Schema.properties[spec].anyOf[1].type: Forbidden: must be empty to be structural",
    ],
  ],
  [
    {
      "x-kubernetes-int-or-string": true,
      allOf: [{ anyOf: [{ type: "integer" }, { type: "string" }] }, { pattern: "a" }],
    },
    [],
  ],
  [
    {
      "x-kubernetes-int-or-string": true,
      allOf: [{ pattern: "a" }, { anyOf: [{ type: "integer" }, { type: "string" }] }],
    },
    [
      "spec.validation.openAPIV3Schema.properties[spec].allOf[1].anyOf[0].type: Forbidden: must be empty to be structural",
      "spec.validation.openAPIV3Schema.properties[spec].allOf[1].anyOf[1].type: Forbidden: must be empty to be structural",
    ],
  ],
  [{ type: "string", anyOf: [{ type: "integer" }, { type: "string" }] }, []],
  [
    { "x-kubernetes-embedded-resource": true },
    [
      "spec.validation.openAPIV3Schema.properties[spec].properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields",
      "spec.validation.openAPIV3Schema.properties[spec].type: Required value: must be object if x-kubernetes-embedded-resource is true",
    ],
  ],
  [
    { "x-kubernetes-embedded-resource": true, type: "string" },
    [
      "spec.validation.openAPIV3Schema.properties[spec].properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields",
      'spec.validation.openAPIV3Schema.properties[spec].type: Invalid value: "string": must be object if x-kubernetes-embedded-resource is true',
    ],
  ],
  [
    { "x-kubernetes-embedded-resource": true, type: "object" },
    [
      "spec.validation.openAPIV3Schema.properties[spec].properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields",
    ],
  ],
  [
    { "x-kubernetes-embedded-resource": true, type: "object", "x-kubernetes-preserve-unknown-fields": true },
    [],
  ],
  [{ "x-kubernetes-embedded-resource": true, type: "object", properties: { a: { type: "string" } } }, []],
  [
    { "x-kubernetes-embedded-resource": true, type: "object", additionalProperties: { type: "string" } },
    [
      "spec.validation.openAPIV3Schema.properties[spec].additionalProperties: Forbidden: must not be used if x-kubernetes-embedded-resource is set",
      "spec.validation.openAPIV3Schema.properties[spec].properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields",
    ],
  ],
  [
    {
      "x-kubernetes-embedded-resource": true,
      type: "object",
      properties: { kind: { type: "integer" }, apiVersion: { type: "object" }, metadata: { type: "string" } },
    },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties[apiVersion].type: Invalid value: "object": must be string',
      'spec.validation.openAPIV3Schema.properties[spec].properties[kind].type: Invalid value: "integer": must be string',
      'spec.validation.openAPIV3Schema.properties[spec].properties[metadata].type: Invalid value: "string": must be object',
    ],
  ],
  [
    {
      "x-kubernetes-embedded-resource": true,
      type: "object",
      properties: {
        metadata: {
          type: "object",
          properties: { labels: { type: "object", additionalProperties: { type: "string" } } },
        },
      },
    },
    [],
  ],
  [
    {
      "x-kubernetes-embedded-resource": true,
      type: "object",
      properties: {
        metadata: {
          type: "object",
          properties: {
            name: {
              type: "object",
              "x-kubernetes-embedded-resource": true,
              "x-kubernetes-preserve-unknown-fields": true,
            },
          },
        },
      },
    },
    [
      "spec.validation.openAPIV3Schema.properties[spec].properties[metadata].properties[name].x-kubernetes-embedded-resource: Forbidden: must not be used inside of resource meta",
    ],
  ],
  [
    { type: "string", anyOf: [{ type: "string" }] },
    [
      "spec.validation.openAPIV3Schema.properties[spec].anyOf[0].type: Forbidden: must be empty to be structural",
    ],
  ],
  [
    { type: "string", anyOf: [{ title: "t" }] },
    [
      "spec.validation.openAPIV3Schema.properties[spec].anyOf[0].title: Forbidden: must be empty to be structural",
    ],
  ],
  [
    { type: "string", anyOf: [{ description: "d" }] },
    [
      "spec.validation.openAPIV3Schema.properties[spec].anyOf[0].description: Forbidden: must be empty to be structural",
    ],
  ],
  [
    { type: "string", anyOf: [{ default: "d" }] },
    [
      "spec.validation.openAPIV3Schema.properties[spec].anyOf[0].default: Forbidden: must be undefined to be structural",
    ],
  ],
  [
    { type: "string", anyOf: [{ nullable: true }] },
    [
      "spec.validation.openAPIV3Schema.properties[spec].anyOf[0].nullable: Forbidden: must be false to be structural",
    ],
  ],
  [{ type: "string", anyOf: [{ minLength: 1 }] }, []],
  [
    { type: "string", allOf: [{ type: "string" }] },
    [
      "spec.validation.openAPIV3Schema.properties[spec].allOf[0].type: Forbidden: must be empty to be structural",
    ],
  ],
  [
    { type: "string", allOf: [{ title: "t" }] },
    [
      "spec.validation.openAPIV3Schema.properties[spec].allOf[0].title: Forbidden: must be empty to be structural",
    ],
  ],
  [
    { type: "string", allOf: [{ description: "d" }] },
    [
      "spec.validation.openAPIV3Schema.properties[spec].allOf[0].description: Forbidden: must be empty to be structural",
    ],
  ],
  [
    { type: "string", allOf: [{ default: "d" }] },
    [
      "spec.validation.openAPIV3Schema.properties[spec].allOf[0].default: Forbidden: must be undefined to be structural",
    ],
  ],
  [
    { type: "string", allOf: [{ nullable: true }] },
    [
      "spec.validation.openAPIV3Schema.properties[spec].allOf[0].nullable: Forbidden: must be false to be structural",
    ],
  ],
  [{ type: "string", allOf: [{ minLength: 1 }] }, []],
  [
    { type: "string", oneOf: [{ type: "string" }] },
    [
      "spec.validation.openAPIV3Schema.properties[spec].oneOf[0].type: Forbidden: must be empty to be structural",
    ],
  ],
  [
    { type: "string", oneOf: [{ title: "t" }] },
    [
      "spec.validation.openAPIV3Schema.properties[spec].oneOf[0].title: Forbidden: must be empty to be structural",
    ],
  ],
  [
    { type: "string", oneOf: [{ description: "d" }] },
    [
      "spec.validation.openAPIV3Schema.properties[spec].oneOf[0].description: Forbidden: must be empty to be structural",
    ],
  ],
  [
    { type: "string", oneOf: [{ default: "d" }] },
    [
      "spec.validation.openAPIV3Schema.properties[spec].oneOf[0].default: Forbidden: must be undefined to be structural",
    ],
  ],
  [
    { type: "string", oneOf: [{ nullable: true }] },
    [
      "spec.validation.openAPIV3Schema.properties[spec].oneOf[0].nullable: Forbidden: must be false to be structural",
    ],
  ],
  [{ type: "string", oneOf: [{ minLength: 1 }] }, []],
  [
    { type: "string", not: { type: "string" } },
    ["spec.validation.openAPIV3Schema.properties[spec].not.type: Forbidden: must be empty to be structural"],
  ],
  [{ type: "string", not: { enum: ["a"] } }, []],
  [{ type: "object", anyOf: [{ properties: { a: {} } }] }, []],
  [
    {
      type: "object",
      properties: { a: { type: "string" } },
      anyOf: [{ properties: { a: { minLength: 1 } } }],
    },
    [],
  ],
  [
    {
      type: "object",
      properties: { a: { type: "string" } },
      anyOf: [{ properties: { a: { properties: { b: {} } } } }],
    },
    [],
  ],
  [{ type: "array", items: { type: "string" }, allOf: [{ items: { minLength: 1 } }] }, []],
  [{ type: "string", allOf: [{ items: { minLength: 1 } }] }, []],
  [
    { type: "object", properties: { a: { type: "string" } }, anyOf: [{ additionalProperties: {} }] },
    [
      "spec.validation.openAPIV3Schema.properties[spec].anyOf[0].additionalProperties: Forbidden: must be undefined to be structural",
    ],
  ],
  [{ type: "object", properties: { a: { type: "string" } }, anyOf: [{ additionalProperties: false }] }, []],
  [
    {
      type: "object",
      properties: { a: { type: "string" } },
      anyOf: [{ "x-kubernetes-preserve-unknown-fields": true }],
    },
    [
      "spec.validation.openAPIV3Schema.properties[spec].anyOf[0].x-kubernetes-preserve-unknown-fields: Forbidden: must be false to be structural",
    ],
  ],
  [
    { type: "object", properties: { a: { type: "string" } }, anyOf: [{ "x-kubernetes-list-type": "set" }] },
    [
      "spec.validation.openAPIV3Schema.properties[spec].anyOf[0].type: Required value: must be array if x-kubernetes-list-type is specified",
      "spec.validation.openAPIV3Schema.properties[spec].anyOf[0].x-kubernetes-list-type: Forbidden: must be undefined to be structural",
    ],
  ],
  [
    {
      type: "object",
      properties: { a: { type: "string" } },
      anyOf: [{ "x-kubernetes-list-map-keys": ["a"] }],
    },
    [
      "spec.validation.openAPIV3Schema.properties[spec].anyOf[0].x-kubernetes-list-map-keys: Forbidden: must be empty to be structural",
      "spec.validation.openAPIV3Schema.properties[spec].anyOf[0].x-kubernetes-list-type: Required value: must be map if x-kubernetes-list-map-keys is non-empty",
    ],
  ],
  [
    { type: "object", properties: { a: { type: "string" } }, anyOf: [{ "x-kubernetes-map-type": "atomic" }] },
    [
      "spec.validation.openAPIV3Schema.properties[spec].anyOf[0].type: Required value: must be object if x-kubernetes-map-type is specified",
      "spec.validation.openAPIV3Schema.properties[spec].anyOf[0].x-kubernetes-map-type: Forbidden: must be undefined to be structural",
    ],
  ],
  [
    {
      type: "object",
      properties: { a: { type: "string" } },
      anyOf: [{ "x-kubernetes-int-or-string": true }],
    },
    [
      "spec.validation.openAPIV3Schema.properties[spec].anyOf[0].x-kubernetes-int-or-string: Forbidden: must be false to be structural",
    ],
  ],
  [
    {
      type: "object",
      properties: { a: { type: "string" } },
      anyOf: [{ "x-kubernetes-embedded-resource": true }],
    },
    [
      "spec.validation.openAPIV3Schema.properties[spec].anyOf[0].x-kubernetes-embedded-resource: Forbidden: must be false to be structural",
    ],
  ],
  [
    {
      type: "object",
      properties: { metadata: { type: "object" } },
      anyOf: [{ properties: { metadata: {} } }],
    },
    [
      "spec.validation.openAPIV3Schema.properties[spec].anyOf[0].properties[metadata]: Forbidden: must not be specified in a nested context",
    ],
  ],
];

const rootSchemasCases: readonly Case<JsonSchema>[] = [
  [
    { type: "string" },
    ['spec.validation.openAPIV3Schema.type: Invalid value: "string": must be object at the root'],
  ],
  [{}, ["spec.validation.openAPIV3Schema.type: Required value: must not be empty at the root"]],
  [
    { type: "object", nullable: true },
    ["spec.validation.openAPIV3Schema.nullable: Forbidden: nullable cannot be true at the root"],
  ],
  [
    { type: "object", additionalProperties: { type: "string" } },
    ["spec.validation.openAPIV3Schema.additionalProperties: Forbidden: must not be used at the root"],
  ],
  [
    { type: "object", additionalProperties: false },
    ["spec.validation.openAPIV3Schema.additionalProperties: Forbidden: must not be used at the root"],
  ],
  [{ type: "object", properties: { metadata: { type: "object" } } }, []],
  [
    { type: "object", properties: { metadata: { type: "string" } } },
    ['spec.validation.openAPIV3Schema.properties[metadata].type: Invalid value: "string": must be object'],
  ],
  [
    {
      type: "object",
      properties: { metadata: { type: "object", properties: { name: { type: "string" } } } },
    },
    [],
  ],
  [
    {
      type: "object",
      properties: {
        metadata: {
          type: "object",
          properties: { name: { type: "string", maxLength: 3 }, generateName: { type: "string" } },
        },
      },
    },
    [],
  ],
  [
    {
      type: "object",
      properties: { metadata: { type: "object", properties: { labels: { type: "object" } } } },
    },
    [
      "spec.validation.openAPIV3Schema.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified",
    ],
  ],
  [
    { type: "object", properties: { metadata: { type: "object", description: "d" } } },
    [
      "spec.validation.openAPIV3Schema.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified",
    ],
  ],
  [
    { type: "object", properties: { metadata: { type: "object", required: ["name"] } } },
    [
      "spec.validation.openAPIV3Schema.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified",
    ],
  ],
  [
    {
      type: "object",
      properties: { metadata: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
    },
    [
      "spec.validation.openAPIV3Schema.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified",
    ],
  ],
  [
    {
      type: "object",
      properties: { metadata: { type: "object", properties: { name: { type: "string", default: "x" } } } },
    },
    [
      "spec.validation.openAPIV3Schema.properties[metadata].properties[name].default: Forbidden: must not be set in top-level metadata",
    ],
  ],
  [{ type: "object", properties: { kind: { type: "string" }, apiVersion: { type: "string" } } }, []],
  [
    { type: "object", properties: { kind: { type: "integer" } } },
    ['spec.validation.openAPIV3Schema.properties[kind].type: Invalid value: "integer": must be string'],
  ],
  [
    { type: "object", properties: { kind: { type: "string", default: "K" } } },
    [
      "spec.validation.openAPIV3Schema.properties[kind].default: Forbidden: must not be set in top-level kind",
    ],
  ],
  [
    { type: "object", properties: { apiVersion: { type: "string", default: "v1" } } },
    [
      "spec.validation.openAPIV3Schema.properties[apiVersion].default: Forbidden: must not be set in top-level apiVersion",
    ],
  ],
  [{ type: "object", "x-kubernetes-preserve-unknown-fields": true }, []],
  [{ type: "object", required: ["spec"] }, []],
  [
    { type: "object", default: {} },
    [
      "spec.validation.openAPIV3Schema.default.apiVersion: Required value",
      "spec.validation.openAPIV3Schema.default.kind: Required value",
    ],
  ],
];

const schemaKeywordsCases: readonly Case<JsonSchema>[] = [
  [
    { type: "string", $ref: "#/a" },
    ["spec.validation.openAPIV3Schema.properties[spec].$ref: Forbidden: $ref is not supported"],
  ],
  [
    { type: "string", id: "a" },
    ["spec.validation.openAPIV3Schema.properties[spec].id: Forbidden: id is not supported"],
  ],
  [
    { type: "string", $schema: "http://json-schema.org/draft-04/schema" },
    ["spec.validation.openAPIV3Schema: Invalid value: \"\": OpenAPIV3Schema 'schema' is not supported"],
  ],
  [
    { type: "object", definitions: { a: { type: "string" } } },
    ["spec.validation.openAPIV3Schema.properties[spec].definitions: Forbidden: definitions is not supported"],
  ],
  [
    { type: "object", patternProperties: { a: { type: "string" } } },
    [
      "spec.validation.openAPIV3Schema.properties[spec].patternProperties: Forbidden: patternProperties is not supported",
    ],
  ],
  [
    { type: "object", dependencies: { a: ["b"] } },
    [
      "spec.validation.openAPIV3Schema.properties[spec].dependencies: Forbidden: dependencies is not supported",
    ],
  ],
  [
    { type: "object", dependencies: { a: { type: "foo" } } },
    [
      "spec.validation.openAPIV3Schema.properties[spec].dependencies: Forbidden: dependencies is not supported",
      'spec.validation.openAPIV3Schema.properties[spec].dependencies[a].type: Unsupported value: "foo": supported values: "array", "boolean", "integer", "number", "object", "string"',
    ],
  ],
  [
    { type: "array", items: [{ type: "string" }, { type: "integer" }] },
    [
      "spec.validation.openAPIV3Schema.properties[spec].items: Forbidden: items must be a schema object and not an array",
    ],
  ],
  [
    { type: "array", items: { type: "string" }, additionalItems: false },
    [
      "spec.validation.openAPIV3Schema.properties[spec].additionalItems: Forbidden: additionalItems is not supported",
    ],
  ],
  [
    { type: "array", items: { type: "string" }, uniqueItems: true },
    [
      "spec.validation.openAPIV3Schema.properties[spec].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
    ],
  ],
  [{ type: "array", items: { type: "string" }, uniqueItems: false }, []],
  [{ type: "string", format: "date" }, []],
  [
    {
      type: "string",
      externalDocs: { description: "d", url: "u" },
      example: "e",
      title: "t",
      description: "d",
    },
    [],
  ],
  [{ type: "integer", minimum: 1, maximum: 2, exclusiveMinimum: true, multipleOf: 2 }, []],
  [{ type: "string", enum: ["a", 1, null] }, []],
  [
    { type: "string", pattern: "[" },
    [
      'spec.validation.openAPIV3Schema.properties[spec].pattern: Invalid value: "[": must be a valid regular expression, but isn\'t: error parsing regexp: missing closing ]: `[`',
    ],
  ],
  [
    { type: "string", pattern: "a**" },
    [
      'spec.validation.openAPIV3Schema.properties[spec].pattern: Invalid value: "a**": must be a valid regular expression, but isn\'t: error parsing regexp: invalid nested repetition operator: `**`',
    ],
  ],
  [
    { type: "string", pattern: "(?=a)" },
    [
      'spec.validation.openAPIV3Schema.properties[spec].pattern: Invalid value: "(?=a)": must be a valid regular expression, but isn\'t: error parsing regexp: invalid or unsupported Perl syntax: `(?=`',
    ],
  ],
  [
    { type: "string", pattern: "(?!a)" },
    [
      'spec.validation.openAPIV3Schema.properties[spec].pattern: Invalid value: "(?!a)": must be a valid regular expression, but isn\'t: error parsing regexp: invalid or unsupported Perl syntax: `(?!`',
    ],
  ],
  [
    { type: "string", pattern: "\\1" },
    [
      'spec.validation.openAPIV3Schema.properties[spec].pattern: Invalid value: "\\\\1": must be a valid regular expression, but isn\'t: error parsing regexp: invalid escape sequence: `\\1`',
    ],
  ],
  [
    { type: "string", pattern: "x{1001}" },
    [
      'spec.validation.openAPIV3Schema.properties[spec].pattern: Invalid value: "x{1001}": must be a valid regular expression, but isn\'t: error parsing regexp: invalid repeat count: `{1001}`',
    ],
  ],
  [
    { type: "string", pattern: "x{2,1}" },
    [
      'spec.validation.openAPIV3Schema.properties[spec].pattern: Invalid value: "x{2,1}": must be a valid regular expression, but isn\'t: error parsing regexp: invalid repeat count: `{2,1}`',
    ],
  ],
  [
    { type: "string", pattern: "\\p{Foo}" },
    [
      'spec.validation.openAPIV3Schema.properties[spec].pattern: Invalid value: "\\\\p{Foo}": must be a valid regular expression, but isn\'t: error parsing regexp: invalid character class range: `\\p{Foo}`',
    ],
  ],
  [{ type: "string", pattern: "(?P<n>a)" }, []],
  [{ type: "string", pattern: "(?<n>a)" }, []],
  [
    { type: "string", pattern: "a)" },
    [
      'spec.validation.openAPIV3Schema.properties[spec].pattern: Invalid value: "a)": must be a valid regular expression, but isn\'t: error parsing regexp: unexpected ): `a)`',
    ],
  ],
  [
    { type: "string", pattern: "(a" },
    [
      'spec.validation.openAPIV3Schema.properties[spec].pattern: Invalid value: "(a": must be a valid regular expression, but isn\'t: error parsing regexp: missing closing ): `(a`',
    ],
  ],
  [
    { type: "string", pattern: "[b-a]" },
    [
      'spec.validation.openAPIV3Schema.properties[spec].pattern: Invalid value: "[b-a]": must be a valid regular expression, but isn\'t: error parsing regexp: invalid character class range: `b-a`',
    ],
  ],
  [
    { type: "string", pattern: "\\" },
    [
      'spec.validation.openAPIV3Schema.properties[spec].pattern: Invalid value: "\\\\": must be a valid regular expression, but isn\'t: error parsing regexp: trailing backslash at end of expression: ``',
    ],
  ],
  [{ type: "string", pattern: "a{,3}" }, []],
  [{ type: "string", pattern: "(?i)a" }, []],
  [{ type: "string", pattern: "[[:alpha:]]" }, []],
  [{ type: "string", pattern: "\\d+" }, []],
  [
    { type: "string", pattern: "\\C" },
    [
      'spec.validation.openAPIV3Schema.properties[spec].pattern: Invalid value: "\\\\C": must be a valid regular expression, but isn\'t: error parsing regexp: invalid escape sequence: `\\C`',
    ],
  ],
  [
    { type: "string", pattern: "(?P<n" },
    [
      'spec.validation.openAPIV3Schema.properties[spec].pattern: Invalid value: "(?P<n": must be a valid regular expression, but isn\'t: error parsing regexp: invalid named capture: `(?P<n`',
    ],
  ],
  [
    { type: "string", pattern: "*a" },
    [
      'spec.validation.openAPIV3Schema.properties[spec].pattern: Invalid value: "*a": must be a valid regular expression, but isn\'t: error parsing regexp: missing argument to repetition operator: `*`',
    ],
  ],
  [
    { type: "string", pattern: "a++" },
    [
      'spec.validation.openAPIV3Schema.properties[spec].pattern: Invalid value: "a++": must be a valid regular expression, but isn\'t: error parsing regexp: invalid nested repetition operator: `++`',
    ],
  ],
  [{ type: "string", pattern: "\\Qa\\E" }, []],
  [
    { type: "string", pattern: "[a-\\d]" },
    [
      'spec.validation.openAPIV3Schema.properties[spec].pattern: Invalid value: "[a-\\\\d]": must be a valid regular expression, but isn\'t: error parsing regexp: invalid escape sequence: `\\d`',
    ],
  ],
  [
    { type: "string", pattern: "[[:foo:]]" },
    [
      'spec.validation.openAPIV3Schema.properties[spec].pattern: Invalid value: "[[:foo:]]": must be a valid regular expression, but isn\'t: error parsing regexp: invalid character class range: `[:foo:]`',
    ],
  ],
  [
    { type: "string", pattern: "(?i" },
    [
      'spec.validation.openAPIV3Schema.properties[spec].pattern: Invalid value: "(?i": must be a valid regular expression, but isn\'t: error parsing regexp: invalid or unsupported Perl syntax: `(?i`',
    ],
  ],
  [
    { type: "string", pattern: "\\xZZ" },
    [
      'spec.validation.openAPIV3Schema.properties[spec].pattern: Invalid value: "\\\\xZZ": must be a valid regular expression, but isn\'t: error parsing regexp: invalid escape sequence: `\\xZZ`',
    ],
  ],
];

const listAndMapTypesCases: readonly Case<JsonSchema>[] = [
  [{ type: "object", "x-kubernetes-map-type": "atomic" }, []],
  [{ type: "object", "x-kubernetes-map-type": "granular" }, []],
  [
    { type: "object", "x-kubernetes-map-type": "fine" },
    [
      'spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-map-type: Unsupported value: "fine": supported values: "atomic", "granular"',
    ],
  ],
  [
    { type: "string", "x-kubernetes-map-type": "atomic" },
    [
      'spec.validation.openAPIV3Schema.properties[spec].type: Invalid value: "string": must be object if x-kubernetes-map-type is specified',
    ],
  ],
  [
    { "x-kubernetes-preserve-unknown-fields": true, "x-kubernetes-map-type": "atomic" },
    [
      "spec.validation.openAPIV3Schema.properties[spec].type: Required value: must be object if x-kubernetes-map-type is specified",
    ],
  ],
  [
    { type: "string", "x-kubernetes-list-type": "set" },
    [
      'spec.validation.openAPIV3Schema.properties[spec].type: Invalid value: "string": must be array if x-kubernetes-list-type is specified',
    ],
  ],
  [
    { "x-kubernetes-preserve-unknown-fields": true, "x-kubernetes-list-type": "atomic" },
    [
      "spec.validation.openAPIV3Schema.properties[spec].type: Required value: must be array if x-kubernetes-list-type is specified",
    ],
  ],
  [{ type: "array", items: { type: "string" }, "x-kubernetes-list-type": "atomic" }, []],
  [{ type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" }, []],
  [
    { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "map" },
    [
      'spec.validation.openAPIV3Schema.properties[spec].items.type: Invalid value: "string": must be object if parent array\'s x-kubernetes-list-type is map',
      "spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map",
    ],
  ],
  [
    { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "bag" },
    [
      'spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-list-type: Unsupported value: "bag": supported values: "atomic", "set", "map"',
    ],
  ],
  [
    { type: "array", items: { type: "string", nullable: true }, "x-kubernetes-list-type": "set" },
    [
      "spec.validation.openAPIV3Schema.properties[spec].items.nullable: Forbidden: cannot be nullable when x-kubernetes-list-type is set",
    ],
  ],
  [
    { type: "array", items: { type: "object" }, "x-kubernetes-list-type": "set" },
    [
      "spec.validation.openAPIV3Schema.properties[spec].items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set",
    ],
  ],
  [
    {
      type: "array",
      items: { type: "object", "x-kubernetes-map-type": "atomic" },
      "x-kubernetes-list-type": "set",
    },
    [],
  ],
  [
    { type: "array", items: { type: "array", items: { type: "string" } }, "x-kubernetes-list-type": "set" },
    [],
  ],
  [
    {
      type: "array",
      items: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "atomic" },
      "x-kubernetes-list-type": "set",
    },
    [],
  ],
  [
    {
      type: "array",
      items: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
      "x-kubernetes-list-type": "set",
    },
    [
      'spec.validation.openAPIV3Schema.properties[spec].items.x-kubernetes-list-type: Invalid value: "set": must be atomic as item of a list with x-kubernetes-list-type=set',
    ],
  ],
  [
    { type: "array", items: { type: "string" }, "x-kubernetes-list-map-keys": ["a"] },
    [
      "spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-list-type: Required value: must be map if x-kubernetes-list-map-keys is non-empty",
    ],
  ],
  [
    {
      type: "array",
      items: { type: "string" },
      "x-kubernetes-list-type": "set",
      "x-kubernetes-list-map-keys": ["a"],
    },
    [
      'spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-list-type: Invalid value: "set": must be map if x-kubernetes-list-map-keys is non-empty',
    ],
  ],
  [
    {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": [],
      items: {
        type: "object",
        required: ["k", "o", "l", "nul"],
        properties: {
          k: { type: "string" },
          o: { type: "object" },
          l: { type: "array", items: { type: "string" } },
          opt: { type: "string" },
          def: { type: "string", default: "x" },
          nul: { type: "string", nullable: true },
        },
      },
    },
    [
      "spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map",
    ],
  ],
  [
    {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["k"],
      items: {
        type: "object",
        required: ["k", "o", "l", "nul"],
        properties: {
          k: { type: "string" },
          o: { type: "object" },
          l: { type: "array", items: { type: "string" } },
          opt: { type: "string" },
          def: { type: "string", default: "x" },
          nul: { type: "string", nullable: true },
        },
      },
    },
    [],
  ],
  [
    {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["k", "k"],
      items: {
        type: "object",
        required: ["k", "o", "l", "nul"],
        properties: {
          k: { type: "string" },
          o: { type: "object" },
          l: { type: "array", items: { type: "string" } },
          opt: { type: "string" },
          def: { type: "string", default: "x" },
          nul: { type: "string", nullable: true },
        },
      },
    },
    [
      'spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-list-map-keys: Invalid value: ["k","k"]: must not contain duplicate entries',
    ],
  ],
  [
    {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["k", "zz"],
      items: {
        type: "object",
        required: ["k", "o", "l", "nul"],
        properties: {
          k: { type: "string" },
          o: { type: "object" },
          l: { type: "array", items: { type: "string" } },
          opt: { type: "string" },
          def: { type: "string", default: "x" },
          nul: { type: "string", nullable: true },
        },
      },
    },
    [
      'spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-list-map-keys: Invalid value: ["k","zz"]: entries must all be names of item properties',
    ],
  ],
  [
    {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["o"],
      items: {
        type: "object",
        required: ["k", "o", "l", "nul"],
        properties: {
          k: { type: "string" },
          o: { type: "object" },
          l: { type: "array", items: { type: "string" } },
          opt: { type: "string" },
          def: { type: "string", default: "x" },
          nul: { type: "string", nullable: true },
        },
      },
    },
    [
      'spec.validation.openAPIV3Schema.properties[spec].items.properties[o].type: Invalid value: "object": must be a scalar type if parent array\'s x-kubernetes-list-type is map',
    ],
  ],
  [
    {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["l"],
      items: {
        type: "object",
        required: ["k", "o", "l", "nul"],
        properties: {
          k: { type: "string" },
          o: { type: "object" },
          l: { type: "array", items: { type: "string" } },
          opt: { type: "string" },
          def: { type: "string", default: "x" },
          nul: { type: "string", nullable: true },
        },
      },
    },
    [
      'spec.validation.openAPIV3Schema.properties[spec].items.properties[l].type: Invalid value: "object": must be a scalar type if parent array\'s x-kubernetes-list-type is map',
    ],
  ],
  [
    {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["opt"],
      items: {
        type: "object",
        required: ["k", "o", "l", "nul"],
        properties: {
          k: { type: "string" },
          o: { type: "object" },
          l: { type: "array", items: { type: "string" } },
          opt: { type: "string" },
          def: { type: "string", default: "x" },
          nul: { type: "string", nullable: true },
        },
      },
    },
    [
      "spec.validation.openAPIV3Schema.properties[spec].items.properties[opt].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property",
    ],
  ],
  [
    {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["def"],
      items: {
        type: "object",
        required: ["k", "o", "l", "nul"],
        properties: {
          k: { type: "string" },
          o: { type: "object" },
          l: { type: "array", items: { type: "string" } },
          opt: { type: "string" },
          def: { type: "string", default: "x" },
          nul: { type: "string", nullable: true },
        },
      },
    },
    [],
  ],
  [
    {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["nul"],
      items: {
        type: "object",
        required: ["k", "o", "l", "nul"],
        properties: {
          k: { type: "string" },
          o: { type: "object" },
          l: { type: "array", items: { type: "string" } },
          opt: { type: "string" },
          def: { type: "string", default: "x" },
          nul: { type: "string", nullable: true },
        },
      },
    },
    [
      "spec.validation.openAPIV3Schema.properties[spec].items.properties[nul].nullable: Forbidden: this property is in x-kubernetes-list-map-keys, so it cannot be nullable",
    ],
  ],
  [
    {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["k"],
      items: { type: "object", nullable: true, required: ["k"], properties: { k: { type: "string" } } },
    },
    [
      "spec.validation.openAPIV3Schema.properties[spec].items.nullable: Forbidden: cannot be nullable when x-kubernetes-list-type is map",
    ],
  ],
  [
    {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["k"],
      items: { "x-kubernetes-preserve-unknown-fields": true },
    },
    [
      'spec.validation.openAPIV3Schema.properties[spec].items.type: Invalid value: "": must be object if parent array\'s x-kubernetes-list-type is map',
    ],
  ],
  [
    { type: "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"] },
    [
      "spec.validation.openAPIV3Schema.properties[spec].items: Required value: must be specified",
      "spec.validation.openAPIV3Schema.properties[spec].items: Required value: must have a schema if x-kubernetes-list-type is map",
    ],
  ],
];

const rootWithAStatusSubresourceCases: readonly Case<JsonSchema>[] = [
  [{ type: "object", required: ["spec"] }, []],
  [
    { type: "object", minProperties: 1 },
    [
      'spec.validation.openAPIV3Schema: Invalid value: {"ID":"","Schema":"","Ref":null,"Description":"","Type":"object","Nullable":false,"Format":"","Title":"","Default":null,"Maximum":null,"ExclusiveMaximum":false,"Minimum":null,"ExclusiveMinimum":false,"MaxLength":null,"MinLength":null,"Pattern":"","MaxItems":null,"MinItems":null,"UniqueItems":false,"MultipleOf":null,"Enum":null,"MaxProperties":null,"MinProperties":1,"Required":null,"Items":null,"AllOf":null,"OneOf":null,"AnyOf":null,"Not":null,"Properties":null,"AdditionalProperties":null,"PatternProperties":null,"Dependencies":null,"AdditionalItems":null,"Definitions":null,"ExternalDocs":null,"Example":null,"XPreserveUnknownFields":null,"XEmbeddedResource":false,"XIntOrString":false,"XListMapKeys":null,"XListType":null,"XMapType":null,"XValidations":null}: only [Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations] fields are allowed at the root of the schema if the status subresource is enabled',
    ],
  ],
  [
    { type: "object", allOf: [{ required: ["spec"] }] },
    [
      'spec.validation.openAPIV3Schema: Invalid value: {"ID":"","Schema":"","Ref":null,"Description":"","Type":"object","Nullable":false,"Format":"","Title":"","Default":null,"Maximum":null,"ExclusiveMaximum":false,"Minimum":null,"ExclusiveMinimum":false,"MaxLength":null,"MinLength":null,"Pattern":"","MaxItems":null,"MinItems":null,"UniqueItems":false,"MultipleOf":null,"Enum":null,"MaxProperties":null,"MinProperties":null,"Required":null,"Items":null,"AllOf":[{"ID":"","Schema":"","Ref":null,"Description":"","Type":"","Nullable":false,"Format":"","Title":"","Default":null,"Maximum":null,"ExclusiveMaximum":false,"Minimum":null,"ExclusiveMinimum":false,"MaxLength":null,"MinLength":null,"Pattern":"","MaxItems":null,"MinItems":null,"UniqueItems":false,"MultipleOf":null,"Enum":null,"MaxProperties":null,"MinProperties":null,"Required":["spec"],"Items":null,"AllOf":null,"OneOf":null,"AnyOf":null,"Not":null,"Properties":null,"AdditionalProperties":null,"PatternProperties":null,"Dependencies":null,"AdditionalItems":null,"Definitions":null,"ExternalDocs":null,"Example":null,"XPreserveUnknownFields":null,"XEmbeddedResource":false,"XIntOrString":false,"XListMapKeys":null,"XListType":null,"XMapType":null,"XValidations":null}],"OneOf":null,"AnyOf":null,"Not":null,"Properties":null,"AdditionalProperties":null,"PatternProperties":null,"Dependencies":null,"AdditionalItems":null,"Definitions":null,"ExternalDocs":null,"Example":null,"XPreserveUnknownFields":null,"XEmbeddedResource":false,"XIntOrString":false,"XListMapKeys":null,"XListType":null,"XMapType":null,"XValidations":null}: only [Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations] fields are allowed at the root of the schema if the status subresource is enabled',
    ],
  ],
  [
    { type: "string" },
    [
      'spec.validation.openAPIV3Schema.type: Invalid value: "string": must be object at the root',
      'spec.validation.openAPIV3Schema.type: Invalid value: "string": only "object" is allowed as the type at the root of the schema if the status subresource is enabled',
    ],
  ],
  [
    { type: "object", default: {} },
    [
      "spec.validation.openAPIV3Schema.default.apiVersion: Required value",
      "spec.validation.openAPIV3Schema.default.kind: Required value",
      'spec.validation.openAPIV3Schema: Invalid value: {"ID":"","Schema":"","Ref":null,"Description":"","Type":"object","Nullable":false,"Format":"","Title":"","Default":{},"Maximum":null,"ExclusiveMaximum":false,"Minimum":null,"ExclusiveMinimum":false,"MaxLength":null,"MinLength":null,"Pattern":"","MaxItems":null,"MinItems":null,"UniqueItems":false,"MultipleOf":null,"Enum":null,"MaxProperties":null,"MinProperties":null,"Required":null,"Items":null,"AllOf":null,"OneOf":null,"AnyOf":null,"Not":null,"Properties":null,"AdditionalProperties":null,"PatternProperties":null,"Dependencies":null,"AdditionalItems":null,"Definitions":null,"ExternalDocs":null,"Example":null,"XPreserveUnknownFields":null,"XEmbeddedResource":false,"XIntOrString":false,"XListMapKeys":null,"XListType":null,"XMapType":null,"XValidations":null}: only [Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations] fields are allowed at the root of the schema if the status subresource is enabled',
    ],
  ],
  [
    { type: "object", enum: [{}] },
    [
      'spec.validation.openAPIV3Schema: Invalid value: {"ID":"","Schema":"","Ref":null,"Description":"","Type":"object","Nullable":false,"Format":"","Title":"","Default":null,"Maximum":null,"ExclusiveMaximum":false,"Minimum":null,"ExclusiveMinimum":false,"MaxLength":null,"MinLength":null,"Pattern":"","MaxItems":null,"MinItems":null,"UniqueItems":false,"MultipleOf":null,"Enum":[{}],"MaxProperties":null,"MinProperties":null,"Required":null,"Items":null,"AllOf":null,"OneOf":null,"AnyOf":null,"Not":null,"Properties":null,"AdditionalProperties":null,"PatternProperties":null,"Dependencies":null,"AdditionalItems":null,"Definitions":null,"ExternalDocs":null,"Example":null,"XPreserveUnknownFields":null,"XEmbeddedResource":false,"XIntOrString":false,"XListMapKeys":null,"XListType":null,"XMapType":null,"XValidations":null}: only [Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations] fields are allowed at the root of the schema if the status subresource is enabled',
    ],
  ],
  [{ type: "object", title: "t", description: "d", format: "f" }, []],
  [
    { type: "object", additionalProperties: false },
    [
      "spec.validation.openAPIV3Schema.additionalProperties: Forbidden: must not be used at the root",
      'spec.validation.openAPIV3Schema: Invalid value: {"ID":"","Schema":"","Ref":null,"Description":"","Type":"object","Nullable":false,"Format":"","Title":"","Default":null,"Maximum":null,"ExclusiveMaximum":false,"Minimum":null,"ExclusiveMinimum":false,"MaxLength":null,"MinLength":null,"Pattern":"","MaxItems":null,"MinItems":null,"UniqueItems":false,"MultipleOf":null,"Enum":null,"MaxProperties":null,"MinProperties":null,"Required":null,"Items":null,"AllOf":null,"OneOf":null,"AnyOf":null,"Not":null,"Properties":null,"AdditionalProperties":{"Allows":false,"Schema":null},"PatternProperties":null,"Dependencies":null,"AdditionalItems":null,"Definitions":null,"ExternalDocs":null,"Example":null,"XPreserveUnknownFields":null,"XEmbeddedResource":false,"XIntOrString":false,"XListMapKeys":null,"XListType":null,"XMapType":null,"XValidations":null}: only [Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations] fields are allowed at the root of the schema if the status subresource is enabled',
    ],
  ],
  [{ type: "object", "x-kubernetes-preserve-unknown-fields": true }, []],
];

describe("schemas of a CRD", () => {
  it.each(structuralSchemasCases)("structural schemas: %j has the causes %j", (change, expected) => {
    expect(causes(field(change))).toEqual(expected);
  });

  it.each(rootSchemasCases)("root schemas: %j has the causes %j", (change, expected) => {
    expect(causes(withSchema(change))).toEqual(expected);
  });

  it.each(schemaKeywordsCases)("schema keywords: %j has the causes %j", (change, expected) => {
    expect(causes(field(change))).toEqual(expected);
  });

  it.each(listAndMapTypesCases)("list and map types: %j has the causes %j", (change, expected) => {
    expect(causes(field(change))).toEqual(expected);
  });

  it.each(rootWithAStatusSubresourceCases)(
    "root with a status subresource: %j has the causes %j",
    (change, expected) => {
      expect(causes(withStatus(change))).toEqual(expected);
    },
  );
});
