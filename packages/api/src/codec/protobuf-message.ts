import type { Json, JsonObject } from "../object/object.ts";
import { decodeBase64, encodeBase64 } from "./base64.ts";
import { DecodeError, depthMax } from "./decode-error.ts";
import type { FieldType, MessageType, ScalarLetter } from "./protobuf-schema.ts";
import { type InnerCodec, specialMessages } from "./protobuf-special.ts";
import type { WireReader, WireType, WireWriter } from "./protobuf-wire.ts";

/** Turns messages into the JSON of the same objects and back. */
export class MessageCodec {
  /** Reads an embedded object that is protobuf itself; undefined when the bytes are not. */
  readonly #decodeRaw: (bytes: Uint8Array) => Json | undefined;
  #depth = 0;

  constructor(decodeRaw: (bytes: Uint8Array) => Json | undefined) {
    this.#decodeRaw = decodeRaw;
  }

  /** The JSON of a message; undefined when JSON leaves it out. @throws DecodeError */
  decode(type: MessageType, message: WireReader): Json | undefined {
    if (this.#depth > messageDepthMax) throw new DecodeError("exceeded max depth");
    this.#depth++;
    try {
      const special = specialMessages.get(type.fullName);
      if (special !== undefined) return special.decode(message, this.#innerOf(type));
      const object = this.#decodeFields(type, message);
      return type.isList ? (object["items"] ?? []) : object;
    } finally {
      this.#depth--;
    }
  }

  /** Writes the content of a message, last field first. */
  encode(type: MessageType, value: Json, writer: WireWriter): void {
    const special = specialMessages.get(type.fullName);
    if (special !== undefined) return special.encode(value, writer, this.#innerOf(type));
    const object = type.isList ? { items: value } : value;
    if (typeof object !== "object" || object === null || Array.isArray(object)) {
      throw new DecodeError(`${type.fullName} is not an object`);
    }
    for (const field of type.fields.toReversed()) this.#encodeField(field, object, writer);
  }

  #innerOf(type: MessageType): InnerCodec {
    const sibling = (name: string): MessageType => {
      const found = siblingOf(type, name);
      if (found === undefined) throw new DecodeError(`no message ${name} beside ${type.fullName}`);
      return found;
    };
    return {
      decode: (name, message) => this.decode(sibling(name), message) ?? null,
      encode: (name, value, writer) => this.encode(sibling(name), value, writer),
      decodeRaw: this.#decodeRaw,
    };
  }

  #decodeFields(type: MessageType, message: WireReader): JsonObject {
    const object: JsonObject = {};
    while (!message.done) {
      const { field: number, wire } = message.tag();
      const field = type.field(number);
      if (field === undefined) message.skip(wire);
      else this.#decodeField(field, wire, message, object);
    }
    return object;
  }

  #decodeField(field: FieldType, wire: WireType, message: WireReader, object: JsonObject): void {
    const { name, repeat } = field;
    if (repeat === "list") return this.#decodeItems(field, wire, message, (object[name] ??= []) as Json[]);
    if (repeat === "map")
      return this.#decodeEntry(field, message.message(), (object[name] ??= {}) as JsonObject);
    const value = this.#decodeValue(field, wire, message);
    if (value === undefined || (field.dropsZero && isZero(value))) return;
    if (field.inline) Object.assign(object, value);
    else object[name] = value;
  }

  #decodeItems(field: FieldType, wire: WireType, message: WireReader, items: Json[]): void {
    const isPacked = wire === 2 && field.scalar !== undefined && field.scalar !== "s" && field.scalar !== "y";
    if (!isPacked) {
      items.push(this.#decodeValue(field, wire, message) ?? null);
      return;
    }
    const packed = message.message();
    const itemWire: WireType = field.scalar === "d" ? 1 : 0;
    while (!packed.done) items.push(this.#decodeValue(field, itemWire, packed) ?? null);
  }

  #decodeEntry(field: FieldType, entry: WireReader, map: JsonObject): void {
    let key = "";
    let value: Json | undefined;
    while (!entry.done) {
      const { field: number, wire } = entry.tag();
      if (number === 1) key = entry.string();
      else if (number === 2) value = this.#decodeValue(field, wire, entry);
      else entry.skip(wire);
    }
    const member = value ?? zeroOf(field);
    Object.defineProperty(map, key, { value: member, enumerable: true, configurable: true, writable: true });
  }

