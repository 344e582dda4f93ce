/**
 * What the API server's JSON decoder makes of a value for a Go type: unknown fields dropped and listed, nulls and empty
 * values left out where the type says so, errors in its words. Source: sigs.k8s.io/json, encoding/json.
 */
import { goTypeOf, isObject } from "../schema/json-value.ts";
import type { Json, JsonObject } from "./object.ts";
import { mapFields, mapItems } from "../schema/copy-on-write.ts";
import { goTimeText } from "./go-time.ts";

export type GoType =
  | { readonly is: "text" | "bool" | "int64" | "time" | "raw"; readonly name: string }
  | { readonly is: "list"; readonly name: string; readonly of: GoType }
  | { readonly is: "map"; readonly name: string; readonly of: GoType }
  | GoStruct;

export interface GoStruct {
  readonly is: "struct";
  readonly name: string;
  /** The name without the package, as errors of fields print it. */
  readonly shortName: string;
  readonly fields: ReadonlyMap<string, GoField>;
  /** Fields that are written even when they were not given. */
  readonly always: readonly string[];
}

/** @param name with its package: `v1.OwnerReference` */
export function goStructType(name: string, fields: Record<string, GoField>): GoStruct {
  const always = Object.keys(fields).filter((field) => fields[field]?.omit === "never");
  return {
    is: "struct",
    name,
    shortName: name.replace(/^.*\./, ""),
    fields: new Map(Object.entries(fields)),
    always,
  };
}

export interface GoField {
  readonly type: GoType;
  /** Left out when empty: "", 0, false, an empty list or map. A pointer is only left out when it is null. */
  readonly omit: "empty" | "null" | "never";
}

export interface GoDecoded {
  readonly value: Json;
  /** Paths of unknown fields, keys in sorted order. */
  readonly unknown: readonly string[];
  /** The first error; the value is then incomplete. */
  readonly error?: string;
}

interface State {
  readonly unknown: string[];
  error: string | undefined;
  /** Names of the fields down to the current one, and the struct that holds it. */
  readonly fields: string[];
  struct: string;
  /** Whether keys are visited in sorted order. */
  readonly sorted: boolean;
}

/** Ends decoding at once, as an error of a type's own decoder does. */
class GoDecodeError extends Error {}

/** The same reference when the value is already what the decoder would make of it. */
export function decodeGo(type: GoType, value: Json): GoDecoded {
  const state: State = { unknown: [], error: undefined, fields: [], struct: "", sorted: false };
  const decoded = attempt(type, value, state);
  if (decoded.error === undefined && decoded.unknown.length === 0) return decoded;
  // What is reported, and what is reported first, depends on the order of keys, which is sorted.
  return attempt(type, value, {
    ...state,
    unknown: [],
    error: undefined,
    fields: [],
    struct: "",
    sorted: true,
  });
}

function attempt(type: GoType, value: Json, state: State): GoDecoded {
  try {
    const decoded = decode(type, value, "", state);
    return {
      value: decoded,
      unknown: state.unknown,
      ...(state.error === undefined ? {} : { error: state.error }),
    };
  } catch (error) {
    if (!(error instanceof GoDecodeError)) throw error;
    return { value: null, unknown: state.unknown, error: error.message };
  }
}

function decode(type: GoType, value: Json, path: string, state: State): Json {
  if (value === null) return zero(type);
  switch (type.is) {
    case "raw":
      return value;
    case "time":
      return decodeTime(value, state);
    case "text":
      return typeof value === "string" ? value : mismatch(type, value, state);
    case "bool":
      return typeof value === "boolean" ? value : mismatch(type, value, state);
    case "int64":
      return goTypeOf(value) === "integer" ? value : mismatch(type, value, state);
    case "list":
      if (!Array.isArray(value)) return mismatch(type, value, state);
      return mapItems(value, (item, i) => decode(type.of, item, `${path}[${i}]`, state));
    case "map":
      if (!isObject(value)) return mismatch(type, value, state);
      return mapFields(inOrder(value, state), (key, item) => decode(type.of, item, `${path}.${key}`, state));
    case "struct":
      return isObject(value) ? decodeStruct(type, value, path, state) : mismatch(type, value, state);
  }
}

function inOrder(object: JsonObject, state: State): JsonObject {
  if (!state.sorted) return object;
  return Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function decodeStruct(type: GoStruct, value: JsonObject, path: string, state: State): JsonObject {
  const outer = state.struct;
  const decoded = mapFields(inOrder(value, state), (name, given) => {
    const field = type.fields.get(name);
    const place = path === "" ? name : `${path}.${name}`;
    if (field === undefined) {
      state.unknown.push(place);
      return undefined;
    }
    state.fields.push(name);
    state.struct = type.shortName;
    const made = decode(field.type, given, place, state);
    state.fields.pop();
    return isLeftOut(field, made, given) ? undefined : made;
  });
  state.struct = outer;
  const missing = type.always.filter((name) => !Object.hasOwn(decoded, name));
  if (missing.length === 0) return decoded;
  const zeros = missing.map((name) => [name, zero((type.fields.get(name) as GoField).type)] as const);
  return { ...decoded, ...Object.fromEntries(zeros) };
}

function isLeftOut(field: GoField, decoded: Json, given: Json): boolean {
  if (field.omit === "never") return false;
  if (field.omit === "null") return given === null;
  if (decoded === null || decoded === "" || decoded === 0 || decoded === false) return true;
  return typeof decoded === "object" && Object.keys(decoded).length === 0;
}

function zero(type: GoType): Json {
  if (type.is === "text") return "";
  if (type.is === "bool") return false;
  if (type.is === "int64") return 0;
  if (type.is !== "struct") return null;
  return Object.fromEntries(type.always.map((name) => [name, zero((type.fields.get(name) as GoField).type)]));
}

function decodeTime(value: Json, state: State): Json {
  if (typeof value !== "string") throw new GoDecodeError(mismatchText("string", value, state));
  try {
    return goTimeText(value);
  } catch (error) {
    throw new GoDecodeError((error as Error).message);
  }
}

/** Notes the first mismatch and goes on, so that a type with a decoder of its own can still end everything. */
function mismatch(type: GoType, value: Json, state: State): Json {
  state.error ??= mismatchText(type.name, value, state);
  return zero(type);
}

function mismatchText(type: string, value: Json, state: State): string {
  const into = state.fields.length === 0 ? "value" : `struct field ${state.struct}.${state.fields.join(".")}`;
  return `json: cannot unmarshal ${describe(type, value)} into Go ${into} of type ${type}`;
}

function describe(type: string, value: Json): string {
  const kind = goTypeOf(value);
  if (kind === "boolean") return "bool";
  if (kind !== "integer" && kind !== "number") return kind;
  return type.startsWith("int") ? `number ${value}` : "number";
}
