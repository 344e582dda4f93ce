/** Named after the official conformance tests that they re-express; what each does is ours. */
import "reflect-metadata";
import { webcrypto } from "node:crypto";
import * as x509 from "@peculiar/x509";
import { describe, expect, it } from "vitest";
import { type World, newWorld, template } from "../controllers/world.ts";
import { isDiscovered, supportsApiOperations, updateLatest } from "./api-operations.ts";
import { Endpoint, type Found, type Sent } from "./endpoint.ts";

x509.cryptoProvider.set(webcrypto as unknown as Parameters<typeof x509.cryptoProvider.set>[0]);
const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

const accounts = (world: World): Endpoint => new Endpoint(world, "v1/serviceaccounts", "default");
const pods = (world: World): Endpoint => new Endpoint(world, "v1/pods", "default");
const account = (name: string, more: object = {}): Sent => ({
  apiVersion: "v1",
  kind: "ServiceAccount",
  metadata: { name },
  ...more,
});
const pod = (name: string, spec: object = {}): Sent => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name },
  spec: { ...template(name).spec, ...spec },
});
const mountPath = "/var/run/secrets/kubernetes.io/serviceaccount";
const mountsToken = (found: Found): boolean =>
  (found.spec.containers[0].volumeMounts ?? []).some(
    (mount: { mountPath: string }) => mount.mountPath === mountPath,
  );

describe("[sig-auth] Certificates API [Privileged:ClusterAdmin]", () => {
  it("should support CSR API operations", async () => {
    const world = await newWorld({ controllers: false });
    const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
    const pem = (
      await x509.Pkcs10CertificateRequestGenerator.create({
        name: "CN=e2e-user",
        keys: keys as never,
        signingAlgorithm: algorithm,
      })
    ).toString("pem");
    const text = Buffer.from(pem).toString("base64");
    const make = (name: string): Sent => ({
      apiVersion: "certificates.k8s.io/v1",
      kind: "CertificateSigningRequest",
      metadata: { name: `csr-${name}` },
      spec: { request: text, signerName: "example.com/e2e", usages: ["digital signature", "client auth"] },
    });
    const gvr = "certificates.k8s.io/v1/certificatesigningrequests";
    const requests = new Endpoint(world, gvr);
    await isDiscovered(world, requests, true);
    await requests.create(make("approved"));
    const approval = (await requests.get("csr-approved", "approval")) as Found;
    const condition = { type: "Approved", status: "True", reason: "E2E", message: "by a test" };
    await requests.update({ ...approval, status: { conditions: [condition] } }, "approval");
    expect((await requests.get("csr-approved")).status.conditions).toMatchObject([condition]);
    await requests.delete("csr-approved");
    await supportsApiOperations(world, { gvr, make });
  });
});

