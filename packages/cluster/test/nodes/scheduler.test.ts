import { Node, Pod } from "@bowline/api/core/v1";
import { PriorityClass } from "@bowline/api/scheduling/v1";
import { describe, expect, it } from "vitest";
import type { SimulatedNodeOptions } from "../../src/nodes/simulated-node.ts";
import { type World, newWorld } from "../controllers/world.ts";

const zones: readonly SimulatedNodeOptions[] = [
  { name: "a1", zone: "a", labels: { disk: "ssd" } },
  { name: "a2", zone: "a" },
  { name: "b1", zone: "b" },
];

async function create(world: World, name: string, spec: object = {}, labels: Record<string, string> = {}) {
  const { containers = [{ name: "main", image: "app" }], ...rest } = spec as { containers?: object[] };
  const pod = await world.client.create(Pod, {
    metadata: { name, namespace: "default", labels },
    spec: { containers, ...rest },
  } as never);
  await world.pass(0);
  return pod;
}

const nodeOf = async (world: World, name: string) =>
  (await world.client.get(Pod, { name, namespace: "default" })).spec?.nodeName;
const problem = async (world: World, name: string) => {
  const pod = await world.client.get(Pod, { name, namespace: "default" });
  const condition = pod.status?.conditions?.find((c) => c.type === "PodScheduled");
  return condition === undefined
    ? undefined
    : `${condition.status} ${condition.reason}: ${condition.message}`;
};
const cpu = (amount: string, more: object = {}) => ({
  containers: [{ name: "main", image: "app", resources: { requests: { cpu: amount } } }],
  ...more,
});
const affinity = (operator: string, key: string, values?: string[]) => ({
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key, operator, ...(values && { values }) }] }],
      },
    },
  },
});
const term = (app: string, topologyKey: string) => ({ labelSelector: { matchLabels: { app } }, topologyKey });

