import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { path, setOf } from "../../test/apply-notation.ts";
import {
  type FieldSet,
  differenceOfSets,
  emptySet,
  equalSets,
  fieldSetOf,
  fieldSetOfPaths,
  hasPath,
  intersectionOfSets,
  isEmptySet,
  leavesOfSet,
  pathText,
  pathsOfSet,
  recursiveDifference,
  sortedSet,
  unionSets,
} from "./field-set.ts";
import { readFieldSet } from "./read-field-set.ts";

const texts = (set: FieldSet): string[] => pathsOfSet(set).map(pathText);

describe("fieldSetOf", () => {
  it("is the wire form", () => {
    expect(fieldSetOf([["metadata"], ["spec", "replicas"], ["spec"]])).toEqual({
      "f:metadata": {},
      "f:spec": { ".": {}, "f:replicas": {} },
    });
  });

  it("keeps a member that gets children and a node that becomes a member", () => {
    expect(setOf(".a", ".a.b", ".c.d", ".c")).toEqual({
      "f:a": { ".": {}, "f:b": {} },
      "f:c": { ".": {}, "f:d": {} },
    });
  });

  it("has no root member", () => {
    expect(fieldSetOfPaths([[]])).toEqual({});
  });
});

describe("hasPath", () => {
  const set = setOf(
    ".foo[0].bar.baz",
    ".foo[0].bar",
    ".foo[0]",
    ".foo[1].bar.baz",
    ".foo[1].bar",
    '.qux[name="first"]',
    '.qux[name="first"].bar',
    '.qux[name="second"].bar',
    '.order[a="a",b="a",c="a"]',
  );
  it.each([
    ['.qux[name="second"]', false],
    ['.qux[name="second"].bar', true],
    ['.qux[name="first"]', true],
    ['.xuq[name="first"]', false],
    [".foo[0]", true],
    [".foo[0].bar", true],
    [".foo[0].bar.baz", true],
    [".foo[1]", false],
    [".foo[1].bar", true],
    ['.order[c="a",b="a",a="a"]', true],
    ["", false],
  ])("%s is %s", (text, expected) => {
    expect(hasPath(set, path(text))).toBe(expected);
  });
});

describe("unionSets", () => {
  it("joins members and children at every depth", () => {
    const a = setOf(".foo[0]", ".foo", ".bar.baz", '.qux[name="first"]', ".parent.child.grandchild");
    const b = setOf(".foo[1]", ".bar.baz", ".bar", '.qux[name="second"]', ".parent.child");
    const union = setOf(
      ".foo[0]",
      ".foo[1]",
      ".foo",
      ".bar.baz",
      ".bar",
      '.qux[name="first"]',
      '.qux[name="second"]',
      ".parent.child",
      ".parent.child.grandchild",
    );
    expect(sortedSet(unionSets(a, b))).toEqual(union);
    expect(sortedSet(unionSets(b, a))).toEqual(union);
  });

  it("returns the left set when it has it all", () => {
    const a = setOf(".a", ".a.b", ".c");
    expect(unionSets(a, setOf(".a.b"))).toBe(a);
    expect(unionSets(a, emptySet)).toBe(a);
    expect(unionSets(emptySet, a)).toBe(a);
  });
});

describe("differenceOfSets and intersectionOfSets", () => {
  const a = setOf(
    ".a0",
    ".a1",
    ".foo[0]",
    ".foo[1]",
    '.b0[name="f"]',
    '.b1[name="f"]',
    ".bar.c0",
    '.cp[name="f"].child',
  );
  const b = setOf(
    ".a1",
    ".a2",
    ".foo[1]",
    ".foo[2]",
    '.b1[name="f"]',
    '.b2[name="f"]',
    ".bar.c2",
    '.cp[name="f"]',
  );

  it("intersects", () => {
    expect(intersectionOfSets(a, b)).toEqual(setOf(".a1", ".foo[1]", '.b1[name="f"]'));
    expect(intersectionOfSets(b, a)).toEqual(setOf(".a1", ".foo[1]", '.b1[name="f"]'));
  });

  it("takes the members of the one from the other, parents and children apart", () => {
    expect(differenceOfSets(a, b)).toEqual(
      setOf(".a0", ".foo[0]", '.b0[name="f"]', ".bar.c0", '.cp[name="f"].child'),
    );
    expect(differenceOfSets(b, a)).toEqual(
      setOf(".a2", ".foo[2]", '.b2[name="f"]', ".bar.c2", '.cp[name="f"]'),
    );
  });

  it.each([
    [[".a"], [".a"], [], []],
    [[".a.b.c"], [".a.b.c"], [], []],
    [[".a.b.c", ".b.b.c"], [".a.b.c"], [".b.b.c"], [".b.b.c"]],
    [[".a"], [".a.aa"], [".a"], [".a"]],
    [[".a.b.c"], [".a"], [".a.b.c"], []],
    [[".a.aa.aab", ".a.ab.aba"], [".a.aa"], [".a.aa.aab", ".a.ab.aba"], [".a.ab.aba"]],
    [[".a.aa.aab", ".a.ab.aba"], [".a"], [".a.aa.aab", ".a.ab.aba"], []],
    [[".a", ".a.b"], [".a.b"], [".a"], [".a"]],
    [[".a", ".a.b"], [".a"], [".a.b"], []],
    [[".a", ".a.b", ".a.c"], [".a.b"], [".a", ".a.c"], [".a", ".a.c"]],
  ])("%j without %j is %j, with what is below %j", (left, right, difference, recursive) => {
    expect(texts(differenceOfSets(setOf(...left), setOf(...right)))).toEqual(difference);
    expect(texts(recursiveDifference(setOf(...left), setOf(...right)))).toEqual(recursive);
  });

  it("returns the set itself when nothing goes", () => {
    expect(differenceOfSets(a, setOf(".zz", ".foo[9]", ".bar"))).toBe(a);
    expect(recursiveDifference(a, setOf(".zz", ".foo[9]"))).toBe(a);
  });
});

