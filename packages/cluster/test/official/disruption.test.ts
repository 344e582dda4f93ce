/** Named after the official conformance tests that they re-express; what each does is ours. */
import { describe, expect, it } from "vitest";
import { type World, newWorld } from "../controllers/world.ts";
import { listsAndDeletesCollection, updateLatest } from "./api-operations.ts";
import { Endpoint, type Sent } from "./endpoint.ts";
import { namespace, replicaSet, running, runs } from "./workloads.ts";

describe("[sig-apps] DisruptionController", () => {
  const budgets = (world: World): Endpoint =>
    new Endpoint(world, "policy/v1/poddisruptionbudgets", namespace);
  const budget = (name: string, spec: object = { minAvailable: 1 }): Sent => ({
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name },
    spec: { selector: { matchLabels: { app: "web" } }, ...spec },
  });
  const evict = (world: World, name: string): Promise<unknown> =>
    world.cluster.transport().request({
      method: "POST",
      path: `/api/v1/namespaces/default/pods/${name}/eviction`,
      body: { apiVersion: "policy/v1", kind: "Eviction", metadata: { name, namespace } },
    });

  it("Listing PodDisruptionBudgets for all namespaces should list and delete a collection of PodDisruptionBudgets", async () => {
    await listsAndDeletesCollection(await newWorld(), {
      gvr: "policy/v1/poddisruptionbudgets",
      namespace,
      make: budget,
    });
  });

  it("should block an eviction until the PDB is updated to allow it", async () => {
    const world = await newWorld();
    await new Endpoint(world, "apps/v1/replicasets", namespace).create(replicaSet("web", { replicas: 3 }));
    await runs(world, "web", 3);
    await budgets(world).create(budget("strict", { minAvailable: 3 }));
    await world.wait(
      "it is counted",
      async () => (await budgets(world).get("strict")).status?.currentHealthy === 3,
    );
    const name = (await running(world, "web"))[0]?.metadata.name ?? "";
    await expect(evict(world, name)).rejects.toMatchObject({
      status: { code: 429, reason: "TooManyRequests" },
    });
    await updateLatest(budgets(world), "strict", (found) => ({
      ...found,
      spec: { ...found.spec, minAvailable: 2 },
    }));
    await world.wait(
      "one may go",
      async () => (await budgets(world).get("strict")).status.disruptionsAllowed === 1,
    );
    await evict(world, name);
    await world.wait("it goes", async () => {
      return (
        (await new Endpoint(world, "v1/pods", namespace).find(name))?.metadata.deletionTimestamp !==
          undefined || (await new Endpoint(world, "v1/pods", namespace).find(name)) === undefined
      );
    });
  });

  it("should create a PodDisruptionBudget", async () => {
    const world = await newWorld();
    await budgets(world).create(budget("made"));
    await updateLatest(budgets(world), "made", (found) => ({
      ...found,
      spec: { ...found.spec, minAvailable: "10%" },
    }));
    await budgets(world).patch("made", { spec: { minAvailable: "20%" } });
    expect((await budgets(world).get("made")).spec.minAvailable).toBe("20%");
    await budgets(world).delete("made");
    expect(await budgets(world).find("made")).toBeUndefined();
  });

  it("should observe PodDisruptionBudget status updated", async () => {
    const world = await newWorld();
    await budgets(world).create(budget("counted"));
    await new Endpoint(world, "apps/v1/replicasets", namespace).create(replicaSet("web", { replicas: 3 }));
    await world.wait(
      "two may go",
      async () => (await budgets(world).get("counted")).status.disruptionsAllowed === 2,
    );
  });

  it("should update/patch PodDisruptionBudget status", async () => {
    const world = await newWorld();
    await budgets(world).create(budget("state"));
    await world.wait(
      "it is seen",
      async () => (await budgets(world).get("state")).status?.observedGeneration === 1,
    );
    const status = { disruptedPods: { "some-pod": "2026-01-01T00:00:00Z" } };
    await budgets(world).patch("state", { status }, "status");
    expect((await budgets(world).get("state")).status.disruptedPods).toBeDefined();
    await updateLatest(
      budgets(world),
      "state",
      (found) => ({ ...found, status: { ...found.status, expectedPods: 4 } }),
      "status",
    );
  });
});