describe("Scheduler", () => {
  it("says of a pod that fits nowhere why, by node, in its condition and an event", async () => {
    const world = await newWorld({
      nodes: [
        { name: "small", capacity: { cpu: "1" } },
        { name: "tainted", taints: [{ key: "dedicated", effect: "NoSchedule" }] },
        { name: "third", capacity: { cpu: "1" } },
      ],
    });
    await create(world, "p", cpu("2"));
    const message =
      "0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 Insufficient cpu. no new claims to deallocate, preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.";
    expect(await problem(world, "p")).toBe(`False Unschedulable: ${message}`);
    expect(await world.events({ kind: "Pod", name: "p" })).toEqual([`FailedScheduling: ${message}`]);
  });

  it("says that there are no nodes, and schedules when one comes", async () => {
    const world = await newWorld({ nodes: 0 });
    await create(world, "p");
    expect(await problem(world, "p")).toBe("False Unschedulable: no nodes available to schedule pods");
    await world.cluster.nodes.add({ name: "first" });
    await world.wait("it is bound", async () => (await nodeOf(world, "p")) === "first", 10_000);
  });

  it("honours requests, init containers and the number of pods, and goes on when room is made", async () => {
    const world = await newWorld({ nodes: [{ name: "only", capacity: { cpu: "2", pods: "3" } }] });
    await create(world, "first", {
      ...cpu("500m"),
      initContainers: [{ name: "i", image: "app", resources: { requests: { cpu: "1500m" } } }],
    });
    await create(world, "second", cpu("1"));
    expect([await nodeOf(world, "first"), await nodeOf(world, "second")]).toEqual(["only", undefined]);
    await world.client.delete(Pod, { name: "first", namespace: "default" });
    await world.wait("the second is bound", async () => (await nodeOf(world, "second")) === "only", 10_000);
    for (const name of ["third", "fourth"]) await create(world, name);
    await create(world, "fifth");
    expect(await problem(world, "fifth")).toContain("1 Too many pods");
  });

  it.each([
    [{ nodeSelector: { disk: "ssd" } }, ["a1"]],
    [affinity("In", "topology.kubernetes.io/zone", ["b"]), ["b1"]],
    [affinity("NotIn", "topology.kubernetes.io/zone", ["a"]), ["b1"]],
    [affinity("Exists", "disk"), ["a1"]],
    [affinity("DoesNotExist", "disk"), ["a2", "b1"]],
    [{ nodeSelector: { disk: "tape" } }, [undefined]],
  ])("binds a pod with %j only to matching nodes", async (spec, allowed) => {
    const world = await newWorld({ nodes: zones });
    await create(world, "p", spec);
    expect(allowed).toContain(await nodeOf(world, "p"));
    if (allowed[0] === undefined)
      expect(await problem(world, "p")).toContain("3 node(s) didn't match Pod's node affinity/selector");
  });

  it.each([
    [[{ key: "k", operator: "Exists" }], "tainted"],
    [[{ key: "k", operator: "Equal", value: "v", effect: "NoSchedule" }], "tainted"],
    [[{ key: "k", operator: "Equal", value: "other" }], undefined],
    [[{ operator: "Exists" }], "tainted"],
    [[], undefined],
  ])("lets a pod with the tolerations %j onto a tainted node: %s", async (tolerations, node) => {
    const world = await newWorld({
      nodes: [{ name: "tainted", taints: [{ key: "k", value: "v", effect: "NoSchedule" }] }],
    });
    await create(world, "p", { tolerations });
    expect(await nodeOf(world, "p")).toBe(node);
  });

  it("does not bind to a cordoned node", async () => {
    const world = await newWorld({ nodes: 1 });
    await world.client.patch(Node, { name: "node-1" }, { merge: { spec: { unschedulable: true } } });
    await world.quiet();
    await create(world, "p");
    expect(await problem(world, "p")).toMatch(/1 node\(s\) (were unschedulable|had untolerated taint\(s\))/);
  });

  it("puts pods near those that they want to be near, and away from those that they do not", async () => {
    const world = await newWorld({ nodes: zones });
    await create(world, "db", { nodeSelector: { "kubernetes.io/hostname": "b1" } }, { app: "db" });
    const near = {
      affinity: {
        podAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [term("db", "topology.kubernetes.io/zone")],
        },
      },
    };
    await create(world, "near", near);
    expect(await nodeOf(world, "near")).toBe("b1");
    const far = {
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [term("db", "topology.kubernetes.io/zone")],
        },
      },
    };
    await create(world, "far", far);
    expect(["a1", "a2"]).toContain(await nodeOf(world, "far"));
    const shy = {
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [term("shy", "kubernetes.io/hostname")],
        },
      },
    };
    for (const name of ["s1", "s2", "s3", "s4"]) await create(world, name, shy, { app: "shy" });
    expect(
      new Set([await nodeOf(world, "s1"), await nodeOf(world, "s2"), await nodeOf(world, "s3")]),
    ).toEqual(new Set(["a1", "a2", "b1"]));
    expect(await problem(world, "s4")).toContain("3 node(s) didn't match pod anti-affinity rules");
  });

  it("keeps pods away from pods that do not want them, without a word of their own", async () => {
    const world = await newWorld({ nodes: 1 });
    const alone = {
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [term("noisy", "kubernetes.io/hostname")],
        },
      },
    };
    await create(world, "alone", alone);
    await create(world, "noisy", {}, { app: "noisy" });
    expect(await problem(world, "noisy")).toContain(
      "1 node(s) didn't satisfy existing pods anti-affinity rules",
    );
  });

  it("spreads pods over zones within maxSkew", async () => {
    const world = await newWorld({ nodes: zones });
    const spread = {
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: "topology.kubernetes.io/zone",
          whenUnsatisfiable: "DoNotSchedule",
          labelSelector: { matchLabels: { app: "web" } },
        },
      ],
    };
    for (let i = 0; i < 6; i++) await create(world, `web-${i}`, spread, { app: "web" });
    const nodes = await Promise.all(Array.from({ length: 6 }, (_, i) => nodeOf(world, `web-${i}`)));
    expect(nodes.filter((name) => name === "b1")).toHaveLength(3);
  });

  it("takes the emptiest of several nodes", async () => {
    const world = await newWorld({ nodes: 3 });
    for (let i = 0; i < 9; i++) await create(world, `p${i}`, cpu("1"));
    const counts = new Map<string, number>();
    for (const pod of await world.list(Pod))
      counts.set(pod.spec?.nodeName ?? "", (counts.get(pod.spec?.nodeName ?? "") ?? 0) + 1);
    expect([...counts.values()]).toEqual([3, 3, 3]);
  });

  it("evicts pods of lower priority for one of higher, and no more than needed", async () => {
    const world = await newWorld({ nodes: [{ name: "only", capacity: { cpu: "3" } }] });
    const priorities = { low: 1, middle: 5, high: 10, urgent: 100 };
    for (const [name, value] of Object.entries(priorities)) {
      await world.client.create(PriorityClass, { metadata: { name }, value });
      await create(world, name, cpu("1", { priorityClassName: name }));
    }
    await world.wait("it is bound", async () => (await nodeOf(world, "urgent")) === "only", 60_000);
    expect(await world.names(Pod)).toEqual(["high", "middle", "urgent"]);
    expect(
      (await world.events({ kind: "Pod", name: "low" })).find((text) => text.startsWith("Preempted")),
    ).toMatch(/^Preempted: Preempted by pod .* on node only$/);
  });

  it("leaves pods with scheduling gates or another scheduler alone", async () => {
    const world = await newWorld();
    await create(world, "gated", { schedulingGates: [{ name: "example.com/wait" }] });
    await create(world, "other", { schedulerName: "mine" });
    await world.pass(60_000);
    expect([await nodeOf(world, "gated"), await nodeOf(world, "other")]).toEqual([undefined, undefined]);
  });
});
