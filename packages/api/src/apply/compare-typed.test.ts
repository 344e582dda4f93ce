import { describe, expect, it } from "vitest";
import {
  anything,
  keyedType,
  listOf,
  mapOf,
  mixedType,
  pairType,
  setOf,
  structOf,
  typeOf,
} from "../../test/apply-notation.ts";
import type { JsonSchema } from "../schema/json-schema.ts";
import { compareTyped, excludeFromComparison } from "./compare-typed.ts";
import { type FieldSet, pathText, pathsOfSet } from "./field-set.ts";
import { type MergeType, compileMergeType, deducedType } from "./merge-type.ts";

interface Changes {
  added?: string[];
  modified?: string[];
  removed?: string[];
}

const texts = (set: FieldSet): string[] => pathsOfSet(set).map(pathText);

function cases(type: MergeType, rows: [left: unknown, right: unknown, changes: Changes][]): unknown[][] {
  return rows.map(([left, right, changes]) => [left, right, changes, type]);
}

/** Checks a row in both directions: what the one adds, the other removes. */
function expectChanges(left: unknown, right: unknown, expected: unknown, type: unknown): void {
  const { added = [], modified = [], removed = [] } = expected as Changes;
  const there = compareTyped(type as MergeType, left, right);
  expect({
    added: texts(there.added),
    modified: texts(there.modified),
    removed: texts(there.removed),
  }).toEqual({
    added: texts(setOf(...added)),
    modified: texts(setOf(...modified)),
    removed: texts(setOf(...removed)),
  });
  const back = compareTyped(type as MergeType, right, left);
  expect(texts(back.added)).toEqual(texts(there.removed));
  expect(texts(back.removed)).toEqual(texts(there.added));
  expect(texts(back.modified)).toEqual(texts(there.modified));
}

/** Any value, lists and maps of which are looked into. */
const separable: JsonSchema = {
  $ref: "#/definitions/Any",
};
const separableType = compileMergeType(
  { type: "object", properties: { a: separable } },
  {
    definitions: {
      Any: { "x-kubernetes-list-type": "set", items: separable, additionalProperties: separable },
    },
  },
);
const innerMap = typeOf({ inner: mapOf(anything) });
const innerStruct = typeOf({ inner: structOf({ value: anything }) });
const innerList = typeOf({ inner: listOf(anything) });
const nested: JsonSchema = { $ref: "#/definitions/Nested" };
const nestedType = compileMergeType(
  { type: "object", properties: { a: nested, b: nested } },
  { definitions: { Nested: { type: "object", additionalProperties: nested } } },
);

