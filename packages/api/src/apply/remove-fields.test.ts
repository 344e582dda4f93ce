import { describe, expect, it } from "vitest";
import {
  keyedListOf,
  keyedType,
  mapOf,
  mixedType,
  pairType,
  setListOf,
  setOf,
  text,
} from "../../test/apply-notation.ts";
import { leavesOfSet } from "./field-set.ts";
import { type MergeType, compileMergeType } from "./merge-type.ts";
import { mergeTyped } from "./merge-typed.ts";
import { ownedSet } from "./owned-set.ts";
import { extractFields, removeFields } from "./remove-fields.ts";

const nestedType = compileMergeType(
  {
    type: "object",
    properties: {
      lists: keyedListOf(["name"], { name: text, value: setListOf(text) }),
      maps: keyedListOf(["name"], { name: text, value: mapOf(text) }),
      mapOfLists: mapOf(setListOf(text)),
      mapOfMaps: mapOf(mapOf(text)),
      recursive: { $ref: "#/definitions/Recursive" },
    },
  },
  { definitions: { Recursive: mapOf({ $ref: "#/definitions/Recursive" }) } },
);

type Row = [type: MergeType, value: unknown, paths: string[], result: unknown];

const lists = { lists: [{ name: "a", value: ["b", "c"] }, { name: "d" }] };
const maps = {
  maps: [
    { name: "a", value: { b: "x", c: "y" } },
    { name: "d", value: { e: "z" } },
  ],
};
const mapOfLists = { mapOfLists: { b: ["a", "c"], d: ["e", "f"] } };
const mapOfMaps = { mapOfMaps: { b: { a: "x", c: "z" }, d: { e: "y", f: "w" } } };
const recursive = { recursive: { a: { b: { c: null } } } };
const items = {
  list: [
    { key: "a", id: 1 },
    { key: "a", id: 2 },
    { key: "b", id: 1 },
  ],
};

describe("removeFields", () => {
  it.each<Row>([
    [pairType, { key: "foo" }, [".key"], null],
    [pairType, { key: "foo" }, [], { key: "foo" }],
    [pairType, { key: "foo", value: true }, [".key"], { value: true }],
    [pairType, { key: "foo", value: { a: "b" } }, [".value"], { key: "foo" }],
    [mixedType, { setBool: [false] }, [".setBool[=false]"], { setBool: null }],
    [mixedType, { setBool: [false] }, [".setBool[=true]"], { setBool: [false] }],
    [mixedType, { setBool: [true, false] }, [".setBool[=true]"], { setBool: [false] }],
    [mixedType, { setBool: [true, false] }, [".setBool"], null],
    [
      mixedType,
      { setNumeric: [1, 2, 3, 4.5] },
      [".setNumeric[=1]", ".setNumeric[=4.5]"],
      { setNumeric: [2, 3] },
    ],
    [
      keyedType,
      items,
      ['.list[id=1,key="a"]'],
      {
        list: [
          { key: "a", id: 2 },
          { key: "b", id: 1 },
        ],
      },
    ],
    [keyedType, { atomicList: ["a", "a"] }, [".atomicList"], null],
    [keyedType, { atomicMap: { a: "c" } }, [".atomicMap"], null],
    [keyedType, { atomicMap: { a: "c", b: "d" } }, [".atomicMap.a"], { atomicMap: null }],
    [keyedType, { atomicList: ["a"] }, [".atomicList[0]"], { atomicList: null }],
    [nestedType, lists, [".lists"], null],
    [nestedType, lists, ['.lists[name="d"]'], { lists: [{ name: "a", value: ["b", "c"] }] }],
    [
      nestedType,
      lists,
      ['.lists[name="a"].value[="b"]'],
      { lists: [{ name: "a", value: ["c"] }, { name: "d" }] },
    ],
    [nestedType, lists, ['.lists[name="x"]'], lists],
    [nestedType, lists, ['.lists[name="a"].value[="x"]'], lists],
    [nestedType, lists, ['[="b"]'], lists],
    [nestedType, maps, ['.maps[name="a"]'], { maps: [{ name: "d", value: { e: "z" } }] }],
    [
      nestedType,
      maps,
      ['.maps[name="a"].value.b'],
      {
        maps: [
          { name: "a", value: { c: "y" } },
          { name: "d", value: { e: "z" } },
        ],
      },
    ],
    [nestedType, mapOfLists, [".mapOfLists"], null],
    [nestedType, mapOfLists, [".mapOfLists.b"], { mapOfLists: { d: ["e", "f"] } }],
    [nestedType, mapOfLists, ['.mapOfLists.b[="a"]'], { mapOfLists: { b: ["c"], d: ["e", "f"] } }],
    [nestedType, { mapOfLists: { b: null, d: ["e"] } }, [".mapOfLists.b"], { mapOfLists: { d: ["e"] } }],
    [nestedType, mapOfMaps, [".mapOfMaps.b.a"], { mapOfMaps: { b: { c: "z" }, d: { e: "y", f: "w" } } }],
    [nestedType, mapOfMaps, [".mapOfMaps.q"], mapOfMaps],
    [nestedType, recursive, [".recursive"], null],
    [nestedType, recursive, [".recursive.a"], { recursive: null }],
    [nestedType, recursive, [".recursive.a.b"], { recursive: { a: null } }],
    [nestedType, recursive, [".recursive.a.b.c"], { recursive: { a: { b: null } } }],
    [nestedType, { lists: [] }, [".lists"], null],
    [nestedType, { mapOfMaps: {} }, [".mapOfMaps"], null],
  ])("%# takes out", (type, value, paths, result) => {
    expect(removeFields(type, value, setOf(...paths))).toEqual(result);
  });

  it("returns the value itself when nothing goes", () => {
    expect(removeFields(nestedType, lists, setOf('.lists[name="x"]', ".other"))).toBe(lists);
  });
});

