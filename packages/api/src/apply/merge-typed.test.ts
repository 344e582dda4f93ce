import { describe, expect, it } from "vitest";
import {
  anything,
  keyedType,
  listOf,
  mapOf,
  mixedType,
  pairType,
  structOf,
  text,
  typeOf,
} from "../../test/apply-notation.ts";
import { type MergeType, deducedType } from "./merge-type.ts";
import { mergeTyped } from "./merge-typed.ts";

const innerMap = typeOf({ inner: mapOf(anything) });
const innerStruct = typeOf({ inner: structOf({ value: anything }) });
const innerList = typeOf({ inner: listOf(anything) });

function cases(type: MergeType, rows: [live: unknown, applied: unknown, merged: unknown][]): unknown[][] {
  return rows.map(([live, applied, merged]) => [live, applied, merged, type]);
}

function expectMerge(live: unknown, applied: unknown, merged: unknown, type: unknown): void {
  expect(mergeTyped(type as MergeType, live, applied)).toEqual(merged);
}

describe("mergeTyped", () => {
  it.each(
    cases(pairType, [
      [
        { key: "foo", value: {} },
        { key: "foo", value: 1 },
        { key: "foo", value: 1 },
      ],
      [
        { key: "foo", value: 1 },
        { key: "foo", value: {} },
        { key: "foo", value: {} },
      ],
      [
        { key: "foo", value: null },
        { key: "foo", value: {} },
        { key: "foo", value: {} },
      ],
      [{ key: "foo" }, { value: true }, { key: "foo", value: true }],
      [{ key: "foo" }, { key: null }, { key: null }],
      [{ key: "foo" }, {}, { key: "foo" }],
    ]),
  )("replaces scalars and untyped values: %j with %j is %j", expectMerge);

  it.each([
    ...cases(innerMap, [
      [{}, { inner: {} }, { inner: {} }],
      [{}, { inner: null }, { inner: null }],
      [{ inner: null }, { inner: {} }, { inner: {} }],
      [{ inner: {} }, { inner: null }, { inner: null }],
      [{ inner: {} }, { inner: {} }, { inner: {} }],
      [{ inner: { a: 1 } }, { inner: null }, { inner: { a: 1 } }],
      [{ inner: { a: 1 } }, { inner: {} }, { inner: { a: 1 } }],
    ]),
    ...cases(innerStruct, [
      [{}, { inner: {} }, { inner: {} }],
      [{}, { inner: null }, { inner: null }],
      [{ inner: null }, { inner: {} }, { inner: {} }],
      [{ inner: {} }, { inner: null }, { inner: null }],
      [{ inner: { value: 1 } }, { inner: { value: null } }, { inner: { value: null } }],
    ]),
    ...cases(innerList, [
      [{}, { inner: [] }, { inner: [] }],
      [{}, { inner: null }, { inner: null }],
      [{ inner: null }, { inner: [] }, { inner: [] }],
      [{ inner: [] }, { inner: null }, { inner: null }],
      [{ inner: [] }, { inner: [] }, { inner: [] }],
    ]),
  ])("tells nothing from empty: %j with %j is %j", expectMerge);

  const set = (live: string, applied: string, merged: string): [unknown, unknown, unknown] => [
    { setStr: [...live] },
    { setStr: [...applied] },
    { setStr: [...merged] },
  ];
  it.each(
    cases(mixedType, [
      [{ numeric: 1 }, { numeric: 3.14159 }, { numeric: 3.14159 }],
      [{ string: "aoeu" }, { bool: true }, { string: "aoeu", bool: true }],
      set("abc", "ab", "abc"),
      set("ab", "abc", "abc"),
      set("abc", "", "abc"),
      set("", "abc", "abc"),
      set("ab", "ba", "ba"),
      set("abc", "def", "abcdef"),
      set("abc", "cdef", "abcdef"),
      set("abcgf", "cdef", "abcgdef"),
      set("abc", "defxyz", "abcdefxyz"),
      set("cdef", "ace", "acdef"),
      set("abcxyz", "def", "abcxyzdef"),
      set("abcxyz", "defxyz", "abcdefxyz"),
      set("cagf", "cfag", "cfag"),
      set("abcd", "defa", "bcdefa"),
      set("cdefghij", "2h3e4kl", "cdfg2hij3e4kl"),
      set("abcdefghij", "1b2h3e4kl", "a1bcdfg2hij3e4kl"),
      set("abb", "c", "abbc"),
      set("abb", "b", "ab"),
      set("abb", "a", "abb"),
      set("abcdec", "1b2ed", "a1bc2ecd"),
      set("abcdec", "1b2ced", "a1b2ced"),
      set("aabb", "bcd", "aabcd"),
      set("aabb", "", "aabb"),
      set("cagfca", "cfag", "cfag"),
      set("aax", "ay", "ayx"),
      [{ setBool: [true] }, { setBool: [false] }, { setBool: [true, false] }],
      [{ setBool: [true, false, true] }, { setBool: [false] }, { setBool: [true, false, true] }],
      [{ setBool: [true, false, true] }, { setBool: [true] }, { setBool: [true, false] }],
      [{ setNumeric: [1, 2, 3.14159] }, { setNumeric: [1, 2, 3] }, { setNumeric: [1, 2, 3.14159, 3] }],
      [{ setNumeric: [1, 2, 3.14159, 1, 2] }, { setNumeric: [1, 2, 3] }, { setNumeric: [1, 2, 3.14159, 3] }],
      [{ setStr: ["a"] }, { setStr: null }, { setStr: ["a"] }],
      [{ color: { R: 1, G: 2 } }, { color: { B: 3 } }, { color: { B: 3 } }],
      [{ wavelengths: { IR: 1 } }, { wavelengths: null }, { wavelengths: null }],
      [{ args: [{ key: "a" }] }, { args: [{ value: "b" }] }, { args: [{ value: "b" }] }],
    ]),
  )("merges scalars, sets and atomics: %j with %j is %j", expectMerge);

  const item = (key: string, id: number, more: object = {}): object => ({ key, id, ...more });
  it.each(
    cases(keyedType, [
      [{ list: [item("a", 1)] }, { list: [item("a", 1)] }, { list: [item("a", 1)] }],
      [{ list: [item("a", 1)] }, { list: [item("a", 2)] }, { list: [item("a", 1), item("a", 2)] }],
      [
        { list: [item("a", 1), item("b", 1)] },
        { list: [item("a", 1), item("a", 2)] },
        { list: [item("a", 1), item("b", 1), item("a", 2)] },
      ],
      [
        { list: [item("b", 2)] },
        { list: [item("a", 1), item("b", 2), item("c", 3)] },
        { list: [item("a", 1), item("b", 2), item("c", 3)] },
      ],
      [
        { list: [item("a", 1), item("b", 2), item("c", 3)] },
        { list: [item("c", 3), item("b", 2)] },
        { list: [item("a", 1), item("c", 3), item("b", 2)] },
      ],
      [
        { list: [item("a", 1), item("b", 2), item("c", 3)] },
        { list: [item("c", 3), item("a", 1)] },
        { list: [item("b", 2), item("c", 3), item("a", 1)] },
      ],
      [
        { list: [item("a", 1, { value: { x: "1" } })] },
        { list: [item("a", 1, { value: { y: "2" }, bv: true })] },
        { list: [item("a", 1, { value: { x: "1", y: "2" }, bv: true })] },
      ],
      [{ atomicList: ["a", "a"] }, { atomicList: null }, { atomicList: null }],
      [{ atomicList: ["a", "b"] }, { atomicList: [] }, { atomicList: [] }],
      [{ atomicList: ["a", "a", "a"] }, { atomicList: ["a", "a"] }, { atomicList: ["a", "a"] }],
      [
        { list: [item("a", 1, { bv: true }), item("b", 2), item("a", 1, { bv: false, nv: 2 })] },
        { list: [item("a", 1, { nv: 3 }), item("c", 3), item("b", 2)] },
        { list: [item("a", 1, { nv: 3 }), item("c", 3), item("b", 2)] },
      ],
      [
        { list: [item("a", 1, { nv: 1 }), item("a", 1, { nv: 2 })] },
        { list: [] },
        { list: [item("a", 1, { nv: 1 }), item("a", 1, { nv: 2 })] },
      ],
      [
        { list: [item("a", 1, { nv: 1 }), item("a", 1, { nv: 2 })] },
        {},
        { list: [item("a", 1, { nv: 1 }), item("a", 1, { nv: 2 })] },
      ],
    ]),
  )("merges keyed lists: %j with %j is %j", expectMerge);

  it.each(
    cases(deducedType, [
      [{ a: 1 }, { b: 2 }, { a: 1, b: 2 }],
      [{ a: { x: 1 } }, { a: { y: 2 } }, { a: { x: 1, y: 2 } }],
      [{ a: [1, 2] }, { a: [3] }, { a: [3] }],
      [{ a: { x: 1 } }, { a: "text" }, { a: "text" }],
      [{ a: "text" }, { a: { x: 1 } }, { a: { x: 1 } }],
      [{ a: { x: 1 } }, { a: [1] }, { a: [1] }],
      [{ a: [1] }, { a: null }, { a: null }],
      [{ a: 1 }, { a: null }, { a: null }],
      [{ a: { x: 1 } }, { a: null }, { a: { x: 1 } }],
    ]),
  )("merges without a schema: %j with %j is %j", expectMerge);

  it("returns the live value when nothing changes, and shares what does not", () => {
    const live = {
      list: [
        { key: "a", id: 1, value: { x: "1" } },
        { key: "b", id: 1 },
      ],
      atomicList: ["x"],
    };
    expect(mergeTyped(keyedType, live, structuredClone(live))).toBe(live);
    const merged = mergeTyped(keyedType, live, { list: [{ key: "b", id: 1, nv: 2 }] }) as typeof live;
    expect(merged).not.toBe(live);
    expect(merged.list[0]).toBe(live.list[0]);
    expect(merged.atomicList).toBe(live.atomicList);
  });

  it("knows large integers apart", () => {
    expect(mergeTyped(typeOf({ n: { type: "integer" } }), { n: 2n ** 60n }, { n: 2n ** 60n + 1n })).toEqual({
      n: 2n ** 60n + 1n,
    });
  });

  it("keeps fields of a struct that the applied value leaves out", () => {
    const type = typeOf({ s: structOf({ a: text, b: text }) });
    expect(mergeTyped(type, { s: { a: "1" } }, { s: { b: "2" } })).toEqual({ s: { a: "1", b: "2" } });
  });
});
