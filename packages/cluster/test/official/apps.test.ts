/** Named after the official conformance tests that they re-express; what each does is ours. */
import { Job } from "@bowline/api/batch/v1";
import { ReplicaSet } from "@bowline/api/apps/v1";
import { Node } from "@bowline/api/core/v1";
import { describe, expect, it } from "vitest";
import { type World, newWorld, template } from "../controllers/world.ts";
import {
  hasScale,
  hasStatus,
  listsAndDeletesCollection,
  supportsApiOperations,
  updateLatest,
} from "./api-operations.ts";
import { Endpoint, type Found, type Sent } from "./endpoint.ts";

const namespace = "default";

/** A workload `NAME` of pods labelled `app=NAME`. */
function workload(apiVersion: string, kind: string, name: string, spec: object = {}): Sent {
  const selector = kind === "ReplicationController" ? { app: name } : { matchLabels: { app: name } };
  return { apiVersion, kind, metadata: { name }, spec: { selector, template: template(name), ...spec } };
}
const deployment = (name: string, spec: object = {}): Sent => workload("apps/v1", "Deployment", name, spec);
const replicaSet = (name: string, spec: object = {}): Sent => workload("apps/v1", "ReplicaSet", name, spec);
const daemonSet = (name: string, spec: object = {}): Sent => workload("apps/v1", "DaemonSet", name, spec);
const statefulSet = (name: string, spec: object = {}): Sent =>
  workload("apps/v1", "StatefulSet", name, { serviceName: name, ...spec });
const rc = (name: string, spec: object = {}): Sent => workload("v1", "ReplicationController", name, spec);
const job = (name: string, spec: object = {}, image = "busybox"): Sent => ({
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name },
  spec: {
    template: {
      spec: { restartPolicy: "Never", containers: [{ name: "c", image, command: ["sleep", "60"] }] },
    },
    ...spec,
  },
});

const podsOf = async (world: World, app?: string): Promise<Found[]> =>
  (
    await new Endpoint(world, "v1/pods", namespace).list(
      app === undefined ? {} : { labelSelector: `app=${app}` },
    )
  ).items as Found[];
const running = async (world: World, app: string): Promise<Found[]> =>
  (await podsOf(world, app)).filter(
    (pod) => pod.status.phase === "Running" && pod.metadata.deletionTimestamp === undefined,
  );
const runs = (world: World, app: string, count: number): Promise<unknown> =>
  world.wait(
    `${count} pods of ${app} run`,
    async () => (await running(world, app)).length === count,
    600_000,
  );

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

describe("[sig-apps] ReplicaSet", () => {
  const sets = (world: World): Endpoint => new Endpoint(world, "apps/v1/replicasets", namespace);

  it("Replace and Patch tests", async () => {
    const world = await newWorld();
    await sets(world).create(replicaSet("set", { replicas: 1 }));
    await runs(world, "set", 1);
    await updateLatest(sets(world), "set", (found) => ({ ...found, spec: { ...found.spec, replicas: 2 } }));
    await runs(world, "set", 2);
    const patched = await sets(world).patch("set", {
      metadata: { labels: { "test-rs": "patched" } },
      spec: { replicas: 3, template: { spec: { terminationGracePeriodSeconds: 0 } } },
    });
    expect(patched.metadata.labels).toMatchObject({ "test-rs": "patched" });
    await runs(world, "set", 3);
  });

  it("Replicaset should have a working scale subresource", async () => {
    await hasScale(await newWorld(), { gvr: "apps/v1/replicasets", namespace, make: replicaSet });
  });

  it("should adopt matching pods on creation and release no longer matching pods", async () => {
    const world = await newWorld();
    const pods = new Endpoint(world, "v1/pods", namespace);
    await pods.create({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "orphan", labels: { app: "adopter" } } as never,
      spec: template("adopter").spec,
    });
    await sets(world).create(replicaSet("adopter", { replicas: 1 }));
    await world.wait("it is adopted", async () => {
      return (await pods.get("orphan")).metadata.ownerReferences?.[0]?.name === "adopter";
    });
    await pods.patch("orphan", { metadata: { labels: { app: "free" } } });
    await world.wait("it is released", async () => {
      return (await pods.get("orphan")).metadata.ownerReferences === undefined;
    });
    await runs(world, "adopter", 1);
  });

  it("should list and delete a collection of ReplicaSets", async () => {
    await listsAndDeletesCollection(await newWorld(), {
      gvr: "apps/v1/replicasets",
      namespace,
      make: replicaSet,
    });
  });

  it("should serve a basic image on each replica with a public image", async () => {
    const world = await newWorld();
    await sets(world).create(replicaSet("basic", { replicas: 3 }));
    await runs(world, "basic", 3);
    const addresses = (await running(world, "basic")).map((pod) => pod.status.podIP);
    expect(new Set(addresses).size).toBe(3);
  });

  it("should validate Replicaset Status endpoints", async () => {
    const world = await newWorld();
    await sets(world).create(replicaSet("state", { replicas: 1 }));
    await runs(world, "state", 1);
    await hasStatus(sets(world), "state", {
      conditions: [{ type: "StatusUpdate", status: "True", reason: "E2E", message: "Set from a test" }],
    });
  });
});

