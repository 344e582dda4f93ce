import fc from "fast-check";
import { RE2JS } from "re2js";
import { describe, expect, it } from "vitest";
import { escapeForRe2, re2Pattern } from "./re2-pattern.ts";

function matches(pattern: string, text: string): boolean {
  return RE2JS.compile(pattern).matcher(text).find();
}

const atom = fc.constantFrom(
  ..."ab-_/{} ",
  ".",
  "\\d",
  "\\D",
  "\\w",
  "\\W",
  "\\s",
  "\\S",
  "\\.",
  "\\/",
  "\\x41",
  "\\u00e9",
  "\\t",
  "\\0",
  "[ab]",
  "[^ab]",
  "[\\w.-]",
  "[^\\s]",
  "[\\S]",
  "[a-c\\d]",
  "[[]",
  "[\\]]",
  "[^]",
  "[\\b]",
  "\\b",
  "^",
  "$",
);
const quantifier = fc.constantFrom("", "", "", "?", "*", "+", "{2}", "{1,2}", "{1,}", "*?", "+?");
const term = fc
  .tuple(atom, quantifier)
  .map(([base, times]) => (/^(?:\\b|\^|\$)$/.test(base) ? base : base + times));
const source = fc.letrec<{ expression: string }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 2 },
    fc.array(term, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("")),
    fc.tuple(tie("expression"), tie("expression")).map(([a, b]) => `(?:${a}|${b})`),
    tie("expression").map((inner) => `(${inner})`),
    tie("expression").map((inner) => `(?<name>${inner})`),
  ),
})).expression;
const text = fc
  .array(fc.constantFrom(..."abcAB19-_/{}[]. \t\n\r\v\b\0\u00a0\u00e9\u2028\ufeff"), { maxLength: 8 })
  .map((chars) => chars.join(""));

describe("re2Pattern", () => {
  it("matches the same texts as the JavaScript pattern", () => {
    fc.assert(
      fc.property(source, text, fc.constantFrom("", "u", "s"), (pattern, value, flags) => {
        let regex: RegExp;
        try {
          regex = new RegExp(pattern, flags);
        } catch {
          return; // not JavaScript, for example a lone bracket with the flag u
        }
        const converted = re2Pattern(regex);
        if ("problem" in converted) throw new Error(converted.problem);
        expect(matches(converted.pattern, value), `${regex} as ${converted.pattern}`).toBe(regex.test(value));
      }),
      { numRuns: 3000 },
    );
  });

  it.each([
    [/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"],
    [/a\/b/, "a/b"],
    [/^(?<major>\d+)\.(?<minor>\d+)$/, "^(?:\\d+)\\.(?:\\d+)$"],
    [/\ud83d\ude00/, "\\x{1f600}"],
  ])("leaves what both engines read alike as it is: %s", (regex, pattern) => {
    expect(re2Pattern(regex)).toEqual({ pattern });
  });
});

describe("escapeForRe2", () => {
  it("matches exactly the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), text, (wanted, other) => {
        const pattern = `^${escapeForRe2(wanted)}$`;
        expect(matches(pattern, wanted)).toBe(true);
        expect(matches(pattern, other)).toBe(other === wanted);
      }),
    );
  });
});
