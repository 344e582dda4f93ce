import type { WatchEvent } from "../ports/transport.ts";
import { readJson } from "./json-body.ts";

/** A line longer than this is not an event: no object is that large. */
const lineBytesMax = 64 << 20;

const newline = 0x0a;

/**
 * Cuts the bytes of a watch into events: JSON documents, one a line, in pieces of any size. An event with a broken line
 * is an error, since a skipped one would be a change that is never seen.
 */
export class WatchDecoder<T> {
  #pending: Buffer[] = [];
  #pendingBytes = 0;

  /** The events that are complete with these bytes, in order. @throws Error for a line that is no event */
  decode(chunks: readonly Buffer[]): WatchEvent<T>[] {
    const events: WatchEvent<T>[] = [];
    for (const chunk of chunks) {
      const last = chunk.lastIndexOf(newline);
      if (last < 0) {
        this.#keep(chunk);
        continue;
      }
      const lines = this.#takePending(chunk.subarray(0, last)).split("\n");
      for (const line of lines) if (line !== "") events.push(eventOf(line));
      if (last + 1 < chunk.length) this.#keep(chunk.subarray(last + 1));
    }
    return events;
  }

  /** The events left when the stream ended. @throws Error when it ended within one */
  end(): WatchEvent<T>[] {
    const line = this.#takePending(Buffer.alloc(0)).trim();
    return line === "" ? [] : [eventOf(line)];
  }

  #keep(bytes: Buffer): void {
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
    if (this.#pendingBytes > lineBytesMax)
      throw new Error(`the watch sent a line of more than ${lineBytesMax} bytes`);
  }

  #takePending(rest: Buffer): string {
    if (this.#pending.length === 0) return rest.toString("utf8");
    const bytes = Buffer.concat([...this.#pending, rest]);
    this.#pending = [];
    this.#pendingBytes = 0;
    return bytes.toString("utf8");
  }
}

const eventTypes: ReadonlySet<unknown> = new Set(["ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"]);

function eventOf<T>(line: string): WatchEvent<T> {
  let event: Partial<WatchEvent<T>>;
  try {
    event = readJson<WatchEvent<T>>(line) as WatchEvent<T>;
  } catch (error) {
    throw new Error(`the watch sent a line that is not JSON: ${shown(line)}`, { cause: error });
  }
  if (!eventTypes.has(event?.type) || typeof event.object !== "object" || event.object === null) {
    throw new Error(`the watch sent a line that is not an event: ${shown(line)}`);
  }
  return event as WatchEvent<T>;
}

function shown(line: string): string {
  return line.length <= 200 ? line : `${line.slice(0, 200)}... (${line.length} characters)`;
}
