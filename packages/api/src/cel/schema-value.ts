/**
 * JSON seen through its schema, without copying it: lists and objects are views that convert what is read from them.
 * Source: apiserver pkg/cel/common (valuesunstructured.go, valuesreflect.go).
 */
import { jsonEqual } from "../schema/json-value.ts";
import { equals } from "./equality.ts";
import { containsEqual, type Items, MapList, SetList } from "./keyed-list.ts";
import { escapeName, unescapeName } from "./schema-escape.ts";
import { decodeBase64 } from "../codec/base64.ts";
import { parseFormatDateTime, parseFormatDuration } from "./schema-format.ts";
import { jsonObjectShape, jsonShape, type Shape, type ShapeKind } from "./schema-shape.ts";
import { parseDate } from "./time.ts";
import {
  CelDouble,
  CelError,
  type CelList,
  CelListBase,
  CelMap,
  CelObject,
  type CelValue,
  isList,
  listAt,
  listItems,
  listSize,
  noSuchOverload,
} from "./value.ts";
import { CelType } from "./type.ts";

/** A JSON value as a CEL value. Throws a `CelError` for one that does not fit the shape. */
export function schemaValue(raw: unknown, shape: Shape): CelValue {
  if (typeof raw === "string" && shape.kind === "string") return raw;
  if (raw === null || raw === undefined) {
    if (shape.nullable) return null;
    throw new CelError("invalid data, got null for schema with nullable=false");
  }
  switch (shape.kind) {
    case "object":
      return objectValue(raw, shape);
    case "list":
      return listValue(raw, shape);
    case "integer":
      return typeof raw === "number" || typeof raw === "bigint" ? raw : misfit("int", raw);
    case "number":
      return typeof raw === "number" || typeof raw === "bigint"
        ? new CelDouble(Number(raw))
        : misfit("float", raw);
    case "boolean":
      return typeof raw === "boolean" ? raw : misfit("bool", raw);
    case "int-or-string":
      if (typeof raw === "string" || typeof raw === "bigint" || Number.isInteger(raw)) return raw as CelValue;
      throw new CelError("invalid data, expected XIntOrString value to be either a string or integer");
    case "unknown":
      return new UnknownValue(raw);
    case "json":
      return jsonValue(raw);
    case "none":
      throw new CelError("invalid type, expected object, array, number, integer, boolean or string");
    default:
      return textValue(raw, shape.kind);
  }
}

function jsonValue(raw: unknown): CelValue {
  if (typeof raw === "number") return Number.isInteger(raw) ? raw : new CelDouble(raw);
  if (typeof raw !== "object" || raw === null) return raw as string | boolean | bigint | null;
  if (Array.isArray(raw)) return new AtomicList(raw, jsonShape);
  return new SchemaMap(raw as Readonly<Record<string, unknown>>, jsonObjectShape);
}

function objectValue(raw: unknown, shape: Shape): CelValue {
  if (typeof raw === "object" && raw !== null && !Array.isArray(raw)) {
    return new SchemaMap(raw as Readonly<Record<string, unknown>>, shape);
  }
  throw new CelError("invalid data, expected a map for the provided schema with type=object");
}

function listValue(raw: unknown, shape: Shape): CelValue {
  if (!Array.isArray(raw))
    throw new CelError("invalid data, expected an array for the provided schema with type=array");
  if (shape.items === undefined)
    throw new CelError("invalid array type, expected Items with a non-empty Schema");
  if (shape.listType === "set") return new SetList(new SchemaItems(raw, shape.items));
  if (shape.listType === "map") return new MapList(new SchemaItems(raw, shape.items), shape.listKeys ?? []);
  return new AtomicList(raw, shape.items);
}

function textValue(raw: unknown, kind: ShapeKind): CelValue {
  if (typeof raw !== "string") return misfit("string", raw);
  const found = readText(raw, kind);
  if (found !== undefined) return found;
  const what = {
    byte: "byte formatted string",
    date: "date formatted string",
    "date-time": "date-time formatted string",
  };
  throw new CelError(`Invalid ${what[kind as keyof typeof what] ?? kind} ${raw}`);
}

function readText(raw: string, kind: ShapeKind): CelValue | undefined {
  switch (kind) {
    case "byte":
      return decodeBase64(raw);
    case "duration":
      return parseFormatDuration(raw);
    case "date":
      return parseDate(raw);
    case "date-time":
      return parseFormatDateTime(raw);
    default:
      return raw;
  }
}

function misfit(expected: string, raw: unknown): never {
  const found = typeof raw === "number" ? (Number.isInteger(raw) ? "int64" : "float64") : typeof raw;
  throw new CelError(`invalid data, expected ${expected}, got ${found}`);
}

