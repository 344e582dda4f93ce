import { alreadyExists, conflict, failure, notFound } from "@bowline/api";
import { describe, expect, it } from "vitest";
import { Widget } from "../../test/kinds.ts";
import { type Answer, RecordingTransport } from "../../test/recording-transport.ts";
import { rejection } from "../../test/until.ts";
import { type Client, createClient } from "../client.ts";
import { seededRandom } from "../ports/seeded-random.ts";
import type { ApiRequest } from "../ports/transport.ts";
import { VirtualClock } from "../ports/virtual-clock.ts";
import { createOrPatch, createOrUpdate } from "./create-or-update.ts";
import { evict } from "./evict.ts";
import { podLog } from "./pod-log.ts";
import { requestToken } from "./request-token.ts";
import { retryOnConflict } from "./retry-on-conflict.ts";
import { getScale, setScale } from "./scale.ts";

function clientWith(answer: Answer): { client: Client; transport: RecordingTransport; clock: VirtualClock } {
  const transport = new RecordingTransport(answer);
  const clock = new VirtualClock();
  return { client: createClient({ transport, clock, random: seededRandom(1) }), transport, clock };
}

const key = { namespace: "default", name: "a" };
const resource = { group: "example.com", resource: "widgets" };
const sent = (requests: readonly ApiRequest[]): string[] =>
  requests.map((one) => `${one.method} ${one.path.split("/").slice(6).join("/")}`);

/** A server with one widget that can be read and written, which answers what the test queues first. */
function widgetServer(object: object | undefined, ...queued: Error[]): ReturnType<typeof clientWith> {
  let current = object;
  return clientWith(({ method, body }) => {
    if (method === "GET") return current ?? notFound(resource, "a");
    const error = queued.shift();
    if (error !== undefined) return error;
    current = method === "PATCH" ? { ...current, patched: body } : (body as object);
    return current;
  });
}

const stored = {
  apiVersion: "example.com/v1" as const,
  kind: "Widget" as const,
  metadata: { ...key, resourceVersion: "5" },
  spec: { size: 1, color: "red", parts: [] },
  status: { ready: false },
};

describe("retryOnConflict", () => {
  const busy = conflict(resource, "a", "changed");

  it("tries again after a growing wait until there is no conflict", async () => {
    const { client, clock } = clientWith(() => ({}));
    const times: number[] = [];
    const work = retryOnConflict(client, async () => {
      times.push(clock.monotonic());
      if (times.length < 4) throw busy;
      return "done";
    });
    await clock.advance(1_000);
    expect(await work).toBe("done");
    const waits = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    expect(waits.map((wait, index) => wait >= 10 * 2 ** index && wait <= 11 * 2 ** index)).toEqual([
      true,
      true,
      true,
    ]);
  });

  it("throws the last conflict, and other errors at once", async () => {
    const { client, clock } = clientWith(() => ({}));
    let count = 0;
    const work = rejection(
      retryOnConflict(client, () => Promise.reject(++count > 0 ? busy : busy), { attemptCountMax: 3 }),
    );
    await clock.advance(1_000);
    expect(await work).toBe(busy);
    expect(count).toBe(3);
    const other = notFound(resource, "a");
    expect(await rejection(retryOnConflict(client, () => Promise.reject(other)))).toBe(other);
  });

  it("stops waiting when the signal is aborted", async () => {
    const { client } = clientWith(() => ({}));
    const controller = new AbortController();
    const work = rejection(
      retryOnConflict(client, () => Promise.reject(busy), { signal: controller.signal, delayMs: 1e6 }),
    );
    controller.abort(new Error("enough"));
    expect((await work).message).toBe("enough");
  });
});

describe("createOrUpdate", () => {
  const wanted = (size: number) => (current: object | undefined) =>
    ({ ...(current ?? { metadata: key }), spec: { size, color: "red", parts: [] } }) as never;

  it("creates what is not there, updates what differs, and sends nothing when nothing does", async () => {
    const { client, transport } = widgetServer(undefined);
    expect((await createOrUpdate(client, Widget, key, wanted(1))).result).toBe("created");
    expect((await createOrUpdate(client, Widget, key, wanted(1))).result).toBe("unchanged");
    expect((await createOrUpdate(client, Widget, key, wanted(2))).result).toBe("updated");
    expect(sent(transport.requests)).toEqual([
      "GET widgets/a",
      "POST widgets",
      "GET widgets/a",
      "GET widgets/a",
      "PUT widgets/a",
    ]);
    expect(transport.last.body).toMatchObject({ spec: { size: 2 } });
  });

  it("starts over after a conflict, and after a create that came second", async () => {
    const changed = widgetServer(stored, conflict(resource, "a", "changed"));
    const work = createOrUpdate(changed.client, Widget, key, wanted(2));
    await changed.clock.advance(1_000);
    expect((await work).result).toBe("updated");
    expect(sent(changed.transport.requests)).toEqual([
      "GET widgets/a",
      "PUT widgets/a",
      "GET widgets/a",
      "PUT widgets/a",
    ]);
    const raced = widgetServer(undefined, alreadyExists(resource, "a"));
    expect((await createOrUpdate(raced.client, Widget, key, wanted(2))).result).toBe("created");
    expect(sent(raced.transport.requests)).toEqual([
      "GET widgets/a",
      "POST widgets",
      "GET widgets/a",
      "POST widgets",
    ]);
  });
});

