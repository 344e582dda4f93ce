import type { Transport } from "@bowline/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Cluster, createCluster } from "../src/cluster.ts";
import { refusal } from "./server/collection.ts";

const core = "/api/v1/namespaces/default";
const attachments = "/apis/storage.k8s.io/v1/volumeattachments";
const leases = "/apis/coordination.k8s.io/v1/namespaces";

let cluster: Cluster;
let admin: Transport;
let node: Transport;

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

async function send(by: Transport, method: Method, target: string, body?: object): Promise<unknown> {
  const headers = method === "PATCH" ? { "content-type": "application/merge-patch+json" } : {};
  const [path = "", text = ""] = target.split("?");
  const query = Object.fromEntries(new URLSearchParams(text));
  return (await by.request({ method, path, query, headers, body: body as never })).body;
}

/** A pod with everything that leads to other objects; each name says how. */
function pod(name: string, nodeName: string, more: object = {}): object {
  return {
    metadata: { name, ...more },
    spec: {
      nodeName,
      serviceAccountName: `account-${nodeName}`,
      imagePullSecrets: [{ name: `pull-${nodeName}` }],
      containers: [
        {
          name: "c",
          image: "i",
          env: [
            { name: "A", valueFrom: { secretKeyRef: { name: `env-${nodeName}`, key: "a" } } },
            { name: "B", valueFrom: { configMapKeyRef: { name: `env-${nodeName}`, key: "a" } } },
          ],
          envFrom: [
            { secretRef: { name: `from-${nodeName}` } },
            { configMapRef: { name: `from-${nodeName}` } },
          ],
        },
      ],
      volumes: [
        { name: "s", secret: { secretName: `mounted-${nodeName}` } },
        { name: "c", configMap: { name: `mounted-${nodeName}` } },
        {
          name: "p",
          projected: {
            sources: [
              { secret: { name: `projected-${nodeName}` } },
              { configMap: { name: `projected-${nodeName}` } },
            ],
          },
        },
        { name: "claim", persistentVolumeClaim: { claimName: `claim-${nodeName}` } },
        { name: "own", ephemeral: { volumeClaimTemplate: { spec: claimSpec } } },
      ],
    },
  };
}

const claimSpec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };

function volume(nodeName: string): object {
  const ref = (name: string) => ({ name: `${name}-${nodeName}`, namespace: "drivers" });
  return {
    metadata: { name: `volume-${nodeName}` },
    spec: {
      capacity: { storage: "1Gi" },
      accessModes: ["ReadWriteOnce"],
      claimRef: { namespace: "default", name: `claim-${nodeName}` },
      csi: {
        driver: "d",
        volumeHandle: "h",
        nodePublishSecretRef: ref("publish"),
        controllerPublishSecretRef: ref("controller"),
      },
    },
  };
}

beforeAll(async () => {
  cluster = await createCluster({ controllers: false, admission: { disable: ["ServiceAccount"] } });
  admin = cluster.transport();
  node = cluster.transport({ user: { name: "system:node:n1", groups: ["system:nodes"] } });
  await send(admin, "POST", "/api/v1/namespaces", { metadata: { name: "drivers" } });
  for (const name of ["n1", "n2"]) {
    await send(admin, "POST", "/api/v1/nodes", { metadata: { name } });
    await send(admin, "POST", `${core}/serviceaccounts`, { metadata: { name: `account-${name}` } });
    await send(admin, "POST", `${core}/pods`, pod(`on-${name}`, name));
    await send(admin, "POST", `${core}/persistentvolumeclaims`, {
      metadata: { name: `claim-${name}` },
      spec: claimSpec,
    });
    await send(admin, "POST", "/api/v1/persistentvolumes", volume(name));
    for (const kind of ["pull", "env", "from", "mounted", "projected"]) {
      await send(admin, "POST", `${core}/secrets`, { metadata: { name: `${kind}-${name}` } });
      await send(admin, "POST", `${core}/configmaps`, { metadata: { name: `${kind}-${name}` } });
    }
    for (const kind of ["publish", "controller"])
      await send(admin, "POST", "/api/v1/namespaces/drivers/secrets", {
        metadata: { name: `${kind}-${name}` },
      });
    const spec = { attacher: "d", nodeName: name, source: { persistentVolumeName: `volume-${name}` } };
    await send(admin, "POST", attachments, { metadata: { name: `attachment-${name}` }, spec });
  }
});
afterAll(() => cluster.close());

