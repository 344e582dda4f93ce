import { expect } from "vitest";
import type { World } from "../controllers/world.ts";
import { Endpoint, type Found, type Sent, typesOf } from "./endpoint.ts";

export interface Operations {
  /** `group/version/plural`. */
  readonly gvr: string;
  readonly namespace?: string;
  readonly make: (name: string) => Sent;
  /** A merge patch of the status, and what is then there; absent for kinds without one. */
  readonly status?: object;
}

const selector = { labelSelector: "special=yes" };

/**
 * What the official tests call the API operations of a resource: it is in the discovery documents, and can be created, read,
 * listed, watched, updated, patched, deleted alone and in a collection; its status can be read, updated and patched.
 */
export async function supportsApiOperations(world: World, operations: Operations): Promise<void> {
  const { gvr, namespace, make } = operations;
  const endpoint = new Endpoint(world, gvr, namespace);
  await isDiscovered(world, endpoint, operations.status !== undefined);
  const labelled = (name: string): Sent => {
    const object = make(name);
    return { ...object, metadata: { ...object.metadata, labels: { special: "yes" } } } as Sent;
  };
  const names = ["one", "two", "three"].map((name) => make(name).metadata.name ?? name);
  for (const name of ["one", "two", "three"]) await endpoint.create(labelled(name));
  const [first = ""] = names;

  const list = await endpoint.list(selector);
  expect((list.items as Found[]).map((item) => item.metadata.name).sort()).toEqual([...names].sort());
  const everywhere = await new Endpoint(world, gvr).list(selector);
  expect(everywhere.items).toHaveLength(3);
  const events = await endpoint.watch({
    ...selector,
    resourceVersion: list.metadata.resourceVersion ?? "",
    fieldSelector: `metadata.name=${first}`,
  });

  const patched = await endpoint.patch(first, { metadata: { annotations: { patched: "true" } } });
  expect(patched.metadata.annotations).toMatchObject({ patched: "true" });
  await updateLatest(endpoint, first, (found) => ({
    ...found,
    metadata: { ...found.metadata, annotations: { ...found.metadata.annotations, updated: "true" } },
  }));
  expect((await endpoint.get(first)).metadata.annotations).toMatchObject({
    patched: "true",
    updated: "true",
  });
  if (operations.status !== undefined) await hasStatus(endpoint, first, operations.status);

  const { items } = await endpoint.list(selector);
  expect(items).toHaveLength(3);
  await endpoint.delete(first);
  await world.until("the first is gone", async () => (await endpoint.find(first)) === undefined);
  await world.until("the watch has seen it", async () => typesOf(events).includes("DELETED"));
  expect(typesOf(events).slice(0, 2)).toEqual(["MODIFIED", "MODIFIED"]);

  await endpoint.deleteCollection(selector);
  await world.until("all are gone", async () => (await endpoint.list(selector)).items.length === 0);
}

/** The group, the version, and the resource in it with all verbs; its status resource, too. */
export async function isDiscovered(
  world: World,
  endpoint: Endpoint,
  hasStatusResource: boolean,
): Promise<void> {
  const read = async (path: string) =>
    (await world.cluster.transport().request<Record<string, never>>({ method: "GET", path })).body;
  const [group, version] = endpoint.groupVersion.split("/");
  if (version !== undefined) {
    const groups = (await read("/apis"))["groups"] as unknown as { name: string; versions: object[] }[];
    expect(groups.find((each) => each.name === group)?.versions).toContainEqual({
      groupVersion: endpoint.groupVersion,
      version,
    });
    const one = (await read(`/apis/${group}`)) as unknown as { versions: object[] };
    expect(one.versions).toContainEqual({ groupVersion: endpoint.groupVersion, version });
  }
  const root = version === undefined ? "/api" : "/apis";
  const { resources } = (await read(`${root}/${endpoint.groupVersion}`)) as unknown as {
    resources: { name: string; verbs: string[] }[];
  };
  const verbsOf = (name: string): string[] | undefined => resources.find((r) => r.name === name)?.verbs;
  expect(verbsOf(endpoint.plural)).toEqual(
    expect.arrayContaining([
      "create",
      "get",
      "list",
      "watch",
      "update",
      "patch",
      "delete",
      "deletecollection",
    ]),
  );
  if (hasStatusResource) {
    expect(verbsOf(`${endpoint.plural}/status`)).toEqual(expect.arrayContaining(["get", "update", "patch"]));
  }
}

