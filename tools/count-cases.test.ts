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
      countCases({ testResults: [file("client/watch.test.ts", ["passed"])] }, "/root").every(
        (c) => c.passed === 0,
      ),
    ).toBe(true);
  });

  it("tells topics of one file apart by the groups of its tests", () => {
    const rules = {
      name: "/root/packages/api/test/cel/rule-cases.test.ts",
      status: "passed",
      assertionResults: [
        { status: "passed", ancestorTitles: ["rules", "compile errors"] },
        { status: "passed", ancestorTitles: ["rules", "refused values"] },
        { status: "passed", ancestorTitles: ["rules", "refused values"] },
      ],
    } as never;
    expect(passed("CEL: compile errors on CRDs", rules)).toBe(1);
    expect(passed("CEL: values that rules refuse", rules)).toBe(2);
  });

  it("is not content with too few cases of either group, nor with a failed one", () => {
    const many = Array.from({ length: casesMin }, () => "passed");
    const custom = file("schema/values.test.ts", many);
    const requests = file("object/quantity.test.ts", many);
    const ok = (...files: never[]): boolean => caseSummary(countCases({ testResults: files }, "/root")).ok;
    expect(ok(custom, requests)).toBe(true);
    expect(ok(custom)).toBe(false);
    expect(ok(requests)).toBe(false);
    expect(ok(custom, requests, file("crd/x.test.ts", ["failed"], "failed"))).toBe(false);
    expect(ok(custom, requests, file("crd/x.test.ts", [], "failed"))).toBe(false);
  });

  it("lists the published CEL suite beside the totals", () => {
    const suite = file(
      "cel/cel-spec.test.ts",
      Array.from({ length: 2000 }, () => "passed"),
    );
    const summary = caseSummary(countCases({ testResults: [suite] }, "/root"));
    expect(summary.text).toContain("custom resources: 0 cases");
    expect(summary.text).toContain("0 passed, 0 failed");
    expect(summary.ok).toBe(false);
  });
});
