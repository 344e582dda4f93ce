import { isAlreadyExists, isConflict, isExpired, isInvalid, isNotFound } from "@bowline/api";
import { Deployment } from "@bowline/api/apps/v1";
import { ConfigMap, Namespace, Pod } from "@bowline/api/core/v1";
import {
  type Client,
  createClient,
  createHttpTransport,
  createOrPatch,
  createOrUpdate,
  fixedCredentials,
  getScale,
  type ReadOf,
  type WriteOf,
  metadataOnly,
  setScale,
} from "@bowline/client";
import { afterEach, describe, expect, it } from "vitest";
import { type Cluster, createCluster } from "../src/cluster.ts";

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function inProcess(): Promise<{ client: Client; cluster: Cluster }> {
  const cluster = await createCluster({ controllers: false });
  closers.push(() => cluster.close());
  return { client: createClient({ transport: cluster.transport(), fieldManager: "test" }), cluster };
}

async function overHttps(): Promise<{ client: Client; cluster: Cluster }> {
  const cluster = await createCluster({ controllers: false });
  const { url, certificateAuthority: ca, token } = await cluster.listen();
  const credentials = fixedCredentials({ authorization: `Bearer ${token}` });
  const transport = createHttpTransport({
    server: url,
    ca,
    credentials,
    namespace: "default",
    origin: "test",
  });
  closers.push(
    () => cluster.close(),
    () => transport.close(),
  );
  return { client: createClient({ transport, fieldManager: "test" }), cluster };
}

const key = { namespace: "default", name: "web" };
const labels = { app: "web" };
const deployment = {
  metadata: key,
  spec: {
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "main", image: "nginx" }] } },
  },
};

