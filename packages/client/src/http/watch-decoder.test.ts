import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { WatchDecoder } from "./watch-decoder.ts";

const event = (name: string): string =>
  `${JSON.stringify({ type: "ADDED", object: { metadata: { name } } })}\n`;
const decodeAll = (...parts: string[]): unknown[] =>
  new WatchDecoder().decode(parts.map((part) => Buffer.from(part)));

describe("WatchDecoder", () => {
  it("gives the same events however the bytes are cut", () => {
    const names = fc.array(fc.string({ unit: "grapheme", maxLength: 8 }), { maxLength: 6 });
    fc.assert(
      fc.property(names, fc.array(fc.nat(400)), (wanted, cuts) => {
        const bytes = Buffer.from(wanted.map(event).join(""));
        const ends = [...new Set([...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].sort(
          (a, b) => a - b,
        );
        const decoder = new WatchDecoder();
        const found: unknown[] = [];
        let start = 0;
        for (const end of ends) {
          found.push(...decoder.decode([bytes.subarray(start, end)]));
          start = end;
        }
        found.push(...decoder.end());
        expect(found).toEqual(wanted.map((name) => ({ type: "ADDED", object: { metadata: { name } } })));
      }),
    );
  });

  it("gives everything that came together at once, and ignores empty lines", () => {
    expect(decodeAll(`${event("a")}\n${event("b")}`, event("c"))).toHaveLength(3);
    expect(decodeAll("\n", "")).toEqual([]);
  });

  it("accepts a last line without its line end, and refuses half of one", () => {
    const whole = new WatchDecoder();
    whole.decode([Buffer.from(event("a").trim())]);
    expect(whole.end()).toHaveLength(1);
    const half = new WatchDecoder();
    half.decode([Buffer.from('{"type":"ADDED","obj')]);
    expect(() => half.end()).toThrow('the watch sent a line that is not JSON: {"type":"ADDED","obj');
  });

  it.each([
    ["not JSON", "nonsense", "a line that is not JSON: nonsense"],
    ["another document", "{}", "a line that is not an event: {}"],
    ["an unknown type", '{"type":"CHANGED","object":{}}', "a line that is not an event"],
    ["no object", '{"type":"ADDED","object":null}', "a line that is not an event"],
    ["null", "null", "a line that is not an event: null"],
  ])("refuses %s", (_what, line, message) => {
    expect(() => decodeAll(`${line}\n`)).toThrow(message);
  });

  it("refuses a line that does not end", () => {
    const decoder = new WatchDecoder();
    const piece = Buffer.alloc(1 << 20, 0x20);
    expect(() => {
      for (let count = 0; count < 65; count++) decoder.decode([piece]);
    }).toThrow("a line of more than 67108864 bytes");
  });
});
