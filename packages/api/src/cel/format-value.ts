/** Values in the text that `format` makes; numbers as in English. Source: cel-go ext/formatting.go. */
import { quote } from "../status/field-error.ts";
import { toText } from "./convert.ts";
import { type FormatClause, parseFormat, verbError } from "./format-text.ts";
import { exponentialDecimals, fixedDecimals } from "./number-text.ts";
import { encodeUtf8 } from "./utf8.ts";
import {
  CelDouble,
  CelDuration,
  CelError,
  type CelList,
  CelMap,
  CelTimestamp,
  CelUint,
  type CelValue,
  isInt,
  isList,
  listItems,
  typeOfValue,
} from "./value.ts";
import { CelType } from "./type.ts";

/** `text.format(args)`. Throws a `CelError`. */
export function formatString(text: string, args: readonly CelValue[]): string {
  const parsed = parseFormat(text);
  let result = "";
  for (const [i, clause] of parsed.clauses.entries()) {
    if (i >= args.length) throw new CelError(`index ${i} out of range`);
    result += clause.before + clauseText(clause, args[i] as CelValue);
  }
  if (!("error" in parsed)) return result + parsed.rest;
  throw new CelError(
    parsed.clauses.length >= args.length ? `index ${parsed.clauses.length} out of range` : parsed.error,
  );
}

function clauseText(clause: FormatClause, value: CelValue): string {
  const text = verbText(clause, value);
  if (text !== undefined) return text;
  throw new CelError(`error during formatting: ${verbError(clause.verb, typeOfValue(value).name)}`);
}

/** undefined when the verb is not for such a value. */
function verbText({ verb, precision }: FormatClause, value: CelValue): string | undefined {
  switch (verb) {
    case "s":
      return plainText(value);
    case "d":
      return integerOf(value)?.toString();
    case "f":
      return map(doubleOf(value), (number) => fixed(number, precision ?? 6));
    case "e":
      return map(doubleOf(value), (number) => scientific(number, precision ?? 6));
    case "b":
      return typeof value === "boolean" ? (value ? "1" : "0") : integerOf(value)?.toString(2);
    case "o":
      return integerOf(value)?.toString(8);
    case "x":
      return hex(value);
    default:
      return hex(value)?.toUpperCase();
  }
}

function map(value: number | undefined, convert: (value: number) => string): string | undefined {
  return value === undefined ? undefined : convert(value);
}

function integerOf(value: CelValue): bigint | undefined {
  if (isInt(value)) return BigInt(value);
  return value instanceof CelUint ? value.value : undefined;
}

function doubleOf(value: CelValue): number | undefined {
  if (value instanceof CelDouble) return value.value;
  if (value === "NaN") return Number.NaN;
  if (value === "Infinity") return Number.POSITIVE_INFINITY;
  return value === "-Infinity" ? Number.NEGATIVE_INFINITY : undefined;
}

function hex(value: CelValue): string | undefined {
  const bytes =
    typeof value === "string" ? encodeUtf8(value) : value instanceof Uint8Array ? value : undefined;
  if (bytes === undefined) return integerOf(value)?.toString(16);
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Thousands are separated by commas. */
function fixed(value: number, precision: number): string {
  if (!Number.isFinite(value)) return special(value);
  const [whole = "0", fraction] = decimals(Math.abs(value), precision).split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  const negative = value < 0 || Object.is(value, -0);
  return `${negative ? "-" : ""}${grouped}${fraction === undefined ? "" : `.${fraction}`}`;
}

/** toFixed is exact only to 100 digits and below 1e21. */
function decimals(value: number, precision: number): string {
  if (value < 1e21 && precision <= 100) return fixedDecimals(value, precision);
  const whole = BigInt(Math.trunc(value));
  const digits = Math.min(precision, 100);
  const fraction = digits === 0 ? "" : (value - Math.trunc(value)).toFixed(digits).slice(1);
  return `${whole}${fraction}${"0".repeat(precision - digits)}`;
}

const superscripts = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/** `1.500000×10⁰³`, as the English locale prints it. What is written as precision is taken for a width, as in cel-go. */
function scientific(value: number, width: number): string {
  if (!Number.isFinite(value)) return special(value).padStart(width);
  const [mantissa, exponent] = exponentialDecimals(value, 6);
  const size = Math.abs(exponent);
  const digits = String(size).padStart(2, "0");
  const raised = Array.from(digits, (digit) => superscripts[Number(digit)]).join("");
  const sign = Object.is(value, -0) ? "-" : "";
  return `${sign}${mantissa}×10${exponent < 0 ? "⁻" : ""}${raised}`.padStart(width);
}

function special(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  return value > 0 ? "∞" : "-∞";
}

function plainText(value: CelValue): string | undefined {
  if (value === null) return "null";
  if (isList(value)) return listText(value);
  if (value instanceof CelMap) return mapText(value);
  if (value instanceof CelType) return value.name;
  const { kind } = typeOfValue(value);
  if (kind === "opaque" || kind === "struct") return undefined;
  return toText(value);
}

function listText(list: CelList): string {
  return `[${listItems(list).map(literalText).join(", ")}]`;
}

function mapText(value: CelMap): string {
  const entries = value
    .keys()
    .map((key) => ({ key: keyText(key), value: literalText(value.get(key) ?? null) }));
  entries.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  return `{${entries.map((entry) => `${entry.key}:${entry.value}`).join(", ")}}`;
}

function keyText(key: CelValue): string {
  if (typeof key === "string" || typeof key === "boolean" || integerOf(key) !== undefined)
    return literalText(key);
  const reason = `no formatting function for map key of type ${typeOfValue(key).name}`;
  throw new CelError(`error during formatting: ${reason}`);
}

/** A value within a collection: as it would be written in an expression. */
function literalText(value: CelValue): string {
  if (typeof value === "string") return quote(value);
  if (value instanceof Uint8Array) return `b${quote(toText(value))}`;
  if (value instanceof CelTimestamp) return `timestamp(${quote(toText(value))})`;
  if (value instanceof CelDuration) return `duration(${quote(toText(value))})`;
  if (value instanceof CelDouble) return doubleText(value.value);
  const text = plainText(value);
  if (text !== undefined) return text;
  throw new CelError(`error during formatting: no formatting function for ${typeOfValue(value).name}`);
}

function doubleText(value: number): string {
  if (Number.isNaN(value)) return '"NaN"';
  if (!Number.isFinite(value)) return value > 0 ? '"+Inf"' : '"-Inf"';
  return `${value < 0 || Object.is(value, -0) ? "-" : ""}${decimals(Math.abs(value), 6)}`;
}
