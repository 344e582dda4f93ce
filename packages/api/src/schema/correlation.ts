/**
 * Which part of the old object a part of the new one corresponds to, for ratcheting: fields by name, items of a list map
 * by their keys; items of other lists correspond to nothing. Source: apiserver pkg/cel/common (equality.go, maplist.go).
 */
import { goNumber } from "../status/go-text.ts";
import { type JsonSchema, itemSchema } from "./json-schema.ts";
import { isObject, jsonEqual } from "./json-value.ts";

export interface Correlation {
  readonly value: unknown;
  readonly old: unknown;
  readonly schema: JsonSchema;
  /** Answers found so far: the same part is asked for by the validator and by comparisons. */
  readonly children: Map<string | number, Correlation>;
  oldItems?: ReadonlyMap<unknown, unknown> | undefined;
  equal?: boolean;
}

export function correlate(value: unknown, old: unknown, schema: JsonSchema): Correlation {
  return { value, old, schema, children: new Map() };
}

/** @param ofResource the parent is the whole resource, whose apiVersion and kind are never forgiven */
export function correlatedField(
  parent: Correlation,
  name: string,
  ofResource = false,
): Correlation | undefined {
  if (ofResource && (name === "apiVersion" || name === "kind")) return undefined;
  const known = parent.children.get(name);
  if (known !== undefined) return known;
  const { value, old } = parent;
  if (!isObject(value) || !isObject(old)) return undefined;
  if (!Object.hasOwn(value, name) || !Object.hasOwn(old, name)) return undefined;
  const schema = fieldSchema(parent.schema, name);
  if (schema === undefined) return undefined;
  const child = correlate(value[name], old[name], schema);
  parent.children.set(name, child);
  return child;
}

function fieldSchema(schema: JsonSchema, name: string): JsonSchema | undefined {
  const properties = schema.properties;
  if (properties !== undefined && Object.hasOwn(properties, name)) return properties[name];
  return typeof schema.additionalProperties === "object" ? schema.additionalProperties : undefined;
}

export function correlatedItem(parent: Correlation, index: number): Correlation | undefined {
  const known = parent.children.get(index);
  if (known !== undefined) return known;
  const { value, old, schema } = parent;
  if (!Array.isArray(value) || !Array.isArray(old) || index >= value.length) return undefined;
  if (schema["x-kubernetes-list-type"] !== "map") return undefined;
  parent.oldItems ??= itemsByKey(old, schema);
  const key = itemKey(value[index], schema);
  const oldItem = key === undefined ? undefined : parent.oldItems.get(key);
  const items = itemSchema(schema);
  if (oldItem === undefined || items === undefined) return undefined;
  const child = correlate(value[index], oldItem, items);
  parent.children.set(index, child);
  return child;
}

function itemsByKey(items: readonly unknown[], schema: JsonSchema): ReadonlyMap<unknown, unknown> {
  const byKey = new Map<unknown, unknown>();
  for (const item of items) {
    const key = itemKey(item, schema);
    if (key !== undefined && !byKey.has(key)) byKey.set(key, item);
  }
  return byKey;
}

/** The identity of an item of a list map; undefined when a key is missing or no scalar. */
function itemKey(item: unknown, schema: JsonSchema): string | undefined {
  const names = schema["x-kubernetes-list-map-keys"] ?? [];
  if (schema.type !== "array" || names.length === 0 || !isObject(item)) return undefined;
  let key = "";
  for (const name of names) {
    const value = item[name];
    if (typeof value === "string") key += `\0${JSON.stringify(value)}`;
    else if (typeof value === "number" || typeof value === "bigint") key += `\0${goNumber(value)}`;
    else if (typeof value === "boolean") key += `\0${value}`;
    else return undefined;
  }
  return key;
}

/**
 * Whether nothing changed. A part that corresponds to nothing counts as changed, so an object with fields that its schema
 * does not list is never unchanged.
 */
export function isUnchanged(correlation: Correlation): boolean {
  correlation.equal ??= compare(correlation);
  return correlation.equal;
}

function compare(correlation: Correlation): boolean {
  const { value, old } = correlation;
  if (Array.isArray(value)) return Array.isArray(old) && compareLists(correlation, value, old);
  if (!isObject(value)) return jsonEqual(value, old);
  if (!isObject(old)) return false;
  const names = Object.keys(value);
  if (names.length !== Object.keys(old).length) return false;
  return names.every((name) => {
    const child = correlatedField(correlation, name);
    return child !== undefined && isUnchanged(child);
  });
}

function compareLists(correlation: Correlation, value: readonly unknown[], old: readonly unknown[]): boolean {
  if (value.length !== old.length) return false;
  for (let i = 0; i < value.length; i++) {
    const child = correlatedItem(correlation, i);
    if (child === undefined) return correlation.oldItems === undefined && jsonEqual(value, old);
    if (!isUnchanged(child)) return false;
  }
  return true;
}
