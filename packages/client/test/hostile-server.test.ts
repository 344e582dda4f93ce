import type { IncomingMessage, ServerResponse } from "node:http";
import { isStatusError, isUnauthorized } from "@bowline/api";
import { afterEach, describe, expect, it } from "vitest";
import {
  type Connection,
  type HttpTransport,
  type HttpTransportOptions,
  type RequestObserver,
  VirtualClock,
  type WatchEvent,
  type WatchStream,
  createHttpTransport,
  isConnectionError,
  seededRandom,
} from "../src/index.ts";
import {
  type Handler,
  type TestServer,
  type TestServerOptions,
  resetConnection,
  sendJson,
  startServer,
} from "./https-server.ts";
import { rejection, until } from "./until.ts";

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close();
});

interface World {
  readonly server: TestServer;
  readonly transport: HttpTransport;
  readonly clock: VirtualClock;
}

interface WorldOptions extends TestServerOptions {
  readonly connection?: Partial<Connection>;
  readonly transport?: HttpTransportOptions;
}

async function world(handler: Handler, options: WorldOptions = {}): Promise<World> {
  const server = await startServer(handler, options);
  const clock = new VirtualClock();
  const connection = { server: server.url, ca: server.authority.ca, namespace: "default", origin: "test" };
  const transport = createHttpTransport(
    { ...connection, ...options.connection },
    { clock, random: seededRandom(1), ...options.transport },
  );
  opened.push(server, transport);
  return { server, transport, clock };
}

const pods = "/api/v1/pods";
const get = { method: "GET", path: pods } as const;
const watch = { method: "GET", path: pods, query: { watch: "true", allowWatchBookmarks: "true" } } as const;
const line = (type: string, name: string): string =>
  `${JSON.stringify({ type, object: { metadata: { name } } })}\n`;

function openWatch(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "application/json" });
  response.flushHeaders();
}

function socketOf(request: IncomingMessage): Parameters<typeof resetConnection>[0] {
  return request.socket as never;
}

/** Lets the server refuse for the `round`th time; for how long the transport then waits. */
async function retryWait(server: TestServer, clock: VirtualClock, round: number): Promise<number> {
  // While a request is under way its limits are what the clock waits for, and they are much longer.
  const waitMs = (): number => (clock.nextAt ?? Number.POSITIVE_INFINITY) - clock.now();
  await until(() => server.requests.length === round && clock.pendingCount === 1 && waitMs() < 9_000);
  return waitMs();
}

/** Reads a watch to its end; the events, and the error that it ended with. */
async function drain(stream: WatchStream): Promise<{ events: WatchEvent[]; error: Error | undefined }> {
  const events: WatchEvent[] = [];
  try {
    for await (const batch of stream) events.push(...batch);
    return { events, error: undefined };
  } catch (error) {
    return { events, error: error as Error };
  }
}

