import { describe, expect, it } from "vitest";
import {
  anything,
  keyedListOf,
  keyedType,
  listOf,
  mapOf,
  mixedType,
  number,
  pairType,
  setListOf,
  structOf,
  text,
  typeOf,
} from "../../test/apply-notation.ts";
import { type MergeType, compileMergeType, deducedType } from "./merge-type.ts";
import { TypedError } from "./typed-error.ts";
import { validateTyped } from "./validate-typed.ts";

function problem(type: MergeType, value: unknown, allowDuplicates = false): string | undefined {
  try {
    validateTyped(type, value, allowDuplicates);
    return undefined;
  } catch (error) {
    if (!(error instanceof TypedError)) throw error;
    return error.message;
  }
}

const valid: [string, MergeType, unknown[]][] = [
  [
    "pair",
    pairType,
    [
      { key: "foo", value: 1 },
      { key: "foo", value: {} },
      { key: "foo", value: null },
      { key: "foo", value: [{ a: [1] }] },
      { key: "foo" },
      { key: "foo", value: true },
      { key: null },
      {},
      null,
    ],
  ],
  [
    "mixed",
    mixedType,
    [
      { numeric: null },
      { numeric: 1 },
      { numeric: 3.14159 },
      { string: null },
      { string: "aoeu" },
      { bool: null },
      { bool: false },
      { setStr: ["a", "b", "c"] },
      { setStr: null },
      { setBool: [true, false] },
      { setNumeric: [1, 2, 3, 3.14159] },
      { color: { R: 1 }, wavelengths: { IR: 255 }, args: [{ key: "a" }, null] },
    ],
  ],
  [
    "keyed",
    keyedType,
    [
      { list: [] },
      { list: [{ key: "a", id: 1, value: { a: "a" } }] },
      {
        list: [
          { key: "a", id: 1 },
          { key: "a", id: 2 },
          { key: "b", id: 1 },
        ],
      },
      { atomicList: ["a", "a", "a"] },
      { list: [{ key: "x", value: { a: "a" }, bv: true, nv: 3.14 }] },
    ],
  ],
  ["deduced", deducedType, [{ a: { b: [1, { c: 2 }] } }, { a: "text" }, { a: null }]],
];

