/** Named after the official conformance tests that they re-express; what each does is ours. */
import { Deployment, ReplicaSet } from "@bowline/api/apps/v1";
import { Pod } from "@bowline/api/core/v1";
import { describe, expect, it } from "vitest";
import { type World, deploymentOf, newWorld, template } from "../controllers/world.ts";
import { supportsApiOperations } from "./api-operations.ts";
import { Endpoint, type Found, type Sent } from "./endpoint.ts";

const without = { controllers: false } as const;
const get = async <T>(world: World, path: string, accept?: string): Promise<T> => {
  const headers: Record<string, string> = accept === undefined ? {} : { accept };
  return (await world.cluster.transport().request<T>({ method: "GET", path, headers })).body;
};
const configMap = (name: string, data: object = {}, labels: object = {}): Sent => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, labels } as { name: string },
  data,
});

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

describe("[sig-api-machinery] Garbage collector", () => {
  const rc = (name: string, replicas: number): Sent => ({
    apiVersion: "v1",
    kind: "ReplicationController",
    metadata: { name },
    spec: { replicas, selector: { app: name }, template: template(name) },
  });
  const rcs = (world: World): Endpoint => new Endpoint(world, "v1/replicationcontrollers", "default");
  const pods = async (world: World, count: number): Promise<void> => {
    await world.wait(`${count} pods`, async () => (await world.list(Pod)).length === count, 60_000);
  };
  const deploy = async (world: World): Promise<void> => {
    await world.client.create(Deployment, deploymentOf("web", { replicas: 2 }) as never);
    await pods(world, 2);
  };

  it("should delete RS created by deployment when not orphaning", async () => {
    const world = await newWorld();
    await deploy(world);
    await new Endpoint(world, "apps/v1/deployments", "default").delete("web", {
      propagationPolicy: "Background",
    });
    await pods(world, 0);
    expect(await world.list(ReplicaSet)).toEqual([]);
  });

  it("should orphan RS created by deployment when deleteOptions.PropagationPolicy is Orphan", async () => {
    const world = await newWorld();
    await deploy(world);
    const deployments = new Endpoint(world, "apps/v1/deployments", "default");
    await deployments.delete("web", { propagationPolicy: "Orphan" });
    await world.wait("it is gone", async () => (await deployments.find("web")) === undefined);
    await world.pass(60_000);
    const sets = await world.list(ReplicaSet);
    expect(sets.map((set) => set.metadata.ownerReferences ?? [])).toEqual([[]]);
    expect(await world.list(Pod)).toHaveLength(2);
  });

  it("should delete pods created by rc when not orphaning", async () => {
    const world = await newWorld();
    await rcs(world).create(rc("two", 2));
    await pods(world, 2);
    await rcs(world).delete("two", { propagationPolicy: "Background" });
    await pods(world, 0);
  });

  it("should orphan pods created by rc if delete options say so", async () => {
    const world = await newWorld();
    await rcs(world).create(rc("ten", 10));
    await pods(world, 10);
    await rcs(world).delete("ten", { propagationPolicy: "Orphan" });
    await world.wait("it is gone", async () => (await rcs(world).find("ten")) === undefined);
    await world.pass(30_000);
    const left = await world.list(Pod);
    expect(left).toHaveLength(10);
    expect(left.flatMap((pod) => pod.metadata.ownerReferences ?? [])).toEqual([]);
  });

  it("should keep the rc around until all its pods are deleted if the deleteOptions says so", async () => {
    const world = await newWorld();
    await rcs(world).create(rc("ten", 10));
    await pods(world, 10);
    await rcs(world).delete("ten", { propagationPolicy: "Foreground" });
    expect((await rcs(world).get("ten")).metadata.finalizers).toEqual(["foregroundDeletion"]);
    await world.wait("it is gone", async () => {
      // never without the controller while there are pods
      const left = (await world.list(Pod)).length;
      const found = await rcs(world).find("ten");
      if (left > 0) expect(found).toBeDefined();
      return found === undefined;
    });
    expect(await world.list(Pod)).toEqual([]);
  });

  it("should not delete dependents that have both valid owner and owner that's waiting for dependents to be deleted", async () => {
    const world = await newWorld();
    await rcs(world).create(rc("first", 6));
    const second = await rcs(world).create(rc("second", 0));
    await pods(world, 6);
    const shared = (await world.list(Pod)).slice(0, 3).map((pod) => pod.metadata.name ?? "");
    const podsApi = new Endpoint(world, "v1/pods", "default");
    for (const name of shared) {
      const owners = (await podsApi.get(name)).metadata.ownerReferences ?? [];
      const another = {
        apiVersion: "v1",
        kind: "ReplicationController",
        name: "second",
        uid: second.metadata.uid,
      };
      await podsApi.patch(name, { metadata: { ownerReferences: [...owners, another] } });
    }
    await rcs(world).delete("first", { propagationPolicy: "Foreground" });
    await world.wait("it is gone", async () => (await rcs(world).find("first")) === undefined);
    await world.pass(30_000);
    const left = await world.list(Pod);
    expect(left.map((pod) => pod.metadata.name).sort()).toEqual([...shared].sort());
    expect(left.filter((pod) => pod.metadata.deletionTimestamp !== undefined)).toEqual([]);
  });

  it("should not be blocked by dependency circle", async () => {
    const world = await newWorld();
    const podsApi = new Endpoint(world, "v1/pods", "default");
    const uids = new Map<string, string>();
    for (const name of ["pod1", "pod2", "pod3"]) {
      const { spec } = template(name);
      const pod = await podsApi.create({ apiVersion: "v1", kind: "Pod", metadata: { name }, spec });
      uids.set(name, pod.metadata.uid ?? "");
    }
    for (const [pod, owner] of [
      ["pod1", "pod3"],
      ["pod2", "pod1"],
      ["pod3", "pod2"],
    ] as const) {
      const reference = { apiVersion: "v1", kind: "Pod", name: owner, uid: uids.get(owner) };
      await podsApi.patch(pod, {
        metadata: { ownerReferences: [{ ...reference, controller: true, blockOwnerDeletion: true }] },
      });
    }
    await podsApi.delete("pod1", { propagationPolicy: "Foreground" });
    await pods(world, 0);
  });
});

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

