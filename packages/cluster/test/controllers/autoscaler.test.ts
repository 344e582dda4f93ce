import { Deployment } from "@bowline/api/apps/v1";
import { HorizontalPodAutoscaler } from "@bowline/api/autoscaling/v2";
import { describe, expect, it } from "vitest";
import type { MetricScript } from "../../src/controllers/autoscaler/metric-source.ts";
import { type World, deploymentOf, newWorld } from "./world.ts";

const key = { name: "web", namespace: "default" };
const cpuTarget = {
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } },
};

async function start(metrics: MetricScript, spec: object = {}, replicas = 2): Promise<World> {
  const world = await newWorld({ metrics });
  const containers = [{ name: "main", image: "nginx", resources: { requests: { cpu: "100m" } } }];
  const template = { metadata: { labels: { app: "web" } }, spec: { containers } };
  await world.client.create(Deployment, deploymentOf("web", { replicas, template }) as never);
  await world.wait(
    "pods run",
    async () => (await world.client.get(Deployment, key)).status?.availableReplicas === replicas,
  );
  await world.client.create(HorizontalPodAutoscaler, {
    metadata: key,
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
      minReplicas: 1,
      maxReplicas: 10,
      metrics: [cpuTarget],
      ...spec,
    },
  } as never);
  await world.pass(1000);
  return world;
}

const replicas = async (world: World) => (await world.client.get(Deployment, key)).spec?.replicas;
const conditions = async (world: World) =>
  Object.fromEntries(
    (await world.client.get(HorizontalPodAutoscaler, key)).status?.conditions?.map((c) => [
      c.type,
      `${c.status} ${c.reason}`,
    ]) ?? [],
  );

describe("HorizontalPodAutoscaler controller", () => {
  it.each([
    ["50m", 2, "within the target"],
    ["54m", 2, "within the tolerance of a tenth"],
    ["56m", 3, "just beyond it"],
    ["80m", 4, "ceil(2 * 1.6)"],
    ["100m", 4, "twice the target"],
  ])("with a use of %s per pod wants %i replicas: %s", async (cpu, wanted) => {
    const world = await start({ usage: () => ({ cpu }) });
    expect(await replicas(world)).toBe(wanted);
  });

  it("says what it did, and why", async () => {
    const world = await start({ usage: () => ({ cpu: "100m" }) });
    expect(await world.events({ kind: "HorizontalPodAutoscaler", name: "web" })).toEqual([
      "SuccessfulRescale: New size: 4; reason: cpu resource utilization (percentage of request) above target",
    ]);
    const { status } = await world.client.get(HorizontalPodAutoscaler, key);
    expect(status).toMatchObject({
      currentReplicas: 2,
      desiredReplicas: 4,
      lastScaleTime: expect.any(String),
    });
    expect(status?.currentMetrics?.[0]?.resource?.current).toEqual({
      averageUtilization: 100,
      averageValue: "100m",
    });
    expect(await conditions(world)).toMatchObject({
      AbleToScale: "True SucceededRescale",
      ScalingActive: "True ValidMetricFound",
    });
  });

  it("looks again every 15 s, and adds at most four pods or as many as there are at a time", async () => {
    const world = await start({ usage: () => ({ cpu: "500m" }) }, { maxReplicas: 50 });
    const seen = [await replicas(world)];
    for (let round = 0; round < 3; round++) {
      await world.pass(15_000);
      seen.push(await replicas(world));
    }
    expect(seen).toEqual([6, 12, 24, 48]);
  });

  it("waits five minutes before it scales down", async () => {
    let cpu = "50m";
    const world = await start({ usage: () => ({ cpu }) }, {}, 4);
    await world.pass(20_000);
    cpu = "10m";
    await world.pass(270_000);
    expect(await replicas(world)).toBe(4);
    expect((await conditions(world))["AbleToScale"]).toBe("True ScaleDownStabilized");
    await world.pass(60_000);
    expect(await replicas(world)).toBe(1);
  });

  it("stays between minimum and maximum", async () => {
    const world = await start({ usage: () => ({ cpu: "400m" }) }, { maxReplicas: 3 });
    expect(await replicas(world)).toBe(3);
    expect((await conditions(world))["ScalingLimited"]).toBe("True TooManyReplicas");
    const low = await start({ usage: () => ({ cpu: "50m" }) }, { minReplicas: 5 });
    expect(await replicas(low)).toBe(5);
  });

  it("follows metrics of pods, objects and the outside, the highest wins", async () => {
    const world = await start(
      { value: ({ type }) => (type === "External" ? 100 : type === "Pods" ? 20 : 5) },
      {
        metrics: [
          {
            type: "Pods",
            pods: { metric: { name: "requests" }, target: { type: "AverageValue", averageValue: "10" } },
          },
          {
            type: "External",
            external: { metric: { name: "queue" }, target: { type: "AverageValue", averageValue: "20" } },
          },
        ],
      },
    );
    expect(await replicas(world)).toBe(5);
  });

  it("says when it cannot read a metric or its target", async () => {
    const world = await start(
      {},
      {
        metrics: [
          {
            type: "External",
            external: { metric: { name: "queue" }, target: { type: "Value", value: "10" } },
          },
        ],
      },
    );
    expect((await conditions(world))["ScalingActive"]).toBe("False FailedGetExternalMetric");
    await world.client.delete(Deployment, key);
    await world.pass(16_000);
    expect((await conditions(world))["AbleToScale"]).toBe("False FailedGetScale");
  });
});
