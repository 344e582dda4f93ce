import { createClient, settle } from "@bowline/client";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { defineController, isStaleCacheError } from "../src/index.ts";
import { ManagedClient } from "../src/controller/managed-client.ts";
import { Part, Widget, part, widget, widgets } from "./kinds.ts";
import { type World, newWorld } from "./world.ts";

/** A world whose watches deliver only when they are told to. */
async function delayed(world: World = newWorld()) {
  const { server, clock } = world;
  const cache = world.cache();
  const client = new ManagedClient(createClient({ transport: server, clock }), cache);
  const held: (() => void)[] = [];
  let isHolding = false;
  server.deliver = (watch, event) => {
    if (!isHolding) return true;
    held.push(() => watch.push(event));
    return false;
  };
  await cache.list(Widget);
  return {
    ...world,
    cache,
    client,
    hold: () => void (isHolding = true),
    release: (count = held.length) => {
      for (const deliver of held.splice(0, count)) deliver();
    },
    flow: () => {
      isHolding = false;
      for (const deliver of held.splice(0)) deliver();
    },
  };
}

const at = { namespace: "default", name: "a" };

describe("Reading one's own writes", () => {
  it("case 25: waits for the watch to show a create, an update and a delete", async () => {
    const { cache, client, hold, flow } = await delayed();
    const steps = [
      { write: () => client.create(Widget, { ...widget("a"), metadata: at }), seen: 0 },
      { write: () => client.patch(Widget, at, { merge: { spec: { size: 3 } } }), seen: 3 },
      { write: () => client.delete(Widget, at), seen: undefined },
    ];
    for (const { write, seen } of steps) {
      hold();
      await write();
      const read = cache.get(Widget, at);
      const list = cache.list(Widget, { namespace: "default" });
      let isAnswered = false;
      void Promise.all([read, list]).then(() => (isAnswered = true));
      await settle();
      expect(isAnswered).toBe(false);
      flow();
      const object = await read;
      expect(object === undefined ? undefined : (object.spec.size ?? 0)).toBe(seen);
      expect(await list).toHaveLength(seen === undefined ? 0 : 1);
    }
  });

  it("does not hold up reads of other keys and namespaces", async () => {
    const { server, cache, client, hold } = await delayed();
    server.put(widgets, widget("b"));
    await settle();
    hold();
    await client.create(Widget, { ...widget("a"), metadata: at });
    expect((await cache.get(Widget, { namespace: "default", name: "b" }))?.metadata.name).toBe("b");
    expect(await cache.list(Widget, { namespace: "other" })).toEqual([]);
  });

  it("answers at once what it has when asked to", async () => {
    const { cache, client, hold } = await delayed();
    hold();
    await client.create(Widget, { ...widget("a"), metadata: at });
    expect(await cache.get(Widget, at, { consistency: "any" })).toBeUndefined();
  });

  it("gives up after a while with an error that names the write and the watch", async () => {
    const { clock, cache, client, hold, flow } = await delayed();
    hold();
    await client.create(Widget, { ...widget("a"), metadata: at });
    const outcome = cache.get(Widget, at).catch((error: unknown) => error);
    await clock.advance(10_000);
    const error = await outcome;
    expect(isStaleCacheError(error)).toBe(true);
    expect((error as Error).message).toBe(
      "cached read of widgets.example.com: the watch has not shown this manager's write of default/a " +
        "(resourceVersion 101) within 10000 ms; it is at 100 (watching)",
    );
    // one read fails, those after it are not held up by the same write again
    expect(await cache.get(Widget, at)).toBeUndefined();
    flow();
    await settle();
    expect((await cache.get(Widget, at))?.metadata.name).toBe("a");
  });

  it("does not wait for writes that changed nothing", async () => {
    const { server, cache, client, hold } = await delayed();
    server.put(widgets, widget("a", { size: 1 }));
    await settle();
    hold();
    await client.patch(Widget, at, { merge: { spec: { size: 1 } } });
    expect((await cache.get(Widget, at))?.spec.size).toBe(1);
  });

  it("case 25: has no ghost when the answer of a create comes after the events of create and delete", async () => {
    const { server, cache, client } = await delayed();
    server.beforeAnswer = async (request) => {
      if (request.verb !== "create") return;
      server.remove(`${widgets}/a`);
      await settle();
    };
    await client.create(Widget, { ...widget("a"), metadata: at });
    expect(await cache.get(Widget, at)).toBeUndefined();
    expect(await cache.list(Widget)).toEqual([]);
  });

  it("waits with the first read of a kind until its list is not older than what was written before", async () => {
    const world = newWorld();
    const { server, clock } = world;
    const cache = world.cache({ watchList: false });
    const client = new ManagedClient(createClient({ transport: server, clock }), cache);
    const before = server.snapshot();
    await client.create(Widget, { ...widget("a"), metadata: at });
    // another API server, whose cache lags behind
    const request = server.request.bind(server);
    let isStale = true;
    server.request = (async (r: Parameters<typeof request>[0]) => {
      const answer = await request(r);
      if (!isStale || r.method !== "GET") return answer;
      isStale = false;
      const body = {
        ...(answer.body as object),
        metadata: { resourceVersion: String(before.version) },
        items: [],
      };
      return { ...answer, body };
    }) as typeof server.request;
    expect((await cache.get(Widget, at))?.metadata.name).toBe("a");
    expect(isStale).toBe(false);
    await cache.stop();
  });

  it("sees a relist that has come past the write as having seen it", async () => {
    const { server, clock, cache, client, hold } = await delayed();
    hold();
    await client.create(Widget, { ...widget("a"), metadata: at });
    server.remove(`${widgets}/a`);
    server.compact();
    server.endWatches(new Error("reset"));
    const read = cache.get(Widget, at);
    await clock.advance(5000);
    expect(await read).toBeUndefined();
  });

  it("never reads less than what was written, whatever the watch delays", async () => {
    const step = fc.oneof(
      fc.record({ op: fc.constant("write" as const), name: fc.constantFrom("a", "b") }),
      fc.record({ op: fc.constant("delete" as const), name: fc.constantFrom("a", "b") }),
      fc.record({ op: fc.constant("release" as const), count: fc.nat(3) }),
      fc.record({ op: fc.constant("relist" as const) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const { server, clock, cache, client, hold, release, flow } = await delayed();
        hold();
        const expected = new Map<string, number>();
        let size = 0;
        for (const s of steps) {
          if (s.op === "release") release(s.count);
          else if (s.op === "relist") {
            server.compact();
            server.endWatches(new Error("reset"));
          } else {
            const key = { namespace: "default", name: s.name };
            if (s.op === "delete") {
              await client.delete(Widget, key).catch(() => undefined);
              expected.delete(s.name);
            } else {
              size++;
              await client.apply(
                Widget,
                { ...widget(s.name, { size }), metadata: key },
                { fieldManager: "t" },
              );
              expected.set(s.name, size);
            }
          }
          const reads = Promise.all(
            ["a", "b"].map((name) => cache.get(Widget, { namespace: "default", name }, { timeoutMs: 1e9 })),
          );
          const list = cache.list(Widget, { timeoutMs: 1e9 });
          // reads that wait are let through by releasing what is held, one event at a time
          let isOver = false;
          void Promise.all([reads, list]).then(() => (isOver = true));
          await settle();
          for (let i = 0; !isOver && i < 200; i++) {
            release(1);
            await clock.advance(100);
          }
          expect((await reads).map((w) => w?.spec.size)).toEqual(
            ["a", "b"].map((name) => expected.get(name)),
          );
          expect(new Map((await list).map((w) => [w.metadata.name, w.spec.size]))).toEqual(expected);
        }
        flow();
        await cache.stop();
      }),
      { numRuns: 100 },
    );
  });

  it("lets a reconcile count on what the one before wrote, without a requeue", async () => {
    const world = newWorld();
    const { server, clock } = world;
    server.put(widgets, widget("a", { size: 3 }));
    server.deliver = (watch, event) => {
      clock.setTimer(5000, () => watch.push(event));
      return event.type === "BOOKMARK";
    };
    const created: string[] = [];
    const m = world.manager([
      defineController(Widget, {
        owns: [Part],
        async reconcile(w, ctx) {
          const have = await ctx.owned(Part);
          // names are made by the server, so only counting right keeps it from making too many
          for (let i = have.length; i < (w.spec.size ?? 0); i++) {
            const made = await ctx.create(Part, { ...part(""), metadata: { generateName: "part-" } });
            created.push(made.metadata.name ?? "");
          }
        },
      }),
    ]);
    server.deliver = (watch, event) => {
      if (event.type === "BOOKMARK" || event.object.kind === "Widget") return true;
      clock.setTimer(5000, () => watch.push(event));
      return false;
    };
    await m.start();
    for (let i = 0; i < 10; i++) {
      server.put(widgets, widget("a", { size: 3, color: String(i) }));
      await clock.advance(1000);
    }
    await clock.advance(60_000);
    expect(created).toHaveLength(3);
    expect(server.all("parts")).toHaveLength(3);
    await m.stop();
  });

  it("case 24: misses no foreign change in any order of own write, foreign write, their echoes and a relist", async () => {
    // nothing filters own events, so nothing can be swallowed with them
    const orders = permutations(["own", "foreign", "echo", "echo", "relist"]);
    expect(orders.length).toBe(60);
    for (const order of orders) {
      const world = newWorld();
      const { server, clock } = world;
      const held: (() => void)[] = [];
      let isHolding = false;
      server.deliver = (watch, event) => {
        if (!isHolding) return true;
        held.push(() => watch.push(event));
        return false;
      };
      server.put(widgets, widget("a", { size: 1 }));
      let seen = 0;
      let parts = 0;
      let touch: (request: { namespace: string; name: string }) => void = () => {};
      const m = world.manager([
        defineController(Widget, {
          sources: [
            {
              name: "touch",
              start: ({ enqueue, signal }) => {
                touch = enqueue;
                return new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
              },
            },
          ],
          async reconcile(w, ctx) {
            await ctx.patchStatus({ parts });
            seen = w.spec.size ?? 0;
          },
        }),
      ]);
      await m.start();
      await clock.advance(10);
      isHolding = true;
      for (const step of order) {
        if (step === "own") {
          parts++;
          touch({ namespace: "default", name: "a" });
        } else if (step === "foreign") server.put(widgets, widget("a", { size: 2 }));
        else if (step === "echo") held.shift()?.();
        else {
          server.compact();
          server.endWatches(new Error("reset"));
        }
        await settle();
      }
      isHolding = false;
      for (const deliver of held.splice(0)) deliver();
      await clock.advance(60_000);
      expect({ order, seen }).toEqual({ order, seen: 2 });
      await m.stop();
    }
  });
});

/** All orders of the items, each once. */
function permutations(items: readonly string[]): string[][] {
  if (items.length === 0) return [[]];
  return [...new Set(items)].flatMap((first) => {
    const rest = items.toSpliced(items.indexOf(first), 1);
    return permutations(rest).map((order) => [first, ...order]);
  });
}
