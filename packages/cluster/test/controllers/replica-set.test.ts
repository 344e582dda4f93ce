import { ReplicaSet } from "@bowline/api/apps/v1";
import {
  ConfigMap,
  Namespace,
  Pod,
  ReplicationController,
  Service,
  ServiceAccount,
} from "@bowline/api/core/v1";
import { describe, expect, it } from "vitest";
import { rankForDeletion } from "../../src/controllers/pods/pod-state.ts";
import { type World, newWorld, template } from "./world.ts";

const key = { name: "web", namespace: "default" };

const create = (world: World, spec: object = {}) =>
  world.client.create(ReplicaSet, {
    metadata: key,
    spec: { replicas: 3, selector: { matchLabels: { app: "web" } }, template: template("web"), ...spec },
  } as never);

const get = (world: World) => world.client.get(ReplicaSet, key);
const ready = (world: World, count: number) =>
  world.wait(`${count} are ready`, async () => {
    const { status, metadata } = await get(world);
    return (
      status?.readyReplicas === count &&
      status.replicas === count &&
      status.observedGeneration === metadata.generation
    );
  });

async function pod(world: World, name: string, meta: object = {}) {
  return world.client.create(Pod, {
    ...template("web"),
    metadata: { name, namespace: "default", labels: { app: "web" }, ...meta },
  } as never);
}

describe("ReplicaSet controller", () => {
  it("keeps as many pods as are wanted, and counts them", async () => {
    const world = await newWorld();
    await create(world);
    await ready(world, 3);
    expect((await get(world)).status).toMatchObject({
      fullyLabeledReplicas: 3,
      availableReplicas: 3,
      terminatingReplicas: 0,
    });
    const [first] = await world.list(Pod);
    await world.client.delete(Pod, first as never);
    await world.pass(1000);
    await ready(world, 3);
    expect(await world.names(Pod)).not.toContain(first?.metadata.name);
  });

  it("adopts matching orphans, deletes what is too much, and lets go of pods whose labels change", async () => {
    const world = await newWorld();
    await pod(world, "orphan");
    const set = await create(world, { replicas: 1 });
    await world.wait("the orphan is adopted", async () => {
      const found = await world.client.get(Pod, { ...key, name: "orphan" });
      return found.metadata.ownerReferences?.[0]?.uid === set.metadata.uid;
    });
    expect(await world.names(Pod)).toEqual(["orphan"]);
    await world.client.patch(
      Pod,
      { ...key, name: "orphan" },
      { merge: { metadata: { labels: { app: "debug" } } } },
    );
    await world.wait("it is let go and replaced", async () => {
      const found = await world.client.get(Pod, { ...key, name: "orphan" });
      return found.metadata.ownerReferences === undefined && (await world.list(Pod)).length === 2;
    });
    await pod(world, "surplus");
    await world.wait("the surplus goes", async () => (await world.list(Pod)).length === 2);
  });

  it("gives up the pod with the lowest deletion cost first", async () => {
    const world = await newWorld();
    await create(world, { replicas: 2 });
    await ready(world, 2);
    const [cheap] = await world.list(Pod);
    const annotations = { "controller.kubernetes.io/pod-deletion-cost": "-10" };
    await world.client.patch(Pod, cheap as never, { merge: { metadata: { annotations } } });
    await world.client.patch(ReplicaSet, key, { merge: { spec: { replicas: 1 } } });
    await world.wait("one is left", async () => (await world.list(Pod)).length === 1);
    expect(await world.names(Pod)).not.toContain(cheap?.metadata.name);
  });

  it("says in a condition why it cannot create pods, and takes it back when it can", async () => {
    const world = await newWorld();
    const bad = {
      ...template("web"),
      spec: { containers: [{ name: "main", image: "nginx" }], serviceAccountName: "missing" },
    };
    await create(world, { template: bad });
    await world.pass(2000);
    const failure = (await get(world)).status?.conditions?.find((c) => c.type === "ReplicaFailure");
    expect(failure).toMatchObject({ status: "True", reason: "FailedCreate" });
    await world.client.create(ServiceAccount, { metadata: { name: "missing", namespace: "default" } });
    await ready(world, 3);
    expect((await get(world)).status?.conditions ?? []).toEqual([]);
  });

  it("counts pods as available after minReadySeconds", async () => {
    const world = await newWorld();
    await create(world, { minReadySeconds: 30 });
    await ready(world, 3);
    await world.pass(25_000);
    expect((await get(world)).status?.availableReplicas ?? 0).toBe(0);
    await world.pass(10_000);
    expect((await get(world)).status?.availableReplicas).toBe(3);
  });
});

