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

const jsonLines = new RecentLines((event) => joinLines([event]));

/** Lines of JSON, copied once, from the bytes that their revisions keep. */
function joinLines(events: readonly OutgoingEvent[]): Uint8Array {
  const objects = events.map((event) => event.revision?.bytes ?? Buffer.from(encodeJson(event.object)));
  let size = 0;
  for (const [i, { type }] of events.entries()) {
    size += (heads[type] as Buffer).length + (objects[i] as Uint8Array).length + tail.length;
  }
  const joined = Buffer.allocUnsafe(size);
  let at = 0;
  for (const [i, { type }] of events.entries()) {
    for (const part of [heads[type] as Buffer, objects[i] as Uint8Array, tail]) {
      joined.set(part, at);
      at += part.length;
    }
  }
  return joined;
}

const protobufFrames = new RecentLines((event) =>
  protobufCodec().encodeWatchEvent(event.type, event.object as JsonObject),
);

/** One watch event as it goes over the wire: a line of JSON, or a frame of protobuf. */
export function encodeEvent(event: OutgoingEvent, encoding: Encoding): Uint8Array {
  return (encoding === "protobuf" ? protobufFrames : jsonLines).of(event);
}

/** Events that go out together, in one piece. */
export function encodeEvents(events: readonly OutgoingEvent[], encoding: Encoding): Uint8Array {
  const [first] = events;
  if (first !== undefined && events.length === 1) return encodeEvent(first, encoding);
  if (encoding !== "protobuf") return joinLines(events);
  return Buffer.concat(events.map((event) => encodeEvent(event, encoding)));
}
