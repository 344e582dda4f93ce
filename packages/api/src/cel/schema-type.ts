/**
 * What a structural schema declares to expressions: the type of a value, how large it can be, how small its JSON.
 * Source: apiserver pkg/cel/common/schemas.go, pkg/cel/types.go, pkg/cel/limits.go; apiextensions
 * pkg/apiserver/schema/cel/model.
 */
import type { JsonSchema } from "../schema/json-schema.ts";
import { utf8Length } from "./source.ts";
import { escapeName, keywordAlias } from "./schema-escape.ts";
import { type CelType, celTypes, listType, mapType, structType } from "./type.ts";

/** Bytes of the largest request: the guess for all that has no bound. */
export const requestSizeMax: number = 3 * 1024 * 1024;

export interface DeclaredType {
  readonly type: CelType;
  /** Fields of an object by their identifiers. */
  readonly fields?: ReadonlyMap<string, DeclaredType>;
  /** Elements of a list, values of a map. */
  readonly element?: DeclaredType;
  readonly isMap?: boolean;
  /** Most characters, bytes, elements or entries. */
  readonly sizeMax: number;
  /** Fewest bytes of its JSON. */
  readonly jsonSizeMin: number;
}

const durationSizes = { min: 3, max: 32 };
const dateSize = 12;
const dateTimeSizes = { min: 21, max: 32 };
const stringSizeMin = 2;
const nameLengthMax = 253;

/** The API server has a number here that changes with every compilation, so that nobody depends on it. */
const rootTypeName: string = "selfType1";

/**
 * The declaration of a schema, undefined for one that expressions do not see (no type, nothing known of the items). Object
 * types are named after their place, `name` being that of the outermost.
 */
export function declareSchema(
  schema: JsonSchema,
  isResource: boolean,
  name: string = rootTypeName,
): DeclaredType | undefined {
  if (schema["x-kubernetes-int-or-string"]) {
    const sizeMax = schema.maxLength === undefined ? requestSizeMax - 2 : bytesOf(schema.maxLength);
    return { type: celTypes.dyn, sizeMax, jsonSizeMin: 1 };
  }
  const known = isResource ? withTypeAndMetadata(schema) : schema;
  switch (known.type) {
    case "array":
      return declareList(known, name);
    case "object":
      return declareObject(known, name);
    case "string":
      return declareString(known);
    case "boolean":
      return { type: celTypes.bool, sizeMax: 0, jsonSizeMin: 4 };
    case "number":
      return { type: celTypes.double, sizeMax: 0, jsonSizeMin: 1 };
    case "integer":
      return { type: celTypes.int, sizeMax: 0, jsonSizeMin: 1 };
    default:
      return undefined;
  }
}

function declareChild(schema: JsonSchema, name: string): DeclaredType | undefined {
  return declareSchema(schema, schema["x-kubernetes-embedded-resource"] === true, name);
}

function declareList(schema: JsonSchema, name: string): DeclaredType | undefined {
  const { items } = schema;
  if (items === undefined || Array.isArray(items)) return undefined;
  const element = declareChild(items, `${name}.@idx`);
  if (element === undefined) return undefined;
  const guess = Math.floor((requestSizeMax - 2) / (element.jsonSizeMin + 1));
  const sizeMax = schema.maxItems === undefined ? guess : Math.max(schema.maxItems, 0);
  return { type: listType(element.type), element, sizeMax, jsonSizeMin: 2 };
}

function declareObject(schema: JsonSchema, name: string): DeclaredType | undefined {
  const { additionalProperties } = schema;
  if (typeof additionalProperties === "object") return declareMap(schema, additionalProperties, name);
  const fields = new Map<string, DeclaredType>();
  const required = new Set(schema.required);
  let jsonSizeMin = 2;
  for (const [property, child] of Object.entries(schema.properties ?? {})) {
    const identifier = escapeName(property);
    const declared = declareChild(child, `${name}.${identifier ?? property}`);
    if (declared === undefined) continue;
    if (identifier !== undefined) fields.set(identifier, declared);
    const alias = keywordAlias(property);
    if (alias !== undefined) fields.set(alias, declared);
    if (required.has(property) && (child.default === undefined || child.default === null)) {
      jsonSizeMin += utf8Length(property) + declared.jsonSizeMin + 4;
    }
  }
  return { type: structType(name), fields, sizeMax: 0, jsonSizeMin };
}

