import { cpSync, mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { type DeepReadonly, type KubeObject, isExpired, isInvalid } from "@bowline/api";
import { Deployment } from "@bowline/api/apps/v1";
import { ConfigMap, Pod, Service } from "@bowline/api/core/v1";
import { Lease } from "@bowline/api/coordination/v1";
import { connectionFromKubeconfig, createClient, createHttpTransport, podExec } from "@bowline/client";
import { createCluster } from "@bowline/cluster";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type World, deploymentOf, newWorld } from "./controllers/world.ts";

const inDefault = { namespace: "default" } as const;

/** What comes after a world, by the way it goes on. */
type Way = (before: World, folder: string) => Promise<World>;

const restarted: Way = async (before, folder) => {
  await before.cluster.close();
  return newWorld({ data: folder, nodes: 2 });
};

/** What is on the disk at a moment is what a kill at that moment leaves: nothing is closed, nothing is flushed. */
const killed: Way = async (_before, folder) => {
  const left = path.join(folder, "..", "left");
  cpSync(folder, left, { recursive: true });
  return newWorld({ data: left, nodes: 2 });
};

/** Everything is deleted, and then put back. */
const putBack: Way = async (before) => {
  const snapshot = before.cluster.snapshot();
  await before.client.deleteAllOf(Deployment, inDefault);
  await before.client.deleteAllOf(Service, inDefault);
  await before.client.deleteAllOf(ConfigMap, inDefault);
  await before.client.deleteAllOf(Pod, { ...inDefault, gracePeriodSeconds: 0 });
  await before.pass(60_000);
  before.cluster.restore(snapshot);
  return before;
};

/** Into the file of `bowline cluster snapshot`, and out of it into a cluster of its own. */
const moved: Way = async (before) => {
  const at = "/bowline/snapshot";
  const chunks: Uint8Array[] = [];
  for await (const chunk of await before.client.transport.stream({ method: "GET", path: at }))
    chunks.push(chunk);
  const after = await newWorld({ nodes: 2 });
  await after.client.transport.request({ method: "PUT", path: at, body: Buffer.concat(chunks) });
  return after;
};

function serviceOf(name: string, spec: object = {}): never {
  return {
    metadata: { name, ...inDefault },
    spec: { selector: { app: name }, ports: [{ port: 80 }], ...spec },
  } as never;
}

/** Without what a move to other versions changes. */
function content({ metadata, ...rest }: DeepReadonly<KubeObject>): object {
  const { resourceVersion: _version, ...kept } = metadata;
  return { ...rest, metadata: kept };
}

async function addresses(world: World): Promise<Map<string, string>> {
  const pods = await world.list(Pod, inDefault);
  return new Map(pods.map((pod) => [pod.metadata.name ?? "", pod.status?.podIP ?? ""]));
}

