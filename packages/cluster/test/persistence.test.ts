import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { isExpired } from "@bowline/api";
import { Deployment } from "@bowline/api/apps/v1";
import { ConfigMap, Pod } from "@bowline/api/core/v1";
import { type Client, createClient } from "@bowline/client";
import { type Cluster, createCluster } from "@bowline/cluster";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const clientOf = (cluster: Cluster): Client =>
  createClient({ transport: cluster.transport(), fieldManager: "test" });
const map = (name: string, value: string) => ({ metadata: { name, namespace: "default" }, data: { value } });

describe("a cluster with a data folder", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), "bowline-cluster-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it("has all of its objects again after a restart, under the same versions", async () => {
    const first = await createCluster({ data: folder, controllers: false });
    await clientOf(first).create(ConfigMap, map("kept", "1"));
    const before = await clientOf(first).list(ConfigMap);
    await first.close();
    const second = await createCluster({ data: folder, controllers: false });
    expect((await clientOf(second).list(ConfigMap)).items).toEqual(before.items);
    const written = await clientOf(second).create(ConfigMap, map("later", "2"));
    expect(Number(written.metadata.resourceVersion)).toBeGreaterThan(Number(before.metadata.resourceVersion));
    await second.close();
  });

  it("answers a watch from before the restart with 410", async () => {
    const first = await createCluster({ data: folder, controllers: false });
    const { metadata } = await clientOf(first).create(ConfigMap, map("kept", "1"));
    await first.close();
    const second = await createCluster({ data: folder, controllers: false });
    const follow = async (): Promise<void> => {
      const watch = await clientOf(second).watch(ConfigMap, {
        resourceVersion: metadata.resourceVersion ?? "",
      });
      for await (const _event of watch) return;
    };
    await expect(follow()).rejects.toSatisfy(isExpired);
    await second.close();
  });

  it("goes on with what its controllers had begun", async () => {
    const first = await createCluster({ data: folder, controllers: false });
    const labels = { app: "web" };
    await clientOf(first).create(Deployment, {
      metadata: { name: "web", namespace: "default" },
      spec: {
        replicas: 2,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "nginx" }] } },
      },
    });
    await first.close();
    const second = await createCluster({ data: folder });
    const watch = await clientOf(second).watch(Deployment, { namespace: "default" });
    for await (const event of watch) {
      if (event.type !== "BOOKMARK" && event.object.status?.readyReplicas === 2) break;
    }
    await second.close();
    const third = await createCluster({ data: folder });
    const pods = await clientOf(third).list(Pod, { namespace: "default" });
    expect(pods.items.map((pod) => pod.status?.phase)).toEqual(["Running", "Running"]);
    await third.close();
  });

  it("keeps its certificates, so that a kubeconfig goes on working", async () => {
    const first = await createCluster({ data: folder, controllers: false });
    const before = await first.listen();
    await first.close();
    const second = await createCluster({ data: folder, controllers: false });
    const after = await second.listen();
    expect(after.certificateAuthority).toBe(before.certificateAuthority);
    await second.close();
  });
});

describe("Cluster.restore", () => {
  it("goes back to a snapshot in place", async () => {
    const cluster = await createCluster({ controllers: false });
    const client = clientOf(cluster);
    await client.create(ConfigMap, map("kept", "1"));
    const snapshot = cluster.snapshot();
    await client.patch(
      ConfigMap,
      { name: "kept", namespace: "default" },
      { merge: { data: { value: "2" } } },
    );
    await client.create(ConfigMap, map("added", "1"));
    cluster.restore(snapshot);
    const { items } = await client.list(ConfigMap, { namespace: "default" });
    expect(items.map((item) => [item.metadata.name, item.data?.["value"]])).toEqual([["kept", "1"]]);
    await cluster.close();
  });
});
