/** Compiles definitions to decoders: one closure per type, made once. */
import type { JsonSchema } from "../schema/json-schema.ts";
import type { Json, JsonObject } from "../object/object.ts";
import type { DecodeContext, Decoder } from "./decode-context.ts";
import { base64Decoder, ownDecoders } from "./decode-own.ts";
import { builtinDefinition, definitionOfRef } from "./definitions.ts";
import { namedFieldType } from "./go-type-names.ts";

const compiled = new Map<string, Decoder>();

/** The decoder of a definition by name. */
export function definitionDecoder(name: string): Decoder {
  const known = compiled.get(name);
  if (known !== undefined) return known;
  const definition = builtinDefinition(name);
  if (definition === undefined) throw new Error(`no definition ${name} among the built-in kinds`);
  let decode: Decoder | undefined = ownDecoders(definitionDecoder)[name];
  // Types that hold themselves find this indirection while they are being compiled.
  compiled.set(name, (value, context) => (decode as Decoder)(value, context));
  decode ??= structDecoder(goType(name), definition);
  compiled.set(name, decode);
  return decode;
}

/** `io.k8s.api.apps.v1.DeploymentSpec` is `v1.DeploymentSpec` in Go's messages. */
function goType(name: string): string {
  return name.split(".").slice(-2).join(".");
}

/** @param named Go's name for the type of a field that has one */
function decoderFor(schema: JsonSchema, named?: string): Decoder {
  if (schema.$ref !== undefined) return definitionDecoder(definitionOfRef(schema.$ref));
  switch (schema.type) {
    case "string":
      if (named !== undefined) return textDecoder(named);
      return schema.format === "byte" ? base64Decoder : stringDecoder;
    case "boolean":
      return booleanDecoder;
    case "integer":
      return schema.format === "int64" ? int64Decoder : int32Decoder;
    case "number":
      return numberDecoder;
    case "array":
      return listDecoder(schema, named);
    case "object":
      return typeof schema.additionalProperties === "object"
        ? mapDecoder(schema.additionalProperties, named)
        : anyDecoder;
    default:
      return anyDecoder;
  }
}

const anyDecoder: Decoder = (value) => value;

const stringDecoder: Decoder = textDecoder("string");

function textDecoder(type: string): Decoder {
  return (value, context) => {
    if (typeof value !== "string") context.typeError(value, type);
    return value;
  };
}

const booleanDecoder: Decoder = (value, context) => {
  if (typeof value !== "boolean") context.typeError(value, "bool");
  return value;
};

const numberDecoder: Decoder = (value, context) => {
  if (typeof value !== "number" && typeof value !== "bigint") context.typeError(value, "float64");
  return value;
};

const int32Decoder: Decoder = integerDecoder("int32", -(2n ** 31n), 2n ** 31n - 1n);
const int64Decoder: Decoder = integerDecoder("int64", -(2n ** 63n), 2n ** 63n - 1n);

function integerDecoder(type: string, least: bigint, greatest: bigint): Decoder {
  const [low, high] = [Number(least), Number(greatest)];
  return (value, context) => {
    if (typeof value === "number") {
      if (!Number.isInteger(value) || value < low || value > high) context.numberError(value, type);
    } else if (typeof value === "bigint") {
      if (value < least || value > greatest) context.numberError(value, type);
    } else {
      context.typeError(value, type);
    }
    return value;
  };
}

function listDecoder(schema: JsonSchema, named?: string): Decoder {
  const items = schema.items === undefined || Array.isArray(schema.items) ? {} : schema.items;
  const decode = decoderFor(items);
  const type = named ?? `[]${typeName(items)}`;
  const zero = zeroOf(items);
  return (value, context) => {
    if (!Array.isArray(value)) {
      context.typeError(value, type);
      return value;
    }
    let out: Json[] | undefined;
    for (let i = 0; i < value.length; i++) {
      const item = value[i] as Json;
      context.path.push(i);
      const decoded = item === null ? zero : decode(item, context);
      context.path.pop();
      if (decoded !== item) {
        out ??= value.slice();
        out[i] = decoded;
      }
    }
    return out ?? value;
  };
}

