import { ControllerRevision, StatefulSet } from "@bowline/api/apps/v1";
import { PersistentVolumeClaim, Pod } from "@bowline/api/core/v1";
import { describe, expect, it } from "vitest";
import { type World, newWorld, template } from "./world.ts";

const key = { name: "db", namespace: "default" };
const broken = "bowline.dev/never-ready";

function setOf(spec: object = {}): never {
  return {
    metadata: key,
    spec: {
      serviceName: "db",
      replicas: 3,
      selector: { matchLabels: { app: "db" } },
      template: template("db"),
      ...spec,
    },
  } as never;
}

const create = (world: World, spec: object = {}) => world.client.create(StatefulSet, setOf(spec));
const get = (world: World) => world.client.get(StatefulSet, key);
const change = (world: World, spec: object) =>
  world.client.patch(StatefulSet, key, { merge: { spec } as never });
const setImage = (world: World, image: string) => change(world, { template: template("db", image) });

async function ready(world: World, count = 3) {
  await world.wait(`${count} pods are ready`, async () => {
    const { status, metadata } = await get(world);
    return (
      status?.readyReplicas === count &&
      status.replicas === count &&
      status.observedGeneration === metadata.generation
    );
  });
}

async function rolledOut(world: World) {
  await world.wait("the update is complete", async () => {
    const { status, metadata } = await get(world);
    const isSeen = status?.observedGeneration === metadata.generation;
    return (
      isSeen &&
      status?.currentRevision === status?.updateRevision &&
      status?.readyReplicas === 3 &&
      status.updatedReplicas === 3
    );
  });
}

const images = async (world: World) =>
  Object.fromEntries(
    (await world.list(Pod)).map((pod) => [pod.metadata.name, pod.spec?.containers[0]?.image]),
  );

/** Names of pods in the order of their creation. */
async function order(world: World, kind: "ADDED" | "DELETED", until: () => Promise<unknown>) {
  const names: string[] = [];
  const watch = await world.client.watch(Pod, { namespace: "default" });
  const reading = (async () => {
    for await (const event of watch) if (event.type === kind) names.push(event.object.metadata.name ?? "");
  })();
  await until();
  watch.close();
  await reading;
  return names;
}

