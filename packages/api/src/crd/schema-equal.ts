import type { JsonSchema } from "../schema/json-schema.ts";
import { isObject, jsonEqual } from "../schema/json-value.ts";

/**
 * Whether the server takes two schemas for the same: texts, flags, lists and maps that are empty equal absent ones.
 * Source: apimachinery third_party/forked/golang/reflect (Equalities.DeepEqual) over JSONSchemaProps.
 */
export function schemasEqual(a: JsonSchema | undefined, b: JsonSchema | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined) return false;
  const keywords = new Set([...Object.keys(a), ...Object.keys(b)]) as Set<keyof JsonSchema>;
  for (const keyword of keywords) if (!keywordsEqual(keyword, a[keyword], b[keyword])) return false;
  return true;
}

const schemaLists = new Set(["allOf", "anyOf", "oneOf"]);
const schemaMaps = new Set(["properties", "patternProperties", "definitions", "dependencies"]);
const plainLists = new Set(["enum", "required", "x-kubernetes-list-map-keys", "x-kubernetes-validations"]);
const flagsAndTexts = new Set([
  "id",
  "$schema",
  "description",
  "type",
  "nullable",
  "format",
  "title",
  "exclusiveMaximum",
  "exclusiveMinimum",
  "pattern",
  "uniqueItems",
  "x-kubernetes-embedded-resource",
  "x-kubernetes-int-or-string",
]);

function keywordsEqual(keyword: string, a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (schemaMaps.has(keyword)) return mapsEqual(a ?? {}, b ?? {});
  if (schemaLists.has(keyword)) return partsEqual(a ?? [], b ?? []);
  if (plainLists.has(keyword)) return jsonEqual(a ?? [], b ?? []);
  if (flagsAndTexts.has(keyword)) return (a || undefined) === (b || undefined);
  if (keyword === "default" || keyword === "example") return jsonEqual(a ?? null, b ?? null);
  return partsEqual(a, b);
}

function mapsEqual(a: object, b: object): boolean {
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return false;
  const [x, y] = [a as Record<string, unknown>, b as Record<string, unknown>];
  return names.every((name) => Object.hasOwn(y, name) && partsEqual(x[name], y[name]));
}

/** Schemas, lists of schemas, or anything else. */
function partsEqual(a: unknown, b: unknown): boolean {
  if (isObject(a) && isObject(b)) return schemasEqual(a as JsonSchema, b as JsonSchema);
  if (!Array.isArray(a) || !Array.isArray(b)) return jsonEqual(a ?? null, b ?? null);
  return a.length === b.length && a.every((part, i) => partsEqual(part, b[i]));
}