describe("[sig-auth] ServiceAccounts", () => {
  it("ServiceAccountIssuerDiscovery should support OIDC discovery of service account issuer", async () => {
    const world = await newWorld({ controllers: false });
    const read = async (path: string): Promise<Readonly<Record<string, unknown>>> => {
      const { body } = await world.cluster.transport().request<string | object>({ method: "GET", path });
      return (typeof body === "string" ? JSON.parse(body) : body) as Record<string, unknown>;
    };
    const configuration = await read("/.well-known/openid-configuration");
    expect(configuration["issuer"]).toMatch(/^https:\/\//);
    const keys = await read("/openid/v1/jwks");
    expect(keys["keys"]).toHaveLength(1);
    await accounts(world).create(account("verified"));
    const { body } = await world.cluster.transport().request<{ status: { token: string } }>({
      method: "POST",
      path: "/api/v1/namespaces/default/serviceaccounts/verified/token",
      body: { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} },
    });
    const claims = JSON.parse(Buffer.from(body.status.token.split(".")[1] ?? "", "base64url").toString());
    expect(claims).toMatchObject({
      iss: configuration["issuer"],
      sub: "system:serviceaccount:default:verified",
    });
  });

  it("should allow opting out of API token automount", async () => {
    const world = await newWorld();
    await accounts(world).create(account("default-like"));
    await accounts(world).create(account("mount", { automountServiceAccountToken: true }));
    await accounts(world).create(account("no-mount", { automountServiceAccountToken: false }));
    for (const [serviceAccountName, inPod, mounted] of [
      ["default-like", undefined, true],
      ["mount", undefined, true],
      ["no-mount", undefined, false],
      ["default-like", true, true],
      ["mount", true, true],
      ["no-mount", true, true],
      ["default-like", false, false],
      ["mount", false, false],
      ["no-mount", false, false],
    ] as const) {
      const name = `${serviceAccountName}-${inPod ?? "unset"}`;
      const spec = {
        serviceAccountName,
        ...(inPod === undefined ? {} : { automountServiceAccountToken: inPod }),
      };
      expect([name, mountsToken(await pods(world).create(pod(name, spec)))]).toEqual([name, mounted]);
    }
  });

  it("should guarantee kube-root-ca.crt exist in any namespace", async () => {
    const world = await newWorld();
    await world.cluster.listen();
    const name = "kube-root-ca.crt";
    await new Endpoint(world, "v1/namespaces").create({
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: "fresh" },
    });
    const maps = new Endpoint(world, "v1/configmaps", "fresh");
    const text = async (): Promise<string | undefined> => (await maps.find(name))?.data?.["ca.crt"];
    const comes = (): Promise<unknown> =>
      world.wait("it is there", async () => (await text())?.startsWith("-----BEGIN CERTIFICATE-----"));
    await comes();
    await maps.delete(name);
    await comes();
    await updateLatest(maps, name, (found) => ({ ...found, data: { "ca.crt": "" } }));
    await comes();
  });

  it("should mount an API token into pods", async () => {
    const world = await newWorld();
    const made = await pods(world).create(pod("with-token"));
    expect(made.spec.serviceAccountName).toBe("default");
    const mount = made.spec.containers[0].volumeMounts.find(
      (one: { mountPath: string }) => one.mountPath === mountPath,
    );
    expect(mount.readOnly).toBe(true);
    const volume = made.spec.volumes.find((one: { name: string }) => one.name === mount.name);
    const sources = volume.projected.sources as Record<
      string,
      { items?: { path: string }[]; path?: string }
    >[];
    const files = sources.flatMap((source) =>
      Object.values(source).flatMap(({ items, path }) => items?.map((item) => item.path) ?? [path]),
    );
    expect(files).toEqual(["token", "ca.crt", "namespace"]);
  });

  it("should mount projected service account token", async () => {
    const world = await newWorld();
    await pods(world).create(
      pod("projected", {
        volumes: [
          {
            name: "own",
            projected: { sources: [{ serviceAccountToken: { path: "token", expirationSeconds: 3600 } }] },
          },
        ],
        containers: [{ name: "main", image: "nginx:1", volumeMounts: [{ name: "own", mountPath: "/own" }] }],
      }),
    );
    await world.wait("it runs", async () => (await pods(world).get("projected")).status.phase === "Running");
  });

  it("should run through the lifecycle of a ServiceAccount", async () => {
    const world = await newWorld({ controllers: false });
    const chosen = { labelSelector: "test-serviceaccount-static=true" };
    const events = await accounts(world).watch(chosen);
    await accounts(world).create({
      ...account("life"),
      metadata: { name: "life", labels: { "test-serviceaccount-static": "true" } } as never,
    });
    await accounts(world).patch("life", { automountServiceAccountToken: false });
    const everywhere = await new Endpoint(world, "v1/serviceaccounts").list(chosen);
    expect(everywhere.items).toMatchObject([{ automountServiceAccountToken: false }]);
    await accounts(world).deleteCollection(chosen);
    await world.until("the watch saw all", async () => events.length === 3);
    expect(events.map((event) => event.type)).toEqual(["ADDED", "MODIFIED", "DELETED"]);
  });

  it("should update a ServiceAccount", async () => {
    const world = await newWorld({ controllers: false });
    await accounts(world).create(account("changed"));
    await updateLatest(accounts(world), "changed", (found) => ({
      ...found,
      automountServiceAccountToken: true,
    }));
    expect(await accounts(world).get("changed")).toMatchObject({ automountServiceAccountToken: true });
  });
});

describe("[sig-auth] SubjectReview", () => {
  it("should support SubjectReview API operations", async () => {
    const world = await newWorld({ controllers: false });
    await accounts(world).create(account("asked"));
    const user = "system:serviceaccount:default:asked";
    const groups = ["system:authenticated", "system:serviceaccounts", "system:serviceaccounts:default"];
    const resourceAttributes = { namespace: "default", verb: "list", version: "v1", resource: "configmaps" };
    const ask = async (path: string, kind: string, metadata: object = {}): Promise<boolean> => {
      const body = {
        apiVersion: "authorization.k8s.io/v1",
        kind,
        metadata,
        spec: { user, groups, resourceAttributes },
      };
      const answer = await world.cluster.transport().request<Found>({ method: "POST", path, body });
      return answer.body.status.allowed;
    };
    const both = async (): Promise<boolean[]> => [
      await ask("/apis/authorization.k8s.io/v1/subjectaccessreviews", "SubjectAccessReview"),
      await ask(
        "/apis/authorization.k8s.io/v1/namespaces/default/localsubjectaccessreviews",
        "LocalSubjectAccessReview",
        { namespace: "default" },
      ),
    ];
    const list = (): Promise<number> =>
      world.cluster
        .transport()
        .request({
          method: "GET",
          path: "/api/v1/namespaces/default/configmaps",
          headers: { "impersonate-user": user },
        })
        .then(
          (answer) => answer.status,
          (error: { status: { code: number } }) => error.status.code,
        );
    expect([await both(), await list()]).toEqual([[false, false], 403]);
    const rules = [{ apiGroups: [""], resources: ["configmaps"], verbs: ["list"] }];
    const rbac = "rbac.authorization.k8s.io/v1";
    await new Endpoint(world, `${rbac}/roles`, "default").create({
      apiVersion: rbac,
      kind: "Role",
      metadata: { name: "lists" },
      rules,
    });
    await new Endpoint(world, `${rbac}/rolebindings`, "default").create({
      apiVersion: rbac,
      kind: "RoleBinding",
      metadata: { name: "lists" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "lists" },
      subjects: [{ kind: "ServiceAccount", name: "asked", namespace: "default" }],
    });
    expect([await both(), await list()]).toEqual([[true, true], 200]);
  });
});
