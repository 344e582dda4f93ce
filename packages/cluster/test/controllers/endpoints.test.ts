import { Deployment } from "@bowline/api/apps/v1";
import { Endpoints, Pod, Service } from "@bowline/api/core/v1";
import { EndpointSlice } from "@bowline/api/discovery/v1";
import { describe, expect, it } from "vitest";
import { type World, deploymentOf, newWorld, template } from "./world.ts";

const key = { name: "web", namespace: "default" };
const service = (spec: object = {}): never =>
  ({
    metadata: key,
    spec: { selector: { app: "web" }, ports: [{ name: "http", port: 80, targetPort: 8080 }], ...spec },
  }) as never;

const slices = (world: World) =>
  world.list(EndpointSlice, { labelSelector: "kubernetes.io/service-name=web" });

async function serving(world: World, count: number) {
  await world.wait(`${count} endpoints are ready`, async () => {
    const ready = (await slices(world))
      .flatMap((slice) => slice.endpoints ?? [])
      .filter((e) => e.conditions?.ready);
    return ready.length === count;
  });
}

async function start(replicas: number, spec: object = {}): Promise<World> {
  const world = await newWorld({ nodes: [{ name: "node-1", zone: "zone-a" }] });
  await world.client.create(Service, service(spec));
  await world.client.create(Deployment, deploymentOf("web", { replicas }) as never);
  return world;
}

describe("Endpoint controllers", () => {
  it("lists ready pods with address, node, zone and ports, owned by the Service", async () => {
    const world = await start(2);
    await serving(world, 2);
    const [slice] = await slices(world);
    const [pod] = await world.list(Pod);
    expect(slice?.metadata.ownerReferences?.[0]).toMatchObject({
      kind: "Service",
      name: "web",
      controller: true,
    });
    expect(slice?.metadata.labels?.["endpointslice.kubernetes.io/managed-by"]).toBe(
      "endpointslice-controller.k8s.io",
    );
    expect(slice).toMatchObject({
      addressType: "IPv4",
      ports: [{ name: "http", port: 8080, protocol: "TCP" }],
    });
    expect(slice?.endpoints?.find((e) => e.targetRef?.name === pod?.metadata.name)).toMatchObject({
      addresses: [pod?.status?.podIP],
      conditions: { ready: true, serving: true, terminating: false },
      nodeName: "node-1",
      zone: "zone-a",
    });
    const endpoints = await world.client.get(Endpoints, key);
    expect(endpoints.subsets?.[0]?.addresses).toHaveLength(2);
    expect(endpoints.subsets?.[0]?.ports).toEqual([{ name: "http", port: 8080, protocol: "TCP" }]);
  });

  it("has one empty slice and empty Endpoints for a Service without pods", async () => {
    const world = await start(0);
    await world.quiet();
    expect((await slices(world)).map((slice) => slice.endpoints ?? [])).toEqual([[]]);
    expect((await world.client.get(Endpoints, key)).subsets ?? []).toEqual([]);
  });

  it("says of pods that are not ready that they are not, unless the Service publishes them", async () => {
    for (const publishNotReadyAddresses of [false, true]) {
      const world = await newWorld();
      await world.client.create(Service, service({ publishNotReadyAddresses }));
      const deployment = deploymentOf("web", { template: template("web", "bowline.dev/never-ready") });
      await world.client.create(Deployment, deployment as never);
      const [endpoint] = await world.wait("an endpoint", async () => {
        const found = (await slices(world)).flatMap((slice) => slice.endpoints ?? []);
        return found.length === 1 && found;
      });
      expect(endpoint?.conditions).toEqual({
        ready: publishNotReadyAddresses,
        serving: false,
        terminating: false,
      });
    }
  });

  it("says of pods that end that they are terminating, and still serving", async () => {
    const world = await newWorld({ images: { nginx: { stopAfterMs: 20_000 } } });
    await world.client.create(Service, service());
    await world.client.create(Deployment, deploymentOf("web") as never);
    await serving(world, 1);
    await world.client.patch(Deployment, key, { merge: { spec: { replicas: 0 } } });
    const [endpoint] = await world.wait("it is terminating", async () => {
      const found = (await slices(world)).flatMap((slice) => slice.endpoints ?? []);
      return found[0]?.conditions?.terminating === true && found;
    });
    expect(endpoint?.conditions).toEqual({ ready: false, serving: true, terminating: true });
    expect((await world.client.get(Endpoints, key)).subsets ?? []).toEqual([]);
    await world.pass(25_000);
    expect((await slices(world)).flatMap((slice) => slice.endpoints ?? [])).toEqual([]);
  });

  it("puts at most a hundred endpoints into a slice", async () => {
    const world = await start(230);
    await serving(world, 230);
    const sizes = (await slices(world)).map((slice) => slice.endpoints?.length ?? 0);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(100);
    expect(sizes).toHaveLength(3);
  });

  it("leaves Services without a selector to others, and removes what it made with the Service", async () => {
    const world = await newWorld();
    await world.client.create(Service, {
      metadata: { ...key, name: "external" },
      spec: { ports: [{ port: 80 }] },
    } as never);
    await world.client.create(Service, service());
    await world.until("a slice", async () => (await slices(world)).length === 1);
    expect(await world.names(Endpoints, "default")).toEqual(["web"]);
    await world.client.delete(Service, key);
    await world.wait(
      "all is gone",
      async () => (await slices(world)).length + (await world.names(Endpoints, "default")).length === 0,
    );
  });
});
