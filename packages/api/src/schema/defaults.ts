import type { Json, JsonObject } from "../object/object.ts";
import { mapFields, mapItems } from "./copy-on-write.ts";
import type { SchemaNode } from "./schema-node.ts";

/** Fills in defaults at every depth. Source: schema/defaulting/algorithm.go. */
export function fillDefaults(node: SchemaNode | undefined, value: Json): Json {
  if (node === undefined || !node.below.defaults || typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    return mapItems(value, (item) => fillDefaults(node.items, nullToDefault(node.items, item)));
  }
  const known = mapFields(value, (name, field) => {
    const property = node.properties.get(name);
    if (property !== undefined) {
      const given =
        field === null && property.defaultValue !== undefined ? nullToDefault(property, field) : field;
      return fillDefaults(property, given);
    }
    const extra = node.additional;
    return typeof extra === "object" ? fillDefaults(extra, nullToDefault(extra, field)) : field;
  });
  return addMissing(node, known);
}

function nullToDefault(node: SchemaNode | undefined, value: Json): Json {
  return value === null && node !== undefined && !node.nullable ? (node.defaultValue ?? null) : value;
}

function addMissing(node: SchemaNode, object: JsonObject): JsonObject {
  let filled = object;
  for (const [name, property] of node.properties) {
    if (property.defaultValue === undefined || Object.hasOwn(object, name)) continue;
    if (filled === object) filled = { ...object };
    filled[name] = fillDefaults(property, property.defaultValue);
  }
  return filled;
}
