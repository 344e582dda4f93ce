import type { MergeType } from "./merge-type.ts";

export type JsonMap = { readonly [name: string]: unknown };

/**
 * Which of its possible forms a type takes for a value. `any` when the value does not tell (null) or fits none: then the
 * first form that the type has counts, in the order map, scalar, list. Source: structured-merge-diff typed (helpers.go).
 */
export type Form = "map" | "scalar" | "list" | "any";

/** The form of a value, narrowed only when the type has it. */
export function formOf(type: MergeType, value: unknown): Form {
  if (Array.isArray(value)) return type.list === undefined ? "any" : "list";
  if (typeof value === "object") return value === null || type.map === undefined ? "any" : "map";
  if (value === undefined) return "any";
  return type.scalar === undefined ? "any" : "scalar";
}

/** The form that a walker handles. `none`: the type has no forms, nothing is valid. */
export function handledForm(type: MergeType, form: Form): "map" | "scalar" | "list" | "none" {
  if (form !== "any") return form;
  if (type.map !== undefined) return "map";
  if (type.scalar !== undefined) return "scalar";
  return type.list === undefined ? "none" : "list";
}

/** Whether two narrowed forms are the same type; a type of one form is never narrowed. */
export function sameForm(type: MergeType, a: Form, b: Form): boolean {
  return a === b || countForms(type) === 1;
}

function countForms(type: MergeType): number {
  return Number(type.map !== undefined) + Number(type.scalar !== undefined) + Number(type.list !== undefined);
}

export function asMap(value: unknown): JsonMap | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as JsonMap)
    : undefined;
}

export function asList(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

export function isEmptyMap(map: JsonMap): boolean {
  for (const _ in map) return false;
  return true;
}

/** The entry of a map; never what every object inherits, though a map may have a key like `constructor`. */
export function entryOf(map: JsonMap | undefined, name: string): unknown {
  return map !== undefined && Object.hasOwn(map, name) ? map[name] : undefined;
}

/** Whether two JSON values are equal; numbers by value. */
export function equalValues(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || a === null || typeof b !== "object" || b === null) return equalScalars(a, b);
  if (Array.isArray(a)) return Array.isArray(b) && equalLists(a, b);
  if (Array.isArray(b)) return false;
  return equalMaps(a as JsonMap, b as JsonMap);
}

function equalScalars(a: unknown, b: unknown): boolean {
  if (typeof a === "bigint") return typeof b === "number" && BigInt(b) === a;
  return typeof b === "bigint" && typeof a === "number" && Number.isInteger(a) && BigInt(a) === b;
}

function equalLists(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, index) => equalValues(item, b[index]));
}

function equalMaps(a: JsonMap, b: JsonMap): boolean {
  let count = 0;
  for (const name in a) {
    const other = entryOf(b, name);
    if (other === undefined || !equalValues(a[name], other)) return false;
    count++;
  }
  for (const _ in b) count--;
  return count === 0;
}