describe("HttpTransport against a server that breaks connections", () => {
  it("repeats a read once when its connection is reset before the answer", async () => {
    let count = 0;
    const { transport } = await world((request, response) => {
      if (++count === 1) return resetConnection(socketOf(request));
      sendJson(response, 200, { ok: true });
    });
    expect((await transport.request(get)).body).toEqual({ ok: true });
    expect(count).toBe(2);
  });

  it("fails with ConnectionError when that happens again, and never repeats a write", async () => {
    const { transport, server } = await world((request) => resetConnection(socketOf(request)));
    const error = await rejection(transport.request(get));
    expect(isConnectionError(error)).toBe(true);
    expect(error.message).toContain(`GET ${pods}: no answer from ${server.url}: the `);
    expect(server.requests).toHaveLength(2);
    expect(
      isConnectionError(await rejection(transport.request({ method: "POST", path: pods, body: {} }))),
    ).toBe(true);
    expect(server.requests).toHaveLength(3);
  });

  it("delivers the events before a reset in mid line, then fails", async () => {
    let reset = (): void => {};
    const { transport } = await world((request, response) => {
      openWatch(response);
      response.write(line("ADDED", "a") + line("ADDED", "b").slice(0, 20));
      reset = () => resetConnection(socketOf(request));
    });
    const iterator = (await transport.watch(watch))[Symbol.asyncIterator]();
    expect((await iterator.next()).value).toEqual([{ type: "ADDED", object: { metadata: { name: "a" } } }]);
    const next = rejection(iterator.next());
    reset();
    expect(isConnectionError(await next)).toBe(true);
  });

  it("takes a clean end in mid line for a broken stream, and a clean end after a line for an end", async () => {
    const { transport } = await world((request, response) => {
      openWatch(response);
      response.write(line("ADDED", "a"));
      response.end(request.url?.includes("half") ? line("ADDED", "b").slice(0, 20) : "");
    });
    const whole = await drain(await transport.watch(watch));
    expect(whole).toMatchObject({ events: [{ type: "ADDED" }], error: undefined });
    const half = await drain(await transport.watch({ ...watch, path: `${pods}/half` }));
    expect(half.events).toHaveLength(1);
    expect(isConnectionError(half.error)).toBe(true);
    expect(half.error?.message).toContain("a line that is not JSON");
  });

  it("reaches a server that came back on the same port", async () => {
    const first = await startServer((_request, response) => sendJson(response, 200, { life: 1 }));
    const { port, authority, url } = first;
    const transport = createHttpTransport({ server: url, ca: authority.ca, namespace: "", origin: "test" });
    opened.push(transport);
    expect((await transport.request(get)).body).toEqual({ life: 1 });
    await first.close();
    expect((await rejection(transport.request(get))).message).toContain(
      "connection refused; is the API server running there?",
    );
    const second = await startServer((_request, response) => sendJson(response, 200, { life: 2 }), { port });
    opened.push(second);
    expect((await transport.request(get)).body).toEqual({ life: 2 });
  });
});

describe("HttpTransport against a server that goes silent", () => {
  it("case 1: notices a watch on which nothing arrives, and counts a bookmark as life", async () => {
    const answers: ServerResponse[] = [];
    const { transport, clock } = await world((_request, response) => {
      openWatch(response);
      answers.push(response);
    });
    const stream = await transport.watch(watch);
    const iterator = stream[Symbol.asyncIterator]();
    for (let minute = 0; minute < 10; minute++) {
      const next = iterator.next();
      await until(() => clock.pendingCount === 1);
      await clock.advance(60_000);
      answers[0]?.write(line("BOOKMARK", ""));
      expect((await next).value).toHaveLength(1);
    }
    const last = rejection(iterator.next());
    await until(() => clock.pendingCount === 1);
    await clock.advance(179_999);
    expect(answers[0]?.closed).toBe(false);
    await clock.advance(1);
    const error = await last;
    expect(isConnectionError(error)).toBe(true);
    expect(error.message).toContain("nothing arrived for 180 s; the connection is taken to be dead");
    await until(() => answers[0]?.closed === true, "the end of the connection");
  });

  it("does not take the time of a slow reader for silence of the server", async () => {
    const { transport, clock } = await world((_request, response) => {
      openWatch(response);
      response.write(line("ADDED", "a"));
    });
    const stream = await transport.watch(watch);
    const iterator = stream[Symbol.asyncIterator]();
    expect((await iterator.next()).value).toHaveLength(1);
    await clock.advance(600_000);
    const next = iterator.next();
    await until(() => clock.pendingCount === 1);
    stream.close();
    expect(await next).toEqual({ done: true, value: undefined });
  });

  it("case 2: does not limit a watch without bookmarks, nor a log", async () => {
    const { transport, clock } = await world((_request, response) => openWatch(response));
    const stream = await transport.watch({ ...watch, query: { watch: "true" } });
    const log = await transport.stream({ method: "GET", path: `${pods}/log` });
    const waiting = [stream[Symbol.asyncIterator]().next(), log[Symbol.asyncIterator]().next()];
    await clock.advance(3_600_000);
    expect(clock.pendingCount).toBe(0);
    stream.close();
    log.close();
    expect(await Promise.all(waiting)).toEqual([
      { done: true, value: undefined },
      { done: true, value: undefined },
    ]);
  });

  it("gives up a request that gets no answer, or half of one", async () => {
    const { transport, clock, server } = await world((request, response) => {
      if (request.url?.includes("half")) {
        response.writeHead(200, { "content-type": "application/json" });
        response.write('{"items":[');
      }
    });
    for (const path of [pods, `${pods}/half`]) {
      const failed = rejection(transport.request({ method: "GET", path }));
      await until(() => server.requests.includes(`GET ${path}`) && clock.pendingCount === 1);
      await clock.advance(65_000);
      const error = await failed;
      expect(isConnectionError(error)).toBe(true);
      expect(error.message).toContain("nothing arrived for 65 s");
    }
  });

  it("gives up a connection that is never established", async () => {
    const { createServer } = await import("node:net");
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const { port } = silent.address() as { port: number };
    const { transport, clock } = await world(() => {}, {
      connection: { server: `https://127.0.0.1:${port}` },
    });
    const failed = rejection(transport.request(get));
    await until(() => clock.pendingCount === 1);
    await clock.advance(10_000);
    expect((await failed).message).toContain("no connection after 10 s");
    silent.close();
  });
});

