import type { Json, JsonObject } from "../object/object.ts";
import { scanJson } from "./json-scanner.ts";

/** What a decoder found in a document. */
export interface Decoded {
  readonly value: Json;
  /**
   * One text per field that occurs more than once in its object, in document order, in the words of strict field
   * validation: `duplicate field "spec.containers[0].name"`. The last occurrence won.
   */
  readonly duplicateFields: readonly string[];
}

const none: readonly string[] = [];

/**
 * What `JSON.parse` reads otherwise than the API server: numbers that a double cannot hold, surrogates that have no partner.
 * A match inside of a string costs time, not correctness.
 */
const unusual = /[0-9]{16}|[0-9][eE][+]?[0-9]{3}|\\u[dD][89a-fA-F]/;

/**
 * Reads JSON as the API server reads objects: integers of 64 bits are exact (a bigint when a number cannot hold them), larger
 * ones become floats, a surrogate escape without its partner becomes U+FFFD, the last of several equal keys wins.
 *
 * The common case costs `JSON.parse` and one pass that compares how many keys the text and the value have; only documents
 * with duplicates or unusual numbers are read character by character.
 * @throws DecodeError in Go's words. Source: encoding/json (scanner.go), sigs.k8s.io/json.
 */
export function decodeJson(text: string): Decoded {
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    return scanJson(text);
  }
  if (unusual.test(text) || countTextMembers(text) !== countMembers(value)) return scanJson(text);
  return { value, duplicateFields: none };
}

/**
 * How many colons of a valid JSON text follow a closing quote: one for each member. A string that starts with a colon counts
 * too, which is never too few, so that equal counts prove that no key was lost.
 */
function countTextMembers(text: string): number {
  let count = 0;
  for (let colon = text.indexOf(":"); colon >= 0; colon = text.indexOf(":", colon + 1)) {
    let quoteAt = colon - 1;
    while (text.charCodeAt(quoteAt) <= 0x20) quoteAt--;
    if (text.charCodeAt(quoteAt) === 0x22 && !isEscaped(text, quoteAt)) count++;
  }
  return count;
}

function isEscaped(text: string, quoteAt: number): boolean {
  let slashes = 0;
  while (text.charCodeAt(quoteAt - 1 - slashes) === 0x5c) slashes++;
  return slashes % 2 === 1;
}

/** Deeper documents are left to the scanner, which needs no stack. */
const depthCounted = 500;

/** How many members all objects of the value have; NaN, which equals nothing, for a deep one. */
function countMembers(value: Json): number {
  return typeof value === "object" && value !== null ? countInside(value, 1) : 0;
}

function countInside(container: Json[] | JsonObject, depth: number): number {
  if (depth > depthCounted) return Number.NaN;
  let count = 0;
  if (Array.isArray(container)) {
    for (const item of container)
      if (typeof item === "object" && item !== null) count += countInside(item, depth + 1);
    return count;
  }
  for (const key in container) {
    const member = container[key];
    count++;
    if (typeof member === "object" && member !== null) count += countInside(member, depth + 1);
  }
  return count;
}

export interface EncodeJsonOptions {
  /** Two spaces of indentation and a line per field, as `?pretty=true` answers. */
  readonly pretty?: boolean;
}

const htmlCharacters = /[<>&\u2028\u2029]/;
const allHtmlCharacters = /[<>&\u2028\u2029]/g;

/**
 * The text of a JSON value as the API server writes it: `<`, `>`, `&`, U+2028 and U+2029 as escapes, a bigint as its digits,
 * `undefined` members left out. Without the newline that the server ends answers with.
 */
export function encodeJson(value: unknown, options: EncodeJsonOptions = {}): string {
  const text = stringify(value, options.pretty ? 2 : 0);
  return htmlCharacters.test(text) ? text.replace(allHtmlCharacters, escapeCharacter) : text;
}

function escapeCharacter(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

function stringify(value: unknown, indent: number): string {
  try {
    return JSON.stringify(value, undefined, indent);
  } catch (error) {
    // A bigint is the one thing JSON.stringify refuses in objects that came from JSON.
    if (!(error instanceof TypeError)) throw error;
    return stringifyExact(value, indent, "\n");
  }
}

function stringifyExact(value: unknown, indent: number, lineBreak: string): string {
  if (typeof value === "bigint") return value.toString();
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const inner = lineBreak + " ".repeat(indent);
  const colon = indent > 0 ? ": " : ":";
  const parts = Array.isArray(value)
    ? value.map((item) => stringifyExact(item, indent, inner))
    : Object.entries(value)
        .filter(([, member]) => member !== undefined)
        .map(([key, member]) => `${JSON.stringify(key)}${colon}${stringifyExact(member, indent, inner)}`);
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  if (parts.length === 0) return `${open}${close}`;
  return indent > 0
    ? `${open}${inner}${parts.join(`,${inner}`)}${lineBreak}${close}`
    : `${open}${parts.join(",")}${close}`;
}
