import type { JsonSchema } from "../schema/json-schema.ts";

/** The order in which keywords are written, for texts that people read and compare. Others follow by name. */
const keywordOrder: readonly string[] = [
  "type",
  "format",
  "title",
  "description",
  "nullable",
  "enum",
  "default",
  "minimum",
  "exclusiveMinimum",
  "maximum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "pattern",
  "minItems",
  "maxItems",
  "minProperties",
  "maxProperties",
  "required",
  "properties",
  "additionalProperties",
  "items",
];

const rank: ReadonlyMap<string, number> = new Map(keywordOrder.map((keyword, index) => [keyword, index]));

/** The schema with its keywords in one order at every depth; properties stay in the order they were declared in. */
export function canonicalSchema(schema: JsonSchema): JsonSchema {
  const keywords = Object.entries(schema).filter(([, value]) => value !== undefined);
  keywords.sort(([a], [b]) => rankOf(a) - rankOf(b) || (a < b ? -1 : a > b ? 1 : 0));
  return Object.fromEntries(keywords.map(([keyword, value]) => [keyword, canonicalValue(keyword, value)]));
}

function rankOf(keyword: string): number {
  return rank.get(keyword) ?? keywordOrder.length;
}

function canonicalValue(keyword: string, value: unknown): unknown {
  switch (keyword) {
    case "properties":
      return Object.fromEntries(
        Object.entries(value as Record<string, JsonSchema>).map(([name, property]) => [
          name,
          canonicalSchema(property),
        ]),
      );
    case "items":
    case "not":
      return canonicalSchema(value as JsonSchema);
    case "additionalProperties":
      return typeof value === "boolean" ? value : canonicalSchema(value as JsonSchema);
    case "allOf":
    case "anyOf":
    case "oneOf":
      return (value as JsonSchema[]).map(canonicalSchema);
    default:
      return value;
  }
}
