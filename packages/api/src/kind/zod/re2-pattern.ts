/**
 * JavaScript patterns in the syntax of the API server's engine, RE2: same meaning, or no pattern at all.
 * Source of the target syntax: https://github.com/google/re2/wiki/Syntax, of the source: ECMA-262 22.2.1.
 */
import { RE2JS } from "re2js";

/** `pattern` is what a CustomResourceDefinition can hold; `problem` says why there is none and what to write instead. */
export type Re2Pattern = { readonly pattern: string } | { readonly problem: string };

/** What `\s` means in JavaScript; RE2's `\s` knows only five of them. */
const spaceRanges =
  "\\t-\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}";
/** What is not `\s`: usable inside of a class, where RE2 has no subtraction. */
const notSpaceRanges =
  "\\x{0}-\\x{8}\\x{e}-\\x{1f}!-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}" +
  "\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}";
const lineEnds = "\\n\\r\\x{2028}\\x{2029}";

const flagAdvice: Readonly<Record<string, string>> = {
  i: "write both cases, [Aa]",
  m: "anchor the whole text with ^ and $ and match line ends explicitly",
  g: "leave it out: a pattern only tests",
  y: "start the pattern with ^",
  d: "leave it out: a pattern only tests",
  v: "use classes without set operations and the flag u",
};

/** Converts one JavaScript pattern. */
export function re2Pattern(regex: RegExp): Re2Pattern {
  for (const flag of regex.flags) {
    const advice = flagAdvice[flag];
    if (advice !== undefined) {
      return {
        problem: `the flag ${flag} of ${regex} has no form in a pattern of the API server; ${advice}`,
      };
    }
  }
  const translated = translate(regex);
  if ("problem" in translated) return translated;
  try {
    RE2JS.compile(translated.pattern);
  } catch (error) {
    return { problem: `${regex} is no pattern of the API server (RE2): ${(error as Error).message}` };
  }
  return translated;
}

/** A text as a pattern that matches exactly that text. */
export function escapeForRe2(text: string): string {
  return text.replace(/[\\.+*?()|[\]{}^$]/g, "\\$&");
}

interface Reader {
  readonly source: string;
  readonly unicode: boolean;
  readonly dotAll: boolean;
  at: number;
  inClass: boolean;
}

class NoForm extends Error {}

function translate(regex: RegExp): Re2Pattern {
  const reader: Reader = {
    source: regex.source,
    unicode: regex.unicode,
    dotAll: regex.dotAll,
    at: 0,
    inClass: false,
  };
  let pattern = "";
  try {
    while (reader.at < reader.source.length) pattern += nextPart(reader);
  } catch (error) {
    if (error instanceof NoForm) return { problem: `${regex} uses ${error.message}` };
    throw error;
  }
  return { pattern };
}

function nextPart(reader: Reader): string {
  const char = reader.source[reader.at] ?? "";
  if (char === "\\") return escape(reader);
  reader.at++;
  if (reader.inClass) {
    if (char === "]") reader.inClass = false;
    return char === "[" ? "\\[" : char;
  }
  if (char === "[") return openClass(reader);
  if (char === "(") return openGroup(reader);
  if (char === ".") return reader.dotAll ? "(?s:.)" : `[^${lineEnds}]`;
  return char;
}

/** `[]` matches nothing and `[^]` everything in JavaScript; RE2 reads the bracket as a member. */
function openClass(reader: Reader): string {
  const negated = reader.source[reader.at] === "^";
  if (negated) reader.at++;
  if (reader.source[reader.at] === "]") {
    reader.at++;
    return negated ? "(?s:.)" : "[^\\x{0}-\\x{10ffff}]";
  }
  reader.inClass = true;
  return negated ? "[^" : "[";
}