describe.each<[string, Way, { keepsVersions: boolean }]>([
  ["after a restart", restarted, { keepsVersions: true }],
  ["after a kill", killed, { keepsVersions: true }],
  ["after a restore in place", putBack, { keepsVersions: false }],
  ["in another cluster, after snapshot and restore", moved, { keepsVersions: false }],
])("A cluster %s", (_name, way, { keepsVersions }) => {
  let root: string;
  let folder: string;
  beforeEach(() => {
    root = mkdtempSync(path.join(os.tmpdir(), "bowline-restart-"));
    folder = path.join(root, "data");
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it("leaves pods their addresses, and gives fresh ones to others", async () => {
    const before = await newWorld({ data: folder, nodes: 2 });
    await before.client.create(Deployment, deploymentOf("web", { replicas: 6 }) as never);
    await before.wait("pods run", async () => {
      const known = await addresses(before);
      return known.size === 6 && [...known.values()].every((ip) => ip !== "");
    });
    // bound, and not come to yet
    for (const node of ["node-1", "node-2"]) before.cluster.nodes.fail(node);
    for (const name of ["aaa", "zzz"]) {
      const spec = { nodeName: "node-1", containers: [{ name: "c", image: "i" }] };
      await before.client.create(Pod, { metadata: { name, ...inDefault }, spec } as never);
    }
    await before.quiet();
    const known = await addresses(before);
    expect([known.get("aaa"), known.get("zzz")]).toEqual(["", ""]);

    const after = await way(before, folder);
    for (const node of ["node-1", "node-2"]) await after.cluster.nodes.recover(node);
    await after.client.patch(
      Deployment,
      { name: "web", ...inDefault },
      { merge: { spec: { replicas: 12 } } },
    );
    await after.wait("all pods run", async () => {
      const pods = await after.list(Pod, inDefault);
      return pods.length === 14 && pods.every(({ status }) => status?.phase === "Running");
    });
    const now = await addresses(after);
    for (const [name, address] of known) if (address !== "") expect(now.get(name)).toBe(address);
    expect(new Set(now.values()).size).toBe(14);
    expect([...now.values()]).not.toContain("");
    // they are run, and not only shown
    const [pod = ""] = known.keys();
    const { exitCode } = await podExec(after.client, { name: pod, ...inDefault }, { command: ["true"] });
    expect(exitCode).toBe(0);
    expect(after.errors).toEqual([]);
  });

  it("leaves services their addresses and ports, and gives fresh ones to others", async () => {
    const before = await newWorld({ data: folder, nodes: 2, controllers: false });
    for (let at = 0; at < 3; at++) {
      await before.client.create(Service, serviceOf(`plain-${at}`));
      await before.client.create(Service, serviceOf(`open-${at}`, { type: "NodePort" }));
    }
    const read = async (world: World): Promise<Map<string, object>> =>
      new Map(
        (await world.list(Service, inDefault)).map((service) => [
          service.metadata.name ?? "",
          content(service),
        ]),
      );
    const known = await read(before);

    const after = await way(before, folder);
    const now = await read(after);
    for (const [name, service] of known) if (name !== "kubernetes") expect(now.get(name)).toEqual(service);
    for (let at = 0; at < 3; at++)
      await after.client.create(Service, serviceOf(`later-${at}`, { type: "NodePort" }));
    const all = await after.list(Service, inDefault);
    const ips = all.map(({ spec }) => spec?.clusterIP);
    const ports = all
      .flatMap(({ spec }) => spec?.ports?.map(({ nodePort }) => nodePort) ?? [])
      .filter(Boolean);
    expect(new Set(ips).size).toBe(all.length);
    expect(new Set(ports).size).toBe(6);
    const taken = all.find(({ metadata }) => metadata.name === "open-1")?.spec;
    const asking = (spec: object): Promise<unknown> =>
      after.client.create(Service, serviceOf("greedy", spec));
    await expect(asking({ clusterIP: taken?.clusterIP })).rejects.toSatisfy(isInvalid);
    await expect(
      asking({ type: "NodePort", ports: [{ port: 80, nodePort: taken?.ports?.[0]?.nodePort }] }),
    ).rejects.toSatisfy(isInvalid);
  });

  it("leaves objects as they were, and goes on counting versions", async () => {
    const before = await newWorld({ data: folder, nodes: 2, controllers: false });
    const { client } = before;
    const key = { name: "kept", ...inDefault };
    await client.apply(ConfigMap, { metadata: key, data: { a: "1" } } as never, { fieldManager: "one" });
    await client.apply(ConfigMap, { metadata: key, data: { b: "2" } } as never, { fieldManager: "two" });
    await client.create(Lease, {
      metadata: key,
      spec: { holderIdentity: "me", leaseDurationSeconds: 15 },
    } as never);
    const map = await client.get(ConfigMap, key);
    const lease = await client.get(Lease, key);
    const { metadata: list } = await client.list(ConfigMap, inDefault);

    const after = await way(before, folder);
    const maps = await after.client.list(ConfigMap, inDefault);
    const same = keepsVersions ? (object: DeepReadonly<KubeObject>): object => object : content;
    expect(same(await after.client.get(ConfigMap, key))).toEqual(same(map));
    expect(same(await after.client.get(Lease, key))).toEqual(same(lease));
    expect(Number(maps.metadata.resourceVersion)).toBeGreaterThanOrEqual(Number(list.resourceVersion));
    const next = await after.client.create(ConfigMap, { metadata: { name: "next", ...inDefault } } as never);
    const versionOf = ({ metadata }: DeepReadonly<KubeObject>): number => Number(metadata.resourceVersion);
    const stored = await after.list(ConfigMap, inDefault);
    expect(
      Math.max(...stored.filter(({ metadata }) => metadata.name !== "next").map(versionOf)),
    ).toBeLessThan(versionOf(next));
    // an update from before is good when nothing happened since, and a conflict otherwise
    const update = after.client.update(ConfigMap, { ...map, data: { a: "1", b: "3" } } as never);
    if (keepsVersions) expect((await update).data).toEqual({ a: "1", b: "3" });
    else await expect(update).rejects.toThrow("the object has been modified");
  });

  it("serves a watch from before, or says that it is too old", async () => {
    const before = await newWorld({ data: folder, nodes: 2, controllers: false });
    const first = await before.client.create(ConfigMap, { metadata: { name: "a", ...inDefault } } as never);
    await before.client.create(ConfigMap, { metadata: { name: "b", ...inDefault } } as never);
    const after = await way(before, folder);
    await after.client.create(ConfigMap, { metadata: { name: "c", ...inDefault } } as never);
    const seen: string[] = [];
    const follow = async (): Promise<void> => {
      const resourceVersion = first.metadata.resourceVersion ?? "";
      const watch = await after.client.watch(ConfigMap, { ...inDefault, resourceVersion });
      for await (const { type, object } of watch) {
        seen.push(`${type} ${(object as KubeObject).metadata.name}`);
        if (seen.at(-1) === "ADDED c") return;
      }
    };
    const outcome = await follow().then(
      () => "served",
      (error: unknown) => (isExpired(error) ? "expired" : error),
    );
    // never a stream with a gap
    if (outcome === "served") expect(seen).toContain("ADDED b");
    else expect([outcome, seen]).toEqual(["expired", []]);
  });
});

describe("What was given out before a restart", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), "bowline-restart-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it("is still good: kubeconfigs, certificates of other users, tokens of service accounts, leases", async () => {
    const first = await createCluster({ data: folder, nodes: 0 });
    const listening = await first.listen();
    const { url, port } = listening;
    const kubeconfigs = [
      listening.kubeconfig,
      listening.kubeconfigFor({ name: "ann", groups: ["system:masters"] }),
    ];
    const path_ = "/api/v1/namespaces/default/serviceaccounts/default/token";
    const { body } = await first.transport().request<{ status: { token: string } }>({
      method: "POST",
      path: path_,
      body: {
        apiVersion: "authentication.k8s.io/v1",
        kind: "TokenRequest",
        spec: { expirationSeconds: 3600 },
      },
    });
    await first.close();

    const second = await createCluster({ data: folder, nodes: 0 });
    // another address, as a developer's command line may name one
    await second.listen({ host: "127.0.0.2" });
    const again = await second.listen({ port });
    expect(again.url).toBe(url);
    const whoami = async (kubeconfig: string): Promise<string> => {
      const transport = createHttpTransport(await connectionFromKubeconfig(kubeconfig));
      const review = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
      const { body: answer } = await transport.request<{ status: { userInfo: { username: string } } }>({
        method: "POST",
        path: "/apis/authentication.k8s.io/v1/selfsubjectreviews",
        body: review,
      });
      await transport.close();
      return answer.status.userInfo.username;
    };
    expect(await Promise.all(kubeconfigs.map(whoami))).toEqual(["kubernetes-admin", "ann"]);
    const { token } = body.status;
    const account = listening.kubeconfig
      .replace(/client-certificate-data: .*\n/, "")
      .replace(/client-key-data: .*/, `token: ${token}`);
    expect(await whoami(account)).toBe("system:serviceaccount:default:default");
    const client = createClient({ transport: second.transport() });
    const review = await client.transport.request<{ status: { authenticated: boolean } }>({
      method: "POST",
      path: "/apis/authentication.k8s.io/v1/tokenreviews",
      body: { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", spec: { token } },
    });
    expect(review.body.status.authenticated).toBe(true);
    await second.close();
  });

  it("is the authority, also when the first of the second run is a signer", async () => {
    const first = await createCluster({ data: folder, nodes: 0 });
    const { certificateAuthority } = await first.listen({ host: "127.0.0.2" });
    await first.close();
    const second = await createCluster({ data: folder, nodes: 0 });
    const again = await second.listen();
    expect(again.certificateAuthority).toBe(certificateAuthority);
    const there = await second.listen({ host: "127.0.0.3" });
    expect(there.certificateAuthority).toBe(certificateAuthority);
    const connection = await connectionFromKubeconfig(there.kubeconfig);
    const transport = createHttpTransport(connection);
    expect((await transport.request({ method: "GET", path: "/readyz" })).status).toBe(200);
    await transport.close();
    await second.close();
  });
});
