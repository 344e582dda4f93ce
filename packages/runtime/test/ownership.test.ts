import { type DeepReadonly, failure } from "@bowline/api";
import { ConnectionError, settle } from "@bowline/client";
import { describe, expect, it } from "vitest";
import { type Observed, defineController, observed } from "../src/index.ts";
import { Part, Widget, type WidgetObject, part, parts, widget, widgets } from "./kinds.ts";
import { newWorld } from "./world.ts";

describe("ctx.children", () => {
  it("applies what is desired, prunes what is not, and sends nothing when all is as it should be", async () => {
    const { server, clock, manager } = newWorld();
    server.put(widgets, widget("a", { size: 3 }));
    const m = manager([
      defineController(Widget, {
        owns: [Part],
        async reconcile(w, ctx) {
          await ctx.children(
            Array.from({ length: w.spec.size ?? 0 }, (_, index) => part(`a-${index}`, { index })),
          );
        },
      }),
    ]);
    await m.start();
    await clock.advance(100);
    expect(server.all("parts").map((p) => p.metadata.name)).toEqual(["a-0", "a-1", "a-2"]);
    server.put(widgets, widget("a", { size: 1 }));
    await clock.advance(100);
    expect(server.all("parts").map((p) => p.metadata.name)).toEqual(["a-0"]);
    const writes = server.requests.filter((r) => !["get", "list", "watch"].includes(r.verb)).length;
    for (let i = 0; i < 5; i++) {
      server.put(widgets, widget("a", { size: 1, color: String(i) }));
      await clock.advance(100);
    }
    expect(server.requests.filter((r) => !["get", "list", "watch"].includes(r.verb))).toHaveLength(writes);
    await m.stop();
  });

  it("never prunes what another owns", async () => {
    const { server, clock, manager } = newWorld();
    server.put(widgets, widget("a"));
    const owner = { apiVersion: "example.com/v1", kind: "Widget", name: "a", uid: "other", controller: true };
    server.put(parts, { ...part("foreign"), metadata: { name: "foreign", ownerReferences: [owner] } });
    server.put(parts, part("free"));
    const m = manager([
      defineController(Widget, { owns: [Part], reconcile: async (_, ctx) => void (await ctx.children([])) }),
    ]);
    await m.start();
    await clock.advance(100);
    expect(server.all("parts")).toHaveLength(2);
    await m.stop();
  });

  it("waits with a child until those before it are ready, and says so in the condition", async () => {
    const { server, clock, manager } = newWorld();
    server.put(widgets, widget("a"));
    const m = manager([
      defineController(Widget, {
        owns: [Part],
        async reconcile(_, ctx) {
          const result = await ctx.children([
            {
              key: "base",
              desired: part("base"),
              readyWhen: (p) => (p as never as { status?: { isReady?: boolean } }).status?.isReady === true,
            },
            { key: "top", desired: part("top"), after: ["base"] },
          ]);
          await ctx.patchStatus({ conditions: ctx.condition(result.condition) });
        },
      }),
    ]);
    await m.start();
    await clock.advance(100);
    const status = () => (server.all("widgets")[0] as unknown as WidgetObject).status?.conditions;
    expect(server.all("parts").map((p) => p.metadata.name)).toEqual(["base"]);
    expect(status()).toEqual([
      {
        type: "Ready",
        status: "False",
        reason: "ChildrenNotReady",
        message: "base: not ready yet; top: waits for base",
        observedGeneration: 1,
        lastTransitionTime: "2026-01-01T00:00:00Z",
      },
    ]);
    await clock.advance(60_000);
    server.put(parts, { ...part("base"), status: { isReady: true } });
    await clock.advance(100);
    expect(server.all("parts").map((p) => p.metadata.name)).toEqual(["base", "top"]);
    expect(status()).toMatchObject([
      { status: "True", reason: "ChildrenReady", lastTransitionTime: "2026-01-01T00:01:00Z" },
    ]);
    await m.stop();
  });

  it("reports a child that is refused, lets the others through, and tries again", async () => {
    const { server, clock, manager } = newWorld();
    server.put(widgets, widget("a"));
    let isRefusing = true;
    server.intercept = (request) => {
      if (isRefusing && request.verb === "apply" && request.target.name === "bad") {
        throw failure(422, "Invalid", 'parts.example.com "bad" is invalid');
      }
    };
    let condition: unknown;
    const m = manager([
      defineController(Widget, {
        owns: [Part],
        async reconcile(_, ctx) {
          const result = await ctx.children([part("bad"), part("good")]);
          condition = result.condition;
        },
      }),
    ]);
    await m.start();
    await clock.advance(100);
    expect(server.all("parts").map((p) => p.metadata.name)).toEqual(["good"]);
    expect(condition).toMatchObject({ status: "False", reason: "ChildrenFailed" });
    isRefusing = false;
    await clock.advance(60_000);
    expect(server.all("parts").map((p) => p.metadata.name)).toEqual(["good", "bad"]);
    await m.stop();
  });

  it("refuses a plan whose children wait for each other", async () => {
    const { server, clock, manager, lines } = newWorld();
    server.put(widgets, widget("a"));
    const m = manager([
      defineController(Widget, {
        owns: [Part],
        reconcile: async (_, ctx) =>
          void (await ctx.children([
            { key: "x", desired: part("x"), after: ["y"] },
            { key: "y", desired: part("y"), after: ["x"] },
          ])),
      }),
    ]);
    await m.start();
    await clock.advance(1);
    const error = lines.find((line) => line.level === "error")?.fields["err"];
    expect((error as Error).message).toBe("children: x, y wait for each other");
    await m.stop();
  });
});

