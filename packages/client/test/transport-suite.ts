import { isAlreadyExists, isConflict, isNotFound, isStatusError } from "@bowline/api";
import { afterEach, describe, expect, it } from "vitest";
import { type ApiRequest, type Transport, type WatchEvent, isConnectionError } from "../src/index.ts";

/** A server to run the suite against, with nothing in namespace `default` but what the server itself keeps there. */
export interface TransportHarness {
  readonly transport: Transport;
  close(): Promise<void>;
}

const base = "/api/v1/namespaces/default/configmaps";

interface ConfigMap {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly resourceVersion: string;
    readonly labels?: Record<string, string>;
  };
  readonly data?: Readonly<Record<string, string>>;
}

/** What every Transport promises, on any API server that serves ConfigMaps. Run by each implementation's own tests. */
export function transportSuite(name: string, open: () => Promise<TransportHarness>): void {
  describe(`Transport: ${name}`, () => {
    const opened: TransportHarness[] = [];
    const start = async (): Promise<Transport> => {
      const harness = await open();
      opened.push(harness);
      return harness.transport;
    };
    afterEach(async () => {
      await Promise.all(opened.splice(0).map((harness) => harness.close()));
    });
    requestTests(start);
    watchTests(start);
    endTests(start);
  });
}

function requestTests(start: () => Promise<Transport>): void {
  it("answers a created object as the server stored it, with the status and headers", async () => {
    const transport = await start();
    const created = await create(transport, "a", { data: { key: "välue ✓" } });
    expect(created.status).toBe(201);
    expect(created.headers["content-type"]).toMatch(/^application\/json/);
    const read = await transport.request<ConfigMap>({ method: "GET", path: `${base}/a` });
    expect(read.status).toBe(200);
    expect(read.body).toMatchObject({ kind: "ConfigMap", metadata: { name: "a" }, data: { key: "välue ✓" } });
    expect(read.body.metadata.resourceVersion).toBe(created.body.metadata.resourceVersion);
  });

  it("answers objects that are frozen at every depth", async () => {
    const transport = await start();
    await create(transport, "a", { data: { key: "value" } });
    const { body } = await transport.request<ConfigMap>({ method: "GET", path: `${base}/a` });
    expect([body, body.metadata, body.data].every((part) => Object.isFrozen(part))).toBe(true);
    const list = await transport.request<{ items: ConfigMap[] }>({ method: "GET", path: base });
    expect(Object.isFrozen(list.body.items)).toBe(true);
    expect(list.body.items.every((item) => Object.isFrozen(item.metadata))).toBe(true);
  });

  it("answers text when the server does not answer JSON", async () => {
    const transport = await start();
    expect((await transport.request({ method: "GET", path: "/healthz" })).body).toBe("ok");
  });

  it("throws what the server says as a StatusError", async () => {
    const transport = await start();
    const missing = await rejection(transport.request({ method: "GET", path: `${base}/none` }));
    expect(isNotFound(missing)).toBe(true);
    expect(missing).toMatchObject({ code: 404, message: 'configmaps "none" not found' });
    expect(missing).toMatchObject({ status: { details: { name: "none", kind: "configmaps" } } });
    await create(transport, "a");
    expect(isAlreadyExists(await rejection(create(transport, "a")))).toBe(true);
  });

  it("throws a StatusError with reason NotFound for a path that nobody serves", async () => {
    const transport = await start();
    const error = await rejection(
      transport.request({ method: "GET", path: "/apis/nowhere.example/v1/things" }),
    );
    expect(isStatusError(error)).toBe(true);
    expect(isNotFound(error)).toBe(true);
  });

  it("sends the query, its values escaped", async () => {
    const transport = await start();
    await create(transport, "a", { labels: { tier: "one" } });
    await create(transport, "b", { labels: { tier: "two" } });
    await create(transport, "c", { labels: { tier: "three" } });
    const query = { labelSelector: "tier in (one,three)", limit: undefined };
    const list = await transport.request<{ items: ConfigMap[] }>({ method: "GET", path: base, query });
    expect(list.body.items.map((item) => item.metadata.name)).toEqual(["a", "c"]);
  });

  it("answers Conflict to a write based on an old version", async () => {
    const transport = await start();
    const { body } = await create(transport, "a");
    const write: ApiRequest = { method: "PUT", path: `${base}/a`, body: { ...body, data: { n: "1" } } };
    await transport.request(write);
    expect(isConflict(await rejection(transport.request(write)))).toBe(true);
  });

  it("gives the texts of warnings, unquoted", async () => {
    const transport = await start();
    const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, surprise: 1 };
    const answer = await transport.request({
      method: "POST",
      path: base,
      query: { fieldValidation: "Warn" },
      body,
    });
    expect(answer.warnings).toEqual(['unknown field "surprise"']);
    expect((await create(transport, "b")).warnings).toEqual([]);
  });

  it("serves many requests at once", async () => {
    const transport = await start();
    const names = Array.from({ length: 100 }, (_, index) => `many-${index}`);
    await Promise.all(names.map((one) => create(transport, one)));
    const list = await transport.request<{ items: ConfigMap[] }>({ method: "GET", path: base });
    const found = list.body.items.map((item) => item.metadata.name).filter((one) => one.startsWith("many-"));
    expect(found.sort()).toEqual([...names].sort());
  });

  it("gives a byte stream whose bytes are those of the answer", async () => {
    const transport = await start();
    const chunks: Uint8Array[] = [];
    for await (const chunk of await transport.stream({ method: "GET", path: "/version" })) chunks.push(chunk);
    expect(JSON.parse(Buffer.concat(chunks).toString())).toMatchObject({ major: "1" });
    const error = await rejection(transport.stream({ method: "GET", path: `${base}/none` }));
    expect(isNotFound(error)).toBe(true);
  });
}

