import { Deployment } from "@bowline/api/apps/v1";
import { Pod } from "@bowline/api/core/v1";
import { PodDisruptionBudget } from "@bowline/api/policy/v1";
import { describe, expect, it } from "vitest";
import { deploymentOf, newWorld } from "./world.ts";

const key = { name: "web", namespace: "default" };
const selector = { matchLabels: { app: "web" } };

describe("Disruption controller", () => {
  it.each([
    [{ minAvailable: 3 }, { expectedPods: 4, desiredHealthy: 3, disruptionsAllowed: 1 }],
    [{ minAvailable: "50%" }, { expectedPods: 4, desiredHealthy: 2, disruptionsAllowed: 2 }],
    [{ minAvailable: "60%" }, { expectedPods: 4, desiredHealthy: 3, disruptionsAllowed: 1 }],
    [{ maxUnavailable: 1 }, { expectedPods: 4, desiredHealthy: 3, disruptionsAllowed: 1 }],
    [{ maxUnavailable: "30%" }, { expectedPods: 4, desiredHealthy: 2, disruptionsAllowed: 2 }],
    [{ maxUnavailable: 0 }, { expectedPods: 4, desiredHealthy: 4, disruptionsAllowed: 0 }],
  ])("computes what %j allows of four healthy pods", async (spec, status) => {
    const world = await newWorld();
    await world.client.create(Deployment, deploymentOf("web", { replicas: 4 }) as never);
    await world.client.create(PodDisruptionBudget, { metadata: key, spec: { selector, ...spec } } as never);
    await world.wait(
      "four pods are healthy",
      async () => (await world.client.get(PodDisruptionBudget, key)).status?.currentHealthy === 4,
    );
    const budget = await world.client.get(PodDisruptionBudget, key);
    expect(budget.status).toMatchObject({ ...status, currentHealthy: 4 });
    expect(budget.status?.conditions?.[0]).toMatchObject(
      status.disruptionsAllowed > 0
        ? { type: "DisruptionAllowed", status: "True", reason: "SufficientPods" }
        : { type: "DisruptionAllowed", status: "False", reason: "InsufficientPods" },
    );
  });

  it("allows nothing without pods, and says so", async () => {
    const world = await newWorld();
    await world.client.create(PodDisruptionBudget, {
      metadata: key,
      spec: { selector, minAvailable: 0 },
    } as never);
    await world.quiet();
    expect((await world.client.get(PodDisruptionBudget, key)).status).toMatchObject({
      expectedPods: 0,
      disruptionsAllowed: 0,
    });
    expect(await world.events({ kind: "PodDisruptionBudget", name: "web" })).toContain(
      "NoPods: No matching pods found",
    );
  });

  it("counts a pod that is on its way out as unhealthy", async () => {
    const world = await newWorld({ images: { nginx: { stopAfterMs: 20_000 } } });
    await world.client.create(Deployment, deploymentOf("web", { replicas: 2 }) as never);
    await world.client.create(PodDisruptionBudget, {
      metadata: key,
      spec: { selector, minAvailable: 2 },
    } as never);
    await world.wait(
      "two pods are healthy",
      async () => (await world.client.get(PodDisruptionBudget, key)).status?.currentHealthy === 2,
    );
    await world.client.patch(Deployment, key, { merge: { spec: { replicas: 1 } } });
    await world.wait(
      "one is healthy",
      async () => (await world.client.get(PodDisruptionBudget, key)).status?.currentHealthy === 1,
    );
    expect(await world.list(Pod)).toHaveLength(2);
  });
});

describe("Eviction with the disruption controller", () => {
  it("lets pods go as fast as their replacements are ready, and no faster", async () => {
    const world = await newWorld({ images: { nginx: { readyAfterMs: 5_000 } } });
    await world.client.create(Deployment, deploymentOf("web", { replicas: 3 }) as never);
    await world.client.create(PodDisruptionBudget, {
      metadata: key,
      spec: { selector, minAvailable: 2 },
    } as never);
    const allowed = async (): Promise<number | undefined> =>
      (await world.client.get(PodDisruptionBudget, key)).status?.disruptionsAllowed;
    await world.wait("one may go", async () => (await allowed()) === 1);
    const [first, second] = await world.names(Pod, "default");
    const evict = (name = ""): Promise<unknown> =>
      world.cluster.transport().request({
        method: "POST",
        path: `/api/v1/namespaces/default/pods/${name}/eviction`,
        body: { apiVersion: "policy/v1", kind: "Eviction", metadata: { name } },
      });
    await evict(first);
    await expect(evict(second)).rejects.toMatchObject({ code: 429, reason: "TooManyRequests" });
    await world.quiet();
    await expect(evict(second)).rejects.toMatchObject({ code: 429, reason: "TooManyRequests" });
    await world.wait("another may go", async () => (await allowed()) === 1);
    await evict(second);
    expect(await world.names(Pod, "default")).not.toContain(first);
  });
});