describe("leavesOfSet", () => {
  it.each([
    [[], []],
    [
      [".a", ".b", ".c"],
      [".a", ".b", ".c"],
    ],
    [[".r", ".r.a", ".r.a.b", ".r.a.b.c"], [".r.a.b.c"]],
    [
      ['.r[name="a"]', '.r[name="a"].name', '.r[name="a"].value.b', '.r[name="a"].value.c'],
      ['.r[name="a"].name', '.r[name="a"].value.b', '.r[name="a"].value.c'],
    ],
    [
      [".r", ".r.x", ".r.x.y", ".r.x.z", '.r[name="p"]', '.r[name="p"].v.q', '.r[name="p"].v'],
      [".r.x.y", ".r.x.z", '.r[name="p"].v.q'],
    ],
  ])("of %j are %j", (given, leaves) => {
    expect(sortedSet(leavesOfSet(setOf(...given)))).toEqual(setOf(...leaves));
  });
});

describe("pathsOfSet", () => {
  it("names the members of a level before what is below them, in canonical order", () => {
    expect(
      texts(setOf(".b", ".a.z", ".a", '.l[k="b"]', '.l[k="a"].x', '.l[="v"]', ".l[3]", ".l[20]")),
    ).toEqual([".a", ".b", ".a.z", '.l[k="b"]', '.l[="v"]', ".l[3]", ".l[20]", '.l[k="a"].x']);
  });
});

describe("sortedSet", () => {
  it("stores fields, keyed items, values and indexes in this order, a member's own mark first", () => {
    const set: FieldSet = {
      "i:1": {},
      "v:2": {},
      "v:true": {},
      'k:{"n":1}': {},
      "f:b": {},
      "f:a": { "f:x": {}, ".": {} },
    };
    expect(JSON.stringify(sortedSet(set))).toBe(
      '{"f:a":{".":{},"f:x":{}},"f:b":{},"k:{\\"n\\":1}":{},"v:2":{},"v:true":{},"i:1":{}}',
    );
  });

  it("returns a set that is in order", () => {
    const set = setOf(".a.b", ".c");
    expect(sortedSet(set)).toBe(set);
  });
});

/** Sets over few names, so that they meet. */
const element = fc.constantFrom("f:a", "f:b", 'k:{"n":1}', 'k:{"n":2}', "v:1", 'v:"x"', "i:0");
const anySet = fc
  .array(fc.array(element, { minLength: 1, maxLength: 4 }), { maxLength: 12 })
  .map(fieldSetOfPaths);
const memberTexts = (set: FieldSet): Set<string> => new Set(texts(set));

describe("set laws", () => {
  it("union, intersection and difference are those of the sets of paths", () => {
    fc.assert(
      fc.property(anySet, anySet, (a, b) => {
        const [left, right] = [memberTexts(a), memberTexts(b)];
        expect(memberTexts(unionSets(a, b))).toEqual(new Set([...left, ...right]));
        expect(memberTexts(intersectionOfSets(a, b))).toEqual(new Set([...left].filter((p) => right.has(p))));
        expect(memberTexts(differenceOfSets(a, b))).toEqual(new Set([...left].filter((p) => !right.has(p))));
      }),
      { numRuns: 300 },
    );
  });

  it("an intersection is the union without both differences", () => {
    fc.assert(
      fc.property(anySet, anySet, (a, b) => {
        const apart = unionSets(differenceOfSets(a, b), differenceOfSets(b, a));
        expect(equalSets(intersectionOfSets(a, b), differenceOfSets(unionSets(a, b), apart))).toBe(true);
      }),
    );
  });

  it("a recursive difference has no member at or below a member of the other", () => {
    fc.assert(
      fc.property(anySet, anySet, (a, b) => {
        const gone = texts(b);
        const below = (p: string): boolean =>
          gone.some((g) => p === g || p.startsWith(`${g}.`) || p.startsWith(`${g}[`));
        expect(texts(recursiveDifference(a, b))).toEqual(texts(a).filter((p) => !below(p)));
      }),
    );
  });

  it("a set survives being written and read, and frozen sets are read once", () => {
    fc.assert(
      fc.property(anySet, (a) => {
        const written: unknown = JSON.parse(JSON.stringify(sortedSet(a)));
        expect(equalSets(readFieldSet(written), a)).toBe(true);
        expect(JSON.stringify(sortedSet(readFieldSet(written)))).toBe(JSON.stringify(written));
      }),
    );
  });

  it("sets with the same paths are equal, others are not", () => {
    fc.assert(
      fc.property(anySet, anySet, (a, b) => {
        expect(equalSets(a, fieldSetOfPaths(pathsOfSet(a).reverse()))).toBe(true);
        expect(equalSets(a, b)).toBe(texts(a).join() === texts(b).join());
        expect(isEmptySet(differenceOfSets(a, a))).toBe(true);
      }),
    );
  });
});
