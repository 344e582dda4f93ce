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

describe("Traffic distribution", () => {
  it.each<[string | undefined, object | undefined]>([
    [undefined, undefined],
    ["PreferClose", { forZones: [{ name: "zone-a" }] }],
    ["PreferSameZone", { forZones: [{ name: "zone-a" }] }],
    ["PreferSameNode", { forZones: [{ name: "zone-a" }], forNodes: [{ name: "node-1" }] }],
  ])("%s is %j in the hints of ready endpoints", async (trafficDistribution, hints) => {
    const world = await start(1, trafficDistribution === undefined ? {} : { trafficDistribution });
    await serving(world, 1);
    const endpoint = (await slices(world))[0]?.endpoints?.[0];
    expect(endpoint?.hints).toEqual(hints);
  });
});

describe("Endpoints that somebody else writes", () => {
  const bare = { metadata: key, spec: { ports: [{ port: 5432 }] } };
  const subset = {
    addresses: [{ ip: "192.0.2.1", hostname: "db-0", nodeName: "node-1" }],
    notReadyAddresses: [{ ip: "192.0.2.2" }],
    ports: [{ name: "sql", port: 5432, protocol: "TCP" }],
  };
  const write = (world: World, subsets: object[], metadata: object = {}): Promise<unknown> =>
    world.client.create(Endpoints, { metadata: { ...key, ...metadata }, subsets } as never);

  it("are mirrored to slices, with their labels and annotations", async () => {
    const world = await newWorld();
    await world.client.create(Service, bare as never);
    await write(world, [subset, { addresses: [{ ip: "2001:db8::1" }], ports: [{ port: 80 }] }], {
      labels: { team: "data" },
      annotations: { note: "x", "endpoints.kubernetes.io/last-change-trigger-time": "2026-01-01T00:00:00Z" },
    });
    await world.quiet();
    const found = await slices(world);
    expect(found).toHaveLength(2);
    const slice = found.find(({ addressType }) => addressType === "IPv4");
    expect(slice).toMatchObject({
      addressType: "IPv4",
      ports: subset.ports,
      endpoints: [
        { addresses: ["192.0.2.1"], conditions: { ready: true }, hostname: "db-0", nodeName: "node-1" },
        { addresses: ["192.0.2.2"], conditions: { ready: false } },
      ],
    });
    expect(slice?.metadata.labels).toEqual({
      team: "data",
      "kubernetes.io/service-name": "web",
      "endpointslice.kubernetes.io/managed-by": "endpointslicemirroring-controller.k8s.io",
    });
    expect(slice?.metadata.annotations).toEqual({ note: "x" });
    expect(slice?.metadata.ownerReferences).toMatchObject([
      { kind: "Endpoints", name: "web", controller: true },
    ]);
    expect(found.find(({ addressType }) => addressType === "IPv6")).toMatchObject({
      ports: [{ name: "", port: 80, protocol: "TCP" }],
      endpoints: [{ addresses: ["2001:db8::1"] }],
    });
  });

  it("are followed when they change, and given up when the Service gets a selector or they say so", async () => {
    const world = await newWorld();
    await world.client.create(Service, bare as never);
    await write(world, [subset]);
    await world.quiet();
    const [before] = await slices(world);
    const patch = (merge: object): Promise<unknown> =>
      world.client.patch(Endpoints, key, { merge: merge as never });
    await patch({ subsets: [{ ...subset, notReadyAddresses: null, addresses: [{ ip: "192.0.2.9" }] }] });
    await world.quiet();
    const [after] = await slices(world);
    expect(after?.metadata.uid).toBe(before?.metadata.uid);
    expect(after?.endpoints?.map(({ addresses }) => addresses)).toEqual([["192.0.2.9"]]);
    await patch({ metadata: { labels: { "endpointslice.kubernetes.io/skip-mirror": "true" } } });
    await world.quiet();
    expect(await slices(world)).toEqual([]);
    await patch({ metadata: { labels: null } });
    await world.quiet();
    expect(await slices(world)).toHaveLength(1);
    await world.client.patch(Service, key, { merge: { spec: { selector: { app: "web" } } } });
    await world.quiet();
    const managers = (await slices(world)).map(
      ({ metadata }) => metadata.labels?.["endpointslice.kubernetes.io/managed-by"],
    );
    expect(managers).toEqual(["endpointslice-controller.k8s.io"]);
  });

  it("wait for their Service, and are cut at a thousand addresses", async () => {
    const world = await newWorld();
    const many = Array.from({ length: 1010 }, (_, at) => ({ ip: `10.9.${at >> 8}.${at & 255}` }));
    await write(world, [{ addresses: many, ports: [{ port: 80 }] }]);
    await world.quiet();
    expect(await slices(world)).toEqual([]);
    await world.client.create(Service, bare as never);
    await world.quiet();
    expect((await slices(world)).map(({ endpoints }) => endpoints?.length)).toEqual([1000]);
    expect(await world.events({ kind: "Endpoints", name: "web" })).toEqual([
      "TooManyAddressesToMirror: A max of 1000 addresses can be mirrored to EndpointSlices per Endpoints subset. 10 addresses were skipped",
    ]);
  });
});
