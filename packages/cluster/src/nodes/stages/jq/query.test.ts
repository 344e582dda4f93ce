import { describe, expect, it } from "vitest";
import { parseQuery, runQuery } from "./query.ts";

const pod = {
  metadata: { annotations: { "a.b/c": "1", plain: "2" }, deletionTimestamp: null, generation: 3 },
  spec: { containers: [{ name: "a" }, { name: "b", ports: [80, 81] }] },
  status: {
    conditions: [
      { type: "Ready", status: "True" },
      { type: "Other", status: "False" },
    ],
  },
};

describe("Queries in jq's language", () => {
  it.each<[string, unknown[]]>([
    [".metadata.annotations.plain", ["2"]],
    ['.metadata.annotations["a.b/c"]', ["1"]],
    ['.metadata.annotations."a.b/c"', ["1"]],
    ['.metadata["annotations"].plain', ["2"]],
    [".metadata.deletionTimestamp", []],
    [".no.such.field", []],
    [".spec.containers.[].name", ["a", "b"]],
    [".spec.containers[].name", ["a", "b"]],
    [".spec.containers[1].name", ["b"]],
    [".spec.containers[-1].name", ["b"]],
    [".spec.containers[.metadata.generation - 2].name", ["b"]],
    ['.status.conditions.[] | select( .type == "Ready" ) | .status', ["True"]],
    ['.status.conditions[] | select( .type != "Ready" ) | .type', ["Other"]],
    ['.status.conditions[] | select(.type == "Ready" and .status == "True") | .type', ["Ready"]],
    ['.status.conditions[] | select(.type == "No" or (.status | startswith("F"))) | .type', ["Other"]],
    [". | .spec.containers | .[0].name", ["a"]],
    [".spec.containers | length", [2]],
    ['.spec.containers | map(.name) | join(",")', ["a,b"]],
    ['.spec.containers | any(.name == "b")', [true]],
    ['.spec.containers | all(.name == "b") | not', [true]],
    [".spec.containers[1].ports[0:1]", [[80]]],
    [".metadata | keys", [["annotations", "deletionTimestamp", "generation"]]],
    ['.metadata.annotations | has("plain")', [true]],
    ['.metadata.labels // "none"', ["none"]],
    ["(.metadata.labels // {}) | length", [0]],
    [".metadata.generation * 2 + 1", [7]],
    [".metadata.generation % 2, -1", [1, -1]],
    [".metadata.generation >= 3", [true]],
    ['[.status.conditions[].type] | contains(["Other"])', [true]],
    ["{name: .spec.containers[].name}", [{ name: "a" }, { name: "b" }]],
    ['if .metadata.generation > 2 then "many" elif true then 1 else "few" end', ["many"]],
    ["[..|.ports?|select(. != null)][0][0]", [80]],
    ["[.spec.containers[] | .name] | sort | reverse | first", ["b"]],
    ["first(.spec.containers[].name)", ["a"]],
    ['.metadata.annotations.plain | tonumber | tostring | test("^[0-9]$")', [true]],
    ["[3, 1, 2] - [1] | add", [5]],
    ["null < false, [1, 2] < [1, 3], {} > []", [true, true, true]],
  ])("find by %s", (text, found) => {
    expect(runQuery(parseQuery(text), pod)).toEqual(found);
  });

  it.each([
    ".metadata.labels[]",
    ".spec.containers.name",
    '.metadata.generation["a"]',
    ".spec + 1",
    ".spec / 0",
  ])("find nothing by %s, which fails on the object", (text) => {
    expect(runQuery(parseQuery(text), pod)).toEqual([]);
  });

  it.each<[string, string]>([
    [".a = 1", "= 1"],
    [".a as $x | $x", "$x | $x"],
    [".a | nothing", "nothing"],
    [".a | select(1; 2)", "select/2"],
    [".a[", ""],
    ["@base64", "@base64"],
    ["if . then 1", ""],
    [". .", "."],
    ["", ""],
  ])("say of %j where it cannot be read", (text, where) => {
    expect(() => parseQuery(text)).toThrow(`cannot be read at ${JSON.stringify(where)}`);
  });
});
