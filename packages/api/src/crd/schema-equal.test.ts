import { describe, expect, it } from "vitest";
import type { JsonSchema } from "../schema/json-schema.ts";
import { schemasEqual } from "./schema-equal.ts";

describe("schemasEqual", () => {
  it.each<[JsonSchema, JsonSchema, boolean]>([
    [{}, {}, true],
    [{ type: "object" }, { type: "string" }, false],
    [{ type: "object", properties: {} }, { type: "object" }, true],
    [{ type: "object", required: [] }, { type: "object" }, true],
    [{ type: "object", description: "" }, { type: "object" }, true],
    [{ nullable: false }, {}, true],
    [{ nullable: true }, {}, false],
    [{ properties: { a: { type: "string" } } }, { properties: { a: { type: "string", format: "" } } }, true],
    [{ properties: { a: { type: "string" } } }, { properties: { b: { type: "string" } } }, false],
    [{ properties: { a: {}, b: {} } }, { properties: { b: {}, a: {} } }, true],
    [{ items: {} }, {}, false],
    [{ items: { type: "string" } }, { items: { type: "string", enum: [] } }, true],
    [{ additionalProperties: true }, { additionalProperties: {} }, false],
    [{ additionalProperties: true }, { additionalProperties: true }, true],
    [{ additionalProperties: false }, {}, false],
    [{ not: {} }, {}, false],
    [{ anyOf: [{ required: ["a"] }] }, { anyOf: [{ required: ["a"], title: "" }] }, true],
    [{ anyOf: [] }, {}, true],
    [{ anyOf: [{}] }, {}, false],
    [{ default: {} }, {}, false],
    [{ default: { a: [] } }, { default: {} }, false],
    [{ maximum: 0 }, {}, false],
    [{ maxLength: 1 }, { maxLength: 1 }, true],
    [{ "x-kubernetes-preserve-unknown-fields": false }, {}, false],
    [{ "x-kubernetes-int-or-string": false }, {}, true],
    [{ "x-kubernetes-validations": [{ rule: "a" }] }, { "x-kubernetes-validations": [{ rule: "b" }] }, false],
    [{ enum: [1, { a: 1 }] }, { enum: [1, { a: 1 }] }, true],
  ])("of %j and %j: %s", (a, b, equal) => {
    expect(schemasEqual(a, b)).toBe(equal);
    expect(schemasEqual(b, a)).toBe(equal);
  });
});
