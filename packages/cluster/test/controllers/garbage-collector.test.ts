import type { DeepReadonly, KubeObject } from "@bowline/api";
import { Deployment, ReplicaSet } from "@bowline/api/apps/v1";
import { ConfigMap, Namespace, Node, Pod } from "@bowline/api/core/v1";
import { CustomResourceDefinition } from "@bowline/api/apiextensions/v1";
import { describe, expect, it } from "vitest";
import { type World, deploymentOf, newWorld } from "./world.ts";

const reference = (owner: DeepReadonly<KubeObject>, more: object = {}) => ({
  apiVersion: owner.apiVersion,
  kind: owner.kind,
  name: owner.metadata.name ?? "",
  uid: owner.metadata.uid ?? "",
  ...more,
});

async function map(world: World, name: string, meta: object = {}) {
  return world.client.create(ConfigMap, { metadata: { name, namespace: "default", ...meta } });
}

const gone =
  (world: World, name: string, namespace = "default") =>
  async () =>
    (await world.client.find(ConfigMap, { name, namespace })) === undefined;

const application = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "applications.example.com" },
  spec: {
    group: "example.com",
    names: { kind: "Application", plural: "applications" },
    scope: "Namespaced",
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
};

describe("Garbage collector", () => {
  it("deletes a Deployment's ReplicaSets and pods after it", async () => {
    const world = await newWorld();
    await world.client.create(Deployment, deploymentOf("web", { replicas: 3 }) as never);
    await world.wait(
      "three pods run",
      async () => (await world.list(Pod)).filter((p) => p.status?.phase === "Running").length === 3,
    );
    await world.client.delete(Deployment, { name: "web", namespace: "default" });
    await world.wait(
      "nothing is left",
      async () => (await world.list(Pod)).length + (await world.list(ReplicaSet)).length === 0,
      1000,
    );
    expect(world.errors).toEqual([]);
  });

  it("deletes what a custom resource owns, down to the pods, and follows kinds that appear later", async () => {
    const world = await newWorld();
    await world.client.create(CustomResourceDefinition, application as never);
    const kind = { apiVersion: "example.com/v1", kind: "Application" };
    const app = await world.wait("the kind is served", () =>
      world.client
        .create(kind, { ...kind, metadata: { name: "myapp", namespace: "default" } })
        .catch(() => undefined),
    );
    const owned = deploymentOf("myapp", { replicas: 2 });
    await world.client.create(Deployment, {
      ...owned,
      metadata: {
        ...owned.metadata,
        ownerReferences: [reference(app, { controller: true, blockOwnerDeletion: true })],
      },
    } as never);
    await world.wait("pods run", async () => (await world.list(Pod)).length === 2);
    await world.client.delete(kind, app);
    await world.wait(
      "nothing is left",
      async () =>
        (await world.list(Pod)).length +
          (await world.list(ReplicaSet)).length +
          (await world.list(Deployment)).length ===
        0,
      1000,
    );
  });

  it("deletes dependents whose owner was gone before they came", async () => {
    const world = await newWorld();
    const owner = await map(world, "owner");
    await world.client.delete(ConfigMap, owner);
    await map(world, "late", { ownerReferences: [reference(owner)] });
    await world.until("the dependent is gone", gone(world, "late"));
  });

  it("tells an owner from another object of its name by the uid", async () => {
    const world = await newWorld();
    const owner = await map(world, "owner");
    await map(world, "child", {
      ownerReferences: [reference(owner, { uid: "00000000-0000-0000-0000-000000000000" })],
    });
    await world.until("the dependent is gone", gone(world, "child"));
  });

  it("drops dangling references when other owners are there, and keeps the object", async () => {
    const world = await newWorld();
    const [first, second] = [await map(world, "first"), await map(world, "second")];
    await map(world, "child", { ownerReferences: [reference(first), reference(second)] });
    await world.client.delete(ConfigMap, first);
    const child = await world.until("one owner is left", async () => {
      const found = await world.client.get(ConfigMap, { name: "child", namespace: "default" });
      return found.metadata.ownerReferences?.length === 1 && found;
    });
    expect(child.metadata.ownerReferences?.[0]?.name).toBe("second");
    await world.client.delete(ConfigMap, second);
    await world.until("the dependent is gone", gone(world, "child"));
  });

  it("keeps an owner in foreground deletion until dependents that block it are gone", async () => {
    const world = await newWorld();
    const owner = await map(world, "owner");
    const block = [reference(owner, { blockOwnerDeletion: true })];
    await map(world, "blocker", { ownerReferences: block, finalizers: ["example.com/hold"] });
    await map(world, "free", { ownerReferences: [reference(owner)] });
    await world.client.delete(ConfigMap, owner, { propagationPolicy: "Foreground" });
    await world.quiet();
    const waiting = await world.client.get(ConfigMap, { name: "owner", namespace: "default" });
    expect(waiting.metadata.finalizers).toEqual(["foregroundDeletion"]);
    const blocker = await world.client.get(ConfigMap, { name: "blocker", namespace: "default" });
    expect(blocker.metadata.deletionTimestamp).toBeDefined();
    await world.client.patch(ConfigMap, blocker, { merge: { metadata: { finalizers: null } } as never });
    await world.until("owner and dependents are gone", async () =>
      (await Promise.all(["owner", "blocker", "free"].map((name) => gone(world, name)()))).every(Boolean),
    );
  });

  it("does not wait for dependents that do not block", async () => {
    const world = await newWorld();
    const owner = await map(world, "owner");
    await map(world, "held", { ownerReferences: [reference(owner)], finalizers: ["example.com/hold"] });
    await world.client.delete(ConfigMap, owner, { propagationPolicy: "Foreground" });
    await world.until("the owner is gone", gone(world, "owner"));
  });

  it("ends a circle of owners that wait for each other in foreground deletion", async () => {
    const world = await newWorld();
    const a = await map(world, "a");
    const b = await map(world, "b", { ownerReferences: [reference(a, { blockOwnerDeletion: true })] });
    await world.client.patch(ConfigMap, a, {
      merge: { metadata: { ownerReferences: [reference(b, { blockOwnerDeletion: true })] } } as never,
    });
    await world.quiet();
    await world.client.delete(ConfigMap, a, { propagationPolicy: "Foreground" });
    await world.wait(
      "both are gone",
      async () => (await gone(world, "a")()) && (await gone(world, "b")()),
      5000,
    );
  });

  it("lets dependents live without the owner when it is deleted with the policy Orphan", async () => {
    const world = await newWorld();
    const owner = await map(world, "owner");
    await map(world, "child", { ownerReferences: [reference(owner)] });
    await world.client.delete(ConfigMap, owner, { propagationPolicy: "Orphan" });
    await world.until("the owner is gone", gone(world, "owner"));
    const child = await world.client.get(ConfigMap, { name: "child", namespace: "default" });
    expect(child.metadata.ownerReferences).toBeUndefined();
    expect(child.metadata.deletionTimestamp).toBeUndefined();
  });

  it("takes an owner in another namespace for absent, and says so in an event", async () => {
    const world = await newWorld();
    await world.client.create(Namespace, { metadata: { name: "other" } });
    const owner = await map(world, "owner");
    await world.client.create(ConfigMap, {
      metadata: { name: "child", namespace: "other", ownerReferences: [reference(owner)] },
    });
    await world.until("the dependent is gone", gone(world, "child", "other"));
    const [event] = await world.events({ kind: "ConfigMap", name: "child", namespace: "other" });
    expect(event).toBe(
      `OwnerRefInvalidNamespace: ownerRef [v1/ConfigMap, namespace: other, name: owner, uid: ${owner.metadata.uid}] does not exist in namespace "other"`,
    );
  });

  it("deletes namespaced dependents of a cluster-scoped owner", async () => {
    const world = await newWorld();
    const owner = await world.client.create(Node, { metadata: { name: "extra" } });
    await map(world, "child", { ownerReferences: [reference(owner)] });
    await world.client.delete(Node, owner);
    await world.until("the dependent is gone", gone(world, "child"));
  });

  it("leaves a cluster-scoped object with a namespaced owner alone", async () => {
    const world = await newWorld();
    const owner = await map(world, "owner");
    await world.client.create(Node, {
      metadata: {
        name: "extra",
        ownerReferences: [reference(owner, { uid: "00000000-0000-0000-0000-000000000000" })],
      },
    });
    await world.pass(60_000);
    expect((await world.client.get(Node, { name: "extra" })).metadata.deletionTimestamp).toBeUndefined();
  });

  it("leaves dependents of a kind that is not served alone, and looks again when it is", async () => {
    const world = await newWorld();
    const owner = {
      apiVersion: "example.com/v1",
      kind: "Application",
      metadata: { name: "myapp", uid: "1-2-3" },
    };
    await map(world, "child", { ownerReferences: [reference(owner)] });
    await world.pass(60_000);
    expect(await gone(world, "child")()).toBe(false);
    await world.client.create(CustomResourceDefinition, application as never);
    await world.wait("the dependent is gone", gone(world, "child"), 60_000);
  });

  it("deletes dependents of custom resources that go with their definition", async () => {
    const world = await newWorld();
    await world.client.create(CustomResourceDefinition, application as never);
    const kind = { apiVersion: "example.com/v1", kind: "Application" };
    const app = await world.wait("the kind is served", () =>
      world.client
        .create(kind, { ...kind, metadata: { name: "myapp", namespace: "default" } })
        .catch(() => undefined),
    );
    await map(world, "child", { ownerReferences: [reference(app)] });
    await world.quiet();
    await world.client.delete(CustomResourceDefinition, { name: "applications.example.com" });
    await world.wait("the dependent is gone", gone(world, "child"), 60_000);
  });
});
