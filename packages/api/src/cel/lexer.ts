/**
 * Splits an expression into tokens. Text that is no token is reported in the words of cel-go's generated lexer.
 * Source: cel-go parser/gen/CEL.g4.
 */
import type { CelIssue, CelSource } from "./source.ts";

/** Kinds of tokens in the grammar's order, which is the order in which messages list what was expected. */
export const tokenKinds = [
  "<EOF>",
  "'=='",
  "'!='",
  "'in'",
  "'<'",
  "'<='",
  "'>='",
  "'>'",
  "'&&'",
  "'||'",
  "'['",
  "']'",
  "'{'",
  "'}'",
  "'('",
  "')'",
  "'.'",
  "','",
  "'-'",
  "'!'",
  "'?'",
  "':'",
  "'+'",
  "'*'",
  "'/'",
  "'%'",
  "'true'",
  "'false'",
  "'null'",
  "NUM_FLOAT",
  "NUM_INT",
  "NUM_UINT",
  "STRING",
  "BYTES",
  "IDENTIFIER",
  "ESC_IDENTIFIER",
] as const;

export type TokenKind = (typeof tokenKinds)[number];

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  /** In code points. */
  readonly offset: number;
}

const keywords = new Map<string, TokenKind>([
  ["in", "'in'"],
  ["true", "'true'"],
  ["false", "'false'"],
  ["null", "'null'"],
]);

const singles = "[]{}(),-?:+*/%";
const pairs = new Map<string, TokenKind>([
  ["==", "'=='"],
  ["!=", "'!='"],
  ["<=", "'<='"],
  [">=", "'>='"],
  ["&&", "'&&'"],
  ["||", "'||'"],
]);

const isDigit = (c: string | undefined): boolean => c !== undefined && c >= "0" && c <= "9";
const isHex = (c: string | undefined): boolean => c !== undefined && /^[0-9a-fA-F]$/.test(c);
const isLetter = (c: string | undefined): boolean => c !== undefined && /^[A-Za-z_]$/.test(c);
const isWord = (c: string | undefined): boolean => isLetter(c) || isDigit(c);

/** All tokens, ended by one of kind `<EOF>`; whitespace and comments are left out. */
export function tokenize(source: CelSource, issues: CelIssue[]): Token[] {
  const chars = source.characters;
  const tokens: Token[] = [];
  let at = 0;
  while (at < chars.length) {
    const skipped = skipHidden(chars, at);
    if (skipped > at) {
      at = skipped;
      continue;
    }
    const scan = scanToken(chars, at);
    if (scan.kind === undefined) {
      const text = chars.slice(at, scan.end + 1).join("");
      issues.push({ offset: at, message: `Syntax error: token recognition error at: '${text}'` });
      at = scan.end + 1;
    } else {
      tokens.push({ kind: scan.kind, text: chars.slice(at, scan.end).join(""), offset: at });
      at = scan.end;
    }
  }
  tokens.push({ kind: "<EOF>", text: "<EOF>", offset: chars.length });
  return tokens;
}

/** A token up to `end`, or no token when `kind` is missing: the character at `end` is the first that fits nothing. */
interface Scan {
  readonly kind?: TokenKind;
  readonly end: number;
}

type Characters = readonly string[];

function skipHidden(chars: Characters, at: number): number {
  const c = chars[at] as string;
  if (" \t\r\n\f".includes(c)) return at + 1;
  if (c !== "/" || chars[at + 1] !== "/") return at;
  let end = at;
  while (end < chars.length && chars[end] !== "\n") end++;
  return end;
}

function scanToken(chars: Characters, at: number): Scan {
  const c = chars[at] as string;
  if (isLetter(c)) return scanPrefixedString(chars, at) ?? scanWord(chars, at);
  if (isDigit(c) || (c === "." && isDigit(chars[at + 1]))) return scanNumber(chars, at);
  if (c === '"' || c === "'") return scanString(chars, at, false);
  if (c === "`") return scanEscapedIdentifier(chars, at);
  const pair = pairs.get(c + (chars[at + 1] ?? ""));
  if (pair !== undefined) return { kind: pair, end: at + 2 };
  if (singles.includes(c) || ".<>!".includes(c)) return { kind: `'${c}'` as TokenKind, end: at + 1 };
  return { end: "=&|".includes(c) ? at + 1 : at };
}

function scanWord(chars: Characters, at: number): Scan {
  let end = at;
  while (isWord(chars[end])) end++;
  return { kind: keywords.get(chars.slice(at, end).join("")) ?? "IDENTIFIER", end };
}

