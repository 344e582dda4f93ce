import { Deployment } from "@bowline/api/apps/v1";
import { Lease } from "@bowline/api/coordination/v1";
import { Event, Node, Pod } from "@bowline/api/core/v1";
import { describe, expect, it } from "vitest";
import { type World, deploymentOf, newWorld, template } from "./world.ts";

const tolerations = ["not-ready", "unreachable"].map((name) => ({
  key: `node.kubernetes.io/${name}`,
  operator: "Exists",
  effect: "NoExecute",
  tolerationSeconds: 300,
}));

const taints = async (world: World, name: string) =>
  ((await world.client.get(Node, { name })).spec?.taints ?? []).map(({ key, effect }) => `${key}:${effect}`);

async function spread(world: World) {
  const pod = template("web");
  await world.client.create(
    Deployment,
    deploymentOf("web", { replicas: 2, template: { ...pod, spec: { ...pod.spec, tolerations } } }) as never,
  );
  await world.wait(
    "both nodes have a pod",
    async () => new Set((await world.list(Pod)).map((p) => p.spec?.nodeName)).size === 2,
  );
  await world.wait("pods run", async () =>
    (await world.list(Pod)).every((p) => p.status?.phase === "Running"),
  );
}

describe("Node life cycle", () => {
  it("renews a lease of every node each ten seconds", async () => {
    const world = await newWorld();
    const lease = { name: "node-1", namespace: "kube-node-lease" };
    const before = await world.client.get(Lease, lease);
    expect(before).toMatchObject({ spec: { holderIdentity: "node-1", leaseDurationSeconds: 40 } });
    expect(before.metadata.ownerReferences?.[0]).toMatchObject({ kind: "Node", name: "node-1" });
    await world.pass(10_000);
    expect((await world.client.get(Lease, lease)).spec?.renewTime).toBe("2026-01-01T00:00:10.000000Z");
  });

  it("declares a silent node unknown after 50 s, taints it, and evicts its pods after 300 s more", async () => {
    const world = await newWorld({ nodes: 2 });
    await spread(world);
    world.cluster.nodes.fail("node-2");
    await world.pass(45_000);
    expect(await taints(world, "node-2")).toEqual([]);
    await world.pass(15_000);
    const node = await world.client.get(Node, { name: "node-2" });
    expect(node.status?.conditions?.find((c) => c.type === "Ready")).toMatchObject({
      status: "Unknown",
      reason: "NodeStatusUnknown",
      message: "Kubelet stopped posting node status.",
    });
    expect(await taints(world, "node-2")).toEqual([
      "node.kubernetes.io/unreachable:NoSchedule",
      "node.kubernetes.io/unreachable:NoExecute",
    ]);
    const lost = (await world.list(Pod)).find((p) => p.spec?.nodeName === "node-2");
    expect(lost?.status?.conditions?.find((c) => c.type === "Ready")?.status).toBe("False");
    await world.pass(280_000);
    expect((await world.list(Pod)).filter((p) => p.metadata.deletionTimestamp !== undefined)).toEqual([]);
    await world.pass(30_000);
    const pods = await world.list(Pod);
    expect(
      pods.filter((p) => p.metadata.deletionTimestamp !== undefined).map((p) => p.metadata.name),
    ).toEqual([lost?.metadata.name]);
    expect(pods.filter((p) => p.spec?.nodeName === "node-1")).toHaveLength(2);
  });

  it("replaces pods in another zone when their own toleration is over", async () => {
    const nodes = [
      { name: "a-1", zone: "a" },
      { name: "b-1", zone: "b", capacity: { cpu: "2", memory: "4Gi", pods: "10" } },
    ];
    const world = await newWorld({ nodes });
    const patient = tolerations.map((toleration) => ({ ...toleration, tolerationSeconds: 30 }));
    const { metadata, spec } = template("web");
    const pod = { metadata, spec: { ...spec, tolerations: patient } };
    await world.client.patch(Node, { name: "b-1" }, { merge: { spec: { unschedulable: true } } });
    await world.until("b-1 is cordoned", async () => (await taints(world, "b-1")).length === 1);
    await world.client.create(Deployment, deploymentOf("web", { replicas: 2, template: pod }) as never);
    const zones = async (): Promise<string[]> => {
      const running = (await world.list(Pod)).filter(
        (p) => p.metadata.deletionTimestamp === undefined && p.status?.phase === "Running",
      );
      return running.map((p) => p.spec?.nodeName ?? "").sort();
    };
    await world.wait("both run in zone a", async () => (await zones()).join() === "a-1,a-1");
    await world.client.patch(Node, { name: "b-1" }, { merge: { spec: { unschedulable: null } } as never });
    world.cluster.nodes.fail("a-1");
    await world.pass(75_000);
    expect(await zones()).toEqual(["a-1", "a-1"]);
    await world.pass(20_000);
    expect(await zones()).toEqual(["b-1", "b-1"]);
  });

  it("takes taints away and lets deleted pods go when the node is back", async () => {
    const world = await newWorld({ nodes: 2 });
    await spread(world);
    world.cluster.nodes.fail("node-2");
    await world.pass(400_000);
    await world.cluster.nodes.recover("node-2");
    await world.pass(5000);
    expect(await taints(world, "node-2")).toEqual([]);
    expect((await world.list(Pod)).every((p) => p.metadata.deletionTimestamp === undefined)).toBe(true);
  });

  it("taints a cordoned node, and takes the taint away with the cordon", async () => {
    const world = await newWorld();
    await world.client.patch(Node, { name: "node-1" }, { merge: { spec: { unschedulable: true } } });
    await world.until("it is tainted", async () => (await taints(world, "node-1")).length === 1);
    expect(await taints(world, "node-1")).toEqual(["node.kubernetes.io/unschedulable:NoSchedule"]);
    await world.client.patch(Node, { name: "node-1" }, { merge: { spec: { unschedulable: null } } as never });
    await world.until("it is not", async () => (await taints(world, "node-1")).length === 0);
  });

  it("evicts pods at once from a node with a NoExecute taint that they do not tolerate", async () => {
    const world = await newWorld({ nodes: 2 });
    await spread(world);
    const taint = { key: "maintenance", effect: "NoExecute" };
    await world.client.patch(Node, { name: "node-2" }, { merge: { spec: { taints: [taint] } } });
    await world.wait("all pods are on the other node", async () => {
      const pods = await world.list(Pod);
      return pods.length === 2 && pods.every((p) => p.spec?.nodeName === "node-1");
    });
  });

  it("removes pods of a node that was deleted", async () => {
    const world = await newWorld({ nodes: 2 });
    await spread(world);
    world.cluster.nodes.fail("node-2");
    await world.client.delete(Node, { name: "node-2" });
    await world.wait(
      "all pods are on the other node",
      async () => {
        const pods = await world.list(Pod);
        return pods.length === 2 && pods.every((p) => p.spec?.nodeName === "node-1");
      },
      60_000,
    );
  });

  it("marks pods of a node that was deleted as failed before it removes them", async () => {
    const world = await newWorld({ nodes: 2 });
    await spread(world);
    const lost = (await world.list(Pod)).find((p) => p.spec?.nodeName === "node-2");
    const name = lost?.metadata.name ?? "";
    const key = { name, namespace: "default" };
    await world.client.patch(Pod, key, { merge: { metadata: { finalizers: ["example.com/hold"] } } });
    world.cluster.nodes.fail("node-2");
    await world.client.delete(Node, { name: "node-2" });
    await world.pass(45_000);
    const pod = await world.client.get(Pod, key);
    expect(pod.status?.phase).toBe("Failed");
    expect(pod.status?.conditions?.find(({ type }) => type === "DisruptionTarget")).toMatchObject({
      status: "True",
      reason: "DeletionByPodGC",
      message: "PodGC: node no longer exists",
    });
  });

  it("says that pods are to go, and that they may stay after all when the taint is taken away", async () => {
    const world = await newWorld({ nodes: 2 });
    await spread(world);
    const pod = (await world.list(Pod)).find((p) => p.spec?.nodeName === "node-2");
    const name = pod?.metadata.name ?? "";
    world.cluster.nodes.fail("node-2");
    await world.pass(120_000);
    await world.cluster.nodes.recover("node-2");
    await world.pass(5000);
    const events = (await world.events({ kind: "Pod", name })).filter((text) => text.startsWith("Taint"));
    expect(events).toEqual([`TaintManagerEviction: Cancelling deletion of Pod default/${name}`]);
    world.cluster.nodes.fail("node-2");
    await world.pass(400_000);
    expect(await world.events({ kind: "Pod", name })).toContain(
      `TaintManagerEviction: Marking for deletion Pod default/${name}`,
    );
  });

  it("removes what ends on a node that is declared out of service, and nothing while it is well", async () => {
    const world = await newWorld({ nodes: 2 });
    await spread(world);
    const taint = { key: "node.kubernetes.io/out-of-service", value: "nodeshutdown", effect: "NoExecute" };
    world.cluster.nodes.fail("node-2");
    await world.pass(400_000);
    const terminating = async (): Promise<number> =>
      (await world.list(Pod)).filter((p) => p.metadata.deletionTimestamp !== undefined).length;
    expect(await terminating()).toBe(1);
    const { spec } = await world.client.get(Node, { name: "node-2" });
    const taints = [...(spec?.taints ?? []), taint];
    await world.client.patch(Node, { name: "node-2" }, { merge: { spec: { taints } } as never });
    await world.until("it is gone", async () => (await terminating()) === 0);
  });

  it("forgets events after an hour", async () => {
    const world = await newWorld();
    await world.client.create(Pod, {
      metadata: { name: "p", namespace: "default" },
      spec: { containers: [{ name: "c", image: "i" }] },
    } as never);
    await world.pass(3_590_000);
    expect((await world.list(Event, { namespace: "default" })).length).toBeGreaterThan(0);
    await world.pass(20_000);
    expect(await world.list(Event, { namespace: "default" })).toEqual([]);
  });
});
