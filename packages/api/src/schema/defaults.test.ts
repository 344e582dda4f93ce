import { describe, expect, it } from "vitest";
import { deepFreeze } from "../object/freeze.ts";
import type { JsonObject } from "../object/object.ts";
import { fillDefaults } from "./defaults.ts";
import type { JsonSchema } from "./json-schema.ts";
import { schemaNode } from "./schema-node.ts";

// Expected values are those of k8s.io/apiextensions-apiserver v0.36.

type Case = readonly [schema: JsonSchema, object: JsonObject, result: JsonObject];

const cases: readonly Case[] = [
  [
    {
      type: "object",
      properties: { spec: { type: "object", properties: { a: { type: "string", default: "d" } } } },
    },
    { spec: {} },
    { spec: { a: "d" } },
  ],
  [
    {
      type: "object",
      properties: { spec: { type: "object", properties: { a: { type: "string", default: "d" } } } },
    },
    {},
    {},
  ],
  [
    {
      type: "object",
      properties: {
        spec: { type: "object", properties: { a: { type: "string", default: "d" } }, default: {} },
      },
    },
    {},
    { spec: { a: "d" } },
  ],
  [
    {
      type: "object",
      properties: { spec: { type: "object", properties: { a: { type: "string", default: "d" } } } },
    },
    { spec: { a: "x" } },
    { spec: { a: "x" } },
  ],
  [
    {
      type: "object",
      properties: { spec: { type: "object", properties: { a: { type: "string", default: "d" } } } },
    },
    { spec: { a: null } },
    { spec: { a: "d" } },
  ],
  [
    {
      type: "object",
      properties: {
        spec: { type: "object", properties: { a: { type: "string", default: "d", nullable: true } } },
      },
    },
    { spec: { a: null } },
    { spec: { a: null } },
  ],
  [
    {
      type: "object",
      properties: {
        spec: { type: "object", properties: { a: { type: "string", default: "d", nullable: true } } },
      },
    },
    { spec: {} },
    { spec: { a: "d" } },
  ],
  [
    {
      type: "object",
      properties: { spec: { type: "object", properties: { a: { type: "string", default: "" } } } },
    },
    { spec: {} },
    { spec: { a: "" } },
  ],
  [
    {
      type: "object",
      properties: {
        spec: {
          type: "object",
          properties: { a: { type: "integer", default: 0 }, b: { type: "boolean", default: false } },
        },
      },
    },
    { spec: {} },
    { spec: { a: 0, b: false } },
  ],
  [
    {
      type: "object",
      properties: { spec: { type: "object", properties: { a: { type: "string", default: null } } } },
    },
    { spec: {} },
    { spec: {} },
  ],
  [
    {
      type: "object",
      properties: {
        spec: {
          type: "object",
          properties: { a: { type: "array", items: { type: "string" }, default: ["x"] } },
        },
      },
    },
    { spec: {} },
    { spec: { a: ["x"] } },
  ],
  [
    {
      type: "object",
      properties: {
        spec: {
          type: "object",
          properties: { a: { type: "array", items: { type: "string" }, default: ["x"] } },
        },
      },
    },
    { spec: { a: [] } },
    { spec: { a: [] } },
  ],
  [
    {
      type: "object",
      properties: {
        spec: {
          type: "array",
          items: { type: "object", properties: { a: { type: "string", default: "d" } } },
        },
      },
    },
    { spec: [{}, { a: "x" }, { a: null }] },
    { spec: [{ a: "d" }, { a: "x" }, { a: "d" }] },
  ],
  [
    {
      type: "object",
      properties: {
        spec: {
          type: "array",
          items: {
            type: "array",
            items: { type: "object", properties: { a: { type: "string", default: "d" } } },
          },
        },
      },
    },
    { spec: [[{}]] },
    { spec: [[{ a: "d" }]] },
  ],
  [
    {
      type: "object",
      properties: {
        spec: {
          type: "object",
          additionalProperties: { type: "object", properties: { a: { type: "string", default: "d" } } },
        },
      },
    },
    { spec: { k: {}, l: { a: "x" } } },
    { spec: { k: { a: "d" }, l: { a: "x" } } },
  ],
  [
    {
      type: "object",
      properties: { spec: { type: "object", additionalProperties: { type: "string", default: "d" } } },
    },
    { spec: { k: null, l: "x" } },
    { spec: { k: "d", l: "x" } },
  ],
  [
    { type: "object", properties: { spec: { type: "array", items: { type: "string", default: "d" } } } },
    { spec: [null, "x"] },
    { spec: ["d", "x"] },
  ],
  [
    {
      type: "object",
      properties: { spec: { type: "array", items: { type: "string", default: "d", nullable: true } } },
    },
    { spec: [null] },
    { spec: [null] },
  ],
  [
    {
      type: "object",
      properties: {
        spec: {
          type: "object",
          properties: {
            a: { type: "object", properties: { b: { type: "string", default: "d" } }, default: { c: "e" } },
          },
        },
      },
    },
    { spec: {} },
    { spec: { a: { b: "d", c: "e" } } },
  ],
  [
    {
      type: "object",
      properties: {
        spec: {
          type: "object",
          properties: {
            a: {
              type: "object",
              properties: { b: { type: "string", default: "d" }, c: { type: "string" } },
              default: { c: "e" },
            },
          },
        },
      },
    },
    { spec: {} },
    { spec: { a: { b: "d", c: "e" } } },
  ],
  [
    {
      type: "object",
      properties: {
        spec: {
          type: "object",
          properties: {
            a: {
              type: "object",
              properties: { b: { type: "string", default: "d" }, c: { type: "string" } },
              default: { c: "e" },
            },
          },
        },
      },
    },
    { spec: { a: {} } },
    { spec: { a: { b: "d" } } },
  ],
  [
    {
      type: "object",
      properties: { spec: { type: "object", properties: { a: { type: "string", default: "d" } } } },
    },
    { spec: "not an object" },
    { spec: "not an object" },
  ],
  [
    {
      type: "object",
      properties: { spec: { type: "object", properties: { a: { type: "string", default: "d" } } } },
    },
    { spec: ["x"] },
    { spec: ["x"] },
  ],
  [
    {
      type: "object",
      properties: {
        spec: {
          type: "object",
          properties: { a: { type: "string", default: "d" } },
          "x-kubernetes-preserve-unknown-fields": true,
        },
      },
    },
    { spec: { z: 1 } },
    { spec: { a: "d", z: 1 } },
  ],
  [
    {
      type: "object",
      properties: {
        spec: { "x-kubernetes-preserve-unknown-fields": true, default: { any: { thing: [1] } } },
      },
    },
    {},
    { spec: { any: { thing: [1] } } },
  ],
  [
    { type: "object", properties: { spec: { "x-kubernetes-int-or-string": true, default: "50%" } } },
    {},
    { spec: "50%" },
  ],
  [
    {
      type: "object",
      properties: {
        spec: {
          type: "object",
          properties: {
            a: {
              type: "object",
              properties: {
                b: { type: "object", properties: { c: { type: "integer", default: 3 } }, default: {} },
              },
              default: {},
            },
          },
          default: {},
        },
      },
    },
    {},
    { spec: { a: { b: { c: 3 } } } },
  ],
  [
    {
      type: "object",
      properties: {
        spec: {
          type: "object",
          properties: {
            p: {
              type: "object",
              properties: { d: { type: "string" }, a: { type: "string", default: "x" } },
              "x-kubernetes-embedded-resource": true,
              default: { apiVersion: "v1", kind: "K" },
            },
          },
        },
      },
    },
    { spec: {} },
    { spec: { p: { a: "x", apiVersion: "v1", kind: "K" } } },
  ],
  [
    {
      type: "object",
      properties: {
        spec: { type: "object", properties: { a: { type: "string" } }, allOf: [{ properties: { a: {} } }] },
      },
    },
    { spec: {} },
    { spec: {} },
  ],
  [
    {
      type: "object",
      properties: { status: { type: "object", properties: { ready: { type: "boolean", default: false } } } },
    },
    { status: {} },
    { status: { ready: false } },
  ],
];

describe("fillDefaults", () => {
  it.each(cases)("%j makes of %j %j", (schema, object, expected) => {
    expect(fillDefaults(schemaNode(schema), deepFreeze(object) as JsonObject)).toEqual(expected);
  });

  it.each(cases)("%j has nothing more to fill into %j afterwards", (schema, object) => {
    const node = schemaNode(schema);
    const filled = fillDefaults(node, object);
    expect(fillDefaults(node, filled)).toBe(filled);
  });
});
