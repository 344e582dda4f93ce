import { describe, expect, it } from "vitest";
import { parseQuery, runQuery } from "./field-query.ts";

const pod = {
  metadata: { annotations: { "a.b/c": "1", plain: "2" }, deletionTimestamp: null },
  spec: { containers: [{ name: "a" }, { name: "b" }] },
  status: {
    conditions: [
      { type: "Ready", status: "True" },
      { type: "Other", status: "False" },
    ],
  },
};

describe("Field queries", () => {
  it.each([
    [".metadata.annotations.plain", ["2"]],
    ['.metadata.annotations["a.b/c"]', ["1"]],
    ['.metadata.annotations."a.b/c"', ["1"]],
    [".metadata.deletionTimestamp", []],
    [".no.such.field", []],
    [".spec.containers.[].name", ["a", "b"]],
    [".spec.containers[].name", ["a", "b"]],
    [".spec.containers[1].name", ["b"]],
    ['.status.conditions.[] | select( .type == "Ready" ) | .status', ["True"]],
    ['.status.conditions[] | select( .type != "Ready" ) | .type', ["Other"]],
    [". | .spec.containers | .[0].name", ["a"]],
  ])("finds by %s", (text, found) => {
    expect(runQuery(parseQuery(text), pod)).toEqual(found);
  });

  it.each([".a | length", "map(.a)", ".a + 1"])("says of %s that it is more than is known", (text) => {
    expect(() => parseQuery(text)).toThrow("more than is known here");
  });
});
