import { type DeepReadonly, type KubeObject, failure } from "@bowline/api";
import { ConnectionError, settle } from "@bowline/client";
import { describe, expect, it } from "vitest";
import type { CacheEvent } from "../src/index.ts";
import { Widget, widget, widgets } from "./kinds.ts";
import type { ScriptedServer } from "./scripted-server.ts";
import { newWorld } from "./world.ts";

/** An informer on a scripted server, with the events that its handler saw. */
function watched(options: { watchList?: boolean; pageSize?: number; watchIdleMs?: number } = {}) {
  const world = newWorld();
  const cache = world.cache(options);
  const informer = cache.shared(Widget);
  const events: CacheEvent[] = [];
  informer.addHandler((event) => events.push(event));
  const told = (): string[] => events.map((e) => `${e.type} ${e.object.metadata.name}`);
  return { ...world, cache, informer, events, told };
}

/** Whether the cache has exactly what the server has. */
function isEqual(server: ScriptedServer, values: Iterable<DeepReadonly<KubeObject>>): boolean {
  const text = (objects: Iterable<DeepReadonly<KubeObject>>): string =>
    Array.from(objects, (o) => `${o.metadata.name}@${o.metadata.resourceVersion}`)
      .toSorted()
      .join();
  return text(server.all("widgets")) === text(values);
}

function put(server: ScriptedServer, ...names: string[]): void {
  for (const name of names) server.put(widgets, widget(name, { size: Number(server.resourceVersion) }));
}

