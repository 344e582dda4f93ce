/** The operators of jq between two values. Source of the rules: jq 1.7, manual. */
import { JqError, compare, isObject, isSame, typeName } from "./filter.ts";

export type Combine = (a: unknown, b: unknown) => unknown;

function cannot(verb: string, a: unknown, b: unknown): JqError {
  return new JqError(`${typeName(a)} and ${typeName(b)} cannot be ${verb}`);
}

function add(a: unknown, b: unknown): unknown {
  if (a === null || a === undefined) return b;
  if (b === null || b === undefined) return a;
  if (typeof a === "number" && typeof b === "number") return a + b;
  if (typeof a === "string" && typeof b === "string") return a + b;
  if (Array.isArray(a) && Array.isArray(b)) return [...(a as unknown[]), ...(b as unknown[])];
  if (isObject(a) && isObject(b)) return { ...a, ...b };
  throw cannot("added", a, b);
}

function subtract(a: unknown, b: unknown): unknown {
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (Array.isArray(a) && Array.isArray(b))
    return a.filter((one) => !b.some((other) => isSame(one, other))) as unknown[];
  throw cannot("subtracted", a, b);
}

function multiply(a: unknown, b: unknown): unknown {
  if (typeof a === "number" && typeof b === "number") return a * b;
  throw cannot("multiplied", a, b);
}

function divide(a: unknown, b: unknown): unknown {
  if (typeof a === "string" && typeof b === "string") return a.split(b);
  if (typeof a !== "number" || typeof b !== "number" || b === 0) throw cannot("divided", a, b);
  return a / b;
}

function remainder(a: unknown, b: unknown): unknown {
  if (typeof a !== "number" || typeof b !== "number" || Math.trunc(b) === 0) throw cannot("divided", a, b);
  return Math.trunc(a) % Math.trunc(b);
}

export const operators: Readonly<Record<string, Combine>> = {
  "+": add,
  "-": subtract,
  "*": multiply,
  "/": divide,
  "%": remainder,
  "==": isSame,
  "!=": (a, b) => !isSame(a, b),
  "<": (a, b) => compare(a, b) < 0,
  "<=": (a, b) => compare(a, b) <= 0,
  ">": (a, b) => compare(a, b) > 0,
  ">=": (a, b) => compare(a, b) >= 0,
};
