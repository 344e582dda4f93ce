/** Named after the official conformance tests that they re-express; what each does is ours. */

import { describe, expect, it } from "vitest";
import { newWorld } from "../controllers/world.ts";
import { supportsApiOperations } from "./api-operations.ts";
import { Endpoint, type Sent } from "./endpoint.ts";
import { without, get } from "./requests.ts";

describe("[sig-api-machinery] API priority and fairness", () => {
  it("should support FlowSchema API operations", async () => {
    const world = await newWorld(without);
    await supportsApiOperations(world, {
      gvr: "flowcontrol.apiserver.k8s.io/v1/flowschemas",
      make: (name) => ({
        apiVersion: "flowcontrol.apiserver.k8s.io/v1",
        kind: "FlowSchema",
        metadata: { name: `flow-${name}` },
        spec: {
          matchingPrecedence: 10000,
          priorityLevelConfiguration: { name: "global-default" },
          distinguisherMethod: { type: "ByUser" },
        },
      }),
      status: { conditions: [{ type: "Dangling", status: "False", reason: "Tested", message: "" }] },
    });
  });

  it("should support PriorityLevelConfiguration API operations", async () => {
    const world = await newWorld(without);
    await supportsApiOperations(world, {
      gvr: "flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations",
      make: (name) => ({
        apiVersion: "flowcontrol.apiserver.k8s.io/v1",
        kind: "PriorityLevelConfiguration",
        metadata: { name: `level-${name}` },
        spec: {
          type: "Limited",
          limited: { nominalConcurrencyShares: 2, limitResponse: { type: "Reject" } },
        },
      }),
      status: { conditions: [{ type: "Tested", status: "True", reason: "Tested", message: "" }] },
    });
  });
});

describe("[sig-api-machinery] Discovery", () => {
  interface Groups {
    readonly groups: readonly {
      readonly name: string;
      readonly versions: readonly { readonly groupVersion: string }[];
      readonly preferredVersion: { readonly groupVersion: string };
    }[];
  }

  it("should locate the groupVersion and a resource within each APIGroup", async () => {
    const world = await newWorld(without);
    const { groups } = await get<Groups>(world, "/apis");
    expect(groups.length).toBeGreaterThan(15);
    for (const { groupVersion } of groups.flatMap((group) => group.versions)) {
      const list = await get<{ groupVersion: string; resources: object[] }>(world, `/apis/${groupVersion}`);
      expect(list.groupVersion).toBe(groupVersion);
      expect(list.resources.length).toBeGreaterThan(0);
    }
  });

  it("should validate PreferredVersion for each APIGroup", async () => {
    const world = await newWorld(without);
    for (const { name, versions, preferredVersion } of (await get<Groups>(world, "/apis")).groups) {
      const group = await get<Groups["groups"][number]>(world, `/apis/${name}`);
      expect(group.preferredVersion).toEqual(preferredVersion);
      expect(versions).toContainEqual(preferredVersion);
    }
  });
});

describe("[sig-api-machinery] AggregatedDiscovery", () => {
  const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
  interface Discovered {
    readonly kind: string;
    readonly items: readonly {
      readonly metadata: { readonly name?: string };
      readonly versions: readonly {
        readonly version: string;
        readonly resources: readonly { readonly resource: string }[];
      }[];
    }[];
  }
  const resourcesOf = (list: Discovered, group: string): string[] =>
    list.items
      .filter((item) => (item.metadata.name ?? "") === group)
      .flatMap((item) => item.versions.flatMap((version) => version.resources.map((r) => r.resource)));
  const crd: Sent = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "foos.stable.example.com" },
    spec: {
      group: "stable.example.com",
      names: { kind: "Foo", plural: "foos" },
      scope: "Namespaced",
      versions: [
        { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } },
      ],
    },
  };

  it("should support aggregated discovery interface", async () => {
    const { client } = await newWorld(without);
    for (const kind of ["Deployment", "StatefulSet", "ReplicaSet"]) {
      expect((await client.list({ apiVersion: "apps/v1", kind })).items).toEqual([]);
    }
  });

  it("should support aggregated discovery interface for CRDs", async () => {
    const world = await newWorld(without);
    await new Endpoint(world, "apiextensions.k8s.io/v1/customresourcedefinitions").create(crd);
    const list = await world.wait("the kind is discovered", () =>
      world.client.list({ apiVersion: "stable.example.com/v1", kind: "Foo" }).catch(() => undefined),
    );
    expect(list.items).toEqual([]);
  });

  it("should support raw aggregated discovery endpoint Accept headers", async () => {
    const world = await newWorld(without);
    const core = await get<Discovered>(world, "/api", accept);
    expect(core.kind).toBe("APIGroupDiscoveryList");
    expect(resourcesOf(core, "")).toEqual(expect.arrayContaining(["pods", "configmaps", "namespaces"]));
    const others = await get<Discovered>(world, "/apis", accept);
    expect(resourcesOf(others, "apps")).toEqual(expect.arrayContaining(["deployments", "statefulsets"]));
    expect(resourcesOf(others, "batch")).toEqual(expect.arrayContaining(["jobs", "cronjobs"]));
  });

  it("should support raw aggregated discovery request for CRDs", async () => {
    const world = await newWorld(without);
    await new Endpoint(world, "apiextensions.k8s.io/v1/customresourcedefinitions").create(crd);
    await world.wait("the kind is in the document", async () =>
      resourcesOf(await get<Discovered>(world, "/apis", accept), "stable.example.com").includes("foos"),
    );
  });
});

describe("[sig-api-machinery] server version", () => {
  it("should find the server version", async () => {
    const world = await newWorld(without);
    const version = await get<{ major: string; minor: string }>(world, "/version");
    expect(version.major).toMatch(/^\d+$/);
    expect(version.minor).toMatch(/^\d+$/);
  });
});