describe("[sig-apps] ReplicationController", () => {
  const controllers = (world: World): Endpoint => new Endpoint(world, "v1/replicationcontrollers", namespace);

  it("should adopt matching pods on creation", async () => {
    const world = await newWorld();
    const pods = new Endpoint(world, "v1/pods", namespace);
    await pods.create({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "orphan", labels: { app: "adopter" } } as never,
      spec: template("adopter").spec,
    });
    await controllers(world).create(rc("adopter", { replicas: 1 }));
    await world.wait("it is adopted", async () => {
      return (await pods.get("orphan")).metadata.ownerReferences?.[0]?.name === "adopter";
    });
  });

  it("should get and update a ReplicationController scale", async () => {
    await hasScale(await newWorld(), { gvr: "v1/replicationcontrollers", namespace, make: rc });
  });

  it("should release no longer matching pods", async () => {
    const world = await newWorld();
    await controllers(world).create(rc("keeper", { replicas: 1 }));
    await runs(world, "keeper", 1);
    const [pod] = await running(world, "keeper");
    const name = pod?.metadata.name ?? "";
    const pods = new Endpoint(world, "v1/pods", namespace);
    await pods.patch(name, { metadata: { labels: { app: "free" } } });
    await world.wait("it is released", async () => {
      return (await pods.get(name)).metadata.ownerReferences === undefined;
    });
  });

  it("should serve a basic image on each replica with a public image", async () => {
    const world = await newWorld();
    await controllers(world).create(rc("basic", { replicas: 2 }));
    await runs(world, "basic", 2);
    expect((await controllers(world).get("basic")).status).toMatchObject({ replicas: 2 });
  });

  it("should surface a failure condition on a common issue like exceeded quota", async () => {
    const world = await newWorld();
    const quotas = new Endpoint(world, "v1/resourcequotas", namespace);
    await quotas.create({
      apiVersion: "v1",
      kind: "ResourceQuota",
      metadata: { name: "two" },
      spec: { hard: { pods: "2" } },
    });
    await world.wait("it is counted", async () => (await quotas.get("two")).status?.used !== undefined);
    await controllers(world).create(rc("three", { replicas: 3 }));
    const failure = async (): Promise<Found | undefined> =>
      (await controllers(world).get("three")).status?.conditions?.find(
        (condition: { type: string }) => condition.type === "ReplicaFailure",
      );
    await world.wait("it says so", async () => (await failure()) !== undefined);
    await updateLatest(controllers(world), "three", (found) => ({
      ...found,
      spec: { ...found.spec, replicas: 2 },
    }));
    await world.wait("it takes it back", async () => (await failure()) === undefined);
  });

  it("should test the lifecycle of a ReplicationController", async () => {
    const world = await newWorld();
    await controllers(world).create(rc("life", { replicas: 1 }));
    await runs(world, "life", 1);
    await controllers(world).patch("life", { metadata: { labels: { test: "patched" } } });
    await controllers(world).patch("life", { spec: { replicas: 2 } }, "scale");
    await runs(world, "life", 2);
    await hasStatus(controllers(world), "life", { conditions: [{ type: "Tested", status: "True" }] });
    expect((await new Endpoint(world, "v1/replicationcontrollers").list()).items).toHaveLength(1);
    await controllers(world).deleteCollection({ labelSelector: "test=patched" });
    await world.wait("it is gone", async () => (await controllers(world).find("life")) === undefined);
  });
});