describe("A controller in its pure form", () => {
  const definition = {
    owns: [Part],
    desired: (w: DeepReadonly<WidgetObject>, o: Observed<WidgetObject>) => ({
      children: Array.from({ length: w.spec.size ?? 0 }, (_, index) =>
        part(`${w.metadata.name}-${index}`, { index }),
      ),
      status: { parts: o.owned(Part).length },
    }),
  };

  it("is tested without any server", () => {
    const w: WidgetObject = { ...widget("w", { size: 2 }), metadata: { name: "w", namespace: "default" } };
    const answer = definition.desired(w, observed(w, [part("w-0")]));
    expect(answer.children.map((child) => child.metadata.name)).toEqual(["w-0", "w-1"]);
    expect(answer.status).toEqual({ parts: 1 });
  });

  it("makes the world so, with a Ready condition of its own", async () => {
    const { server, clock, manager } = newWorld();
    server.put(widgets, widget("w", { size: 2 }));
    const m = manager([defineController(Widget, definition)]);
    await m.start();
    await clock.advance(100);
    expect(server.all("parts")).toHaveLength(2);
    expect(server.all("widgets")[0]).toMatchObject({
      status: { parts: 2, conditions: [{ type: "Ready", status: "True" }] },
    });
    await m.stop();
  });
});

