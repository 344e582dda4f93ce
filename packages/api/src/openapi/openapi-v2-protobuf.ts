/**
 * The v2 document as `application/com.github.proto-openapi.spec.v2@v1.0+protobuf`, which kubectl before 1.27 asks for, and
 * newer ones for `explain --output=plaintext-openapiv2`. Source of the numbers: gnostic openapiv2/OpenAPIv2.proto.
 */
import type { OpenApiV2Document } from "./openapi-v2.ts";
import { ProtobufWriter } from "./protobuf-writer.ts";

/** How the value of a JSON key is written. */
type Form =
  | "string"
  | "bool"
  | "int64"
  | "double"
  | "strings"
  | "any"
  | "anys"
  | "schema"
  | "schemas"
  | ((writer: ProtobufWriter, field: number, value: unknown) => void);

/** Fields of a message by JSON key. Keys that begin with `x-` are written as vendor extensions. */
interface MessageTable {
  readonly fields: Readonly<Record<string, readonly [field: number, form: Form]>>;
  readonly extensions: number;
}

const schemaTable: MessageTable = {
  fields: {
    $ref: [1, "string"],
    format: [2, "string"],
    title: [3, "string"],
    description: [4, "string"],
    default: [5, "any"],
    multipleOf: [6, "double"],
    maximum: [7, "double"],
    exclusiveMaximum: [8, "bool"],
    minimum: [9, "double"],
    exclusiveMinimum: [10, "bool"],
    maxLength: [11, "int64"],
    minLength: [12, "int64"],
    pattern: [13, "string"],
    maxItems: [14, "int64"],
    minItems: [15, "int64"],
    uniqueItems: [16, "bool"],
    maxProperties: [17, "int64"],
    minProperties: [18, "int64"],
    required: [19, "strings"],
    enum: [20, "anys"],
    additionalProperties: [21, writeAdditionalProperties],
    type: [22, inner(1, "string")],
    items: [23, inner(1, "schema")],
    allOf: [24, "schemas"],
    properties: [25, named(1, "schema")],
    externalDocs: [
      29,
      message({ fields: { description: [1, "string"], url: [2, "string"] }, extensions: 3 }),
    ],
    example: [30, "any"],
  },
  extensions: 31,
};

const parameterFields = {
  required: [1, "bool"],
  in: [2, "string"],
  description: [3, "string"],
  name: [4, "string"],
} as const;
const queryTable: MessageTable = {
  fields: { ...parameterFields, type: [6, "string"], format: [7, "string"], uniqueItems: [20, "bool"] },
  extensions: 23,
};
const pathTable: MessageTable = {
  fields: { ...parameterFields, type: [5, "string"], format: [6, "string"], uniqueItems: [19, "bool"] },
  extensions: 22,
};
const bodyTable: MessageTable = {
  fields: {
    description: [1, "string"],
    name: [2, "string"],
    in: [3, "string"],
    required: [4, "bool"],
    schema: [5, "schema"],
  },
  extensions: 6,
};

const responseTable: MessageTable = {
  fields: { description: [1, "string"], schema: [2, inner(1, "schema")] },
  extensions: 5,
};

const operationTable: MessageTable = {
  fields: {
    tags: [1, "strings"],
    summary: [2, "string"],
    description: [3, "string"],
    operationId: [5, "string"],
    produces: [6, "strings"],
    consumes: [7, "strings"],
    parameters: [8, writeParameters],
    responses: [9, named(1, inner(1, message(responseTable)))],
    schemes: [10, "strings"],
    deprecated: [11, "bool"],
  },
  extensions: 13,
};

const pathItemTable: MessageTable = {
  fields: {
    get: [2, message(operationTable)],
    put: [3, message(operationTable)],
    post: [4, message(operationTable)],
    delete: [5, message(operationTable)],
    options: [6, message(operationTable)],
    head: [7, message(operationTable)],
    patch: [8, message(operationTable)],
    parameters: [9, writeParameters],
  },
  extensions: 10,
};

const apiKeyTable: MessageTable = {
  fields: { type: [1, "string"], name: [2, "string"], in: [3, "string"], description: [4, "string"] },
  extensions: 5,
};

