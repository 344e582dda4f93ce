import { ConfigMap } from "@bowline/api/core/v1";
import { VirtualClock, createClient } from "@bowline/client";
import { describe, expect, it } from "vitest";
import { type Cluster, createCluster } from "../src/cluster.ts";

describe("A hundred clusters in one process", () => {
  it("share nothing, keep clocks of their own, and leave nothing behind", async () => {
    const handles = (): number => process.getActiveResourcesInfo().length;
    const before = handles();
    const worlds: { cluster: Cluster; clock: VirtualClock }[] = [];
    for (let i = 0; i < 100; i++) {
      const clock = new VirtualClock();
      await clock.advance(i * 60_000);
      worlds.push({ clock, cluster: await createCluster({ clock }) });
    }
    for (const [i, { cluster, clock }] of worlds.entries()) {
      const client = createClient({ transport: cluster.transport(), clock });
      const map = await client.create(ConfigMap, {
        metadata: { name: "same", namespace: "default" },
        data: { number: String(i) },
      });
      const begin = Date.parse("2026-01-01T00:00:00Z");
      expect(Date.parse(map.metadata.creationTimestamp ?? "")).toBe(begin + i * 60_000);
    }
    for (const [i, { cluster, clock }] of worlds.entries()) {
      const client = createClient({ transport: cluster.transport(), clock });
      const map = await client.get(ConfigMap, { name: "same", namespace: "default" });
      expect(map.data).toEqual({ number: String(i) });
    }
    for (const { cluster, clock } of worlds) {
      await cluster.close();
      expect(clock.pendingCount).toBe(0);
    }
    expect(handles()).toBeLessThanOrEqual(before);
  });
});