/** Reading, patching and updating the status sub-resource, each seen by the next read; the spec stays. */
export async function hasStatus(endpoint: Endpoint, name: string, status: object): Promise<void> {
  const before = await endpoint.get(name, "status");
  await endpoint.patch(name, { metadata: { annotations: { "status-patched": "true" } }, status }, "status");
  const patched = await endpoint.get(name);
  expect(patched.status).toMatchObject(status);
  expect(patched.metadata.annotations).toMatchObject({ "status-patched": "true" });
  await updateLatest(
    endpoint,
    name,
    (found) => ({
      ...found,
      metadata: {
        ...found.metadata,
        annotations: { ...found.metadata.annotations, "status-updated": "true" },
      },
      status: { ...found.status, ...status },
    }),
    "status",
  );
  const updated = await endpoint.get(name, "status");
  expect(updated.status).toMatchObject(status);
  expect(updated.metadata.annotations).toMatchObject({ "status-updated": "true" });
  expect(updated.spec).toEqual(before.spec);
}

/** Controllers write too: on a conflict the change is made again, on what is there then. */
export async function updateLatest(
  endpoint: Endpoint,
  name: string,
  change: (found: Found) => object,
  subresource?: string,
): Promise<Found> {
  for (;;) {
    try {
      return await endpoint.update(change(await endpoint.get(name, subresource)), subresource);
    } catch (error) {
      if ((error as { status?: { reason?: string } }).status?.reason !== "Conflict") throw error;
    }
  }
}

/** Objects that a selector finds are listed and deleted together, and others stay. */
export async function listsAndDeletesCollection(
  world: World,
  { gvr, namespace, make }: Operations,
): Promise<void> {
  const endpoint = new Endpoint(world, gvr, namespace);
  const labelled = make("chosen");
  await endpoint.create({
    ...labelled,
    metadata: { ...labelled.metadata, labels: { special: "yes" } },
  } as Sent);
  await endpoint.create(make("other"));
  expect((await endpoint.list(selector)).items).toHaveLength(1);
  await endpoint.deleteCollection(selector);
  await world.wait("they are gone", async () => (await endpoint.list(selector)).items.length === 0, 120_000);
  expect(await endpoint.find(make("other").metadata.name ?? "")).toBeDefined();
}

/** The scale of a workload can be read, updated and patched, and the workload follows. */
export async function hasScale(world: World, { gvr, namespace, make }: Operations): Promise<void> {
  const endpoint = new Endpoint(world, gvr, namespace);
  const made = await endpoint.create(make("scaled"));
  const { name } = made.metadata;
  const ready = (count: number) => async () => (await endpoint.get(name)).status?.readyReplicas === count;
  await world.wait("one replica is ready", ready(1), 120_000);
  const scale = await endpoint.get(name, "scale");
  expect(scale).toMatchObject({ kind: "Scale", spec: { replicas: 1 }, status: { replicas: 1 } });
  await endpoint.update(
    { ...scale, metadata: { ...scale.metadata, resourceVersion: "" }, spec: { replicas: 2 } },
    "scale",
  );
  expect((await endpoint.get(name)).spec.replicas).toBe(2);
  await world.wait("two replicas are ready", ready(2), 120_000);
  await endpoint.patch(name, { spec: { replicas: 4 } }, "scale");
  expect((await endpoint.get(name)).spec.replicas).toBe(4);
  await world.wait("four replicas are ready", ready(4), 120_000);
}
