import { describe, expect, it } from "vitest";
import type { JsonObject } from "../object/object.ts";
import { deepFreeze } from "../object/freeze.ts";
import type { JsonSchema } from "./json-schema.ts";
import { dropNulls, prune } from "./prune.ts";
import { schemaNode } from "./schema-node.ts";

// Expected values are those of k8s.io/apiextensions-apiserver v0.36.

type PruneCase = readonly [
  schema: JsonSchema,
  object: JsonObject,
  pruned: JsonObject,
  unknown: readonly string[],
];

const pruneCases: readonly PruneCase[] = [
  [
    { type: "object", properties: { spec: { type: "object", properties: { a: { type: "string" } } } } },
    { apiVersion: "g/v1", kind: "K", metadata: { name: "n", any: 1 }, spec: { a: "x", b: 1 }, more: 1 },
    { apiVersion: "g/v1", kind: "K", metadata: { any: 1, name: "n" }, spec: { a: "x" } },
    ["more", "spec.b"],
  ],
  [
    { type: "object", properties: {} },
    { apiVersion: "g/v1", kind: "K", metadata: { name: "n", any: 1 }, spec: { a: 1 } },
    { apiVersion: "g/v1", kind: "K", metadata: { any: 1, name: "n" } },
    ["spec"],
  ],
  [{ type: "object" }, { spec: 1, status: {} }, {}, ["spec", "status"]],
  [
    { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    { apiVersion: "g/v1", kind: "K", metadata: { name: "n", any: 1 }, spec: { a: 1 } },
    { apiVersion: "g/v1", kind: "K", metadata: { any: 1, name: "n" }, spec: { a: 1 } },
    [],
  ],
  [
    {
      type: "object",
      properties: { spec: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
    },
    { spec: { a: { b: [1, { c: 2 }] } }, x: 1 },
    { spec: { a: { b: [1, { c: 2 }] } } },
    ["x"],
  ],
  [
    {
      type: "object",
      properties: {
        spec: {
          type: "object",
          properties: { known: { type: "object", properties: { a: { type: "string" } } } },
          "x-kubernetes-preserve-unknown-fields": true,
        },
      },
    },
    { spec: { known: { a: "x", z: 1 }, unknown: { z: 1 } } },
    { spec: { known: { a: "x" }, unknown: { z: 1 } } },
    ["spec.known.z"],
  ],
  [
    {
      type: "object",
      properties: {
        spec: {
          type: "object",
          properties: {
            known: {
              type: "object",
              properties: {
                a: {
                  type: "object",
                  properties: { b: { type: "string" } },
                  "x-kubernetes-preserve-unknown-fields": true,
                },
              },
            },
          },
          "x-kubernetes-preserve-unknown-fields": true,
        },
      },
    },
    { spec: { known: { a: { b: 1, z: 2 }, z: 3 }, z: 4 } },
    { spec: { known: { a: { b: 1, z: 2 } }, z: 4 } },
    ["spec.known.z"],
  ],
  [
    {
      type: "object",
      properties: {
        spec: {
          type: "object",
          additionalProperties: { type: "object", properties: { a: { type: "string" } } },
        },
      },
    },
    { spec: { k: { a: "x", z: 1 }, l: { z: 2 } } },
    { spec: { k: { a: "x" }, l: {} } },
    ["spec.k.z", "spec.l.z"],
  ],
  [
    { type: "object", properties: { spec: { type: "object", additionalProperties: true } } },
    { spec: { k: { z: 1 }, l: "x", m: [{ z: 1 }] } },
    { spec: { k: {}, l: "x", m: [{}] } },
    ["spec.k.z", "spec.m[0].z"],
  ],
  [
    { type: "object", properties: { spec: { type: "object", additionalProperties: false } } },
    { spec: { k: { z: 1 }, l: "x" } },
    { spec: { k: {}, l: "x" } },
    ["spec.k.z"],
  ],
  [
    { type: "object", properties: { spec: { type: "object", additionalProperties: { type: "string" } } } },
    { spec: { k: { z: 1 }, l: "x" } },
    { spec: { k: {}, l: "x" } },
    ["spec.k.z"],
  ],
  [
    {
      type: "object",
      properties: {
        spec: {
          type: "object",
          additionalProperties: { type: "object", additionalProperties: { type: "string" } },
        },
      },
    },
    { spec: { k: { z: { y: 1 } } } },
    { spec: { k: { z: {} } } },
    ["spec.k.z.y"],
  ],
  [
    {
      type: "object",
      properties: {
        spec: { type: "object", additionalProperties: { "x-kubernetes-preserve-unknown-fields": true } },
      },
    },
    { spec: { k: { z: { y: 1 } } } },
    { spec: { k: { z: { y: 1 } } } },
    [],
  ],
  [
    {
      type: "object",
      properties: {
        spec: { type: "array", items: { type: "object", properties: { a: { type: "string" } } } },
      },
    },
    { spec: [{ a: "x", z: 1 }, { z: 2 }, "s", null] },
    { spec: [{ a: "x" }, {}, "s", null] },
    ["spec[0].z", "spec[1].z"],
  ],
  [
    {
      type: "object",
      properties: {
        spec: {
          type: "array",
          items: { type: "array", items: { type: "object", properties: { a: { type: "string" } } } },
        },
      },
    },
    { spec: [[{ a: "x", z: 1 }], [{ z: 2 }]] },
    { spec: [[{ a: "x" }], [{}]] },
    ["spec[0][0].z", "spec[1][0].z"],
  ],
  [
    {
      type: "object",
      properties: { spec: { type: "array", items: { "x-kubernetes-preserve-unknown-fields": true } } },
    },
    { spec: [{ z: 1 }] },
    { spec: [{ z: 1 }] },
    [],
  ],
  [
    {
      type: "object",
      properties: {
        spec: {
          type: "array",
          items: { type: "object", properties: { a: { type: "string" } } },
          "x-kubernetes-preserve-unknown-fields": true,
        },
      },
    },
    { spec: [{ a: "x", z: 1 }] },
    { spec: [{ a: "x", z: 1 }] },
    [],
  ],
  [
    {
      type: "object",
      properties: {
        spec: {
          type: "array",
          items: {
            type: "array",
            items: {
              type: "object",
              properties: { a: { type: "object", properties: { b: { type: "string" } } } },
            },
          },
          "x-kubernetes-preserve-unknown-fields": true,
        },
      },
    },
    { spec: [[{ a: { b: "x", z: 1 }, z: 2 }]] },
    { spec: [[{ a: { b: "x" }, z: 2 }]] },
    ["spec[0][0].a.z"],
  ],
  [
    {
      type: "object",
      properties: {
        spec: {
          type: "object",
          properties: { a: { type: "string" } },
          anyOf: [{ properties: { a: { minLength: 1 }, b: {} } }],
        },
      },
    },
    { spec: { a: "x", b: 1 } },
    { spec: { a: "x" } },
    ["spec.b"],
  ],
  [
    { type: "object", properties: { spec: { "x-kubernetes-int-or-string": true } } },
    { spec: { a: 1 } },
    { spec: {} },
    ["spec.a"],
  ],
  [
    { type: "object", properties: { spec: { type: "string" } } },
    { spec: { a: 1 } },
    { spec: {} },
    ["spec.a"],
  ],
  [
    { type: "object", properties: { spec: { type: "string" } } },
    { spec: [{ a: 1 }] },
    { spec: [{}] },
    ["spec[0].a"],
  ],
  [{ type: "object", properties: { spec: { type: "integer" } } }, { spec: 1 }, { spec: 1 }, []],
  [
    {
      type: "object",
      properties: {
        metadata: { type: "object", properties: { name: { type: "string" } } },
        spec: { type: "string" },
      },
    },
    { apiVersion: "g/v1", kind: "K", metadata: { name: "n", any: 1 }, spec: "x" },
    { apiVersion: "g/v1", kind: "K", metadata: { any: 1, name: "n" }, spec: "x" },
    [],
  ],
  [
    {
      type: "object",
      properties: {
        spec: {
          type: "object",
          properties: { metadata: { type: "object", properties: { name: { type: "string" } } } },
        },
      },
    },
    { spec: { metadata: { name: "x", labels: {} }, kind: "K", apiVersion: "v1" } },
    { spec: { metadata: { name: "x" } } },
    ["spec.apiVersion", "spec.kind", "spec.metadata.labels"],
  ],
  [
    {
      type: "object",
      properties: {
        spec: {
          type: "object",
          "x-kubernetes-preserve-unknown-fields": true,
          "x-kubernetes-embedded-resource": true,
        },
      },
    },
    { spec: { kind: "K", apiVersion: "v1", metadata: { name: "x" }, data: { a: 1 } } },
    { spec: { apiVersion: "v1", data: { a: 1 }, kind: "K", metadata: { name: "x" } } },
    [],
  ],
  [
    {
      type: "object",
      properties: {
        spec: {
          type: "object",
          properties: { data: { type: "object", additionalProperties: { type: "string" } } },
          "x-kubernetes-embedded-resource": true,
        },
      },
    },
    { spec: { kind: "K", apiVersion: "v1", metadata: { name: "x" }, data: { a: "b" }, other: 1 } },
    { spec: { apiVersion: "v1", data: { a: "b" }, kind: "K", metadata: { name: "x" } } },
    ["spec.other"],
  ],
  [
    {
      type: "object",
      properties: {
        spec: {
          type: "object",
          properties: {
            data: {
              type: "object",
              properties: { a: { type: "string" } },
              "x-kubernetes-embedded-resource": true,
            },
          },
        },
      },
    },
    { spec: { data: { kind: "K", apiVersion: "v1", z: 1 }, kind: "x" } },
    { spec: { data: { apiVersion: "v1", kind: "K" } } },
    ["spec.data.z", "spec.kind"],
  ],
  [
    {
      type: "object",
      properties: {
        spec: {
          type: "array",
          items: {
            type: "object",
            properties: { a: { type: "string" } },
            "x-kubernetes-embedded-resource": true,
          },
        },
      },
    },
    { spec: [{ kind: "K", apiVersion: "v1", metadata: { name: "q" }, a: "x", z: 1 }] },
    { spec: [{ a: "x", apiVersion: "v1", kind: "K", metadata: { name: "q" } }] },
    ["spec[0].z"],
  ],
  [
    {
      type: "object",
      properties: {
        spec: {
          type: "object",
          properties: {
            t: {
              type: "object",
              properties: { spec: { type: "object", properties: { a: { type: "string" } } } },
              "x-kubernetes-embedded-resource": true,
              "x-kubernetes-preserve-unknown-fields": true,
            },
          },
        },
      },
    },
    {
      spec: {
        t: {
          apiVersion: "v1",
          kind: "K",
          metadata: { labels: { a: "b" } },
          spec: { a: "x", z: 1 },
          more: { b: 1 },
        },
      },
    },
    {
      spec: {
        t: {
          apiVersion: "v1",
          kind: "K",
          metadata: { labels: { a: "b" } },
          more: { b: 1 },
          spec: { a: "x" },
        },
      },
    },
    ["spec.t.spec.z"],
  ],
  [
    { type: "object", properties: { spec: { type: "object", properties: { "a.b": { type: "string" } } } } },
    { spec: { "a.b": "x", "c.d": { e: 1 } } },
    { spec: { "a.b": "x" } },
    ["spec.c.d"],
  ],
  [
    {
      type: "object",
      properties: { spec: { type: "object", properties: { a: { type: "object", properties: {} } } } },
    },
    { spec: { a: { b: { c: 1 } } } },
    { spec: { a: {} } },
    ["spec.a.b"],
  ],
  [
    { type: "object", properties: { spec: { type: "object", properties: { a: { type: "object" } } } } },
    { spec: { a: { b: { c: 1 } } } },
    { spec: { a: {} } },
    ["spec.a.b"],
  ],
];

type NullCase = readonly [schema: JsonSchema, object: JsonObject, result: JsonObject];

const nullCases: readonly NullCase[] = [
  [
    {
      type: "object",
      properties: {
        spec: {
          type: "object",
          properties: { a: { type: "string" }, b: { type: "string", nullable: true } },
        },
      },
    },
    { spec: { a: null, b: null } },
    { spec: { b: null } },
  ],
  [
    { type: "object", properties: { spec: { type: "object", additionalProperties: { type: "string" } } } },
    { spec: { k: null, l: "x" } },
    { spec: { l: "x" } },
  ],
  [
    {
      type: "object",
      properties: { spec: { type: "object", additionalProperties: { type: "string", nullable: true } } },
    },
    { spec: { k: null } },
    { spec: { k: null } },
  ],
  [
    { type: "object", properties: { spec: { type: "array", items: { type: "string" } } } },
    { spec: [null, "x"] },
    { spec: [null, "x"] },
  ],
  [
    {
      type: "object",
      properties: {
        spec: { type: "array", items: { type: "object", properties: { a: { type: "string" } } } },
      },
    },
    { spec: [{ a: null }, null] },
    { spec: [{}, null] },
  ],
  [
    {
      type: "object",
      properties: { spec: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
    },
    { spec: { a: null } },
    { spec: { a: null } },
  ],
  [
    {
      type: "object",
      properties: {
        spec: {
          type: "object",
          properties: { a: { type: "string" } },
          "x-kubernetes-preserve-unknown-fields": true,
        },
      },
    },
    { spec: { a: null, b: null } },
    { spec: { b: null } },
  ],
  [
    { type: "object", properties: { spec: { "x-kubernetes-preserve-unknown-fields": true } } },
    { spec: null },
    {},
  ],
  [
    { type: "object", properties: { spec: { type: "object", properties: { a: { type: "string" } } } } },
    { spec: null },
    {},
  ],
  [
    {
      type: "object",
      properties: { spec: { type: "object", properties: { a: { type: "string" } }, nullable: true } },
    },
    { spec: null },
    { spec: null },
  ],
  [
    {
      type: "object",
      properties: { spec: { type: "array", items: { type: "array", items: { type: "string" } } } },
    },
    { spec: [[null], null] },
    { spec: [[null], null] },
  ],
  [
    {
      type: "object",
      properties: {
        spec: {
          type: "object",
          additionalProperties: { type: "object", properties: { a: { type: "string" } } },
        },
      },
    },
    { spec: { k: { a: null } } },
    { spec: { k: {} } },
  ],
  [
    { type: "object", properties: { spec: { type: "object", additionalProperties: true } } },
    { spec: { k: null } },
    { spec: { k: null } },
  ],
];

describe("prune", () => {
  it.each(pruneCases)("%j makes of %j %j, without %j", (schema, object, expected, unknown) => {
    const pruned = prune(schemaNode(schema), deepFreeze(object) as JsonObject, {
      resource: true,
      unknownFields: true,
    });
    expect(pruned.value).toEqual(expected);
    expect(pruned.unknownFields).toEqual(unknown);
  });

  it.each(pruneCases)("%j has nothing more to prune from %j afterwards", (schema, object) => {
    const node = schemaNode(schema);
    const { value } = prune(node, object, { resource: true });
    expect(prune(node, value, { resource: true }).value).toBe(value);
  });

  it("lists no paths unless asked", () => {
    expect(prune(schemaNode({ type: "object" }), { a: 1 }, { resource: true }).unknownFields).toEqual([]);
  });

  it("shares what it leaves alone", () => {
    const kept = { a: "x" };
    const schema: JsonSchema = {
      type: "object",
      properties: { spec: { type: "object", properties: { a: { type: "string" } } } },
    };
    const object = { spec: kept, more: 1 };
    expect((prune(schemaNode(schema), object, { resource: true }).value as JsonObject)["spec"]).toBe(kept);
  });
});

describe("dropNulls", () => {
  it("leaves nulls to defaulting that have a default", () => {
    const node = schemaNode({ type: "object", properties: { a: { type: "string", default: "d" } } });
    expect(dropNulls(node, { a: null })).toEqual({ a: null });
  });

  it.each(nullCases)("%j makes of %j %j", (schema, object, expected) => {
    expect(dropNulls(schemaNode(schema), deepFreeze(object) as JsonObject)).toEqual(expected);
  });
});