/** What null stands for in a list or map: the zero value of its type. */
function zeroOf(schema: JsonSchema): Json {
  if (schema.$ref !== undefined) {
    const target = builtinDefinition(definitionOfRef(schema.$ref));
    return target?.type === "object" && target.properties !== undefined ? {} : null;
  }
  if (schema.type === "string") return "";
  if (schema.type === "boolean") return false;
  return schema.type === "integer" || schema.type === "number" ? 0 : null;
}

function mapDecoder(values: JsonSchema, named?: string): Decoder {
  const decode = decoderFor(values);
  const isResourceList = values.$ref?.endsWith(".Quantity") === true;
  const type = named ?? (isResourceList ? "v1.ResourceList" : `map[string]${typeName(values)}`);
  const zero = zeroOf(values);
  return (value, context) => {
    if (!isObject(value)) {
      context.typeError(value, type);
      return value;
    }
    let out: JsonObject | undefined;
    for (const key of Object.keys(value)) {
      const item = value[key] as Json;
      context.path.push(key);
      const decoded = item === null ? zero : decode(item, context);
      context.path.pop();
      if (decoded !== item) {
        out ??= { ...value };
        out[key] = decoded;
      }
    }
    return out ?? value;
  };
}

interface Field {
  readonly decode: Decoder;
  /** Lists and maps without a value are left out of what the server writes. */
  readonly omitEmpty: boolean;
}

/** Fields whose presence alone is forbidden, so that validation must see them. */
const keptEmpty: ReadonlySet<string> = new Set(["v1.JSONSchemaProps.dependencies"]);

function structDecoder(type: string, definition: JsonSchema): Decoder {
  const struct = type.slice(type.indexOf(".") + 1);
  const required = new Set(definition.required ?? []);
  const fields = new Map<string, Field>();
  for (const [name, schema] of Object.entries(definition.properties ?? {})) {
    const collection = schema.type === "array" || schema.additionalProperties !== undefined;
    const omitEmpty = collection && !required.has(name) && !keptEmpty.has(`${type}.${name}`);
    fields.set(name, { decode: decoderFor(schema, namedFieldType(struct, name)), omitEmpty });
  }
  return (value, context) => {
    if (!isObject(value)) {
      context.typeError(value, type);
      return value;
    }
    return decodeFields(value, struct, fields, context);
  };
}

function decodeFields(
  value: JsonObject,
  struct: string,
  fields: ReadonlyMap<string, Field>,
  context: DecodeContext,
): JsonObject {
  const outer = context.struct;
  context.struct = struct;
  let out: JsonObject | undefined;
  for (const name of Object.keys(value)) {
    const before = value[name] as Json;
    const after = decodeField(name, before, fields.get(name), context);
    if (after === before) continue;
    out ??= { ...value };
    if (after === undefined) delete out[name];
    else out[name] = after;
  }
  context.struct = outer;
  return out ?? value;
}

/** undefined: the field is left out. */
function decodeField(
  name: string,
  value: Json,
  field: Field | undefined,
  context: DecodeContext,
): Json | undefined {
  if (field === undefined) {
    context.unknownField(name);
    return undefined;
  }
  // a value handed over in process may have fields that are not set
  if (value === null || value === undefined) return undefined;
  context.path.push(name);
  context.fields.push(name);
  const decoded = field.decode(value, context);
  context.path.pop();
  context.fields.pop();
  return field.omitEmpty && !context.keepEmpty && isEmpty(decoded) ? undefined : decoded;
}

function isEmpty(value: Json): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (!isObject(value)) return false;
  for (const _key in value) return false;
  return true;
}

function isObject(value: Json): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A type as Go's messages name it. */
function typeName(schema: JsonSchema): string {
  if (schema.$ref !== undefined) return goType(definitionOfRef(schema.$ref));
  switch (schema.type) {
    case "boolean":
      return "bool";
    case "integer":
      return schema.format ?? "int32";
    case "number":
      return "float64";
    case "array":
      return `[]${typeName(Array.isArray(schema.items) ? {} : (schema.items ?? {}))}`;
    case "string":
      return schema.format === "byte" ? "[]uint8" : "string";
    default:
      return typeof schema.additionalProperties === "object"
        ? `map[string]${typeName(schema.additionalProperties)}`
        : "runtime.RawExtension";
  }
}