function openGroup(reader: Reader): string {
  const rest = reader.source.slice(reader.at);
  if (/^\?<?[=!]/.test(rest)) {
    throw new NoForm(
      "a lookaround, which RE2 does not have; split it into several .regex(), or use k8s.rule",
    );
  }
  const named = /^\?<([^>]+)>/.exec(rest);
  if (named === null) return "(";
  reader.at += named[0].length;
  return "(?:";
}

function escape(reader: Reader): string {
  const rest = reader.source.slice(reader.at + 1);
  const char = rest[0] ?? "";
  const code = codeEscape(rest, reader.unicode);
  if (code !== undefined) {
    reader.at += 1 + code.length;
    return `\\x{${code.value.toString(16)}}`;
  }
  if (char === "p" || char === "P") return propertyEscape(reader, rest);
  if (/[1-9k]/.test(char) && !reader.inClass) {
    throw new NoForm("a back reference, which RE2 does not have; use k8s.rule");
  }
  reader.at += 2;
  switch (char) {
    case "s":
      return reader.inClass ? spaceRanges : `[${spaceRanges}]`;
    case "S":
      return reader.inClass ? notSpaceRanges : `[^${spaceRanges}]`;
    case "b":
      return reader.inClass ? "\\x{8}" : "\\b";
    case "d":
    case "D":
    case "w":
    case "W":
    case "B":
    case "t":
    case "n":
    case "r":
    case "f":
    case "v":
      return `\\${char}`;
    default:
      if (char === "/") return char;
      return /[A-Za-z0-9]/.test(char) ? char : /[\x21-\x7e]/.test(char) ? `\\${char}` : char;
  }
}

/** An escape that stands for one character by its number: `\x41`, `\u0041`, `\u{41}`, `\cA`, `\0`. */
function codeEscape(rest: string, unicode: boolean): { value: number; length: number } | undefined {
  const pair = /^u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})/.exec(rest);
  if (pair !== null) {
    const high = Number.parseInt(pair[1] ?? "", 16);
    const low = Number.parseInt(pair[2] ?? "", 16);
    return { value: (high - 0xd800) * 0x400 + (low - 0xdc00) + 0x10000, length: pair[0].length };
  }
  const hex = /^(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4}))/.exec(rest);
  if (hex !== null) return { value: Number.parseInt(hex[1] ?? hex[2] ?? "", 16), length: hex[0].length };
  const braces = unicode ? /^u\{([0-9a-fA-F]+)\}/.exec(rest) : null;
  if (braces !== null) return { value: Number.parseInt(braces[1] ?? "", 16), length: braces[0].length };
  const control = /^c([A-Za-z])/.exec(rest);
  if (control !== null) return { value: (control[1] ?? "").charCodeAt(0) % 32, length: 2 };
  return /^0(?![0-9])/.test(rest) ? { value: 0, length: 1 } : undefined;
}

/** `\p{L}` and `\p{Script=Greek}`; without the flag u they are the letter p. */
function propertyEscape(reader: Reader, rest: string): string {
  if (!reader.unicode) throw new NoForm("\\p without the flag u, which is just a letter; add the flag");
  const match = /^[pP]\{(?:(?:Script|sc|General_Category|gc)=)?([A-Za-z_]+)\}/.exec(rest);
  if (match === null) throw new NoForm("a character property that RE2 does not know");
  reader.at += 1 + match[0].length;
  return `\\${rest[0]}{${longCategories[match[1] ?? ""] ?? match[1]}}`;
}

/** RE2 knows general categories by their short names only. */
const longCategories: Readonly<Record<string, string>> = {
  Letter: "L",
  Lowercase_Letter: "Ll",
  Uppercase_Letter: "Lu",
  Titlecase_Letter: "Lt",
  Modifier_Letter: "Lm",
  Other_Letter: "Lo",
  Mark: "M",
  Number: "N",
  Decimal_Number: "Nd",
  Letter_Number: "Nl",
  Other_Number: "No",
  Punctuation: "P",
  Symbol: "S",
  Separator: "Z",
  Space_Separator: "Zs",
  Other: "C",
};
