import { describe, expect, it } from "vitest";
import { compareVersions, deprecationWarning } from "./crd-versions.ts";
import type { CrdSpec, CrdVersion } from "./custom-resource-definition.ts";

describe("compareVersions", () => {
  const order = [
    "v10",
    "v2",
    "v1",
    "v0",
    "v11beta2",
    "v10beta3",
    "v3beta1",
    "v3beta0",
    "v12alpha1",
    "v11alpha2",
    "v1alpha1",
    "foo1",
    "foo10",
    "v1beta",
    "v1gamma1",
    "w",
  ];

  it.each(order.map((version, i) => [version, order[i + 1] ?? version]))("puts %s before %s", (a, b) => {
    if (a === b) return expect(compareVersions(a, b)).toBe(0);
    expect(compareVersions(a, b)).toBeLessThan(0);
    expect(compareVersions(b, a)).toBeGreaterThan(0);
  });

  it("sorts any permutation to the same order", () => {
    expect([...order].reverse().sort(compareVersions)).toEqual(order);
  });
});

describe("deprecationWarning", () => {
  function spec(...versions: Partial<CrdVersion>[]): CrdSpec {
    return {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "kettles", kind: "Kettle" },
      versions: versions.map((version) => ({ name: "v1", served: true, storage: false, ...version })),
    };
  }
  const old = { name: "v1alpha1", deprecated: true };

  it.each<[string, CrdSpec, string | undefined]>([
    ["nothing about a version that is not", spec({}), undefined],
    ["only that it is", spec(old), "example.com/v1alpha1 Kettle is deprecated"],
    ["its own text", spec({ ...old, deprecationWarning: "go away" }), "go away"],
    ["what to use", spec(old, {}), "example.com/v1alpha1 Kettle is deprecated; use example.com/v1 Kettle"],
    [
      "the best of several",
      spec(old, { name: "v1beta1" }, { name: "v2" }, {}),
      "example.com/v1alpha1 Kettle is deprecated; use example.com/v2 Kettle",
    ],
    [
      "nothing that is deprecated too",
      spec(old, { deprecated: true }),
      "example.com/v1alpha1 Kettle is deprecated",
    ],
    ["nothing that is not served", spec(old, { served: false }), "example.com/v1alpha1 Kettle is deprecated"],
    ["nothing older", spec({ ...old, name: "v2" }, {}), "example.com/v2 Kettle is deprecated"],
  ])("says %s", (_what, given, expected) => {
    expect(deprecationWarning(given, given.versions[0]?.name ?? "")).toBe(expected);
  });
});
