/** Events and conditions of the controllers that no other test is about, in the words of the real ones. */
import { DaemonSet, Deployment, StatefulSet } from "@bowline/api/apps/v1";
import { HorizontalPodAutoscaler } from "@bowline/api/autoscaling/v2";
import { CronJob, Job } from "@bowline/api/batch/v1";
import {
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  ResourceQuota,
  Service,
} from "@bowline/api/core/v1";
import { describe, expect, it } from "vitest";
import { type World, deploymentOf, newWorld, template } from "./world.ts";

const key = (name: string): { name: string; namespace: string } => ({ name, namespace: "default" });

interface Conditioned {
  readonly status?: {
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason?: string;
      readonly message?: string;
    }[];
  };
}

function condition(object: unknown, type: string): string | undefined {
  const found = (object as Conditioned).status?.conditions?.find((one) => one.type === type);
  return found && `${found.status} ${found.reason}: ${found.message}`;
}

const minute = 60_000;

describe("A Deployment says", () => {
  const progressing = async (world: World): Promise<string | undefined> =>
    condition(await world.client.get(Deployment, key("web")), "Progressing");

  it("that it is paused, and that it goes on when it is resumed", async () => {
    const world = await newWorld();
    const patch = (spec: object): Promise<unknown> =>
      world.client.patch(Deployment, key("web"), { merge: { spec } as never });
    await world.client.create(Deployment, deploymentOf("web") as never);
    await world.quiet();
    await patch({ paused: true, template: template("web", "bowline.dev/never-ready") });
    await world.quiet();
    expect(await progressing(world)).toBe("Unknown DeploymentPaused: Deployment is paused");
    await patch({ paused: false });
    await world.quiet();
    expect(await progressing(world)).toMatch(
      /^True ReplicaSetUpdated: ReplicaSet "web-\w+" is progressing\.$/,
    );
  });

  it("that it cannot make a set", async () => {
    const world = await newWorld();
    const hard = { "count/replicasets.apps": "0" };
    await world.client.create(ResourceQuota, { metadata: key("none"), spec: { hard } } as never);
    await world.pass(1000);
    await world.client.create(Deployment, deploymentOf("web") as never);
    await world.quiet();
    const why =
      /Failed to create new replica set "(web-\w+)": replicasets\.apps "\1" is forbidden: exceeded quota: none, requested: count\/replicasets\.apps=1, used: count\/replicasets\.apps=0, limited: count\/replicasets\.apps=0$/;
    expect(await progressing(world)).toMatch(new RegExp(`^False ReplicaSetCreateError: ${why.source}`));
    const [event] = await world.events({ kind: "Deployment", name: "web" });
    expect(event).toMatch(new RegExp(`^ReplicaSetCreateError: ${why.source}`));
  });
});

describe("A StatefulSet says", () => {
  it("which pods it makes, takes away and makes again", async () => {
    const world = await newWorld({ images: { once: { exitAfterMs: 1000 } } });
    const spec = { replicas: 2, serviceName: "db", selector: { matchLabels: { app: "db" } } };
    await world.client.create(Service, {
      metadata: key("db"),
      spec: { clusterIP: "None", selector: { app: "db" } },
    } as never);
    await world.client.create(StatefulSet, {
      metadata: key("db"),
      spec: { ...spec, template: template("db") },
    } as never);
    await world.pass(1000);
    await world.client.patch(StatefulSet, key("db"), { merge: { spec: { replicas: 1 } } });
    await world.pass(1000);
    expect(await world.events({ kind: "StatefulSet", name: "db" })).toEqual([
      "SuccessfulCreate: create Pod db-0 in StatefulSet db successful",
      "SuccessfulCreate: create Pod db-1 in StatefulSet db successful",
      "SuccessfulDelete: delete Pod db-1 in StatefulSet db successful",
    ]);
    await world.client.patch(
      Pod,
      key("db-0"),
      { merge: { status: { phase: "Succeeded" } } },
      { subresource: "status" },
    );
    await world.quiet();
    expect(await world.events({ kind: "StatefulSet", name: "db" })).toContain(
      "RecreatingTerminatedPod: StatefulSet default/db is recreating terminated Pod db-0",
    );
  });

  it("updates as many pods at once as may be unavailable", async () => {
    const world = await newWorld({ images: { "nginx:2": { readyAfterMs: 10_000 } } });
    const spec = {
      replicas: 5,
      serviceName: "db",
      podManagementPolicy: "Parallel",
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 2 } },
      selector: { matchLabels: { app: "db" } },
    };
    await world.client.create(StatefulSet, {
      metadata: key("db"),
      spec: { ...spec, template: template("db") },
    } as never);
    await world.pass(1000);
    await world.client.patch(StatefulSet, key("db"), {
      merge: { spec: { template: template("db", "nginx:2") } } as never,
    });
    const fresh = async (): Promise<string[]> =>
      (await world.list(Pod))
        .filter((pod) => pod.spec?.containers[0]?.image === "nginx:2")
        .map((pod) => pod.metadata.name ?? "")
        .sort();
    await world.pass(1000);
    expect(await fresh()).toEqual(["db-3", "db-4"]);
    await world.pass(11_000);
    expect(await fresh()).toEqual(["db-1", "db-2", "db-3", "db-4"]);
    await world.pass(11_000);
    expect(await fresh()).toHaveLength(5);
  });
});

