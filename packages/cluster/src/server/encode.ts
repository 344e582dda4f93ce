/** Answers as bytes. */
import { encodeJson, encodeYaml } from "@bowline/api";
import type { Revision } from "../store/revision.ts";
import type { ServerResponse } from "./request.ts";
import type { OutgoingEvent } from "./watch-session.ts";

type Finite = Extract<ServerResponse, { kind: "object" | "list" | "raw" }>;

/** Bytes of a list that are sent at once; larger ones go out in pieces of this size. */
const chunkBytes = 1 << 20;

/** The body of an answer of known length, in pieces. */
export function encodeBody(response: Finite, pretty: boolean): Uint8Array[] {
  if (response.kind === "raw")
    return [typeof response.data === "string" ? Buffer.from(response.data) : response.data];
  if (response.headers["content-type"] === "application/yaml") {
    return [Buffer.from(encodeYaml(response.kind === "list" ? wholeList(response) : response.object))];
  }
  if (pretty) {
    const value = response.kind === "list" ? wholeList(response) : response.object;
    return [Buffer.from(`${encodeJson(value, { pretty: true })}\n`)];
  }
  if (response.kind === "list") return encodeList(response.list, response.items);
  if (response.revision !== undefined && response.revision.object === response.object) {
    return [response.revision.bytes, newline];
  }
  return [Buffer.from(`${encodeJson(response.object)}\n`)];
}

const newline = Buffer.from("\n");
const comma = Buffer.from(",");

function wholeList(response: Extract<ServerResponse, { kind: "list" }>): unknown {
  return { ...response.list, items: response.items.map((r) => r.object) };
}

/** A list joined from the bytes that its items keep: nothing is stringified again. */
function encodeList(
  list: { apiVersion: string; kind: string; metadata: unknown },
  items: readonly Revision[],
): Uint8Array[] {
  const head = Buffer.from(
    `{"kind":${JSON.stringify(list.kind)},"apiVersion":${JSON.stringify(list.apiVersion)},"metadata":${encodeJson(list.metadata)},"items":[`,
  );
  const chunks: Uint8Array[] = [];
  let pending: Uint8Array[] = [head];
  let size = head.length;
  for (const [i, item] of items.entries()) {
    if (i > 0) pending.push(comma);
    pending.push(item.bytes);
    size += item.bytes.length + 1;
    if (size >= chunkBytes) {
      chunks.push(Buffer.concat(pending));
      pending = [];
      size = 0;
    }
  }
  pending.push(Buffer.from("]}\n"));
  chunks.push(Buffer.concat(pending));
  return chunks;
}

const heads: Readonly<Record<string, Buffer>> = Object.fromEntries(
  ["ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"].map((type) => [
    type,
    Buffer.from(`{"type":"${type}","object":`),
  ]),
);
const tail = Buffer.from("}\n");

/** One watch event as a line. */
export function encodeEvent(event: OutgoingEvent): Uint8Array {
  const object = event.revision?.bytes ?? Buffer.from(encodeJson(event.object));
  return Buffer.concat([heads[event.type] as Buffer, object, tail]);
}
