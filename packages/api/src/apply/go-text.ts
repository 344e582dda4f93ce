import { quote } from "../status/field-error.ts";

/**
 * JSON values as Go's fmt prints them, because the texts of typed errors hold them.
 * Source: fmt (print.go, format.go), strconv (ftoa.go).
 */

export type JsonNumberLike = number | bigint;

/** A scalar: texts quoted, numbers as `%v`. */
export function goString(value: string | boolean | JsonNumberLike): string {
  return typeof value === "string" ? quote(value) : goScalar(value);
}

function goScalar(value: unknown): string {
  return typeof value === "number" ? goNumber(value) : String(value);
}

/** `%v` of a float64 that is no whole number; whole ones are int64 and print plainly. */
function goNumber(value: number): string {
  if (Number.isSafeInteger(value)) return String(value);
  const [digits = "", power = "0"] = value.toExponential().split("e");
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 6) return plainNumber(value, exponent);
  const size = String(Math.abs(exponent)).padStart(2, "0");
  return `${digits}e${exponent < 0 ? "-" : "+"}${size}`;
}

function plainNumber(value: number, exponent: number): string {
  return exponent < 0 ? value.toFixed(Math.min(100, fractionDigits(value))) : String(value);
}

function fractionDigits(value: number): number {
  const [digits = "", power = "0"] = value.toExponential().split("e");
  return Math.max(0, digits.replace(/[-.]/g, "").length - 1 - Number(power));
}

/** `%v`: `map[a:1 b:[x y]]`, `<nil>`. */
export function goValue(value: unknown): string {
  if (value === null || value === undefined) return "<nil>";
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return `[${value.map(goValue).join(" ")}]`;
  if (typeof value !== "object") return goScalar(value);
  const map = value as Record<string, unknown>;
  return `map[${sortedNames(map)
    .map((name) => `${name}:${goValue(map[name])}`)
    .join(" ")}]`;
}

/** `%#v`: `map[string]interface {}{"a":1}`, `[]interface {}{"x"}`. */
export function goSyntax(value: unknown): string {
  if (value === null || value === undefined) return "interface {}(nil)";
  if (typeof value === "string") return quote(value);
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(", ")}}`;
  if (typeof value !== "object") return goScalar(value);
  const map = value as Record<string, unknown>;
  return `map[string]interface {}{${sortedNames(map)
    .map((name) => `${quote(name)}:${goSyntax(map[name])}`)
    .join(", ")}}`;
}

/** `%T`. */
export function goTypeName(value: unknown): string {
  if (value === null || value === undefined) return "<nil>";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "bigint") return "int64";
  if (typeof value === "number") return Number.isInteger(value) ? "int64" : "float64";
  if (typeof value === "string") return "string";
  return Array.isArray(value) ? "[]interface {}" : "map[string]interface {}";
}

function sortedNames(map: object): string[] {
  return Object.keys(map).sort();
}
