import { applyMergePatch, jsonEqual } from "@bowline/api";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { wouldChange } from "./merge-change.ts";

describe("wouldChange", () => {
  it.each([
    [{ a: 1 }, { a: 1 }, false],
    [{ a: 1 }, { a: 2 }, true],
    [{ a: 1 }, { a: undefined }, false],
    [{ a: 1 }, { a: null }, true],
    [{ a: 1 }, { b: null }, false],
    [{ a: { b: 1, c: 2 } }, { a: { b: 1 } }, false],
    [{}, { a: {} }, true],
    [{ a: [{ b: 1 }] }, { a: [{ b: 1, c: undefined }] }, false],
    [{ a: [1, 2] }, { a: [1] }, true],
    [undefined, { a: 1 }, true],
  ] as const)("%j patched with %j: %s", (value, patch, wanted) => {
    expect(wouldChange(value, patch)).toBe(wanted);
  });

  it("agrees with what a merge patch does", () => {
    const object = fc.dictionary(fc.constantFrom("a", "b", "c"), fc.jsonValue({ maxDepth: 2 }), {
      maxKeys: 3,
    });
    fc.assert(
      fc.property(object, object, (value, patch) => {
        const stored = withoutNulls(value);
        const result = applyMergePatch(stored as never, patch as never);
        expect(wouldChange(stored, patch)).toBe(!jsonEqual(result, stored));
      }),
    );
  });
});

/** Stored objects hold no nulls outside of lists. */
function withoutNulls(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).filter(([, part]) => part !== null);
  return Object.fromEntries(entries.map(([key, part]) => [key, withoutNulls(part)]));
}
