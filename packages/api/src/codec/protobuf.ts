import type { Json, JsonObject } from "../object/object.ts";
import { DecodeError } from "./decode-error.ts";
import { MessageCodec } from "./protobuf-message.ts";
import { type MessageType, readProtobufTable } from "./protobuf-schema.ts";
import { protobufTable } from "./protobuf-table.ts";
import { WireReader, WireWriter } from "./protobuf-wire.ts";

/** Kubernetes' protobuf (`application/vnd.kubernetes.protobuf`) for built-in kinds and the meta types. */
export interface ProtobufCodec {
  /** Whether objects of the kind have a protobuf form: `apps/v1`, `Deployment`. */
  knows(apiVersion: string, kind: string): boolean;
  /**
   * The object in a body, as its JSON would be, apiVersion and kind first.
   * @throws DecodeError for bytes that are no such message, or a kind that is not known
   */
  decode(body: Uint8Array): JsonObject;
  /**
   * The body for an object, which must have apiVersion and kind. Fields that the kind does not have are left out.
   * @throws DecodeError for a kind that is not known, or a value of another type than its field
   */
  encode(object: JsonObject): Uint8Array;
  /** One event of a watch as a frame of the stream: four bytes of length, then the event with the object in it. */
  encodeWatchEvent(type: string, object: JsonObject): Uint8Array;
}

/** `k8s` and a zero byte, which every body begins with. Source: apimachinery runtime/serializer/protobuf. */
const prefix: readonly number[] = [0x6b, 0x38, 0x73, 0x00];

/** Reads the table of field numbers, so make it once. Message types are built as they are used. */
export function createProtobufCodec(): ProtobufCodec {
  const schema = readProtobufTable(protobufTable);
  const typeOf = (apiVersion: string, kind: string): MessageType => {
    const type = schema.kind(apiVersion, kind);
    if (type === undefined)
      throw new DecodeError(
        `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`,
      );
    return type;
  };
  const decode = (body: Uint8Array): JsonObject => {
    const { apiVersion, kind, raw } = readUnknown(body);
    const value = messages.decode(typeOf(apiVersion, kind), raw) as JsonObject;
    // Protobuf cannot tell an empty list from none; a list of objects always has items.
    return { apiVersion, kind, ...value, ...(kind.endsWith("List") ? { items: value["items"] ?? [] } : {}) };
  };
  const messages = new MessageCodec((bytes): Json | undefined =>
    hasPrefix(bytes) ? decode(bytes) : undefined,
  );
  const encode = (object: JsonObject): Uint8Array => {
    const apiVersion = String(object["apiVersion"] ?? "");
    const kind = String(object["kind"] ?? "");
    const writer = new WireWriter();
    writer.string(4, "");
    writer.string(3, "");
    const beforeRaw = writer.length;
    messages.encode(typeOf(apiVersion, kind), object, writer);
    writer.head(2, beforeRaw);
    const beforeType = writer.length;
    writer.string(2, kind);
    writer.string(1, apiVersion);
    writer.head(1, beforeType);
    writer.raw(Uint8Array.from(prefix));
    return writer.finish();
  };
  return {
    knows: (apiVersion, kind) => schema.kind(apiVersion, kind) !== undefined,
    decode,
    encode,
    encodeWatchEvent: (type, object) => frame(type, encode(object)),
  };
}

/** The wrapper around every object. Source: runtime.Unknown. */
function readUnknown(body: Uint8Array): { apiVersion: string; kind: string; raw: WireReader } {
  if (body.length === 0) throw new DecodeError("empty data");
  if (!hasPrefix(body)) {
    throw new DecodeError(
      `provided data does not appear to be a protobuf message, expected prefix [${prefix.join(" ")}]`,
    );
  }
  if (body.length === prefix.length) throw new DecodeError("empty body");
  let apiVersion = "";
  let kind = "";
  let raw = new WireReader(new Uint8Array());
  const unknown = new WireReader(body, prefix.length);
  while (!unknown.done) {
    const { field, wire } = unknown.tag();
    if (field === 1 && wire === 2) [apiVersion, kind] = readTypeMeta(unknown.message());
    else if (field === 2 && wire === 2) raw = unknown.message();
    else unknown.skip(wire);
  }
  return { apiVersion, kind, raw };
}

function readTypeMeta(message: WireReader): [string, string] {
  let apiVersion = "";
  let kind = "";
  while (!message.done) {
    const { field, wire } = message.tag();
    if (field === 1 && wire === 2) apiVersion = message.string();
    else if (field === 2 && wire === 2) kind = message.string();
    else message.skip(wire);
  }
  return [apiVersion, kind];
}

function hasPrefix(bytes: Uint8Array): boolean {
  return prefix.every((byte, i) => bytes[i] === byte);
}

/** A meta/v1 WatchEvent without prefix: the type, and the object's body in a RawExtension. */
function frame(type: string, object: Uint8Array): Uint8Array {
  const writer = new WireWriter();
  writer.bytes(1, object);
  writer.head(2, 0);
  writer.string(1, type);
  const { length } = writer;
  writer.raw(Uint8Array.of(length >>> 24, (length >>> 16) & 255, (length >>> 8) & 255, length & 255));
  return writer.finish();
}