describe("extractFields", () => {
  it.each<Row>([
    [pairType, { key: "foo" }, [".key"], { key: "foo" }],
    [pairType, { key: "foo" }, [], null],
    [pairType, { key: "foo", value: { a: "b" } }, [".value"], { value: { a: "b" } }],
    [mixedType, { setBool: [true, false] }, [".setBool[=true]"], { setBool: [true] }],
    [mixedType, { setBool: [false] }, [".setBool[=true]"], { setBool: null }],
    [mixedType, { setBool: [true, false] }, [".setBool"], { setBool: null }],
    [
      mixedType,
      { setNumeric: [1, 2, 4.5] },
      [".setNumeric[=1]", ".setNumeric[=4.5]"],
      { setNumeric: [1, 4.5] },
    ],
    [
      keyedType,
      items,
      ['.list[id=1,key="a"].key', '.list[id=1,key="a"].id'],
      { list: [{ key: "a", id: 1 }] },
    ],
    [keyedType, { atomicList: ["a", "a"] }, [".atomicList"], { atomicList: ["a", "a"] }],
    [keyedType, { atomicMap: { a: "c", b: "d" } }, [".atomicMap"], { atomicMap: { a: "c", b: "d" } }],
    [nestedType, lists, ['.lists[name="d"].name'], { lists: [{ name: "d" }] }],
    [nestedType, lists, ['.lists[name="a"]'], { lists: [{ name: "a", value: ["b", "c"] }] }],
    [
      nestedType,
      lists,
      ['.lists[name="a"].name', '.lists[name="a"].value[="b"]'],
      { lists: [{ name: "a", value: ["b"] }] },
    ],
    [nestedType, lists, ['.lists[name="x"]'], { lists: null }],
    [nestedType, lists, ['[="b"]'], null],
    [
      nestedType,
      maps,
      ['.maps[name="a"].name', '.maps[name="a"].value.q'],
      { maps: [{ name: "a", value: null }] },
    ],
    [nestedType, mapOfLists, ['.mapOfLists.b[="a"]'], { mapOfLists: { b: ["a"] } }],
    [nestedType, mapOfLists, [".mapOfLists.q"], { mapOfLists: null }],
    [nestedType, mapOfMaps, [".mapOfMaps.b.a"], { mapOfMaps: { b: { a: "x" } } }],
    [nestedType, { mapOfMaps: { b: null, d: {} } }, [".mapOfMaps.b"], { mapOfMaps: { b: null } }],
    [nestedType, recursive, [".recursive.a.b.c"], recursive],
    [nestedType, { lists: [] }, [".lists"], { lists: [] }],
    [nestedType, { lists: null }, [".lists"], { lists: null }],
    [nestedType, { mapOfMaps: {} }, [".mapOfMaps"], { mapOfMaps: {} }],
  ])("%# takes only", (type, value, paths, result) => {
    expect(extractFields(type, value, setOf(...paths))).toEqual(result);
  });

  it.each([
    [lists, { lists: [{ name: "f", value: ["j", "k"] }] }],
    [lists, { lists: [{ name: "a", value: ["j", "k"] }] }],
    [lists, { lists: [{ name: "a", value: null }] }],
    [maps, { maps: [{ name: "f", value: { q: "p" } }] }],
    [maps, { maps: [{ name: "a", value: { f: "p" } }] }],
    [maps, { maps: [{ name: "a", value: { b: "p" } }] }],
    [mapOfLists, { mapOfLists: { x: ["y", "z"] } }],
    [mapOfLists, { mapOfLists: { b: ["y", "z"] } }],
    [mapOfMaps, { mapOfMaps: { i: { j: "k" } } }],
    [mapOfMaps, { mapOfMaps: { b: { a: "k" } } }],
    [maps, { mapOfLists: { b: ["y", "z"] } }],
    [
      { recursive: { a: { b: { c: null }, d: { e: { f: null }, g: null } } } },
      { recursive: { a: { d: { e: { f: { q: null } } } } } },
    ],
  ])("gives back what was applied to %j: %j", (live, applied) => {
    const merged = mergeTyped(nestedType, live, applied);
    const extracted = extractFields(nestedType, merged, leavesOfSet(ownedSet(nestedType, applied)));
    expect(mergeTyped(nestedType, extracted, applied)).toEqual(extracted);
    expect(ownedSet(nestedType, extracted)).toEqual(ownedSet(nestedType, applied));
  });
});
