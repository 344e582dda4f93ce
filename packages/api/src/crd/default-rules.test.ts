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

type Case<T> = readonly [change: T, causes: readonly string[]];

const defaultsCases: readonly Case<JsonSchema>[] = [
  [{ type: "string", default: "a" }, []],
  [
    { type: "string", default: 1 },
    [
      'spec.validation.openAPIV3Schema.properties[spec].default: Invalid value: "integer":  in body must be of type string: "integer"',
    ],
  ],
  [{ type: "string", default: null }, []],
  [{ type: "string", default: "" }, []],
  [
    { type: "string", default: "long", maxLength: 2 },
    ["spec.validation.openAPIV3Schema.properties[spec].default: Too long: may not be more than 2 bytes"],
  ],
  [
    { type: "string", default: "b", enum: ["a"] },
    [
      'spec.validation.openAPIV3Schema.properties[spec].default: Unsupported value: "b": supported values: "a"',
    ],
  ],
  [
    { type: "string", default: "x", format: "date" },
    [
      'spec.validation.openAPIV3Schema.properties[spec].default: Invalid value: "x":  in body must be of type date: "x"',
    ],
  ],
  [
    { type: "string", default: "b", pattern: "^a" },
    [
      "spec.validation.openAPIV3Schema.properties[spec].default: Invalid value: \"b\":  in body should match '^a'",
    ],
  ],
  [
    { type: "integer", default: 1.5 },
    [
      'spec.validation.openAPIV3Schema.properties[spec].default: Invalid value: "": Checked value must be of type integer (default format) in ',
      'spec.validation.openAPIV3Schema.properties[spec].default: Invalid value: "number":  in body must be of type integer: "number"',
    ],
  ],
  [
    { type: "integer", default: 1, minimum: 2 },
    [
      "spec.validation.openAPIV3Schema.properties[spec].default: Invalid value: 1:  in body should be greater than or equal to 2",
    ],
  ],
  [{ "x-kubernetes-int-or-string": true, default: 1.5 }, []],
  [{ "x-kubernetes-int-or-string": true, default: "a" }, []],
  [
    { type: "array", items: { type: "string" }, default: ["a", 1] },
    [
      'spec.validation.openAPIV3Schema.properties[spec].default.[1]: Invalid value: "integer": [1] in body must be of type string: "integer"',
    ],
  ],
  [{ type: "array", items: { type: "string" }, default: [] }, []],
  [{ type: "object", properties: { a: { type: "string" } }, default: { a: "x" } }, []],
  [
    { type: "object", properties: { a: { type: "string" } }, default: { b: "x" } },
    [
      'spec.validation.openAPIV3Schema.properties[spec].default: Invalid value: {"b":"x"}: must not have unknown fields',
    ],
  ],
  [
    {
      type: "object",
      properties: { a: { type: "string" } },
      "x-kubernetes-preserve-unknown-fields": true,
      default: { b: "x" },
    },
    [],
  ],
  [
    { type: "object", properties: { a: { type: "string" } }, default: {}, required: ["a"] },
    ["spec.validation.openAPIV3Schema.properties[spec].default.a: Required value"],
  ],
  [
    { type: "object", properties: { a: { type: "string", default: "x" } }, default: {}, required: ["a"] },
    ["spec.validation.openAPIV3Schema.properties[spec].default.a: Required value"],
  ],
  [
    {
      type: "object",
      properties: { a: { type: "object", properties: { b: { type: "string" } } } },
      default: { a: { c: 1 } },
    },
    [
      'spec.validation.openAPIV3Schema.properties[spec].default: Invalid value: {"a":{"c":1}}: must not have unknown fields',
    ],
  ],
  [{ type: "object", additionalProperties: { type: "string" }, default: { k: "v" } }, []],
  [
    { type: "object", additionalProperties: { type: "integer" }, default: { k: "v" } },
    [
      'spec.validation.openAPIV3Schema.properties[spec].default.k: Invalid value: "string": .k in body must be of type integer: "string"',
    ],
  ],
  [{ type: "object", additionalProperties: { type: "string", default: 5 } }, []],
  [
    { type: "array", items: { type: "string", default: 5 } },
    [
      'spec.validation.openAPIV3Schema.properties[spec].items.default: Invalid value: "integer":  in body must be of type string: "integer"',
    ],
  ],
  [
    { type: "object", properties: { a: { type: "string", default: 5 } } },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties[a].default: Invalid value: "integer":  in body must be of type string: "integer"',
    ],
  ],
  [{ "x-kubernetes-preserve-unknown-fields": true, default: { a: 1 } }, []],
  [
    {
      type: "object",
      properties: { a: { type: "string" } },
      anyOf: [{ required: ["b"] }],
      default: { a: "x" },
    },
    [
      "spec.validation.openAPIV3Schema.properties[spec].default.b: Required value",
      'spec.validation.openAPIV3Schema.properties[spec].default: Invalid value: "": "" must validate at least one schema (anyOf)',
    ],
  ],
  [
    {
      type: "object",
      "x-kubernetes-embedded-resource": true,
      "x-kubernetes-preserve-unknown-fields": true,
      default: {},
    },
    [
      "spec.validation.openAPIV3Schema.properties[spec].default.apiVersion: Required value",
      "spec.validation.openAPIV3Schema.properties[spec].default.kind: Required value",
    ],
  ],
  [
    {
      type: "object",
      "x-kubernetes-embedded-resource": true,
      "x-kubernetes-preserve-unknown-fields": true,
      default: { apiVersion: "v1", kind: "K" },
    },
    [],
  ],
  [
    {
      type: "object",
      "x-kubernetes-embedded-resource": true,
      "x-kubernetes-preserve-unknown-fields": true,
      default: { apiVersion: "v1", kind: "K", metadata: { labels: { "a b": "c" } } },
    },
    [
      "spec.validation.openAPIV3Schema.properties[spec].default.metadata.labels: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
  ],
  [
    {
      type: "object",
      "x-kubernetes-embedded-resource": true,
      "x-kubernetes-preserve-unknown-fields": true,
      default: { apiVersion: "v1", kind: "K", metadata: { labels: 5 } },
    },
    [
      'spec.validation.openAPIV3Schema.properties[spec].default.metadata: Invalid value: {"labels":5}: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type map[string]string',
    ],
  ],
  [
    {
      type: "object",
      "x-kubernetes-embedded-resource": true,
      "x-kubernetes-preserve-unknown-fields": true,
      default: { apiVersion: 1, kind: "K" },
    },
    [
      "spec.validation.openAPIV3Schema.properties[spec].default.apiVersion: Invalid value: 1: must be a string",
    ],
  ],
  [
    {
      type: "object",
      properties: { kind: { type: "string", default: "K" }, a: { type: "string" } },
      "x-kubernetes-embedded-resource": true,
    },
    [],
  ],
  [
    {
      type: "object",
      properties: { apiVersion: { type: "string", default: "a/b/c" } },
      "x-kubernetes-embedded-resource": true,
    },
    [
      'spec.validation.openAPIV3Schema.properties[spec].properties[apiVersion].default: Invalid value: "a/b/c": must result in valid metadata: apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
    ],
  ],
  [
    {
      type: "object",
      properties: {
        metadata: {
          type: "object",
          properties: {
            name: { type: "string", default: "A_B" },
            labels: { type: "object", additionalProperties: { type: "string", default: "x" } },
          },
        },
      },
      "x-kubernetes-embedded-resource": true,
    },
    [
      "spec.validation.openAPIV3Schema.properties[spec].properties[metadata].properties[labels].additionalProperties.default: Forbidden: must not be set inside additionalProperties applying to object metadata",
    ],
  ],
  [
    {
      type: "object",
      properties: { metadata: { type: "object", properties: { name: { type: "string", default: "ok" } } } },
      "x-kubernetes-embedded-resource": true,
    },
    [],
  ],
];

describe("defaults of a CRD", () => {
  it.each(defaultsCases)("defaults: %j has the causes %j", (change, expected) => {
    expect(causes(field(change))).toEqual(expected);
  });
});
