/** Answers as bytes. */
import { type JsonObject, encodeJson, encodeYaml } from "@bowline/api";
import type { Revision } from "../store/revision.ts";
import { untyped } from "./answer.ts";
import { protobufCodec, protobufType } from "./protobuf.ts";
import type { ServerResponse } from "./request.ts";

type Finite = Extract<ServerResponse, { kind: "object" | "list" | "raw" }>;

/** Bytes of a list that are sent at once; larger ones go out in pieces of this size. */
const chunkBytes = 1 << 18;

/** The body of an answer of known length, in pieces. */
export function encodeBody(response: Finite, pretty: boolean): Uint8Array[] {
  if (response.kind === "raw")
    return [typeof response.data === "string" ? Buffer.from(response.data) : response.data];
  switch (response.headers["content-type"]) {
    case "application/yaml":
      return [Buffer.from(encodeYaml(whole(response)))];
    case protobufType:
      return [protobufCodec().encode(whole(response) as JsonObject)];
    default:
      return pretty ? [Buffer.from(`${encodeJson(whole(response), { pretty: true })}\n`)] : encoded(response);
  }
}

function whole(response: Exclude<Finite, { kind: "raw" }>): unknown {
  return response.kind === "list"
    ? { ...response.list, items: response.items.map((r) => (response.typedItems ? r : untyped(r)).object) }
    : response.object;
}

function encoded(response: Exclude<Finite, { kind: "raw" }>): Uint8Array[] {
  if (response.kind === "list") return encodeList(response);
  if (response.revision !== undefined && response.revision.object === response.object) {
    return [response.revision.bytes, newline];
  }
  return [Buffer.from(`${encodeJson(response.object)}\n`)];
}

const newline = Buffer.from("\n");
const listEnd = Buffer.from("]}\n");

/** A list joined from the bytes that its items keep: nothing is stringified again. */
function encodeList({ list, items, typedItems }: Extract<ServerResponse, { kind: "list" }>): Uint8Array[] {
  const { apiVersion, kind, metadata } = list;
  const about = `"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)}`;
  const head = Buffer.from(`{${about},"metadata":${encodeJson(metadata)},"items":[`);
  let size = head.length + listEnd.length;
  for (const item of items) size += item.bytes.length + 1;
  const writer = new ChunkWriter(Math.min(size, chunkBytes));
  writer.add(head);
  let first = true;
  for (const item of items) {
    if (first) first = false;
    else writer.byte(0x2c);
    if (typedItems) writer.add(item.bytes);
    else addUntyped(writer, item);
  }
  writer.add(listEnd);
  return writer.finish();
}

/** An item without its apiVersion and kind: they are the first of its fields, so that the rest of its bytes will do. */
function addUntyped(writer: ChunkWriter, item: Revision): void {
  const { bytes, object } = item;
  const head = typeHead(object.apiVersion, object.kind);
  if (bytes.length > head.length && head.compare(bytes, 0, head.length) === 0) {
    writer.byte(0x7b);
    writer.add(bytes.subarray(head.length));
  } else {
    writer.add(untyped(item).bytes);
  }
}

let lastHead: { readonly apiVersion: string; readonly kind: string; readonly bytes: Buffer } | undefined;

/** `{"apiVersion":"v1","kind":"Pod",` as bytes. */
function typeHead(apiVersion: string, kind: string): Buffer {
  if (lastHead?.apiVersion !== apiVersion || lastHead.kind !== kind) {
    const text = `{"apiVersion":${JSON.stringify(apiVersion)},"kind":${JSON.stringify(kind)},`;
    lastHead = { apiVersion, kind, bytes: Buffer.from(text) };
  }
  return lastHead.bytes;
}

/** Copies bytes into chunks that are large enough to be sent at once. */
class ChunkWriter {
  readonly #chunks: Uint8Array[] = [];
  readonly #chunkSize: number;
  #chunk: Buffer;
  #size = 0;

  constructor(chunkSize: number) {
    this.#chunkSize = chunkSize;
    this.#chunk = Buffer.allocUnsafe(chunkSize);
  }

  byte(value: number): void {
    if (this.#size === this.#chunkSize) this.#flush();
    this.#chunk[this.#size++] = value;
  }

  add(bytes: Uint8Array): void {
    if (this.#size + bytes.length > this.#chunkSize) this.#flush();
    if (bytes.length > this.#chunkSize) {
      this.#chunks.push(bytes);
      return;
    }
    this.#chunk.set(bytes, this.#size);
    this.#size += bytes.length;
  }

  finish(): Uint8Array[] {
    if (this.#size > 0) this.#chunks.push(this.#chunk.subarray(0, this.#size));
    return this.#chunks;
  }

  #flush(): void {
    if (this.#size === 0) return;
    this.#chunks.push(this.#chunk.subarray(0, this.#size));
    this.#chunk = Buffer.allocUnsafe(this.#chunkSize);
    this.#size = 0;
  }
}
