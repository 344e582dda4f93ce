import { describe, expect, it } from "vitest";
import {
  atomic,
  keyedListOf,
  listOf,
  mapOf,
  number,
  setListOf,
  setOf,
  structOf,
  text,
  typeOf,
} from "../../test/apply-notation.ts";
import { ApplySession } from "../../test/apply-session.ts";
import { pathText, pathsOfSet } from "./field-set.ts";
import { type MergeType, compileMergeType, deducedType } from "./merge-type.ts";
import { reconcileSet, withNamedFields } from "./reconcile-set.ts";

const struct = structOf({ numeric: number, string: text });
const items = { keyA: text, keyB: text, value: text };
const unchanged = structOf({ numeric: number });
const granular = typeOf({
  struct,
  list: setListOf(text),
  objectList: keyedListOf(["keyA", "keyB"], items),
  stringMap: mapOf(text),
  unchanged,
});
const whole = typeOf({
  struct: atomic(struct),
  list: listOf(text),
  objectList: listOf(structOf(items)),
  stringMap: atomic(mapOf(text)),
  unchanged,
});

describe("reconcileSet", () => {
  const owned = [
    ".struct.numeric",
    '.list[="one"]',
    ".stringMap.key1",
    '.objectList[keyA="a1",keyB="b1"].value',
    ".unchanged.numeric",
  ];

  it("owns a container whole when it became atomic", () => {
    const wholes = [".struct", ".list", ".objectList", ".stringMap", ".unchanged.numeric"];
    expect(reconcileSet(whole, setOf(...owned))).toEqual(setOf(...wholes));
  });

  it("owns a container whole that was owned along with what is in it", () => {
    expect(reconcileSet(whole, setOf(".struct", ".struct.numeric"))).toEqual(setOf(".struct"));
  });

  it.each<[string, MergeType, string[]]>([
    ["still granular", granular, owned],
    ["still atomic", whole, [".struct", ".list", ".objectList", ".unchanged.numeric"]],
    [
      "granular and owned as empty",
      granular,
      [".struct", ".list", ".objectList", '.objectList[keyA="a1",keyB="b1"]', ".unchanged"],
    ],
    ["granular now and atomic before", granular, [".struct", ".list"]],
    ["of no schema", deducedType, [".struct", ".struct.numeric", '.list[="one"]']],
    ["not known any more", granular, [".gone", ".gone.x", ".struct.gone.x"]],
    [
      "free",
      typeOf({ free: { type: "object", "x-kubernetes-preserve-unknown-fields": true } }),
      [".free", ".free.arbitrary", ".free.a.b"],
    ],
  ])("returns the set when it is %s", (_name, type, paths) => {
    const set = setOf(...paths);
    expect(reconcileSet(type, set)).toBe(set);
    expect(reconcileSet(type, set)).toBe(set);
  });

  it("reconciles declared fields of a map that allows others", () => {
    const type = compileMergeType({
      type: "object",
      properties: {
        free: {
          type: "object",
          "x-kubernetes-preserve-unknown-fields": true,
          properties: { list: listOf(text) },
        },
      },
    });
    expect(reconcileSet(type, setOf(".free", ".free.arbitrary", ".free.list", '.free.list[="one"]'))).toEqual(
      setOf(".free", ".free.arbitrary", ".free.list"),
    );
  });
});

describe("withNamedFields", () => {
  const type = typeOf({
    s: structOf({ t: structOf({ x: text }) }),
    m: mapOf(mapOf(text)),
    l: keyedListOf(["n"], { n: text, s: struct }),
  });
  it.each([
    [[".s.t.x"], [".s", ".s.t", ".s.t.x"]],
    [[".m.a.b"], [".m", ".m.a.b"]],
    [['.l[n="a"].s.string'], [".l", '.l[n="a"].s', '.l[n="a"].s.string']],
    [[".other.x"], [".other.x"]],
    [[".s"], [".s"]],
  ])("adds the structs around %j", (given, expected) => {
    expect(pathsOfSet(withNamedFields(type, setOf(...given))).map(pathText)).toEqual(
      pathsOfSet(setOf(...expected)).map(pathText),
    );
  });
});

describe("managers when the schema changes", () => {
  const one = (properties: Parameters<typeof typeOf>[0]): MergeType => typeOf(properties);

  it("conflict on a struct that became atomic", () => {
    const session = new ApplySession(one({ struct }));
    session.apply("one", { struct: { numeric: 1 } });
    session.management = { ...session.management, typeOf: () => one({ struct: atomic(struct) }) };
    expect(session.conflicts("two", { struct: { string: "s" } })).toEqual(["one .struct"]);
    session.apply("two", { struct: { string: "s" } }, { force: true });
    expect(session.fields).toEqual({ struct: { string: "s" } });
    expect(session.owned).toEqual({ two: ["v1", [".struct"]] });
  });

  it("keep the whole of a struct that became granular, which then owns no field", () => {
    const session = new ApplySession(one({ struct: atomic(struct) }));
    session.apply("one", { struct: { numeric: 1, string: "a" } });
    expect(session.conflicts("two", { struct: { string: "b" } })).toEqual(["one .struct"]);
    session.management = { ...session.management, typeOf: () => one({ struct }) };
    session.apply("two", { struct: { string: "b" } });
    expect(session.fields).toEqual({ struct: { numeric: 1, string: "b" } });
    expect(session.owned).toEqual({ one: ["v1", [".struct"]], two: ["v1", [".struct.string"]] });
  });

  const list = (keys: string[], id: object = number): MergeType =>
    one({ list: keyedListOf(keys, { name: text, id, value: number }) });

  it("find items by a key that was added with a default", () => {
    const session = new ApplySession(list(["name"]));
    session.apply("one", {
      list: [
        { name: "a", value: 1 },
        { name: "b", value: 1 },
      ],
    });
    session.management = {
      ...session.management,
      typeOf: () => list(["name", "id"], { ...number, default: 1 }),
    };
    const applied = [
      { name: "a", value: 2 },
      { name: "b", id: 1, value: 2 },
      { name: "b", id: 2, value: 3 },
    ];
    session.apply("one", { list: applied });
    expect(session.fields).toEqual({ list: applied });
    expect(session.owned["one"]?.[1]).toContain('.list[id=1,name="a"].value');
    expect(session.owned["one"]?.[1]).not.toContain('.list[name="a"]');
  });

  it.each([
    ["the same item", { name: "a", id: 1, value: 1 }, [{ name: "a", id: 1, value: 2 }]],
    [
      "another item",
      { name: "a", id: 1, value: 1 },
      [
        { name: "a", id: 1, value: 1 },
        { name: "a", id: 2, value: 2 },
      ],
    ],
    [
      "an item without it",
      { name: "a", value: 1 },
      [
        { name: "a", value: 1 },
        { name: "a", id: 2, value: 2 },
      ],
    ],
  ])("find items by a field that became a key: %s", (_name, before, after) => {
    const session = new ApplySession(list(["name"]));
    session.apply("one", { list: [before] });
    session.management = { ...session.management, typeOf: () => list(["name", "id"]) };
    session.apply("one", { list: after });
    expect(session.fields).toEqual({ list: after });
  });
});
