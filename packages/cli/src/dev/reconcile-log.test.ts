import { ConfigMap } from "@bowline/api/core/v1";
import { VirtualClock, createClient } from "@bowline/client";
import { type ReconcileAnswer, RetryAfterError, TerminalError, defineController } from "@bowline/runtime";
import { type TestCluster, startCluster } from "@bowline/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ReconcileLog } from "./reconcile-log.ts";

describe("The log of reconciles", () => {
  let test: TestCluster;
  beforeAll(async () => void (test = await startCluster({ controllers: false })));
  afterAll(() => test.close());

  /** The line of one reconcile; `write` gets a client whose writes are seen. */
  async function lineOf(
    reconcile: (client: TestCluster["client"]) => ReconcileAnswer,
    causes: object[] = [],
  ) {
    const lines: string[] = [];
    const log = new ReconcileLog(new VirtualClock(), (line) => void lines.push(line));
    const client = createClient({ transport: log.transport(test.transport), fieldManager: "t" });
    const controller = log.observed(
      defineController(ConfigMap, { name: "c", reconcile: () => reconcile(client) }),
    );
    const ctx = { request: { namespace: "default", name: "a" }, causes };
    await Promise.resolve(controller.reconcile?.({} as never, ctx as never)).catch(() => undefined);
    expect(lines).toHaveLength(1);
    return lines[0];
  }

  it.each([
    ["nothing to write", () => undefined, "c default/a: start: nothing to write (0 ms)"],
    [
      "when it comes back",
      () => ({ requeueAfterMs: 30_000 }),
      "c default/a: start: nothing to write; again in 30 s (0 ms)",
    ],
    [
      "a short wait",
      () => ({ requeueAfterMs: 50 }),
      "c default/a: start: nothing to write; again in 50 ms (0 ms)",
    ],
    [
      "a failure",
      () => Promise.reject(new Error("no")),
      "c default/a: start: nothing to write; failed: no (0 ms)",
    ],
    [
      "a failure that trying again does not mend",
      () => Promise.reject(new TerminalError("no")),
      "c default/a: start: nothing to write; failed until the object changes: no (0 ms)",
    ],
    [
      "a failure with its own waiting time",
      () => Promise.reject(new RetryAfterError("no", { retryAfterMs: 5000 })),
      "c default/a: start: nothing to write; failed, again in 5 s: no (0 ms)",
    ],
  ])("tells of %s", async (_, answer, line) => {
    expect(await lineOf(answer as () => ReconcileAnswer, [{ event: "start" }])).toBe(line);
  });

  it("tells what was written, and which fields a patch changed", async () => {
    const about = { namespace: "default", name: "written" };
    const line = await lineOf(async (client) => {
      await client.create(ConfigMap, { metadata: about, data: { a: "1" } });
      const labels = { x: "y" };
      await client.patch(ConfigMap, about, {
        merge: { metadata: { labels }, data: { a: "2", b: "3", c: "4", d: "5" } },
      });
      await client.delete(ConfigMap, about);
    });
    expect(line).toBe(
      "c default/a: : create ConfigMap/written, patch ConfigMap/written (metadata.labels, data.a, data.b, data.c, and 1 more), delete configmaps/written (0 ms)",
    );
  });

  it("names three causes of many", async () => {
    const causes = [1, 2, 3, 4, 5].map((n) => ({ event: "updated", kind: "Pod", object: `default/p${n}` }));
    expect(await lineOf(() => undefined, causes)).toBe(
      "c default/a: Pod p1 updated, Pod p2 updated, Pod p3 updated and 2 more: nothing to write (0 ms)",
    );
  });
});
