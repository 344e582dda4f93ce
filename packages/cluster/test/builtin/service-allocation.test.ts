import type { Transport } from "@bowline/client";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Cluster, createCluster } from "../../src/cluster.ts";
import { refusal } from "../server/collection.ts";

const services = "/api/v1/namespaces/default/services";

interface Port {
  readonly port: number;
  readonly protocol?: string;
  readonly name?: string;
  readonly nodePort?: number;
}
interface Service {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
  readonly spec: {
    readonly type: string;
    readonly clusterIP?: string;
    readonly clusterIPs?: readonly string[];
    readonly ipFamilies?: readonly string[];
    readonly ipFamilyPolicy?: string;
    readonly ports?: readonly Port[];
    readonly healthCheckNodePort?: number;
  };
}

let cluster: Cluster;
let transport: Transport;

beforeEach(async () => {
  cluster = await createCluster({ controllers: false });
  transport = cluster.transport();
});
afterEach(() => cluster.close());

const base = { selector: { app: "web" }, ports: [{ port: 80 }] };

async function create(name: string, spec: object = {}, query: Record<string, string> = {}): Promise<Service> {
  const body = { metadata: { name }, spec: { ...base, ...spec } };
  return (await transport.request<Service>({ method: "POST", path: services, body, query })).body;
}

async function put(name: string, spec: object): Promise<Service> {
  const body = { metadata: { name }, spec: { ...base, ...spec } };
  return (await transport.request<Service>({ method: "PUT", path: `${services}/${name}`, body })).body;
}

function remove(name: string): Promise<unknown> {
  return transport.request({ method: "DELETE", path: `${services}/${name}` });
}

