/** Named after the official conformance tests that they re-express; what each does is ours. */
import { describe, expect, it } from "vitest";
import { type World, newWorld, template } from "../controllers/world.ts";
import { updateLatest } from "./api-operations.ts";
import { Endpoint, type Found, type Sent } from "./endpoint.ts";

const quotas = (world: World): Endpoint => new Endpoint(world, "v1/resourcequotas", "default");
const quota = (name: string, hard: object, more: object = {}): Sent => ({
  apiVersion: "v1",
  kind: "ResourceQuota",
  metadata: { name },
  spec: { hard, ...more },
});
const pod = (name: string, requests?: object, more: object = {}): Sent => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name },
  spec: {
    containers: [
      {
        name: "main",
        image: "nginx:1",
        ...(requests === undefined ? {} : { resources: { requests, limits: requests } }),
      },
    ],
    ...more,
  },
});
const uses = (world: World, name: string, used: object): Promise<unknown> =>
  world.wait(
    `${name} has ${JSON.stringify(used)} in use`,
    async () => {
      const status = (await quotas(world).get(name)).status;
      return Object.entries(used).every(([key, value]) => status?.used?.[key] === value);
    },
    120_000,
  );

describe("[sig-api-machinery] ResourceQuota", () => {
  it("should create a ResourceQuota and ensure its status is promptly calculated.", async () => {
    const world = await newWorld();
    await quotas(world).create(quota("counted", { pods: "5", services: "10", resourcequotas: "1" }));
    // the Service of the API server is in this namespace
    await uses(world, "counted", { pods: "0", services: "1", resourcequotas: "1" });
    expect((await quotas(world).get("counted")).status.hard).toEqual({
      pods: "5",
      services: "10",
      resourcequotas: "1",
    });
  });

  for (const [what, gvr, key, object] of [
    [
      "a configMap.",
      "v1/configmaps",
      "configmaps",
      { kind: "ConfigMap", apiVersion: "v1", data: { a: "b" } },
    ],
    ["a secret.", "v1/secrets", "secrets", { kind: "Secret", apiVersion: "v1", data: { a: "Yg==" } }],
    [
      "a service.",
      "v1/services",
      "services",
      { kind: "Service", apiVersion: "v1", spec: { ports: [{ port: 80 }] } },
    ],
    [
      "a replica set.",
      "apps/v1/replicasets",
      "count/replicasets.apps",
      {
        kind: "ReplicaSet",
        apiVersion: "apps/v1",
        spec: { replicas: 0, selector: { matchLabels: { app: "x" } }, template: template("x") },
      },
    ],
    [
      "a replication controller.",
      "v1/replicationcontrollers",
      "replicationcontrollers",
      {
        kind: "ReplicationController",
        apiVersion: "v1",
        spec: { replicas: 0, selector: { app: "x" }, template: template("x") },
      },
    ],
  ] as const) {
    it(`should create a ResourceQuota and capture the life of ${what}`, async () => {
      const world = await newWorld();
      const endpoint = new Endpoint(world, gvr, "default");
      await world.quiet();
      const before = (await endpoint.list()).items.length as number;
      await quotas(world).create(quota("life", { [key]: String(before + 1) }));
      await uses(world, "life", { [key]: String(before) });
      await endpoint.create({ ...object, metadata: { name: "counted" } });
      await uses(world, "life", { [key]: String(before + 1) });
      await expect(endpoint.create({ ...object, metadata: { name: "too-much" } })).rejects.toThrow(
        /exceeded quota: life/,
      );
      await endpoint.delete("counted");
      await uses(world, "life", { [key]: String(before) });
    });
  }

  it("should create a ResourceQuota and capture the life of a pod.", async () => {
    const world = await newWorld();
    const pods = new Endpoint(world, "v1/pods", "default");
    const hard = { pods: "5", cpu: "1", memory: "500Mi", "requests.ephemeral-storage": "50Gi" };
    await quotas(world).create(quota("life", hard));
    await uses(world, "life", { pods: "0", cpu: "0" });
    await pods.create(pod("fits", { cpu: "500m", memory: "252Mi", "ephemeral-storage": "30Gi" }));
    await uses(world, "life", {
      pods: "1",
      cpu: "500m",
      memory: "252Mi",
      "requests.ephemeral-storage": "30Gi",
    });
    await expect(
      pods.create(pod("large", { cpu: "600m", memory: "100Mi", "ephemeral-storage": "30Gi" })),
    ).rejects.toThrow(/exceeded quota: life/);
    await expect(
      updateLatest(pods, "fits", (found) => ({
        ...found,
        spec: {
          ...found.spec,
          containers: [
            { ...found.spec.containers[0], resources: { requests: { cpu: "100m", memory: "100Mi" } } },
          ],
        },
      })),
    ).rejects.toThrow(/may not change fields|Forbidden|is invalid/);
    await pods.delete("fits", { gracePeriodSeconds: 0 });
    await uses(world, "life", { pods: "0", cpu: "0", memory: "0" });
  });

  it("should be able to update and delete ResourceQuota.", async () => {
    const world = await newWorld();
    await quotas(world).create(quota("changed", { cpu: "1", memory: "500Mi" }));
    await updateLatest(quotas(world), "changed", (found) => ({
      ...found,
      spec: { hard: { cpu: "2", memory: "1Gi" } },
    }));
    expect((await quotas(world).get("changed")).spec.hard).toEqual({ cpu: "2", memory: "1Gi" });
    await quotas(world).delete("changed");
    expect(await quotas(world).find("changed")).toBeUndefined();
  });

  it("should manage the lifecycle of a ResourceQuota", async () => {
    const world = await newWorld();
    const labelled = quota("life", { cpu: "1", memory: "500Mi" });
    await quotas(world).create({ ...labelled, metadata: { name: "life", labels: { life: "one" } } as never });
    const everywhere = new Endpoint(world, "v1/resourcequotas");
    expect((await everywhere.list({ labelSelector: "life=one" })).items).toHaveLength(1);
    await quotas(world).patch("life", {
      metadata: { labels: { life: "two" } },
      spec: { hard: { memory: "750Mi" } },
    });
    expect((await quotas(world).get("life")).spec.hard).toEqual({ cpu: "1", memory: "750Mi" });
    await quotas(world).deleteCollection({ labelSelector: "life=two" });
    expect((await everywhere.list()).items).toEqual([]);
  });

  it("should apply changes to a resourcequota status", async () => {
    const world = await newWorld({ controllers: false });
    const hard = { cpu: "500m", memory: "500Mi" };
    await quotas(world).create(quota("state", hard));
    await updateLatest(quotas(world), "state", (found) => ({ ...found, status: { hard } }), "status");
    expect((await quotas(world).get("state", "status")).status.hard).toEqual(hard);
    await quotas(world).patch("state", { spec: { hard: { cpu: "1", memory: "1Gi" } } });
    const patched = await quotas(world).patch(
      "state",
      { spec: { hard: { cpu: "9" } }, status: { hard: { cpu: "1", memory: "1Gi" } } },
      "status",
    );
    expect(patched.status.hard).toEqual({ cpu: "1", memory: "1Gi" });
    // the spec is not changed through the status
    expect(patched.spec.hard).toEqual({ cpu: "1", memory: "1Gi" });
  });

  for (const [title, scopes, inside, outside] of [
    [
      "should verify ResourceQuota with best effort scope.",
      ["BestEffort", "NotBestEffort"],
      pod("inside"),
      pod("outside", { cpu: "100m", memory: "10Mi" }),
    ],
    [
      "should verify ResourceQuota with terminating scopes.",
      ["Terminating", "NotTerminating"],
      pod("inside", { cpu: "100m", memory: "10Mi" }, { activeDeadlineSeconds: 3600 }),
      pod("outside", { cpu: "100m", memory: "10Mi" }),
    ],
  ] as const) {
    it(title, async () => {
      const world = await newWorld();
      const pods = new Endpoint(world, "v1/pods", "default");
      const [first, second] = scopes;
      await quotas(world).create(quota("first", { pods: "5" }, { scopes: [first] }));
      await quotas(world).create(quota("second", { pods: "5" }, { scopes: [second] }));
      await uses(world, "first", { pods: "0" });
      await uses(world, "second", { pods: "0" });
      for (const [object, used] of [
        [inside, ["1", "0"]],
        [outside, ["0", "1"]],
      ] as [Sent, [string, string]][]) {
        await pods.create(object);
        await uses(world, "first", { pods: used[0] });
        await uses(world, "second", { pods: used[1] });
        await pods.delete((object as unknown as Found).metadata.name, { gracePeriodSeconds: 0 });
        await uses(world, "first", { pods: "0" });
        await uses(world, "second", { pods: "0" });
      }
    });
  }
});
