import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { deepFreeze } from "../object/freeze.ts";
import type { Json, JsonObject } from "../object/object.ts";
import type { JsonSchema } from "./json-schema.ts";
import { applyDefaults, compileSchema, decodeCustomResource, validateSchema } from "./structural-schema.ts";

const schema = compileSchema({
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        color: { type: "string" },
        size: { type: "integer", default: 3 },
        part: {
          type: "object",
          "x-kubernetes-embedded-resource": true,
          "x-kubernetes-preserve-unknown-fields": true,
        },
      },
    },
  },
});

function resource(fields: JsonObject): JsonObject {
  return deepFreeze({
    apiVersion: "example.com/v1",
    kind: "Kettle",
    metadata: { name: "a" },
    ...fields,
  }) as JsonObject;
}

describe("decodeCustomResource", () => {
  it("gives back the same object when there is nothing to do", () => {
    const object = resource({ spec: { color: "red" } });
    expect(decodeCustomResource(schema, object, { unknownFields: true }).object).toBe(object);
  });

  it("lists unknown fields of metadata, then of the object, then of embedded metadata", () => {
    const part = { apiVersion: "v1", kind: "Lid", metadata: { odd: 1 } };
    const object = resource({ metadata: { name: "a", odd: 1 }, spec: { part, z: 1, a: 1 }, more: 1 });
    const decoded = decodeCustomResource(schema, object, { unknownFields: true });
    expect(decoded.unknownFields).toEqual([
      "metadata.odd",
      "more",
      "spec.a",
      "spec.z",
      "spec.part.metadata.odd",
    ]);
    expect(decoded.object).toEqual(
      resource({ spec: { part: { apiVersion: "v1", kind: "Lid", metadata: {} } } }),
    );
  });

  it("lists nothing when it was not asked", () => {
    expect(decodeCustomResource(schema, resource({ more: 1 })).unknownFields).toEqual([]);
  });

  it.each<[JsonObject, string]>([
    [{ metadata: "text" }, "json: cannot unmarshal string into Go value of type v1.ObjectMeta"],
    [
      { metadata: { name: 5 } },
      "json: cannot unmarshal number into Go struct field ObjectMeta.name of type string",
    ],
    [
      { spec: { part: { apiVersion: 1, kind: "Lid" } } },
      "spec.part.apiVersion: Invalid value: 1: must be a string",
    ],
    [
      { spec: { part: { apiVersion: "v1", kind: "Lid", metadata: { labels: 5 } } } },
      'spec.part.metadata: Invalid value: {"labels":5}: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type map[string]string',
    ],
  ])("cannot decode %j: %s", (fields, error) => {
    expect(decodeCustomResource(schema, resource(fields)).error).toBe(error);
  });

  it("drops from storage what it cannot decode", () => {
    const stored = resource({ metadata: { name: "a", labels: 5 }, spec: { color: "red" } });
    const decoded = decodeCustomResource(schema, stored, { dropInvalidMetadata: true });
    expect(decoded).toEqual({ object: resource({ spec: { color: "red" } }), unknownFields: [] });
  });

  it("leaves objects of another kind alone, but for their metadata", () => {
    const kind = { group: "example.com", version: "v1", kind: "Kettle" };
    const foreign = resource({ kind: "Pot", metadata: { name: "a", odd: 1 }, spec: { z: 1 } });
    const decoded = decodeCustomResource(schema, foreign, { unknownFields: true, kind });
    expect(decoded.object).toEqual({ ...foreign, metadata: { name: "a" } });
    expect(decoded.unknownFields).toEqual(["metadata.odd"]);
  });

  it("knows nothing about an object of another version", () => {
    const kind = { group: "example.com", version: "v2", kind: "Kettle" };
    const decoded = decodeCustomResource(schema, resource({ spec: { color: "red" } }), {
      unknownFields: true,
      kind,
    });
    expect(decoded).toEqual({ object: resource({}), unknownFields: ["spec"] });
  });

  it("prunes nothing where the definition preserves unknown fields", () => {
    const object = resource({ spec: { z: null }, more: 1 });
    expect(decodeCustomResource(schema, object, { preserveUnknownFields: true }).object).toBe(object);
  });

  it("knows only type and metadata without a schema", () => {
    const decoded = decodeCustomResource(compileSchema(undefined), resource({ spec: 1 }), {
      unknownFields: true,
    });
    expect(decoded).toEqual({ object: resource({}), unknownFields: ["spec"] });
  });
});

describe("schemas and any value", () => {
  const leaf: fc.Arbitrary<JsonSchema> = fc.oneof(
    fc.record(
      { type: fc.constant("string"), maxLength: fc.nat(3), default: fc.string({ maxLength: 2 }) },
      { requiredKeys: ["type"] },
    ),
    fc.record(
      { type: fc.constant("integer"), minimum: fc.integer({ min: -2, max: 2 }), nullable: fc.boolean() },
      { requiredKeys: ["type"] },
    ),
    fc.constant({ "x-kubernetes-preserve-unknown-fields": true }),
  );
  const { any } = fc.letrec<{ any: JsonSchema }>((tie) => ({
    any: fc.oneof(
      { maxDepth: 3 },
      leaf,
      fc.record({ type: fc.constant("array"), items: tie("any") }),
      fc.record({ type: fc.constant("object"), additionalProperties: tie("any") }),
      fc.record({
        type: fc.constant("object"),
        properties: fc.dictionary(fc.constantFrom("a", "b"), tie("any")),
      }),
    ),
  }));
  const value = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<Json>;
  const spec = fc.tuple(any, fc.dictionary(fc.constantFrom("a", "b", "c"), value));

  function decoded(
    part: JsonSchema,
    fields: Record<string, Json>,
  ): { schema: ReturnType<typeof compileSchema>; object: JsonObject } {
    const whole = compileSchema({ type: "object", properties: { spec: part } });
    return { schema: whole, object: decodeCustomResource(whole, resource({ spec: fields })).object };
  }

  it("decode the same object to itself", () => {
    fc.assert(
      fc.property(spec, ([part, fields]) => {
        const { schema: whole, object } = decoded(part, fields);
        expect(decodeCustomResource(whole, object).object).toBe(object);
      }),
    );
  });

  it("fill in defaults once, and leave nothing to prune", () => {
    fc.assert(
      fc.property(spec, ([part, fields]) => {
        const { schema: whole, object } = decoded(part, fields);
        const filled = applyDefaults(whole, object);
        expect(applyDefaults(whole, filled)).toBe(filled);
        expect(decodeCustomResource(whole, filled).object).toEqual(filled);
      }),
    );
  });

  it("report no error twice", () => {
    fc.assert(
      fc.property(spec, ([part, fields]) => {
        const { schema: whole, object } = decoded(part, fields);
        const errors = validateSchema(whole, object).map((error) => `${error.field} ${error.detail}`);
        expect(new Set(errors).size).toBe(errors.length);
      }),
    );
  });
});