describe("A DaemonSet says", () => {
  it("that a pod ended well, and is made again", async () => {
    const world = await newWorld();
    const spec = { selector: { matchLabels: { app: "agent" } }, template: template("agent") };
    await world.client.create(DaemonSet, { metadata: key("agent"), spec } as never);
    await world.pass(1000);
    const [name = ""] = await world.names(Pod);
    await world.client.patch(
      Pod,
      key(name),
      { merge: { status: { phase: "Succeeded" } } },
      { subresource: "status" },
    );
    await world.pass(1000);
    expect(await world.events({ kind: "DaemonSet", name: "agent" })).toEqual([
      `SuccessfulCreate: Created pod: ${name}`,
      `SucceededDaemonPod: Found succeeded daemon pod default/${name} on node node-1, will try to delete it`,
      `SuccessfulDelete: Deleted pod: ${name}`,
      `SuccessfulCreate: Created pod: ${(await world.names(Pod))[0]}`,
    ]);
  });
});

describe("A Job says", () => {
  it("that too many of its indexes failed", async () => {
    const world = await newWorld({ images: { bad: { exitAfterMs: 1000, exitCode: 1 } } });
    const spec = {
      completions: 5,
      parallelism: 1,
      completionMode: "Indexed",
      backoffLimitPerIndex: 0,
      maxFailedIndexes: 1,
      template: { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "bad" }] } },
    };
    await world.client.create(Job, { metadata: key("work"), spec } as never);
    await world.pass(minute);
    const job = await world.client.get(Job, key("work"));
    const why = "MaxFailedIndexesExceeded: Job has exceeded the specified maximal number of failed indexes";
    expect(condition(job, "FailureTarget")).toBe(`True ${why}`);
    expect(condition(job, "Failed")).toBe(`True ${why}`);
    expect(job.status?.failedIndexes).toBe("0,1");
    expect(await world.events({ kind: "Job", name: "work" })).toContain(why);
  });
});

describe("A CronJob says", () => {
  const start = async (spec: object): Promise<World> => {
    const world = await newWorld({ images: { slow: { exitAfterMs: 150_000 } } });
    const pod = { restartPolicy: "Never", containers: [{ name: "main", image: "slow" }] };
    const jobTemplate = { spec: { template: { spec: pod } } };
    await world.client.create(CronJob, {
      metadata: key("tick"),
      spec: { schedule: "* * * * *", jobTemplate, ...spec },
    } as never);
    return world;
  };
  const events = (world: World): Promise<string[]> => world.events({ kind: "CronJob", name: "tick" });

  it("that a job runs still, and that one is replaced", async () => {
    const begin = Date.UTC(2026, 0, 1) / minute;
    const patient = await start({ concurrencyPolicy: "Forbid" });
    await patient.pass(2 * minute + 1000);
    expect(await events(patient)).toEqual([
      `SuccessfulCreate: Created job tick-${begin + 1}`,
      "JobAlreadyActive: Not starting job because prior execution is running and concurrency policy is Forbid",
    ]);
    const hasty = await start({ concurrencyPolicy: "Replace" });
    await hasty.pass(2 * minute + 1000);
    expect(await events(hasty)).toEqual([
      `SuccessfulCreate: Created job tick-${begin + 1}`,
      `SuccessfulDelete: Deleted job tick-${begin + 1}`,
      `SuccessfulCreate: Created job tick-${begin + 2}`,
    ]);
  });
});