describe("The node authorizer", () => {
  it.each<[Method, string, object?]>([
    ["GET", `${core}/pods/on-n1`],
    ["GET", "/api/v1/pods?fieldSelector=spec.nodeName=n1"],
    ["GET", "/api/v1/nodes/n1"],
    ["GET", "/api/v1/nodes?fieldSelector=metadata.name=n1"],
    ["PATCH", "/api/v1/nodes/n1/status", {}],
    ["GET", `${core}/secrets/pull-n1`],
    ["GET", `${core}/secrets/env-n1`],
    ["GET", `${core}/secrets/from-n1`],
    ["GET", `${core}/secrets/mounted-n1`],
    ["GET", `${core}/secrets/projected-n1`],
    ["GET", `${core}/secrets?fieldSelector=metadata.name=env-n1`],
    ["GET", "/api/v1/namespaces/drivers/secrets/publish-n1"],
    ["GET", `${core}/configmaps/env-n1`],
    ["GET", `${core}/configmaps/from-n1`],
    ["GET", `${core}/configmaps/mounted-n1`],
    ["GET", `${core}/configmaps/projected-n1`],
    ["GET", `${core}/persistentvolumeclaims/claim-n1`],
    ["GET", "/api/v1/persistentvolumes/volume-n1"],
    ["GET", `${attachments}/attachment-n1`],
    ["POST", `${leases}/kube-node-lease/leases`, { metadata: { name: "n1" }, spec: {} }],
    ["GET", `${leases}/kube-node-lease/leases/n1`],
    ["GET", "/api/v1/services"],
  ])("lets a node %s %s", async (method, target, body) => {
    await send(node, method, target, body);
  });

  const unrelated = "no relationship found between node 'n1' and this object";
  it.each<[Method, string, string, object?]>([
    ["GET", `${core}/pods/on-n2`, unrelated],
    ["GET", `${core}/pods`, "can only list/watch pods with spec.nodeName field selector"],
    [
      "GET",
      "/api/v1/pods?fieldSelector=spec.nodeName=n2",
      "can only list/watch pods with spec.nodeName field selector",
    ],
    ["GET", "/api/v1/nodes/n2", "node 'n1' cannot read 'n2', only its own Node object"],
    ["GET", "/api/v1/nodes", "node 'n1' cannot read all nodes, only its own Node object"],
    ["GET", `${core}/secrets/mounted-n2`, unrelated],
    ["GET", `${core}/secrets/missing`, unrelated],
    ["GET", `${core}/secrets`, "No Object name found"],
    ["GET", "/api/v1/secrets", "can only read namespaced object of this type"],
    ["DELETE", `${core}/secrets/mounted-n1`, "can only read resources of this type"],
    ["GET", "/api/v1/namespaces/drivers/secrets/controller-n1", unrelated],
    ["GET", "/api/v1/namespaces/drivers/secrets/publish-n2", unrelated],
    ["GET", `${core}/configmaps/mounted-n2`, unrelated],
    ["GET", `${core}/persistentvolumeclaims/claim-n2`, unrelated],
    ["GET", `${core}/persistentvolumeclaims`, "can only get individual resources of this type"],
    ["GET", "/api/v1/persistentvolumes/volume-n2", unrelated],
    ["GET", `${attachments}/attachment-n2`, unrelated],
    ["POST", `${core}/serviceaccounts/account-n2/token`, unrelated, { spec: {} }],
    ["GET", `${core}/serviceaccounts/account-n1`, "can only create tokens for individual service accounts"],
    [
      "GET",
      `${leases}/default/leases/n1`,
      'can only access leases in the "kube-node-lease" system namespace',
    ],
    [
      "GET",
      `${leases}/kube-node-lease/leases/n2`,
      "can only access node lease with the same name as the requesting node",
    ],
    [
      "GET",
      `${leases}/kube-node-lease/leases`,
      "can only get, create, update, patch, or delete a node lease",
    ],
    [
      "GET",
      "/apis/storage.k8s.io/v1/csinodes/n2",
      "can only access CSINode with the same name as the requesting node",
    ],
    [
      "GET",
      "/apis/resource.k8s.io/v1/resourceslices",
      "can only list/watch/deletecollection resourceslices with nodeName field selector",
    ],
  ])("refuses a node %s %s", async (method, target, why, body) => {
    const refused = await refusal(send(node, method, target, body));
    expect(refused.code).toBe(403);
    expect(refused.message).toMatch(/^[a-z.]+.* is forbidden: User "system:node:n1" cannot /);
    expect(refused.message.endsWith(`: ${why}`)).toBe(true);
  });

  it("says nothing of why for what no node may do", async () => {
    const { message } = await refusal(send(node, "GET", "/apis/apps/v1/deployments"));
    expect(message).toBe(
      'deployments.apps is forbidden: User "system:node:n1" cannot list resource "deployments" in API group "apps" at the cluster scope',
    );
  });

  it("follows pods as they come and go", async () => {
    await send(admin, "POST", `${core}/secrets`, { metadata: { name: "late" } });
    const read = (): Promise<unknown> => send(node, "GET", `${core}/secrets/late`);
    await expect(read()).rejects.toThrow("no relationship found");
    const spec = {
      nodeName: "n1",
      containers: [{ name: "c", image: "i", envFrom: [{ secretRef: { name: "late" } }] }],
    };
    await send(admin, "POST", `${core}/pods`, { metadata: { name: "late" }, spec });
    await read();
    await send(admin, "DELETE", `${core}/pods/late?gracePeriodSeconds=0`);
    await expect(read()).rejects.toThrow("no relationship found");
  });

  it("follows volumes as they are bound and let go", async () => {
    const path = "/api/v1/persistentvolumes";
    const claimRef = { namespace: "default", name: "claim-n1" };
    const spec = {
      capacity: { storage: "1Gi" },
      accessModes: ["ReadWriteOnce"],
      csi: { driver: "d", volumeHandle: "h", nodePublishSecretRef: { namespace: "drivers", name: "late" } },
    };
    await send(admin, "POST", "/api/v1/namespaces/drivers/secrets", { metadata: { name: "late" } });
    await send(admin, "POST", path, { metadata: { name: "late" }, spec });
    const volume = (): Promise<unknown> => send(node, "GET", `${path}/late`);
    const secret = (): Promise<unknown> => send(node, "GET", "/api/v1/namespaces/drivers/secrets/late");
    for (const read of [volume, secret]) await expect(read()).rejects.toThrow("no relationship found");
    await send(admin, "PATCH", `${path}/late`, { spec: { claimRef } });
    for (const read of [volume, secret]) await read();
    await send(admin, "PATCH", `${path}/late`, { spec: { claimRef: null } });
    for (const read of [volume, secret]) await expect(read()).rejects.toThrow("no relationship found");
  });

  it("takes nothing from a mirror pod, which the node itself has made", async () => {
    await send(admin, "POST", `${core}/secrets`, { metadata: { name: "wanted" } });
    const annotations = { "kubernetes.io/config.mirror": "x" };
    const spec = {
      nodeName: "n1",
      containers: [{ name: "c", image: "i", envFrom: [{ secretRef: { name: "wanted" } }] }],
    };
    await send(admin, "POST", `${core}/pods`, { metadata: { name: "mirror", annotations }, spec });
    await expect(send(node, "GET", `${core}/secrets/wanted`)).rejects.toThrow("no relationship found");
    await send(node, "GET", `${core}/pods/mirror`);
  });

  it("goes by name and group: one alone is an ordinary user", async () => {
    const other = cluster.transport({ user: { name: "system:node:n1", groups: [] } });
    await expect(send(other, "GET", `${core}/secrets/env-n1`)).rejects.toThrow(
      'User "system:node:n1" cannot get resource "secrets" in API group "" in the namespace "default"',
    );
    const nobody = cluster.transport({ user: { name: "system:node:", groups: ["system:nodes"] } });
    await expect(send(nobody, "GET", `${core}/secrets/env-n1`)).rejects.toThrow(
      'unknown node for user "system:node:"',
    );
  });

  it("lets roles grant what it does not", async () => {
    const rbac = "/apis/rbac.authorization.k8s.io/v1";
    const rules = [{ apiGroups: [""], resources: ["secrets"], verbs: ["get"] }];
    await send(admin, "POST", `${rbac}/clusterroles`, { metadata: { name: "reader" }, rules });
    const subjects = [{ kind: "User", name: "system:node:n2", apiGroup: "rbac.authorization.k8s.io" }];
    const roleRef = { kind: "ClusterRole", name: "reader", apiGroup: "rbac.authorization.k8s.io" };
    await send(admin, "POST", `${rbac}/clusterrolebindings`, {
      metadata: { name: "reader" },
      subjects,
      roleRef,
    });
    const second = cluster.transport({ user: { name: "system:node:n2", groups: ["system:nodes"] } });
    await send(second, "GET", `${core}/secrets/env-n1`);
  });

  it("does not list a node's rules, and says so", async () => {
    const review = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews";
    const viewer = cluster.transport({
      user: { name: "system:node:n1", groups: ["system:nodes", "system:authenticated"] },
    });
    expect(await send(viewer, "POST", review, { spec: { namespace: "default" } })).toMatchObject({
      status: { incomplete: true, evaluationError: "node authorizer does not support user rule resolution" },
    });
  });
});
