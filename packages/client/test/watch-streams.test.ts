import type { ServerResponse } from "node:http";
import { type Http2ServerResponse, constants } from "node:http2";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createHttpTransport, isConnectionError } from "../src/index.ts";
import { startServer } from "./https-server.ts";

/** What the server does with one watch: the events it sends, how it cuts their bytes, and how it ends. */
interface Script {
  readonly names: readonly string[];
  readonly cuts: readonly number[];
  /** After all bytes, or after a part of them: `fin` ends the answer, `destroy` the connection or, over HTTP/2, the stream. */
  readonly end: "fin" | "destroy";
  readonly share: number;
}

const scripts: fc.Arbitrary<Script> = fc.record({
  names: fc.array(fc.string({ unit: "grapheme", maxLength: 20 }), { maxLength: 8 }),
  cuts: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 6 }),
  end: fc.constantFrom("fin", "destroy"),
  share: fc.oneof(fc.constant(1), fc.double({ min: 0, max: 1, noNaN: true })),
});

async function play(response: ServerResponse, script: Script): Promise<void> {
  const bytes = Buffer.from(
    script.names.map((name) => `${JSON.stringify({ type: "ADDED", object: { name } })}\n`).join(""),
  );
  const sent = bytes.subarray(0, Math.round(bytes.length * script.share));
  const ends = [...script.cuts.map((cut) => Math.round(cut * sent.length)), sent.length].sort(
    (a, b) => a - b,
  );
  response.writeHead(200, { "content-type": "application/json" });
  response.flushHeaders?.();
  let start = 0;
  for (const end of ends) {
    if (end > start)
      await new Promise<void>((resolve) => void response.write(sent.subarray(start, end), () => resolve()));
    start = end;
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  const { stream } = response as unknown as Partial<Http2ServerResponse>;
  if (script.end === "fin") response.end();
  else if (stream === undefined) response.destroy();
  else stream.close(constants.NGHTTP2_CANCEL);
}

describe.each([
  ["HTTP/1.1", false],
  ["HTTP/2", true],
])("a watch over %s", (_protocol, http2) => {
  it("delivers a beginning of what was sent, and ends without an error only if that was all of it", async () => {
    let script: Script | undefined;
    await using server = await startServer((_request, response) => play(response, script as Script), {
      http2,
    });
    const connection = { server: server.url, ca: server.authority.ca, namespace: "default", origin: "test" };
    const transport = createHttpTransport(connection);
    const check = async (next: Script): Promise<void> => {
      script = next;
      const found: string[] = [];
      let error: unknown;
      try {
        const stream = await transport.watch<{ name: string }>({
          method: "GET",
          path: "/x",
          query: { watch: "true" },
        });
        for await (const batch of stream)
          found.push(...batch.map((event) => (event.object as { name: string }).name));
      } catch (reason) {
        error = reason;
      }
      expect(found).toEqual(next.names.slice(0, found.length));
      if (error !== undefined) expect(isConnectionError(error)).toBe(true);
      if (next.end === "fin" && next.share === 1)
        expect([error, found.length]).toEqual([undefined, next.names.length]);
      if (next.end === "destroy") expect(error).toBeDefined();
    };
    try {
      await fc.assert(fc.asyncProperty(scripts, check), { numRuns: 150 });
    } finally {
      await transport.close();
    }
  });
});