const unknownType = new CelType("opaque", "unknown");

/** Data of which the schema says nothing; it can only be compared. */
class UnknownValue extends CelObject {
  readonly raw: unknown;
  constructor(raw: unknown) {
    super();
    this.raw = raw;
  }
  get type(): CelType {
    return unknownType;
  }
  equals(other: CelValue): boolean {
    return other instanceof UnknownValue && jsonEqual(this.raw, other.raw);
  }
}

type JsonRecord = Readonly<Record<string, unknown>>;

function mapValue(raw: JsonRecord, key: string, shape: Shape): CelValue | undefined {
  const value = raw[key];
  return value === undefined || !Object.hasOwn(raw, key) ? undefined : schemaValue(value, shape);
}

/** A null field counts as absent. */
function fieldValue(raw: JsonRecord, property: string, shape: Shape): CelValue | undefined {
  const value = raw[property];
  if (value === undefined || value === null || !Object.hasOwn(raw, property)) return undefined;
  return schemaValue(value, shape);
}

/** A property that no identifier stands for can be reached by a computed key, a keyword also as it is. */
function unusualField(raw: JsonRecord, shape: Shape, key: string): CelValue | undefined {
  const property = unescapeName(key);
  const known = property === undefined ? undefined : shape.fields?.get(property);
  return property === undefined || known === undefined ? undefined : fieldValue(raw, property, known);
}

/** An object or a map of JSON. */
export class SchemaMap extends CelMap {
  readonly raw: Readonly<Record<string, unknown>>;
  readonly shape: Shape;

  constructor(raw: Readonly<Record<string, unknown>>, shape: Shape) {
    super();
    this.raw = raw;
    this.shape = shape;
  }

  get size(): number {
    return Object.keys(this.raw).length;
  }

  get(key: CelValue): CelValue | undefined {
    if (typeof key !== "string") throw noSuchOverload();
    const { raw, shape } = this;
    if (shape.identifiers === undefined) {
      return shape.values === undefined ? undefined : mapValue(raw, key, shape.values);
    }
    const known = shape.identifiers.get(key);
    return known === undefined ? unusualField(raw, shape, key) : fieldValue(raw, known.property, known.shape);
  }

  keys(): CelValue[] {
    const { fields, values } = this.shape;
    const names = Object.keys(this.raw);
    if (fields !== undefined)
      return names.filter((name) => fields.has(name)).map((name) => escapeName(name) ?? name);
    return values === undefined ? [] : names;
  }

  equals(other: CelValue): boolean {
    if (!(other instanceof CelMap)) throw noSuchOverload();
    if (this.size !== other.size) return false;
    return Object.keys(this.raw).every((name) => this.#equalAt(name, other));
  }

  #equalAt(name: string, other: CelMap): boolean {
    const known = this.shape.fields === undefined ? this.shape.values : this.shape.fields.get(name);
    if (known !== undefined) {
      const mine = this.get(name);
      const theirs = other.get(name);
      if (mine === undefined || theirs === undefined) return mine === theirs;
      return equals(mine, theirs);
    }
    if (!(other instanceof SchemaMap)) throw noSuchOverload();
    return !Object.hasOwn(other.raw, name) || jsonEqual(this.raw[name], other.raw[name]);
  }
}

/** A list of JSON whose order counts. */
export class AtomicList extends CelListBase {
  readonly raw: readonly unknown[];
  readonly items: Shape;

  constructor(raw: readonly unknown[], items: Shape) {
    super();
    this.raw = raw;
    this.items = items;
  }

  get size(): number {
    return this.raw.length;
  }

  at(index: number): CelValue {
    return schemaValue(this.raw[index], this.items);
  }

  equals(other: CelValue): boolean {
    if (!isList(other)) throw noSuchOverload();
    if (listSize(other) !== this.size) return false;
    for (let i = 0; i < this.size; i++) if (!equals(this.at(i), listAt(other, i))) return false;
    return true;
  }

  concat(other: CelList): CelList {
    return [...listItems(this), ...listItems(other)];
  }

  contains(value: CelValue): boolean {
    return containsEqual(this, value);
  }
}

class SchemaItems implements Items {
  readonly raw: readonly unknown[];
  readonly shape: Shape;
  constructor(raw: readonly unknown[], shape: Shape) {
    this.raw = raw;
    this.shape = shape;
  }
  get size(): number {
    return this.raw.length;
  }
  at(index: number): CelValue {
    return schemaValue(this.raw[index], this.shape);
  }
}
