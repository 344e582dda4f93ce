import { ConfigMap, Namespace, Pod, Secret } from "@bowline/api/core/v1";
import { Deployment, ReplicaSet } from "@bowline/api/apps/v1";
import { CustomResourceDefinition } from "@bowline/api/apiextensions/v1";
import { describe, expect, it } from "vitest";
import { type World, deploymentOf, newWorld } from "./world.ts";

const team = { name: "team-a" };
const gone = (world: World) => async () => (await world.client.find(Namespace, team)) === undefined;

async function worldWithNamespace(): Promise<World> {
  const world = await newWorld();
  await world.client.create(Namespace, { metadata: team });
  return world;
}

describe("Namespace controller", () => {
  it("ends an empty namespace at once", async () => {
    const world = await worldWithNamespace();
    await world.client.delete(Namespace, team);
    await world.until("the namespace is gone", gone(world));
  });

  it("deletes all content, running workloads and custom resources included, before the namespace goes", async () => {
    const world = await worldWithNamespace();
    await world.client.create(CustomResourceDefinition, {
      metadata: { name: "widgets.example.com" },
      spec: {
        group: "example.com",
        names: { kind: "Widget", plural: "widgets" },
        scope: "Namespaced",
        versions: [
          { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } },
        ],
      },
    } as never);
    const widget = {
      apiVersion: "example.com/v1",
      kind: "Widget",
      metadata: { name: "w", namespace: "team-a" },
    };
    await world.wait("widgets are served", () => world.client.create(widget, widget).catch(() => undefined));
    await world.client.create(Deployment, deploymentOf("web", { replicas: 2 }, "team-a") as never);
    await world.client.create(ConfigMap, { metadata: { name: "map", namespace: "team-a" } });
    await world.wait(
      "pods run",
      async () => (await world.list(Pod)).filter((p) => p.status?.phase === "Running").length === 2,
    );
    await world.client.delete(Namespace, team);
    await world.wait("the namespace is gone", gone(world), 60_000);
    for (const kind of [ConfigMap, Secret, Deployment, ReplicaSet, Pod]) {
      expect(await world.names(kind, "team-a")).toEqual([]);
    }
    expect((await world.client.list(widget)).items).toEqual([]);
    expect(world.errors).toEqual([]);
  });

  it("ends a namespace also after a definition of custom resources went", async () => {
    const world = await worldWithNamespace();
    const widgets = {
      metadata: { name: "widgets.example.com" },
      spec: {
        group: "example.com",
        names: { kind: "Widget", plural: "widgets" },
        scope: "Namespaced",
        versions: [
          { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } },
        ],
      },
    };
    const widget = {
      apiVersion: "example.com/v1",
      kind: "Widget",
      metadata: { name: "w", namespace: "team-a" },
    };
    await world.client.create(CustomResourceDefinition, widgets as never);
    await world.wait("widgets are served", () => world.client.create(widget, widget).catch(() => undefined));
    await world.client.delete(CustomResourceDefinition, widgets.metadata);
    await world.wait("the definition is gone", async () => {
      return (await world.client.find(CustomResourceDefinition, widgets.metadata)) === undefined;
    });
    await world.client.delete(Namespace, team);
    await world.wait("the namespace is gone", gone(world), 60_000);
  });

  it("keeps the namespace while content hangs on finalizers, and says so in conditions", async () => {
    const world = await worldWithNamespace();
    const held = await world.client.create(ConfigMap, {
      metadata: { name: "held", namespace: "team-a", finalizers: ["example.com/hold"] },
    });
    await world.client.create(ConfigMap, { metadata: { name: "free", namespace: "team-a" } });
    await world.client.delete(Namespace, team);
    await world.quiet();
    const waiting = await world.client.get(Namespace, team);
    expect(waiting.status?.phase).toBe("Terminating");
    expect(
      Object.fromEntries(
        waiting.status?.conditions?.map((c) => [c.type, `${c.status} ${c.reason}: ${c.message}`]) ?? [],
      ),
    ).toEqual({
      NamespaceDeletionDiscoveryFailure: "False ResourcesDiscovered: All resources successfully discovered",
      NamespaceDeletionGroupVersionParsingFailure:
        "False ParsedGroupVersions: All legacy kube types successfully parsed",
      NamespaceDeletionContentFailure:
        "False ContentDeleted: All content successfully deleted, may be waiting on finalization",
      NamespaceContentRemaining:
        "True SomeResourcesRemain: Some resources are remaining: configmaps. has 1 resource instances",
      NamespaceFinalizersRemaining:
        "True SomeFinalizersRemain: Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances",
    });
    expect(await world.names(ConfigMap, "team-a")).toEqual(["held"]);
    await world.client.patch(ConfigMap, held, { merge: { metadata: { finalizers: null } } as never });
    await world.until("the namespace is gone", gone(world));
  });

  it("deletes everything else only after the pods are gone", async () => {
    const world = await worldWithNamespace();
    await world.client.create(ConfigMap, { metadata: { name: "settings", namespace: "team-a" } });
    const pod = await world.client.create(Pod, {
      metadata: { name: "p", namespace: "team-a", finalizers: ["example.com/hold"] },
      spec: { containers: [{ name: "c", image: "i" }] },
    } as never);
    await world.client.delete(Namespace, team);
    await world.pass(60_000);
    expect(await world.names(ConfigMap, "team-a")).toContain("settings");
    await world.client.patch(Pod, pod, { merge: { metadata: { finalizers: null } } as never });
    await world.wait("the namespace is gone", gone(world), 60_000);
  });

  it("leaves a namespace alone that another finalizer holds", async () => {
    const world = await newWorld();
    await world.client.create(Namespace, { metadata: { ...team, finalizers: ["example.com/hold"] } });
    await world.client.delete(Namespace, team);
    await world.quiet();
    const held = await world.client.get(Namespace, team);
    expect(held.spec?.finalizers ?? []).toEqual([]);
    await world.client.patch(Namespace, held, { merge: { metadata: { finalizers: null } } as never });
    await world.until("the namespace is gone", gone(world));
  });
});
