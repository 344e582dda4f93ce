import { needsQuotes } from "./yaml-scalar.ts";

/**
 * Writes YAML as kubectl and the API server do: keys sorted as people count (a9 before a10), lists not indented, long texts
 * folded after column 80. Source of the form: go.yaml.in/yaml/v2 (encode.go, emitterc.go, sorter.go).
 */

const foldColumn = 80;
const simpleKeyBytesMax = 128;
const indentStep = 2;

/** Where a node stands, which decides how it continues the line. */
type Place = "root" | "value" | "item";

export function emitYaml(value: unknown): string {
  const writer = new Emitter();
  writer.node(value, 0, "root");
  return writer.text;
}

class Emitter {
  #lines: string[] = [];
  #line = "";

  get text(): string {
    return `${[...this.#lines, this.#line].join("\n")}\n`;
  }

  /** @param indent column of the keys or dashes if the node is a collection */
  node(value: unknown, indent: number, place: Place): void {
    if (Array.isArray(value)) this.#list(value, indent, place);
    else if (typeof value === "object" && value !== null) this.#object(value, indent, place);
    else this.#write(`${this.#gap()}`, value, indent, false);
  }

  #list(items: readonly unknown[], indent: number, place: Place): void {
    if (items.length === 0) return this.#put(`${this.#gap()}[]`);
    // Lists in objects stand in the column of the key.
    const column = place === "value" ? indent - indentStep : indent;
    items.forEach((item, i) => {
      if (i > 0 || place === "value") this.#break(column);
      else if (place === "item") this.#put(this.#gap());
      this.#put("-");
      this.node(item, column + indentStep, "item");
    });
  }

  #object(object: object, indent: number, place: Place): void {
    const entries = Object.entries(object).filter(([, value]) => value !== undefined);
    if (entries.length === 0) return this.#put(`${this.#gap()}{}`);
    entries.sort(([a], [b]) => compareKeys(a, b));
    entries.forEach(([key, value], i) => {
      if (i > 0 || place === "value") this.#break(indent);
      else if (place === "item") this.#put(this.#gap());
      this.#key(key, indent);
      this.node(value, indent + indentStep, "value");
    });
  }

  #key(key: string, indent: number): void {
    if (!hasBreak(key) && utf8Length(key) <= simpleKeyBytesMax) {
      this.#write("", key, indent, true);
      return this.#put(":");
    }
    this.#put("? ");
    this.#write("", key, indent + indentStep, false);
    this.#break(indent);
    this.#put(":");
  }

  #write(gap: string, value: unknown, indent: number, isKey: boolean): void {
    if (typeof value !== "string") return this.#put(gap + scalarText(value));
    const style = styleOf(value);
    this.#put(gap);
    if (style === "literal") this.#literal(value, Math.max(indent, indentStep));
    else this.#flow(value, style, isKey ? undefined : Math.max(indent, indentStep));
  }

  /** A space before what follows an indicator on the line. */
  #gap(): string {
    return this.#line === "" || this.#line.endsWith(" ") ? "" : " ";
  }

  #literal(text: string, indent: number): void {
    const hint = /^[ \n\r\u0085\u2028\u2029]/.test(text) ? String(indentStep) : "";
    const chomp = /[\n\r\u0085\u2028\u2029]$/.test(text)
      ? /(^|[\n\r\u0085\u2028\u2029])[\n\r\u0085\u2028\u2029]$/.test(text)
        ? "+"
        : ""
      : "-";
    this.#put(`|${hint}${chomp}`);
    const lines = text.split("\n");
    if (lines.at(-1) === "") lines.pop();
    for (const line of lines) {
      this.#break(line === "" ? 0 : indent);
      this.#put(line);
    }
  }

  /** A plain or quoted scalar, folded at spaces behind the fold column unless it is a key. */
  #flow(text: string, style: "plain" | "single" | "double", foldIndent: number | undefined): void {
    const quote = style === "single" ? "'" : style === "double" ? '"' : "";
    this.#put(quote);
    let afterSpace = false;
    const chars = Array.from(text);
    for (const [i, char] of chars.entries()) {
      const inside = i > 0 && i < chars.length - 1;
      const doubled = chars[i + 1] === " ";
      const mayFold =
        char === " " && !afterSpace && (style === "plain" || inside) && (style === "double" || !doubled);
      if (mayFold && foldIndent !== undefined && this.#column() > foldColumn) {
        this.#break(foldIndent);
        if (doubled) this.#put("\\");
      } else this.#put(escapeChar(char, style));
      afterSpace = char === " ";
    }
    this.#put(quote);
  }

  #column(): number {
    let column = this.#line.length;
    for (const char of this.#line) if (char.length > 1) column--;
    return column;
  }

  #put(text: string): void {
    this.#line += text;
  }

  #break(indent: number): void {
    this.#lines.push(this.#line);
    this.#line = " ".repeat(indent);
  }
}

