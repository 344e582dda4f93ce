/** Named after the official conformance tests that they re-express; what each does is ours. */
import { Node } from "@bowline/api/core/v1";
import { describe, expect, it } from "vitest";
import { type World, newWorld, template } from "../controllers/world.ts";
import { hasStatus, listsAndDeletesCollection, updateLatest } from "./api-operations.ts";
import { Endpoint, type Found } from "./endpoint.ts";
import { namespace, daemonSet, podsOf, running, runs } from "./workloads.ts";

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
