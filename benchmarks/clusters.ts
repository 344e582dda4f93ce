import { defineKind } from "@bowline/api";
import { Deployment } from "@bowline/api/apps/v1";
import { ConfigMap } from "@bowline/api/core/v1";
import { startCluster, waitFor } from "@bowline/testing";
import * as z from "zod";
import { type Benchmark, medianMs } from "./report.ts";

const thing = { group: "example.com", version: "v1", spec: z.object({ size: z.int32().default(1) }) };
const Thing = defineKind({ ...thing, kind: "Thing" });

/** Starts a cluster with controllers, installs a kind, makes an object of it and a Deployment that gets its pod, and stops. */
async function useOne(): Promise<void> {
  const test = await startCluster({ kinds: [Thing] });
  const labels = { app: "web" };
  await test.client.create(Thing, { metadata: { name: "one", namespace: "default" }, spec: {} });
  await test.client.create(Deployment, {
    metadata: { name: "web", namespace: "default" },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "nginx" }] } },
    },
  });
  await waitFor(test.client, Deployment, "default/web", {
    until: (deployment) => deployment?.status?.availableReplicas === 1,
  });
  await test.close();
}

export const clusters: Benchmark = {
  name: "clusters",
  method:
    "clusters one after the other in one process; a kind, an object, and a Deployment with its pod in each",
  async run(report) {
    await useOne();
    const start = performance.now();
    for (let i = 0; i < 100; i++) await useOne();
    report.figure("100 clusters started, used and stopped", performance.now() - start, "ms");
    const test = await startCluster({ controllers: false });
    const snapshot = test.cluster.snapshot();
    const fill = async (): Promise<void> => {
      for (let i = 0; i < 500; i++)
        await test.client.create(ConfigMap, { metadata: { name: `map-${i}`, namespace: "default" } });
    };
    const restores: number[] = [];
    for (let i = 0; i < 5; i++) {
      await fill();
      const before = performance.now();
      test.cluster.restore(snapshot);
      restores.push(performance.now() - before);
    }
    report.figure(
      "a snapshot restored, 500 objects taken away",
      restores.sort((a, b) => a - b)[2] ?? 0,
      "ms",
    );
    let count = 0;
    const first = await medianMs(21, async () => {
      const kind = defineKind({ ...thing, kind: `Thing${++count}` });
      await test.install(kind);
      await test.client.create(kind, { metadata: { name: "one", namespace: "default" }, spec: {} });
    });
    report.figure("from a definition to the first object of its kind", first, "ms");
    await test.close();
    const bare = await medianMs(9, async () => (await startCluster({ controllers: false })).close());
    report.figure("a cluster without controllers started and stopped", bare, "ms");
  },
};
