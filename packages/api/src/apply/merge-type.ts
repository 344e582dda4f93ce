import type { Json } from "../object/object.ts";
import type { JsonSchema } from "../schema/json-schema.ts";
import { objectMetaSchema } from "./object-meta-schema.ts";
import type { PathElement } from "./path-element.ts";

/**
 * How values of a schema merge, compiled: a value is a scalar, a list or a map, or one of several of them.
 * Source: structured-merge-diff schema (elements.go); compiled as kube-openapi schemaconv (openapi.go) does.
 */
export interface MergeType {
  readonly scalar?: ScalarType;
  readonly list?: ListType;
  readonly map?: MapType;
}

export type ScalarType = "numeric" | "string" | "boolean" | "untyped";

export interface ListType {
  /** Atomic: the list is one value. Else its items are separate, found by `keys` or, without keys, by their value. */
  readonly atomic: boolean;
  readonly keys: readonly string[];
  readonly items: MergeType;
}

export interface MapType {
  /** Atomic: the map is one value. */
  readonly atomic: boolean;
  readonly fields: ReadonlyMap<string, MapField>;
  /** The type of fields that are not declared; absent when there may be none. */
  readonly others?: MergeType;
}

export interface MapField {
  readonly element: PathElement;
  readonly type: MergeType;
  readonly default?: Json;
}

type Building<T> = { -readonly [K in keyof T]: T[K] };

/** Any value, as one: lists and maps in it are not looked into. */
const untypedAtomic: Building<MergeType> = { scalar: "untyped" };
untypedAtomic.list = { atomic: true, keys: [], items: untypedAtomic };
untypedAtomic.map = { atomic: true, fields: new Map(), others: untypedAtomic };

const deduced: Building<MergeType> = { scalar: "untyped", list: untypedAtomic.list };
deduced.map = { atomic: false, fields: new Map(), others: deduced };

/** The type of a kind without schema: maps merge by key, lists and scalars are replaced as a whole. */
export const deducedType: MergeType = deduced;

/** The type of a field that may not be there: no value fits it. */
export const noType: MergeType = {};

export interface CompileMergeTypeOptions {
  /** Resolves `$ref`s by the last part of their path. */
  readonly definitions?: { readonly [name: string]: JsonSchema };
  /** `spec.preserveUnknownFields` of old CRDs: fields that are not declared are allowed everywhere. */
  readonly preserveUnknownFields?: boolean;
}

/**
 * Compiles the merge type of a kind, once. `schema` is the `openAPIV3Schema` of a CRD version or the definition of a
 * built-in kind; `definitions` resolves `$ref`s (`#/definitions/name`). apiVersion, kind and metadata are always typed as the
 * server types them.
 */
export function compileMergeType(schema: JsonSchema, options: CompileMergeTypeOptions = {}): MergeType {
  return compilerFor(options.definitions).compile(
    withTypeMeta(schema),
    options.preserveUnknownFields === true,
  );
}

/** Kinds that share definitions share the compiled types of them. */
const compilers = new WeakMap<object, Compiler>();

function compilerFor(definitions: CompileMergeTypeOptions["definitions"]): Compiler {
  if (definitions === undefined) return new Compiler({});
  let compiler = compilers.get(definitions);
  if (compiler === undefined) {
    compiler = new Compiler(definitions);
    compilers.set(definitions, compiler);
  }
  return compiler;
}

function withTypeMeta(schema: JsonSchema): JsonSchema {
  const typeMeta = { apiVersion: { type: "string" }, kind: { type: "string" }, metadata: objectMetaSchema };
  return { ...schema, properties: { ...schema.properties, ...typeMeta } };
}

const quantityName = "io.k8s.apimachinery.pkg.api.resource.Quantity";
const rawExtensionName = "io.k8s.apimachinery.pkg.runtime.RawExtension";

class Compiler {
  readonly #definitions: { readonly [name: string]: JsonSchema };
  readonly #named = new Map<string, Building<MergeType>>();
  /** Schemas in work, so that one that holds itself becomes a recursive type. */
  readonly #inWork = new Map<JsonSchema, Building<MergeType>>();

  constructor(definitions: { readonly [name: string]: JsonSchema }) {
    this.#definitions = definitions;
  }

  compile(schema: JsonSchema, preserve: boolean): MergeType {
    const found = this.#inWork.get(schema);
    if (found !== undefined) return found;
    const type: Building<MergeType> = {};
    this.#inWork.set(schema, type);
    this.#fill(type, schema, preserve);
    this.#inWork.delete(schema);
    return type;
  }

