import { isInvalid } from "@bowline/api";
import { Deployment, ReplicaSet } from "@bowline/api/apps/v1";
import { Pod } from "@bowline/api/core/v1";
import { describe, expect, it } from "vitest";
import { type World, deploymentOf, newWorld, template } from "./world.ts";

const key = { name: "web", namespace: "default" };

async function create(world: World, spec: object = {}) {
  return world.client.create(Deployment, deploymentOf("web", spec) as never);
}

const get = (world: World) => world.client.get(Deployment, key);

async function complete(world: World) {
  return world.wait("the rollout is complete", async () => {
    const { status, spec, metadata } = await get(world);
    const replicas = spec?.replicas ?? 1;
    const counts = [status?.replicas ?? 0, status?.updatedReplicas ?? 0, status?.availableReplicas ?? 0];
    return status?.observedGeneration === metadata.generation && counts.every((count) => count === replicas);
  });
}

/** Sizes of the sets by image. */
async function sizes(world: World) {
  const sets = await world.list(ReplicaSet, { namespace: "default" });
  return Object.fromEntries(
    sets.map((s) => [s.spec?.template?.spec?.containers[0]?.image ?? "", s.spec?.replicas]),
  );
}

const change = (world: World, spec: object) =>
  world.client.patch(Deployment, key, { merge: { spec } as never });
const setImage = (world: World, image: string) => change(world, { template: template("web", image) });

const conditions = async (world: World) =>
  Object.fromEntries(
    (await get(world)).status?.conditions?.map((c) => [c.type, `${c.status} ${c.reason}`]) ?? [],
  );

/** An image of which no pod becomes ready. */
const broken = "bowline.dev/never-ready";

