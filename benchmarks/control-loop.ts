import { ConfigMap } from "@bowline/api/core/v1";
import { createClient } from "@bowline/client";
import { WorkQueue, createManager, defineController, silentLogger } from "@bowline/runtime";
import { startCluster } from "@bowline/testing";
import type { Benchmark, Report } from "./report.ts";

const objectCount = 10_000;

async function queueThroughput(report: Report): Promise<void> {
  const count = 1_000_000;
  const queue = new WorkQueue();
  const keys = Array.from({ length: 1000 }, (_, i) => `default/object-${i}`);
  const start = performance.now();
  for (let done = 0; done < count; done += keys.length) {
    for (const key of keys) queue.add(key);
    for (let i = 0; i < keys.length; i++) {
      const item = await queue.get();
      if (item !== undefined) queue.done(item);
    }
  }
  report.figure("queue: add, get, done", count / ((performance.now() - start) / 1000), "/s");
  void queue.shutDown();
}

export const controlLoop: Benchmark = {
  name: "control-loop",
  method: `in process, ${objectCount} ConfigMaps, one run after one to warm up`,
  async run(report) {
    await queueThroughput(report);
    const test = await startCluster({ controllers: false });
    try {
      const client = createClient({ transport: test.transport, fieldManager: "bench" });
      for (let i = 0; i < objectCount; i++) {
        await client.create(ConfigMap, {
          metadata: { name: `object-${i}`, namespace: "default" },
          data: { a: String(i) },
        });
      }
      await syncAndDrain(test.transport, undefined);
      await syncAndDrain(test.transport, report);
    } finally {
      await test.close();
    }
  },
};

/** Starts a manager with a controller that does nothing, and times its first sync and the drain of its queue. */
async function syncAndDrain(
  transport: Parameters<typeof createManager>[0]["transport"],
  report: Report | undefined,
): Promise<void> {
  let reconciled = 0;
  let finished = (): void => {};
  const all = new Promise<void>((resolve) => {
    finished = resolve;
  });
  const manager = createManager({
    transport,
    logger: silentLogger,
    controllers: [
      defineController(ConfigMap, {
        reconcile() {
          if (++reconciled === objectCount) finished();
        },
      }),
    ],
  });
  const start = performance.now();
  await manager.cache.list(ConfigMap);
  const synced = performance.now();
  await manager.start();
  const started = performance.now();
  await all;
  const drained = performance.now();
  await manager.stop();
  report?.figure(`informer: sync of ${objectCount} objects`, synced - start, "ms");
  report?.figure("controller: no-op reconciles drained", objectCount / ((drained - started) / 1000), "/s");
}