function scanEscapedIdentifier(chars: Characters, at: number): Scan {
  let end = at + 1;
  while (end < chars.length && /^[A-Za-z0-9_.\-/ ]$/.test(chars[end] as string)) end++;
  return chars[end] === "`" && end > at + 1 ? { kind: "ESC_IDENTIFIER", end: end + 1 } : { end };
}

function scanNumber(chars: Characters, at: number): Scan {
  if (chars[at] === "0" && chars[at + 1] === "x" && isHex(chars[at + 2])) {
    return unsignedSuffix(chars, skipWhile(chars, at + 2, isHex));
  }
  const wholeEnd = skipWhile(chars, at, isDigit);
  let end = wholeEnd;
  if (chars[end] === "." && isDigit(chars[end + 1])) end = skipWhile(chars, end + 1, isDigit);
  const exponentEnd = scanExponent(chars, end);
  if (end === wholeEnd && exponentEnd === end) return unsignedSuffix(chars, end);
  return { kind: "NUM_FLOAT", end: exponentEnd };
}

function unsignedSuffix(chars: Characters, end: number): Scan {
  const c = chars[end];
  return c === "u" || c === "U" ? { kind: "NUM_UINT", end: end + 1 } : { kind: "NUM_INT", end };
}

function scanExponent(chars: Characters, at: number): number {
  if (chars[at] !== "e" && chars[at] !== "E") return at;
  const sign = chars[at + 1] === "+" || chars[at + 1] === "-" ? 1 : 0;
  const digits = at + 1 + sign;
  return isDigit(chars[digits]) ? skipWhile(chars, digits, isDigit) : at;
}

function skipWhile(chars: Characters, at: number, test: (c: string | undefined) => boolean): number {
  let end = at;
  while (test(chars[end])) end++;
  return end;
}

/** `r"..."`, `b"..."`, `br"..."`; undefined when the letters begin no string, so that they are an identifier. */
function scanPrefixedString(chars: Characters, at: number): Scan | undefined {
  let quote = at;
  const bytes = /^[bB]$/.test(chars[quote] as string);
  if (bytes) quote++;
  const raw = /^[rR]$/.test(chars[quote] ?? "");
  if (raw) quote++;
  if (quote === at || (chars[quote] !== '"' && chars[quote] !== "'")) return undefined;
  const scan = scanString(chars, quote, raw);
  if (scan.kind === undefined) return undefined;
  return { kind: bytes ? "BYTES" : "STRING", end: scan.end };
}

function scanString(chars: Characters, at: number, raw: boolean): Scan {
  const quote = chars[at] as string;
  const triple = chars[at + 1] === quote && chars[at + 2] === quote;
  if (!triple) return scanStringBody(chars, at + 1, quote, 1, raw);
  const scan = scanStringBody(chars, at + 3, quote, 3, raw);
  // An unclosed triple quote is, to the longest-match lexer, an empty string and the start of another.
  return scan.kind === undefined ? { kind: "STRING", end: at + 2 } : scan;
}

function scanStringBody(chars: Characters, from: number, quote: string, quotes: 1 | 3, raw: boolean): Scan {
  let at = from;
  while (at < chars.length) {
    const c = chars[at] as string;
    if (c === quote && (quotes === 1 || (chars[at + 1] === quote && chars[at + 2] === quote))) {
      return { kind: "STRING", end: at + quotes };
    }
    if (quotes === 1 && (c === "\n" || c === "\r")) return { end: at };
    if (c === "\\" && !raw) {
      const length = escapeLength(chars, at);
      if (length < 0) return { end: at - length };
      at += length;
    } else at++;
  }
  return { end: at };
}

/** Characters of the escape sequence at a backslash; when it is none, minus the distance to what does not fit. */
function escapeLength(chars: Characters, at: number): number {
  const c = chars[at + 1];
  if (c === undefined) return -1;
  if ("abfnrtv\"'\\?`".includes(c)) return 2;
  if (c === "x" || c === "X") return digitsAfter(chars, at, 2, isHex);
  if (c === "u") return digitsAfter(chars, at, 4, isHex);
  if (c === "U") return digitsAfter(chars, at, 8, isHex);
  const isOctal = (d: string | undefined): boolean => d !== undefined && d >= "0" && d <= "7";
  if (c >= "0" && c <= "3") return digitsAfter(chars, at, 2, isOctal);
  return -1;
}

function digitsAfter(
  chars: Characters,
  at: number,
  count: number,
  test: (c: string | undefined) => boolean,
): number {
  for (let i = 0; i < count; i++) if (!test(chars[at + 2 + i])) return -(2 + i);
  return 2 + count;
}
