import type { ServerResponse } from "node:http";
import type { Http2ServerResponse } from "node:http2";
import net from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import {
  type HttpTransport,
  VirtualClock,
  type WatchStream,
  createHttpTransport,
  isConnectionError,
} from "../src/index.ts";
import { type TestServer, sendJson, startServer } from "./https-server.ts";
import { rejection, until } from "./until.ts";

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close();
});

const get = { method: "GET", path: "/api/v1/pods" } as const;
const watch = { ...get, query: { watch: "true", allowWatchBookmarks: "true" } } as const;
const line = (name: string): string =>
  `${JSON.stringify({ type: "ADDED", object: { metadata: { name } } })}\n`;

interface World {
  readonly server: TestServer;
  readonly transport: HttpTransport;
  readonly clock: VirtualClock;
  /** Open watches at the server, in the order they came. */
  readonly answers: ServerResponse[];
}

async function world(options: { port?: number; maxConcurrentStreams?: number } = {}): Promise<World> {
  const answers: ServerResponse[] = [];
  const server = await startServer(
    (request, response) => {
      if (request.url?.includes("watch") !== true) return sendJson(response, 200, { ok: true });
      response.writeHead(200, { "content-type": "application/json" });
      response.flushHeaders?.();
      response.write(line("first"));
      answers.push(response);
    },
    { http2: true, ...options },
  );
  const clock = new VirtualClock();
  const connection = { server: server.url, ca: server.authority.ca, namespace: "default", origin: "test" };
  const transport = createHttpTransport(connection, { clock });
  opened.push(server, transport);
  return { server, transport, clock, answers };
}

const streamOf = (response: ServerResponse | undefined): { close(code: number): void } =>
  (response as unknown as { stream: { close(code: number): void } }).stream;

/** An open watch whose first event has been read, and its next wait. */
async function waitingWatch(
  transport: HttpTransport,
): Promise<{ stream: WatchStream; next: Promise<IteratorResult<unknown>> }> {
  const stream = await transport.watch(watch);
  const iterator = stream[Symbol.asyncIterator]();
  expect((await iterator.next()).value).toHaveLength(1);
  return { stream, next: iterator.next() };
}

describe("HttpTransport against a server that speaks HTTP/2", () => {
  it("shares a connection among watches, up to the streams that it may have, and keeps reads apart", async () => {
    const { server, transport } = await world({ maxConcurrentStreams: 50 });
    const streams = await Promise.all(Array.from({ length: 120 }, () => transport.watch(watch)));
    expect(server.sessions.size).toBe(3);
    await transport.request(get);
    expect(server.acceptedCount).toBe(4);
    expect([...server.protocols].sort()).toEqual(["1.1", "2.0"]);
    for (const stream of streams) stream.close();
  });

  it("uses the connection again for a thousand watches one after another", async () => {
    const { server, transport, answers, clock } = await world();
    for (let count = 0; count < 1000; count++) {
      const stream = await transport.watch(watch);
      answers.at(-1)?.end();
      for await (const batch of stream) expect(batch.length).toBe(1);
    }
    expect(server.acceptedCount).toBe(1);
    expect(clock.pendingCount).toBe(0);
  });

  it("tells a stream that the server breaks off from one that it ends", async () => {
    const { transport, answers } = await world();
    for (const code of [8, 2]) {
      const { next } = await waitingWatch(transport);
      const failed = rejection(next);
      streamOf(answers.at(-1)).close(code);
      expect(isConnectionError(await failed)).toBe(true);
    }
    const ended = await waitingWatch(transport);
    answers.at(-1)?.end();
    expect(await ended.next).toEqual({ done: true, value: undefined });
  });

  it("fails all watches of a connection that is reset, and opens another for the next", async () => {
    const { server, transport } = await world();
    const watches = await Promise.all([waitingWatch(transport), waitingWatch(transport)]);
    const failures = watches.map(({ next }) => rejection(next));
    server.reset();
    expect((await Promise.all(failures)).every(isConnectionError)).toBe(true);
    const again = await waitingWatch(transport);
    expect(server.acceptedCount).toBe(2);
    again.stream.close();
    await again.next;
  });

  it("opens no new streams on a connection that the server is closing, and loses none of the old", async () => {
    const { server, transport, answers } = await world();
    const old = await waitingWatch(transport);
    for (const session of server.sessions) session.goaway();
    await until(() => server.sessions.size === 1);
    const fresh = await waitingWatch(transport);
    expect(server.acceptedCount).toBe(2);
    answers[0]?.write(line("second"));
    expect((await old.next).value).toHaveLength(1);
    old.stream.close();
    fresh.stream.close();
    await fresh.next;
  });

  it("closes the stream at the server when the watch is left, and keeps the connection", async () => {
    const { server, transport, answers } = await world();
    for await (const batch of await transport.watch(watch)) {
      expect(batch).toHaveLength(1);
      break;
    }
    await until(
      () =>
        answers[0]?.destroyed === true ||
        answers[0]?.writableEnded === true ||
        (answers[0] as unknown as Http2ServerResponse).stream.closed,
    );
    expect(server.sessions.size).toBe(1);
  });

  it("notices by a ping that a connection is dead, long before the watches' own limit", async () => {
    const { server, clock } = await world();
    // A relay that can stop carrying bytes without closing anything.
    const sockets: net.Socket[] = [];
    const relay = net.createServer((client) => {
      const upstream = net.connect(server.port, "127.0.0.1");
      client.pipe(upstream).pipe(client);
      for (const socket of [client, upstream]) sockets.push(socket.on("error", () => {}));
    });
    await new Promise<void>((resolve) => relay.listen(0, "127.0.0.1", resolve));
    const { port } = relay.address() as net.AddressInfo;
    const transport = createHttpTransport(
      { server: `https://localhost:${port}`, ca: server.authority.ca, namespace: "", origin: "test" },
      { clock },
    );
    opened.push({ close: () => new Promise((resolve) => relay.close(() => resolve())) }, transport);
    const { next } = await waitingWatch(transport);
    const failed = rejection(next);
    for (let round = 0; round < 3; round++) {
      await clock.advance(30_000);
      await until(() => clock.nextAt === clock.now() + 30_000, "the answer to the ping");
    }
    for (const socket of sockets) socket.unpipe().pause();
    await clock.advance(45_000);
    const error = await failed;
    expect(isConnectionError(error)).toBe(true);
    expect(error.message).toContain("the connection gave no sign of life for 15 s");
    for (const socket of sockets) socket.destroy();
  });

  it("does not use it where it is switched off", async () => {
    const { server } = await world();
    const connection = { server: server.url, ca: server.authority.ca, namespace: "", origin: "test" };
    const transport = createHttpTransport(connection, { http2: false });
    opened.push(transport);
    (await transport.watch(watch)).close();
    expect([...server.protocols]).toEqual(["1.1"]);
  });
});
