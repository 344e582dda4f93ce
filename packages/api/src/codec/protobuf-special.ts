import type { Json } from "../object/object.ts";
import { DecodeError } from "./decode-error.ts";
import { decodeJson, encodeJson } from "./json.ts";
import { type WireReader, type WireWriter, decodeUtf8 } from "./protobuf-wire.ts";

/**
 * Messages whose JSON is not an object with their fields. Source: apimachinery meta/v1 (time_proto.go, micro_time_proto.go),
 * util/intstr, api/resource, apiextensions v1 (marshal.go).
 */
export interface SpecialMessage {
  /** The JSON of a message; undefined when JSON leaves it out. */
  decode(message: WireReader, inner: InnerCodec): Json | undefined;
  /** Writes the message's content, last field first. */
  encode(value: Json, writer: WireWriter, inner: InnerCodec): void;
}

/** Reads and writes messages of the same package, for unions that hold them, and embedded objects. */
export interface InnerCodec {
  decode(name: string, message: WireReader): Json;
  encode(name: string, value: Json, writer: WireWriter): void;
  /** The object in the bytes of a RawExtension that are protobuf themselves; undefined when they are not. */
  decodeRaw(bytes: Uint8Array): Json | undefined;
}

/** The fields of a small message by number, as they come. */
type Visit = Readonly<Record<number, (message: WireReader) => void>>;

function visit(message: WireReader, fields: Visit): void {
  while (!message.done) {
    const { field, wire } = message.tag();
    const read = fields[field];
    if (read === undefined) message.skip(wire);
    else read(message);
  }
}

function timeMessage(fractionDigits: 0 | 6): SpecialMessage {
  return {
    decode(message) {
      let seconds: number | bigint | undefined;
      let nanos = 0;
      visit(message, { 1: (m) => (seconds = m.int64()), 2: (m) => (nanos = m.int32()) });
      return seconds === undefined ? undefined : timeText(Number(seconds), nanos, fractionDigits);
    },
    encode(value, writer) {
      if (typeof value !== "string") return;
      const { seconds, nanos } = readTime(value, fractionDigits);
      writer.int(2, nanos);
      writer.int(1, seconds);
    },
  };
}

function timeText(seconds: number, nanos: number, fractionDigits: 0 | 6): string {
  // Years from 1 to 9999, which is what RFC 3339 can write.
  if (seconds < -62_135_596_800 || seconds > 253_402_300_799)
    throw new DecodeError(`time out of range: ${seconds}`);
  const whole = new Date(seconds * 1000).toISOString().slice(0, 19);
  const fraction = fractionDigits === 0 ? "" : `.${String(Math.floor(nanos / 1000)).padStart(6, "0")}`;
  return `${whole}${fraction}Z`;
}

function readTime(text: string, fractionDigits: 0 | 6): { seconds: number; nanos: number } {
  const milliseconds = Date.parse(text);
  if (Number.isNaN(milliseconds)) throw new DecodeError(`not a time: ${JSON.stringify(text)}`);
  const fraction = /\.([0-9]+)/.exec(text)?.[1] ?? "";
  const micros = fractionDigits === 0 ? 0 : Number(fraction.slice(0, 6).padEnd(6, "0"));
  return { seconds: Math.floor(milliseconds / 1000), nanos: micros * 1000 };
}

/** JSON in the bytes of field 1. */
const rawJson: SpecialMessage = {
  decode(message, inner) {
    let value: Json | undefined;
    visit(message, { 1: (m) => (value = rawValue(m.bytes(), inner)) });
    return value;
  },
  encode(value, writer) {
    writer.string(1, encodeJson(value));
  },
};

function rawValue(bytes: Uint8Array, inner: InnerCodec): Json | undefined {
  if (bytes.length === 0) return undefined;
  return inner.decodeRaw(bytes) ?? decodeJson(decodeUtf8(bytes)).value;
}

const quantity: SpecialMessage = {
  decode(message) {
    let text = "";
    visit(message, { 1: (m) => (text = m.string()) });
    return text;
  },
  encode(value, writer) {
    writer.string(1, String(value));
  },
};

const intOrString: SpecialMessage = {
  decode(message) {
    let isText = false;
    let number = 0;
    let text = "";
    visit(message, {
      1: (m) => (isText = m.int64() === 1),
      2: (m) => (number = m.int32()),
      3: (m) => (text = m.string()),
    });
    return isText ? text : number;
  },
  encode(value, writer) {
    const isText = typeof value === "string";
    writer.string(3, isText ? value : "");
    writer.int(2, isText ? 0 : Number(value));
    writer.int(1, isText ? 1 : 0);
  },
};

const schemaOrBool: SpecialMessage = {
  decode(message, inner) {
    let allows = false;
    let schema: Json | undefined;
    visit(message, {
      1: (m) => (allows = m.bool()),
      2: (m) => (schema = inner.decode("JSONSchemaProps", m.message())),
    });
    return schema ?? allows;
  },
  encode(value, writer, inner) {
    if (typeof value !== "boolean") encodeInner(2, "JSONSchemaProps", value, writer, inner);
    writer.int(1, value === false ? 0 : 1);
  },
};

const schemaOrList: SpecialMessage = {
  decode(message, inner) {
    let schema: Json | undefined;
    const schemas: Json[] = [];
    visit(message, {
      1: (m) => (schema = inner.decode("JSONSchemaProps", m.message())),
      2: (m) => schemas.push(inner.decode("JSONSchemaProps", m.message())),
    });
    return schemas.length > 0 ? schemas : schema;
  },
  encode(value, writer, inner) {
    if (Array.isArray(value)) {
      for (const schema of value.toReversed()) encodeInner(2, "JSONSchemaProps", schema, writer, inner);
    } else encodeInner(1, "JSONSchemaProps", value, writer, inner);
  },
};

const schemaOrTexts: SpecialMessage = {
  decode(message, inner) {
    let schema: Json | undefined;
    const texts: string[] = [];
    visit(message, {
      1: (m) => (schema = inner.decode("JSONSchemaProps", m.message())),
      2: (m) => texts.push(m.string()),
    });
    return texts.length > 0 ? texts : schema;
  },
  encode(value, writer, inner) {
    if (Array.isArray(value)) for (const text of value.toReversed()) writer.string(2, String(text));
    else encodeInner(1, "JSONSchemaProps", value, writer, inner);
  },
};

function encodeInner(field: number, name: string, value: Json, writer: WireWriter, inner: InnerCodec): void {
  const before = writer.length;
  inner.encode(name, value, writer);
  writer.head(field, before);
}

const meta = "k8s.io.apimachinery.pkg.apis.meta.v1";
const apiextensions = "k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1";

/** By full name. */
export const specialMessages: ReadonlyMap<string, SpecialMessage> = new Map([
  [`${meta}.Time`, timeMessage(0)],
  [`${meta}.MicroTime`, timeMessage(6)],
  [`${meta}.FieldsV1`, rawJson],
  ["k8s.io.apimachinery.pkg.runtime.RawExtension", rawJson],
  ["k8s.io.apimachinery.pkg.api.resource.Quantity", quantity],
  ["k8s.io.apimachinery.pkg.util.intstr.IntOrString", intOrString],
  [`${apiextensions}.JSON`, rawJson],
  [`${apiextensions}.JSONSchemaPropsOrBool`, schemaOrBool],
  [`${apiextensions}.JSONSchemaPropsOrArray`, schemaOrList],
  [`${apiextensions}.JSONSchemaPropsOrStringArray`, schemaOrTexts],
]);