describe("[sig-apps] Daemon set [Serial]", () => {
  const sets = (world: World): Endpoint => new Endpoint(world, "apps/v1/daemonsets", namespace);
  const nodes = (world: World): Promise<readonly unknown[]> => world.list(Node);
  const onAllNodes = async (world: World, app: string): Promise<void> => {
    await runs(world, app, (await nodes(world)).length);
  };

  it("should list and delete a collection of DaemonSets", async () => {
    await listsAndDeletesCollection(await newWorld(), {
      gvr: "apps/v1/daemonsets",
      namespace,
      make: daemonSet,
    });
  });

  it("should retry creating failed daemon pods", async () => {
    const world = await newWorld();
    await sets(world).create(daemonSet("agent"));
    await onAllNodes(world, "agent");
    const [pod] = await running(world, "agent");
    const pods = new Endpoint(world, "v1/pods", namespace);
    await pods.patch(pod?.metadata.name ?? "", { status: { phase: "Failed" } }, "status");
    await world.wait("it is replaced", async () => (await pods.find(pod?.metadata.name ?? "")) === undefined);
    await onAllNodes(world, "agent");
  });

  it("should rollback without unnecessary restarts", async () => {
    const world = await newWorld({ nodes: 2, images: { foo: { pullError: "ErrImagePull" } } });
    await sets(world).create(daemonSet("agent"));
    await onAllNodes(world, "agent");
    const before = (await running(world, "agent")).map((pod) => pod.metadata.uid);
    await sets(world).patch("agent", {
      spec: {
        template: {
          spec: { containers: [{ name: "main", image: "foo:nonexistent" }] },
        },
      },
    });
    await world.pass(1000);
    await updateLatest(sets(world), "agent", (found) => ({
      ...found,
      spec: { ...found.spec, template: { ...found.spec.template, ...template("agent") } },
    }));
    await world.wait("all are of the first template again", async () => {
      const status = (await sets(world).get("agent")).status;
      return status.updatedNumberScheduled === 2 && status.numberReady === 2;
    });
    const after = new Set((await running(world, "agent")).map((pod) => pod.metadata.uid));
    // one at a time: at least one daemon was never touched
    expect(before.some((uid) => after.has(uid))).toBe(true);
  });

  it("should run and stop complex daemon", async () => {
    const world = await newWorld();
    const chosen = template("agent");
    await sets(world).create(
      daemonSet("agent", {
        template: { ...chosen, spec: { ...chosen.spec, nodeSelector: { colour: "blue" } } },
      }),
    );
    await world.pass(5000);
    expect(await podsOf(world, "agent")).toEqual([]);
    const [node] = (await new Endpoint(world, "v1/nodes").list()).items as Found[];
    const name = node?.metadata.name ?? "";
    await new Endpoint(world, "v1/nodes").patch(name, { metadata: { labels: { colour: "blue" } } });
    await runs(world, "agent", 1);
    expect((await running(world, "agent"))[0]?.spec.nodeName).toBe(name);
    await new Endpoint(world, "v1/nodes").patch(name, { metadata: { labels: { colour: "green" } } });
    await world.wait("it is stopped", async () => (await podsOf(world, "agent")).length === 0);
  });

  it("should run and stop simple daemon", async () => {
    const world = await newWorld();
    await sets(world).create(daemonSet("agent"));
    await onAllNodes(world, "agent");
    const [pod] = await running(world, "agent");
    await new Endpoint(world, "v1/pods", namespace).delete(pod?.metadata.name ?? "");
    await world.wait("it is revived", async () =>
      (await running(world, "agent")).every((one) => one.metadata.uid !== pod?.metadata.uid),
    );
    await onAllNodes(world, "agent");
  });

  it("should update pod when spec was updated and update strategy is RollingUpdate", async () => {
    const world = await newWorld();
    await sets(world).create(daemonSet("agent"));
    await onAllNodes(world, "agent");
    const next = { spec: { template: { spec: { containers: [{ name: "main", image: "nginx:2" }] } } } };
    await sets(world).patch("agent", next);
    await world.wait("all are new", async () => {
      const pods = await running(world, "agent");
      return pods.length > 0 && pods.every((pod) => pod.spec.containers[0].image === "nginx:2");
    });
    await onAllNodes(world, "agent");
  });

  it("should verify changes to a daemon set status", async () => {
    const world = await newWorld();
    await sets(world).create(daemonSet("agent"));
    await onAllNodes(world, "agent");
    await hasStatus(sets(world), "agent", {
      conditions: [{ type: "StatusUpdate", status: "True", reason: "E2E", message: "Set from a test" }],
    });
  });
});