describe("validateTyped", () => {
  it.each(valid.flatMap(([name, type, values]) => values.map((value) => [name, type, value] as const)))(
    "%s accepts %3$j",
    (_name, type, value) => {
      expect(problem(type, value)).toBeUndefined();
    },
  );

  it.each([
    [{ key: true, value: 1 }, ".key: expected string, got &value.valueUnstructured{Value:true}"],
    [{ key: 1 }, ".key: expected string, got &value.valueUnstructured{Value:1}"],
    [{ key: 1.5 }, ".key: expected string, got &value.valueUnstructured{Value:1.5}"],
    [{ key: 1e21 }, ".key: expected string, got &value.valueUnstructured{Value:1e+21}"],
    [{ key: [1, 2] }, ".key: expected string, got &value.valueUnstructured{Value:[]interface {}{1, 2}}"],
    [
      { key: { foo: true, b: null, a: "x\ny" } },
      '.key: expected string, got &value.valueUnstructured{Value:map[string]interface {}{"a":"x\\ny", "b":interface {}(nil), "foo":true}}',
    ],
    [{ other: 1 }, ".other: field not declared in schema"],
    [5, "expected map, got &{5}"],
    [["a", { b: null }], "expected map, got &{[a map[b:<nil>]]}"],
  ])("pair refuses %j", (value, message) => {
    expect(problem(pairType, value)).toBe(message);
  });

  it.each([
    [{ numeric: ["foo"] }, ".numeric: expected numeric (int or float), got []interface {}"],
    [{ numeric: { a: 1 } }, ".numeric: expected numeric (int or float), got map[string]interface {}"],
    [{ numeric: "foo" }, ".numeric: expected numeric (int or float), got string"],
    [{ numeric: true }, ".numeric: expected numeric (int or float), got bool"],
    [{ bool: 1 }, ".bool: expected boolean, got &{1}"],
    [{ bool: 3.5 }, ".bool: expected boolean, got &{3.5}"],
    [{ bool: "aoeu" }, ".bool: expected boolean, got &{aoeu}"],
    [{ bool: { a: 1 } }, ".bool: expected boolean, got &{map[a:1]}"],
    [{ bool: ["foo"] }, ".bool: expected boolean, got &{[foo]}"],
    [{ setStr: "a" }, ".setStr: expected list, got &{a}"],
    [{ setStr: { a: 1 } }, ".setStr: expected list, got &{map[a:1]}"],
    [{ setStr: [1] }, ".setStr[=1]: expected string, got &value.valueUnstructured{Value:1}"],
    [{ setStr: ["a", "a"] }, '.setStr: duplicate entries for key [="a"]'],
    [
      { setStr: [null] },
      ".setStr: element 0: associative list without keys has an element that's an explicit null",
    ],
    [
      { setStr: ["a", {}] },
      ".setStr: element 1: associative list without keys has an element that's a map type",
    ],
    [{ setStr: [[]] }, ".setStr: element 0: not supported: associative list with lists as elements"],
    [{ setBool: [true, false, true] }, ".setBool: duplicate entries for key [=true]"],
    [{ setNumeric: ["a"] }, '.setNumeric[="a"]: expected numeric (int or float), got string'],
    [{ setNumeric: [1, 2, 1.0] }, ".setNumeric: duplicate entries for key [=1]"],
    [{ color: { X: 1 } }, ".color.X: field not declared in schema"],
    [{ wavelengths: { IR: "x" } }, ".wavelengths.IR: expected numeric (int or float), got string"],
    [{ args: [{ key: 1 }] }, ".args[0].key: expected string, got &value.valueUnstructured{Value:1}"],
    [{ args: ["x"] }, ".args[0]: expected map, got &{x}"],
    [
      { numeric: "a", string: 1 },
      "errors:\n  .numeric: expected numeric (int or float), got string\n" +
        "  .string: expected string, got &value.valueUnstructured{Value:1}",
    ],
  ])("mixed refuses %j", (value, message) => {
    expect(problem(mixedType, value)).toBe(message);
  });

  it.each([
    [{ list: { key: true } }, ".list: expected list, got &{map[key:true]}"],
    [{ list: true }, ".list: expected list, got &{true}"],
    [
      { list: [{ key: true, id: 1 }] },
      ".list[id=1,key=true].key: expected string, got &value.valueUnstructured{Value:true}",
    ],
    [{ list: [null] }, ".list: element 0: associative list with keys may not have a null element"],
    [{ list: [[]] }, ".list: element 0: associative list with keys may not have non-map elements"],
    [
      { list: [{ key: "a" }, {}] },
      '.list: element 1: associative list with keys has an element that omits all key fields ["key" "id"] ' +
        "(and doesn't have default values for any key fields)",
    ],
    [
      {
        list: [
          { key: "a", id: 1 },
          { id: 1, key: "a" },
        ],
      },
      '.list: duplicate entries for key [id=1,key="a"]',
    ],
    [
      { list: [{ key: "a", id: 1, value: { a: 1 } }] },
      '.list[id=1,key="a"].value.a: expected string, got &value.valueUnstructured{Value:1}',
    ],
    [{ list: [{ key: "a", id: 1, zz: 1 }] }, '.list[id=1,key="a"].zz: field not declared in schema'],
  ])("keyed refuses %j", (value, message) => {
    expect(problem(keyedType, value)).toBe(message);
  });

  it.each([
    [mixedType, { setStr: ["a", "a"] }],
    [mixedType, { setNumeric: [1, 2, 3, 3.14159, 1] }],
    [
      keyedType,
      {
        list: [
          { key: "a", id: 1 },
          { key: "a", id: 1 },
        ],
      },
    ],
  ])("allows doubled items in stored objects", (type, value) => {
    expect(problem(type, value)).toMatch(/duplicate entries/);
    expect(problem(type, value, true)).toBeUndefined();
  });

  it("stops at an unknown field, as the server does", () => {
    expect(problem(pairType, { zz: 1, key: 1 })).toBe(".zz: field not declared in schema");
  });

  it("takes defaults of keys into account", () => {
    const ports = typeOf({
      ports: keyedListOf(["port", "protocol"], {
        port: number,
        protocol: { type: "string", default: "TCP" },
      }),
    });
    expect(problem(ports, { ports: [{ port: 80 }, { port: 80, protocol: "UDP" }] })).toBeUndefined();
    expect(problem(ports, { ports: [{ port: 80 }, { port: 80, protocol: "TCP" }] })).toBe(
      '.ports: duplicate entries for key [port=80,protocol="TCP"]',
    );
    expect(problem(ports, { ports: [{}] })).toBeUndefined();
  });

  it("accepts what the declared kind of value is not strict about", () => {
    const loose = compileMergeType({
      type: "object",
      properties: {
        when: { type: "string", format: "date-time" },
        port: { "x-kubernetes-int-or-string": true },
        bytes: { type: "string", format: "byte" },
      },
    });
    expect(problem(loose, { when: 5, port: "http" })).toBeUndefined();
    expect(problem(loose, { port: { any: ["thing"] } })).toBeUndefined();
    expect(problem(loose, { when: {} })).toBe(".when: expected any scalar, got &{map[]}");
    expect(problem(loose, { bytes: 5 })).toMatch(/expected string/);
  });

  it("knows the types of metadata", () => {
    const any = typeOf({});
    expect(problem(any, { metadata: { labels: { a: 1 } } })).toMatch(
      /^\.metadata\.labels\.a: expected string/,
    );
    expect(problem(any, { metadata: { finalizers: ["a", "a"] } })).toBe(
      '.metadata.finalizers: duplicate entries for key [="a"]',
    );
    expect(problem(any, { metadata: { zz: 1 } })).toBe(".metadata.zz: field not declared in schema");
    expect(problem(any, { metadata: { ownerReferences: [{ uid: "u" }, { uid: "u" }] } })).toBe(
      '.metadata.ownerReferences: duplicate entries for key [uid="u"]',
    );
    expect(problem(any, { metadata: { creationTimestamp: null } })).toBeUndefined();
  });

  it("looks into nested containers of every kind", () => {
    const deep = typeOf({ a: mapOf(listOf(structOf({ s: setListOf(text), x: anything }))) });
    expect(problem(deep, { a: { k: [{ s: ["x", "x"] }] } })).toBe(
      '.a.k[0].s: duplicate entries for key [="x"]',
    );
  });
});
