/** Named after the official conformance tests that they re-express; what each does is ours. */
import { describe, expect, it } from "vitest";
import { type World, newWorld, template } from "../controllers/world.ts";
import { hasScale, hasStatus } from "./api-operations.ts";
import { Endpoint, type Found } from "./endpoint.ts";
import { namespace, statefulSet, podsOf, runs } from "./workloads.ts";

describe("[sig-apps] StatefulSet Basic StatefulSet functionality [StatefulSetBasic]", () => {
  const sets = (world: World): Endpoint => new Endpoint(world, "apps/v1/statefulsets", namespace);
  const pods = (world: World): Endpoint => new Endpoint(world, "v1/pods", namespace);
  const ready = (world: World, name: string, count: number): Promise<unknown> =>
    world.wait(`${count} of ${name} are ready`, async () => {
      const { status } = await sets(world).get(name);
      return status?.readyReplicas === count || (count === 0 && (status?.readyReplicas ?? 0) === 0);
    });
  /** A probe that a condition stands for: pods with the gate are not ready until somebody says so. */
  const gated = (name: string): object => {
    const { metadata, spec } = template(name);
    return { metadata, spec: { ...spec, readinessGates: [{ conditionType: "example.com/ready" }] } };
  };
  const setReady = (world: World, name: string, status: "True" | "False"): Promise<Found> =>
    pods(world).patch(
      name,
      { status: { conditions: [{ type: "example.com/ready", status }] } },
      "status",
      "application/strategic-merge-patch+json",
    );
  const imagesOf = async (world: World): Promise<string[]> =>
    [...((await pods(world).list()).items as Found[])]
      .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
      .map((pod) => pod.spec.containers[0].image);
  const next = (image: string): object => ({
    spec: { template: { spec: { containers: [{ name: "main", image }] } } },
  });

  it("Burst scaling should run to completion even with unhealthy pods", async () => {
    const world = await newWorld();
    await sets(world).create(
      statefulSet("burst", { replicas: 1, podManagementPolicy: "Parallel", template: gated("burst") }),
    );
    const exist = (count: number): Promise<unknown> =>
      world.wait(`${count} exist`, async () => (await podsOf(world, "burst")).length === count);
    await exist(1);
    await sets(world).patch("burst", { spec: { replicas: 3 } });
    await exist(3);
    await sets(world).patch("burst", { spec: { replicas: 0 } });
    await exist(0);
  });

  it("Scaling should happen in predictable order and halt if any stateful pod is unhealthy", async () => {
    const world = await newWorld();
    await sets(world).create(statefulSet("ss", { replicas: 3, template: gated("ss") }));
    const names = async (): Promise<string[]> =>
      (await podsOf(world, "ss")).map((pod) => pod.metadata.name).sort();
    await runs(world, "ss", 1);
    await world.pass(30_000);
    expect(await names()).toEqual(["ss-0"]);
    for (const name of ["ss-0", "ss-1", "ss-2"]) {
      await world.wait(
        `${name} runs`,
        async () => (await pods(world).find(name))?.status.phase === "Running",
      );
      await setReady(world, name, "True");
    }
    await ready(world, "ss", 3);
    for (const name of ["ss-0", "ss-1", "ss-2"]) await setReady(world, name, "False");
    await world.pass(5000);
    await sets(world).patch("ss", { spec: { replicas: 0 } });
    await world.pass(60_000);
    expect(await names()).toEqual(["ss-0", "ss-1", "ss-2"]);
    for (const name of ["ss-0", "ss-1", "ss-2"]) await setReady(world, name, "True");
    await world.wait("all go", async () => (await names()).length === 0);
  });

  it("Should recreate evicted statefulset", async () => {
    const world = await newWorld();
    await sets(world).create(statefulSet("ss", { replicas: 1 }));
    await ready(world, "ss", 1);
    const before = await pods(world).get("ss-0");
    await pods(world).patch("ss-0", { status: { phase: "Failed", reason: "Evicted" } }, "status");
    await world.wait("it is made again", async () => {
      const now = await pods(world).find("ss-0");
      return now !== undefined && now.metadata.uid !== before.metadata.uid && now.status.phase === "Running";
    });
  });

  it("should have a working scale subresource", async () => {
    await hasScale(await newWorld(), { gvr: "apps/v1/statefulsets", namespace, make: statefulSet });
  });

  it("should list, patch and delete a collection of StatefulSets", async () => {
    const world = await newWorld();
    await sets(world).create(statefulSet("ss", { replicas: 1 }));
    await ready(world, "ss", 1);
    expect((await new Endpoint(world, "apps/v1/statefulsets").list()).items).toHaveLength(1);
    const patched = await sets(world).patch("ss", {
      metadata: { labels: { ss: "patched" } },
      spec: { replicas: 2 },
    });
    expect(patched.metadata.labels).toMatchObject({ ss: "patched" });
    await ready(world, "ss", 2);
    await sets(world).deleteCollection({ labelSelector: "ss=patched" });
    await world.wait("it is gone", async () => (await sets(world).find("ss")) === undefined);
  });

  it("should perform canary updates and phased rolling updates of template modifications", async () => {
    const world = await newWorld();
    const updateStrategy = { type: "RollingUpdate", rollingUpdate: { partition: 3 } };
    await sets(world).create(statefulSet("ss", { replicas: 3, updateStrategy }));
    await ready(world, "ss", 3);
    await sets(world).patch("ss", next("nginx:2"));
    await world.pass(30_000);
    expect(await imagesOf(world)).toEqual(["nginx:1", "nginx:1", "nginx:1"]);
    const partition = (partition: number): Promise<Found> =>
      sets(world).patch("ss", { spec: { updateStrategy: { rollingUpdate: { partition } } } });
    const are = (images: string[]): Promise<unknown> =>
      world.wait(`images are ${images.join()}`, async () => (await imagesOf(world)).join() === images.join());
    await partition(2);
    await are(["nginx:1", "nginx:1", "nginx:2"]);
    await pods(world).delete("ss-0");
    await pods(world).delete("ss-2");
    await ready(world, "ss", 3);
    await are(["nginx:1", "nginx:1", "nginx:2"]);
    await partition(1);
    await are(["nginx:1", "nginx:2", "nginx:2"]);
    await partition(0);
    await are(["nginx:2", "nginx:2", "nginx:2"]);
  });

  it("should perform rolling updates and roll backs of template modifications", async () => {
    const world = await newWorld();
    await sets(world).create(statefulSet("ss", { replicas: 3 }));
    await ready(world, "ss", 3);
    const { currentRevision, updateRevision } = (await sets(world).get("ss")).status;
    expect(currentRevision).toBe(updateRevision);
    const settled = (revision: (r: string) => boolean): Promise<unknown> =>
      world.wait("the rollout is over", async () => {
        const { status } = await sets(world).get("ss");
        return (
          status.currentRevision === status.updateRevision &&
          revision(status.currentRevision) &&
          status.readyReplicas === 3
        );
      });
    await sets(world).patch("ss", next("nginx:2"));
    await settled((revision) => revision !== currentRevision);
    expect(await imagesOf(world)).toEqual(["nginx:2", "nginx:2", "nginx:2"]);
    await sets(world).patch("ss", next("nginx:1"));
    await settled((revision) => revision === currentRevision);
    expect(await imagesOf(world)).toEqual(["nginx:1", "nginx:1", "nginx:1"]);
  });

  it("should validate Statefulset Status endpoints", async () => {
    const world = await newWorld();
    await sets(world).create(statefulSet("ss", { replicas: 1 }));
    await ready(world, "ss", 1);
    await hasStatus(sets(world), "ss", {
      conditions: [{ type: "StatusUpdate", status: "True", reason: "E2E", message: "Set from a test" }],
    });
  });
});