describe("[sig-apps] ControllerRevision [Serial]", () => {
  it("should manage the lifecycle of a ControllerRevision", async () => {
    const world = await newWorld();
    const sets = new Endpoint(world, "apps/v1/daemonsets", namespace);
    const revisions = new Endpoint(world, "apps/v1/controllerrevisions", namespace);
    const chosen = { labelSelector: "app=agent" };
    const list = async (): Promise<Found[]> => (await revisions.list(chosen)).items as Found[];
    await sets.create(daemonSet("agent"));
    await runs(world, "agent", (await world.list(Node)).length);
    const [first] = await list();
    expect(await list()).toHaveLength(1);
    const name = first?.metadata.name ?? "";
    const patched = await revisions.patch(name, { metadata: { labels: { [name]: "patched" } } });
    expect(patched.metadata.labels).toMatchObject({ [name]: "patched" });
    const own = (await sets.get("agent")).metadata;
    const second = await revisions.create({
      apiVersion: "apps/v1",
      kind: "ControllerRevision",
      metadata: {
        name: "agent-by-hand",
        labels: patched.metadata.labels,
        ownerReferences: [
          { apiVersion: "apps/v1", kind: "DaemonSet", name: "agent", uid: own.uid, controller: true },
        ],
      } as never,
      data: (first as unknown as { data: object }).data,
      revision: 2,
    });
    expect(await list()).toHaveLength(2);
    await revisions.delete(second.metadata.name);
    expect(await list()).toHaveLength(1);
    await sets.patch("agent", {
      spec: {
        template: { spec: { terminationGracePeriodSeconds: 1 } },
        updateStrategy: { type: "RollingUpdate" },
      },
    });
    await world.wait("there is another", async () => (await list()).length === 2);
    await revisions.deleteCollection({ labelSelector: `${name}=patched` });
    await world.wait("the first is gone", async () => (await list()).length === 1);
  });
});

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

