/** Named after the official conformance tests that they re-express; what each does is ours. */

import { describe, expect, it } from "vitest";
import { type World, newWorld, template } from "../controllers/world.ts";
import { Endpoint, type Sent } from "./endpoint.ts";

describe("[sig-api-machinery] Namespaces [Serial]", () => {
  const namespaces = (world: World): Endpoint => new Endpoint(world, "v1/namespaces");
  const namespace = (name: string): Sent => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
  const ends = async (world: World): Promise<void> => {
    await namespaces(world).delete("short");
    await world.wait(
      "it is gone",
      async () => (await namespaces(world).find("short")) === undefined,
      120_000,
    );
    await namespaces(world).create(namespace("short"));
  };

  it("should apply a finalizer to a Namespace", async () => {
    const world = await newWorld();
    await namespaces(world).create(namespace("held"));
    const held = await namespaces(world).get("held");
    const finalizers = [...held.spec.finalizers, "e2e.example.com/fakeFinalizer"];
    await namespaces(world).update({ ...held, spec: { finalizers } }, "finalize");
    const found = await namespaces(world).get("held");
    expect(found.spec.finalizers).toContain("e2e.example.com/fakeFinalizer");
    await namespaces(world).update({ ...found, spec: { finalizers: ["kubernetes"] } }, "finalize");
    expect((await namespaces(world).get("held")).spec.finalizers).toEqual(["kubernetes"]);
  });

  it("should apply an update to a Namespace", async () => {
    const world = await newWorld();
    const made = await namespaces(world).create(namespace("changed"));
    const labels = { ...made.metadata.labels, updated: "yes" };
    await namespaces(world).update({ ...made, metadata: { ...made.metadata, labels } });
    expect((await namespaces(world).get("changed")).metadata.labels).toMatchObject({ updated: "yes" });
  });

  it("should apply changes to a namespace status", async () => {
    const world = await newWorld();
    await namespaces(world).create(namespace("state"));
    expect((await namespaces(world).get("state", "status")).status.phase).toBe("Active");
    const patched = { type: "StatusPatch", status: "True", reason: "E2E", message: "Patched by a test" };
    await namespaces(world).patch("state", { status: { conditions: [patched] } }, "status");
    const found = await namespaces(world).get("state", "status");
    expect(found.status.conditions).toContainEqual(expect.objectContaining(patched));
    const updated = { type: "StatusUpdate", status: "True", reason: "E2E", message: "Updated by a test" };
    await namespaces(world).update(
      { ...found, status: { ...found.status, conditions: [...found.status.conditions, updated] } },
      "status",
    );
    expect((await namespaces(world).get("state")).status.conditions).toHaveLength(2);
  });

  it("should ensure that all pods are removed when a namespace is deleted", async () => {
    const world = await newWorld();
    await namespaces(world).create(namespace("short"));
    const pods = new Endpoint(world, "v1/pods", "short");
    const pod: Sent = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "inside" },
      spec: template("inside").spec,
    };
    await pods.create(pod);
    await world.wait("it runs", async () => (await pods.get("inside")).status.phase === "Running");
    await ends(world);
    expect((await pods.list()).items).toEqual([]);
  });

  it("should ensure that all services are removed when a namespace is deleted", async () => {
    const world = await newWorld();
    await namespaces(world).create(namespace("short"));
    const services = new Endpoint(world, "v1/services", "short");
    await services.create({
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "inside" },
      spec: { selector: { foo: "bar" }, ports: [{ port: 80 }] },
    });
    await ends(world);
    expect((await services.list()).items).toEqual([]);
  });

  it("should patch a Namespace", async () => {
    const world = await newWorld();
    await namespaces(world).create(namespace("patched"));
    await namespaces(world).patch("patched", { metadata: { labels: { testLabel: "testValue" } } });
    expect((await namespaces(world).get("patched")).metadata.labels).toMatchObject({
      testLabel: "testValue",
    });
  });
});