describe("HttpTransport against a server that refuses", () => {
  it("case 6: waits as long as Retry-After says, and a little longer, and tries again", async () => {
    let refusals = 3;
    const waits: string[] = [];
    const observer: RequestObserver = {
      onWait: ({ method, path, status }) => void waits.push(`${method} ${path} ${status}`),
    };
    const { transport, clock, server } = await world(
      (_request, response) => {
        if (refusals-- > 0) return sendJson(response, 429, {}, { "retry-after": "7" });
        sendJson(response, 201, { ok: true });
      },
      { transport: { observer } },
    );
    const answer = transport.request({ method: "POST", path: pods, body: {} });
    for (let round = 1; round <= 3; round++) {
      const waitMs = await retryWait(server, clock, round);
      expect(waitMs).toBeGreaterThanOrEqual(7_000);
      expect(waitMs).toBeLessThan(8_750);
      await clock.advance(waitMs - 1);
      expect(server.requests).toHaveLength(round);
      await clock.advance(1);
    }
    expect((await answer).status).toBe(201);
    expect(server.requests).toHaveLength(4);
    expect(waits).toEqual(Array.from({ length: 3 }, () => `POST ${pods} 429`));
  });

  it("throws the refusal after ten attempts more", async () => {
    const { transport, clock, server } = await world((_request, response) => {
      sendJson(response, 503, {}, { "retry-after": "1" });
    });
    const failed = rejection(transport.watch(watch));
    for (let round = 1; round <= 10; round++) await clock.advance(await retryWait(server, clock, round));
    const error = await failed;
    expect(isStatusError(error) && error.reason).toBe("ServiceUnavailable");
    expect(isStatusError(error) && error.retryAfterMs).toBe(1000);
    expect(server.requests).toHaveLength(11);
  });

  it("spreads the return of many clients that were refused together", async () => {
    let refusals = 24;
    const { transport, clock, server } = await world((_request, response) => {
      if (refusals-- > 0) return sendJson(response, 429, {}, { "retry-after": "7" });
      openWatch(response);
    });
    const streams = Array.from({ length: 24 }, () => transport.watch(watch));
    await until(() => server.requests.length === 24 && clock.pendingCount === 24);
    const times: number[] = [];
    for (let second = 0; second < 90; second++) {
      const before = server.requests.length;
      await clock.advance(100);
      await until(
        () => clock.pendingCount === 24 - (server.requests.length - 24) || clock.pendingCount <= 24,
      );
      if (server.requests.length > before) times.push(second * 100);
    }
    await Promise.all(streams);
    expect(server.requests).toHaveLength(48);
    expect(Math.min(...times)).toBeGreaterThanOrEqual(6_900);
    expect(new Set(times).size).toBeGreaterThan(5);
  });

  it("does not wait without being asked to", async () => {
    const { transport, clock, server } = await world((request, response) => {
      sendJson(response, Number(request.url?.slice(-3)), {});
    });
    for (const code of [429, 500, 502, 503, 504]) {
      const error = await rejection(transport.request({ method: "GET", path: `/${code}` }));
      expect(isStatusError(error) && error.code).toBe(code);
    }
    expect(clock.pendingCount).toBe(0);
    expect(server.requests).toHaveLength(5);
  });

  it("stops waiting when the signal is aborted", async () => {
    const { transport, clock, server } = await world((_request, response) => {
      sendJson(response, 429, {}, { "retry-after": "60" });
    });
    const controller = new AbortController();
    const failed = rejection(transport.request({ ...get, signal: controller.signal }));
    await until(
      () =>
        server.requests.length === 1 &&
        clock.nextAt === clock.now() + 60_000 + 60_000 * (0.25 * seededRandom(1).next()),
    );
    controller.abort(new Error("enough"));
    expect((await failed).message).toBe("enough");
    expect(clock.pendingCount).toBe(0);
  });

  it.each<[what: string, status: number, type: string, body: string, expected: object]>([
    ["a proxy's page", 502, "text/html", "<h1>Bad Gateway</h1>", { code: 502, reason: "InternalError" }],
    ["an empty answer", 504, "", "", { code: 504, reason: "Timeout" }],
    ["a broken Status", 403, "application/json", '{"kind":"Sta', { code: 403, reason: "Forbidden" }],
    ["JSON of another kind", 409, "application/json", '{"error":"x"}', { code: 409, reason: "Conflict" }],
    ["JSON null", 400, "application/json", "null", { code: 400, reason: "BadRequest" }],
    ["a code without a reason", 418, "text/plain", "teapot", { code: 418, reason: "" }],
  ])("makes a Status of %s", async (_what, status, type, body, expected) => {
    const { transport } = await world(
      (_request, response) => void response.writeHead(status, { "content-type": type }).end(body),
    );
    const error = await rejection(transport.request(get));
    expect(isStatusError(error)).toBe(true);
    expect(error).toMatchObject(expected);
    expect(error).toMatchObject({ causes: [{ reason: "UnexpectedServerResponse", message: body }] });
    expect(error.message).toContain(`GET ${pods} was answered with ${status}`);
  });

  it("keeps a Status as it was sent, also a code that differs from the HTTP status", async () => {
    const sent = {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      reason: "Expired",
      code: 410,
      extra: 1,
    };
    const { transport } = await world((_request, response) => sendJson(response, 410, sent));
    expect(await rejection(transport.request(get))).toMatchObject({ status: sent });
  });

  it("fails with ConnectionError when a successful answer is not the JSON it claims to be", async () => {
    const { transport } = await world((_request, response) => {
      response.writeHead(200, { "content-type": "application/json" }).end('{"items":[{"a":1},');
    });
    const error = await rejection(transport.request(get));
    expect(isConnectionError(error)).toBe(true);
    expect(error.message).toContain('the answer is not JSON, though it says so: {"items":[{"a":1},');
  });
});

