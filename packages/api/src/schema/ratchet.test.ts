import { describe, expect, it } from "vitest";
import type { JsonObject } from "../object/object.ts";
import { fieldErrorText } from "../status/field-error.ts";
import type { JsonSchema } from "./json-schema.ts";
import { compileSchema, validateSchema, validateSchemaUpdate } from "./structural-schema.ts";

// Expected values are those of k8s.io/apiextensions-apiserver v0.36.

type Case = readonly [schema: JsonSchema, old: JsonObject, object: JsonObject, errors: readonly string[]];

const cases: readonly Case[] = [
  [
    { type: "object", properties: { a: { type: "string", maxLength: 1 }, b: { type: "string" } } },
    { a: "long" },
    { a: "long" },
    [],
  ],
  [
    { type: "object", properties: { a: { type: "string", maxLength: 1 }, b: { type: "string" } } },
    { a: "long" },
    { a: "longer" },
    ["a: Too long: may not be more than 1 byte"],
  ],
  [
    { type: "object", properties: { a: { type: "string", maxLength: 1 }, b: { type: "string" } } },
    { a: "long" },
    { a: "long", b: "x" },
    [],
  ],
  [
    { type: "object", properties: { a: { type: "string", maxLength: 1 }, b: { type: "string" } } },
    {},
    { a: "long" },
    ["a: Too long: may not be more than 1 byte"],
  ],
  [
    { type: "object", properties: { a: { type: "string", maxLength: 1 }, b: { type: "string" } } },
    { a: "x" },
    { a: "long" },
    ["a: Too long: may not be more than 1 byte"],
  ],
  [
    { type: "object", properties: { a: { type: "string", maxLength: 1 }, b: { type: "string" } } },
    { a: null },
    { a: null },
    [],
  ],
  [
    {
      type: "object",
      properties: {
        s: {
          type: "object",
          properties: { a: { type: "string", enum: ["x"] }, b: { type: "integer", minimum: 5 } },
          required: ["c"],
        },
      },
    },
    { s: { a: "q", b: 1 } },
    { s: { a: "q", b: 1 } },
    [],
  ],
  [
    {
      type: "object",
      properties: {
        s: {
          type: "object",
          properties: { a: { type: "string", enum: ["x"] }, b: { type: "integer", minimum: 5 } },
          required: ["c"],
        },
      },
    },
    { s: { a: "q", b: 1 } },
    { s: { a: "q", b: 2 } },
    ["s.b: Invalid value: 2: s.b in body should be greater than or equal to 5", "s.c: Required value"],
  ],
  [
    {
      type: "object",
      properties: {
        s: {
          type: "object",
          properties: { a: { type: "string", enum: ["x"] }, b: { type: "integer", minimum: 5 } },
          required: ["c"],
        },
      },
    },
    { s: { a: "q" } },
    { s: { a: "q", b: 9 } },
    ["s.c: Required value"],
  ],
  [
    { type: "object", properties: { l: { type: "array", items: { type: "string", maxLength: 1 } } } },
    { l: ["long"] },
    { l: ["long"] },
    [],
  ],
  [
    { type: "object", properties: { l: { type: "array", items: { type: "string", maxLength: 1 } } } },
    { l: ["long"] },
    { l: ["long", "x"] },
    ["l[0]: Too long: may not be more than 1 byte"],
  ],
  [
    { type: "object", properties: { l: { type: "array", items: { type: "string", maxLength: 1 } } } },
    { l: ["long", "b"] },
    { l: ["b", "long"] },
    ["l[1]: Too long: may not be more than 1 byte"],
  ],
  [
    {
      type: "object",
      properties: {
        l: { type: "array", items: { type: "string", maxLength: 1 }, "x-kubernetes-list-type": "set" },
      },
    },
    { l: ["long"] },
    { l: ["long"] },
    [],
  ],
  [
    {
      type: "object",
      properties: {
        l: { type: "array", items: { type: "string", maxLength: 1 }, "x-kubernetes-list-type": "set" },
      },
    },
    { l: ["long"] },
    { l: ["long", "x"] },
    ["l[0]: Too long: may not be more than 1 byte"],
  ],
  [
    {
      type: "object",
      properties: {
        l: {
          type: "array",
          items: {
            type: "object",
            properties: { k: { type: "string" }, v: { type: "integer", minimum: 5 } },
          },
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["k"],
        },
      },
    },
    { l: [{ k: "a", v: 1 }] },
    { l: [{ k: "a", v: 1 }] },
    [],
  ],
  [
    {
      type: "object",
      properties: {
        l: {
          type: "array",
          items: {
            type: "object",
            properties: { k: { type: "string" }, v: { type: "integer", minimum: 5 } },
          },
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["k"],
        },
      },
    },
    { l: [{ k: "a", v: 1 }] },
    {
      l: [
        { k: "b", v: 9 },
        { k: "a", v: 1 },
      ],
    },
    [],
  ],
  [
    {
      type: "object",
      properties: {
        l: {
          type: "array",
          items: {
            type: "object",
            properties: { k: { type: "string" }, v: { type: "integer", minimum: 5 } },
          },
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["k"],
        },
      },
    },
    { l: [{ k: "a", v: 1 }] },
    { l: [{ k: "a", v: 2 }] },
    ["l[0].v: Invalid value: 2: l[0].v in body should be greater than or equal to 5"],
  ],
  [
    {
      type: "object",
      properties: {
        l: {
          type: "array",
          items: {
            type: "object",
            properties: { k: { type: "string" }, v: { type: "integer", minimum: 5 } },
          },
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["k"],
        },
      },
    },
    { l: [{ k: "a", v: 1 }] },
    { l: [{ k: "b", v: 1 }] },
    ["l[0].v: Invalid value: 1: l[0].v in body should be greater than or equal to 5"],
  ],
  [
    {
      type: "object",
      properties: {
        l: {
          type: "array",
          items: {
            type: "object",
            properties: { k: { type: "string" }, v: { type: "integer", minimum: 5 } },
          },
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["k"],
        },
      },
    },
    { l: [{ v: 1 }] },
    { l: [{ v: 1 }, {}] },
    ["l[0].v: Invalid value: 1: l[0].v in body should be greater than or equal to 5"],
  ],
  [
    {
      type: "object",
      properties: {
        l: {
          type: "array",
          items: {
            type: "object",
            properties: { k: { type: "string" }, p: { type: "integer" }, v: { type: "integer", minimum: 5 } },
          },
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["k", "p"],
        },
      },
    },
    { l: [{ k: "a", p: 1, v: 1 }] },
    {
      l: [
        { k: "a", p: 1, v: 1 },
        { k: "a", p: 2, v: 5 },
      ],
    },
    [],
  ],
  [
    {
      type: "object",
      properties: {
        l: {
          type: "array",
          items: {
            type: "object",
            properties: { k: { type: "string" }, p: { type: "integer" }, v: { type: "integer", minimum: 5 } },
          },
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["k", "p"],
        },
      },
    },
    { l: [{ k: "a", p: 1, v: 1 }] },
    {
      l: [
        { k: "a", p: 2, v: 1 },
        { k: "z", p: 2, v: 5 },
      ],
    },
    ["l[0].v: Invalid value: 1: l[0].v in body should be greater than or equal to 5"],
  ],
  [
    {
      type: "object",
      properties: { m: { type: "object", additionalProperties: { type: "integer", minimum: 5 } } },
    },
    { m: { a: 1 } },
    { m: { a: 1, b: 9 } },
    [],
  ],
  [
    {
      type: "object",
      properties: { m: { type: "object", additionalProperties: { type: "integer", minimum: 5 } } },
    },
    { m: { a: 1 } },
    { m: { a: 2 } },
    ["m.a: Invalid value: 2: m.a in body should be greater than or equal to 5"],
  ],
  [
    {
      type: "object",
      properties: { m: { type: "object", additionalProperties: { type: "integer", minimum: 5 } } },
    },
    { m: { a: 1 } },
    { m: { b: 1 } },
    ["m.b: Invalid value: 1: m.b in body should be greater than or equal to 5"],
  ],
  [
    {
      type: "object",
      properties: { o: { type: "object", "x-kubernetes-preserve-unknown-fields": true, minProperties: 3 } },
    },
    { o: { a: 1 } },
    { o: { a: 1 } },
    ["o: Invalid value: 1: o in body should have at least 3 properties"],
  ],
  [
    {
      type: "object",
      properties: { o: { type: "object", "x-kubernetes-preserve-unknown-fields": true, minProperties: 3 } },
    },
    { o: {} },
    { o: {} },
    [],
  ],
  [
    {
      type: "object",
      properties: { o: { type: "object", properties: { a: { type: "integer" } }, minProperties: 3 } },
    },
    { o: { a: 1 } },
    { o: { a: 1 } },
    [],
  ],
  [
    {
      type: "object",
      properties: { o: { type: "object", properties: { a: { type: "integer" } }, minProperties: 3 } },
    },
    { o: { a: 1 } },
    { o: { a: 2 } },
    ["o: Invalid value: 1: o in body should have at least 3 properties"],
  ],
  [
    {
      type: "object",
      properties: {
        o: {
          type: "object",
          properties: { a: { type: "integer", anyOf: [{ minimum: 5 }] }, b: { type: "integer" } },
          anyOf: [{ required: ["c"] }],
        },
      },
    },
    { o: { a: 1, b: 1 } },
    { o: { a: 1, b: 1 } },
    [],
  ],
  [
    {
      type: "object",
      properties: {
        o: {
          type: "object",
          properties: { a: { type: "integer", anyOf: [{ minimum: 5 }] }, b: { type: "integer" } },
          anyOf: [{ required: ["c"] }],
        },
      },
    },
    { o: { a: 1, b: 1 } },
    { o: { a: 1, b: 2 } },
    ['<nil>: Invalid value: "": "o" must validate at least one schema (anyOf)', "o.c: Required value"],
  ],
  [
    {
      type: "object",
      properties: {
        o: {
          type: "object",
          properties: { a: { type: "string" } },
          allOf: [{ properties: { a: { maxLength: 1 } } }],
        },
      },
    },
    { o: { a: "long" } },
    { o: { a: "long" } },
    [],
  ],
  [
    {
      type: "object",
      properties: {
        o: {
          type: "object",
          properties: { a: { type: "string" } },
          allOf: [{ properties: { a: { maxLength: 1 } } }],
        },
      },
    },
    { o: { a: "long", z: 1 } },
    { o: { a: "long", z: 2 } },
    [
      '<nil>: Invalid value: "": "o" must validate all the schemas (allOf). None validated',
      "o.a: Too long: may not be more than 1 byte",
    ],
  ],
  [{ type: "object", properties: { a: { type: "integer" } } }, { a: "x" }, { a: "x" }, []],
  [
    { type: "object", properties: { a: { type: "integer" } } },
    { a: "x" },
    { a: "y" },
    ['a: Invalid value: "string": a in body must be of type integer: "string"'],
  ],
  [
    {
      type: "object",
      properties: { kind: { type: "string", maxLength: 1 }, apiVersion: { type: "string", maxLength: 1 } },
    },
    { kind: "Long", apiVersion: "long" },
    { kind: "Long", apiVersion: "long" },
    [],
  ],
  [
    { type: "object", properties: { a: { type: "string", maxLength: 1 } }, required: ["b"] },
    { a: "long" },
    { a: "long" },
    [],
  ],
  [{ type: "object", properties: { n: { type: "number", maximum: 1 } } }, { n: 1.5 }, { n: 1.5 }, []],
  [{ type: "object", properties: { n: { type: "number", maximum: 1 } } }, { n: 2 }, { n: 2 }, []],
  [
    {
      type: "object",
      properties: {
        o: {
          type: "object",
          properties: { p: { type: "object", properties: { q: { type: "string", pattern: "^a" } } } },
        },
      },
    },
    { o: { p: { q: "b" } } },
    { o: { p: { q: "b", z: 1 } } },
    [],
  ],
  [
    {
      type: "object",
      properties: {
        o: {
          type: "object",
          properties: { p: { type: "object", properties: { q: { type: "string", pattern: "^a" } } } },
        },
      },
    },
    { o: "x" },
    { o: { p: { q: "b" } } },
    ["o.p.q: Invalid value: \"b\": o.p.q in body should match '^a'"],
  ],
  [
    {
      type: "object",
      properties: {
        o: {
          type: "object",
          properties: { p: { type: "object", properties: { q: { type: "string", pattern: "^a" } } } },
        },
      },
    },
    { o: { p: [] } },
    { o: { p: { q: "b" } } },
    ["o.p.q: Invalid value: \"b\": o.p.q in body should match '^a'"],
  ],
];

describe("ratcheting", () => {
  it.each(cases)("%j lets %j become %j but for %j", (schema, old, object, expected) => {
    const errors = validateSchemaUpdate(compileSchema(schema), object, old).map(fieldErrorText);
    expect(errors.sort()).toEqual(expected);
  });

  it.each(cases)("%j forgives from %j to %j only what a create would report", (schema, old, object) => {
    const compiled = compileSchema(schema);
    const all = validateSchema(compiled, object).map(fieldErrorText);
    for (const error of validateSchemaUpdate(compiled, object, old))
      expect(all).toContain(fieldErrorText(error));
  });
});
