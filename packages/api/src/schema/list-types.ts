/** Uniqueness in lists of type set and map. Source: apiextensions-apiserver pkg/apiserver/schema/listtype. */
import { type FieldError, fieldChild, fieldKey } from "../status/field-error.ts";
import { goJson } from "../status/go-text.ts";
import { goTypeOf, isObject } from "./json-value.ts";
import type { SchemaNode } from "./schema-node.ts";

export function validateListTypes(node: SchemaNode, value: unknown, path = ""): FieldError[] {
  if (!node.below.listTypes) return [];
  const errors: FieldError[] = [];
  walk(node, value, path, errors);
  return errors;
}

function walk(node: SchemaNode | undefined, value: unknown, path: string, errors: FieldError[]): void {
  if (node === undefined || !node.below.listTypes) return;
  if (Array.isArray(value)) {
    const type = node.schema["x-kubernetes-list-type"];
    if (type === "set") reportDuplicates(value, path, errors);
    else if (type === "map") checkMap(node, value, path, errors);
    for (let i = 0; i < value.length; i++) walk(node.items, value[i], fieldKey(path, i), errors);
  } else if (isObject(value)) {
    if (typeof node.additional === "object") {
      for (const key in value) walk(node.additional, value[key], fieldKey(path, key), errors);
    }
    for (const [name, property] of node.properties) {
      if (Object.hasOwn(value, name)) walk(property, value[name], fieldChild(path, name), errors);
    }
  }
}

/** Each value is reported once, where it first occurs again. */
function reportDuplicates(values: readonly unknown[], path: string, errors: FieldError[]): void {
  if (values.length < 2) return;
  const seen = new Map<string, number>();
  for (const [i, value] of values.entries()) {
    const id = identity(value);
    const times = seen.get(id) ?? 0;
    seen.set(id, times + 1);
    if (times === 1)
      errors.push({ type: "Duplicate", field: fieldKey(path, i), badValue: value, detail: "" });
  }
}

function identity(value: unknown): string {
  return typeof value === "string" ? `s${value}` : `${goTypeOf(value)} ${goJson(value)}`;
}

function checkMap(node: SchemaNode, items: readonly unknown[], path: string, errors: FieldError[]): void {
  for (const [i, item] of items.entries()) {
    if (item === null || isObject(item)) continue;
    const detail = "must be an object for an array of list-type map";
    errors.push({ type: "Invalid", field: fieldKey(path, i), badValue: item, detail });
    return;
  }
  const names = node.schema["x-kubernetes-list-map-keys"] ?? [];
  if (items.length < 2 || haveDistinctTexts(items, names)) return;
  const keys = items.map((item) => {
    const given = isObject(item) ? names.filter((name) => Object.hasOwn(item, name)) : [];
    return Object.fromEntries(given.map((name) => [name, (item as Record<string, unknown>)[name]]));
  });
  reportDuplicates(keys, path, errors);
}

/** Nearly every list map has one key, a text, and no duplicates: that is seen without building keys. */
function haveDistinctTexts(items: readonly unknown[], names: readonly string[]): boolean {
  const [name] = names;
  if (name === undefined || names.length > 1) return false;
  const seen = new Set<unknown>();
  for (const item of items) {
    const value = isObject(item) && Object.hasOwn(item, name) ? item[name] : undefined;
    if (typeof value !== "string") return false;
    seen.add(value);
  }
  return seen.size === items.length;
}