function scalarText(value: unknown): string {
  if (typeof value !== "number") return String(value ?? null);
  if (Number.isNaN(value)) return ".nan";
  if (!Number.isFinite(value)) return value > 0 ? ".inf" : "-.inf";
  if (Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 64) return String(value);
  return shortestFloat(value);
}

/** Go's 'g' format: an exponent of two digits from 1e6 on and below 1e-4. */
function shortestFloat(value: number): string {
  const [mantissa = "", exponentText = "0"] = value.toExponential().split("e");
  const exponent = Number(exponentText);
  if (exponent >= -4 && exponent < 6) return String(value);
  const sign = exponent < 0 ? "-" : "+";
  return `${mantissa}e${sign}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

function hasBreak(text: string): boolean {
  return /[\n\r\u0085\u2028\u2029]/.test(text);
}

function styleOf(text: string): "plain" | "single" | "double" | "literal" {
  if (text.includes("\n")) {
    return hasSpecial(text) || text.endsWith(" ") || / [\n\u2028\u2029]/.test(text) ? "double" : "literal";
  }
  if (needsQuotes(text) || hasSpecial(text) || hasBreak(text)) return "double";
  return /^ | $/.test(text) || hasIndicator(text) ? "single" : "plain";
}

/** Characters that only a double-quoted scalar can hold; everything beyond the basic plane is among them. */
function hasSpecial(text: string): boolean {
  // biome-ignore lint: control characters are the point
  return /[^\n\x20-\x7e\u00a0-\ud7ff\ue000-\ufefe\uff00-\ufffd]/.test(text);
}

/** Whether a text cannot stand unquoted because YAML would see an indicator in it. */
function hasIndicator(text: string): boolean {
  return (
    /^(?:---|\.\.\.)/.test(text) ||
    /^[#,[\]{}&*!|>'"%@`]/.test(text) ||
    /^[?:-](?:[ \t]|$)/.test(text) ||
    /:(?:[ \t]|$)/.test(text) ||
    /[ \t]#/.test(text)
  );
}

const doubleEscapes: Readonly<Record<string, string>> = {
  "\0": "0",
  "\x07": "a",
  "\b": "b",
  "\t": "t",
  "\n": "n",
  "\v": "v",
  "\f": "f",
  "\r": "r",
  "\x1b": "e",
  '"': '"',
  "\\": "\\",
  "\u0085": "N",
  "\u00a0": "_",
  "\u2028": "L",
  "\u2029": "P",
};

function escapeChar(char: string, style: "plain" | "single" | "double"): string {
  if (style === "single") return char === "'" ? "''" : char;
  if (style === "plain") return char;
  const printable = !hasSpecial(char) && !hasBreak(char) && char !== '"' && char !== "\\";
  if (printable) return char;
  const known = doubleEscapes[char];
  if (known !== undefined) return `\\${known}`;
  const code = char.codePointAt(0) ?? 0;
  const hex = code.toString(16).toUpperCase();
  if (code <= 0xff) return `\\x${hex.padStart(2, "0")}`;
  return code <= 0xffff ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
}

function utf8Length(text: string): number {
  let bytes = 0;
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}

/** The order of keys: letters after all else, digits by their number. */
export function compareKeys(a: string, b: string): number {
  const [left, right] = [Array.from(a), Array.from(b)];
  for (let i = 0; i < left.length && i < right.length; i++) {
    const [l, r] = [left[i] as string, right[i] as string];
    if (l === r) continue;
    const letters = [isLetter(l), isLetter(r)];
    if (letters[0] && letters[1]) return compareCodes(l, r);
    if (letters[0] || letters[1]) return letters[1] ? -1 : 1;
    return compareDigits(left, right, i) || compareCodes(l, r);
  }
  return left.length - right.length;
}

function compareDigits(left: readonly string[], right: readonly string[], at: number): number {
  const started = (left[at] === "0" || right[at] === "0") && followsNonZero(left, at) ? "1" : "";
  const [l, r] = [digitsAt(left, at), digitsAt(right, at)];
  const difference = BigInt(`${started}${l}` || 0) - BigInt(`${started}${r}` || 0);
  return difference === 0n ? l.length - r.length : difference < 0n ? -1 : 1;
}

/** Whether the digits before `at` hold one that is not zero. */
function followsNonZero(chars: readonly string[], at: number): boolean {
  for (let i = at - 1; i >= 0 && isDigit(chars[i]); i--) if (chars[i] !== "0") return true;
  return false;
}

function digitsAt(chars: readonly string[], at: number): string {
  let digits = "";
  for (let i = at; isDigit(chars[i]); i++) digits += chars[i];
  return digits;
}

function isDigit(char: string | undefined): boolean {
  return char !== undefined && char >= "0" && char <= "9";
}

function isLetter(char: string): boolean {
  return /\p{L}/u.test(char);
}

function compareCodes(a: string, b: string): number {
  return (a.codePointAt(0) ?? 0) - (b.codePointAt(0) ?? 0);
}