  /** The type of a property, of items or of additional properties. */
  #typeOf(schema: JsonSchema, preserve: boolean): MergeType {
    const ref = schema.$ref ?? (schema.allOf?.length === 1 ? schema.allOf[0]?.$ref : undefined);
    if (ref !== undefined) return this.#reference(ref.slice(ref.lastIndexOf("/") + 1), schema);
    return this.compile(schema, preserve);
  }

  #reference(name: string, use: JsonSchema): MergeType {
    const relation = use["x-kubernetes-map-type"];
    const key = relation === undefined ? name : `${name} ${relation}`;
    const found = this.#named.get(key);
    if (found !== undefined) return found;
    const definition = this.#definitions[name];
    if (name === quantityName) return { scalar: "untyped" };
    if (name === rawExtensionName || definition === undefined) return untypedAtomic;
    const type: Building<MergeType> = {};
    this.#named.set(key, type);
    const known = withKeyDefaults(name, definition);
    this.#fill(type, relation === undefined ? known : { ...known, "x-kubernetes-map-type": relation }, false);
    return type;
  }

  #fill(type: Building<MergeType>, schema: JsonSchema, preserveOutside: boolean): void {
    const preserve = preserveOutside || schema["x-kubernetes-preserve-unknown-fields"] === true;
    const kind = schema["x-kubernetes-int-or-string"] === true ? undefined : schema.type;
    const any = kind === undefined || kind === "";
    if (any || kind === "array") type.list = this.#list(schema, preserve);
    if (any || kind === "object") type.map = this.#map(schema, preserve);
    if (any) type.scalar = "untyped";
    else if (kind !== "array" && kind !== "object") type.scalar = scalarType(kind, schema.format);
  }

  #list(schema: JsonSchema, preserve: boolean): ListType {
    const items = Array.isArray(schema.items) ? schema.items[0] : schema.items;
    const type = items === undefined ? untypedAtomic : this.#typeOf(items, preserve);
    return { ...listRelation(schema), items: type };
  }

  #map(schema: JsonSchema, preserve: boolean): MapType {
    const fields = new Map<string, MapField>();
    for (const [name, property] of Object.entries(embeddedProperties(schema))) {
      fields.set(name, {
        element: `f:${name}`,
        type: this.#typeOf(property, preserve),
        ...(property.default === undefined || property.default === null ? {} : { default: property.default }),
      });
    }
    const others = this.#others(schema, preserve, fields.size);
    const atomic = schema["x-kubernetes-map-type"] === "atomic";
    return others === undefined ? { atomic, fields } : { atomic, fields, others };
  }

  #others(schema: JsonSchema, preserve: boolean, fieldCount: number): MergeType | undefined {
    const additional = schema.additionalProperties;
    if (additional === undefined) return preserve || fieldCount === 0 ? deducedType : undefined;
    if (typeof additional === "boolean") return additional ? deducedType : undefined;
    return this.#typeOf(additional, preserve);
  }
}

/** Defaults that the published definitions of built-in kinds leave out. Source: client-go applyconfigurations/internal. */
const builtinDefaults: { readonly [field: string]: Json } = {
  "ContainerPort.protocol": "TCP",
  "LocalObjectReference.name": "",
  "ServicePort.protocol": "TCP",
};

/**
 * A required field of a built-in type has its zero value as default, as in Go: an item that leaves out its key is then the
 * item with the empty key.
 */
function withKeyDefaults(name: string, definition: JsonSchema): JsonSchema {
  const short = name.slice(name.lastIndexOf(".") + 1);
  const properties: Record<string, JsonSchema> = {};
  for (const [field, property] of Object.entries(definition.properties ?? {})) {
    const zero = definition.required?.includes(field) ? zeroValue(property) : undefined;
    const value = property.default ?? builtinDefaults[`${short}.${field}`] ?? zero;
    properties[field] = value === undefined ? property : { ...property, default: value };
  }
  return definition.properties === undefined ? definition : { ...definition, properties };
}

function zeroValue(schema: JsonSchema): Json | undefined {
  if (schema.type === "string") return "";
  return schema.type === "integer" || schema.type === "number" ? 0 : undefined;
}

function embeddedProperties(schema: JsonSchema): Record<string, JsonSchema> {
  if (schema["x-kubernetes-embedded-resource"] !== true) return schema.properties ?? {};
  return withTypeMeta(schema).properties ?? {};
}

function scalarType(type: string, format: string | undefined): ScalarType {
  if (type === "integer" || type === "number") return "numeric";
  if (type === "boolean") return "boolean";
  // Texts with a format may be written as other scalars (a date that YAML reads as a number, an int-or-string).
  return type === "string" && (format === undefined || format === "" || format === "byte")
    ? "string"
    : "untyped";
}

function listRelation(schema: JsonSchema): { atomic: boolean; keys: readonly string[] } {
  const listType = schema["x-kubernetes-list-type"];
  if (listType === "set") return { atomic: false, keys: [] };
  if (listType === "map") return { atomic: false, keys: schema["x-kubernetes-list-map-keys"] ?? [] };
  const strategy = schema["x-kubernetes-patch-strategy"];
  if (listType !== undefined || strategy === undefined || !strategy.split(",").includes("merge")) {
    return { atomic: true, keys: [] };
  }
  const key = schema["x-kubernetes-patch-merge-key"];
  return { atomic: false, keys: key === undefined ? [] : [key] };
}
