/**
 * CEL's types, as the checker reasons about them and as `type(x)` yields them.
 * Source: cel-go common/types (types.go) and checker (format.go).
 */
export type CelTypeKind =
  | "any"
  | "bool"
  | "bytes"
  | "double"
  | "duration"
  | "dyn"
  | "error"
  | "int"
  | "list"
  | "map"
  | "null"
  | "opaque"
  | "string"
  | "struct"
  | "timestamp"
  | "type"
  | "typeParam"
  | "uint";

/** One type. Compare with {@link sameType}; the simple ones are also single instances in {@link celTypes}. */
export class CelType {
  readonly kind: CelTypeKind;
  /** Name at run time: `int`, `list`, `google.protobuf.Timestamp`, a struct's or an opaque type's own name. */
  readonly name: string;
  readonly parameters: readonly CelType[];
  /** A protobuf wrapper of a primitive, to which null can be assigned. */
  readonly nullable: boolean;

  constructor(kind: CelTypeKind, name: string, parameters: readonly CelType[] = [], nullable = false) {
    this.kind = kind;
    this.name = name;
    this.parameters = parameters;
    this.nullable = nullable;
  }
}

interface SimpleTypes {
  readonly any: CelType;
  readonly bool: CelType;
  readonly bytes: CelType;
  readonly double: CelType;
  readonly duration: CelType;
  readonly dyn: CelType;
  readonly error: CelType;
  readonly int: CelType;
  readonly list: CelType;
  readonly map: CelType;
  readonly null: CelType;
  readonly optional: CelType;
  readonly string: CelType;
  readonly timestamp: CelType;
  readonly type: CelType;
  readonly uint: CelType;
}

/** The types that need no parameters. */
export const celTypes: SimpleTypes = {
  any: new CelType("any", "google.protobuf.Any"),
  bool: new CelType("bool", "bool"),
  bytes: new CelType("bytes", "bytes"),
  double: new CelType("double", "double"),
  duration: new CelType("duration", "google.protobuf.Duration"),
  dyn: new CelType("dyn", "dyn"),
  error: new CelType("error", "error"),
  int: new CelType("int", "int"),
  list: new CelType("list", "list"),
  map: new CelType("map", "map"),
  null: new CelType("null", "null_type"),
  optional: new CelType("opaque", "optional_type"),
  string: new CelType("string", "string"),
  timestamp: new CelType("timestamp", "google.protobuf.Timestamp"),
  type: new CelType("type", "type"),
  uint: new CelType("uint", "uint"),
};

export function listType(item: CelType): CelType {
  return new CelType("list", "list", [item]);
}

export function mapType(key: CelType, value: CelType): CelType {
  return new CelType("map", "map", [key, value]);
}

export function optionalType(value: CelType): CelType {
  return new CelType("opaque", "optional_type", [value]);
}

export function typeOfType(type: CelType): CelType {
  return new CelType("type", "type", [type]);
}

export function typeParam(name: string): CelType {
  return new CelType("typeParam", name);
}

/** An object type with declared fields; the fields are with the environment's types. */
export function structType(name: string): CelType {
  return new CelType("struct", name);
}

export function opaqueType(name: string, ...parameters: CelType[]): CelType {
  return new CelType("opaque", name, parameters);
}

/** A primitive that may also be null. */
export function wrapperType(type: CelType): CelType {
  return new CelType(type.kind, type.name, type.parameters, true);
}

/** Whether two types are the same, parameters included. A wrapper is the same as what it wraps. */
export function sameType(a: CelType, b: CelType): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind || a.name !== b.name) return false;
  return (
    a.parameters.length === b.parameters.length &&
    a.parameters.every((parameter, i) => sameType(parameter, b.parameters[i] as CelType))
  );
}

export function isDyn(type: CelType): boolean {
  return type.kind === "dyn" || type.kind === "any";
}

export function isDynOrError(type: CelType): boolean {
  return isDyn(type) || type.kind === "error";
}

export function isOptionalType(type: CelType): boolean {
  return type.kind === "opaque" && type.name === "optional_type";
}

/** `T` of `optional(T)`, the type itself otherwise. */
export function unwrapOptional(type: CelType): CelType {
  return isOptionalType(type) ? (type.parameters[0] ?? celTypes.dyn) : type;
}

/** The type as cel-go's messages print it: `list(int)`, `map(string, dyn)`, `optional_type(int)`, `!error!`. */
export function formatType(type: CelType): string {
  switch (type.kind) {
    case "any":
      return "any";
    case "duration":
      return "duration";
    case "error":
      return "!error!";
    case "null":
      return "null";
    case "timestamp":
      return "timestamp";
    case "typeParam":
      return type.name;
    default:
  }
  if (type.nullable) return `wrapper(${type.name})`;
  if (type.parameters.length === 0) return type.name;
  return `${type.name}(${type.parameters.map(formatType).join(", ")})`;
}

/** `(int, string)`, or `int.(string)` when the first is the target of a member call. */
export function formatSignature(argumentTypes: readonly CelType[], isMember: boolean): string {
  const [target, ...rest] = argumentTypes;
  const shown = isMember ? rest : argumentTypes;
  const prefix = isMember && target !== undefined ? `${formatType(target)}.` : "";
  return `${prefix}(${shown.map(formatType).join(", ")})`;
}