describe("[sig-apps] Job", () => {
  const jobs = (world: World): Endpoint => new Endpoint(world, "batch/v1/jobs", namespace);
  const podsOfJob = async (world: World, name: string): Promise<Found[]> =>
    (await new Endpoint(world, "v1/pods", namespace).list({ labelSelector: `job-name=${name}` }))
      .items as Found[];
  const ended = (world: World, name: string, type: "Complete" | "Failed"): Promise<unknown> =>
    world.wait(`${name} is ${type}`, async () =>
      (await jobs(world).get(name)).status?.conditions?.some(
        (c: { type: string; status: string }) => c.type === type && c.status === "True",
      ),
    );
  const active = (world: World, name: string, count: number): Promise<unknown> =>
    world.wait(`${count} are active`, async () => (await jobs(world).get(name)).status?.active === count);

  it("should adopt matching orphans and release non-matching pods", async () => {
    const world = await newWorld();
    await jobs(world).create(job("work", { parallelism: 2, completions: 4 }));
    await active(world, "work", 2);
    const pods = new Endpoint(world, "v1/pods", namespace);
    const name = (await podsOfJob(world, "work"))[0]?.metadata.name ?? "";
    await pods.patch(name, { metadata: { ownerReferences: null } });
    await world.wait("it is adopted again", async () => {
      return (await pods.get(name)).metadata.ownerReferences?.[0]?.name === "work";
    });
    await pods.patch(name, {
      metadata: {
        labels: {
          "job-name": null,
          "batch.kubernetes.io/job-name": null,
          "controller-uid": null,
          "batch.kubernetes.io/controller-uid": null,
        },
      },
    });
    await world.wait(
      "it is released",
      async () => (await pods.get(name)).metadata.ownerReferences === undefined,
    );
  });

  it("should allow to use the pod failure policy on exit code to fail the job early", async () => {
    const world = await newWorld();
    const container = { name: "c", image: "busybox", command: ["sh", "-c", "exit 42"] };
    await jobs(world).create(
      job("early", {
        backoffLimit: 6,
        template: { spec: { restartPolicy: "Never", containers: [container] } },
        podFailurePolicy: {
          rules: [{ action: "FailJob", onExitCodes: { containerName: "c", operator: "In", values: [42] } }],
        },
      }),
    );
    await ended(world, "early", "Failed");
    const { conditions, failed } = (await jobs(world).get("early")).status;
    expect(conditions.at(-1)).toMatchObject({ type: "Failed", reason: "PodFailurePolicy" });
    expect(failed).toBe(1);
  });

  it("should allow to use a pod failure policy to ignore failure matching on DisruptionTarget condition", async () => {
    const world = await newWorld();
    await jobs(world).create(
      job("patient", {
        completionMode: "Indexed",
        completions: 2,
        parallelism: 2,
        backoffLimit: 0,
        podFailurePolicy: {
          rules: [{ action: "Ignore", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] }],
        },
      }),
    );
    await active(world, "patient", 2);
    await world.wait("both run", async () =>
      (await podsOfJob(world, "patient")).every((pod) => pod.status.phase === "Running"),
    );
    for (const pod of await podsOfJob(world, "patient")) {
      await world.cluster.transport().request({
        method: "POST",
        path: `/api/v1/namespaces/default/pods/${pod.metadata.name}/eviction`,
        body: { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: pod.metadata.name } },
      });
    }
    await ended(world, "patient", "Complete");
  });

  it("should apply changes to a job status", async () => {
    const world = await newWorld();
    await jobs(world).create(job("state", { parallelism: 2, completions: 4 }));
    await active(world, "state", 2);
    await jobs(world).patch("state", { metadata: { annotations: { "patched-status": "true" } } }, "status");
    expect((await jobs(world).get("state")).metadata.annotations).toMatchObject({ "patched-status": "true" });
    await updateLatest(
      jobs(world),
      "state",
      (found) => ({
        ...found,
        metadata: { ...found.metadata, annotations: { ...found.metadata.annotations, updated: "yes" } },
      }),
      "status",
    );
    expect((await jobs(world).get("state", "status")).metadata.annotations).toMatchObject({ updated: "yes" });
  });

  it("should create pods for an Indexed job with completion indexes and specified hostname", async () => {
    const world = await newWorld();
    await jobs(world).create(job("indexed", { completionMode: "Indexed", completions: 4, parallelism: 2 }));
    await ended(world, "indexed", "Complete");
    const pods = await podsOfJob(world, "indexed");
    const indexes = pods.map((pod) => pod.metadata.annotations?.["batch.kubernetes.io/job-completion-index"]);
    expect([...indexes].sort()).toEqual(["0", "1", "2", "3"]);
    expect(pods.map((pod) => pod.spec.hostname).sort()).toEqual([
      "indexed-0",
      "indexed-1",
      "indexed-2",
      "indexed-3",
    ]);
    expect((await jobs(world).get("indexed")).status).toMatchObject({
      completedIndexes: "0-3",
      succeeded: 4,
    });
  });

  it("should delete a job", async () => {
    const world = await newWorld();
    await jobs(world).create(job("short", { parallelism: 2, completions: 4 }));
    await active(world, "short", 2);
    await jobs(world).delete("short", { propagationPolicy: "Foreground" });
    await world.wait("it is gone", async () => (await jobs(world).find("short")) === undefined);
    expect(await podsOfJob(world, "short")).toEqual([]);
  });

  it("should manage the lifecycle of a job", async () => {
    const world = await newWorld();
    await jobs(world).create(job("life", { suspend: true, parallelism: 2, completions: 4 }));
    await jobs(world).patch("life", { metadata: { labels: { "e2e-life": "patched" } } });
    await updateLatest(jobs(world), "life", (found) => ({
      ...found,
      metadata: { ...found.metadata, annotations: { updated: "true" } },
      spec: { ...found.spec, suspend: false },
    }));
    await active(world, "life", 2);
    const all = new Endpoint(world, "batch/v1/jobs");
    expect((await all.list({ labelSelector: "e2e-life=patched" })).items).toHaveLength(1);
    await jobs(world).deleteCollection({ labelSelector: "e2e-life=patched" });
    await world.wait("it is gone", async () => (await jobs(world).find("life")) === undefined);
  });

  it("should run a job to completion when tasks sometimes fail and are locally restarted", async () => {
    const world = await newWorld({
      images: { flaky: { exitAfterMs: 1000, exitCode: [1, 0] } },
    });
    await jobs(world).create(
      job("flaky", {
        parallelism: 2,
        completions: 4,
        template: { spec: { restartPolicy: "OnFailure", containers: [{ name: "c", image: "flaky" }] } },
      }),
    );
    await ended(world, "flaky", "Complete");
    expect((await jobs(world).get("flaky")).status.succeeded).toBe(4);
  });
});