describe("HttpTransport and credentials", () => {
  const bearer = (request: IncomingMessage): string | undefined => request.headers.authorization;

  it("case 16: renews the credentials once when they are refused, for any number of requests", async () => {
    let token = "old";
    let renewals = 0;
    const old = { authorization: "Bearer old" };
    const fresh = { authorization: "Bearer new" };
    const credentials = {
      current: () => Promise.resolve(token === "old" ? old : fresh),
      renew: (refused: object) => {
        if (refused === old && token === "old") renewals++;
        token = "new";
        return Promise.resolve(fresh);
      },
    };
    const { transport, server } = await world(
      (request, response) => sendJson(response, bearer(request) === "Bearer new" ? 200 : 401, {}),
      { connection: { credentials } },
    );
    const answers = await Promise.all(Array.from({ length: 50 }, () => transport.request(get)));
    expect(answers.every((answer) => answer.status === 200)).toBe(true);
    expect(renewals).toBe(1);
    expect(server.requests.length).toBeLessThanOrEqual(100);
  });

  it("throws Unauthorized when the renewed credentials are refused too, or there are none", async () => {
    const credentials = {
      current: () => Promise.resolve({ authorization: "Bearer a" }),
      renew: () => Promise.resolve({ authorization: "Bearer b" }),
    };
    const refuse: Handler = (_request, response) => sendJson(response, 401, {});
    const renewing = await world(refuse, { connection: { credentials } });
    expect(isUnauthorized(await rejection(renewing.transport.request(get)))).toBe(true);
    expect(renewing.server.requests).toHaveLength(2);
    const anonymous = await world(refuse);
    expect(isUnauthorized(await rejection(anonymous.transport.request(get)))).toBe(true);
    expect(anonymous.server.requests).toHaveLength(1);
  });

  it("case 16: does not cut watches when the token changes", async () => {
    let token = "one";
    let answer: ServerResponse | undefined;
    const seen: (string | undefined)[] = [];
    const credentials = { current: () => Promise.resolve({ authorization: `Bearer ${token}` }) };
    const { transport } = await world(
      (request, response) => {
        seen.push(bearer(request));
        if (request.url?.includes("watch") !== true) return sendJson(response, 200, {});
        openWatch(response);
        answer = response;
      },
      { connection: { credentials } },
    );
    const iterator = (await transport.watch(watch))[Symbol.asyncIterator]();
    token = "two";
    await transport.request(get);
    answer?.write(line("ADDED", "a"));
    expect((await iterator.next()).value).toHaveLength(1);
    expect(seen).toEqual(["Bearer one", "Bearer two"]);
    await iterator.return?.();
  });

  it("uses new connections for a new client certificate, and lets what runs on the old ones end", async () => {
    const { testAuthority } = await import("./https-server.ts");
    const authority = await testAuthority();
    let certificate = await authority.client("old");
    let answer: ServerResponse | undefined;
    const names: string[] = [];
    const credentials = { current: () => Promise.resolve({ certificate }) };
    const { transport, server } = await world(
      (request, response) => {
        const socket = request.socket as never as { getPeerCertificate(): { subject: { CN: string } } };
        names.push(socket.getPeerCertificate().subject.CN);
        if (request.url?.includes("watch") !== true) return sendJson(response, 200, {});
        openWatch(response);
        answer = response;
      },
      { connection: { credentials } },
    );
    const iterator = (await transport.watch(watch))[Symbol.asyncIterator]();
    await transport.request(get);
    certificate = await authority.client("new");
    await transport.request(get);
    answer?.write(line("ADDED", "a"));
    expect((await iterator.next()).value).toHaveLength(1);
    expect(names).toEqual(["old", "old", "new"]);
    await iterator.return?.();
    await until(() => server.openCount === 1, "the end of the old connections");
  });

  it("case 18: sends every group of an impersonation on a line of its own, and escapes the keys of extras", async () => {
    let raw: string[] = [];
    const impersonate = {
      user: "jane",
      uid: "7",
      groups: ["a", "b, c"],
      extra: { "example.com/Scope": ["x", "y"] },
    };
    const { transport } = await world(
      (request, response) => {
        raw = request.rawHeaders;
        sendJson(response, 200, {});
      },
      { connection: { impersonate } },
    );
    await transport.request(get);
    const lines = raw.flatMap((name, index) =>
      index % 2 === 0 ? [`${name.toLowerCase()}: ${raw[index + 1]}`] : [],
    );
    expect(lines.filter((text) => text.startsWith("impersonate")).sort()).toEqual([
      "impersonate-extra-example.com%2fscope: x",
      "impersonate-extra-example.com%2fscope: y",
      "impersonate-group: a",
      "impersonate-group: b, c",
      "impersonate-uid: 7",
      "impersonate-user: jane",
    ]);
  });
});

