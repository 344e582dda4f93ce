import { type FieldSet, fieldSetOfPaths, sortedSet } from "../src/apply/field-set.ts";
import { type MergeType, compileMergeType } from "../src/apply/merge-type.ts";
import { type PathElement, keyElement, valueElement } from "../src/apply/path-element.ts";
import type { JsonSchema } from "../src/schema/json-schema.ts";

/**
 * Paths as messages print them, for tables: `.list[key="a",id=1].value`, `.set[="x"]`, `[0]`. Values are JSON.
 */
export function path(text: string): PathElement[] {
  const elements: PathElement[] = [];
  const step = /\.([^.[\]]*)|\[((?:"(?:[^"\\]|\\.)*"|[^"\]])*)\]/gy;
  let end = 0;
  for (let found = step.exec(text); found !== null; found = step.exec(text)) {
    elements.push(found[1] === undefined ? bracketed(found[2] ?? "") : `f:${found[1]}`);
    end = step.lastIndex;
  }
  if (end !== text.length) throw new Error(`cannot read the path ${text} at ${end}`);
  return elements;
}

function bracketed(text: string): PathElement {
  if (/^\d+$/.test(text)) return `i:${text}`;
  if (text.startsWith("=")) return valueElement(JSON.parse(text.slice(1)));
  const keys = [...text.matchAll(/([^=,]+)=("(?:[^"\\]|\\.)*"|[^,]*)/g)].map(
    ([, name = "", value = ""]) => [name, JSON.parse(value) as unknown] as const,
  );
  return keyElement(keys.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The set of these paths. */
export function setOf(...paths: string[]): FieldSet {
  return sortedSet(fieldSetOfPaths(paths.map(path)));
}

/** The merge type of a schema of fields, for values that are no whole objects. */
export function typeOf(properties: Record<string, JsonSchema>): MergeType {
  return compileMergeType({ type: "object", properties });
}

export const text: JsonSchema = { type: "string" };
export const number: JsonSchema = { type: "number" };
export const flag: JsonSchema = { type: "boolean" };
/** Anything, as one value. */
export const anything: JsonSchema = { $ref: "#/definitions/io.k8s.apimachinery.pkg.runtime.RawExtension" };

export function mapOf(values: JsonSchema): JsonSchema {
  return { type: "object", additionalProperties: values };
}

export function structOf(properties: Record<string, JsonSchema>): JsonSchema {
  return { type: "object", properties };
}

export function listOf(items: JsonSchema): JsonSchema {
  return { type: "array", items };
}

export function setListOf(items: JsonSchema): JsonSchema {
  return { type: "array", items, "x-kubernetes-list-type": "set" };
}

export function keyedListOf(keys: string[], properties: Record<string, JsonSchema>): JsonSchema {
  return {
    type: "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": keys,
    items: structOf(properties),
  };
}

export function atomic(map: JsonSchema): JsonSchema {
  return { ...map, "x-kubernetes-map-type": "atomic" };
}

/** The types that structured-merge-diff's tables are about, in our words. */
export const pairType: MergeType = typeOf({ key: text, value: anything });

export const mixedType: MergeType = typeOf({
  numeric: number,
  string: text,
  bool: flag,
  setStr: setListOf(text),
  setBool: setListOf(flag),
  setNumeric: setListOf(number),
  color: atomic(structOf({ R: number, G: number, B: number })),
  wavelengths: atomic(mapOf(number)),
  args: listOf(structOf({ key: text, value: text })),
});

export const keyedType: MergeType = typeOf({
  list: keyedListOf(["key", "id"], { key: text, id: number, value: mapOf(text), bv: flag, nv: number }),
  atomicList: listOf(text),
  atomicMap: atomic({ ...structOf({ id: text }), additionalProperties: text }),
});