describe("[sig-api-machinery] Servers with support for API chunking", () => {
  const fill = async (world: World): Promise<Endpoint> => {
    const maps = new Endpoint(world, "v1/podtemplates", "default");
    for (let i = 0; i < 40; i++) {
      const name = `template-${String(i).padStart(4, "0")}`;
      await maps.create({
        apiVersion: "v1",
        kind: "PodTemplate",
        metadata: { name },
        template: { ...template("t") },
      });
    }
    return maps;
  };
  const namesOf = (list: Found): string[] => (list.items as Found[]).map((item) => item.metadata.name);

  it("should return chunks of results for list calls", async () => {
    const world = await newWorld(without);
    const templates = await fill(world);
    const seen: string[] = [];
    let page = await templates.list({ limit: "17" });
    const { resourceVersion } = page.metadata;
    for (;;) {
      seen.push(...namesOf(page));
      expect(page.metadata.resourceVersion).toBe(resourceVersion);
      expect(page.metadata.remainingItemCount ?? 0).toBe(40 - seen.length);
      if (page.metadata.continue === undefined) break;
      page = await templates.list({ limit: "17", continue: page.metadata.continue });
    }
    expect(seen).toEqual(namesOf(await templates.list()));
  });

  it("should support continue listing from the last key if the original version has been compacted away, though the list is inconsistent", async () => {
    const world = await newWorld(without);
    const templates = await fill(world);
    const first = await templates.list({ limit: "17" });
    await templates.patch("template-0030", { metadata: { labels: { late: "yes" } } });
    world.cluster.compact();
    const error = await templates.list({ limit: "17", continue: first.metadata.continue ?? "" }).then(
      () => expect.fail("the token is still good"),
      (thrown: { status: { code: number; reason: string; metadata: { continue: string } } }) => thrown.status,
    );
    expect(error).toMatchObject({ code: 410, reason: "Expired" });
    const second = await templates.list({ limit: "17", continue: error.metadata.continue });
    expect(second.metadata.resourceVersion).not.toBe(first.metadata.resourceVersion);
    expect(namesOf(second)[0]).toBe("template-0017");
    const third = await templates.list({ limit: "17", continue: second.metadata.continue ?? "" });
    expect([...namesOf(first), ...namesOf(second), ...namesOf(third)]).toHaveLength(40);
  });
});

describe("[sig-api-machinery] Servers with support for Table transformation", () => {
  it("should return a 406 for a backend which does not implement metadata", async () => {
    const world = await newWorld(without);
    const review = {
      method: "POST",
      path: "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
      headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" },
      body: {
        apiVersion: "authorization.k8s.io/v1",
        kind: "SelfSubjectAccessReview",
        spec: { nonResourceAttributes: { path: "/", verb: "get" } },
      },
    } as const;
    await expect(world.cluster.transport().request(review)).rejects.toMatchObject({
      status: { code: 406, reason: "NotAcceptable" },
    });
  });
});

