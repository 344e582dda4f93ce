/** Named after the official conformance tests that they re-express; what each does is ours. */
import { ReplicaSet } from "@bowline/api/apps/v1";
import { describe, expect, it } from "vitest";
import { type World, newWorld, template } from "../controllers/world.ts";
import { hasScale, hasStatus } from "./api-operations.ts";
import { Endpoint } from "./endpoint.ts";
import { namespace, deployment, replicaSet, podsOf, running, runs } from "./workloads.ts";

describe("[sig-apps] Deployment", () => {
  const deployments = (world: World): Endpoint => new Endpoint(world, "apps/v1/deployments", namespace);
  const complete = (world: World, name: string): Promise<unknown> =>
    world.wait(`${name} is rolled out`, async () => {
      const { spec, status, metadata } = await deployments(world).get(name);
      return (
        status?.observedGeneration === metadata.generation &&
        status?.updatedReplicas === spec.replicas &&
        status?.availableReplicas === spec.replicas &&
        status?.replicas === spec.replicas
      );
    });
  const image = (image: string): object => ({
    spec: { template: { spec: { containers: [{ name: "main", image }] } } },
  });

  it("Deployment should have a working scale subresource", async () => {
    await hasScale(await newWorld(), { gvr: "apps/v1/deployments", namespace, make: deployment });
  });

  it("RecreateDeployment should delete old pods and create new ones", async () => {
    const world = await newWorld();
    await deployments(world).create(deployment("web", { strategy: { type: "Recreate" } }));
    await complete(world, "web");
    const [old] = await running(world, "web");
    await deployments(world).patch("web", image("nginx:2"));
    await complete(world, "web");
    const now = await podsOf(world, "web");
    expect(now).toHaveLength(1);
    expect(now[0]?.metadata.uid).not.toBe(old?.metadata.uid);
    expect(now[0]?.spec.containers[0].image).toBe("nginx:2");
  });

  it("RollingUpdateDeployment should delete old pods and create new ones", async () => {
    const world = await newWorld();
    const old = replicaSet("web", { replicas: 1 });
    await new Endpoint(world, "apps/v1/replicasets", namespace).create({
      ...old,
      metadata: { name: "web", labels: { app: "web" } } as never,
    });
    await runs(world, "web", 1);
    const changed = deployment("web", { replicas: 1 });
    await deployments(world).create({
      ...changed,
      spec: { ...(changed["spec"] as object), template: template("web", "nginx:2") },
    });
    await complete(world, "web");
    await runs(world, "web", 1);
    expect((await running(world, "web"))[0]?.spec.containers[0].image).toBe("nginx:2");
    const sets = await world.list(ReplicaSet);
    expect(sets.map((set) => set.spec?.replicas).sort()).toEqual([0, 1]);
    expect(sets.every((set) => set.metadata.ownerReferences?.[0]?.name === "web")).toBe(true);
  });

  it("deployment should delete old replica sets", async () => {
    const world = await newWorld();
    await deployments(world).create(deployment("web", { revisionHistoryLimit: 0 }));
    await complete(world, "web");
    await deployments(world).patch("web", image("nginx:2"));
    await complete(world, "web");
    await world.wait("one set is left", async () => (await world.list(ReplicaSet)).length === 1);
  });

  it("deployment should support proportional scaling", async () => {
    const world = await newWorld({ images: { broken: { pullError: "ErrImagePull" } } });
    const strategy = { type: "RollingUpdate", rollingUpdate: { maxSurge: 3, maxUnavailable: 2 } };
    await deployments(world).create(deployment("web", { replicas: 10, strategy }));
    await complete(world, "web");
    await deployments(world).patch("web", {
      spec: { template: { spec: { containers: [{ name: "main", image: "broken:404" }] } } },
    });
    const sizes = async (): Promise<(number | undefined)[]> =>
      (await world.list(ReplicaSet)).map((set) => set.spec?.replicas).sort((a = 0, b = 0) => b - a);
    await world.wait("the rollout is stuck", async () => {
      const [old, fresh] = await sizes();
      return old === 8 && fresh === 5;
    });
    await deployments(world).patch("web", { spec: { replicas: 30 } }, "scale");
    await world.wait("both sets are scaled", async () => {
      const [old, fresh] = await sizes();
      return old === 20 && fresh === 13;
    });
  });

  it("deployment should support rollover", async () => {
    const world = await newWorld({ images: { "redis:nonexistent": { pullError: "ErrImagePull" } } });
    await deployments(world).create(
      deployment("web", {
        replicas: 2,
        minReadySeconds: 10,
        strategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
      }),
    );
    await complete(world, "web");
    await deployments(world).patch("web", image("redis:nonexistent"));
    await world.pass(2000);
    await deployments(world).patch("web", image("redis:7"));
    await complete(world, "web");
    const sets = await world.list(ReplicaSet);
    expect(sets.map((set) => set.spec?.replicas).sort()).toEqual([0, 0, 2]);
    expect((await running(world, "web")).map((pod) => pod.spec.containers[0].image)).toEqual([
      "redis:7",
      "redis:7",
    ]);
  });

  it("should run the lifecycle of a Deployment", async () => {
    const world = await newWorld();
    const events = await deployments(world).watch({ labelSelector: "life=cycle" });
    const made = deployment("life", { replicas: 2 });
    await deployments(world).create({
      ...made,
      metadata: { name: "life", labels: { life: "cycle" } } as never,
    });
    await complete(world, "life");
    await deployments(world).patch("life", image("nginx:2"));
    await complete(world, "life");
    await deployments(world).patch("life", { spec: { replicas: 3 } }, "scale");
    await complete(world, "life");
    await hasStatus(deployments(world), "life", { conditions: [{ type: "Tested", status: "True" }] });
    await deployments(world).delete("life");
    await world.wait("the watch saw the end", async () => events.at(-1)?.type === "DELETED");
    expect(events[0]?.type).toBe("ADDED");
  });

  it("should validate Deployment Status endpoints", async () => {
    const world = await newWorld();
    await deployments(world).create(deployment("state"));
    await complete(world, "state");
    await hasStatus(deployments(world), "state", {
      conditions: [{ type: "StatusUpdate", status: "True", reason: "E2E", message: "Set from a test" }],
    });
  });
});