describe("Reflector on a hostile server", () => {
  for (const watchList of [true, false]) {
    const how = watchList ? "with watch-list" : "with lists";

    it(`case 1: notices a connection that is open but silent, and goes on from where it was (${how})`, async () => {
      const { server, clock, informer, lines } = watched({ watchList });
      informer.start();
      await settle();
      put(server, "a", "b", "c");
      await clock.advance(10);
      for (const watch of server.watches) watch.isHole = true;
      put(server, "a", "d");
      const lists = server.count("list");
      await clock.advance(90_000);
      expect(isEqual(server, informer.values())).toBe(true);
      expect(server.count("list")).toBe(lists);
      expect(lines.filter((line) => line.message.includes("delivered nothing"))).toHaveLength(1);
      await informer.stop();
    });

    it(`case 3: leaves a healthy watch alone for as long as it lives (${how})`, async () => {
      const { server, clock, informer } = watched({ watchList });
      informer.start();
      await settle();
      for (let second = 0; second < 300; second++) {
        put(server, "a");
        await clock.advance(1000);
      }
      for (let minute = 0; minute < 10; minute++) {
        server.bookmark();
        await clock.advance(60_000);
      }
      expect(server.count("watch")).toBe(1);
      await informer.stop();
    });

    it(`case 4: outlives resets and errors of list and watch, and retries for ever (${how})`, async () => {
      const { server, clock, informer } = watched({ watchList });
      const troubles = [
        new ConnectionError("reset before headers"),
        failure(500, "InternalError", "boom"),
        failure(503, "ServiceUnavailable", "down"),
        failure(429, "TooManyRequests", "slow down", { retryAfterSeconds: 2 }),
        failure(401, "Unauthorized", "Unauthorized"),
        failure(403, "Forbidden", "forbidden"),
      ];
      const queue = troubles.flatMap((trouble) => [trouble, trouble, trouble]);
      server.intercept = () => {
        const trouble = queue.shift();
        if (trouble !== undefined) throw trouble;
      };
      put(server, "a");
      informer.start();
      await clock.advanceUntil(() => informer.hasSynced);
      for (const trouble of troubles) {
        queue.push(trouble, trouble, trouble);
        server.endWatches(new ConnectionError("reset in the middle of a line"));
        put(server, "a", trouble.message.replaceAll(" ", "-").toLowerCase());
        await clock.advance(300_000);
        expect(isEqual(server, informer.values())).toBe(true);
      }
      await informer.stop();
    });

    it(`case 7: tells of deletes that it missed, with the last known object (${how})`, async () => {
      const { server, clock, informer, events, told } = watched({ watchList });
      put(server, "a", "b", "c", "d", "e");
      informer.start();
      await settle();
      events.length = 0;
      server.endWatches(new ConnectionError("reset"));
      server.remove(`${widgets}/b`);
      server.remove(`${widgets}/d`);
      server.compact();
      await clock.advance(60_000);
      expect(told()).toEqual(["deleted b", "deleted d"]);
      expect(events[0]).toMatchObject({ isFinalStateUnknown: true, object: { spec: { size: 101 } } });
      expect(isEqual(server, informer.values())).toBe(true);
      await informer.stop();
    });

    it(`case 8: tells only the one of a thousand that changed (${how})`, async () => {
      const { server, clock, informer, events, told } = watched({ watchList });
      put(server, ...Array.from({ length: 1000 }, (_, i) => `w-${i}`));
      informer.start();
      await settle();
      expect(events).toHaveLength(1000);
      events.length = 0;
      server.endWatches(new ConnectionError("reset"));
      put(server, "w-500");
      server.compact();
      await clock.advance(60_000);
      expect(told()).toEqual(["updated w-500"]);
      await informer.stop();
    });

    it(`case 9: tells of a delete and an add when an object was made anew in a gap (${how})`, async () => {
      const { server, clock, informer, events, told } = watched({ watchList });
      put(server, "a");
      informer.start();
      await settle();
      const uid = events[0]?.object.metadata.uid;
      events.length = 0;
      server.endWatches(new ConnectionError("reset"));
      server.remove(`${widgets}/a`);
      put(server, "a");
      server.compact();
      await clock.advance(60_000);
      expect(told()).toEqual(["deleted a", "added a"]);
      expect(events.map((event) => event.object.metadata.uid)).toEqual([
        uid,
        server.all("widgets")[0]?.metadata.uid,
      ]);
      await informer.stop();
    });

    it(`recovers from a server that was restored from an older backup (${how})`, async () => {
      const { server, clock, informer } = watched({ watchList });
      put(server, "a", "b");
      const backup = server.snapshot();
      put(server, "a", "c");
      informer.start();
      await settle();
      server.restore(backup);
      server.endWatches(new ConnectionError("restart"));
      put(server, "a");
      await clock.advance(60_000);
      expect(isEqual(server, informer.values())).toBe(true);
      await informer.stop();
    });
  }

  it("takes over a state that has the version of another one from before a restore", async () => {
    const { server, clock, informer, told, events } = watched();
    put(server, "a");
    const backup = server.snapshot();
    server.put(widgets, widget("a", { size: 1 }));
    server.put(widgets, widget("b"));
    informer.start();
    await settle();
    const before = informer.getByKey("default/a");
    events.length = 0;
    server.restore(backup);
    server.endWatches(new ConnectionError("restart"));
    server.put(widgets, widget("a", { size: 2 }));
    await clock.advance(60_000);
    const after = informer.getByKey("default/a");
    expect(after?.metadata.resourceVersion).toBe(before?.metadata.resourceVersion);
    expect(after).toMatchObject({ spec: { size: 2 } });
    expect(told()).toEqual(["updated a", "deleted b"]);
    await informer.stop();
  });

  it("case 2: the idle limit can be set below that of a load balancer", async () => {
    const { server, clock, informer } = watched({ watchIdleMs: 30_000 });
    informer.start();
    await settle();
    for (const watch of server.watches) watch.isHole = true;
    put(server, "a");
    await clock.advance(31_000);
    expect(isEqual(server, informer.values())).toBe(true);
    await informer.stop();
  });

  it("case 5: a server that ends every watch at once is asked at most 12 times a minute", async () => {
    const { server, clock, informer } = watched({ watchList: false });
    informer.start();
    await settle();
    server.endWatches();
    server.intercept = (request) => {
      if (request.verb === "watch") setImmediate(() => server.endWatches());
    };
    const before = server.requests.length;
    await clock.advance(60_000);
    expect(server.requests.length - before).toBeLessThanOrEqual(12);
    await informer.stop();
  });

  it("case 6: obeys Retry-After with a spread, on 24 informers", async () => {
    const world = newWorld();
    const informers = Array.from({ length: 24 }, () => world.cache().shared(Widget));
    let isStorm = true;
    const times: number[] = [];
    world.server.intercept = () => {
      times.push(world.clock.monotonic());
      if (isStorm) throw failure(429, "TooManyRequests", "slow down", { retryAfterSeconds: 7 });
    };
    put(world.server, "a");
    for (const informer of informers) informer.start();
    await world.clock.advance(60_000);
    const early = times.filter((at) => at > 0 && at < 7000);
    expect(early).toEqual([]);
    expect(new Set(times).size).toBeGreaterThan(100);
    expect(times.length).toBeLessThanOrEqual(24 * 10);
    isStorm = false;
    await world.clock.advance(11_000);
    for (const informer of informers) expect(isEqual(world.server, informer.values())).toBe(true);
    await Promise.all(informers.map((informer) => informer.stop()));
  });

  it("case 10: a stop at any moment leaves no request behind, and a start afterwards one watch", async () => {
    for (let stopAt = 0; stopAt < 12; stopAt++) {
      const { server, clock, informer } = watched({ watchList: stopAt % 2 === 0, pageSize: 2 });
      put(server, "a", "b", "c");
      let ticks = 0;
      server.intercept = async () => {
        for (let i = 0; i < 3; i++) {
          if (ticks++ === stopAt) void informer.stop();
          await Promise.resolve();
        }
        if (stopAt > 8) throw new ConnectionError("reset");
      };
      informer.start();
      await clock.advance(stopAt > 8 ? 1000 : 0);
      await informer.stop();
      await settle();
      const before = server.requests.length;
      await clock.advance(60_000);
      expect(server.requests.length).toBe(before);
      expect(server.watches.size).toBe(0);
      expect(clock.pendingCount).toBe(0);
      server.intercept = () => {};
      informer.start();
      await clock.advance(10);
      expect(server.watches.size).toBe(1);
      expect(isEqual(server, informer.values())).toBe(true);
      await informer.stop();
    }
  });

  it("case 12: leaves nothing behind over 2,000 reconnects", async () => {
    const { server, clock, informer } = watched({ watchList: false });
    put(server, ...Array.from({ length: 100 }, (_, i) => `w-${i}`));
    informer.start();
    await settle();
    for (let i = 0; i < 2000; i++) {
      // a watch that lived for a while is opened again at once
      await clock.advance(30_000);
      server.endWatches();
      await settle();
    }
    expect(server.watches.size).toBe(1);
    expect(server.count("list")).toBe(1);
    expect(clock.pendingCount).toBe(1);
    await informer.stop();
    expect(clock.pendingCount).toBe(0);
  });

  it("case 13: a handler that throws is logged and counted, and the others get every event", async () => {
    const { server, clock, cache, lines } = watched();
    const informer = cache.shared(Widget);
    const seen: string[] = [];
    informer.addHandler((event) => {
      if (event.object.metadata.name === "b") throw new Error("cannot take b");
    });
    informer.addHandler((event) => seen.push(event.object.metadata.name ?? ""));
    informer.start();
    await settle();
    put(server, "a", "b", "c", "d", "e");
    await clock.advance(10);
    expect(seen).toEqual(["a", "b", "c", "d", "e"]);
    expect(informer.handlerErrorCount).toBe(1);
    expect(lines.filter((line) => line.level === "error")).toHaveLength(1);
    await informer.stop();
  });

  it("case 26: a reader sees the old or the new store while pages arrive, never a mix", async () => {
    const { server, clock, informer } = watched({ watchList: false, pageSize: 500 });
    const names = Array.from({ length: 5000 }, (_, i) => `w-${i}`);
    put(server, ...names);
    informer.start();
    await settle();
    const before = informer.size;
    server.endWatches(new ConnectionError("reset"));
    for (const name of names.slice(0, 2500)) server.remove(`${widgets}/${name}`);
    server.compact();
    const sizes = new Set<number>();
    server.intercept = async () => {
      sizes.add(informer.size);
      await settle();
      sizes.add(informer.size);
    };
    for (let second = 0; second < 60; second++) await clock.advance(1000);
    expect([...sizes].every((size) => size === before || size === 2500)).toBe(true);
    expect(informer.size).toBe(2500);
    expect(server.requests.filter((request) => request.verb === "list").length).toBeGreaterThan(5);
    await informer.stop();
  });

  it("case 27: an empty kind stays watched through hours of quiet and server timeouts", async () => {
    const { server, clock, informer } = watched();
    informer.start();
    await settle();
    for (let minute = 0; minute < 180; minute++) {
      if (minute % 7 === 0) server.endWatches();
      else server.bookmark();
      await clock.advance(60_000);
    }
    put(server, "late");
    await clock.advance(10);
    expect(isEqual(server, informer.values())).toBe(true);
    await informer.stop();
  });

  it("falls back to paged lists when the server refuses watch-lists", async () => {
    const { server, informer } = watched();
    server.supportsWatchList = false;
    put(server, "a", "b");
    informer.start();
    await settle();
    expect(informer.hasSynced).toBe(true);
    expect(server.count("list")).toBe(1);
    await informer.stop();
  });

  it("falls back to lists when a server accepts watch-lists but never marks the end", async () => {
    const { server, clock, informer } = watched();
    server.deliver = (_, event) => event.type !== "BOOKMARK";
    put(server, "a");
    server.intercept = (request) => {
      // the end mark is pushed past `deliver`, so such a server just ends the stream
      if (request.query["sendInitialEvents"] === "true") throw new ConnectionError("ended");
    };
    informer.start();
    await clock.advance(1);
    server.intercept = (request) => {
      if (request.query["sendInitialEvents"] === "true") queueMicrotask(() => server.endWatches());
    };
    await clock.advance(120_000);
    expect(informer.hasSynced).toBe(true);
    expect(isEqual(server, informer.values())).toBe(true);
    await informer.stop();
  });

  it("starts a list again without pages when its token expires half-way", async () => {
    const { server, clock, informer } = watched({ watchList: false, pageSize: 2 });
    put(server, "a", "b", "c", "d", "e");
    informer.start();
    await settle();
    server.endWatches(new ConnectionError("reset"));
    server.remove(`${widgets}/a`);
    server.compact();
    server.intercept = (request) => {
      if (request.query["continue"] !== undefined) {
        put(server, "b");
        server.compact();
      }
    };
    await clock.advance(60_000);
    expect(isEqual(server, informer.values())).toBe(true);
    const unpaged = server.requests.filter((r) => r.verb === "list" && r.query["limit"] === undefined);
    expect(unpaged).toHaveLength(1);
    await informer.stop();
  });

  it("resumes from the version of the last bookmark", async () => {
    const { server, clock, informer } = watched();
    put(server, "a");
    informer.start();
    await settle();
    server.put("/apis/example.com/v1/namespaces/default/others", { ...widget("x"), kind: "Other" });
    server.bookmark();
    await clock.advance(31_000);
    server.compact();
    server.endWatches();
    await clock.advance(10);
    expect(server.requests.at(-1)?.query["resourceVersion"]).toBe(server.resourceVersion);
    expect(server.count("list")).toBe(0);
    expect(server.count("watch")).toBe(2);
    await informer.stop();
  });

  it("gives up a request that gets no answer at all, and tries again", async () => {
    const { server, clock, informer } = watched();
    let isHole = true;
    server.intercept = (_, signal) =>
      isHole
        ? new Promise((_resolve, reject) => signal?.addEventListener("abort", () => reject(signal.reason)))
        : undefined;
    put(server, "a");
    informer.start();
    await clock.advance(60_000);
    isHole = false;
    await clock.advance(70_000);
    expect(informer.hasSynced).toBe(true);
    await informer.stop();
  });
});