describe("[sig-api-machinery] Watchers", () => {
  const maps = (world: World): Endpoint => new Endpoint(world, "v1/configmaps", "default");
  const label = (value: string): { labelSelector: string } => ({ labelSelector: `watch=${value}` });
  const since = (rv: string | undefined) => ({ resourceVersion: rv ?? "" });
  const steps = (events: readonly { type: string; object: unknown }[]): string[] =>
    events.map(({ type, object }) => `${type} ${(object as Found).data?.["mutation"] ?? "0"}`);

  it("should be able to restart watching from the last resource version observed by the previous watch", async () => {
    const world = await newWorld(without);
    const made = await maps(world).create(configMap("restarted", {}));
    const first = await maps(world).watch(since(made.metadata.resourceVersion));
    await maps(world).patch("restarted", { data: { mutation: "1" } });
    await world.until("the first watch saw it", async () => first.length === 1);
    const [seen] = first as readonly { readonly object: unknown }[];
    const last = (seen?.object as Found | undefined)?.metadata.resourceVersion;
    await maps(world).patch("restarted", { data: { mutation: "2" } });
    await maps(world).delete("restarted");
    const second = await maps(world).watch(since(last));
    await world.until("the second watch goes on", async () => second.length === 2);
    expect(steps(second)).toEqual(["MODIFIED 2", "DELETED 2"]);
  });

  it("should be able to start watching from a specific resource version", async () => {
    const world = await newWorld(without);
    await maps(world).create(configMap("from", {}));
    const first = await maps(world).patch("from", { data: { mutation: "1" } });
    await maps(world).patch("from", { data: { mutation: "2" } });
    await maps(world).delete("from");
    const events = await maps(world).watch(since(first.metadata.resourceVersion));
    await world.until("both came", async () => events.length === 2);
    expect(steps(events)).toEqual(["MODIFIED 2", "DELETED 2"]);
  });

  it("should observe add, update, and delete watch notifications on configmaps", async () => {
    const world = await newWorld(without);
    const a = await maps(world).watch(label("a"));
    const b = await maps(world).watch(label("b"));
    const both = await maps(world).watch({ labelSelector: "watch in (a, b)" });
    await maps(world).create(configMap("map-a", {}, { watch: "a" }));
    await maps(world).patch("map-a", { data: { mutation: "1" } });
    await maps(world).delete("map-a");
    await maps(world).create(configMap("map-b", {}, { watch: "b" }));
    await maps(world).delete("map-b");
    await world.until("all came", async () => both.length === 5);
    expect(steps(a)).toEqual(["ADDED 0", "MODIFIED 1", "DELETED 1"]);
    expect(steps(b)).toEqual(["ADDED 0", "DELETED 0"]);
    expect(steps(both)).toEqual(["ADDED 0", "MODIFIED 1", "DELETED 1", "ADDED 0", "DELETED 0"]);
  });

  it("should observe an object deletion if it stops meeting the requirements of the selector", async () => {
    const world = await newWorld(without);
    await maps(world).create(configMap("leaves", {}, { watch: "yes" }));
    const { resourceVersion } = (await maps(world).list()).metadata;
    const events = await maps(world).watch({ ...label("yes"), ...since(resourceVersion) });
    await maps(world).patch("leaves", { data: { mutation: "1" } });
    await maps(world).patch("leaves", { metadata: { labels: { watch: "no" } } });
    await maps(world).patch("leaves", { data: { mutation: "2" } });
    await maps(world).patch("leaves", { metadata: { labels: { watch: "yes" } } });
    await maps(world).patch("leaves", { data: { mutation: "3" } });
    await maps(world).delete("leaves");
    await world.until("all came", async () => events.length === 5);
    expect(steps(events)).toEqual(["MODIFIED 1", "DELETED 1", "ADDED 2", "MODIFIED 3", "DELETED 3"]);
  });

  it("should receive events on concurrent watches in same order", async () => {
    const world = await newWorld(without);
    const { resourceVersion } = (await maps(world).list()).metadata;
    const first = await maps(world).watch(since(resourceVersion));
    await Promise.all(
      Array.from({ length: 30 }, async (_, i) => {
        await maps(world).create(configMap(`many-${i}`, {}));
        await maps(world).patch(`many-${i}`, { data: { mutation: "1" } });
        if (i % 3 === 0) await maps(world).delete(`many-${i}`);
      }),
    );
    await world.until("all came", async () => first.length === 70);
    const versions = first.map((event) => (event.object as Found).metadata.resourceVersion);
    for (const start of [0, 10, 33, 69]) {
      const later = await maps(world).watch(since(versions[start]));
      await world.until("the rest came", async () => later.length === 69 - start);
      expect(later.map((event) => (event.object as Found).metadata.resourceVersion)).toEqual(
        versions.slice(start + 1),
      );
    }
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

describe("[sig-api-machinery] ValidatingAdmissionPolicy [Privileged:ClusterAdmin]", () => {
  const registration = "admissionregistration.k8s.io/v1";
  const policy = (name: string, spec: object = {}): Sent => ({
    apiVersion: registration,
    kind: "ValidatingAdmissionPolicy",
    metadata: { name },
    spec: {
      matchConstraints: {
        resourceRules: [
          {
            apiGroups: ["apps"],
            apiVersions: ["v1"],
            operations: ["CREATE", "UPDATE"],
            resources: ["deployments"],
          },
        ],
      },
      validations: [{ expression: "object.spec.replicas <= 5" }],
      ...spec,
    },
  });
  const binding = (name: string, policyName: string): Sent => ({
    apiVersion: registration,
    kind: "ValidatingAdmissionPolicyBinding",
    metadata: { name },
    spec: { policyName, validationActions: ["Deny"] },
  });
  const policies = (world: World): Endpoint =>
    new Endpoint(world, `${registration}/validatingadmissionpolicies`);
  const bindings = (world: World): Endpoint =>
    new Endpoint(world, `${registration}/validatingadmissionpolicybindings`);
  const deploy = (world: World, name: string, replicas: number): Promise<unknown> =>
    world.client.create(Deployment, deploymentOf(name, { replicas }) as never);

  it("should support ValidatingAdmissionPolicy API operations", async () => {
    await supportsApiOperations(await newWorld(without), {
      gvr: `${registration}/validatingadmissionpolicies`,
      make: (name) => policy(`policy-${name}`),
      status: {
        conditions: [
          {
            type: "Tested",
            status: "True",
            reason: "Tested",
            message: "",
            lastTransitionTime: "2026-01-01T00:00:00Z",
          },
        ],
      },
    });
  });

  it("should support ValidatingAdmissionPolicyBinding API operations", async () => {
    await supportsApiOperations(await newWorld(without), {
      gvr: `${registration}/validatingadmissionpolicybindings`,
      make: (name) => binding(`binding-${name}`, "some-policy"),
    });
  });

  it("should validate against a Deployment", async () => {
    const world = await newWorld(without);
    await policies(world).create(policy("limit"));
    await bindings(world).create(binding("limit-here", "limit"));
    await deploy(world, "small", 2);
    await expect(deploy(world, "large", 6)).rejects.toThrow(/failed expression: object.spec.replicas <= 5/);
  });

  it("should allow expressions to refer variables", async () => {
    const world = await newWorld(without);
    await policies(world).create(
      policy("even", {
        variables: [
          { name: "replicas", expression: "object.spec.replicas" },
          { name: "oddReplicas", expression: "variables.replicas % 2 == 1" },
        ],
        validations: [{ expression: "variables.replicas > 1" }, { expression: "variables.oddReplicas" }],
      }),
    );
    await bindings(world).create(binding("even-here", "even"));
    await deploy(world, "three", 3);
    await expect(deploy(world, "one", 1)).rejects.toThrow(/variables.replicas > 1/);
    await expect(deploy(world, "four", 4)).rejects.toThrow(/variables.oddReplicas/);
  });
});

describe("[sig-api-machinery] FieldValidation", () => {
  const strict = { fieldValidation: "Strict" };
  const kind = (schema: object): Sent => ({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "noxus.mygroup.example.com" },
    spec: {
      group: "mygroup.example.com",
      names: { kind: "Noxu", plural: "noxus" },
      scope: "Namespaced",
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  });
  const known = {
    type: "object",
    properties: {
      spec: {
        type: "object",
        properties: {
          foo: { type: "string" },
          cronSpec: { type: "string" },
          template: {
            type: "object",
            "x-kubernetes-embedded-resource": true,
            "x-kubernetes-preserve-unknown-fields": true,
          },
        },
      },
    },
  };
  const preserving = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

  async function define(schema: object): Promise<{ world: World; noxus: Endpoint }> {
    const world = await newWorld(without);
    await new Endpoint(world, "apiextensions.k8s.io/v1/customresourcedefinitions").create(kind(schema));
    const noxus = new Endpoint(world, "mygroup.example.com/v1/noxus", "default");
    await world.wait("the kind is served", () =>
      noxus.list().then(
        () => true,
        () => false,
      ),
    );
    return { world, noxus };
  }
  const noxu = (more: object, metadata: object = {}): Sent => ({
    apiVersion: "mygroup.example.com/v1",
    kind: "Noxu",
    metadata: { name: "mine", ...metadata },
    ...more,
  });
  const apply = (world: World, path: string, text: string): Promise<unknown> =>
    world.cluster.transport().request({
      method: "PATCH",
      path,
      query: { ...strict, fieldManager: "test" },
      headers: { "content-type": "application/apply-patch+yaml" },
      body: text,
    });
  const post = (world: World, path: string, text: string): Promise<unknown> =>
    world.cluster.transport().request({
      method: "POST",
      path,
      query: strict,
      headers: { "content-type": "application/json" },
      body: text,
    });

  it("should create/apply a CR with unknown fields for CRD with no validation schema", async () => {
    const { world, noxus } = await define(preserving);
    const object = noxu({ spec: { anything: { goes: true } } });
    await noxus.create(object, strict);
    await apply(world, `${noxus.base}/mine`, JSON.stringify(object));
    expect((await noxus.get("mine")).spec).toEqual({ anything: { goes: true } });
  });

  it("should create/apply a valid CR for CRD with validation schema", async () => {
    const { world, noxus } = await define(known);
    const object = noxu({ spec: { foo: "foo1", cronSpec: "* * * * */5" } });
    await noxus.create(object, strict);
    await apply(world, `${noxus.base}/mine`, JSON.stringify(object));
    expect((await noxus.get("mine")).spec).toMatchObject({ foo: "foo1" });
  });

  it("should create/apply an invalid CR with extra properties for CRD with validation schema", async () => {
    const { world, noxus } = await define(known);
    const object = noxu({ spec: { foo: "foo1", extraProperty: "arbitrary" } });
    await expect(noxus.create(object, strict)).rejects.toThrow(/unknown field "spec.extraProperty"/);
    await expect(apply(world, `${noxus.base}/mine`, JSON.stringify(object))).rejects.toThrow(
      /field not declared in schema/,
    );
  });

  it("should detect duplicates in a CR when preserving unknown fields", async () => {
    const { world, noxus } = await define(preserving);
    const text =
      '{"apiVersion":"mygroup.example.com/v1","kind":"Noxu","metadata":{"name":"twice"},"spec":{"foo":1,"foo":2}}';
    await expect(post(world, noxus.base, text)).rejects.toThrow(/duplicate field "spec.foo"/);
  });

  it("should detect unknown and duplicate fields of a typed object", async () => {
    const world = await newWorld(without);
    const text = JSON.stringify(deploymentOf("mine", { unknownField: "foo" })).replace(
      '"unknownField"',
      '"paused":true,"paused":false,"unknownField"',
    );
    await expect(post(world, "/apis/apps/v1/namespaces/default/deployments", text)).rejects.toThrow(
      /unknown field "spec.unknownField".*duplicate field "spec.paused"|duplicate field "spec.paused".*unknown field "spec.unknownField"/,
    );
  });

  it("should detect unknown metadata fields in both the root and embedded object of a CR", async () => {
    const { noxus } = await define(known);
    const embedded = {
      apiVersion: "v1",
      kind: "Thing",
      metadata: { name: "inner", unknownSubMeta: "foo" },
    };
    await expect(
      noxus.create(noxu({ spec: { template: embedded } }, { unknownMeta: "foo" }), strict),
    ).rejects.toThrow(
      /unknown field "metadata.unknownMeta".*unknown field "spec.template.metadata.unknownSubMeta"/,
    );
  });

  it("should detect unknown metadata fields of a typed object", async () => {
    const world = await newWorld(without);
    const deployment = deploymentOf("mine") as unknown as Sent;
    const deployments = new Endpoint(world, "apps/v1/deployments", "default");
    await expect(
      deployments.create(
        { ...deployment, metadata: { ...deployment.metadata, unknownMeta: "foo" } } as Sent,
        strict,
      ),
    ).rejects.toThrow(/unknown field "metadata.unknownMeta"/);
  });
});
