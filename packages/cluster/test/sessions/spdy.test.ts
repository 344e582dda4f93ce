import { deflateSync, constants, createInflate } from "node:zlib";
import type { MessageSocket } from "@bowline/client";
import { describe, expect, it } from "vitest";
import {
  FrameReader,
  type SpdyFrame,
  decodeHeaders,
  encodeFrame,
  encodeHeaders,
  finFlag,
  frameType,
} from "../../src/server/sessions/spdy-frames.ts";
import { SpdyConnection, type SpdyStream } from "../../src/server/sessions/spdy-connection.ts";
import { spdyDictionary } from "../../src/server/sessions/spdy-dictionary.ts";
import { HeaderWriter } from "../../src/server/sessions/spdy-headers.ts";
import { socketPair } from "../../src/server/socket-pair.ts";

const ping: SpdyFrame = {
  kind: "control",
  type: frameType.ping,
  flags: 0,
  payload: Buffer.from([0, 0, 0, 1]),
};

/** A client of one stream, whose header blocks are compressed as Go's are. */
class TestClient {
  readonly frames: SpdyFrame[] = [];
  readonly socket: MessageSocket;
  readonly reading: Promise<void>;

  constructor(socket: MessageSocket) {
    this.socket = socket;
    this.reading = this.#read();
  }

  async open(id: number, headers: Record<string, string>, flags = 0): Promise<void> {
    const block = deflateSync(encodeHeaders(headers), {
      dictionary: Buffer.from(spdyDictionary),
      finishFlush: constants.Z_SYNC_FLUSH,
    });
    const payload = Buffer.concat([numbers(id, 0), Buffer.from([0, 0]), block]);
    await this.socket.send(encodeFrame({ kind: "control", type: frameType.synStream, flags, payload }));
  }

  async send(id: number, text: string, flags = 0): Promise<void> {
    await this.socket.send(encodeFrame({ kind: "data", stream: id, flags, payload: Buffer.from(text) }));
  }

  /** What came on a stream; `.` stands for its end. */
  received(id: number): string {
    return this.frames
      .filter((frame) => frame.kind === "data" && frame.stream === id)
      .map(({ payload, flags }) => Buffer.from(payload).toString() + ((flags & finFlag) === 0 ? "" : "."))
      .join("");
  }

  async #read(): Promise<void> {
    const reader = new FrameReader();
    for await (const chunk of this.socket) this.frames.push(...reader.read(chunk));
  }
}

function numbers(...values: number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, 4 * index);
  return bytes;
}

function connected(onStream: (stream: SpdyStream) => void): { client: TestClient; serving: Promise<void> } {
  const { client, server } = socketPair("");
  return { client: new TestClient(client), serving: new SpdyConnection(server).serve(onStream) };
}

async function textOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  let text = "";
  for await (const chunk of chunks) text += Buffer.from(chunk).toString();
  return text;
}

describe("SPDY frames", () => {
  it("are the same after they were cut anywhere", () => {
    const frames: SpdyFrame[] = [
      ping,
      { kind: "data", stream: 5, flags: finFlag, payload: Buffer.from("hello") },
      { kind: "data", stream: 0x7fffffff, flags: 0, payload: Buffer.alloc(0) },
    ];
    const bytes = Buffer.concat(frames.map(encodeFrame));
    for (let cut = 0; cut <= bytes.length; cut++) {
      const reader = new FrameReader();
      const read = [...reader.read(bytes.subarray(0, cut)), ...reader.read(bytes.subarray(cut))];
      expect(read.map(encodeFrame)).toEqual(frames.map(encodeFrame));
    }
  });

  it("are refused in another version", () => {
    expect(() => new FrameReader().read(Buffer.from("8002000600000000", "hex"))).toThrow(/version 2/);
  });

  it("carry headers by lower-case names, and no cut ones", () => {
    const block = encodeHeaders({ StreamType: "error", port: "80" });
    expect(decodeHeaders(block)).toEqual({ streamtype: "error", port: "80" });
    expect(() => decodeHeaders(block.subarray(0, block.length - 1))).toThrow("cut off");
  });
});

describe("SPDY header compression", () => {
  it("uses the dictionary of the protocol", () => {
    expect(spdyDictionary).toHaveLength(1423);
    expect(Buffer.from(spdyDictionary.subarray(0, 11)).toString("latin1")).toBe("\0\0\0\u0007options");
    expect(deflateSync("", { dictionary: Buffer.from(spdyDictionary) }).readUInt32BE(2)).toBe(0xe3c6a7c2);
  });

  it("writes blocks that any inflater reads one by one", async () => {
    const writer = new HeaderWriter();
    const inflate = createInflate({ dictionary: Buffer.from(spdyDictionary) });
    const seen: Buffer[] = [];
    inflate.on("data", (chunk: Buffer) => seen.push(chunk));
    for (const headers of [{ a: "1" }, {}, { b: "2", c: "3" }] as Record<string, string>[]) {
      seen.length = 0;
      await new Promise((resolve) => inflate.write(writer.write(headers), resolve));
      expect(decodeHeaders(Buffer.concat(seen))).toEqual(headers);
    }
  });
});

describe("SPDY connection", () => {
  it("serves several streams, each to its end", async () => {
    const { client, serving } = connected((stream) => {
      void (async () => {
        await stream.send(Buffer.from(`${stream.headers["name"]}:`));
        await stream.send(Buffer.from(await textOf(stream.incoming)));
        await stream.end();
      })();
    });
    // several connections' worth of the same context: only the first block begins a zlib stream
    await client.open(1, { name: "first" });
    await client.send(1, "hel");
    await client.send(1, "lo", finFlag);
    await client.socket.send(encodeFrame(ping));
    await expect.poll(() => client.received(1)).toBe("first:hello.");
    const types = client.frames.map((frame) => (frame.kind === "control" ? frame.type : "data"));
    expect(types).toContain(frameType.ping);
    expect(types[0]).toBe(frameType.synReply);
    client.socket.close();
    await serving;
  });

  it("tells a stream that the client broke off, and all of them that it has gone", async () => {
    const streams: SpdyStream[] = [];
    const { client, serving } = connected((stream) => void streams.push(stream));
    await client.open(1, {});
    await expect.poll(() => streams.length).toBe(1);
    await client.socket.send(
      encodeFrame({ kind: "control", type: frameType.reset, flags: 0, payload: numbers(1, 5) }),
    );
    await expect.poll(() => streams[0]?.signal.aborted).toBe(true);
    expect(await textOf(streams[0]?.incoming as AsyncIterable<Uint8Array>)).toBe("");
    client.socket.close();
    await serving;
  });

  it.each([
    "8002000600000000",
    "800300010000000400000001",
    "80030001000000100000000100000000000041414141414141",
  ])("ends when %s comes", async (hex) => {
    const { client, serving } = connected(() => expect.fail("no stream was opened"));
    await client.socket.send(Buffer.from(hex.padEnd(48, "0"), "hex"));
    await serving;
    await client.reading;
  });
});