const documentTable: MessageTable = {
  fields: {
    swagger: [1, "string"],
    info: [2, message({ fields: { title: [1, "string"], version: [2, "string"] }, extensions: 7 })],
    paths: [8, named(2, message(pathItemTable))],
    definitions: [9, named(1, "schema")],
    security: [12, repeated(named(1, inner(1, "strings")))],
    securityDefinitions: [13, named(1, inner(2, message(apiKeyTable)))],
  },
  extensions: 16,
};

/** The document in protobuf. */
export function encodeOpenApiV2(document: OpenApiV2Document): Uint8Array {
  const writer = new ProtobufWriter();
  writeFields(writer, documentTable, document);
  return writer.finish();
}

function writeFields(writer: ProtobufWriter, table: MessageTable, value: object): void {
  const extensions: [string, unknown][] = [];
  for (const [key, item] of Object.entries(value)) {
    const entry = Object.hasOwn(table.fields, key) ? table.fields[key] : undefined;
    if (entry !== undefined) write(writer, entry[0], entry[1], item);
    else if (key.startsWith("x-")) extensions.push([key, item]);
  }
  for (const [key, item] of extensions) writeNamed(writer, table.extensions, key, "any", item);
}

function write(writer: ProtobufWriter, field: number, form: Form, value: unknown): void {
  if (typeof form === "function") return form(writer, field, value);
  switch (form) {
    case "string":
      return writer.string(field, String(value));
    case "bool":
      return writer.bool(field, value === true);
    case "int64":
      return writer.int64(field, Number(value));
    case "double":
      return writer.double(field, Number(value));
    case "strings":
      for (const text of listOf(value)) writer.string(field, String(text));
      return;
    case "any":
      // JSON is YAML; readers parse the text.
      return writer.message(field, () => writer.string(2, jsonText(value)));
    case "anys":
      for (const item of listOf(value)) write(writer, field, "any", item);
      return;
    case "schema":
      return writer.message(field, () => writeFields(writer, schemaTable, objectOf(value)));
    case "schemas":
      for (const item of listOf(value)) write(writer, field, "schema", item);
  }
}

/** A message with these fields. */
function message(table: MessageTable): Form {
  return (writer, field, value) => writer.message(field, () => writeFields(writer, table, objectOf(value)));
}

/** A message whose only field holds the value. */
function inner(innerField: number, form: Form): Form {
  return (writer, field, value) => writer.message(field, () => write(writer, innerField, form, value));
}

/** A message that holds a map as pairs of name and value. */
function named(pairField: number, form: Form): Form {
  return (writer, field, value) =>
    writer.message(field, () => {
      for (const [name, item] of Object.entries(objectOf(value)))
        writeNamed(writer, pairField, name, form, item);
    });
}

function writeNamed(writer: ProtobufWriter, field: number, name: string, form: Form, value: unknown): void {
  writer.message(field, () => {
    writer.string(1, name);
    write(writer, 2, form, value);
  });
}

function repeated(form: Form): Form {
  return (writer, field, value) => {
    for (const item of listOf(value)) write(writer, field, form, item);
  };
}

function writeAdditionalProperties(writer: ProtobufWriter, field: number, value: unknown): void {
  const form: Form = typeof value === "boolean" ? inner(2, "bool") : inner(1, "schema");
  write(writer, field, form, value);
}

/** ParametersItem > Parameter > body, or > NonBodyParameter > query or path. */
function writeParameters(writer: ProtobufWriter, field: number, value: unknown): void {
  for (const parameter of listOf(value)) {
    const place = (parameter as { in?: unknown }).in;
    const body = inner(1, message(bodyTable));
    const query = inner(2, inner(3, message(queryTable)));
    const path = inner(2, inner(4, message(pathTable)));
    write(writer, field, inner(1, place === "body" ? body : place === "path" ? path : query), parameter);
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

function objectOf(value: unknown): object {
  return typeof value === "object" && value !== null ? value : {};
}

function jsonText(value: unknown): string {
  return (
    JSON.stringify(value, (_key, item: unknown) => (typeof item === "bigint" ? Number(item) : item)) ?? "null"
  );
}
