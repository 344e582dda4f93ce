import { createHash } from "node:crypto";
import { isForbidden } from "@bowline/api";
import { ClusterRoleBinding } from "@bowline/api/rbac/v1";
import { CustomResourceDefinition } from "@bowline/api/apiextensions/v1";
import { ConfigMap } from "@bowline/api/core/v1";
import {
  type Client,
  type Transport,
  createClient,
  createHttpTransport,
  connectionFromKubeconfig,
} from "@bowline/client";
import { type Cluster, createCluster } from "@bowline/cluster";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const path = "/bowline/snapshot";
const clientOf = (transport: Transport): Client => createClient({ transport, fieldManager: "test" });

async function snapshotOf(transport: Transport): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of await transport.stream({ method: "GET", path })) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Text that does not compress well, the same for the same seed. */
const noise = (seed: number): string =>
  createHash("shake256", { outputLength: 675_000 }).update(String(seed)).digest("base64");

/** A definition is served soon after it is stored. */
async function served(transport: Transport, path: string): Promise<void> {
  const isServed = (): Promise<boolean> =>
    transport.request({ method: "GET", path }).then(
      () => true,
      () => false,
    );
  await expect.poll(isServed).toBe(true);
}

describe("/bowline/snapshot", () => {
  let cluster: Cluster;
  beforeEach(async () => {
    cluster = await createCluster({ controllers: false });
  });
  afterEach(() => cluster.close());

  it("is for system:masters only, whatever the roles say", async () => {
    await clientOf(cluster.transport()).create(ClusterRoleBinding, {
      metadata: { name: "ann" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
      subjects: [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "ann" }],
    });
    const ann = cluster.transport({ user: { name: "ann", groups: [] } });
    await expect(snapshotOf(ann)).rejects.toSatisfy(isForbidden);
    const body = await snapshotOf(cluster.transport());
    await expect(ann.request({ method: "PUT", path, body })).rejects.toThrow(
      "only the group system:masters may",
    );
    await expect(cluster.transport().request({ method: "DELETE", path })).rejects.toMatchObject({
      code: 405,
    });
  });

  it("brings custom kinds and their objects into another cluster, over the network", async () => {
    const admin = clientOf(cluster.transport());
    const names = { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" };
    const schema = {
      openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    } as const;
    await admin.create(CustomResourceDefinition, {
      metadata: { name: "widgets.example.com" },
      spec: {
        group: "example.com",
        scope: "Namespaced",
        names,
        versions: [{ name: "v1", served: true, storage: true, schema }],
      },
    });
    const widgets = "/apis/example.com/v1/namespaces/default/widgets";
    const widget = {
      apiVersion: "example.com/v1",
      kind: "Widget",
      metadata: { name: "one" },
      spec: { size: 3 },
    };
    const transport = cluster.transport();
    await served(transport, widgets);
    await transport.request({ method: "POST", path: widgets, body: widget });
    // more than a body elsewhere may have, and not to be compressed
    for (let index = 0; index < 6; index++) {
      const data = { noise: noise(index) };
      await admin.create(ConfigMap, { metadata: { name: `noise-${index}`, namespace: "default" }, data });
    }
    const body = await snapshotOf(transport);
    expect(body.length).toBeGreaterThan(3 * 1024 * 1024);

    const other = await createCluster({ controllers: false });
    const { kubeconfig } = await other.listen();
    const connection = await connectionFromKubeconfig(kubeconfig);
    const remote = createHttpTransport(connection);
    await remote.request({ method: "PUT", path, body });
    await served(remote, widgets);
    const found = await remote.request({ method: "GET", path: `${widgets}/one` });
    expect(found.body).toMatchObject({ spec: { size: 3 } });
    await remote.close();
    await other.close();
  });
});