describe("HttpTransport and connections", () => {
  it("case 11: serves a thousand reads on as many connections as it may open, one after another on one", async () => {
    const options = { transport: { connectionCountMax: 8 } };
    const { transport, server } = await world((_request, response) => sendJson(response, 200, {}), options);
    await Promise.all(Array.from({ length: 1000 }, () => transport.request(get)));
    expect(server.acceptedCount).toBeLessThanOrEqual(8);
    const before = server.acceptedCount;
    for (let count = 0; count < 100; count++) await transport.request(get);
    expect(server.acceptedCount).toBe(before);
  });

  it("case 11: opens a thousand watches one after another on one connection, when the server ends each", async () => {
    const { transport, server, clock } = await world((_request, response) => {
      openWatch(response);
      response.end(line("ADDED", "a"));
    });
    for (let count = 0; count < 1000; count++)
      expect((await drain(await transport.watch(watch))).error).toBeUndefined();
    expect(server.acceptedCount).toBeLessThanOrEqual(2);
    expect(clock.pendingCount).toBe(0);
  });

  it("answers reads while more watches are open than it has connections for reads", async () => {
    const { transport, server } = await world(
      (request, response) => {
        if (request.url?.includes("watch")) openWatch(response);
        else sendJson(response, 200, { ok: true });
      },
      { transport: { connectionCountMax: 2 } },
    );
    const streams = await Promise.all(Array.from({ length: 150 }, () => transport.watch(watch)));
    expect((await transport.request(get)).body).toEqual({ ok: true });
    for (const stream of streams) stream.close();
    await until(() => server.openCount <= 2, "the end of the watches' connections");
  });

  it("drops a request that is aborted while it waits for a connection", async () => {
    const answers: ServerResponse[] = [];
    const { transport, server } = await world((_request, response) => void answers.push(response), {
      transport: { connectionCountMax: 1 },
    });
    const first = transport.request(get);
    await until(() => answers.length === 1);
    const controller = new AbortController();
    const second = rejection(
      transport.request({ method: "GET", path: "/second", signal: controller.signal }),
    );
    // By then it stands in the queue.
    for (let turn = 0; turn < 3; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
    controller.abort(new Error("changed my mind"));
    expect((await second).message).toBe("changed my mind");
    sendJson(answers[0] as ServerResponse, 200, {});
    await first;
    const third = transport.request({ method: "GET", path: "/third" });
    await until(() => answers.length === 2);
    sendJson(answers[1] as ServerResponse, 200, {});
    await third;
    expect(server.requests).toEqual([`GET ${pods}`, "GET /third"]);
  });

  it("breaks off the request at the server when it is aborted", async () => {
    const answers: ServerResponse[] = [];
    const { transport } = await world((_request, response) => void answers.push(response));
    const controller = new AbortController();
    const failed = rejection(transport.request({ ...get, signal: controller.signal }));
    await until(() => answers.length === 1);
    controller.abort(new Error("no longer wanted"));
    expect((await failed).message).toBe("no longer wanted");
    await until(() => answers[0]?.closed === true, "the end at the server");
  });

  it("stops reading from a server that sends faster than its watch is read", async () => {
    let written = 0;
    const { transport } = await world((_request, response) => {
      openWatch(response);
      const more = (): void => {
        while (written < 64 << 20 && !response.closed) {
          written += 65_536;
          if (!response.write(`${JSON.stringify({ type: "ADDED", object: { pad: "x".repeat(65_500) } })}\n`))
            break;
        }
      };
      response.on("drain", more);
      more();
    });
    const iterator = (await transport.watch(watch))[Symbol.asyncIterator]();
    await iterator.next();
    let stillFor = 0;
    let before = -1;
    await until(() => {
      stillFor = before === written ? stillFor + 1 : 0;
      before = written;
      return stillFor > 500;
    });
    expect(written).toBeLessThan(32 << 20);
    const stalledAt = written;
    while (written === stalledAt) expect((await iterator.next()).value?.length).toBeGreaterThan(0);
    await iterator.return?.();
  });

  it("tells its observer of every request and connection", async () => {
    const seen: string[] = [];
    let connectCount = 0;
    const observer = {
      onRequest: ({
        method,
        path,
        status,
        isWatch,
        host,
      }: {
        method: string;
        path: string;
        status: number | undefined;
        isWatch: boolean;
        host: string;
      }) => void seen.push(`${method} ${path} ${status} ${isWatch} ${host.startsWith("localhost:")}`),
      onConnect: () => void connectCount++,
    };
    const { transport, server } = await world(
      (request, response) => {
        if (request.url === "/reset") return resetConnection(socketOf(request));
        sendJson(response, request.url === "/none" ? 404 : 200, {});
      },
      { transport: { observer } },
    );
    await transport.request(get);
    await rejection(transport.request({ method: "POST", path: "/none", body: {} }));
    await rejection(transport.request({ method: "PUT", path: "/reset", body: {} }));
    await transport.request(get);
    expect(seen).toEqual([
      `GET ${pods} 200 false true`,
      "POST /none 404 false true",
      "PUT /reset undefined false true",
      `GET ${pods} 200 false true`,
    ]);
    expect(connectCount).toBe(server.acceptedCount);
  });
});

describe("HttpTransport and what is sent", () => {
  it("case 14: keeps times of nine digits as they are", async () => {
    const time = "2026-12-01T03:35:43.123456789Z";
    let received = "";
    const { transport } = await world(async (request, response) => {
      for await (const chunk of request) received += String(chunk);
      sendJson(response, 200, { spec: { renewTime: time } });
    });
    const { body } = await transport.request<object>(get);
    await transport.request({ method: "PUT", path: pods, body });
    expect(received).toBe(`{"spec":{"renewTime":"${time}"}}`);
  });

  it("case 15: keeps every byte of values that JavaScript would round or rewrite", async () => {
    const text =
      '{"metadata":{"name":"a"},"big":9007199254740993,"time":"2026-12-01T03:35:43.123456789Z","future":{"x":[1,null]}}';
    let received = "";
    const { transport } = await world(async (request, response) => {
      if (request.method === "PUT") {
        for await (const chunk of request) received += String(chunk);
        return sendJson(response, 200, {});
      }
      response.writeHead(200, { "content-type": "application/json" }).end(text);
    });
    const { body } = await transport.request<Record<string, unknown>>(get);
    expect(body["big"]).toBe(9007199254740993n);
    await transport.request({ method: "PUT", path: pods, body: { ...body, label: "new" } });
    expect(received).toBe(`${text.slice(0, -1)},"label":"new"}`);
  });

  it("asks for compressed answers only from servers that are not near, and unpacks them", async () => {
    const { gzipSync } = await import("node:zlib");
    const asked: (string | undefined)[] = [];
    const handler: Handler = (request, response) => {
      asked.push(request.headers["accept-encoding"]);
      if (request.headers["accept-encoding"] === undefined) return sendJson(response, 200, { ok: true });
      const headers = { "content-type": "application/json", "content-encoding": "gzip" };
      response.writeHead(200, headers).end(gzipSync('{"ok":true}'));
    };
    const near = await world(handler);
    expect((await near.transport.request(get)).body).toEqual({ ok: true });
    const far = await world(handler, { connection: { compression: true } });
    expect((await far.transport.request(get)).body).toEqual({ ok: true });
    (await far.transport.watch(watch)).close();
    expect(asked).toEqual([undefined, "gzip", undefined]);
  });

  it("puts the path of the server's address in front of every path", async () => {
    const { transport, server } = await world((_request, response) => sendJson(response, 200, {}));
    const prefixed = createHttpTransport({
      ...transport.connection,
      server: `${server.url}/k8s/clusters/c1/`,
    });
    opened.push(prefixed);
    await prefixed.request({
      ...get,
      query: { labelSelector: "a in (b,c)", x: ["1", "2"], none: undefined },
    });
    expect(server.requests).toEqual([
      "GET /k8s/clusters/c1/api/v1/pods?labelSelector=a%20in%20(b%2Cc)&x=1&x=2",
    ]);
  });

  it("says who asks", async () => {
    const agents: (string | undefined)[] = [];
    const { transport } = await world((request, response) => {
      agents.push(request.headers["user-agent"]);
      sendJson(response, 200, {});
    });
    await transport.request(get);
    expect(agents[0]).toMatch(/^bowline\/node-\d+\.\d+\.\d+ \(/);
  });
});
