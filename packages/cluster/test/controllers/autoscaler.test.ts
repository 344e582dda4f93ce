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

  /** Replica counts after each of the next rounds. */
  async function rounds(world: World, count: number): Promise<(number | undefined)[]> {
    const seen = [await replicas(world)];
    for (let round = 1; round < count; round++) {
      await world.pass(15_000);
      seen.push(await replicas(world));
    }
    return seen;
  }

  it("looks again every 15 s, and goes to twice as many or four at a time", async () => {
    const world = await start({ usage: () => ({ cpu: "500m" }) }, { maxReplicas: 50 }, 1);
    expect(await rounds(world, 4)).toEqual([4, 8, 16, 32]);
    expect((await conditions(world))["ScalingLimited"]).toBe("True ScaleUpLimit");
  });

  /** What is left out of the rules is as the API's defaults say. */
  const up = (...policies: object[]): object => ({ scaleUp: { stabilizationWindowSeconds: 0, policies } });
  const down = (rules: object): object => ({
    scaleDown: { stabilizationWindowSeconds: 0, selectPolicy: "Max", ...rules },
  });
  const pods = (value: number, periodSeconds = 15): object => ({ type: "Pods", value, periodSeconds });
  const percent = (value: number, periodSeconds = 15): object => ({ type: "Percent", value, periodSeconds });

  it.each<[string, object, { cpu: string; from: number; seen: number[]; limited: string }]>([
    [
      "the defaults",
      { scaleDown: {} },
      { cpu: "500m", from: 2, seen: [6, 12, 24], limited: "True ScaleUpLimit" },
    ],
    [
      "pods a minute",
      up(pods(3, 60)),
      { cpu: "500m", from: 2, seen: [5, 5, 5, 5, 8], limited: "True ScaleUpLimit" },
    ],
    [
      "percent up, rounded up",
      up(percent(10)),
      { cpu: "500m", from: 2, seen: [3, 4, 5], limited: "True ScaleUpLimit" },
    ],
    [
      "the smaller of two",
      { scaleUp: { stabilizationWindowSeconds: 0, selectPolicy: "Min", policies: [pods(4), percent(50)] } },
      { cpu: "500m", from: 2, seen: [3, 5, 8], limited: "True ScaleUpLimit" },
    ],
    [
      "none upwards",
      { scaleUp: { selectPolicy: "Disabled" } },
      { cpu: "500m", from: 2, seen: [2, 2], limited: "True ScaleUpLimit" },
    ],
    [
      "pods down",
      down({ policies: [pods(2, 30)] }),
      { cpu: "5m", from: 9, seen: [7, 7, 5], limited: "True ScaleDownLimit" },
    ],
    [
      "percent down, rounded down",
      down({ policies: [percent(50)] }),
      { cpu: "5m", from: 9, seen: [4, 2, 1], limited: "False DesiredWithinRange" },
    ],
    [
      "the smaller of two downwards",
      down({ selectPolicy: "Min", policies: [pods(1), percent(50)] }),
      { cpu: "5m", from: 4, seen: [3, 2, 1], limited: "False DesiredWithinRange" },
    ],
    [
      "none downwards",
      down({ selectPolicy: "Disabled" }),
      { cpu: "5m", from: 4, seen: [4, 4], limited: "True ScaleDownLimit" },
    ],
    [
      "at most the maximum",
      up(percent(900)),
      { cpu: "500m", from: 2, seen: [20, 40, 40], limited: "True TooManyReplicas" },
    ],
  ])("keeps to the rules of its behavior: %s", async (_name, behavior, { cpu, from, seen, limited }) => {
    const world = await start({ usage: () => ({ cpu }) }, { maxReplicas: 40, behavior }, from);
    expect(await rounds(world, seen.length)).toEqual(seen);
    expect((await conditions(world))["ScalingLimited"]).toBe(limited);
  });

  it("waits upwards as long as its window says, and takes the lowest of it", async () => {
    let cpu = "50m";
    const behavior = { scaleUp: { stabilizationWindowSeconds: 60 } };
    const world = await start({ usage: () => ({ cpu }) }, { behavior });
    cpu = "200m";
    await world.pass(45_000);
    expect(await replicas(world)).toBe(2);
    expect((await conditions(world))["AbleToScale"]).toBe("True ScaleUpStabilized");
    await world.pass(30_000);
    expect(await replicas(world)).toBeGreaterThan(2);
  });

  it("has the tolerances of its rules", async () => {
    const rules = {
      scaleUp: { tolerance: "0.5" },
      scaleDown: { tolerance: "0", stabilizationWindowSeconds: 0 },
    };
    for (const [cpu, wanted] of [
      ["74m", 4],
      ["76m", 7],
      ["49m", 4],
      ["37m", 3],
    ] as const) {
      const world = await start({ usage: () => ({ cpu }) }, { behavior: rules }, 4);
      expect(await replicas(world)).toBe(wanted);
    }
  });

  it("takes nobody away while one of the metrics is unknown, but adds", async () => {
    const unknown = {
      type: "External",
      external: { metric: { name: "queue" }, target: { type: "Value", value: "10" } },
    };
    const metrics = [unknown, cpuTarget];
    const low = await start({ usage: () => ({ cpu: "10m" }) }, { metrics }, 4);
    await low.pass(400_000);
    expect(await replicas(low)).toBe(4);
    expect((await conditions(low))["ScalingActive"]).toBe("False FailedGetExternalMetric");
    const events = await low.events({ kind: "HorizontalPodAutoscaler", name: "web" });
    expect(events).toContain(
      "FailedComputeMetricsReplicas: invalid metrics (1 invalid out of 2), first error is: unable to get metric queue: no metrics returned",
    );
    const high = await start({ usage: () => ({ cpu: "100m" }) }, { metrics });
    expect(await replicas(high)).toBe(4);
    expect((await conditions(high))["ScalingActive"]).toBe("True ValidMetricFound");
  });

  it("does not take pods that are not ready for a reason to add or to take away", async () => {
    let cpu = "50m";
    const world = await start(
      { usage: () => ({ cpu }) },
      { behavior: { scaleDown: { stabilizationWindowSeconds: 0 } } },
      2,
    );
    const deployment = { merge: { spec: { replicas: 4 } } };
    world.cluster.nodes.fail("node-1");
    await world.client.patch(Deployment, key, deployment);
    cpu = "80m";
    await world.pass(16_000);
    // two use 160 %, as four would 80 %: neither more nor fewer
    expect(await replicas(world)).toBe(4);
  });

  it("says that it cannot scale its target", async () => {
    const world = await start({ usage: () => ({ cpu: "50m" }) });
    const quota = { apiVersion: "admissionregistration.k8s.io/v1", kind: "ValidatingAdmissionPolicy" };
    await world.client.create(quota, {
      ...quota,
      metadata: { name: "fixed" },
      spec: {
        matchConstraints: {
          resourceRules: [
            {
              apiGroups: ["apps"],
              apiVersions: ["v1"],
              operations: ["UPDATE"],
              resources: ["deployments/scale"],
            },
          ],
        },
        validations: [{ expression: "false", message: "fixed" }],
      },
    } as never);
    const binding = { ...quota, kind: "ValidatingAdmissionPolicyBinding" };
    await world.client.create(binding, {
      ...binding,
      metadata: { name: "fixed" },
      spec: { policyName: "fixed", validationActions: ["Deny"] },
    } as never);
    await world.client.patch(HorizontalPodAutoscaler, key, { merge: { spec: { minReplicas: 3 } } });
    await world.pass(16_000);
    expect((await conditions(world))["AbleToScale"]).toBe("False FailedUpdateScale");
    const [event] = await world.events({ kind: "HorizontalPodAutoscaler", name: "web" });
    expect(event).toMatch(
      /^FailedRescale: New size: 3; reason: Current number of replicas below Spec.MinReplicas; error: .*fixed$/,
    );
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

  it("takes nobody away at once from what it finds", async () => {
    const world = await start({ usage: () => ({ cpu: "10m" }) }, {}, 4);
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
      { value: ({ type }) => (type === "External" ? 100 : type === "Pods" ? 8 : 5) },
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
    await world.pass(15_000);
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