function failure(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe.each([
  ["in process", inProcess],
  ["over HTTPS", overHttps],
])("Client on the embedded cluster, %s", (_way, open) => {
  it("creates, reads, changes and deletes, with what the server makes of it", async () => {
    const { client } = await open();
    const created = await client.create(ConfigMap, { metadata: key, data: { a: "1" } });
    expect(created).toMatchObject({ apiVersion: "v1", kind: "ConfigMap", metadata: key, data: { a: "1" } });
    const again = await failure(client.create(ConfigMap, { metadata: key }));
    expect(isAlreadyExists(again)).toBe(true);
    const updated = await client.update(ConfigMap, { ...created, data: { a: "2" } });
    expect(updated.data).toEqual({ a: "2" });
    expect(isConflict(await failure(client.update(ConfigMap, { ...created, data: { a: "3" } })))).toBe(true);
    const patched = await client.patch(ConfigMap, updated, { merge: { data: { b: "4" } } });
    expect(patched.data).toEqual({ a: "2", b: "4" });
    const removed = await client.patch(ConfigMap, key, { json: [{ op: "remove", path: "/data/a" }] });
    expect(removed.data).toEqual({ b: "4" });
    const locked = client.patch(ConfigMap, key, { merge: { data: { c: "5" } } }, { resourceVersion: "1" });
    expect(isConflict(await failure(locked))).toBe(true);
    const misnamed = client.create(ConfigMap, { metadata: { ...key, name: "Not_Allowed" } });
    expect(isInvalid(await failure(misnamed))).toBe(true);
    expect(
      isConflict(await failure(client.delete(ConfigMap, key, { preconditions: { uid: "other" } }))),
    ).toBe(true);
    await client.delete(ConfigMap, key, { preconditions: { uid: patched.metadata.uid ?? "" } });
    expect(await client.find(ConfigMap, key)).toBeUndefined();
    expect(isNotFound(await failure(client.get(ConfigMap, key)))).toBe(true);
  });

  it("applies server-side, answers conflicts, and changes nothing in a dry run", async () => {
    const { client } = await open();
    const applied = await client.apply(ConfigMap, { metadata: key, data: { a: "1", b: "1" } });
    const again = await client.apply(ConfigMap, { metadata: key, data: { a: "1", b: "1" } });
    expect(again.metadata.resourceVersion).toBe(applied.metadata.resourceVersion);
    const other = client.withDefaults({ fieldManager: "other" });
    expect(isConflict(await failure(other.apply(ConfigMap, { metadata: key, data: { a: "2" } })))).toBe(true);
    const dry = other.withDefaults({ dryRun: true });
    const forced = await dry.apply(ConfigMap, { metadata: key, data: { a: "2" } }, { force: true });
    expect(forced.data).toEqual({ a: "2", b: "1" });
    expect((await client.get(ConfigMap, key)).data).toEqual({ a: "1", b: "1" });
    expect((await client.apply(ConfigMap, { metadata: key, data: { a: "1" } })).data).toEqual({ a: "1" });
  });

  it("lists with selectors, in pages, as metadata, and gives every item its kind", async () => {
    const { client } = await open();
    const team = client.withDefaults({ namespace: "default" });
    for (let index = 0; index < 7; index++) {
      await team.create(ConfigMap, {
        metadata: { name: `m${index}`, labels: { even: String(index % 2 === 0) } },
      });
    }
    const even = await team.list(ConfigMap, { labelSelector: { matchLabels: { even: "true" } } });
    expect(even.items.map((item) => `${item.apiVersion} ${item.kind} ${item.metadata.name}`)).toEqual([
      "v1 ConfigMap m0",
      "v1 ConfigMap m2",
      "v1 ConfigMap m4",
      "v1 ConfigMap m6",
    ]);
    const one = await client.list(ConfigMap, { fieldSelector: { "metadata.name": "m3" } });
    expect(one.items).toHaveLength(1);
    const sizes: number[] = [];
    for await (const page of team.pages(ConfigMap, { pageSize: 3 })) sizes.push(page.items.length);
    expect(sizes).toEqual([3, 3, 1]);
    const metadata = await team.list(metadataOnly(ConfigMap), { labelSelector: "even=false" });
    expect(metadata.items.map((item) => `${item.kind} ${item.metadata.name}`)).toEqual([
      "PartialObjectMetadata m1",
      "PartialObjectMetadata m3",
      "PartialObjectMetadata m5",
    ]);
    await team.deleteAllOf(ConfigMap, { labelSelector: "even=true" });
    expect((await team.list(ConfigMap)).items).toHaveLength(3);
  });

  it("watches from a list on, streams initial events, and reports an expired version", async () => {
    const { client, cluster } = await open();
    const list = await client.list(ConfigMap);
    await client.create(ConfigMap, { metadata: { ...key, name: "a" } });
    const controller = new AbortController();
    const { signal } = controller;
    const seen: string[] = [];
    for await (const event of await client.watch(ConfigMap, {
      resourceVersion: list.metadata.resourceVersion,
      signal,
    })) {
      seen.push(`${event.type} ${event.object.metadata.name}`);
      if (seen.length === 1) await client.delete(ConfigMap, { ...key, name: "a" });
      else break;
    }
    expect(seen).toEqual(["ADDED a", "DELETED a"]);
    await client.create(ConfigMap, { metadata: { ...key, name: "b" } });
    for await (const event of await client.watch(ConfigMap, { sendInitialEvents: true })) {
      if (event.type !== "BOOKMARK") continue;
      expect(event.object.metadata.annotations?.["k8s.io/initial-events-end"]).toBe("true");
      break;
    }
    cluster.compact();
    const expired = await failure(
      (async () => {
        for await (const _ of await client.watch(ConfigMap, {
          resourceVersion: list.metadata.resourceVersion,
        }));
      })(),
    );
    expect(isExpired(expired)).toBe(true);
  });

  it("works on kinds known by name alone, and says which are not served", async () => {
    const { client } = await open();
    const manifest = { apiVersion: "v1", kind: "Namespace", metadata: { name: "team-a" } };
    await client.apply(manifest, manifest);
    expect((await client.get(Namespace, { name: "team-a" })).metadata.name).toBe("team-a");
    expect(await client.mapper.kindFor({ resource: "deploy" })).toMatchObject({
      kind: "Deployment",
      group: "apps",
    });
    expect((await client.mapper.kinds()).map((kind) => kind.plural)).toContain("pods");
    const unknown = { apiVersion: "example.com/v1", kind: "Nothing" };
    await expect(client.find(unknown, key)).rejects.toThrow(
      "the server does not serve example.com/v1, Kind=Nothing",
    );
  });

  it("creates or updates, creates or patches, and scales", async () => {
    const { client } = await open();
    const wanted =
      (data: Record<string, string>) =>
      (current: ReadOf<typeof ConfigMap> | undefined): WriteOf<typeof ConfigMap> => ({
        ...(current ?? { metadata: key }),
        data,
      });
    expect((await createOrUpdate(client, ConfigMap, key, wanted({ a: "1" }))).result).toBe("created");
    expect((await createOrUpdate(client, ConfigMap, key, wanted({ a: "1" }))).result).toBe("unchanged");
    expect((await createOrUpdate(client, ConfigMap, key, wanted({ a: "2" }))).result).toBe("updated");
    const patched = await createOrPatch(client, ConfigMap, key, wanted({ b: "3" }));
    expect(patched).toMatchObject({ result: "updated", object: { data: { b: "3" } } });
    expect(patched.object.data).toEqual({ b: "3" });
    await client.create(Deployment, deployment);
    await setScale(client, Deployment, key, 5);
    expect((await getScale(client, Deployment, key)).spec?.replicas).toBe(5);
    expect((await client.get(Deployment, key)).spec?.replicas).toBe(5);
    expect((await client.list(Pod)).kind).toBe("PodList");
  });

  it("hears warnings about fields that the server does not know", async () => {
    const { client } = await open();
    const heard: string[] = [];
    const careful = client.withDefaults({ onWarning: (text) => void heard.push(text) });
    await careful.create(ConfigMap, { metadata: key, surprise: 1 } as WriteOf<typeof ConfigMap>);
    expect(heard).toEqual(['unknown field "surprise"']);
  });
});
