/** What an operator can see of the built-in controllers: one table for each kind. */
import { ControllerRevision, DaemonSet, Deployment, ReplicaSet, StatefulSet } from "@bowline/api/apps/v1";
import { HorizontalPodAutoscaler } from "@bowline/api/autoscaling/v2";
import { CronJob, Job } from "@bowline/api/batch/v1";
import { Lease } from "@bowline/api/coordination/v1";
import { Endpoints, Node, PersistentVolumeClaim, Pod, Service } from "@bowline/api/core/v1";
import { EndpointSlice } from "@bowline/api/discovery/v1";
import { PodDisruptionBudget } from "@bowline/api/policy/v1";
import { describe, it } from "vitest";
import { condition, expectFacts } from "./facts.ts";
import { deploymentOf, newWorld, template } from "./world.ts";

const key = (name: string): { name: string; namespace: string } => ({ name, namespace: "default" });
const refused = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => "it was allowed",
    (error: { code?: number; message?: string }) => `${error.code} ${error.message}`,
  );
const sorted = (names: readonly (string | undefined)[]): string[] => names.map(String).sort();

describe("What can be seen of", () => {
  it("a Deployment", async () => {
    const world = await newWorld();
    const get = (): Promise<Deployment> => world.client.get(Deployment, key("web")) as Promise<never>;
    const rolledOut = async (generation: number): Promise<boolean> => {
      const { status } = await get();
      return (
        status?.observedGeneration === generation && status.availableReplicas === 2 && status.replicas === 2
      );
    };
    await world.client.create(Deployment, deploymentOf("web", { replicas: 2 }) as never);
    await world.wait("it is available", () => rolledOut(1));
    const first = (await world.list(ReplicaSet))[0];
    await world.client.patch(Deployment, key("web"), {
      merge: { spec: { template: template("web", "nginx:2") } } as never,
    });
    await world.wait("it is rolled out", () => rolledOut(2));
    const deployment = await get();
    const sets = await world.list(ReplicaSet);
    const set = sets.find(({ metadata }) => metadata.name !== first?.metadata.name);
    const hash = set?.metadata.labels?.["pod-template-hash"];
    const pods = await world.list(Pod);
    const selector = deployment.spec?.selector;
    const other = { merge: { spec: { selector: { matchLabels: { app: "other" } } } } as never };
    const change = await refused(world.client.patch(Deployment, key("web"), other));
    await world.client.patch(Deployment, key("web"), { merge: { spec: { paused: true } } as never });
    await world.quiet();
    expectFacts([
      ["ReplicaSets are named <deployment>-<hash>", set?.metadata.name, `web-${hash}`],
      [
        "the hash is in the selector",
        set?.spec?.selector?.matchLabels,
        { app: "web", "pod-template-hash": hash },
      ],
      ["pods have the hash", pods.every((p) => p.metadata.labels?.["pod-template-hash"] === hash), true],
      ["the deployment's own selector has none", selector, { matchLabels: { app: "web" } }],
      [
        "the revision is counted",
        deployment.metadata.annotations?.["deployment.kubernetes.io/revision"],
        "2",
      ],
      [
        "each set knows its revision and how far it may go",
        set?.metadata.annotations,
        {
          "deployment.kubernetes.io/revision": "2",
          "deployment.kubernetes.io/desired-replicas": "2",
          "deployment.kubernetes.io/max-replicas": "3",
        },
      ],
      ["old sets stay without pods", sets.map(({ spec }) => spec?.replicas).sort(), [0, 2]],
      ["it is Available", condition(deployment, "Available"), "True MinimumReplicasAvailable"],
      ["it has progressed", condition(deployment, "Progressing"), "True NewReplicaSetAvailable"],
      ["the deadline is 600 s", deployment.spec?.progressDeadlineSeconds, 600],
      ["ten old sets are kept", deployment.spec?.revisionHistoryLimit, 10],
      [
        "a quarter may be missing or too many",
        deployment.spec?.strategy,
        { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: "25%" } },
      ],
      [
        "the selector is fixed",
        /^422 .*spec.selector: Invalid value: .*: field is immutable/s.test(change),
        true,
      ],
      ["a paused one says so", condition(await get(), "Progressing"), "Unknown DeploymentPaused"],
    ]);
  });

  it("a ReplicaSet", async () => {
    const world = await newWorld();
    const spec = { replicas: 3, selector: { matchLabels: { app: "web" } }, template: template("web") };
    await world.client.create(Pod, {
      metadata: { ...key("orphan"), labels: { app: "web" } },
      spec: template("web").spec,
    } as never);
    await world.client.create(ReplicaSet, { metadata: key("web"), spec } as never);
    const get = (): Promise<ReplicaSet> => world.client.get(ReplicaSet, key("web")) as Promise<never>;
    await world.wait("three are available", async () => (await get()).status?.availableReplicas === 3);
    const pods = await world.list(Pod);
    const owner = pods.find(({ metadata }) => metadata.name === "orphan")?.metadata.ownerReferences?.[0];
    await world.client.patch(Pod, key("orphan"), {
      merge: { metadata: { labels: { app: "gone" } } } as never,
    });
    await world.wait("it is replaced", async () => (await world.list(Pod)).length === 4);
    const released = await world.client.get(Pod, key("orphan"));
    const cheap = (await world.list(Pod, { labelSelector: "app=web" }))[1]?.metadata.name ?? "";
    await world.client.patch(Pod, key(cheap), {
      merge: { metadata: { annotations: { "controller.kubernetes.io/pod-deletion-cost": "-5" } } } as never,
    });
    await world.client.patch(ReplicaSet, key("web"), { merge: { spec: { replicas: 2 } } as never });
    await world.wait("one is gone", async () => (await get()).status?.replicas === 2);
    await world.wait("its pod too", async () => !(await world.names(Pod)).includes(cheap));
    const quota = { apiVersion: "v1", kind: "ResourceQuota" };
    await world.client.create(quota, {
      ...quota,
      metadata: key("q"),
      spec: { hard: { pods: "3" } },
    } as never);
    await world.client.patch(ReplicaSet, key("web"), { merge: { spec: { replicas: 9 } } as never });
    await world.quiet();
    const events = await world.events({ kind: "ReplicaSet", name: "web" });
    expectFacts([
      ["it adopts what matches", `${owner?.kind}/${owner?.name} ${owner?.controller}`, "ReplicaSet/web true"],
      ["and makes only what is missing", pods.length, 3],
      ["it lets go of what matches no more", released.metadata.ownerReferences, undefined],
      ["the cheapest pod goes first", (await world.names(Pod)).includes(cheap), false],
      ["it says why it cannot make pods", condition(await get(), "ReplicaFailure"), "True FailedCreate"],
      [
        "it begins with one pod at a time, so that a refusal is not repeated seven times",
        events.filter((event) => event.startsWith("FailedCreate")).length < 7,
        true,
      ],
    ]);
  });

  it("a StatefulSet", async () => {
    const world = await newWorld();
    const claims = [
      {
        metadata: { name: "data" },
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
      },
    ];
    const spec = { serviceName: "db", replicas: 3, selector: { matchLabels: { app: "db" } } };
    await world.client.create(StatefulSet, {
      metadata: key("db"),
      spec: { ...spec, template: template("db"), volumeClaimTemplates: claims },
    } as never);
    const get = (): Promise<StatefulSet> => world.client.get(StatefulSet, key("db")) as Promise<never>;
    await world.wait("three are ready", async () => (await get()).status?.readyReplicas === 3);
    const pods = await world.list(Pod);
    const set = await get();
    const created = await world.events({ kind: "StatefulSet", name: "db" });
    const patch = (change: object): Promise<string> =>
      refused(world.client.patch(StatefulSet, key("db"), { merge: { spec: change } as never }));
    const fixed = await patch({ serviceName: "other" });
    const free = [
      await patch({ minReadySeconds: 1 }),
      await patch({ revisionHistoryLimit: 3 }),
      await patch({ ordinals: { start: 0 } }),
      await patch({ updateStrategy: { rollingUpdate: { partition: 2 } } }),
      await patch({ template: template("db", "nginx:2") }),
    ];
    await world.wait("the last is updated", async () => (await get()).status?.updatedReplicas === 1);
    await world.wait("all are ready", async () => (await get()).status?.readyReplicas === 3);
    const images = (await world.list(Pod)).map((pod) => pod.spec?.containers[0]?.image);
    await world.client.patch(StatefulSet, key("db"), { merge: { spec: { replicas: 1 } } as never });
    await world.wait("one is left", async () => (await world.list(Pod)).length === 1);
    expectFacts([
      ["pods are numbered", sorted(pods.map((pod) => pod.metadata.name)), ["db-0", "db-1", "db-2"]],
      [
        "pods know their name and number",
        pods[1]?.metadata.labels,
        {
          app: "db",
          "apps.kubernetes.io/pod-index": "1",
          "controller-revision-hash": set.status?.currentRevision,
          "statefulset.kubernetes.io/pod-name": "db-1",
        },
      ],
      [
        "they come one after the other",
        created.filter((event) => event.includes("create Pod")).map((event) => /db-\d/.exec(event)?.[0]),
        ["db-0", "db-1", "db-2"],
      ],
      ["the policy is OrderedReady", set.spec?.podManagementPolicy, "OrderedReady"],
      ["templates are kept as revisions", (await world.list(ControllerRevision)).length, 2],
      [
        "claims are <template>-<set>-<ordinal> and stay when pods go",
        await world.names(PersistentVolumeClaim),
        ["data-db-0", "data-db-1", "data-db-2"],
      ],
      ["pods below the partition keep the old template", images, ["nginx:1", "nginx:1", "nginx:2"]],
      [
        "few fields can change",
        fixed.includes(
          "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
        ),
        true,
      ],
      ["those can", free, free.map(() => "it was allowed")],
    ]);
  });

  it("a DaemonSet", async () => {
    const world = await newWorld({
      nodes: [{ name: "node-1" }, { name: "node-2", labels: { disk: "ssd" } }],
    });
    const spec = { selector: { matchLabels: { app: "agent" } } };
    await world.client.create(DaemonSet, {
      metadata: key("agent"),
      spec: { ...spec, template: template("agent") },
    } as never);
    const get = (): Promise<DaemonSet> => world.client.get(DaemonSet, key("agent")) as Promise<never>;
    await world.wait("two are ready", async () => (await get()).status?.numberReady === 2);
    const [pod] = await world.list(Pod);
    const set = await get();
    const affinity = pod?.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
    const taints = pod?.spec?.tolerations?.map((t) => `${t.key?.split("/")[1]}:${t.effect}`) ?? [];
    const onSsd = { ...template("agent").spec, nodeSelector: { disk: "ssd" } };
    await world.client.patch(DaemonSet, key("agent"), {
      merge: { spec: { template: { ...template("agent"), spec: onSsd } } } as never,
    });
    await world.wait("one is wanted", async () => {
      const { status, metadata } = await get();
      return status?.desiredNumberScheduled === 1 && status.observedGeneration === metadata.generation;
    });
    await world.wait("the other is gone", async () => (await world.list(Pod)).length === 1);
    await world.wait("it runs", async () => (await get()).status?.numberReady === 1);
    expectFacts([
      [
        "each pod is bound to its node by affinity",
        affinity?.nodeSelectorTerms,
        [{ matchFields: [{ key: "metadata.name", operator: "In", values: [pod?.spec?.nodeName] }] }],
      ],
      [
        "pods tolerate what happens to nodes",
        [
          "disk-pressure:NoSchedule",
          "memory-pressure:NoSchedule",
          "not-ready:NoExecute",
          "pid-pressure:NoSchedule",
          "unreachable:NoExecute",
          "unschedulable:NoSchedule",
        ].filter((taint) => !taints.includes(taint)),
        [],
      ],
      [
        "the template is counted",
        set.metadata.annotations?.["deprecated.daemonset.template.generation"],
        "1",
      ],
      [
        "one may be missing, none too many",
        set.spec?.updateStrategy,
        { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
      ],
      ["nodes that do not match are left", (await world.list(Pod))[0]?.spec?.nodeName, "node-2"],
      ["none is misscheduled in the end", (await get()).status?.numberMisscheduled, 0],
    ]);
  });

  it("a Job", async () => {
    const images = { good: { exitAfterMs: 1000 }, bad: { exitAfterMs: 1000, exitCode: 1 } };
    const world = await newWorld({ images });
    const run = (name: string, image: string, spec: object = {}): Promise<Job> => {
      const pod = { spec: { restartPolicy: "Never", containers: [{ name: "main", image }] } };
      return world.client.create(Job, {
        metadata: key(name),
        spec: { template: pod, ...spec },
      } as never) as never;
    };
    const get = (name: string): Promise<Job> => world.client.get(Job, key(name)) as Promise<never>;
    const has = (name: string, type: string): Promise<unknown> =>
      world.wait(`${name} is ${type}`, async () => condition(await get(name), type) !== undefined);
    await run("good", "good");
    await world.quiet();
    const [pod] = await world.list(Pod);
    await has("good", "Complete");
    const good = await get("good");
    await run("bad", "bad", { backoffLimit: 1 });
    await has("bad", "Failed");
    await run("late", "bad", { activeDeadlineSeconds: 5, backoffLimit: 100 });
    await has("late", "Failed");
    await run("indexed", "good", { completionMode: "Indexed", completions: 3, parallelism: 3 });
    await has("indexed", "Complete");
    await run("short", "good", { ttlSecondsAfterFinished: 10 });
    await has("short", "Complete");
    await world.pass(11_000);
    const uid = good.metadata.uid;
    const isTrue = (job: Job): string[] =>
      (job.status?.conditions ?? []).map(({ type, reason }) => `${type} ${reason ?? ""}`.trim());
    expectFacts([
      [
        "pods know the job by name and uid",
        pod?.metadata.labels,
        {
          "job-name": "good",
          "controller-uid": uid,
          "batch.kubernetes.io/job-name": "good",
          "batch.kubernetes.io/controller-uid": uid,
        },
      ],
      [
        "the selector is generated",
        good.spec?.selector,
        { matchLabels: { "batch.kubernetes.io/controller-uid": uid } },
      ],
      [
        "pods are held until they are counted",
        pod?.metadata.finalizers,
        ["batch.kubernetes.io/job-tracking"],
      ],
      [
        "success is decided before it is complete",
        isTrue(good),
        ["SuccessCriteriaMet CompletionsReached", "Complete CompletionsReached"],
      ],
      [
        "failure is decided before it has failed",
        isTrue(await get("bad")),
        ["FailureTarget BackoffLimitExceeded", "Failed BackoffLimitExceeded"],
      ],
      [
        "the deadline ends it",
        isTrue(await get("late")),
        ["FailureTarget DeadlineExceeded", "Failed DeadlineExceeded"],
      ],
      ["six retries are allowed", good.spec?.backoffLimit, 6],
      ["indexes are listed as ranges", (await get("indexed")).status?.completedIndexes, "0-2"],
      ["it is deleted after its time", await world.client.find(Job, key("short")), undefined],
    ]);
  });

  it("a CronJob", async () => {
    const world = await newWorld({
      images: { quick: { exitAfterMs: 1000 }, bad: { exitAfterMs: 1000, exitCode: 1 } },
    });
    const cron = (name: string, image: string, spec: object = {}): Promise<unknown> => {
      const pod = { spec: { restartPolicy: "Never", containers: [{ name: "main", image }] } };
      const jobTemplate = { spec: { template: pod, backoffLimit: 0 } };
      return world.client.create(CronJob, {
        metadata: key(name),
        spec: { schedule: "* * * * *", jobTemplate, ...spec },
      } as never);
    };
    await cron("good", "quick");
    await cron("bad", "bad");
    await cron("zoned", "quick", { schedule: "5 1 * * *", timeZone: "Europe/Berlin" });
    for (let minute = 0; minute < 6; minute++) await world.pass(60_000);
    await world.pass(5_000);
    const names = await world.names(Job);
    const of = (name: string): string[] => names.filter((job) => job.startsWith(`${name}-`));
    const begin = Date.UTC(2026, 0, 1) / 60_000;
    const wrong = await refused(cron("wrong", "quick", { timeZone: "Mars/Olympus" }));
    const { spec } = await world.client.get(CronJob, key("good"));
    expectFacts([
      ["jobs are <cronjob>-<minutes since 1970>", of("good").at(-1), `good-${begin + 6}`],
      ["three successful jobs are kept", of("good").length, 3],
      ["one failed job is kept", of("bad").length, 1],
      ["times are those of the zone", of("zoned"), [`zoned-${begin + 5}`]],
      ["a zone must exist", /^422 .*spec.timeZone: Invalid value: "Mars\/Olympus"/.test(wrong), true],
      ["jobs may overlap unless told otherwise", spec?.concurrencyPolicy, "Allow"],
    ]);
  });

  it("a Service, its EndpointSlices and Endpoints", async () => {
    const world = await newWorld({ images: { nginx: { stopAfterMs: 20_000 } } });
    const ports = [{ name: "http", port: 80, targetPort: 8080 }];
    const create = (name: string, spec: object): Promise<Service> =>
      world.client.create(Service, {
        metadata: key(name),
        spec: { selector: { app: "web" }, ports, ...spec },
      } as never) as never;
    const plain = await create("web", {});
    const headless = await create("headless", { clusterIP: "None" });
    const node = await create("node", { type: "NodePort" });
    const balancer = await create("balancer", { type: "LoadBalancer" });
    await world.client.create(Deployment, deploymentOf("web", { replicas: 2 }) as never);
    const slices = (): Promise<readonly EndpointSlice[]> =>
      world.list(EndpointSlice, { labelSelector: "kubernetes.io/service-name=web" }) as Promise<never>;
    const endpoints = async () => (await slices()).flatMap((slice) => slice.endpoints ?? []);
    await world.wait(
      "two are ready",
      async () => (await endpoints()).filter((e) => e.conditions?.ready).length === 2,
    );
    const [slice] = await slices();
    const old = await world.client.get(Endpoints, key("web"));
    await world.client.patch(Deployment, key("web"), { merge: { spec: { replicas: 1 } } as never });
    const ending = await world.wait("one ends", async () =>
      (await endpoints()).find((e) => e.conditions?.terminating),
    );
    const port = node.spec?.ports?.[0]?.nodePort ?? 0;
    const change = { merge: { spec: { clusterIP: "10.96.9.9", clusterIPs: ["10.96.9.9"] } } as never };
    const fixed = await refused(world.client.patch(Service, key("web"), change));
    expectFacts([
      ["an address is given", /^10\.(9[6-9]|10\d|11[01])\./.test(plain.spec?.clusterIP ?? ""), true],
      ["and stays", /^422 .*may not change once set/s.test(fixed), true],
      ["a headless one has none", headless.spec?.clusterIPs, ["None"]],
      ["node ports are 30000 to 32767", port >= 30_000 && port <= 32_767, true],
      ["a load balancer has node ports, too", (balancer.spec?.ports?.[0]?.nodePort ?? 0) >= 30_000, true],
      ["slices name their service and maker", slice?.metadata.labels?.["kubernetes.io/service-name"], "web"],
      [
        "slices have the pods' port",
        slice?.ports?.map((p) => `${p.name} ${p.port} ${p.protocol}`),
        ["http 8080 TCP"],
      ],
      [
        "ready pods serve",
        slice?.endpoints?.[0]?.conditions,
        { ready: true, serving: true, terminating: false },
      ],
      ["pods that end still serve", ending.conditions, { ready: false, serving: true, terminating: true }],
      ["Endpoints say the same", old.subsets?.[0]?.addresses?.length, 2],
    ]);
  });

  it("a PodDisruptionBudget and evictions", async () => {
    const world = await newWorld({ images: { nginx: { stopAfterMs: 20_000 } } });
    await world.client.create(Deployment, deploymentOf("web", { replicas: 3 }) as never);
    const selector = { matchLabels: { app: "web" } };
    const budget = { metadata: key("web"), spec: { selector, maxUnavailable: 1 } };
    await world.client.create(PodDisruptionBudget, budget as never);
    const get = (): Promise<PodDisruptionBudget> =>
      world.client.get(PodDisruptionBudget, key("web")) as Promise<never>;
    await world.wait("one may go", async () => (await get()).status?.disruptionsAllowed === 1);
    const before = (await get()).status;
    const [first = "", second = ""] = await world.names(Pod);
    const evict = (name: string): Promise<string> =>
      refused(
        world.cluster.transport().request({
          method: "POST",
          path: `/api/v1/namespaces/default/pods/${name}/eviction`,
          body: { apiVersion: "policy/v1", kind: "Eviction", metadata: { name } },
        }),
      );
    const allowed = await evict(first);
    const after = (await get()).status;
    const denied = await evict(second);
    expectFacts([
      ["pods are counted", [before?.expectedPods, before?.currentHealthy, before?.desiredHealthy], [3, 3, 2]],
      [
        "it says whether one may go",
        condition({ status: before } as never, "DisruptionAllowed"),
        "True SufficientPods",
      ],
      ["one may", allowed, "it was allowed"],
      [
        "which is noted at once",
        [after?.disruptionsAllowed, Object.keys(after?.disruptedPods ?? {})],
        [0, [first]],
      ],
      ["no second one", denied, "429 Cannot evict pod as it would violate the pod's disruption budget."],
    ]);
  });

  it("a HorizontalPodAutoscaler", async () => {
    let cpu = "54m";
    const world = await newWorld({ metrics: { usage: () => ({ cpu }) } });
    const containers = [{ name: "main", image: "nginx", resources: { requests: { cpu: "100m" } } }];
    const pod = { metadata: { labels: { app: "web" } }, spec: { containers } };
    await world.client.create(Deployment, deploymentOf("web", { replicas: 4, template: pod }) as never);
    const replicas = async (): Promise<number | undefined> =>
      (await world.client.get(Deployment, key("web"))).spec?.replicas;
    await world.wait(
      "it runs",
      async () => (await world.client.get(Deployment, key("web"))).status?.availableReplicas === 4,
    );
    await world.client.create(HorizontalPodAutoscaler, {
      metadata: key("web"),
      spec: {
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
        maxReplicas: 10,
        metrics: [
          {
            type: "Resource",
            resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } },
          },
        ],
      },
    } as never);
    await world.pass(16_000);
    const within = await replicas();
    cpu = "75m";
    await world.pass(1_000);
    const early = await replicas();
    await world.pass(15_000);
    const up = await replicas();
    cpu = "10m";
    await world.pass(240_000);
    const waiting = await replicas();
    await world.pass(120_000);
    const down = await replicas();
    const autoscaler = await world.client.get(HorizontalPodAutoscaler, key("web"));
    expectFacts([
      ["a tenth more is tolerated", within, 4],
      ["it looks every 15 s", early, 4],
      ["and wants ceil(current * use / target)", up, 6],
      ["it waits five minutes before it scales down", waiting, 6],
      ["and then does", (down ?? 9) < 6, true],
      ["one replica is the least", autoscaler.spec?.minReplicas, 1],
      ["it says that it can scale", condition(autoscaler as never, "AbleToScale")?.startsWith("True"), true],
      ["and by what", condition(autoscaler as never, "ScalingActive"), "True ValidMetricFound"],
    ]);
  });

  it("nodes, scheduler and kubelet", async () => {
    const world = await newWorld({
      nodes: [
        { name: "small", capacity: { cpu: "1", memory: "1Gi", pods: "10" } },
        { name: "tainted", taints: [{ key: "dedicated", value: "x", effect: "NoSchedule" }] },
      ],
      images: { nginx: {}, crash: { exitAfterMs: 1000, exitCode: 3 } },
    });
    const create = (name: string, spec: object): Promise<unknown> =>
      world.client.create(Pod, {
        metadata: key(name),
        spec: { containers: [{ name: "main", image: "nginx" }], ...spec },
      } as never);
    await create("plain", {});
    await create("huge", {
      containers: [{ name: "main", image: "nginx", resources: { requests: { cpu: "8" } } }],
    });
    await create("crash", { containers: [{ name: "main", image: "crash" }] });
    const get = (name: string): Promise<Pod> => world.client.get(Pod, key(name)) as Promise<never>;
    await world.wait("it runs", async () => condition(await get("plain"), "Ready") === "True");
    await world.wait(
      "it backs off",
      async () =>
        (await get("crash")).status?.containerStatuses?.[0]?.state?.waiting?.reason === "CrashLoopBackOff",
    );
    const plain = await get("plain");
    const huge = await get("huge");
    const lease = await world.client.get(Lease, { name: "small", namespace: "kube-node-lease" });
    const { status: node } = await world.client.get(Node, { name: "small" });
    const waiting = (await get("crash")).status?.containerStatuses?.[0];
    world.cluster.nodes.fail("small");
    await world.pass(60_000);
    const failed = await world.client.get(Node, { name: "small" });
    await world.pass(300_000);
    const types = ["PodScheduled", "Initialized", "ContainersReady", "Ready", "PodReadyToStartContainers"];
    expectFacts([
      ["a pod is bound to a node that it tolerates", plain.spec?.nodeName, "small"],
      ["all conditions are true", types.map((type) => condition(plain, type)), types.map(() => "True")],
      ["it has addresses", plain.status?.podIPs, [{ ip: plain.status?.podIP }]],
      ["and the node's", plain.status?.hostIP, node?.addresses?.[0]?.address],
      ["and a start", plain.status?.startTime === undefined, false],
      ["what fits nowhere says so", condition(huge, "PodScheduled"), "False Unschedulable"],
      ["a crashed container is restarted", (waiting?.restartCount ?? 0) > 0, true],
      ["and shows how it ended", waiting?.lastState?.terminated?.exitCode, 3],
      ["the node has a lease of 40 s", lease.spec?.leaseDurationSeconds, 40],
      [
        "a silent node is tainted",
        failed.spec?.taints?.map(({ key: taint, effect }) => `${taint}:${effect}`),
        ["node.kubernetes.io/unreachable:NoSchedule", "node.kubernetes.io/unreachable:NoExecute"],
      ],
      ["and its pods go after 300 s", (await get("plain")).metadata.deletionTimestamp === undefined, false],
    ]);
  });
});
