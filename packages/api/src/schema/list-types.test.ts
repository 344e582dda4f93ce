import { describe, expect, it } from "vitest";
import type { JsonObject } from "../object/object.ts";
import { fieldErrorText } from "../status/field-error.ts";
import type { JsonSchema } from "./json-schema.ts";
import { validateListTypes } from "./list-types.ts";
import { schemaNode } from "./schema-node.ts";

// Expected values are those of k8s.io/apiextensions-apiserver v0.36.

type Case = readonly [schema: JsonSchema, object: JsonObject, errors: readonly string[]];

const cases: readonly Case[] = [
  [
    {
      type: "object",
      properties: { l: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" } },
    },
    { l: [] },
    [],
  ],
  [
    {
      type: "object",
      properties: { l: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" } },
    },
    { l: ["a"] },
    [],
  ],
  [
    {
      type: "object",
      properties: { l: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" } },
    },
    { l: ["a", "b"] },
    [],
  ],
  [
    {
      type: "object",
      properties: { l: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" } },
    },
    { l: ["a", "a"] },
    ['l[1]: Duplicate value: "a"'],
  ],
  [
    {
      type: "object",
      properties: { l: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" } },
    },
    { l: ["a", "b", "a", "a", "b"] },
    ['l[2]: Duplicate value: "a"', 'l[4]: Duplicate value: "b"'],
  ],
  [
    {
      type: "object",
      properties: { l: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" } },
    },
    { l: ["a", "A"] },
    [],
  ],
  [
    {
      type: "object",
      properties: { l: { type: "array", items: { type: "integer" }, "x-kubernetes-list-type": "set" } },
    },
    { l: [1, 2] },
    [],
  ],
  [
    {
      type: "object",
      properties: { l: { type: "array", items: { type: "integer" }, "x-kubernetes-list-type": "set" } },
    },
    { l: [1, 1] },
    ["l[1]: Duplicate value: 1"],
  ],
  [
    {
      type: "object",
      properties: { l: { type: "array", items: { type: "integer" }, "x-kubernetes-list-type": "set" } },
    },
    { l: [1, 1, 1] },
    ["l[1]: Duplicate value: 1"],
  ],
  [
    {
      type: "object",
      properties: { l: { type: "array", items: { type: "boolean" }, "x-kubernetes-list-type": "set" } },
    },
    { l: [true, false] },
    [],
  ],
  [
    {
      type: "object",
      properties: { l: { type: "array", items: { type: "boolean" }, "x-kubernetes-list-type": "set" } },
    },
    { l: [true, true] },
    ["l[1]: Duplicate value: true"],
  ],
  [
    {
      type: "object",
      properties: {
        l: {
          type: "array",
          items: {
            type: "object",
            "x-kubernetes-preserve-unknown-fields": true,
            "x-kubernetes-map-type": "atomic",
          },
          "x-kubernetes-list-type": "set",
        },
      },
    },
    { l: [{ a: 1 }, { a: 2 }] },
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
            "x-kubernetes-preserve-unknown-fields": true,
            "x-kubernetes-map-type": "atomic",
          },
          "x-kubernetes-list-type": "set",
        },
      },
    },
    { l: [{ a: 1 }, { a: 1 }] },
    ['l[1]: Duplicate value: {"a":1}'],
  ],
  [
    {
      type: "object",
      properties: {
        l: {
          type: "array",
          items: {
            type: "object",
            "x-kubernetes-preserve-unknown-fields": true,
            "x-kubernetes-map-type": "atomic",
          },
          "x-kubernetes-list-type": "set",
        },
      },
    },
    {
      l: [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
    },
    ['l[1]: Duplicate value: {"a":1,"b":2}'],
  ],
  [
    {
      type: "object",
      properties: {
        l: {
          type: "array",
          items: {
            type: "object",
            "x-kubernetes-preserve-unknown-fields": true,
            "x-kubernetes-map-type": "atomic",
          },
          "x-kubernetes-list-type": "set",
        },
      },
    },
    { l: [{}, {}] },
    ["l[1]: Duplicate value: {}"],
  ],
  [
    {
      type: "object",
      properties: {
        l: {
          type: "array",
          items: { type: "array", items: { type: "string" } },
          "x-kubernetes-list-type": "set",
        },
      },
    },
    { l: [["a"], ["b"]] },
    [],
  ],
  [
    {
      type: "object",
      properties: {
        l: {
          type: "array",
          items: { type: "array", items: { type: "string" } },
          "x-kubernetes-list-type": "set",
        },
      },
    },
    {
      l: [
        ["a", "b"],
        ["a", "b"],
      ],
    },
    ['l[1]: Duplicate value: ["a","b"]'],
  ],
  [
    {
      type: "object",
      properties: {
        l: {
          type: "array",
          items: { type: "array", items: { type: "string" } },
          "x-kubernetes-list-type": "set",
        },
      },
    },
    {
      l: [
        ["a", "b"],
        ["b", "a"],
      ],
    },
    [],
  ],
  [
    {
      type: "object",
      properties: {
        l: { type: "array", items: { type: "string", nullable: true }, "x-kubernetes-list-type": "set" },
      },
    },
    { l: [null, null] },
    ["l[1]: Duplicate value: null"],
  ],
  [
    {
      type: "object",
      properties: {
        l: { type: "array", items: { type: "string", nullable: true }, "x-kubernetes-list-type": "set" },
      },
    },
    { l: ["a", null] },
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
            properties: { n: { type: "string", nullable: true }, v: { type: "integer" } },
          },
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["n"],
        },
      },
    },
    { l: [{ n: "a" }, { n: "b" }] },
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
            properties: { n: { type: "string", nullable: true }, v: { type: "integer" } },
          },
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["n"],
        },
      },
    },
    { l: [{ n: "a" }, { n: "a" }] },
    ['l[1]: Duplicate value: {"n":"a"}'],
  ],
  [
    {
      type: "object",
      properties: {
        l: {
          type: "array",
          items: {
            type: "object",
            properties: { n: { type: "string", nullable: true }, v: { type: "integer" } },
          },
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["n"],
        },
      },
    },
    { l: [{ n: "a" }, {}, {}] },
    ["l[2]: Duplicate value: {}"],
  ],
  [
    {
      type: "object",
      properties: {
        l: {
          type: "array",
          items: {
            type: "object",
            properties: { n: { type: "string", nullable: true }, v: { type: "integer" } },
          },
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["n"],
        },
      },
    },
    {
      l: [
        { n: "a", v: 1 },
        { n: "a", v: 2 },
        { n: "a", v: 3 },
      ],
    },
    ['l[1]: Duplicate value: {"n":"a"}'],
  ],
  [
    {
      type: "object",
      properties: {
        l: {
          type: "array",
          items: {
            type: "object",
            properties: { n: { type: "string", nullable: true }, v: { type: "integer" } },
          },
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["n"],
        },
      },
    },
    { l: [{ n: "a" }, "x"] },
    ['l[1]: Invalid value: "x": must be an object for an array of list-type map'],
  ],
  [
    {
      type: "object",
      properties: {
        l: {
          type: "array",
          items: {
            type: "object",
            properties: { n: { type: "string", nullable: true }, v: { type: "integer" } },
          },
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["n"],
        },
      },
    },
    { l: [null, null] },
    ["l[1]: Duplicate value: {}"],
  ],
  [
    {
      type: "object",
      properties: {
        l: {
          type: "array",
          items: {
            type: "object",
            properties: { n: { type: "string", nullable: true }, v: { type: "integer" } },
          },
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["n"],
        },
      },
    },
    { l: [{ n: null }, { n: null }] },
    ['l[1]: Duplicate value: {"n":null}'],
  ],
  [
    {
      type: "object",
      properties: {
        l: {
          type: "array",
          items: {
            type: "object",
            properties: { n: { type: "string", nullable: true }, v: { type: "integer" } },
          },
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["n"],
        },
      },
    },
    { l: ["x"] },
    ['l[0]: Invalid value: "x": must be an object for an array of list-type map'],
  ],
  [
    {
      type: "object",
      properties: {
        l: {
          type: "array",
          items: { type: "object", properties: { n: { type: "string" }, p: { type: "integer" } } },
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["n", "p"],
        },
      },
    },
    {
      l: [
        { n: "a", p: 1 },
        { n: "a", p: 2 },
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
          items: { type: "object", properties: { n: { type: "string" }, p: { type: "integer" } } },
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["n", "p"],
        },
      },
    },
    {
      l: [
        { n: "a", p: 1 },
        { n: "a", p: 1 },
      ],
    },
    ['l[1]: Duplicate value: {"n":"a","p":1}'],
  ],
  [
    {
      type: "object",
      properties: {
        l: {
          type: "array",
          items: { type: "object", properties: { n: { type: "string" }, p: { type: "integer" } } },
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["n", "p"],
        },
      },
    },
    { l: [{ n: "a" }, { n: "a" }] },
    ['l[1]: Duplicate value: {"n":"a"}'],
  ],
  [
    {
      type: "object",
      properties: {
        l: {
          type: "array",
          items: { type: "object", properties: { n: { type: "string" }, p: { type: "integer" } } },
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["n", "p"],
        },
      },
    },
    { l: [{ n: "a" }, { n: "a", p: 1 }] },
    [],
  ],
  [
    {
      type: "object",
      properties: {
        l: {
          type: "array",
          items: { type: "object", properties: { n: { type: "string" }, p: { type: "integer" } } },
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["n", "p"],
        },
      },
    },
    { l: [{}, {}] },
    ["l[1]: Duplicate value: {}"],
  ],
  [
    {
      type: "object",
      properties: {
        l: {
          type: "array",
          items: { type: "object", properties: { n: { type: "string" }, p: { type: "integer" } } },
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["n", "p"],
        },
      },
    },
    { l: [{ p: 1 }, { p: 1 }] },
    ['l[1]: Duplicate value: {"p":1}'],
  ],
  [
    { type: "object", properties: { l: { type: "array", items: { type: "string" } } } },
    { l: ["a", "a"] },
    [],
  ],
  [
    {
      type: "object",
      properties: { l: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "atomic" } },
    },
    { l: ["a", "a"] },
    [],
  ],
  [
    {
      type: "object",
      properties: {
        m: {
          type: "object",
          additionalProperties: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
        },
      },
    },
    { m: { k: ["a", "a"] } },
    ['m[k][1]: Duplicate value: "a"'],
  ],
  [
    {
      type: "object",
      properties: {
        l: {
          type: "array",
          items: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
        },
      },
    },
    { l: [["a", "a"], ["b"]] },
    ['l[0][1]: Duplicate value: "a"'],
  ],
  [
    {
      type: "object",
      properties: {
        l: {
          type: "array",
          items: {
            type: "object",
            properties: {
              n: { type: "string" },
              s: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
            },
          },
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["n"],
        },
      },
    },
    { l: [{ n: "a", s: ["x", "x"] }, { n: "a" }] },
    ['l[0].s[1]: Duplicate value: "x"', 'l[1]: Duplicate value: {"n":"a"}'],
  ],
  [
    {
      type: "object",
      properties: { l: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" } },
    },
    { l: "text" },
    [],
  ],
];

describe("validateListTypes", () => {
  it.each(cases)("%j given %j: %j", (schema, object, expected) => {
    const errors = validateListTypes(schemaNode(schema), object).map(fieldErrorText);
    expect(errors.sort()).toEqual(expected);
  });
});
