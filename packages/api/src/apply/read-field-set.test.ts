import { describe, expect, it } from "vitest";
import { deepFreeze } from "../object/freeze.ts";
import { setOf } from "../../test/apply-notation.ts";
import { sortedSet } from "./field-set.ts";
import { PathElementError } from "./path-element.ts";
import { readFieldSet } from "./read-field-set.ts";

describe("readFieldSet", () => {
  it.each([
    ["nothing", undefined],
    ["null", null],
    ["the empty map", {}],
    ["a root mark", { ".": {} }],
    ["unknown elements only", { "x:foo": {}, "y:bar": { "f:a": {} } }],
  ])("reads %s as the empty set", (_, fields) => {
    expect(readFieldSet(fields)).toEqual({});
  });

  it.each([
    ["a null node as a member", { "f:a": null }, [".a"]],
    ["a node with only a mark as a member", { "f:a": { ".": {} } }, [".a"]],
    ["a node with only unknown elements as a member", { "f:a": { "x:foo": {} } }, [".a"]],
    ["a mark with anything in it", { "f:a": { ".": { "f:z": {} }, "f:b": {} } }, [".a", ".a.b"]],
    ["elements in any order", { "f:b": {}, "i:2": {}, "f:a": {}, "i:1": {} }, [".a", ".b", "[1]", "[2]"]],
    [
      "elements that are one in canonical form",
      { 'k:{"a":1,"b":2}': { "f:x": {} }, 'k:{ "b":2, "a":1 }': { "f:y": {} } },
      ["[a=1,b=2].x", "[a=1,b=2].y"],
    ],
    ["numbers written in other ways", { "v: 3": {}, "v:1.0": {} }, ["[=1]", "[=3]"]],
  ])("reads %s", (_, fields, expected) => {
    expect(sortedSet(readFieldSet(fields))).toEqual(setOf(...expected));
  });

  it.each([
    ["a list", []],
    ["a number", 42],
    ["a text", "hi"],
    ["a list as node", { "f:a": [] }],
    ["a number as node", { "f:a": 1 }],
    ["an empty key", { "": {} }],
    ["a key without colon", { x: {} }],
    ["a key of one colon", { ":": {} }],
    ["a bad element deep inside", { "f:a": { "f:b": { bad: {} } } }],
    ["a bad value", { "v:{": {} }],
  ])("refuses %s", (_, fields) => {
    expect(() => readFieldSet(fields)).toThrow(PathElementError);
  });

  it("returns canonical frozen fields themselves, from the cache", () => {
    const fields = deepFreeze({ "f:a": { ".": {}, "f:b": {} }, 'k:{"n":1}': {} });
    expect(readFieldSet(fields)).toBe(fields);
    expect(readFieldSet(fields)).toBe(fields);
  });

  it("remembers what frozen fields in another form were read as", () => {
    const fields = deepFreeze({ "v: 3": {} });
    expect(readFieldSet(fields)).toBe(readFieldSet(fields));
  });

  it("reads fields that may still change anew", () => {
    const fields: Record<string, object> = { "f:a": {} };
    expect(readFieldSet(fields)).toEqual({ "f:a": {} });
    fields["f:b"] = {};
    expect(readFieldSet(fields)).toEqual({ "f:a": {}, "f:b": {} });
  });
});
