import { describe, expect, it } from "vitest";
import { compareVersions } from "./builtins/resource-table.ts";
import { generateBuiltins, staleFiles } from "./generate-builtins.ts";

describe("generate-builtins", () => {
  it("makes what is committed", () => {
    expect(staleFiles()).toEqual([]);
  });

  it("looked at every group and version", () => {
    const files = [...generateBuiltins().keys()];
    expect(files).toContain("apps/v1.ts");
    expect(files.length).toBeGreaterThan(70);
  });

  it("puts stable versions first, newest first", () => {
    expect(["v1alpha1", "v1", "v1beta2", "v2", "v1beta1"].sort(compareVersions)).toEqual([
      "v2",
      "v1",
      "v1beta2",
      "v1beta1",
      "v1alpha1",
    ]);
  });
});