describe("Order in which pods are given up", () => {
  const at = (minute: number) => `2026-01-01T00:${String(minute).padStart(2, "0")}:00Z`;
  const member = (
    name: string,
    more: {
      node?: string;
      phase?: string;
      readyAt?: string;
      restarts?: number;
      created?: string;
      cost?: string;
    } = {},
  ) =>
    ({
      apiVersion: "v1",
      kind: "Pod",
      metadata: {
        name,
        creationTimestamp: more.created ?? at(0),
        ...(more.cost && { annotations: { "controller.kubernetes.io/pod-deletion-cost": more.cost } }),
      },
      spec: { containers: [], ...(more.node && { nodeName: more.node }) },
      status: {
        phase: more.phase ?? "Running",
        ...(more.readyAt && {
          conditions: [{ type: "Ready", status: "True", lastTransitionTime: more.readyAt }],
        }),
        containerStatuses: [{ restartCount: more.restarts ?? 0 }],
      },
    }) as never;
  const up = { node: "a", readyAt: at(1) };

  it.each([
    ["unassigned before assigned", member("x"), member("y", up)],
    ["pending before running", member("x", { node: "a", phase: "Pending" }), member("y", { node: "a" })],
    ["not ready before ready", member("x", { node: "a" }), member("y", up)],
    ["lower cost before higher", member("x", { ...up, cost: "-1" }), member("y", up)],
    [
      "ready for less time before ready for longer",
      member("x", { node: "a", readyAt: at(9) }),
      member("y", up),
    ],
    ["more restarts before fewer", member("x", { ...up, restarts: 3 }), member("y", up)],
    ["younger before older", member("x", { ...up, created: at(5) }), member("y", up)],
  ])("%s", (_rule, first, second) => {
    const names = (pods: readonly { metadata: { name?: string } }[]) => pods.map((one) => one.metadata.name);
    expect(names(rankForDeletion([first, second]))).toEqual(["x", "y"]);
    expect(names(rankForDeletion([second, first]))).toEqual(["x", "y"]);
  });

  it("more of its workload on the node before fewer", () => {
    const pods = [
      member("alone", up),
      member("x1", { ...up, node: "b" }),
      member("x2", { ...up, node: "b" }),
    ];
    expect(rankForDeletion(pods).at(-1)).toBe(pods[0]);
  });
});

describe("ReplicationController controller", () => {
  it("keeps pods like a ReplicaSet, by a plain map of labels", async () => {
    const world = await newWorld();
    await world.client.create(ReplicationController, {
      metadata: key,
      spec: { replicas: 2, selector: { app: "web" }, template: template("web") },
    } as never);
    await world.wait(
      "two are ready",
      async () => (await world.client.get(ReplicationController, key)).status?.readyReplicas === 2,
    );
    await world.client.delete(ReplicationController, key, { propagationPolicy: "Background" });
    await world.wait("none is left", async () => (await world.list(Pod)).length === 0);
  });
});

describe("Namespace content", () => {
  it("gives every namespace its service account and the root certificate, again when they are deleted", async () => {
    const world = await newWorld();
    await world.client.create(Namespace, { metadata: { name: "team" } });
    const account = { name: "default", namespace: "team" };
    const map = { name: "kube-root-ca.crt", namespace: "team" };
    await world.until(
      "both are there",
      async () =>
        (await world.client.find(ServiceAccount, account)) !== undefined &&
        (await world.client.find(ConfigMap, map)) !== undefined,
    );
    await world.client.delete(ServiceAccount, account);
    await world.client.patch(ConfigMap, map, { merge: { data: { "ca.crt": "forged" } } });
    await world.until("both are as they were", async () => {
      const found = await world.client.find(ConfigMap, map);
      return (
        (await world.client.find(ServiceAccount, account)) !== undefined && found?.data?.["ca.crt"] === ""
      );
    });
  });

  it("has the Service kubernetes in the default namespace, again when it is deleted", async () => {
    const world = await newWorld();
    const key = { name: "kubernetes", namespace: "default" };
    const isThere = async (): Promise<boolean> =>
      (await world.client.find(Service, key))?.spec?.clusterIP === "10.96.0.1";
    await world.until("it is there", isThere);
    await world.client.delete(Service, key);
    await world.until("it is there again", isThere);
    expect(world.errors).toEqual([]);
  });
});
