import { settle } from "@bowline/client";
import { describe, expect, it } from "vitest";
import { TerminalError, defineController, defineLoop, watch } from "../src/index.ts";
import { ClusterThing, ConfigMap, Part, Widget, configMaps, part, parts, widget, widgets } from "./kinds.ts";
import { newWorld } from "./world.ts";

describe("Controller", () => {
  it("reconciles every object that is there at start and every one that comes", async () => {
    const { server, clock, manager } = newWorld();
    server.put(widgets, widget("a"));
    const seen: string[] = [];
    const m = manager([
      defineController(Widget, {
        reconcile: (w) => void seen.push(`${w.metadata.name} ${w.spec.size ?? 0}`),
      }),
    ]);
    await m.start();
    await settle();
    server.put(widgets, widget("b", { size: 2 }));
    server.put(widgets, widget("a", { size: 3 }));
    await clock.advance(10);
    expect(seen).toEqual(["a 0", "b 2", "a 3"]);
    await m.stop();
  });

  it("applies a child with an owner reference, and queues the owner when the child changes", async () => {
    const { server, clock, manager } = newWorld();
    server.put(widgets, widget("a", { size: 1 }));
    let runs = 0;
    const m = manager([
      defineController(Widget, {
        owns: [Part],
        async reconcile(w, ctx) {
          runs++;
          const child = await ctx.apply(Part, {
            metadata: { name: `${w.metadata.name}-0` },
            spec: { index: 0 },
          } as never);
          await ctx.patchStatus({ parts: child.status?.isReady === true ? 1 : 0 });
        },
      }),
    ]);
    await m.start();
    await clock.advance(100);
    const [child] = server.all("parts");
    expect(child?.metadata.ownerReferences).toEqual([
      {
        apiVersion: "example.com/v1",
        kind: "Widget",
        name: "a",
        uid: "uid-1",
        controller: true,
        blockOwnerDeletion: true,
      },
    ]);
    const before = runs;
    server.put(parts, { ...part("a-0", { index: 0 }), status: { isReady: true } });
    await clock.advance(100);
    expect(runs).toBeGreaterThan(before);
    expect(server.all("widgets")[0]).toMatchObject({ status: { parts: 1 } });
    await m.stop();
  });

  it("sends nothing when neither intent nor observed state changed", async () => {
    const { server, clock, manager } = newWorld();
    server.put(widgets, widget("a"));
    let runs = 0;
    const m = manager([
      defineController(Widget, {
        owns: [Part],
        async reconcile(w, ctx) {
          runs++;
          await ctx.apply(part(`${w.metadata.name}-0`, { index: 0 }));
          await ctx.patchStatus({ parts: 1 });
        },
      }),
    ]);
    await m.start();
    await clock.advance(100);
    const writes = server.count("apply") + server.count("patch");
    expect(writes).toBe(2);
    for (let i = 0; i < 5; i++) {
      server.put(parts, { ...part("a-0"), spec: { index: 0 }, status: { note: i } });
      await clock.advance(100);
    }
    expect(runs).toBeGreaterThan(5);
    expect(server.count("apply") + server.count("patch")).toBe(writes);
    await m.stop();
  });

  it("case 29: puts back a field of a child that somebody changed by hand", async () => {
    const { server, clock, manager } = newWorld();
    server.put(widgets, widget("a"));
    const m = manager([
      defineController(Widget, {
        owns: [Part],
        reconcile: async (w, ctx) => void (await ctx.apply(part(`${w.metadata.name}-0`, { index: 0 }))),
      }),
    ]);
    await m.start();
    await clock.advance(100);
    server.put(parts, { ...part("a-0"), spec: { index: 7, color: "blue" } });
    await clock.advance(100);
    expect(server.all("parts")[0]).toMatchObject({ spec: { index: 0, color: "blue" } });
    await m.stop();
  });

  it("case 20: retries a reconcile that throws with back-off per key and leaves the others alone", async () => {
    const { server, clock, manager, lines } = newWorld();
    for (const name of ["a", "b", "c"]) server.put(widgets, widget(name));
    const runs: string[] = [];
    const m = manager([
      defineController(Widget, {
        reconcile(w) {
          runs.push(w.metadata.name ?? "");
          if (w.metadata.name === "b" && runs.filter((r) => r === "b").length < 3) throw new Error("not yet");
        },
      }),
    ]);
    await m.start();
    await clock.advance(1000);
    expect(runs.toSorted()).toEqual(["a", "b", "b", "b", "c"]);
    const errors = lines.filter((line) => line.level === "error");
    expect(errors).toHaveLength(2);
    expect(errors[0]?.fields).toMatchObject({
      controller: "widget",
      controllerGroup: "example.com",
      controllerKind: "Widget",
      Widget: { name: "b", namespace: "default" },
      namespace: "default",
      name: "b",
      retryMs: 5,
    });
    expect(errors[0]?.fields).toHaveProperty("reconcileID");
    await m.stop();
  });

  it("does not retry a terminal error until its object changes", async () => {
    const { server, clock, manager } = newWorld();
    server.put(widgets, widget("a"));
    let runs = 0;
    const m = manager([
      defineController(Widget, {
        reconcile() {
          runs++;
          throw new TerminalError("no such size");
        },
      }),
    ]);
    await m.start();
    await clock.advance(60_000);
    expect(runs).toBe(1);
    server.put(widgets, widget("a", { size: 1 }));
    await clock.advance(10);
    expect(runs).toBe(2);
    const text = await m.metrics.metrics();
    expect(text).toContain('controller_runtime_terminal_reconcile_errors_total{controller="widget"} 2');
    await m.stop();
  });

  it("case 27: comes back after requeueAfterMs at the latest, also when another run answers nothing", async () => {
    const { server, clock, manager } = newWorld();
    server.put(widgets, widget("a"));
    let runs = 0;
    const m = manager([
      defineController(Widget, {
        async reconcile(_, ctx) {
          if (++runs > 1) return undefined;
          await ctx.patchStatus({ parts: 1 });
          return { requeueAfterMs: 900_000 };
        },
      }),
    ]);
    await m.start();
    await clock.advance(1000);
    expect(runs).toBe(2);
    await clock.advance(899_500);
    expect(runs).toBe(3);
    await m.stop();
  });

  it("drops the pending requeue of an object that is gone", async () => {
    const { server, clock, manager } = newWorld();
    server.put(widgets, widget("a"));
    const gone: string[] = [];
    let runs = 0;
    const m = manager([
      defineController(Widget, {
        reconcile: () => (runs++, { requeueAfterMs: 10_000 }),
        gone: (request) => void gone.push(request.name),
      }),
    ]);
    await m.start();
    await clock.advance(100);
    server.remove(`${widgets}/a`);
    await clock.advance(60_000);
    expect(gone).toEqual(["a"]);
    expect(runs).toBe(1);
    await m.stop();
  });

  it("never runs one key twice at once, and runs others in parallel", async () => {
    const { server, clock, manager } = newWorld();
    for (const name of ["a", "b", "c", "d"]) server.put(widgets, widget(name));
    const active = new Set<string>();
    let most = 0;
    const m = manager([
      defineController(Widget, {
        concurrency: 3,
        async reconcile(w, ctx) {
          const name = w.metadata.name ?? "";
          expect(active.has(name)).toBe(false);
          active.add(name);
          most = Math.max(most, active.size);
          await new Promise<void>((resolve) => ctx.clock.setTimer(1000, resolve));
          active.delete(name);
        },
      }),
    ]);
    await m.start();
    await clock.advance(500);
    server.put(widgets, widget("a", { size: 1 }));
    await clock.advance(10_000);
    expect(most).toBe(3);
    expect(active.size).toBe(0);
    await m.stop();
  });

  it("maps watched objects of other kinds to its keys, from the old and the new state", async () => {
    const { server, clock, manager } = newWorld();
    for (const name of ["a", "b"]) server.put(widgets, widget(name));
    server.put(configMaps, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "m", labels: { widget: "a" } },
    });
    const runs: string[] = [];
    const m = manager([
      defineController(Widget, {
        watches: [
          watch(ConfigMap, (map) => ({
            namespace: map.metadata.namespace ?? "",
            name: map.metadata.labels?.["widget"] ?? "",
          })),
        ],
        reconcile: (w) => void runs.push(w.metadata.name ?? ""),
      }),
    ]);
    await m.start();
    await clock.advance(100);
    runs.length = 0;
    server.put(configMaps, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "m", labels: { widget: "b" } },
    });
    await clock.advance(100);
    expect(runs.toSorted()).toEqual(["a", "b"]);
    await m.stop();
  });

  it("maps the event again when a map function throws", async () => {
    const { server, clock, manager } = newWorld();
    server.put(widgets, widget("a"));
    let isBroken = true;
    let runs = 0;
    const m = manager([
      defineController(Widget, {
        watches: [
          watch(ConfigMap, () => {
            if (isBroken) throw new Error("cannot map");
            return { namespace: "default", name: "a" };
          }),
        ],
        reconcile: () => void runs++,
      }),
    ]);
    await m.start();
    await clock.advance(100);
    server.put(configMaps, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "m" } });
    await clock.advance(100);
    expect(runs).toBe(1);
    isBroken = false;
    await clock.advance(2000);
    expect(runs).toBe(2);
    await m.stop();
  });

  it("starts without an optional kind and watches it when it appears", async () => {
    const { server, clock, manager } = newWorld();
    server.missing.add("parts");
    server.put(widgets, widget("a"));
    let runs = 0;
    const m = manager([
      defineController(Widget, { owns: [{ kind: Part, optional: true }], reconcile: () => void runs++ }),
    ]);
    await m.start();
    await clock.advance(100);
    expect(runs).toBe(1);
    server.missing.delete("parts");
    const owner = { apiVersion: "example.com/v1", kind: "Widget", name: "a", uid: "uid-1", controller: true };
    server.put(parts, { ...part("p"), metadata: { name: "p", ownerReferences: [owner] } });
    await clock.advance(60_000);
    expect(runs).toBe(2);
    await m.stop();
  });

  it("fails to start with the server's answer when a kind that it needs is not there", async () => {
    const { server, clock, manager } = newWorld();
    server.missing.add("widgets");
    const m = manager([defineController(Widget, { reconcile: () => {} })]);
    const outcome = m.start().then(
      () => "started",
      (error: Error) => error.message,
    );
    await clock.advance(121_000);
    expect(await outcome).toContain("no first list within 120000 ms");
    expect(await outcome).toContain("could not find the requested resource");
    expect(clock.pendingCount).toBe(0);
  });

  it("leaves objects under deletion alone unless asked otherwise", async () => {
    const { server, clock, manager } = newWorld();
    const metadata = { name: "a", finalizers: ["x/y"], deletionTimestamp: "2026-01-01T00:00:00Z" };
    server.put(widgets, { ...widget("a"), metadata });
    const runs: string[] = [];
    const m = manager([
      defineController(Widget, { name: "plain", reconcile: () => void runs.push("plain") }),
      defineController(Widget, {
        name: "asked",
        whileDeleting: true,
        reconcile: () => void runs.push("asked"),
      }),
    ]);
    await m.start();
    await clock.advance(100);
    expect(runs).toEqual(["asked"]);
    await m.stop();
  });

  it("aborts the signal of a reconcile that takes too long, counts it and tries again", async () => {
    const { server, clock, manager } = newWorld();
    server.put(widgets, widget("a"));
    let aborted = 0;
    const m = manager([
      defineController(Widget, {
        reconcileTimeoutMs: 5000,
        reconcile: (_, ctx) =>
          new Promise((_resolve, reject) => {
            ctx.signal.addEventListener("abort", () => {
              aborted++;
              reject(ctx.signal.reason);
            });
          }),
      }),
    ]);
    await m.start();
    await clock.advance(10_100);
    expect(aborted).toBe(2);
    expect(await m.metrics.metrics()).toContain(
      'controller_runtime_reconcile_timeouts_total{controller="widget"} 2',
    );
    const stopped = m.stop();
    await clock.advance(30_000);
    await stopped;
  });

  it("case 28: reports a key that is reconciled over and over without a change, with what triggers it", async () => {
    const { server, clock, manager, lines } = newWorld();
    server.put(widgets, widget("a"));
    let n = 0;
    const m = manager([
      defineController(Widget, {
        async reconcile(_, ctx) {
          if (n < 200) await ctx.patchStatus({ parts: n++ });
        },
      }),
    ]);
    await m.start();
    await clock.advance(1000);
    const warning = lines.find((line) => line.message.includes("although the spec did not change"));
    expect(warning?.message).toMatch(
      /updated Widget default\/a \(x\d+\); what changes each time: status\.parts$/,
    );
    await m.stop();
  });

  it("runs a loop over keys of its own making", async () => {
    const { clock, manager } = newWorld();
    const runs: string[] = [];
    const m = manager([
      defineLoop({
        name: "loop",
        sources: [
          {
            name: "three",
            async start({ enqueue }) {
              for (const name of ["x", "y"]) enqueue({ name });
            },
          },
        ],
        reconcile: (request) => void runs.push(request.name),
      }),
    ]);
    await m.start();
    await clock.advance(100);
    expect(runs).toEqual(["x", "y"]);
    await clock.advance(1500);
    expect(runs.slice(2)).toEqual(expect.arrayContaining(["x", "y"]));
    await m.stop();
  });

  it("case 22: gives each of two controllers of a kind its own queue", async () => {
    const { server, clock, manager } = newWorld();
    const runs = { one: 0, two: 0 };
    const m = manager([
      defineController(Widget, { name: "one", reconcile: () => void runs.one++ }),
      defineController(Widget, { name: "two", reconcile: () => void runs.two++ }),
    ]);
    await m.start();
    for (let i = 0; i < 1000; i++) {
      server.put(widgets, widget("a", { size: i }));
      if (i % 10 === 0) await settle();
    }
    await clock.advance(10);
    expect(runs.one).toBeGreaterThan(50);
    expect(runs.two).toBe(runs.one);
    expect(server.watches.size).toBe(1);
    await m.stop();
  });

  it("makes cluster-scoped objects children of cluster-scoped owners", async () => {
    const { server, clock, manager } = newWorld();
    server.put("/apis/example.com/v1/clusterthings", {
      apiVersion: "example.com/v1",
      kind: "ClusterThing",
      metadata: { name: "t" },
    });
    let runs = 0;
    const m = manager([
      defineController(ClusterThing, {
        owns: [Part],
        async reconcile(thing, ctx) {
          runs++;
          const child = part("p");
          await ctx.apply({ ...child, metadata: { name: "p", namespace: "default" } });
          expect(thing.metadata.name).toBe("t");
        },
      }),
    ]);
    await m.start();
    await clock.advance(100);
    expect(server.all("parts")).toHaveLength(1);
    server.put(parts, part("p", { color: "red" }));
    await clock.advance(100);
    expect(runs).toBeGreaterThanOrEqual(2);
    await m.stop();
  });

  it("gathers events for a while when asked to, and never longer", async () => {
    const { server, clock, manager } = newWorld();
    server.put(widgets, widget("a"));
    const runs: number[] = [];
    const m = manager([
      defineController(Widget, { debounceMs: 1000, reconcile: () => void runs.push(clock.monotonic()) }),
    ]);
    await m.start();
    for (let i = 0; i < 25; i++) {
      server.put(widgets, widget("a", { size: i }));
      await clock.advance(100);
    }
    expect(runs).toEqual([1000, 2000]);
    await m.stop();
  });

  it("can be told another concurrency by who runs it", async () => {
    const { server, clock, manager } = newWorld();
    for (const name of ["a", "b", "c"]) server.put(widgets, widget(name));
    let active = 0;
    const controller = defineController(Widget, {
      async reconcile(_, ctx) {
        active++;
        await new Promise<void>((resolve) => ctx.clock.setTimer(1000, resolve));
      },
    });
    const m = manager([controller], { concurrency: { widget: 3 } });
    await m.start();
    await clock.advance(10);
    expect(active).toBe(3);
    await clock.advance(1000);
    await m.stop();
  });

  it("applies without waiting for a watch that is cut off or a kind whose list is refused", async () => {
    const { server, clock, manager } = newWorld();
    server.put(widgets, widget("a"));
    const m = manager([
      defineController(Widget, {
        owns: [Part, { kind: ConfigMap, optional: true }],
        async reconcile(w, ctx) {
          await ctx.apply(part("p", { index: w.spec.size ?? 0 }));
          await ctx.apply(ConfigMap, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "m" } });
        },
      }),
    ]);
    server.intercept = (request) => {
      if (request.verb === "watch" && request.target.resource === "configmaps") throw new Error("refused");
    };
    await m.start();
    await clock.advance(10);
    expect([server.all("parts").length, server.all("configmaps").length]).toEqual([1, 1]);
    for (const watch of server.watches) if (watch.target.resource === "parts") watch.isHole = true;
    for (let size = 1; size <= 2; size++) {
      server.put(widgets, widget("a", { size }));
      await clock.advance(6000);
      expect(server.all("parts")).toMatchObject([{ spec: { index: size } }]);
    }
    await m.stop();
  });
});