function watchTests(start: () => Promise<Transport>): void {
  it("delivers changes after a version, each once and in order", async () => {
    const transport = await start();
    const { body: first } = await create(transport, "a");
    const events = collectEvents(transport, { resourceVersion: first.metadata.resourceVersion }, 3);
    await create(transport, "b", { data: { n: "1" } });
    await transport.request({ method: "PUT", path: `${base}/a`, body: { ...first, data: { n: "2" } } });
    await transport.request({ method: "DELETE", path: `${base}/b` });
    expect((await events).map(summary)).toEqual(["ADDED b", "MODIFIED a", "DELETED b"]);
  });

  it("delivers the present objects as ADDED when no version is given", async () => {
    const transport = await start();
    await create(transport, "a");
    await create(transport, "b");
    const events = await collectEvents(transport, { labelSelector: undefined }, 2, (one) =>
      /^[ab]$/.test(one),
    );
    expect(events.map(summary).sort()).toEqual(["ADDED a", "ADDED b"]);
  });

  it("delivers frozen objects", async () => {
    const transport = await start();
    await create(transport, "a", { data: { key: "value" } });
    const [event] = await collectEvents(transport, {}, 1, (one) => one === "a");
    const object = event?.object as ConfigMap | undefined;
    expect([object, object?.metadata, object?.data].every((part) => Object.isFrozen(part))).toBe(true);
  });

  it("ends the iteration without an error when it is closed, also twice and while waiting", async () => {
    const transport = await start();
    const { body } = await create(transport, "a");
    const stream = await transport.watch(watchRequest({ resourceVersion: body.metadata.resourceVersion }));
    const end = (async () => {
      for await (const batch of stream) expect(batch).toEqual([]);
      return "ended";
    })();
    stream.close();
    stream.close();
    expect(await end).toBe("ended");
  });

  it("throws the signal's reason when it is aborted, before and while watching", async () => {
    const transport = await start();
    const reason = new Error("no longer wanted");
    const aborted = AbortSignal.abort(reason);
    expect(await rejection(transport.watch({ ...watchRequest({}), signal: aborted }))).toBe(reason);
    expect(await rejection(transport.request({ method: "GET", path: base, signal: aborted }))).toBe(reason);
    const { body } = await create(transport, "a");
    const controller = new AbortController();
    const request = watchRequest({ resourceVersion: body.metadata.resourceVersion });
    const stream = await transport.watch({ ...request, signal: controller.signal });
    const next = stream[Symbol.asyncIterator]().next();
    controller.abort(reason);
    expect(await rejection(next)).toBe(reason);
  });
}

function endTests(start: () => Promise<Transport>): void {
  it("fails requests and watches with ConnectionError once it is closed, also twice", async () => {
    const transport = await start();
    const { body } = await create(transport, "a");
    const stream = await transport.watch(watchRequest({ resourceVersion: body.metadata.resourceVersion }));
    const next = rejection(stream[Symbol.asyncIterator]().next());
    await transport.close();
    await transport.close();
    expect(isConnectionError(await next)).toBe(true);
    expect(isConnectionError(await rejection(transport.request({ method: "GET", path: base })))).toBe(true);
    expect(isConnectionError(await rejection(transport.watch(watchRequest({}))))).toBe(true);
  });
}

function create(
  transport: Transport,
  name: string,
  parts: { data?: Record<string, string>; labels?: Record<string, string> } = {},
): ReturnType<typeof transport.request<ConfigMap>> {
  const metadata = { name, ...(parts.labels && { labels: parts.labels }) };
  const body = { apiVersion: "v1", kind: "ConfigMap", metadata, ...(parts.data && { data: parts.data }) };
  return transport.request<ConfigMap>({ method: "POST", path: base, body });
}

function watchRequest(query: Record<string, string | undefined>): ApiRequest {
  return { method: "GET", path: base, query: { watch: "true", ...query } };
}

async function collectEvents(
  transport: Transport,
  query: Record<string, string | undefined>,
  count: number,
  isWanted: (name: string) => boolean = () => true,
): Promise<WatchEvent[]> {
  const events: WatchEvent[] = [];
  for await (const batch of await transport.watch(watchRequest(query))) {
    events.push(
      ...batch.filter((event) => isWanted((event.object.metadata as { name?: string }).name ?? "")),
    );
    if (events.length >= count) break;
  }
  return events;
}

function summary(event: WatchEvent): string {
  return `${event.type} ${(event.object.metadata as { name?: string }).name}`;
}

async function rejection(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
  } catch (error) {
    return error;
  }
  throw new Error("expected a rejection");
}
