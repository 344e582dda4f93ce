import { type JsonNumberLike, goString } from "./go-text.ts";

/**
 * One step of a field path, in its wire form: `f:replicas` (a field), `k:{"name":"a"}` (an item of a list by its keys),
 * `v:"a"` (an item of a set), `i:0` (an index). Canonical, so that equal steps are equal strings.
 * Source: structured-merge-diff fieldpath (serialize-pe.go, element.go).
 */
export type PathElement = string;

/** A path that cannot be read; the message is what the server says. */
export class PathElementError extends Error {
  override readonly name: string = "PathElementError";
}

export function valueElement(value: unknown): PathElement {
  return `v:${encodeElementValue(value)}`;
}

/** The element of an item with these keys, sorted by name. */
export function keyElement(keys: readonly (readonly [name: string, value: unknown])[]): PathElement {
  const fields = keys.map(([name, value]) => `${encodeElementValue(name)}:${encodeElementValue(value)}`);
  return `k:{${fields.join(",")}}`;
}

const needsEscape = /[<>&\u2028\u2029]|\\[bf]/;
const escaped = /[<>&\u2028\u2029]|\\\\|\\[bf]/g;

/** JSON as Go writes it: HTML characters and line separators escaped, map keys sorted. */
export function encodeElementValue(value: unknown): string {
  if (typeof value === "string") {
    const text = JSON.stringify(value);
    return needsEscape.test(text) ? text.replace(escaped, escapeForGo) : text;
  }
  if (typeof value === "number") return encodeNumber(value);
  if (typeof value === "boolean" || typeof value === "bigint") return String(value);
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return `[${value.map(encodeElementValue).join(",")}]`;
  const map = value as Record<string, unknown>;
  const names = Object.keys(map).sort(compareText);
  return `{${names.map((name) => `${encodeElementValue(name)}:${encodeElementValue(map[name])}`).join(",")}}`;
}

function encodeNumber(value: number): string {
  const size = Math.abs(value);
  return size !== 0 && size < 1e-6 ? value.toExponential() : String(value);
}

function escapeForGo(found: string): string {
  if (found === "\\\\") return found;
  if (found === "\\b") return "\\u0008";
  if (found === "\\f") return "\\u000c";
  return `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/**
 * Reads an element and gives its canonical form; undefined for kinds of elements that a later version may know, which are
 * dropped. Throws PathElementError.
 */
export function readPathElement(text: string): PathElement | undefined {
  if (text.length < 2) throw new PathElementError("key must be 2 characters long:");
  if (text[1] !== ":") throw new PathElementError(`missing colon: ${text}`);
  switch (text[0]) {
    case "f":
      return text;
    case "v":
      return valueElement(parseJson(text));
    case "i":
      return `i:${parseIndex(text.slice(2))}`;
    case "k": {
      const keys = parseJson(text);
      if (typeof keys !== "object" || keys === null || Array.isArray(keys)) {
        throw new PathElementError(`expected a map of keys: ${text}`);
      }
      return keyElement(sortedEntries(keys));
    }
    default:
      return undefined;
  }
}

function sortedEntries(map: object): [string, unknown][] {
  return Object.entries(map).sort((a, b) => compareText(a[0], b[0]));
}

function parseJson(element: string): unknown {
  try {
    return JSON.parse(element.slice(2));
  } catch {
    throw new PathElementError(`invalid JSON in path element: ${element}`);
  }
}

function parseIndex(text: string): number {
  if (!/^[+-]?\d+$/.test(text)) throw new PathElementError(`strconv.Atoi: parsing "${text}": invalid syntax`);
  return Number(text);
}

/** The element as messages print it: `.replicas`, `[name="a"]`, `[="a"]`, `[0]`. */
export function pathElementText(element: PathElement): string {
  const rest = element.slice(2);
  switch (element[0]) {
    case "f":
      return `.${rest}`;
    case "k": {
      const keys = sortedEntries(JSON.parse(rest) as object);
      return `[${keys.map(([name, value]) => `${name}=${valueText(value)}`).join(",")}]`;
    }
    case "v":
      return `[=${valueText(JSON.parse(rest))}]`;
    default:
      return `[${rest}]`;
  }
}

/** A value in a path. Source: structured-merge-diff value.ToString. */
function valueText(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return `[${value.map(valueText).join(",")}]`;
  if (typeof value === "object") {
    return sortedEntries(value)
      .map(([name, item]) => `${name}=${valueText(item)}`)
      .join("");
  }
  return goString(value as string | boolean | JsonNumberLike);
}

/** Orders texts by code point, as Go orders them by bytes. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    const surrogates = x >= 0xd800 && y >= 0xd800;
    return surrogates ? (a.codePointAt(i) ?? 0) - (b.codePointAt(i) ?? 0) : x - y;
  }
  return a.length - b.length;
}

/** Canonical order: fields by name, then keyed items, set items, indexes, each by value. */
export function comparePathElements(a: PathElement, b: PathElement): number {
  const kind = a.charCodeAt(0);
  if (kind !== b.charCodeAt(0)) return kindRank(kind) - kindRank(b.charCodeAt(0));
  if (kind === fieldCode) return compareText(a, b);
  const x: unknown = JSON.parse(a.slice(2));
  const y: unknown = JSON.parse(b.slice(2));
  return kind === keyCode ? compareEntries(x as object, y as object) : compareValues(x, y);
}

const fieldCode = 102;
const keyCode = 107;
const valueCode = 118;

function kindRank(code: number): number {
  return code === fieldCode ? 0 : code === keyCode ? 1 : code === valueCode ? 2 : 3;
}

function compareEntries(a: object, b: object): number {
  const x = sortedEntries(a);
  const y = sortedEntries(b);
  for (let i = 0; i < Math.min(x.length, y.length); i++) {
    const [xName = "", xValue] = x[i] ?? [];
    const [yName = "", yValue] = y[i] ?? [];
    const order = compareText(xName, yName) || compareValues(xValue, yValue);
    if (order !== 0) return order;
  }
  return x.length - y.length;
}

/** A total order of values: numbers, texts, booleans, lists, maps, null. Source: structured-merge-diff value.Compare. */
export function compareValues(a: unknown, b: unknown): number {
  const rank = valueRank(a) - valueRank(b);
  if (rank !== 0) return rank;
  if (typeof a === "string") return compareText(a, b as string);
  if (Array.isArray(a)) return compareLists(a, b as unknown[]);
  if (typeof a === "object") return a === null ? 0 : compareEntries(a, b as object);
  const x = a as number;
  const y = b as number;
  return x < y ? -1 : x > y ? 1 : 0;
}

function compareLists(a: readonly unknown[], b: readonly unknown[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const order = compareValues(a[i], b[i]);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

function valueRank(value: unknown): number {
  if (typeof value === "number" || typeof value === "bigint") return 0;
  if (typeof value === "string") return 1;
  if (typeof value === "boolean") return 2;
  if (Array.isArray(value)) return 3;
  return value === null || value === undefined ? 5 : 4;
}