describe("Cluster addresses of services", () => {
  it("come from the service network, one for each service", async () => {
    const made = await Promise.all(["a", "b", "c"].map((name) => create(name)));
    const addresses = made.map(({ spec }) => spec.clusterIP);
    expect(new Set(addresses).size).toBe(3);
    for (const { spec } of made) {
      expect(spec.clusterIP).toMatch(/^10\.(9[6-9]|10\d|11[01])\./);
      expect(spec).toMatchObject({
        clusterIPs: [spec.clusterIP],
        ipFamilies: ["IPv4"],
        ipFamilyPolicy: "SingleStack",
      });
    }
  });

  it.each([
    [
      "headless",
      { clusterIP: "None" },
      { clusterIP: "None", clusterIPs: ["None"], ipFamilyPolicy: "SingleStack" },
    ],
    [
      "headless without a selector",
      { clusterIP: "None", selector: undefined },
      { clusterIPs: ["None"], ipFamilies: ["IPv4", "IPv6"], ipFamilyPolicy: "RequireDualStack" },
    ],
    ["asked for", { clusterIP: "10.96.0.10" }, { clusterIP: "10.96.0.10", clusterIPs: ["10.96.0.10"] }],
    ["preferring two families", { ipFamilyPolicy: "PreferDualStack" }, { ipFamilies: ["IPv4"] }],
  ])("are, for a service that is %s, what it shows", async (_what, spec, shown) => {
    const created = await create("web", spec);
    expect(created.spec).toMatchObject(shown);
  });

  it("are not there for external names", async () => {
    const { spec } = await create("web", {
      type: "ExternalName",
      externalName: "example.com",
      selector: undefined,
    });
    for (const field of ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"] as const)
      expect(spec[field]).toBeUndefined();
  });

  it.each([
    [
      { clusterIP: "10.96.0.10" },
      'Service "other" is invalid: spec.clusterIPs: Invalid value: ["10.96.0.10"]: failed to allocate IP 10.96.0.10: provided IP is already allocated',
    ],
    [
      { clusterIP: "192.168.0.1" },
      'Service "other" is invalid: spec.clusterIPs: Invalid value: ["192.168.0.1"]: failed to allocate IP 192.168.0.1: the provided IP (192.168.0.1) is not in the valid range. The range of valid IPs is 10.96.0.0/12',
    ],
    [
      { ipFamilyPolicy: "RequireDualStack" },
      'Service "other" is invalid: spec.ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services',
    ],
    [
      { ipFamilies: ["IPv6"] },
      'Service "other" is invalid: spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster',
    ],
  ])("are refused for %j", async (spec, message) => {
    await create("web", { clusterIP: "10.96.0.10" });
    expect(await refusal(create("other", spec))).toMatchObject({ code: 422, message });
  });

  it("are free again when their service is gone or becomes an external name", async () => {
    await create("web", { clusterIP: "10.96.0.10" });
    await remove("web");
    await create("web", { clusterIP: "10.96.0.10" });
    await put("web", { type: "ExternalName", externalName: "example.com" });
    expect((await create("other", { clusterIP: "10.96.0.10" })).spec.clusterIP).toBe("10.96.0.10");
  });

  it("stay when an update leaves them out, and cannot be changed", async () => {
    const { spec } = await create("web");
    const kept = await put("web", { ports: [{ port: 81 }] });
    expect(kept.spec).toMatchObject({ clusterIP: spec.clusterIP, clusterIPs: spec.clusterIPs });
    const refused = await refusal(put("web", { clusterIP: "10.96.0.77" }));
    expect(refused).toMatchObject({ code: 422 });
    expect(refused.message).toContain("spec.clusterIPs[0]: Invalid value: ");
    expect(refused.message).toContain("may not change once set");
  });

  it("are not used up by dry runs", async () => {
    await create("dry", { clusterIP: "10.96.0.10" }, { dryRun: "All" });
    expect((await create("web", { clusterIP: "10.96.0.10" })).spec.clusterIP).toBe("10.96.0.10");
  });
});

describe("Node ports of services", () => {
  const ports = [
    { name: "a", port: 80 },
    { name: "b", port: 81 },
  ];

  it.each(["NodePort", "LoadBalancer"])("of the type %s are given out from 30000 to 32767", async (type) => {
    const { spec } = await create("web", { type, ports });
    const given = spec.ports?.map(({ nodePort = 0 }) => nodePort) ?? [];
    expect(new Set(given).size).toBe(2);
    for (const port of given) expect(port >= 30_000 && port <= 32_767).toBe(true);
  });

  it("are left out when a load balancer does not want them", async () => {
    const { spec } = await create("web", { type: "LoadBalancer", allocateLoadBalancerNodePorts: false });
    expect(spec.ports?.[0]?.nodePort).toBeUndefined();
  });

  it.each([
    [30_080, "provided port is already allocated"],
    [80, "provided port is not in the valid range. The range of valid ports is 30000-32767"],
  ])("are refused for %d", async (nodePort, why) => {
    await create("web", { type: "NodePort", ports: [{ port: 80, nodePort: 30_080 }] });
    expect(
      await refusal(create("other", { type: "NodePort", ports: [{ port: 80, nodePort }] })),
    ).toMatchObject({
      code: 422,
      message: `Service "other" is invalid: spec.ports[0].nodePort: Invalid value: ${nodePort}: ${why}`,
    });
  });

  it("are one for both protocols of a port", async () => {
    const { spec } = await create("dns", {
      type: "NodePort",
      ports: [
        { name: "udp", port: 53, protocol: "UDP" },
        { name: "tcp", port: 53, protocol: "TCP" },
      ],
    });
    expect(spec.ports?.[0]?.nodePort).toBe(spec.ports?.[1]?.nodePort);
  });

  it("stay when an update leaves them out, and go with the type", async () => {
    const { spec } = await create("web", { type: "NodePort", ports });
    expect((await put("web", { type: "NodePort", ports })).spec.ports).toEqual(spec.ports);
    const plain = await put("web", { type: "ClusterIP", ports });
    expect(plain.spec.ports?.map(({ nodePort }) => nodePort)).toEqual([undefined, undefined]);
    const [first] = spec.ports ?? [];
    await create("other", { type: "NodePort", ports: [{ port: 1, nodePort: first?.nodePort }] });
  });

  it("for health checks are there with local traffic to a load balancer only", async () => {
    const balancer = { type: "LoadBalancer", externalTrafficPolicy: "Local" };
    const { spec } = await create("web", balancer);
    expect(spec.healthCheckNodePort).toBeGreaterThanOrEqual(30_000);
    expect((await put("web", balancer)).spec.healthCheckNodePort).toBe(spec.healthCheckNodePort);
    const plain = await put("web", { type: "LoadBalancer", externalTrafficPolicy: "Cluster" });
    expect(plain.spec.healthCheckNodePort).toBeUndefined();
  });
});
