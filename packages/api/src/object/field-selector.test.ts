import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { escapeFieldValue, parseFieldSelector } from "./field-selector.ts";
import { SelectorError } from "./selector-error.ts";

// Expected values are those of k8s.io/apimachinery 0.36.

const objects: readonly Readonly<Record<string, string>>[] = [
  {},
  { a: "b" },
  { a: "c" },
  { a: "" },
  { c: "d" },
  { a: "b", c: "d" },
  { a: "b,c" },
  { a: "b=c" },
  { a: "b\\c" },
  { "metadata.name": "x" },
  { "metadata.name": "z", "metadata.namespace": "y" },
  { a: "b " },
  { "status.phase": "Failed" },
];

/** Query, canonical query, which of the objects match. */
const queries: readonly (readonly [string, string, readonly number[]])[] = [
  ["", "", [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]],
  [",", "", [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]],
  [",,", "", [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]],
  ["a=b", "a=b", [1, 5]],
  ["a==b", "a=b", [1, 5]],
  ["a!=b", "a!=b", [0, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12]],
  ["a=", "a=", [0, 3, 4, 9, 10, 12]],
  ["a!=", "a!=", [1, 2, 5, 6, 7, 8, 11]],
  ["=b", "=b", []],
  ["==", "", [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]],
  ["!=", "", [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]],
  ["=", "", [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]],
  ["a=b,c=d", "a=b,c=d", [5]],
  ["c=d,a=b", "a=b,c=d", [5]],
  ["a=b,", "a=b", [1, 5]],
  ["a = b", "a = b", []],
  [" a=b", " a=b", []],
  ["a=b ", "a=b ", [11]],
  ["a=!b", "a=!b", []],
  ["a=b\\,c", "a=b\\,c", [6]],
  ["a=b\\=c", "a=b\\=c", [7]],
  ["a=b\\\\c", "a=b\\\\c", [8]],
  ["a\\,b=c", "a\\,b=c", []],
  ["a!=b\\,c,d=e", "a!=b\\,c,d=e", []],
  ["metadata.name=x", "metadata.name=x", [9]],
  ["metadata.name!=x,metadata.namespace=y", "metadata.name!=x,metadata.namespace=y", [10]],
  ["spec.nodeName=", "spec.nodeName=", [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]],
  ["a=é", "a=é", []],
  ["é=b", "é=b", []],
  ["a=b\\\\\\,c", "a=b\\\\\\,c", []],
  ["a=,b=", "a=,b=", [0, 3, 4, 9, 10, 12]],
  ["a=b,a!=c", "a!=c,a=b", [1, 5]],
  [
    "status.phase!=Running,status.phase!=Unknown",
    "status.phase!=Running,status.phase!=Unknown",
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
  ],
  ["a=b;c", "a=b;c", []],
  ["a=b\nc", "a=b\nc", []],
  ["a=\\\\", "a=\\\\", []],
  ["a=\\,", "a=\\,", []],
  ["x.y.z=1", "x.y.z=1", []],
  ["a=b,a=b", "a=b,a=b", [1, 5]],
  ["b=1,a=2,c!=3", "a=2,b=1,c!=3", []],
  ["involvedObject.uid=1-2", "involvedObject.uid=1-2", []],
  ["a=(b)", "a=(b)", []],
];

/** Query, error. */
const mistakes: readonly (readonly [string, string])[] = [
  ["a", "invalid selector: 'a'; can't understand 'a'"],
  ["a b", "invalid selector: 'a b'; can't understand 'a b'"],
  ["a in (b)", "invalid selector: 'a in (b)'; can't understand 'a in (b)'"],
  ["a>b", "invalid selector: 'a>b'; can't understand 'a>b'"],
  ["!a", "invalid selector: '!a'; can't understand '!a'"],
  ["a,b=c", "invalid selector: 'a,b=c'; can't understand 'a'"],
  ["a=b,c", "invalid selector: 'a=b,c'; can't understand 'c'"],
  ["a=b=c", "invalid field selector: unescaped character in value: 61"],
  ["a==b==c", "invalid field selector: unescaped character in value: 61"],
  ["a!b", "invalid selector: 'a!b'; can't understand 'a!b'"],
  ["a!==b", "invalid field selector: unescaped character in value: 61"],
  ["a=b\\c", "invalid field selector: invalid escape sequence: \\c"],
  ["a=b\\", "invalid field selector: invalid escape sequence: \\"],
  ["a\\=b=c", "invalid field selector: unescaped character in value: 61"],
];

describe("parseFieldSelector", () => {
  for (const [query, canonical, matching] of queries) {
    it(`reads ${JSON.stringify(query)}`, () => {
      const selector = parseFieldSelector(query);
      expect(selector.toString()).toBe(canonical);
      const found = objects.flatMap((fields, i) =>
        selector.matches((field) => fields[field] ?? "") ? [i] : [],
      );
      expect(found).toEqual(matching);
      expect(selector.everything).toBe(canonical === "");
    });
  }
  for (const [query, message] of mistakes) {
    it(`refuses ${JSON.stringify(query)}`, () => {
      expect(() => parseFieldSelector(query)).toThrow(new SelectorError(message));
    });
  }

  it("tells the value that a field is pinned to", () => {
    const selector = parseFieldSelector("metadata.name=x,metadata.namespace!=y");
    expect(selector.exactMatch("metadata.name")).toBe("x");
    expect(selector.exactMatch("metadata.namespace")).toBeUndefined();
  });

  it("reads every value that was escaped", () => {
    fc.assert(
      fc.property(fc.string(), (value) => {
        const selector = parseFieldSelector(`a=${escapeFieldValue(value)}`);
        expect(selector.requirements).toEqual([{ field: "a", operator: "=", value }]);
      }),
    );
  });
});
