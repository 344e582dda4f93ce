import { describe, expect, it } from "vitest";
import { caseSummary, casesMin, countCases } from "./count-cases.ts";

function file(name: string, statuses: readonly string[], status = "passed"): never {
  return {
    name: `/root/packages/api/src/${name}`,
    status,
    assertionResults: statuses.map((each) => ({ status: each })),
  } as never;
}

function passed(topic: string, ...files: never[]): number | undefined {
  return countCases({ testResults: files }, "/root").find((count) => count.topic === topic)?.passed;
}

describe("count-cases", () => {
  it("counts passed tests by the topic of their file, and skipped ones not at all", () => {
    const files = [
      file("schema/formats.test.ts", ["passed", "passed", "skipped"]),
      file("crd/names.test.ts", ["passed"]),
    ];
    expect(passed("formats", ...files)).toBe(2);
    expect(passed("CRD validation", ...files)).toBe(1);
    expect(passed("Zod constructs", ...files)).toBe(0);
  });

  it("leaves tests of other topics out", () => {
    expect(
      countCases({ testResults: [file("patch/diff.test.ts", ["passed"])] }, "/root").every(
        (c) => c.passed === 0,
      ),
    ).toBe(true);
  });

  it("is not content with too few cases, nor with a failed one", () => {
    const enough = file(
      "schema/values.test.ts",
      Array.from({ length: casesMin }, () => "passed"),
    );
    expect(caseSummary(countCases({ testResults: [enough] }, "/root")).ok).toBe(true);
    const failing = [enough, file("crd/x.test.ts", ["failed"], "failed")];
    expect(caseSummary(countCases({ testResults: failing }, "/root")).ok).toBe(false);
    const broken = [enough, file("crd/x.test.ts", [], "failed")];
    expect(caseSummary(countCases({ testResults: broken }, "/root")).ok).toBe(false);
    expect(caseSummary(countCases({ testResults: [file("crd/x.test.ts", ["passed"])] }, "/root")).ok).toBe(
      false,
    );
  });

  it("lists the published CEL suite beside the total", () => {
    const suite = file(
      "cel/cel-spec.test.ts",
      Array.from({ length: 2000 }, () => "passed"),
    );
    const summary = caseSummary(countCases({ testResults: [suite] }, "/root"));
    expect(summary.text).toContain("0 cases passed");
    expect(summary.ok).toBe(false);
  });
});
