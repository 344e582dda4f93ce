/** How values of a schema are read by expressions. Source: apiserver pkg/cel/common (valuesunstructured.go). */
import type { JsonSchema } from "../schema/json-schema.ts";
import { escapeName } from "./schema-escape.ts";
import { withTypeAndMetadata } from "./schema-type.ts";

export type ShapeKind =
  | "string"
  | "integer"
  | "number"
  | "boolean"
  | "byte"
  | "duration"
  | "date"
  | "date-time"
  | "int-or-string"
  | "list"
  | "object"
  | "unknown"
  | "json"
  | "none";

/** How values of a schema are read. */
export interface Shape {
  readonly kind: ShapeKind;
  readonly nullable: boolean;
  /** Fields by property name, for an object with declared properties. */
  readonly fields?: ReadonlyMap<string, Shape>;
  /** Property and shape of each field by identifier. */
  readonly identifiers?: ReadonlyMap<string, { readonly property: string; readonly shape: Shape }>;
  /** Values of a map. */
  readonly values?: Shape;
  readonly items?: Shape;
  readonly listType?: "set" | "map";
  /** Identifiers of the keys of a list map. */
  readonly listKeys?: readonly string[];
}

/** Of values that no schema describes: what JSON says of itself, whole numbers being ints. */
export const jsonShape: Shape = { kind: "json", nullable: true };
export const jsonObjectShape: Shape = { kind: "object", nullable: true, values: jsonShape };

/** The shape of a schema; `isResource` as in `declareSchema`. */
export function shapeOf(schema: JsonSchema, isResource: boolean): Shape {
  const nullable = schema.nullable === true;
  if (schema["x-kubernetes-int-or-string"]) return { kind: "int-or-string", nullable };
  const embedded = isResource || schema["x-kubernetes-embedded-resource"] === true;
  if (schema.type === "object") return objectShape(embedded ? withTypeAndMetadata(schema) : schema, nullable);
  if (schema.type === "array") return listShape(schema, nullable);
  return { kind: scalarKind(schema), nullable };
}

function scalarKind(schema: JsonSchema): ShapeKind {
  switch (schema.type) {
    case "string":
      switch (schema.format) {
        case "byte":
        case "duration":
        case "date":
        case "date-time":
          return schema.format;
        default:
          return "string";
      }
    case "integer":
      return "integer";
    case "number":
      return "number";
    case "boolean":
      return "boolean";
    default:
      return schema["x-kubernetes-preserve-unknown-fields"] ? "unknown" : "none";
  }
}

function objectShape(schema: JsonSchema, nullable: boolean): Shape {
  if (schema.properties !== undefined) {
    const fields = new Map(
      Object.entries(schema.properties).map(([name, child]) => [name, shapeOf(child, false)]),
    );
    const identifiers = new Map<string, { property: string; shape: Shape }>();
    for (const [property, shape] of fields) {
      const identifier = escapeName(property);
      if (identifier !== undefined) identifiers.set(identifier, { property, shape });
    }
    return { kind: "object", nullable, fields, identifiers };
  }
  if (typeof schema.additionalProperties === "object") {
    return { kind: "object", nullable, values: shapeOf(schema.additionalProperties, false) };
  }
  return { kind: "object", nullable };
}

function listShape(schema: JsonSchema, nullable: boolean): Shape {
  const { items } = schema;
  const shape: Shape = { kind: "list", nullable };
  if (items === undefined || Array.isArray(items)) return shape;
  const withItems: Shape = { ...shape, items: shapeOf(items, false) };
  switch (schema["x-kubernetes-list-type"]) {
    case "set":
      return { ...withItems, listType: "set" };
    case "map": {
      const listKeys = (schema["x-kubernetes-list-map-keys"] ?? []).map((key) => escapeName(key) ?? key);
      return { ...withItems, listType: "map", listKeys };
    }
    default:
      return withItems;
  }
}
