/** JSON values as Go's decoder would hold them: integers that fit become int64, all other numbers float64. */

export type GoType = "null" | "boolean" | "string" | "integer" | "number" | "array" | "object";

const int64Min = -(2n ** 63n);
const int64Max = 2n ** 63n - 1n;

/** The type that the API server sees. An integer that does not fit 64 bits is a `number`. */
export function goTypeOf(value: unknown): GoType {
  switch (typeof value) {
    case "string":
      return "string";
    case "number":
      return isExactInteger(value) ? "integer" : "number";
    case "boolean":
      return "boolean";
    case "bigint":
      return value >= int64Min && value <= int64Max ? "integer" : "number";
    case "object":
      return value === null ? "null" : Array.isArray(value) ? "array" : "object";
    default:
      return "null";
  }
}

/** Whether a number is an integer that stands for itself: larger ones arrive as `bigint`, or were written with an exponent. */
function isExactInteger(value: number): boolean {
  return Number.isInteger(value) && Math.abs(value) <= 2 ** 53;
}

/** Whether the value is a JSON object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Equality of JSON values; the order of keys does not count. */
export function jsonEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) {
    return isNumeric(a) && isNumeric(b) && a == b;
  }
  if (Array.isArray(a)) return Array.isArray(b) && arraysEqual(a, b);
  return !Array.isArray(b) && objectsEqual(a as Record<string, unknown>, b as Record<string, unknown>);
}

function isNumeric(value: unknown): boolean {
  return typeof value === "number" || typeof value === "bigint";
}

// Loops, not callbacks: a document may be nested 2,000 deep, and each level takes a piece of the stack.
function arraysEqual(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (!jsonEqual(a[i], b[i])) return false;
  return true;
}

function objectsEqual(a: Record<string, unknown>, b: Record<string, unknown>): boolean {
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  for (const key of keys) if (!Object.hasOwn(b, key) || !jsonEqual(a[key], b[key])) return false;
  return true;
}