  #decodeValue(field: FieldType, wire: WireType, message: WireReader): Json | undefined {
    const expected: WireType =
      field.scalar === undefined || field.scalar === "s" || field.scalar === "y"
        ? 2
        : field.scalar === "d"
          ? 1
          : 0;
    if (wire !== expected) throw new DecodeError(`proto: wrong wireType = ${wire} for field ${field.name}`);
    if (field.message !== undefined) return this.decode(field.message, message.message());
    return readScalar(field.scalar ?? "s", message);
  }

  #encodeField(field: FieldType, object: JsonObject, writer: WireWriter): void {
    if (field.inline) return this.#encodeValue(field, object, writer);
    const value = Object.hasOwn(object, field.name) ? object[field.name] : undefined;
    if (value === undefined || value === null) return;
    if (field.repeat === "list") {
      for (const item of listOf(value, field).toReversed()) this.#encodeValue(field, item, writer);
    } else if (field.repeat === "map") this.#encodeMap(field, value, writer);
    else this.#encodeValue(field, value, writer);
  }

  #encodeMap(field: FieldType, value: Json, writer: WireWriter): void {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      throw new DecodeError(`${field.name} is not an object`);
    }
    for (const key of Object.keys(value).sort().toReversed()) {
      const before = writer.length;
      this.#encodeValue({ ...field, number: 2 }, value[key] ?? null, writer);
      writer.string(1, key);
      writer.head(field.number, before);
    }
  }

  #encodeValue(field: FieldType, value: Json, writer: WireWriter): void {
    if (field.message === undefined) return writeScalar(field, value, writer);
    const before = writer.length;
    if (value !== null) this.encode(field.message, value, writer);
    writer.head(field.number, before);
  }
}

/** Schemas nest in schemas; a stack frame each is fine up to here. */
const messageDepthMax = Math.min(depthMax, 1000);

/** The type of that name in the same package, found through the fields: unions only hold types that refer to them. */
function siblingOf(type: MessageType, name: string): MessageType | undefined {
  return type.fields.find((field) => field.message?.fullName.endsWith(`.${name}`))?.message;
}

function listOf(value: Json, field: FieldType): Json[] {
  if (Array.isArray(value)) return value;
  throw new DecodeError(`${field.name} is not a list`);
}

function isZero(value: Json): boolean {
  return value === 0 || value === "" || value === false;
}

function zeroOf(field: FieldType): Json {
  if (field.message !== undefined) {
    if (specialMessages.has(field.message.fullName)) return null;
    return field.message.isList ? [] : {};
  }
  return field.scalar === "s" || field.scalar === "y" ? "" : field.scalar === "b" ? false : 0;
}

function readScalar(letter: ScalarLetter, message: WireReader): Json {
  switch (letter) {
    case "s":
      return message.string();
    case "b":
      return message.bool();
    case "i":
      return message.int32();
    case "u":
      return message.uint32();
    case "l":
    case "U":
      return message.int64();
    case "d":
      return message.double();
    case "y":
      return encodeBase64(message.bytes());
  }
}

function writeScalar(field: FieldType, value: Json, writer: WireWriter): void {
  const { number, scalar, name } = field;
  if (scalar === "s") return writer.string(number, String(value ?? ""));
  if (scalar === "b") return writer.int(number, value === true ? 1 : 0);
  if (scalar === "y") {
    const bytes = decodeBase64(String(value ?? ""));
    if (bytes === undefined) throw new DecodeError(`${name} is not base64`);
    return writer.bytes(number, bytes);
  }
  const numeric = value ?? 0;
  if (typeof numeric !== "number" && typeof numeric !== "bigint")
    throw new DecodeError(`${name} is not a number`);
  if (scalar === "d") return writer.double(number, Number(numeric));
  return writer.int(number, typeof numeric === "number" ? Math.trunc(numeric) : numeric);
}
