/** The protobuf messages that the cases of the CEL specification mention, as declared types. */
import { getTestRegistry } from "@bufbuild/cel-spec/testdata/registry.js";
import { type DescField, ScalarType } from "@bufbuild/protobuf";
import type { StructTypes } from "../../src/cel/environment.ts";
import { type CelType, celTypes, listType, mapType, structType, wrapperType } from "../../src/cel/type.ts";

const registry = getTestRegistry();

/** cel-go's own tests use the messages of the specification under their older names. */
function currentName(name: string): string {
  return name.replace(/^google\.expr\.proto(\d)\.test\./, "cel.expr.conformance.proto$1.");
}

export const messages: StructTypes = {
  fields(name) {
    const message = registry.getMessage(currentName(name));
    if (message === undefined) return undefined;
    const older = name.startsWith("google.expr.");
    return new Map(message.fields.map((field) => [field.name, fieldType(field, older)]));
  },
  constant(name) {
    const dot = name.lastIndexOf(".");
    return registry
      .getEnum(currentName(name.slice(0, dot)))
      ?.values.find((v) => v.name === name.slice(dot + 1))?.number;
  },
};

function fieldType(field: DescField, older: boolean): CelType {
  switch (field.fieldKind) {
    case "scalar":
      return scalarType(field.scalar);
    case "enum":
      return celTypes.int;
    case "list":
      return listType(
        field.listKind === "scalar"
          ? scalarType(field.scalar)
          : field.listKind === "enum"
            ? celTypes.int
            : messageType(field.message.typeName, older),
      );
    case "map":
      return mapType(
        scalarType(field.mapKey),
        field.mapKind === "scalar"
          ? scalarType(field.scalar)
          : field.mapKind === "enum"
            ? celTypes.int
            : messageType(field.message.typeName, older),
      );
    default:
      return messageType(field.message.typeName, older);
  }
}

/** The type that a message has in expressions: the well-known ones stand for values of CEL. */
export function messageType(name: string, older = false): CelType {
  const known: Readonly<Record<string, CelType>> = {
    "google.protobuf.Any": celTypes.any,
    "google.protobuf.BoolValue": wrapperType(celTypes.bool),
    "google.protobuf.BytesValue": wrapperType(celTypes.bytes),
    "google.protobuf.DoubleValue": wrapperType(celTypes.double),
    "google.protobuf.Duration": celTypes.duration,
    "google.protobuf.FloatValue": wrapperType(celTypes.double),
    "google.protobuf.Int32Value": wrapperType(celTypes.int),
    "google.protobuf.Int64Value": wrapperType(celTypes.int),
    "google.protobuf.ListValue": listType(celTypes.dyn),
    "google.protobuf.StringValue": wrapperType(celTypes.string),
    "google.protobuf.Struct": mapType(celTypes.string, celTypes.dyn),
    "google.protobuf.Timestamp": celTypes.timestamp,
    "google.protobuf.UInt32Value": wrapperType(celTypes.uint),
    "google.protobuf.UInt64Value": wrapperType(celTypes.uint),
    "google.protobuf.Value": celTypes.dyn,
  };
  const spelled = older
    ? name.replace(/^cel\.expr\.conformance\.proto(\d)\./, "google.expr.proto$1.test.")
    : name;
  return known[name] ?? structType(spelled);
}

function scalarType(type: ScalarType): CelType {
  switch (type) {
    case ScalarType.BOOL:
      return celTypes.bool;
    case ScalarType.STRING:
      return celTypes.string;
    case ScalarType.BYTES:
      return celTypes.bytes;
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return celTypes.double;
    case ScalarType.UINT32:
    case ScalarType.UINT64:
    case ScalarType.FIXED32:
    case ScalarType.FIXED64:
      return celTypes.uint;
    default:
      return celTypes.int;
  }
}