function declareMap(schema: JsonSchema, values: JsonSchema, name: string): DeclaredType | undefined {
  const element = declareChild(values, `${name}.@elem`);
  if (element === undefined) return undefined;
  const guess = Math.floor((requestSizeMax - 2) / (element.jsonSizeMin + 6));
  const sizeMax = schema.maxProperties === undefined ? guess : Math.max(schema.maxProperties, 0);
  return { type: mapType(celTypes.string, element.type), element, isMap: true, sizeMax, jsonSizeMin: 2 };
}

function declareString(schema: JsonSchema): DeclaredType {
  switch (schema.format) {
    case "byte": {
      const sizeMax = schema.maxLength === undefined ? requestSizeMax - 2 : Math.max(schema.maxLength, 0);
      return { type: celTypes.bytes, sizeMax, jsonSizeMin: stringSizeMin };
    }
    case "duration":
      return { type: celTypes.duration, sizeMax: durationSizes.max, jsonSizeMin: durationSizes.min };
    case "date":
      return { type: celTypes.timestamp, sizeMax: dateSize, jsonSizeMin: dateSize };
    case "date-time":
      return { type: celTypes.timestamp, sizeMax: dateTimeSizes.max, jsonSizeMin: dateTimeSizes.min };
    default:
      return { type: celTypes.string, sizeMax: stringSizeMax(schema), jsonSizeMin: stringSizeMin };
  }
}

function stringSizeMax(schema: JsonSchema): number {
  if (schema.maxLength !== undefined) return bytesOf(schema.maxLength);
  if (schema.enum === undefined || schema.enum.length === 0) return requestSizeMax - 2;
  const lengths = schema.enum.map((value) => (typeof value === "string" ? utf8Length(value) : 0));
  return Math.max(...lengths);
}

/** A length is in characters, sizes are in bytes, of which a character has up to four. */
function bytesOf(length: number): number {
  return Math.max(length, 0) * 4;
}

/**
 * The schema of a whole resource, in which apiVersion, kind, metadata.name and metadata.generateName are always known, and
 * of the metadata nothing else.
 */
export function withTypeAndMetadata(schema: JsonSchema): JsonSchema {
  const properties = schema.properties ?? {};
  const metadata = properties["metadata"];
  const names = metadata?.properties ?? {};
  const complete =
    properties["kind"]?.type === "string" &&
    properties["apiVersion"]?.type === "string" &&
    metadata?.type === "object" &&
    names["name"]?.type === "string" &&
    names["generateName"]?.type === "string";
  if (complete) return schema;
  const text: JsonSchema = { type: "string" };
  const capped = (existing: JsonSchema | undefined, maxLength: number): JsonSchema => ({
    type: "string",
    maxLength: Math.min(existing?.maxLength ?? maxLength, maxLength),
  });
  const known: JsonSchema = {
    type: "object",
    properties: {
      name: capped(names["name"], nameLengthMax),
      generateName: capped(names["generateName"], nameLengthMax - 1),
    },
  };
  return { ...schema, properties: { ...properties, kind: text, apiVersion: text, metadata: known } };
}

/** The object types in a declaration, by name. */
export function declaredStructs(root: DeclaredType): ReadonlyMap<string, ReadonlyMap<string, CelType>> {
  const structs = new Map<string, ReadonlyMap<string, CelType>>();
  const collect = (declared: DeclaredType): void => {
    if (declared.fields !== undefined) {
      structs.set(
        declared.type.name,
        new Map([...declared.fields].map(([field, child]) => [field, child.type])),
      );
      for (const child of declared.fields.values()) collect(child);
    }
    if (declared.element !== undefined) collect(declared.element);
  };
  collect(root);
  return structs;
}