describe("A claim says", () => {
  const claim = (spec: object): never =>
    ({
      metadata: key("data"),
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, ...spec },
    }) as never;
  const events = (world: World): Promise<string[]> =>
    world.events({ kind: "PersistentVolumeClaim", name: "data" });

  it("that there is no such class, that it was provisioned, and that its volume is lost", async () => {
    const world = await newWorld();
    await world.client.create(PersistentVolumeClaim, claim({ storageClassName: "none" }));
    await world.quiet();
    expect(await events(world)).toEqual(['ProvisioningFailed: storageclass.storage.k8s.io "none" not found']);
    await world.client.delete(PersistentVolumeClaim, key("data"));
    await world.pass(1000);
    await world.client.create(PersistentVolumeClaim, claim({}));
    await world.quiet();
    const { spec } = await world.client.get(PersistentVolumeClaim, key("data"));
    expect(await events(world)).toContain(
      `ProvisioningSucceeded: Successfully provisioned volume ${spec?.volumeName}`,
    );
    const name = spec?.volumeName ?? "";
    await world.client.patch(
      PersistentVolume,
      { name },
      { merge: { metadata: { finalizers: null } } as never },
    );
    await world.client.delete(PersistentVolume, { name });
    await world.pass(1000);
    expect((await world.client.get(PersistentVolumeClaim, key("data"))).status?.phase).toBe("Lost");
    expect(await events(world)).toContain(
      "ClaimLost: Bound claim has lost its PersistentVolume. Data on the volume is lost!",
    );
  });
});

describe("A Node says", () => {
  it("that it is not ready, and its pods say so too", async () => {
    const world = await newWorld();
    const spec = { containers: [{ name: "c", image: "i" }] };
    await world.client.create(Pod, { metadata: key("p"), spec } as never);
    await world.pass(1000);
    world.cluster.nodes.fail("node-1");
    await world.pass(minute);
    expect(await world.events({ kind: "Node", name: "node-1" })).toContain(
      "NodeNotReady: Node node-1 status is now: NodeNotReady",
    );
    expect(await world.events({ kind: "Pod", name: "p" })).toContain("NodeNotReady: Node is not ready");
  });

  it("that nobody ever said anything of it", async () => {
    const world = await newWorld({ nodes: 0 });
    await world.client.create(Node, { metadata: { name: "paper" } } as never);
    await world.pass(minute);
    const node = await world.client.get(Node, { name: "paper" });
    for (const type of ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"])
      expect(condition(node, type)).toBe("Unknown NodeStatusNeverUpdated: Kubelet never posted node status.");
  });
});

describe("An autoscaler says", () => {
  const start = async (replicas: number, spec: object): Promise<World> => {
    const world = await newWorld({ metrics: { usage: () => ({ cpu: "10m" }) } });
    const containers = [{ name: "main", image: "nginx", resources: { requests: { cpu: "100m" } } }];
    const pod = { metadata: { labels: { app: "web" } }, spec: { containers } };
    await world.client.create(Deployment, deploymentOf("web", { replicas, template: pod }) as never);
    await world.pass(1000);
    const target = { type: "Utilization", averageUtilization: 50 };
    await world.client.create(HorizontalPodAutoscaler, {
      metadata: key("web"),
      spec: {
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
        maxReplicas: 10,
        metrics: [{ type: "Resource", resource: { name: "cpu", target } }],
        ...spec,
      },
    } as never);
    await world.pass(1000);
    return world;
  };
  const said = async (world: World, type: string): Promise<string | undefined> =>
    condition(await world.client.get(HorizontalPodAutoscaler, key("web")), type);

  it("that it is off for a target without pods", async () => {
    const world = await start(0, {});
    expect(await said(world, "ScalingActive")).toBe(
      "False ScalingDisabled: scaling is disabled since the replica count of the target is zero",
    );
    expect(await said(world, "AbleToScale")).toBe(
      "True SucceededGetScale: the HPA controller was able to get the target's current scale",
    );
  });

  it("that it would go below the minimum", async () => {
    const behavior = { scaleDown: { stabilizationWindowSeconds: 0 } };
    const world = await start(3, { minReplicas: 3, behavior });
    expect(await said(world, "ScalingLimited")).toBe(
      "True TooFewReplicas: the desired replica count is less than the minimum replica count",
    );
    expect(await said(world, "ScalingActive")).toBe(
      "True ValidMetricFound: the HPA was able to successfully calculate a replica count from cpu resource utilization (percentage of request)",
    );
  });
});
