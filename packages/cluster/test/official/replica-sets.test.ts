/** Named after the official conformance tests that they re-express; what each does is ours. */

import { describe, expect, it } from "vitest";
import { type World, newWorld, template } from "../controllers/world.ts";
import { hasScale, hasStatus, listsAndDeletesCollection, updateLatest } from "./api-operations.ts";
import { Endpoint, type Found } from "./endpoint.ts";
import { namespace, replicaSet, rc, running, runs } from "./workloads.ts";

describe("[sig-apps] ReplicaSet", () => {
  const sets = (world: World): Endpoint => new Endpoint(world, "apps/v1/replicasets", namespace);

  it("Replace and Patch tests", async () => {
    const world = await newWorld();
    await sets(world).create(replicaSet("set", { replicas: 1 }));
    await runs(world, "set", 1);
    await updateLatest(sets(world), "set", (found) => ({ ...found, spec: { ...found.spec, replicas: 2 } }));
    await runs(world, "set", 2);
    const patched = await sets(world).patch("set", {
      metadata: { labels: { "test-rs": "patched" } },
      spec: { replicas: 3, template: { spec: { terminationGracePeriodSeconds: 0 } } },
    });
    expect(patched.metadata.labels).toMatchObject({ "test-rs": "patched" });
    await runs(world, "set", 3);
  });

  it("Replicaset should have a working scale subresource", async () => {
    await hasScale(await newWorld(), { gvr: "apps/v1/replicasets", namespace, make: replicaSet });
  });

  it("should adopt matching pods on creation and release no longer matching pods", async () => {
    const world = await newWorld();
    const pods = new Endpoint(world, "v1/pods", namespace);
    await pods.create({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "orphan", labels: { app: "adopter" } } as never,
      spec: template("adopter").spec,
    });
    await sets(world).create(replicaSet("adopter", { replicas: 1 }));
    await world.wait("it is adopted", async () => {
      return (await pods.get("orphan")).metadata.ownerReferences?.[0]?.name === "adopter";
    });
    await pods.patch("orphan", { metadata: { labels: { app: "free" } } });
    await world.wait("it is released", async () => {
      return (await pods.get("orphan")).metadata.ownerReferences === undefined;
    });
    await runs(world, "adopter", 1);
  });

  it("should list and delete a collection of ReplicaSets", async () => {
    await listsAndDeletesCollection(await newWorld(), {
      gvr: "apps/v1/replicasets",
      namespace,
      make: replicaSet,
    });
  });

  it("should serve a basic image on each replica with a public image", async () => {
    const world = await newWorld();
    await sets(world).create(replicaSet("basic", { replicas: 3 }));
    await runs(world, "basic", 3);
    const addresses = (await running(world, "basic")).map((pod) => pod.status.podIP);
    expect(new Set(addresses).size).toBe(3);
  });

  it("should validate Replicaset Status endpoints", async () => {
    const world = await newWorld();
    await sets(world).create(replicaSet("state", { replicas: 1 }));
    await runs(world, "state", 1);
    await hasStatus(sets(world), "state", {
      conditions: [{ type: "StatusUpdate", status: "True", reason: "E2E", message: "Set from a test" }],
    });
  });
});

describe("[sig-apps] ReplicationController", () => {
  const controllers = (world: World): Endpoint => new Endpoint(world, "v1/replicationcontrollers", namespace);

  it("should adopt matching pods on creation", async () => {
    const world = await newWorld();
    const pods = new Endpoint(world, "v1/pods", namespace);
    await pods.create({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "orphan", labels: { app: "adopter" } } as never,
      spec: template("adopter").spec,
    });
    await controllers(world).create(rc("adopter", { replicas: 1 }));
    await world.wait("it is adopted", async () => {
      return (await pods.get("orphan")).metadata.ownerReferences?.[0]?.name === "adopter";
    });
  });

  it("should get and update a ReplicationController scale", async () => {
    await hasScale(await newWorld(), { gvr: "v1/replicationcontrollers", namespace, make: rc });
  });

  it("should release no longer matching pods", async () => {
    const world = await newWorld();
    await controllers(world).create(rc("keeper", { replicas: 1 }));
    await runs(world, "keeper", 1);
    const [pod] = await running(world, "keeper");
    const name = pod?.metadata.name ?? "";
    const pods = new Endpoint(world, "v1/pods", namespace);
    await pods.patch(name, { metadata: { labels: { app: "free" } } });
    await world.wait("it is released", async () => {
      return (await pods.get(name)).metadata.ownerReferences === undefined;
    });
  });

  it("should serve a basic image on each replica with a public image", async () => {
    const world = await newWorld();
    await controllers(world).create(rc("basic", { replicas: 2 }));
    await runs(world, "basic", 2);
    expect((await controllers(world).get("basic")).status).toMatchObject({ replicas: 2 });
  });

  it("should surface a failure condition on a common issue like exceeded quota", async () => {
    const world = await newWorld();
    const quotas = new Endpoint(world, "v1/resourcequotas", namespace);
    await quotas.create({
      apiVersion: "v1",
      kind: "ResourceQuota",
      metadata: { name: "two" },
      spec: { hard: { pods: "2" } },
    });
    await world.wait("it is counted", async () => (await quotas.get("two")).status?.used !== undefined);
    await controllers(world).create(rc("three", { replicas: 3 }));
    const failure = async (): Promise<Found | undefined> =>
      (await controllers(world).get("three")).status?.conditions?.find(
        (condition: { type: string }) => condition.type === "ReplicaFailure",
      );
    await world.wait("it says so", async () => (await failure()) !== undefined);
    await updateLatest(controllers(world), "three", (found) => ({
      ...found,
      spec: { ...found.spec, replicas: 2 },
    }));
    await world.wait("it takes it back", async () => (await failure()) === undefined);
  });

  it("should test the lifecycle of a ReplicationController", async () => {
    const world = await newWorld();
    await controllers(world).create(rc("life", { replicas: 1 }));
    await runs(world, "life", 1);
    await controllers(world).patch("life", { metadata: { labels: { test: "patched" } } });
    await controllers(world).patch("life", { spec: { replicas: 2 } }, "scale");
    await runs(world, "life", 2);
    await hasStatus(controllers(world), "life", { conditions: [{ type: "Tested", status: "True" }] });
    expect((await new Endpoint(world, "v1/replicationcontrollers").list()).items).toHaveLength(1);
    await controllers(world).deleteCollection({ labelSelector: "test=patched" });
    await world.wait("it is gone", async () => (await controllers(world).find("life")) === undefined);
  });
});
