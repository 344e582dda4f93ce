import { describe, expect, it } from "vitest";
import type { JsonSchema } from "../schema/json-schema.ts";
import { tryRule } from "./try-rule.ts";

const schema: JsonSchema = {
  type: "object",
  properties: { min: { type: "integer" }, max: { type: "integer" }, name: { type: "string", maxLength: 10 } },
};

describe("tryRule", () => {
  it("tells whether a rule holds, and what it costs", () => {
    const rule = { rule: "self.min <= self.max", message: "min must not exceed max" };
    expect(tryRule(rule, { schema, value: { min: 1, max: 2 } })).toEqual({
      holds: true,
      errors: [],
      cost: 5,
      estimatedCost: 5,
    });
    expect(tryRule(rule, { schema, value: { min: 3, max: 2 }, path: "spec" }).errors).toMatchObject([
      { type: "Invalid", field: "spec", detail: "min must not exceed max" },
    ]);
  });

  it("compares with the value before", () => {
    const rule = "self.name == oldSelf.name";
    expect(tryRule(rule, { schema, value: { name: "b" } }).holds).toBe(true);
    expect(tryRule(rule, { schema, value: { name: "b" }, oldValue: { name: "a" } }).holds).toBe(false);
  });

  it("reports what does not compile", () => {
    const { holds, errors } = tryRule("self.size > 0", { schema, value: {} });
    expect(holds).toBe(false);
    expect(errors[0]?.detail).toContain(
      "rule compile error: compilation failed: ERROR: <input>:1:5: undefined field 'size'",
    );
  });

  it("needs a type", () => {
    expect(() => tryRule("true", { schema: {}, value: 1 })).toThrow("a rule needs a schema with a type");
  });
});
