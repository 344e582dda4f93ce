import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { textDiff } from "./text-diff.ts";

describe("textDiff", () => {
  it("says nothing about equal texts", () => {
    expect(textDiff("a\nb\n", "a\nb\n")).toBe("");
  });

  it("shows what went and what came, with some of what stayed", () => {
    const before = ["1", "2", "3", "4", "5", "6", "7", "old", "9"].join("\n");
    const after = ["1", "2", "3", "4", "5", "6", "7", "new", "9"].join("\n");
    expect(textDiff(before, after)).toBe("...\n 6\n 7\n-old\n+new\n 9\n");
  });

  it("has every line of both texts when they are short", () => {
    const lines = fc.array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(lines, lines, (a, b) => {
        const diff = textDiff(a.join("\n"), b.join("\n")).split("\n");
        const removed = diff.filter((line) => line.startsWith("-")).length;
        const added = diff.filter((line) => line.startsWith("+")).length;
        expect(a.length - removed).toBe(b.length - added);
      }),
    );
  });
});
