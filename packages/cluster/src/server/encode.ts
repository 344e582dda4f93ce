/** Answers as bytes. */
import { type JsonObject, encodeJson, encodeYaml } from "@bowline/api";
import type { Revision } from "../store/revision.ts";
import { protobufCodec, protobufType } from "./protobuf.ts";
import type { ServerResponse } from "./request.ts";

type Finite = Extract<ServerResponse, { kind: "object" | "list" | "raw" }>;

/** Bytes of a list that are sent at once; larger ones go out in pieces of this size. */
const chunkBytes = 1 << 20;

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
    ? { ...response.list, items: response.items.map((r) => r.object) }
    : response.object;
}

function encoded(response: Exclude<Finite, { kind: "raw" }>): Uint8Array[] {
  if (response.kind === "list") return encodeList(response.list, response.items);
  if (response.revision !== undefined && response.revision.object === response.object) {
    return [response.revision.bytes, newline];
  }
  return [Buffer.from(`${encodeJson(response.object)}\n`)];
}

const newline = Buffer.from("\n");
const comma = Buffer.from(",");

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