describe("Deployment controller", () => {
  it("makes a ReplicaSet <deployment>-<hash> with the hash as label, selector and part of the name", async () => {
    const world = await newWorld();
    await create(world, { replicas: 2 });
    await complete(world);
    const [set] = await world.list(ReplicaSet);
    const hash = set?.metadata.labels?.["pod-template-hash"] ?? "";
    expect(set?.metadata.name).toBe(`web-${hash}`);
    expect(set?.spec?.selector?.matchLabels).toEqual({ app: "web", "pod-template-hash": hash });
    expect(set?.metadata.annotations).toEqual({
      "deployment.kubernetes.io/desired-replicas": "2",
      "deployment.kubernetes.io/max-replicas": "3",
      "deployment.kubernetes.io/revision": "1",
    });
    expect((await get(world)).metadata.annotations?.["deployment.kubernetes.io/revision"]).toBe("1");
    expect(await world.events({ kind: "Deployment", name: "web" })).toEqual([
      `ScalingReplicaSet: Scaled up replica set web-${hash} from 0 to 2`,
    ]);
  });

  it("reports Available and Progressing with the real reasons and messages", async () => {
    const world = await newWorld();
    await create(world, { replicas: 2 });
    await complete(world);
    const [set] = await world.list(ReplicaSet);
    const { status } = await get(world);
    expect(status?.conditions).toMatchObject([
      {
        type: "Available",
        status: "True",
        reason: "MinimumReplicasAvailable",
        message: "Deployment has minimum availability.",
      },
      {
        type: "Progressing",
        status: "True",
        reason: "NewReplicaSetAvailable",
        message: `ReplicaSet "${set?.metadata.name}" has successfully progressed.`,
      },
    ]);
    expect(status).toMatchObject({ replicas: 2, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 2 });
  });

  it("says MinimumReplicasUnavailable and ReplicaSetUpdated while pods are not ready", async () => {
    const world = await newWorld();
    await create(world, { replicas: 2, template: template("web", broken) });
    await world.pass(5000);
    expect(await conditions(world)).toEqual({
      Available: "False MinimumReplicasUnavailable",
      Progressing: "True ReplicaSetUpdated",
    });
  });

  it("gives up after progressDeadlineSeconds, 600 by default", async () => {
    const world = await newWorld();
    await create(world, { template: template("web", broken) });
    await world.pass(595_000);
    expect((await conditions(world))["Progressing"]).toBe("True ReplicaSetUpdated");
    await world.pass(10_000);
    expect((await conditions(world))["Progressing"]).toBe("False ProgressDeadlineExceeded");
  });

  it("goes on by itself when a rollout that missed the deadline succeeds after all", async () => {
    const world = await newWorld();
    await create(world, { template: template("web", broken) });
    await world.pass(605_000);
    await setImage(world, "nginx:2");
    await complete(world);
    expect((await conditions(world))["Progressing"]).toBe("True NewReplicaSetAvailable");
  });

  it.each([
    { replicas: 4, rollingUpdate: { maxSurge: 1, maxUnavailable: 0 }, fresh: 1, old: 4 },
    { replicas: 4, rollingUpdate: { maxSurge: 0, maxUnavailable: 1 }, fresh: 1, old: 3 },
    { replicas: 4, rollingUpdate: { maxSurge: "25%", maxUnavailable: "25%" }, fresh: 2, old: 3 },
    { replicas: 4, rollingUpdate: { maxSurge: "100%", maxUnavailable: 0 }, fresh: 4, old: 4 },
    { replicas: 10, rollingUpdate: { maxSurge: "25%", maxUnavailable: "25%" }, fresh: 5, old: 8 },
    { replicas: 3, rollingUpdate: { maxSurge: 0, maxUnavailable: "100%" }, fresh: 3, old: 0 },
  ])(
    "stops at $fresh new and $old old pods when new ones do not come up: %j",
    async ({ replicas, rollingUpdate, fresh, old }) => {
      const world = await newWorld();
      await create(world, { replicas, strategy: { type: "RollingUpdate", rollingUpdate } });
      await complete(world);
      await setImage(world, broken);
      await world.pass(30_000);
      expect(await sizes(world)).toEqual({ "nginx:1": old, [broken]: fresh });
    },
  );

  it("never has more or fewer pods than maxSurge and maxUnavailable allow during a rollout", async () => {
    const world = await newWorld({ podStartDelayMs: 1000 });
    await create(world, { replicas: 8, strategy: { rollingUpdate: { maxSurge: 2, maxUnavailable: 3 } } });
    await complete(world);
    await setImage(world, "nginx:2");
    for (let second = 0; second < 20; second++) {
      await world.pass(500);
      const pods = (await world.list(Pod)).filter((pod) => pod.metadata.deletionTimestamp === undefined);
      const ready = pods.filter((pod) =>
        pod.status?.conditions?.some((c) => c.type === "Ready" && c.status === "True"),
      );
      expect(pods.length).toBeLessThanOrEqual(10);
      expect(ready.length).toBeGreaterThanOrEqual(5);
    }
    await complete(world);
    expect(await sizes(world)).toEqual({ "nginx:1": 0, "nginx:2": 8 });
  });

  it("removes the last old pod before the first new one with the strategy Recreate", async () => {
    const world = await newWorld({ podStartDelayMs: 1000 });
    await create(world, { replicas: 3, strategy: { type: "Recreate" } });
    await complete(world);
    await setImage(world, "nginx:2");
    for (let step = 0; step < 20; step++) {
      await world.pass(250);
      const images = new Set((await world.list(Pod)).map((pod) => pod.spec?.containers[0]?.image));
      expect(images.size).toBeLessThanOrEqual(1);
    }
    await complete(world);
    expect(await sizes(world)).toEqual({ "nginx:1": 0, "nginx:2": 3 });
  });

  it("rolls nothing out while paused, but scales, and catches up when resumed", async () => {
    const world = await newWorld();
    await create(world, { replicas: 2 });
    await complete(world);
    await change(world, { paused: true, replicas: 4, template: template("web", "nginx:2") });
    await world.pass(2000);
    expect(await sizes(world)).toEqual({ "nginx:1": 4 });
    expect((await conditions(world))["Progressing"]).toBe("Unknown DeploymentPaused");
    await change(world, { paused: false });
    await complete(world);
    expect(await sizes(world)).toEqual({ "nginx:1": 0, "nginx:2": 4 });
    expect((await conditions(world))["Progressing"]).toBe("True NewReplicaSetAvailable");
  });

  it("does not judge progress while paused", async () => {
    const world = await newWorld();
    await create(world, { template: template("web", broken), paused: false });
    await world.pass(10_000);
    await change(world, { paused: true });
    await world.pass(1_200_000);
    expect((await conditions(world))["Progressing"]).toBe("Unknown DeploymentPaused");
  });

  it("shares a new replica count among the sets of a rollout in proportion", async () => {
    const world = await newWorld();
    await create(world, { replicas: 10, strategy: { rollingUpdate: { maxSurge: 3, maxUnavailable: 2 } } });
    await complete(world);
    await setImage(world, broken);
    await world.pass(10_000);
    expect(await sizes(world)).toEqual({ "nginx:1": 8, [broken]: 5 });
    await change(world, { replicas: 15 });
    await world.pass(10_000);
    expect(await sizes(world)).toEqual({ "nginx:1": 11, [broken]: 7 });
  });

  it("goes back to an earlier template with its set, as the newest revision, and keeps the history of its numbers", async () => {
    const world = await newWorld();
    await create(world);
    await complete(world);
    await setImage(world, "nginx:2");
    await complete(world);
    await setImage(world, "nginx:1");
    await complete(world);
    expect(await sizes(world)).toEqual({ "nginx:1": 1, "nginx:2": 0 });
    const sets = await world.list(ReplicaSet);
    const first = sets.find((set) => set.spec?.template?.spec?.containers[0]?.image === "nginx:1");
    expect(first?.metadata.annotations).toMatchObject({
      "deployment.kubernetes.io/revision": "3",
      "deployment.kubernetes.io/revision-history": "1",
    });
    expect((await get(world)).metadata.annotations?.["deployment.kubernetes.io/revision"]).toBe("3");
  });

  it("keeps revisionHistoryLimit old sets, 10 by default", async () => {
    const world = await newWorld();
    await create(world, { revisionHistoryLimit: 2 });
    for (const version of [2, 3, 4, 5]) {
      await complete(world);
      await setImage(world, `nginx:${version}`);
    }
    await complete(world);
    await world.quiet();
    expect(await sizes(world)).toEqual({ "nginx:3": 0, "nginx:4": 0, "nginx:5": 1 });
    expect((await get(world)).spec?.revisionHistoryLimit).toBe(2);
  });

  it("takes another name when the one it wants is taken, and counts the collision", async () => {
    const world = await newWorld({ nodes: 0 });
    await create(world, { replicas: 0 });
    const [mine] = await world.until("a set", async () => {
      const sets = await world.list(ReplicaSet);
      return sets.length === 1 && sets;
    });
    const other = {
      metadata: { name: mine?.metadata.name ?? "", namespace: "default", labels: { app: "other" } },
    };
    await world.client.delete(Deployment, key, { propagationPolicy: "Foreground" });
    await world.until("it is gone", async () => (await world.client.find(Deployment, key)) === undefined);
    await world.client.create(ReplicaSet, {
      ...other,
      spec: { replicas: 0, selector: { matchLabels: { app: "other" } }, template: template("other") },
    } as never);
    await create(world, { replicas: 0 });
    await world.wait("a second set", async () => (await world.list(ReplicaSet)).length === 2);
    expect((await get(world)).status?.collisionCount).toBe(1);
  });

  it("adopts ReplicaSets that match and have no controller", async () => {
    const world = await newWorld();
    await create(world);
    await complete(world);
    await world.client.delete(Deployment, key, { propagationPolicy: "Orphan" });
    await world.wait("it is gone", async () => (await world.client.find(Deployment, key)) === undefined);
    const before = await world.names(Pod);
    const again = await create(world);
    await complete(world);
    const sets = await world.list(ReplicaSet);
    expect(sets.map((set) => set.metadata.ownerReferences?.[0]?.uid)).toEqual([again.metadata.uid]);
    expect(await world.names(Pod)).toEqual(before);
  });

  it("refuses another selector", async () => {
    const world = await newWorld();
    await create(world);
    const refused = await change(world, { selector: { matchLabels: { app: "other" } } }).catch(
      (error: unknown) => error,
    );
    expect(isInvalid(refused)).toBe(true);
  });

  it("does nothing while nothing changes", async () => {
    const world = await newWorld();
    await create(world, { replicas: 3 });
    await complete(world);
    await world.pass(1000);
    const before = [
      ...(await world.list(Deployment)),
      ...(await world.list(ReplicaSet)),
      ...(await world.list(Pod)),
    ];
    await world.pass(3_600_000);
    const after = [
      ...(await world.list(Deployment)),
      ...(await world.list(ReplicaSet)),
      ...(await world.list(Pod)),
    ];
    expect(after.map((o) => o.metadata.resourceVersion)).toEqual(
      before.map((o) => o.metadata.resourceVersion),
    );
  });
});