describe("StatefulSet controller", () => {
  it("creates pods one after the other, each when the one before is ready, with names and labels of their own", async () => {
    const world = await newWorld({ podStartDelayMs: 2000 });
    await create(world);
    await world.pass(1000);
    expect(await world.names(Pod)).toEqual(["db-0"]);
    await world.pass(2000);
    expect(await world.names(Pod)).toEqual(["db-0", "db-1"]);
    await ready(world);
    const set = await get(world);
    const pods = await world.list(Pod);
    expect(pods.map((pod) => pod.metadata.labels)).toEqual(
      [0, 1, 2].map((ordinal) => ({
        app: "db",
        "apps.kubernetes.io/pod-index": String(ordinal),
        "controller-revision-hash": set.status?.currentRevision,
        "statefulset.kubernetes.io/pod-name": `db-${ordinal}`,
      })),
    );
    expect(pods.map((pod) => [pod.spec?.hostname, pod.spec?.subdomain])).toEqual(
      [0, 1, 2].map((i) => [`db-${i}`, "db"]),
    );
    expect(await world.events({ kind: "StatefulSet", name: "db" })).toEqual(
      [0, 1, 2].map((i) => `SuccessfulCreate: create Pod db-${i} in StatefulSet db successful`),
    );
  });

  it("creates all pods at once with the policy Parallel", async () => {
    const world = await newWorld({ podStartDelayMs: 60_000 });
    await create(world, { podManagementPolicy: "Parallel" });
    await world.pass(1000);
    expect(await world.names(Pod)).toEqual(["db-0", "db-1", "db-2"]);
  });

  it("begins with spec.ordinals.start", async () => {
    const world = await newWorld();
    await create(world, { ordinals: { start: 5 }, replicas: 2 });
    await ready(world, 2);
    expect(await world.names(Pod)).toEqual(["db-5", "db-6"]);
  });

  it("scales down from the last pod, one after the other", async () => {
    const world = await newWorld();
    await create(world);
    await ready(world);
    const deleted = await order(world, "DELETED", async () => {
      await change(world, { replicas: 0 });
      await world.wait("no pod is left", async () => (await world.list(Pod)).length === 0);
    });
    expect(deleted).toEqual(["db-2", "db-1", "db-0"]);
  });

  it("updates from the last pod to the first", async () => {
    const world = await newWorld();
    await create(world);
    await ready(world);
    const added = await order(world, "ADDED", async () => {
      await setImage(world, "nginx:2");
      await rolledOut(world);
    });
    expect(added.slice(-3)).toEqual(["db-2", "db-1", "db-0"]);
    expect(new Set(Object.values(await images(world)))).toEqual(new Set(["nginx:2"]));
  });

  it("updates only pods at or above the partition, and remakes those below from the old template", async () => {
    const world = await newWorld();
    await create(world, { updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 2 } } });
    await ready(world);
    await setImage(world, "nginx:2");
    await world.wait("db-2 is updated", async () => (await images(world))["db-2"] === "nginx:2");
    await ready(world);
    expect(await images(world)).toEqual({ "db-0": "nginx:1", "db-1": "nginx:1", "db-2": "nginx:2" });
    await world.client.delete(Pod, { name: "db-0", namespace: "default" });
    await world.pass(2000);
    await ready(world);
    expect((await images(world))["db-0"]).toBe("nginx:1");
    const { status } = await get(world);
    expect(status?.updatedReplicas).toBe(1);
    expect(status?.currentRevision).not.toBe(status?.updateRevision);
  });

  it("leaves pods to be deleted by hand with the strategy OnDelete", async () => {
    const world = await newWorld();
    await create(world, { updateStrategy: { type: "OnDelete" } });
    await ready(world);
    await setImage(world, "nginx:2");
    await world.pass(60_000);
    expect(new Set(Object.values(await images(world)))).toEqual(new Set(["nginx:1"]));
    await world.client.delete(Pod, { name: "db-1", namespace: "default" });
    await world.wait("db-1 is new", async () => (await images(world))["db-1"] === "nginx:2");
  });

  it("stays stuck on a broken template, also when the template is mended, until the pod is deleted (kubernetes#67250)", async () => {
    const world = await newWorld();
    await create(world);
    await ready(world);
    await setImage(world, broken);
    await world.pass(60_000);
    await setImage(world, "nginx:3");
    await world.pass(600_000);
    expect(await images(world)).toEqual({ "db-0": "nginx:1", "db-1": "nginx:1", "db-2": broken });
    await world.client.delete(Pod, { name: "db-2", namespace: "default" });
    await rolledOut(world);
  });

  it("waits minReadySeconds before the next pod", async () => {
    const world = await newWorld();
    await create(world, { minReadySeconds: 30 });
    await world.pass(20_000);
    expect(await world.names(Pod)).toEqual(["db-0"]);
    await world.pass(15_000);
    expect(await world.names(Pod)).toEqual(["db-0", "db-1"]);
    const { status } = await get(world);
    expect([status?.readyReplicas, status?.availableReplicas]).toEqual([2, 1]);
  });

  it("numbers templates in ControllerRevisions, and keeps revisionHistoryLimit old ones", async () => {
    const world = await newWorld();
    await create(world, { revisionHistoryLimit: 2 });
    await ready(world);
    for (const version of [2, 3, 4, 5]) {
      await setImage(world, `nginx:${version}`);
      await rolledOut(world);
    }
    await world.quiet();
    const revisions = await world.list(ControllerRevision);
    expect(revisions.map((r) => r.revision).sort()).toEqual([3, 4, 5]);
    await setImage(world, "nginx:4");
    await rolledOut(world);
    const back = (await world.list(ControllerRevision)).find(
      (r) => r.metadata.name === revisions.find((o) => o.revision === 4)?.metadata.name,
    );
    expect(back?.revision).toBe(6);
  });

  it("recreates a pod that has failed", async () => {
    const world = await newWorld();
    await create(world, { replicas: 1 });
    await ready(world, 1);
    const before = await world.client.get(Pod, { name: "db-0", namespace: "default" });
    await world.client.patch(
      Pod,
      before,
      { merge: { status: { phase: "Failed" } } },
      { subresource: "status" },
    );
    await world.wait("another pod runs", async () => {
      const pod = await world.client.find(Pod, { name: "db-0", namespace: "default" });
      return pod !== undefined && pod.metadata.uid !== before.metadata.uid && pod.status?.phase === "Running";
    });
    expect(await world.events({ kind: "StatefulSet", name: "db" })).toContain(
      "RecreatingFailedPod: StatefulSet default/db is recreating failed Pod db-0",
    );
  });

  const claims = [
    {
      metadata: { name: "data" },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    },
  ];

  it("makes claims <template>-<set>-<ordinal>, and keeps them after pods and set are gone", async () => {
    const world = await newWorld();
    await create(world, { replicas: 2, volumeClaimTemplates: claims });
    await ready(world, 2);
    expect(await world.names(PersistentVolumeClaim)).toEqual(["data-db-0", "data-db-1"]);
    const pod = await world.client.get(Pod, { name: "db-1", namespace: "default" });
    expect(pod.spec?.volumes?.find((v) => v.name === "data")?.persistentVolumeClaim?.claimName).toBe(
      "data-db-1",
    );
    await change(world, { replicas: 1 });
    await world.wait("one pod is left", async () => (await world.list(Pod)).length === 1);
    await world.client.delete(StatefulSet, key);
    await world.wait("no pod is left", async () => (await world.list(Pod)).length === 0);
    await world.quiet();
    expect(await world.names(PersistentVolumeClaim)).toEqual(["data-db-0", "data-db-1"]);
  });

  it("lets claims go with scaled-down pods and with the set when the retention policy says so", async () => {
    const world = await newWorld();
    await create(world, {
      replicas: 2,
      volumeClaimTemplates: claims,
      persistentVolumeClaimRetentionPolicy: { whenScaled: "Delete", whenDeleted: "Delete" },
    });
    await ready(world, 2);
    await change(world, { replicas: 1 });
    await world.wait(
      "one claim is left",
      async () => (await world.names(PersistentVolumeClaim)).length === 1,
    );
    await world.client.delete(StatefulSet, key);
    await world.wait("no claim is left", async () => (await world.names(PersistentVolumeClaim)).length === 0);
  });
});
