/** Named after the official conformance tests that they re-express; what each does is ours. */
import { Deployment, ReplicaSet } from "@bowline/api/apps/v1";
import { Pod } from "@bowline/api/core/v1";
import { describe, expect, it } from "vitest";
import { type World, deploymentOf, newWorld, template } from "../controllers/world.ts";
import { Endpoint, type Sent } from "./endpoint.ts";

describe("[sig-api-machinery] Garbage collector", () => {
  const rc = (name: string, replicas: number): Sent => ({
    apiVersion: "v1",
    kind: "ReplicationController",
    metadata: { name },
    spec: { replicas, selector: { app: name }, template: template(name) },
  });
  const rcs = (world: World): Endpoint => new Endpoint(world, "v1/replicationcontrollers", "default");
  const pods = async (world: World, count: number): Promise<void> => {
    await world.wait(`${count} pods`, async () => (await world.list(Pod)).length === count, 60_000);
  };
  const deploy = async (world: World): Promise<void> => {
    await world.client.create(Deployment, deploymentOf("web", { replicas: 2 }) as never);
    await pods(world, 2);
  };

  it("should delete RS created by deployment when not orphaning", async () => {
    const world = await newWorld();
    await deploy(world);
    await new Endpoint(world, "apps/v1/deployments", "default").delete("web", {
      propagationPolicy: "Background",
    });
    await pods(world, 0);
    expect(await world.list(ReplicaSet)).toEqual([]);
  });

  it("should orphan RS created by deployment when deleteOptions.PropagationPolicy is Orphan", async () => {
    const world = await newWorld();
    await deploy(world);
    const deployments = new Endpoint(world, "apps/v1/deployments", "default");
    await deployments.delete("web", { propagationPolicy: "Orphan" });
    await world.wait("it is gone", async () => (await deployments.find("web")) === undefined);
    await world.pass(60_000);
    const sets = await world.list(ReplicaSet);
    expect(sets.map((set) => set.metadata.ownerReferences ?? [])).toEqual([[]]);
    expect(await world.list(Pod)).toHaveLength(2);
  });

  it("should delete pods created by rc when not orphaning", async () => {
    const world = await newWorld();
    await rcs(world).create(rc("two", 2));
    await pods(world, 2);
    await rcs(world).delete("two", { propagationPolicy: "Background" });
    await pods(world, 0);
  });

  it("should orphan pods created by rc if delete options say so", async () => {
    const world = await newWorld();
    await rcs(world).create(rc("ten", 10));
    await pods(world, 10);
    await rcs(world).delete("ten", { propagationPolicy: "Orphan" });
    await world.wait("it is gone", async () => (await rcs(world).find("ten")) === undefined);
    await world.pass(30_000);
    const left = await world.list(Pod);
    expect(left).toHaveLength(10);
    expect(left.flatMap((pod) => pod.metadata.ownerReferences ?? [])).toEqual([]);
  });

  it("should keep the rc around until all its pods are deleted if the deleteOptions says so", async () => {
    const world = await newWorld();
    await rcs(world).create(rc("ten", 10));
    await pods(world, 10);
    await rcs(world).delete("ten", { propagationPolicy: "Foreground" });
    expect((await rcs(world).get("ten")).metadata.finalizers).toEqual(["foregroundDeletion"]);
    await world.wait("it is gone", async () => {
      // never without the controller while there are pods
      const left = (await world.list(Pod)).length;
      const found = await rcs(world).find("ten");
      if (left > 0) expect(found).toBeDefined();
      return found === undefined;
    });
    expect(await world.list(Pod)).toEqual([]);
  });

  it("should not delete dependents that have both valid owner and owner that's waiting for dependents to be deleted", async () => {
    const world = await newWorld();
    await rcs(world).create(rc("first", 6));
    const second = await rcs(world).create(rc("second", 0));
    await pods(world, 6);
    const shared = (await world.list(Pod)).slice(0, 3).map((pod) => pod.metadata.name ?? "");
    const podsApi = new Endpoint(world, "v1/pods", "default");
    for (const name of shared) {
      const owners = (await podsApi.get(name)).metadata.ownerReferences ?? [];
      const another = {
        apiVersion: "v1",
        kind: "ReplicationController",
        name: "second",
        uid: second.metadata.uid,
      };
      await podsApi.patch(name, { metadata: { ownerReferences: [...owners, another] } });
    }
    await rcs(world).delete("first", { propagationPolicy: "Foreground" });
    await world.wait("it is gone", async () => (await rcs(world).find("first")) === undefined);
    await world.pass(30_000);
    const left = await world.list(Pod);
    expect(left.map((pod) => pod.metadata.name).sort()).toEqual([...shared].sort());
    expect(left.filter((pod) => pod.metadata.deletionTimestamp !== undefined)).toEqual([]);
  });

  it("should not be blocked by dependency circle", async () => {
    const world = await newWorld();
    const podsApi = new Endpoint(world, "v1/pods", "default");
    const uids = new Map<string, string>();
    for (const name of ["pod1", "pod2", "pod3"]) {
      const { spec } = template(name);
      const pod = await podsApi.create({ apiVersion: "v1", kind: "Pod", metadata: { name }, spec });
      uids.set(name, pod.metadata.uid ?? "");
    }
    for (const [pod, owner] of [
      ["pod1", "pod3"],
      ["pod2", "pod1"],
      ["pod3", "pod2"],
    ] as const) {
      const reference = { apiVersion: "v1", kind: "Pod", name: owner, uid: uids.get(owner) };
      await podsApi.patch(pod, {
        metadata: { ownerReferences: [{ ...reference, controller: true, blockOwnerDeletion: true }] },
      });
    }
    await podsApi.delete("pod1", { propagationPolicy: "Foreground" });
    await pods(world, 0);
  });
});