describe("compareTyped", () => {
  it.each(
    cases(pairType, [
      [{ key: "foo", value: 1 }, { key: "foo", value: 1 }, {}],
      [{ key: "foo", value: {} }, { key: "foo", value: 1 }, { modified: [".value"] }],
      [{ key: "foo", value: 1 }, { key: "foo", value: { any: { thing: 1 } } }, { modified: [".value"] }],
      [{ key: "foo", value: null }, { key: "foo", value: {} }, { modified: [".value"] }],
      [{ key: "foo" }, { value: true }, { removed: [".key"], added: [".value"] }],
      [{ key: "foot" }, { key: "foo", value: true }, { modified: [".key"], added: [".value"] }],
    ]),
  )("of scalars and untyped values: %j to %j", expectChanges);

  it.each([
    ...[innerMap, innerStruct].flatMap((type) =>
      cases(type, [
        [{}, { inner: {} }, { added: [".inner"] }],
        [{}, { inner: null }, { added: [".inner"] }],
        [{ inner: null }, { inner: {} }, { modified: [".inner"] }],
        [{ inner: {} }, { inner: {} }, {}],
        [{ inner: null }, { inner: { value: 1 } }, { added: [".inner.value"] }],
        [{}, { inner: { value: 1 } }, { added: [".inner", ".inner.value"] }],
      ]),
    ),
    ...cases(innerList, [
      [{}, { inner: [] }, { added: [".inner"] }],
      [{}, { inner: null }, { added: [".inner"] }],
      [{ inner: null }, { inner: [] }, { modified: [".inner"] }],
      [{ inner: [] }, { inner: [] }, {}],
    ]),
    ...cases(nestedType, [
      [{ a: {}, b: {} }, { a: {}, b: {} }, {}],
      [{ a: {} }, { b: {} }, { removed: [".a"], added: [".b"] }],
      [{ a: { b: { c: {} } } }, { a: { b: {} } }, { removed: [".a.b.c"] }],
      [{ a: {} }, { a: { b: {} } }, { added: [".a.b"] }],
    ]),
  ])("of nothing and empty: %j to %j", expectChanges);

  it.each(
    cases(deducedType, [
      [{ a: {} }, { a: { b: {} } }, { added: [".a.b"] }],
      [{ a: null }, { a: { b: {} } }, { added: [".a.b"] }],
      [{ a: [] }, { a: ["b"] }, { modified: [".a"] }],
      [{ a: null }, { a: ["b"] }, { modified: [".a"] }],
      [{ a: null }, { a: "b" }, { modified: [".a"] }],
      [{ a: { b: {} } }, { a: ["b"] }, { removed: [".a.b"], modified: [".a"] }],
      [{ a: { b: {} } }, { a: "b" }, { removed: [".a.b"], modified: [".a"] }],
      [{ a: ["b"] }, { a: "b" }, { modified: [".a"] }],
      [{ a: { b: 1 } }, { a: { b: 1, c: [1] } }, { added: [".a.c"] }],
    ]),
  )("without a schema: %j to %j", expectChanges);

  it.each(
    cases(separableType, [
      [{ a: {} }, { a: { b: {} } }, { added: [".a.b"] }],
      [{ a: null }, { a: { b: {} } }, { added: [".a.b"] }],
      [{ a: [] }, { a: ["b"] }, { added: ['.a[="b"]'] }],
      [{ a: null }, { a: ["b"] }, { modified: [".a"], added: ['.a[="b"]'] }],
      [{ a: null }, { a: "b" }, { modified: [".a"] }],
      [{ a: { b: {} } }, { a: ["b"] }, { removed: [".a.b"], added: ['.a[="b"]'] }],
      [{ a: { b: {} } }, { a: "b" }, { removed: [".a.b"], modified: [".a"] }],
      [{ a: ["b"] }, { a: "b" }, { removed: ['.a[="b"]'], modified: [".a"] }],
    ]),
  )("of values that change their form: %j to %j", expectChanges);

  it.each(
    cases(mixedType, [
      [{ numeric: 1 }, { numeric: 3.14159 }, { modified: [".numeric"] }],
      [{ string: "aoeu" }, { bool: true }, { removed: [".string"], added: [".bool"] }],
      [{ setStr: ["a", "b"] }, { setStr: ["a", "b", "c"] }, { added: ['.setStr[="c"]'] }],
      [{ setStr: ["a"] }, { setStr: ["a", "b", "b"] }, { added: ['.setStr[="b"]'] }],
      [
        { setStr: ["a", "b"] },
        { setStr: ["a", "b", "b"] },
        { removed: ['.setStr[="b"]'], added: ['.setStr[="b"]'] },
      ],
      [{ setStr: ["b", "b"] }, { setStr: ["a", "b", "b"] }, { added: ['.setStr[="a"]'] }],
      [{ setStr: ["b", "b"] }, { setStr: ["b", "b", "b"] }, { modified: ['.setStr[="b"]'] }],
      [{ setStr: ["a", "b"] }, { setStr: ["b", "a"] }, {}],
      [
        { setStr: ["a", "b", "c"] },
        { setStr: [] },
        { removed: ['.setStr[="a"]', '.setStr[="b"]', '.setStr[="c"]'] },
      ],
      [
        { setStr: ["a", "b", "b", "c", "a"] },
        { setStr: [] },
        { removed: ['.setStr[="a"]', '.setStr[="b"]', '.setStr[="c"]'] },
      ],
      [
        { setBool: [true] },
        { setBool: [false] },
        { removed: [".setBool[=true]"], added: [".setBool[=false]"] },
      ],
      [
        { setBool: [true, true] },
        { setBool: [false] },
        { removed: [".setBool[=true]"], added: [".setBool[=false]"] },
      ],
      [
        { setNumeric: [1, 2, 2, 3.14159, 1] },
        { setNumeric: [1, 2, 3] },
        {
          removed: [".setNumeric[=1]", ".setNumeric[=2]", ".setNumeric[=3.14159]"],
          added: [".setNumeric[=1]", ".setNumeric[=2]", ".setNumeric[=3]"],
        },
      ],
      [{ color: { R: 1 } }, { color: { R: 1, G: 0 } }, { modified: [".color"] }],
      [{ args: [{ key: "a" }] }, { args: [{ key: "b" }] }, { modified: [".args"] }],
    ]),
  )("of sets and atomics: %j to %j", expectChanges);

  const a1 = '.list[id=1,key="a"]';
  it.each(
    cases(keyedType, [
      [
        {},
        { list: [{ key: "a", id: 1, value: { a: "a" } }] },
        { added: [".list", a1, `${a1}.key`, `${a1}.id`, `${a1}.value`, `${a1}.value.a`] },
      ],
      [
        { list: [{ key: "a", id: 1, value: { a: "a" } }] },
        { list: [{ key: "a", id: 1, value: { a: "b" } }] },
        { modified: [`${a1}.value.a`] },
      ],
      [
        {
          list: [
            { key: "a", id: 1 },
            { key: "b", id: 1 },
          ],
        },
        {
          list: [
            { key: "a", id: 1 },
            { key: "a", id: 2 },
          ],
        },
        {
          removed: ['.list[id=1,key="b"]', '.list[id=1,key="b"].key', '.list[id=1,key="b"].id'],
          added: ['.list[id=2,key="a"]', '.list[id=2,key="a"].key', '.list[id=2,key="a"].id'],
        },
      ],
      [{ atomicList: ["a", "a", "a"] }, { atomicList: null }, { modified: [".atomicList"] }],
      [{ atomicList: ["a", "a", "a"] }, { atomicList: ["a", "a"] }, { modified: [".atomicList"] }],
      [
        {
          list: [
            { key: "a", id: 1, nv: 2 },
            { key: "a", id: 1, bv: true },
          ],
        },
        { list: [{ key: "a", id: 1 }] },
        { removed: [a1], added: [a1, `${a1}.key`, `${a1}.id`] },
      ],
      [
        {
          list: [
            { key: "a", id: 1 },
            { key: "a", id: 1, bv: true },
          ],
        },
        {
          list: [
            { key: "a", id: 1 },
            { key: "a", id: 1, bv: true, nv: 1 },
          ],
        },
        { modified: [a1] },
      ],
      [
        {
          list: [
            { key: "a", id: 1 },
            { key: "b", id: 1 },
            { key: "a", id: 1, bv: true },
          ],
        },
        {
          list: [
            { key: "a", id: 1 },
            { key: "b", id: 1, bv: true },
            { key: "a", id: 1, bv: true },
          ],
        },
        { added: ['.list[id=1,key="b"].bv'] },
      ],
      [
        {
          list: [
            { key: "a", id: 1 },
            { key: "a", id: 1 },
          ],
        },
        {
          list: [
            { key: "a", id: 1 },
            { key: "a", id: 1 },
          ],
          atomicList: ["unrelated"],
        },
        { added: [".atomicList"] },
      ],
    ]),
  )("of keyed lists: %j to %j", expectChanges);

  it("is the same for equal values, and looks at shared parts only once", () => {
    const value = { list: [{ key: "a", id: 1 }] };
    const nothing = { added: {}, modified: {}, removed: {} };
    expect(compareTyped(keyedType, value, value)).toEqual(nothing);
    expect(compareTyped(keyedType, value, structuredClone(value))).toEqual(nothing);
    expect(compareTyped(keyedType, value, {})).not.toEqual(nothing);
  });

  it("takes keys that every object inherits for keys", () => {
    const { added, removed } = compareTyped(
      deducedType,
      { m: { constructor: "x" } },
      { m: { toString: "y" } },
    );
    expect([texts(added), texts(removed)]).toEqual([[".m.toString"], [".m.constructor"]]);
  });

  it("can be narrowed to fields that may change", () => {
    const comparison = compareTyped(deducedType, { a: 1, s: { x: 1, y: 2 } }, { b: 1, s: { x: 2, z: 3 } });
    const narrowed = excludeFromComparison(comparison, setOf(".s", ".b"));
    expect([narrowed.added, narrowed.modified, narrowed.removed].map(texts)).toEqual([[], [], [".a"]]);
    expect(excludeFromComparison(comparison, undefined)).toBe(comparison);
  });
});
