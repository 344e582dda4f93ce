import type { Transport } from "@bowline/client";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Cluster, createCluster } from "../src/cluster.ts";
import { refusal } from "./server/collection.ts";

const core = "/api/v1/namespaces/default";
const labels = { "kubernetes.io/hostname": "n1", "node.kubernetes.io/x": "y", team: "a" };

let cluster: Cluster;
let admin: Transport;
let node: Transport;

beforeEach(async () => {
  // who may ask at all is another question
  cluster = await createCluster({ controllers: false, authorization: "AlwaysAllow" });
  admin = cluster.transport();
  node = cluster.transport({ user: { name: "system:node:n1", groups: ["system:nodes"] } });
  for (const name of ["n1", "n2"]) await send(admin, "POST", "/api/v1/nodes", { metadata: { name, labels } });
  for (const name of ["n1", "n2"]) {
    await send(admin, "POST", `${core}/pods`, {
      metadata: { name: `on-${name}` },
      spec: { nodeName: name, containers: [{ name: "c", image: "i" }] },
    });
  }
  await send(admin, "POST", `${core}/serviceaccounts`, { metadata: { name: "robot" } });
});
afterEach(() => cluster.close());

interface Stored {
  readonly metadata: { readonly uid: string };
}

async function send(
  by: Transport,
  method: "GET" | "POST" | "PATCH" | "DELETE",
  path: string,
  body?: object,
): Promise<Stored> {
  const headers = method === "PATCH" ? { "content-type": "application/merge-patch+json" } : {};
  return (await by.request<Stored>({ method, path, headers, body: body as never })).body;
}

const lease = (namespace: string): string => `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
const mirror = (name: string, metadata: object, nodeName = "n1"): object => ({
  metadata: { name, ...metadata },
  spec: { nodeName, containers: [{ name: "c", image: "i" }] },
});
const isMirror = { annotations: { "kubernetes.io/config.mirror": "x" } };

describe("NodeRestriction", () => {
  it.each<["POST" | "PATCH" | "DELETE", string, object | undefined, string]>([
    [
      "PATCH",
      "/api/v1/nodes/n2",
      { metadata: { labels: { a: "b" } } },
      'node "n1" is not allowed to modify node "n2"',
    ],
    ["DELETE", "/api/v1/nodes/n2", undefined, 'node "n1" is not allowed to modify node "n2"'],
    [
      "PATCH",
      "/api/v1/nodes/n1",
      { spec: { taints: [{ key: "a", effect: "NoSchedule" }] } },
      'node "n1" is not allowed to modify taints',
    ],
    [
      "PATCH",
      "/api/v1/nodes/n1",
      {
        metadata: {
          labels: { "node-role.kubernetes.io/master": "", "node-restriction.kubernetes.io/a": "b" },
        },
      },
      "is not allowed to modify labels: node-restriction.kubernetes.io/a, node-role.kubernetes.io/master",
    ],
    [
      "DELETE",
      `${core}/pods/on-n2`,
      undefined,
      'node "n1" can only delete pods with spec.nodeName set to itself',
    ],
    [
      "PATCH",
      `${core}/pods/on-n2/status`,
      { status: { phase: "Running" } },
      'node "n1" can only update pod status for pods with spec.nodeName set to itself',
    ],
    [
      "PATCH",
      `${core}/pods/on-n1`,
      { metadata: { labels: { a: "b" } } },
      'unexpected operation "UPDATE", node "n1" can only create and delete mirror pods',
    ],
    [
      "POST",
      `${core}/pods`,
      mirror("plain", {}),
      'pod does not have "kubernetes.io/config.mirror" annotation, node "n1" can only create mirror pods',
    ],
    [
      "POST",
      `${core}/pods`,
      mirror("mirror", isMirror, "n2"),
      'node "n1" can only create pods with spec.nodeName set to itself',
    ],
    [
      "POST",
      `${core}/pods`,
      mirror("mirror", isMirror),
      'node "n1" can only create pods with an owner reference set to itself',
    ],
    [
      "POST",
      `${core}/pods/on-n2/eviction`,
      { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "on-n2" } },
      "node n1 can only evict pods with spec.nodeName set to itself",
    ],
    [
      "POST",
      lease("default"),
      { metadata: { name: "n1" } },
      'can only access leases in the "kube-node-lease" system namespace',
    ],
    [
      "POST",
      lease("kube-node-lease"),
      { metadata: { name: "n2" } },
      "can only access node lease with the same name as the requesting node",
    ],
    ["POST", `${core}/serviceaccounts/robot/token`, { spec: {} }, "node requested token not bound to a pod"],
    [
      "POST",
      `${core}/persistentvolumeclaims`,
      {
        metadata: { name: "c" },
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
      },
      "may only update PVC status",
    ],
  ])("refuses %s %s with %j", async (method, path, body, why) => {
    const refused = await refusal(send(node, method, path, body));
    expect(refused).toMatchObject({ code: 403, reason: "Forbidden" });
    expect(refused.message).toContain(`is forbidden: ${why}`);
    // others may, or are told something else
    if (method === "PATCH") await send(admin, method, path, body);
  });

  it("lets a node keep its own node, lease and pods", async () => {
    const { metadata } = await send(node, "PATCH", "/api/v1/nodes/n1", {
      metadata: { labels: { team: "b", "topology.kubernetes.io/zone": "z" } },
    });
    await send(node, "PATCH", "/api/v1/nodes/n1/status", { status: { phase: "Running" } });
    await send(node, "POST", lease("kube-node-lease"), { metadata: { name: "n1" } });
    await send(node, "PATCH", `${core}/pods/on-n1/status`, { status: { phase: "Running" } });
    const owner = { apiVersion: "v1", kind: "Node", name: "n1", uid: metadata.uid, controller: true };
    await send(node, "POST", `${core}/pods`, mirror("mirror", { ...isMirror, ownerReferences: [owner] }));
    await send(node, "DELETE", `${core}/pods/on-n1`);
  });

  it("lets nobody be a node without a name", async () => {
    const nameless = cluster.transport({ user: { name: "system:node:", groups: ["system:nodes"] } });
    expect(
      (await refusal(send(nameless, "POST", `${core}/configmaps`, { metadata: { name: "a" } }))).message,
    ).toContain('could not determine node from user "system:node:"');
  });

  it("can be switched off", async () => {
    await cluster.close();
    const disable = ["NodeRestriction"];
    cluster = await createCluster({
      controllers: false,
      authorization: "AlwaysAllow",
      admission: { disable },
    });
    const by = cluster.transport({ user: { name: "system:node:n1", groups: ["system:nodes"] } });
    await send(by, "POST", "/api/v1/nodes", { metadata: { name: "n2" } });
  });
});
