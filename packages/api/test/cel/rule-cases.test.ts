import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { compileRules } from "../../src/cel/schema-program.ts";
import { type DeclaredType, declareSchema } from "../../src/cel/schema-type.ts";
import { tryRule } from "../../src/cel/try-rule.ts";
import { decodeJson } from "../../src/codec/json.ts";
import type { JsonSchema, ValidationRule } from "../../src/schema/json-schema.ts";
import { causeReason, fieldErrorBody } from "../../src/status/field-error.ts";

// Rules of ours on a few values, with what the real implementation (apiextensions-apiserver 0.36.0) says of each: errors
// of compilation, causes, the cost of the run and both estimates. What a failing evaluation costs is not compared: the
// real one goes on counting where ours has stopped.

interface Setting {
  readonly schema: JsonSchema;
  readonly value: unknown;
  readonly oldValue?: unknown;
}

interface RuleCase {
  readonly rule: string | ValidationRule;
  readonly compileError?: string;
  /** Reason, field, message. */
  readonly errors?: readonly (readonly [string, string, string])[];
  readonly cost?: number;
  readonly estimatedCost?: number | bigint;
  readonly messageError?: string;
  readonly estimatedMessageCost?: number | bigint;
}

type Aspect = "compile errors" | "refused values" | "accepted values and costs";

function aspectOf(recorded: RuleCase): Aspect {
  if (recorded.compileError !== undefined) return "compile errors";
  return (recorded.errors ?? []).length > 0 ? "refused values" : "accepted values and costs";
}

/** Estimates beyond 2^53 are rounded here, which no message shows. */
function sameEstimate(found: number, recorded: number | bigint = 0): void {
  const wanted = Number(recorded);
  if (wanted < Number.MAX_SAFE_INTEGER) expect(found).toBe(wanted);
  else expect(found / wanted).toBeCloseTo(1, 9);
}

function verify(recorded: RuleCase, setting: Setting): void {
  const rule = typeof recorded.rule === "string" ? { rule: recorded.rule } : recorded.rule;
  const schema: JsonSchema = { ...setting.schema, "x-kubernetes-validations": [rule] };
  const [compiled] = compileRules(schema, declareSchema(schema, false) as DeclaredType);
  expect(compiled?.error).toBe(recorded.compileError);
  if (compiled === undefined || recorded.compileError !== undefined) return;
  sameEstimate(compiled.costMax, recorded.estimatedCost);
  expect(compiled.messageError).toBe(recorded.messageError);
  sameEstimate(compiled.messageCostMax, recorded.estimatedMessageCost);
  const { errors, cost } = tryRule(rule, { ...setting, path: "spec" });
  const causes = errors.map((error) => [causeReason(error.type), error.field, fieldErrorBody(error)]);
  expect(causes).toEqual(recorded.errors ?? []);
  if (recorded.cost !== undefined) expect(cost).toBe(recorded.cost);
}

describe("rules on recorded values", () => {
  const lines = readFileSync(new URL("rule-cases.jsonl", import.meta.url), "utf8")
    .trim()
    .split("\n");
  let setting: Setting | undefined;
  let group = 0;
  const cases: Record<Aspect, [string, () => void][]> = {
    "compile errors": [],
    "refused values": [],
    "accepted values and costs": [],
  };
  lines.forEach((line, i) => {
    const read = decodeJson(line).value as unknown as Setting | RuleCase;
    if ("schema" in read) {
      setting = read;
      group++;
      return;
    }
    const current = setting as Setting;
    const text = typeof read.rule === "string" ? read.rule : JSON.stringify(read.rule);
    const name = `${group}.${i} ${text}`;
    cases[aspectOf(read)].push([name, () => verify(read, current)]);
  });
  for (const [aspect, tests] of Object.entries(cases)) {
    describe(aspect, () => {
      for (const [name, test] of tests) it(name, test);
    });
  }
});
