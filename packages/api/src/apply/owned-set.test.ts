import { describe, expect, it } from "vitest";
import {
  keyedListOf,
  keyedType,
  mapOf,
  mixedType,
  pairType,
  setOf,
  structOf,
  text,
  typeOf,
} from "../../test/apply-notation.ts";
import { type FieldSet, pathText, pathsOfSet } from "./field-set.ts";
import { type MergeType, deducedType } from "./merge-type.ts";
import { addedSet, ownedSet, unionOf } from "./owned-set.ts";

const texts = (set: FieldSet): string[] => pathsOfSet(set).map(pathText);

function cases(type: MergeType, rows: [value: unknown, paths: string[]][]): unknown[][] {
  return rows.map(([value, paths]) => [value, paths, type]);
}

const a1 = '.list[id=1,key="a"]';
const a2 = '.list[id=2,key="a"]';

describe("ownedSet", () => {
  it.each([
    ...cases(pairType, [
      [{ key: "foo", value: 1 }, [".key", ".value"]],
      [{ key: "foo", value: { a: "b" } }, [".key", ".value"]],
      [{ key: "foo", value: null }, [".key", ".value"]],
      [{ key: "foo" }, [".key"]],
      [{}, []],
      [null, []],
    ]),
    ...cases(mixedType, [
      [{ numeric: 1 }, [".numeric"]],
      [{ string: "aoeu", bool: false }, [".string", ".bool"]],
      [{ setStr: ["a", "b"] }, ['.setStr[="a"]', '.setStr[="b"]']],
      [{ setStr: ["a", "b", "a", "b", "b"] }, ['.setStr[="a"]', '.setStr[="b"]']],
      [{ setStr: [] }, []],
      [{ setStr: null }, [".setStr"]],
      [{ setBool: [true, false, true] }, [".setBool[=true]", ".setBool[=false]"]],
      [{ setNumeric: [1, 3.14159] }, [".setNumeric[=1]", ".setNumeric[=3.14159]"]],
      [{ color: {} }, [".color"]],
      [{ color: null }, [".color"]],
      [{ color: { R: 255 } }, [".color"]],
      [{ wavelengths: {} }, [".wavelengths"]],
      [{ wavelengths: { IR: 255 } }, [".wavelengths"]],
      [{ args: [] }, [".args"]],
      [{ args: null }, [".args"]],
      [{ args: [null] }, [".args"]],
      [{ args: [{ key: "a" }] }, [".args"]],
    ]),
    ...cases(keyedType, [
      [{ list: [] }, []],
      [{ list: [{ key: "a", id: 1, value: { a: "a" } }] }, [a1, `${a1}.key`, `${a1}.id`, `${a1}.value.a`]],
      [{ list: [{ key: "a", id: 1, value: {} }] }, [a1, `${a1}.key`, `${a1}.id`, `${a1}.value`]],
      [
        {
          list: [
            { key: "a", id: 1 },
            { key: "a", id: 2 },
          ],
        },
        [a1, a2, `${a1}.key`, `${a1}.id`, `${a2}.key`, `${a2}.id`],
      ],
      [
        {
          list: [
            { key: "a", id: 1, nv: 2 },
            { key: "a", id: 2, nv: 3 },
            { key: "a", id: 2, bv: true },
          ],
        },
        [a1, `${a1}.key`, `${a1}.id`, `${a1}.nv`, a2],
      ],
      [{ atomicList: ["a", "a", "a"] }, [".atomicList"]],
    ]),
    ...cases(deducedType, [
      [{ a: 1, b: [1], c: {}, d: { e: { f: null } } }, [".a", ".b", ".c", ".d", ".d.e", ".d.e.f"]],
    ]),
    ...cases(typeOf({ m: mapOf(text), s: structOf({ x: text }) }), [
      [{ m: { k: "v" }, s: { x: "y" } }, [".m.k", ".s.x"]],
      [{ m: {}, s: {} }, [".m", ".s"]],
    ]),
  ])("of %j is %j", (value, paths, type) => {
    expect(texts(ownedSet(type as MergeType, value))).toEqual(texts(setOf(...(paths as string[]))));
  });
});

describe("addedSet", () => {
  it.each([
    ...cases(keyedType, [
      [
        { list: [{ key: "a", id: 1, value: { a: "a" } }] },
        [".list", a1, `${a1}.key`, `${a1}.id`, `${a1}.value`, `${a1}.value.a`],
      ],
      [
        {
          list: [
            { key: "a", id: 1 },
            { key: "a", id: 1 },
          ],
        },
        [".list", a1],
      ],
      [{ list: [] }, [".list"]],
    ]),
    ...cases(mixedType, [
      [{ setStr: ["a"], color: { R: 1 }, args: [{}] }, [".setStr", '.setStr[="a"]', ".color", ".args"]],
    ]),
    ...cases(deducedType, [[{ d: { e: { f: null } } }, [".d", ".d.e", ".d.e.f"]]]),
    ...cases(typeOf({ l: keyedListOf(["n"], { n: { ...text, default: "d" }, v: text }) }), [
      [{ l: [{ v: "x" }] }, [".l", '.l[n="d"]', '.l[n="d"].v']],
    ]),
  ])("of %j has its containers too: %j", (value, paths, type) => {
    expect(texts(addedSet(type as MergeType, value))).toEqual(texts(setOf(...(paths as string[]))));
  });
});

describe("unionOf", () => {
  it("joins any number of sets", () => {
    expect(unionOf([])).toEqual({});
    expect(unionOf([setOf(".a"), setOf(".b"), setOf(".a.c")])).toEqual(setOf(".a", ".b", ".a.c"));
  });
});