describe("[sig-apps] CronJob", () => {
  const cronJobs = (world: World): Endpoint => new Endpoint(world, "batch/v1/cronjobs", namespace);
  const cronJob = (name: string, spec: object = {}): Sent => ({
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata: { name },
    spec: {
      schedule: "*/1 * * * *",
      jobTemplate: {
        spec: {
          template: {
            spec: {
              restartPolicy: "OnFailure",
              containers: [{ name: "c", image: "busybox", command: ["sleep", "300"] }],
            },
          },
        },
      },
      ...spec,
    },
  });
  const activeJobs = async (world: World, name: string): Promise<{ name: string }[]> =>
    (await cronJobs(world).get(name)).status?.active ?? [];

  it("should not schedule jobs when suspended", async () => {
    const world = await newWorld();
    await cronJobs(world).create(cronJob("paused", { suspend: true }));
    await world.pass(6 * 60_000);
    expect(await world.list(Job)).toEqual([]);
  });

  it("should not schedule new jobs when ForbidConcurrent", async () => {
    const world = await newWorld();
    await cronJobs(world).create(cronJob("alone", { concurrencyPolicy: "Forbid" }));
    await world.wait("one is active", async () => (await activeJobs(world, "alone")).length === 1);
    const first = await activeJobs(world, "alone");
    await world.pass(3 * 60_000);
    expect((await activeJobs(world, "alone")).map(({ name }) => name)).toEqual(first.map(({ name }) => name));
    expect(await world.list(Job)).toHaveLength(1);
  });

  it("should replace jobs when ReplaceConcurrent", async () => {
    const world = await newWorld();
    await cronJobs(world).create(cronJob("newest", { concurrencyPolicy: "Replace" }));
    await world.wait("one is active", async () => (await activeJobs(world, "newest")).length === 1);
    const [first] = await activeJobs(world, "newest");
    await world.wait("another took its place", async () => {
      const now = await activeJobs(world, "newest");
      return now.length === 1 && now[0]?.name !== first?.name;
    });
    await world.wait("it is deleted", async () => (await world.list(Job)).length === 1);
  });

  it("should schedule multiple jobs concurrently", async () => {
    const world = await newWorld();
    await cronJobs(world).create(cronJob("many", { concurrencyPolicy: "Allow" }));
    await world.wait("two are active", async () => (await activeJobs(world, "many")).length >= 2);
    expect((await world.list(Job)).length).toBeGreaterThanOrEqual(2);
  });

  it("should support CronJob API operations", async () => {
    const world = await newWorld({ controllers: false });
    await supportsApiOperations(world, {
      gvr: "batch/v1/cronjobs",
      namespace,
      make: (name) => cronJob(name),
      status: { lastScheduleTime: "2026-01-01T00:00:00Z" },
    });
  });
});

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
