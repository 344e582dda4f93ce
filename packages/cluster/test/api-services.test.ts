import { type Transport, VirtualClock, seededRandom } from "@bowline/client";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Cluster, createCluster } from "../src/cluster.ts";

const services = "/apis/apiregistration.k8s.io/v1/apiservices";
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const managed = "kube-aggregator.kubernetes.io/automanaged";

let clock: VirtualClock;
let cluster: Cluster;
let admin: Transport;

beforeEach(async () => {
  clock = new VirtualClock();
  cluster = await createCluster({ clock, random: seededRandom(1), controllers: false });
  admin = cluster.transport();
});
afterEach(() => cluster.close());

/** Answers, once the server has had the time to react. */
async function send(
  method: "GET" | "POST" | "PATCH" | "DELETE",
  path: string,
  body?: object,
): Promise<unknown> {
  const headers = method === "PATCH" ? { "content-type": "application/merge-patch+json" } : {};
  const answer = await admin.request({ method, path, headers, body: body as never });
  await clock.advance(1);
  return answer.body;
}

async function names(): Promise<string[]> {
  const { items } = (await send("GET", services)) as { items: { metadata: { name: string } }[] };
  return items.map(({ metadata }) => metadata.name);
}

function definition(...versions: { name: string; served: boolean }[]): object {
  const schema = { openAPIV3Schema: { type: "object" } };
  return {
    metadata: { name: "knots.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "knots", kind: "Knot" },
      versions: versions.map((version, i) => ({ ...version, storage: i === 0, schema })),
    },
  };
}

describe("APIServices", () => {
  it("are there for every built-in group and version but their own", async () => {
    const { groups } = (await send("GET", "/apis")) as {
      groups: { versions: { groupVersion: string }[] }[];
    };
    const served = groups.flatMap(({ versions }) => versions.map(({ groupVersion }) => groupVersion));
    const expected = served.map((text) => text.split("/").toReversed().join("."));
    expect(await names()).toEqual(
      ["v1.", ...expected].filter((name) => name !== "v1.apiregistration.k8s.io").toSorted(),
    );
  });

  it("are local, available, and made at start", async () => {
    expect(await send("GET", `${services}/v2.autoscaling`)).toMatchObject({
      metadata: { labels: { [managed]: "onstart" } },
      spec: { group: "autoscaling", version: "v2", groupPriorityMinimum: 17_500, versionPriority: 30 },
      status: {
        conditions: [
          {
            type: "Available",
            status: "True",
            reason: "Local",
            message: "Local APIServices are always available",
          },
        ],
      },
    });
    const core = (await send("GET", `${services}/v1.`)) as { spec: object };
    expect(core.spec).toEqual({ version: "v1", groupPriorityMinimum: 18_000, versionPriority: 1 });
  });

  it("follow what definitions serve", async () => {
    await send("POST", definitions, definition({ name: "v1", served: true }, { name: "v2", served: false }));
    expect(await send("GET", `${services}/v1.example.com`)).toMatchObject({
      metadata: { labels: { [managed]: "true" } },
      spec: { group: "example.com", version: "v1", groupPriorityMinimum: 1000, versionPriority: 100 },
      status: { conditions: [{ type: "Available", status: "True" }] },
    });
    expect(await names()).not.toContain("v2.example.com");
    const { spec } = definition({ name: "v1", served: true }, { name: "v2", served: true }) as {
      spec: object;
    };
    await send("PATCH", `${definitions}/knots.example.com`, { spec });
    expect(await names()).toContain("v2.example.com");
    await send("DELETE", `${definitions}/knots.example.com`);
    expect((await names()).filter((name) => name.endsWith("example.com"))).toEqual([]);
  });

  it("of definitions come back when they are deleted or changed, others do not", async () => {
    await send("POST", definitions, definition({ name: "v1", served: true }));
    await send("DELETE", `${services}/v1.example.com`);
    expect(await names()).toContain("v1.example.com");
    await send("PATCH", `${services}/v1.example.com`, { spec: { versionPriority: 7 } });
    expect(await send("GET", `${services}/v1.example.com`)).toMatchObject({ spec: { versionPriority: 100 } });
    await send("DELETE", `${services}/v1.apps`);
    expect(await names()).not.toContain("v1.apps");
  });

  it("that name a service are not available, and say why", async () => {
    const spec = {
      group: "other.example.com",
      version: "v1",
      groupPriorityMinimum: 100,
      versionPriority: 10,
      service: { namespace: "default", name: "other" },
    };
    await send("POST", services, { metadata: { name: "v1.other.example.com" }, spec });
    const condition = async (): Promise<unknown> => {
      const service = (await send("GET", `${services}/v1.other.example.com`)) as {
        status: { conditions: unknown[] };
      };
      return service.status.conditions[0];
    };
    expect(await condition()).toMatchObject({
      status: "False",
      reason: "ServiceNotFound",
      message: 'service/other in "default" is not present',
    });
    await send("POST", "/api/v1/namespaces/default/services", {
      metadata: { name: "other" },
      spec: { ports: [{ port: 443 }] },
    });
    expect(await condition()).toMatchObject({ status: "False", reason: "FailedDiscoveryCheck" });
  });

  it("settle: nothing is written when nothing has changed", async () => {
    await send("POST", definitions, definition({ name: "v1", served: true }));
    await clock.advance(1000);
    const version = async (): Promise<string> =>
      ((await send("GET", services)) as { metadata: { resourceVersion: string } }).metadata.resourceVersion;
    const before = await version();
    await clock.advance(60_000);
    expect(await version()).toBe(before);
  });
});

describe("ComponentStatuses", () => {
  const statuses = "/api/v1/componentstatuses";

  it("tell who runs, and warn that nobody should ask", async () => {
    const answer = await admin.request({ method: "GET", path: statuses });
    const { items } = answer.body as { items: { metadata: { name: string }; conditions: object[] }[] };
    expect(items.map(({ metadata }) => metadata.name)).toEqual(["controller-manager", "etcd-0", "scheduler"]);
    expect(items[0]?.conditions).toEqual([
      {
        type: "Healthy",
        status: "False",
        message:
          'Get "https://127.0.0.1:10257/healthz": dial tcp 127.0.0.1:10257: connect: connection refused',
      },
    ]);
    expect(items[1]?.conditions).toEqual([{ type: "Healthy", status: "True", message: "ok" }]);
    expect(String(answer.headers["warning"])).toContain("v1 ComponentStatus is deprecated in v1.19+");
  });

  it("know one by its name, and no others", async () => {
    expect(await send("GET", `${statuses}/etcd-0`)).toMatchObject({ kind: "ComponentStatus" });
    await expect(send("GET", `${statuses}/toaster`)).rejects.toThrow("Component not found: toaster");
  });

  it("cannot be written", async () => {
    await expect(send("POST", statuses, { metadata: { name: "x" } })).rejects.toMatchObject({ code: 405 });
  });
});