describe("createOrPatch", () => {
  it("sends what changed, the status by itself", async () => {
    const { client, transport } = widgetServer(stored);
    const outcome = await createOrPatch(client, Widget, key, () => ({
      ...stored,
      spec: { size: 2, color: "red", parts: [] },
      status: { ready: true },
    }));
    expect(outcome.result).toBe("updated");
    expect(sent(transport.requests)).toEqual(["GET widgets/a", "PATCH widgets/a", "PATCH widgets/a/status"]);
    expect(transport.requests.slice(1).map((request) => request.body)).toEqual([
      { spec: { size: 2 } },
      { status: { ready: true } },
    ]);
  });

  it("sends nothing when nothing changed, and removes what is left out", async () => {
    const { client, transport } = widgetServer(stored);
    expect((await createOrPatch(client, Widget, key, () => stored)).result).toBe("unchanged");
    expect(transport.requests).toHaveLength(1);
    const { apiVersion: _version, kind: _kind, spec, metadata } = stored;
    await createOrPatch(client, Widget, key, () => ({ metadata, spec }));
    expect(transport.last).toMatchObject({
      path: expect.stringMatching(/status$/) as string,
      body: { status: null },
    });
  });
});

describe("scale, evict, requestToken", () => {
  it("reads and sets replicas through the scale subresource", async () => {
    const { client, transport } = clientWith(() => ({ kind: "Scale", spec: { replicas: 2 } }));
    expect((await getScale(client, Widget, key)).spec?.replicas).toBe(2);
    expect(transport.last.path).toBe("/apis/example.com/v1/namespaces/default/widgets/a/scale");
    await setScale(client, Widget, key, 5);
    expect(transport.last).toMatchObject({ method: "PATCH", body: { spec: { replicas: 5 } } });
  });

  it("posts an Eviction, and passes a budget's refusal on", async () => {
    const { client, transport } = clientWith(() => ({}));
    await evict(client, key, { gracePeriodSeconds: 5, preconditions: { uid: "u" } });
    expect(transport.last).toMatchObject({
      method: "POST",
      path: "/api/v1/namespaces/default/pods/a/eviction",
    });
    expect(JSON.parse(JSON.stringify(transport.last.body))).toEqual({
      apiVersion: "policy/v1",
      kind: "Eviction",
      metadata: key,
      deleteOptions: { gracePeriodSeconds: 5, preconditions: { uid: "u" } },
    });
    const refused = clientWith(() => failure(429, "TooManyRequests", "budget"));
    expect(await rejection(evict(refused.client, key))).toMatchObject({ code: 429 });
  });

  it("has a token issued", async () => {
    const status = { token: "t", expirationTimestamp: "2026-01-01T00:00:00Z" };
    const { client, transport } = clientWith(() => ({ status }));
    expect(await requestToken(client, key, { audiences: ["vault"], expirationSeconds: 600 })).toEqual(status);
    expect(transport.last).toMatchObject({
      path: "/api/v1/namespaces/default/serviceaccounts/a/token",
      body: { kind: "TokenRequest", spec: { audiences: ["vault"], expirationSeconds: 600 } },
    });
  });
});

describe("podLog", () => {
  it("gives lines however the bytes are cut, also within a character", async () => {
    const bytes = Buffer.from("ä1\nb\n\nlast").toString("latin1");
    const { client, transport } = clientWith(() => [bytes.slice(0, 1), bytes.slice(1, 5), bytes.slice(5)]);
    const log = await podLog(client, key, {
      follow: true,
      tailLines: 10,
      container: "main",
      sinceSeconds: 5,
      timestamps: true,
    });
    const lines: string[] = [];
    for await (const one of log.lines()) lines.push(one);
    expect(lines).toEqual(["ä1", "b", "", "last"]);
    expect(transport.last.path).toBe("/api/v1/namespaces/default/pods/a/log");
    expect(JSON.parse(JSON.stringify(transport.last.query))).toEqual({
      container: "main",
      follow: "true",
      timestamps: "true",
      tailLines: "10",
      sinceSeconds: "5",
    });
    expect(await (await podLog(client, key)).text()).toBe("ä1\nb\n\nlast");
  });
});
