import { DaemonSet } from "@bowline/api/apps/v1";
import { Node, Pod } from "@bowline/api/core/v1";
import { describe, expect, it } from "vitest";
import { type World, newWorld, template } from "./world.ts";

const key = { name: "agent", namespace: "default" };

const create = (world: World, spec: object = {}) =>
  world.client.create(DaemonSet, {
    metadata: key,
    spec: { selector: { matchLabels: { app: "agent" } }, template: template("agent"), ...spec },
  } as never);

const get = (world: World) => world.client.get(DaemonSet, key);

async function complete(world: World, count: number) {
  await world.wait(`${count} daemons are up to date`, async () => {
    const { status, metadata } = await get(world);
    return (
      status?.observedGeneration === metadata.generation &&
      status?.desiredNumberScheduled === count &&
      status.updatedNumberScheduled === count &&
      (status.numberAvailable ?? 0) === count
    );
  });
}

const hosts = async (world: World) => (await world.list(Pod)).map((pod) => pod.spec?.nodeName ?? "").sort();
const setImage = (world: World, image: string) =>
  world.client.patch(DaemonSet, key, { merge: { spec: { template: template("agent", image) } } as never });

describe("DaemonSet controller", () => {
  it("runs one pod on every node, bound by node affinity, and on nodes that come later", async () => {
    const world = await newWorld({ nodes: 3 });
    await create(world);
    await complete(world, 3);
    expect(await hosts(world)).toEqual(["node-1", "node-2", "node-3"]);
    const [pod] = await world.list(Pod);
    expect(
      pod?.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms,
    ).toEqual([{ matchFields: [{ key: "metadata.name", operator: "In", values: [pod?.spec?.nodeName] }] }]);
    await world.cluster.nodes.add({ name: "node-4" });
    await complete(world, 4);
  });

  it("tolerates what happens to nodes, but no taints of other kinds", async () => {
    const world = await newWorld({
      nodes: [
        { name: "plain" },
        { name: "reserved", taints: [{ key: "dedicated", value: "db", effect: "NoSchedule" }] },
      ],
    });
    await create(world);
    await complete(world, 1);
    expect(await hosts(world)).toEqual(["plain"]);
    const [pod] = await world.list(Pod);
    const tolerated = pod?.spec?.tolerations?.map(({ key: taint, effect }) => `${taint}:${effect}`);
    for (const taint of [
      "not-ready:NoExecute",
      "unreachable:NoExecute",
      "unschedulable:NoSchedule",
      "memory-pressure:NoSchedule",
    ]) {
      expect(tolerated).toContain(`node.kubernetes.io/${taint}`);
    }
  });

  it("counts pods on nodes that do not match any more as misscheduled, and removes them", async () => {
    const world = await newWorld({
      nodes: [
        { name: "a", labels: { disk: "ssd" } },
        { name: "b", labels: { disk: "ssd" } },
      ],
    });
    await create(world, {
      template: { ...template("agent"), spec: { ...template("agent").spec, nodeSelector: { disk: "ssd" } } },
    });
    await complete(world, 2);
    await world.client.patch(Node, { name: "b" }, { merge: { metadata: { labels: { disk: "hdd" } } } });
    await complete(world, 1);
    await world.wait("the pod is gone", async () => (await hosts(world)).join() === "a");
    expect((await get(world)).status?.numberMisscheduled).toBe(0);
  });

  it.each([
    [
      { maxUnavailable: 1, maxSurge: 0 },
      { down: 1, more: 0 },
    ],
    [
      { maxUnavailable: "50%", maxSurge: 0 },
      { down: 2, more: 0 },
    ],
    [
      { maxUnavailable: 0, maxSurge: 1 },
      { down: 0, more: 1 },
    ],
  ])("updates within %j", async (rollingUpdate, limit) => {
    const world = await newWorld({ nodes: 4, podStartDelayMs: 3000 });
    await create(world, { updateStrategy: { type: "RollingUpdate", rollingUpdate } });
    await complete(world, 4);
    await setImage(world, "nginx:2");
    for (let step = 0; step < 40; step++) {
      await world.pass(500);
      const pods = await world.list(Pod);
      const ready = pods.filter((pod) =>
        pod.status?.conditions?.some((c) => c.type === "Ready" && c.status === "True"),
      );
      expect(ready.length).toBeGreaterThanOrEqual(4 - limit.down);
      expect(pods.length).toBeLessThanOrEqual(4 + limit.more);
    }
    await complete(world, 4);
    expect(new Set((await world.list(Pod)).map((pod) => pod.spec?.containers[0]?.image))).toEqual(
      new Set(["nginx:2"]),
    );
  });

  it("leaves pods to be deleted by hand with the strategy OnDelete", async () => {
    const world = await newWorld();
    await create(world, { updateStrategy: { type: "OnDelete" } });
    await complete(world, 1);
    await setImage(world, "nginx:2");
    await world.pass(30_000);
    const [old] = await world.list(Pod);
    expect(old?.spec?.containers[0]?.image).toBe("nginx:1");
    await world.client.delete(Pod, old as never);
    await complete(world, 1);
  });

  it("replaces a daemon that has failed, and says so", async () => {
    const world = await newWorld();
    await create(world);
    await complete(world, 1);
    const [pod] = await world.list(Pod);
    await world.client.patch(
      Pod,
      pod as never,
      { merge: { status: { phase: "Failed" } } },
      { subresource: "status" },
    );
    await world.wait("another runs", async () => {
      const [other] = await world.list(Pod);
      return (
        other !== undefined && other.metadata.uid !== pod?.metadata.uid && other.status?.phase === "Running"
      );
    });
    expect(await world.events({ kind: "DaemonSet", name: "agent" })).toContain(
      `FailedDaemonPod: Found failed daemon pod default/${pod?.metadata.name} on node node-1, will try to kill it`,
    );
  });
});
