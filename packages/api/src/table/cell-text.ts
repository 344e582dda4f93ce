/**
 * How a value that a column's path found is put into a cell.
 * Sources: apiextensions-apiserver pkg/registry/customresource/tableconvertor, client-go util/jsonpath (evalToText).
 */
import type { Json } from "../object/object.ts";
import { humanDuration } from "./human-duration.ts";
import { printResults } from "./jsonpath.ts";

/** A cell of a column of this type; null where the value does not fit the type. */
export function cellOf(type: string, value: unknown, nowMs: number): Json {
  if (value === null || value === undefined) return type === "string" ? "<no value>" : null;
  if (type === "string") return printResults([value]);
  if (type === "integer") return integerCell(value);
  if (type === "number") return numberCell(value);
  if (type === "boolean") return typeof value === "boolean" ? value : null;
  if (type === "date") return typeof value === "string" ? dateCell(value, nowMs) : null;
  return null;
}

const leastInt64 = -(2n ** 63n);

/** Fractions are cut off. What no 64-bit integer can hold becomes the least one, as the real server's conversion does. */
function integerCell(value: unknown): Json {
  if (typeof value === "bigint") return value < leastInt64 || value >= -leastInt64 ? leastInt64 : value;
  if (typeof value !== "number") return null;
  const whole = Math.trunc(value);
  if (Math.abs(whole) <= Number.MAX_SAFE_INTEGER) return whole === 0 ? 0 : whole;
  return Math.abs(whole) < 2 ** 63 ? BigInt(whole) : leastInt64;
}

function numberCell(value: unknown): Json {
  if (typeof value === "bigint") return Number(value);
  return typeof value === "number" ? value : null;
}

function dateCell(text: string, nowMs: number): string {
  if (text === "" || text === "null") return "<unknown>";
  const time = rfc3339Ms(text);
  return time === undefined ? "<invalid>" : humanDuration(nowMs - time);
}

/** Milliseconds since 1970 of a full RFC 3339 timestamp; undefined for any other text, dates alone among them. */
export function rfc3339Ms(text: string): number | undefined {
  const match = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:[.,](\d+))?(?:Z|([+-])(\d\d):(\d\d))$/.exec(
    text,
  );
  if (match === null) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const offset = Number(match[9] ?? 0) * 60 + Number(match[10] ?? 0);
  const inRange = month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month) && hour <= 23;
  if (!inRange || minute > 59 || second > 59 || Number(match[9] ?? 0) > 23 || Number(match[10] ?? 0) > 59)
    return undefined;
  const fraction = Math.trunc(Number(`0.${match[7] ?? "0"}`) * 1000);
  const utc = Date.UTC(2000, month - 1, day, hour, minute, second, fraction) + yearShift(year, month, day);
  return utc - (match[8] === "-" ? -offset : offset) * 60_000;
}

function daysIn(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

/** Date.UTC takes years below 100 for 1900 and on, so the year is added separately. */
function yearShift(year: number, month: number, day: number): number {
  const at = new Date(0);
  at.setUTCFullYear(year, month - 1, day);
  return at.getTime() - Date.UTC(2000, month - 1, day);
}
