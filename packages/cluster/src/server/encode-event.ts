/** Watch events as bytes, shared by all watchers of one change. */
import { type JsonObject, encodeJson } from "@bowline/api";
import type { Revision } from "../store/revision.ts";
import type { Encoding } from "./negotiation.ts";
import { protobufCodec } from "./protobuf.ts";
import type { OutgoingEvent } from "./watch-session.ts";

/** Lines that are kept for the watchers still to come: enough for a burst, little beside the objects themselves. */
const keptMax = 256;

interface Line {
  readonly type: OutgoingEvent["type"];
  readonly bytes: Uint8Array;
}

/** The newest lines of one encoding, by the revision that they show; the oldest goes first. */
class RecentLines {
  readonly #lines = new Map<Revision, Line>();
  readonly #encode: (event: OutgoingEvent) => Uint8Array;

  constructor(encode: (event: OutgoingEvent) => Uint8Array) {
    this.#encode = encode;
  }

  of(event: OutgoingEvent): Uint8Array {
    const { revision, type } = event;
    if (revision === undefined) return this.#encode(event);
    const known = this.#lines.get(revision);
    if (known?.type === type) return known.bytes;
    const bytes = this.#encode(event);
    this.#lines.set(revision, { type, bytes });
    if (this.#lines.size > keptMax) {
      for (const oldest of this.#lines.keys()) {
        this.#lines.delete(oldest);
        break;
      }
    }
    return bytes;
  }
}

const heads: Readonly<Record<string, Buffer>> = Object.fromEntries(
  ["ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"].map((type) => [
    type,
    Buffer.from(`{"type":"${type}","object":`),
  ]),
);
const tail = Buffer.from("}\n");

const jsonLines = new RecentLines((event) => {
  const object = event.revision?.bytes ?? Buffer.from(encodeJson(event.object));
  return Buffer.concat([heads[event.type] as Buffer, object, tail]);
});

const protobufFrames = new RecentLines((event) =>
  protobufCodec().encodeWatchEvent(event.type, event.object as JsonObject),
);

/** One watch event as it goes over the wire: a line of JSON, or a frame of protobuf. */
export function encodeEvent(event: OutgoingEvent, encoding: Encoding): Uint8Array {
  return (encoding === "protobuf" ? protobufFrames : jsonLines).of(event);
}
