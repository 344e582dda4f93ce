import { Deployment, ReplicaSet } from "@bowline/api/apps/v1";
import { Pod } from "@bowline/api/core/v1";
import { defineOperator } from "@bowline/runtime";
import { type TestCluster, startCluster, waitFor } from "@bowline/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Application } from "../api/v1/application.ts";
import { applicationController, deploymentFor } from "./application.ts";
import operator from "../operator.ts";

describe("the Application operator", () => {
  let test: TestCluster;
  beforeEach(async () => {
    test = await startCluster();
  });
  afterEach(() => test.close());

  const create = (replicas: number, name = "web"): Promise<unknown> =>
    test.client.create(Application, {
      metadata: { name, namespace: "default" },
      spec: { image: "nginx", version: "1.25", replicas },
    });
  const available = (count: number, name = "web"): Promise<unknown> =>
    waitFor(test.client, Application, `default/${name}`, {
      until: (app) =>
        app?.status?.availableReplicas === count &&
        app.status.conditions?.some((c) => c.type === "Available" && c.status === "True") === true,
      what: `have ${count} replicas available`,
    });

  it("brings up the replicas that the Application asks for, and says so in its status", async () => {
    await test.run(operator);
    await create(3);
    await available(3);
    const pods = await test.client.list(Pod, { namespace: "default", labelSelector: "app=web" });
    expect(pods.items.map((p) => p.spec?.containers?.[0]?.image)).toEqual([
      "nginx:1.25",
      "nginx:1.25",
      "nginx:1.25",
    ]);
    const deployment = await test.client.get(Deployment, { name: "web", namespace: "default" });
    expect(deployment.metadata.ownerReferences).toMatchObject([
      { kind: "Application", name: "web", controller: true },
    ]);
  });

  it("follows a change of the spec", async () => {
    await test.run(operator);
    await create(1);
    await available(1);
    await test.client.patch(
      Application,
      { name: "web", namespace: "default" },
      { merge: { spec: { replicas: 4 } } },
    );
    await available(4);
  });

  it("puts back what somebody changed in a field that it states", async () => {
    await test.run(operator);
    await create(2);
    await available(2);
    await test.client.patch(
      Deployment,
      { name: "web", namespace: "default" },
      { merge: { spec: { replicas: 7 } } },
    );
    await waitFor(test.client, Deployment, "default/web", {
      until: (d) => d?.spec?.replicas === 2 && (d.metadata.generation ?? 0) >= 3,
      what: "go back to 2 replicas",
    });
  });

  it("writes nothing once everything is as it should be", async () => {
    await test.run(operator);
    await create(2);
    await available(2);
    const versions = async (): Promise<(string | undefined)[]> => [
      (await test.client.get(Application, { name: "web", namespace: "default" })).metadata.resourceVersion,
      (await test.client.get(Deployment, { name: "web", namespace: "default" })).metadata.resourceVersion,
    ];
    const before = await versions();
    // a label of the Application is no business of the Deployment: the reconcile that follows must change nothing
    await create(1, "other");
    await available(1, "other");
    expect(await versions()).toEqual(before);
  });

  it("keeps lastTransitionTime while the condition's status stays", async () => {
    await test.run(operator);
    await create(1);
    await available(1);
    const condition = async () =>
      (await test.client.get(Application, { name: "web", namespace: "default" })).status?.conditions?.[0];
    const before = await condition();
    await test.client.patch(
      Application,
      { name: "web", namespace: "default" },
      { merge: { spec: { version: "1.26" } } },
    );
    await waitFor(test.client, Application, "default/web", {
      until: (app) =>
        app?.status?.conditions?.[0]?.observedGeneration === 2 && app.status.conditions[0].status === "True",
      what: "be available in its second generation",
    });
    const after = await condition();
    expect(after?.observedGeneration).toBe(2);
    expect(Date.parse(after?.lastTransitionTime ?? "")).toBeGreaterThanOrEqual(
      Date.parse(before?.lastTransitionTime ?? ""),
    );
  });

  it("reconciles an Application that was created while it was stopped", async () => {
    await test.install(Application);
    await create(2);
    await test.run(operator);
    await available(2);
  });

  it("converges to the same objects when it is stopped in the middle and started again", async () => {
    const first = await test.run(
      defineOperator({
        ...operator,
        controllers: [
          {
            ...applicationController,
            // dies after the Deployment was applied and before the status was written
            reconcile: async (app, ctx) => {
              await ctx.apply(deploymentFor(app as never));
              throw new Error("killed");
            },
          },
        ],
      }),
    );
    await create(3);
    await waitFor(test.client, Deployment, "default/web", { until: (d) => d !== undefined });
    await first.stop();
    const before = await test.client.get(Deployment, { name: "web", namespace: "default" });
    await test.run(operator);
    await available(3);
    const after = await test.client.get(Deployment, { name: "web", namespace: "default" });
    expect(after.metadata.uid).toBe(before.metadata.uid);
    expect(after.metadata.generation).toBe(before.metadata.generation);
    expect((await test.client.list(ReplicaSet, { namespace: "default" })).items).toHaveLength(1);
  });

  it("leaves nothing behind when the Application is deleted", async () => {
    await test.run(operator);
    await create(2);
    await available(2);
    await test.client.delete(Application, { name: "web", namespace: "default" });
    await waitFor(test.client, Deployment, "default/web", { until: (d) => d === undefined, what: "go" });
    for (const pod of (await test.client.list(Pod, { namespace: "default" })).items) {
      await waitFor(test.client, Pod, `default/${pod.metadata.name}`, {
        until: (p) => p === undefined,
        what: "go",
      });
    }
    expect((await test.client.list(ReplicaSet, { namespace: "default" })).items).toEqual([]);
  });
});