describe("cleanup", () => {
  it("case 21: has its finalizer on the object before the first reconcile, and takes it away after cleanup succeeded", async () => {
    const { server, clock, manager } = newWorld();
    server.put(widgets, { ...widget("a"), metadata: { name: "a", finalizers: ["other/one"] } });
    const seen: string[] = [];
    let attempts = 0;
    const m = manager([
      defineController(Widget, {
        reconcile: (w) => void seen.push((w.metadata.finalizers ?? []).join()),
        cleanup() {
          if (++attempts <= 3) throw new Error("the bucket is not empty");
        },
      }),
    ]);
    await m.start();
    await clock.advance(100);
    expect(seen[0]).toBe("other/one,example.com/widget");
    const metadata = { name: "a", deletionTimestamp: "2026-01-01T00:00:00Z" };
    server.put(widgets, { ...widget("a"), metadata, status: { conditions: [] } });
    await clock.advance(12);
    expect(attempts).toBeGreaterThan(0);
    expect(server.all("widgets")[0]?.metadata.finalizers).toEqual(["other/one", "example.com/widget"]);
    expect(server.all("widgets")[0]).toMatchObject({
      status: { conditions: [{ type: "CleanupFailed", status: "True", message: "the bucket is not empty" }] },
    });
    await clock.advance(1000);
    expect(server.all("widgets")[0]?.metadata.finalizers).toEqual(["other/one"]);
    await m.stop();
  });

  it("case 23: leaves entries of others alone when they change the list at the same time", async () => {
    const { server, clock, manager, lines } = newWorld();
    server.put(widgets, widget("a"));
    let races = 0;
    server.intercept = (request) => {
      if (request.verb === "patch" && races < 2) {
        races++;
        server.put(widgets, { ...widget("a"), metadata: { name: "a", finalizers: [`other/${races}`] } });
      }
    };
    const m = manager([defineController(Widget, { reconcile: () => {}, cleanup: () => {} })]);
    await m.start();
    await clock.advance(100);
    expect(server.all("widgets")[0]?.metadata.finalizers).toEqual(["other/2", "example.com/widget"]);
    server.put(widgets, {
      ...widget("a"),
      metadata: { name: "a", deletionTimestamp: "2026-01-01T00:00:00Z" },
    });
    await clock.advance(100);
    expect(server.all("widgets")[0]?.metadata.finalizers).toEqual(["other/2"]);
    expect(lines.filter((line) => line.level === "error")).toEqual([]);
    await m.stop();
  });

  it("case 30: puts no finalizer on objects when none is declared", async () => {
    const { server, clock, manager } = newWorld();
    server.put(widgets, widget("a"));
    const m = manager([defineController(Widget, { reconcile: () => {} })]);
    await m.start();
    await clock.advance(100);
    expect(server.all("widgets")[0]?.metadata.finalizers).toBeUndefined();
    await m.stop();
  });

  it("keeps the finalizer while cleanup asks to come back", async () => {
    const { server, clock, manager } = newWorld();
    const metadata = {
      name: "a",
      finalizers: ["example.com/widget"],
      deletionTimestamp: "2026-01-01T00:00:00Z",
    };
    server.put(widgets, { ...widget("a"), metadata });
    let attempts = 0;
    const m = manager([
      defineController(Widget, {
        reconcile: () => {},
        cleanup: () => (++attempts < 3 ? { requeueAfterMs: 10_000 } : undefined),
      }),
    ]);
    await m.start();
    await clock.advance(15_000);
    expect(server.all("widgets")).toHaveLength(1);
    await clock.advance(10_000);
    expect(server.all("widgets")).toHaveLength(0);
    await m.stop();
  });
});

describe("ctx.step", () => {
  it("does not repeat finished work after a crash, and does after the spec changed", async () => {
    const { server, clock, manager } = newWorld();
    server.put(widgets, widget("a"));
    const work: string[] = [];
    let crashes = 2;
    const definition = defineController(Widget, {
      async reconcile(w, ctx) {
        const id = await ctx.step("order", async () => {
          work.push("order");
          return `order-${w.metadata.generation}`;
        });
        if (crashes-- > 0) throw new ConnectionError("crash");
        await ctx.step("pay", async () => void work.push(`pay ${id}`));
      },
    });
    const m = manager([definition]);
    await m.start();
    await clock.advance(1000);
    expect(work).toEqual(["order", "pay order-1"]);
    server.put(widgets, widget("a", { size: 2 }));
    await clock.advance(1000);
    expect(work).toEqual(["order", "pay order-1", "order", "pay order-2"]);
    await m.stop();
    await settle();
  });
});

describe("ctx.expect and ctx.every", () => {
  it("gives up an expectation after its time, and looks again then", async () => {
    const { server, clock, manager } = newWorld();
    server.put(widgets, widget("a"));
    const answers: string[] = [];
    const m = manager([
      defineController(Widget, {
        reconcile: (w, ctx) => void answers.push(ctx.expect("ready", w.spec.size === 1, 30_000)),
      }),
    ]);
    await m.start();
    await clock.advance(10_000);
    server.put(widgets, widget("a", { size: 0 }));
    await clock.advance(20_100);
    expect(answers).toEqual(["waiting", "waiting", "timed-out"]);
    server.put(widgets, widget("a", { size: 1 }));
    await clock.advance(100);
    expect(answers.at(-1)).toBe("met");
    await m.stop();
  });

  it("is due once in a period for each object", async () => {
    const { server, clock, manager } = newWorld();
    server.put(widgets, widget("a"));
    server.put(widgets, widget("b"));
    const due: string[] = [];
    const m = manager([
      defineController(Widget, {
        reconcile: (w, ctx) => void (ctx.every("backup", 60_000) && due.push(w.metadata.name ?? "")),
      }),
    ]);
    await m.start();
    await clock.advance(1000);
    for (let i = 0; i < 10; i++) server.put(widgets, widget("a", { size: i }));
    await clock.advance(1000);
    expect(due.toSorted()).toEqual(["a", "b"]);
    await clock.advance(60_000);
    expect(due.toSorted()).toEqual(["a", "a", "b", "b"]);
    await m.stop();
  });
});
