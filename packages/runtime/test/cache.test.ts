import { createClient, metadataOnly, settle } from "@bowline/client";
import { describe, expect, it } from "vitest";
import { createCache } from "../src/index.ts";
import type { Transform } from "../src/cache/transform.ts";
import { Part, Widget, part, parts, widget } from "./kinds.ts";
import { newWorld } from "./world.ts";

const inNamespace = (namespace: string): string => `/apis/example.com/v1/namespaces/${namespace}/widgets`;

describe("Cache", () => {
  it("can be had without a manager", async () => {
    const { server, clock } = newWorld();
    server.put(inNamespace("a"), widget("w"));
    const all = createCache(createClient({ transport: server, clock }));
    expect(await all.list(Widget)).toHaveLength(1);
    expect(all.report()).toMatchObject([
      { kind: "Widget", hasSynced: true, objectCount: 1, phase: "watching" },
    ]);
    await all.stop();
    expect(server.watches.size).toBe(0);
  });

  it("starts an informer on the first read, and shares it", async () => {
    const { server, cache } = newWorld();
    server.put(inNamespace("a"), widget("w"));
    const all = cache();
    expect(server.requests).toEqual([]);
    expect(await all.get(Widget, { namespace: "a", name: "w" })).toMatchObject({ metadata: { name: "w" } });
    expect(await all.list(Widget)).toHaveLength(1);
    expect(all.informer(Widget)).toBe(all.informer(Widget));
    expect(server.count("watch")).toBe(1);
    await all.stop();
  });

  it("answers the very object that it holds, frozen, without managedFields", async () => {
    const { server, cache } = newWorld();
    server.put(inNamespace("a"), {
      ...widget("w"),
      metadata: { name: "w", managedFields: [{ manager: "m" }] },
    });
    const all = cache();
    const one = await all.get(Widget, { namespace: "a", name: "w" });
    expect(one).toBe((await all.list(Widget))[0]);
    expect(one?.metadata.managedFields).toBeUndefined();
    expect(Object.isFrozen(one) && Object.isFrozen(one?.metadata) && Object.isFrozen(one?.spec)).toBe(true);
    await all.stop();
  });

  it("lists by namespace, labels, indexes and filters, in the order of the keys", async () => {
    const { server, cache } = newWorld();
    for (const [namespace, name, color] of [
      ["b", "x", "red"],
      ["a", "z", "red"],
      ["a", "y", "blue"],
    ] as const) {
      server.put(inNamespace(namespace), {
        ...widget(name, { color }),
        metadata: { name, labels: { color } },
      });
    }
    const all = cache();
    all.addIndex(Widget, "color", (w) => (w.spec.color === undefined ? [] : [w.spec.color]));
    const names = async (options: Parameters<typeof all.list<typeof Widget>>[1]): Promise<string> =>
      (await all.list(Widget, options)).map((w) => `${w.metadata.namespace}/${w.metadata.name}`).join(" ");
    expect(await names({})).toBe("a/y a/z b/x");
    expect(await names({ namespace: "a" })).toBe("a/y a/z");
    expect(await names({ labels: { color: "red" } })).toBe("a/z b/x");
    expect(await names({ labels: "color in (blue)" })).toBe("a/y");
    expect(await names({ index: { name: "color", value: "red" } })).toBe("a/z b/x");
    expect(await names({ index: { name: "color", value: "red" }, namespace: "b" })).toBe("b/x");
    expect(await names({ filter: (w) => w.metadata.name === "z" })).toBe("a/z");
    expect(await names({ limit: 2 })).toBe("a/y a/z");
    await expect(names({ index: { name: "size", value: "1" } })).rejects.toThrow(
      "no index size: register it with addIndex",
    );
    server.put(inNamespace("a"), widget("y", { color: "red" }));
    await settle();
    expect(await names({ index: { name: "color", value: "red" } })).toBe("a/y a/z b/x");
    expect(await names({ index: { name: "color", value: "blue" } })).toBe("");
    await all.stop();
  });

  it("refuses to look for a namespaced object without a namespace", async () => {
    const { cache } = newWorld();
    await expect(cache().get(Widget, { name: "w" })).rejects.toThrow(
      "get of widgets.example.com w: the kind is namespaced",
    );
  });

  it("finds owned objects by the uid of their controller", async () => {
    const { server, cache } = newWorld();
    const owner = { apiVersion: "example.com/v1", kind: "Widget", name: "w", uid: "u", controller: true };
    server.put(parts, { ...part("mine"), metadata: { name: "mine", ownerReferences: [owner] } });
    server.put(parts, part("free"));
    const all = cache();
    const owned = await all.list(Part, { index: { name: "controller-uid", value: "u" } });
    expect(owned.map((p) => p.metadata.name)).toEqual(["mine"]);
    await all.stop();
  });

  it("caches the namespaces given, each with a watch of its own, and nothing else", async () => {
    const { server, clock, cache } = newWorld();
    for (const namespace of ["a", "b", "c"]) server.put(inNamespace(namespace), widget("w"));
    const some = cache({ namespaces: ["a", "b"] });
    const names = async (): Promise<string[]> =>
      (await some.list(Widget)).map((w) => w.metadata.namespace ?? "");
    expect(await names()).toEqual(["a", "b"]);
    expect(server.requests.map((r) => r.target.namespace)).toEqual(["a", "b"]);
    const events: string[] = [];
    some.informer(Widget).addHandler((event) => events.push(`${event.type} ${event.key}`));
    events.length = 0;
    server.endWatches(new Error("reset"));
    server.remove(`${inNamespace("a")}/w`);
    server.put(inNamespace("b"), widget("v"));
    server.compact();
    await clock.advance(60_000);
    expect(events.toSorted()).toEqual(["added b/v", "deleted a/w"]);
    expect(await names()).toEqual(["b", "b"]);
    await some.stop();
  });

  it("scopes kinds one by one", async () => {
    const { server, cache } = newWorld();
    const some = cache({
      kinds: { "example.com/v1/Widget": { labelSelector: "app=x", fieldSelector: "metadata.name=w" } },
    });
    await some.list(Widget);
    await some.list(Part);
    expect(
      server.requests.map((r) => [r.target.resource, r.query["labelSelector"], r.query["fieldSelector"]]),
    ).toEqual([
      ["widgets", "app=x", "metadata.name=w"],
      ["parts", undefined, undefined],
    ]);
    await some.stop();
  });

  it("caches metadata alone beside whole objects", async () => {
    const { server, cache } = newWorld();
    server.put(inNamespace("a"), widget("w"));
    const all = cache();
    await all.list(metadataOnly(Widget));
    await all.list(Widget);
    expect(server.count("watch")).toBe(2);
    await all.stop();
  });

  it("keeps what a transform makes of an object", async () => {
    const { server, cache } = newWorld();
    server.put(inNamespace("a"), widget("w", { size: 1, color: "red" }));
    const transform = (object: object) =>
      Object.freeze({ ...object, spec: Object.freeze({ size: 1 }) }) as never;
    const all = cache({ kinds: { "example.com/v1/Widget": { transform } } });
    expect((await all.list(Widget))[0]?.spec).toEqual({ size: 1 });
    await all.stop();
  });

  it("ends the watch of a kind that is removed, and starts anew when it is read again", async () => {
    const { server, cache } = newWorld();
    const all = cache();
    await all.list(Widget);
    await all.remove(Widget);
    expect(server.watches.size).toBe(0);
    await all.list(Widget);
    expect(server.watches.size).toBe(1);
    await all.stop();
  });

  it("ends a watch when the last who holds it lets go, unless somebody reads without holding", async () => {
    const { server, clock, cache } = newWorld();
    const all = cache();
    all.addIndex(Widget, "color", (w) => (w.spec.color === undefined ? [] : [w.spec.color]));
    const [first, second] = [all.hold(Widget), all.hold(Widget)];
    expect(second.informer).toBe(first.informer);
    first.informer.start();
    // who reads while others hold gets no share
    await all.list(Widget);
    await first.release();
    await first.release();
    await clock.advance(10);
    expect(server.watches.size).toBe(1);
    await expect(all.remove(Widget)).rejects.toThrow(
      "widgets.example.com cannot be removed while controllers",
    );
    await second.release();
    expect(server.watches.size).toBe(0);
    expect(all.report()).toEqual([]);
    // an informer that comes later has the indexes that were registered
    await all.list(Widget, { index: { name: "color", value: "red" } });
    await all.hold(Widget).release();
    expect(server.watches.size).toBe(1);
    await all.remove(Widget);
    expect(server.watches.size).toBe(0);
  });

  it("replays its store at every resync period as updates with the same object, without a request", async () => {
    const { server, clock, cache } = newWorld();
    server.put(inNamespace("a"), widget("w"));
    const all = cache({ resyncMs: 60_000, watchIdleMs: 3_600_000 });
    const events: unknown[] = [];
    all.informer(Widget).addHandler((event) => events.push(event));
    await all.list(Widget);
    events.length = 0;
    const requests = server.requests.length;
    await clock.advance(200_000);
    expect(events.length).toBeGreaterThanOrEqual(3);
    expect(events[0]).toMatchObject({ type: "updated", isResync: true });
    const { object, old } = events[0] as { object: unknown; old: unknown };
    expect(object).toBe(old);
    expect(server.requests.length).toBe(requests);
    await all.stop();
  });

  it("tells a handler that comes late everything first, as the initial list", async () => {
    const { server, cache } = newWorld();
    server.put(inNamespace("a"), widget("w"));
    const all = cache();
    await all.list(Widget);
    const events: unknown[] = [];
    const registration = all.informer(Widget).addHandler((event) => events.push(event));
    expect(events).toMatchObject([{ type: "added", key: "a/w", isInitialList: true }]);
    expect(registration.hasSynced).toBe(true);
    registration.remove();
    server.put(inNamespace("a"), widget("v"));
    await settle();
    expect(events).toHaveLength(1);
    await all.stop();
  });

  it("case 27: starts a reflector again that dies", async () => {
    const { server, clock, cache, lines } = newWorld();
    let isBroken = false;
    const transform: Transform = (object) => {
      if (isBroken) throw new Error("broken transform");
      return object;
    };
    const all = cache({ kinds: { "example.com/v1/Widget": { transform } } });
    const informer = all.shared(Widget);
    const events: string[] = [];
    informer.addHandler((event) => events.push(`${event.type} ${event.key}`));
    server.put(inNamespace("a"), widget("w"));
    informer.start();
    await clock.advance(100);
    isBroken = true;
    server.put(inNamespace("a"), widget("v"));
    server.remove(`${inNamespace("a")}/w`);
    await clock.advance(10_000);
    isBroken = false;
    await clock.advance(60_000);
    expect(events).toEqual(["added a/w", "added a/v", "deleted a/w"]);
    expect(lines.some((line) => line.message === "a reflector failed; it is started again")).toBe(true);
    await all.stop();
  });

  it("leaves an object out of an index whose function throws", async () => {
    const { server, cache, lines } = newWorld();
    server.put(inNamespace("a"), widget("w"));
    const all = cache();
    all.addIndex(Widget, "fragile", () => {
      throw new Error("broken index");
    });
    expect(await all.list(Widget)).toHaveLength(1);
    expect(await all.list(Widget, { index: { name: "fragile", value: "x" } })).toEqual([]);
    expect(lines.filter((line) => line.message === "an index function threw")).toHaveLength(1);
    await all.stop();
  });

  it("starts right after a stop, when the requests of before have ended", async () => {
    const { server, cache } = newWorld();
    const informer = cache().shared(Widget);
    informer.start();
    await settle();
    void informer.stop();
    informer.start();
    await settle();
    expect(server.watches.size).toBe(1);
    await informer.stop();
    expect(server.watches.size).toBe(0);
  });
});
