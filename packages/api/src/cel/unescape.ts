/** The text or bytes that a string literal stands for. Source: cel-go parser/unescape.go. */
import { encodeUtf8 } from "./utf8.ts";

const simple = new Map<string, number>([
  ["a", 7],
  ["b", 8],
  ["f", 12],
  ["n", 10],
  ["r", 13],
  ["t", 9],
  ["v", 11],
  ["\\", 0x5c],
  ["'", 0x27],
  ['"', 0x22],
  ["`", 0x60],
  ["?", 0x3f],
]);

/** The text of a string literal as written, with its quotes and prefix. Throws an `Error` with cel-go's message. */
export function unescapeString(literal: string): string {
  const { body, raw } = literalBody(literal);
  if (raw) return body;
  let text = "";
  for (const part of escapes(body, false)) text += part.char ?? String.fromCodePoint(part.code);
  return text;
}

/** The bytes of a bytes literal without its `b` prefix. Throws an `Error` with cel-go's message. */
export function unescapeBytes(literal: string): Uint8Array {
  const { body, raw } = literalBody(literal);
  if (raw) return encodeUtf8(body);
  const bytes: number[] = [];
  for (const part of escapes(body, true)) {
    if (part.char === undefined) bytes.push(part.code);
    else bytes.push(...encodeUtf8(part.char));
  }
  return Uint8Array.from(bytes);
}

function literalBody(literal: string): { body: string; raw: boolean } {
  let text = literal.replace(/\r\n?/g, "\n");
  const raw = text[0] === "r" || text[0] === "R";
  if (raw) text = text.slice(1);
  const quotes = text.length >= 6 && (text.startsWith("'''") || text.startsWith('"""')) ? 3 : 1;
  return { body: text.slice(quotes, -quotes), raw };
}

/** Either a character as it stands or the number that an escape sequence gives. */
interface Part {
  readonly char?: string;
  readonly code: number;
}

function* escapes(body: string, asBytes: boolean): Generator<Part> {
  const chars = Array.from(body);
  let at = 0;
  while (at < chars.length) {
    const c = chars[at] as string;
    if (c !== "\\") {
      yield { char: c, code: 0 };
      at++;
      continue;
    }
    const { code, length } = escapeAt(chars, at + 1, asBytes);
    yield { code };
    at += 1 + length;
  }
}

function escapeAt(chars: readonly string[], at: number, asBytes: boolean): { code: number; length: number } {
  const c = chars[at] ?? "";
  const code = simple.get(c);
  if (code !== undefined) return { code, length: 1 };
  if (c >= "0" && c <= "3") return checked(Number.parseInt(chars.slice(at, at + 3).join(""), 8), 3, asBytes);
  const digits = { x: 2, X: 2, u: 4, U: 8 }[c];
  if (digits === undefined || (asBytes && digits > 2)) throw new Error("unable to unescape string");
  return checked(Number.parseInt(chars.slice(at + 1, at + 1 + digits).join(""), 16), digits + 1, asBytes);
}

function checked(code: number, length: number, asBytes: boolean): { code: number; length: number } {
  const valid = code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  if (!asBytes && !valid) throw new Error("invalid unicode code point");
  return { code, length };
}
