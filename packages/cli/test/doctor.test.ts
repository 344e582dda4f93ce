import { rmSync } from "node:fs";
import path from "node:path";
import { type KubeObject, crdManifest } from "@bowline/api";
import { Deployment } from "@bowline/api/apps/v1";
import { Lease } from "@bowline/api/coordination/v1";
import { CustomResourceDefinition } from "@bowline/api/apiextensions/v1";
import { type Client, createClient, systemClock, systemRandom } from "@bowline/client";
import { type Cluster, createCluster } from "@bowline/cluster";
import { createCertificateAuthority, issueCertificate } from "@bowline/runtime";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Finding } from "../src/doctor/finding.ts";
import { applyManifests } from "../src/manifests/apply.ts";
import { allManifests } from "../src/manifests/layout.ts";
import { projectModel } from "../src/manifests/project-model.ts";
import type { DeploymentModel } from "../src/manifests/model.ts";
import { CommandLine } from "./command-line.ts";

const line = new CommandLine();
const shop = new CommandLine();
const project = shop.folder;
const crdName = { name: "widgets.apps.example.com" };
const widget = ["--group", "apps", "--version", "v1", "--kind", "Widget"];
let model: DeploymentModel;

beforeAll(async () => {
  await shop.ok("init", "--domain", "example.com", "--project-name", "shop");
  await shop.ok("create", "api", ...widget);
  await shop.ok("create", "webhook", ...widget, "--defaulting", "--programmatic-validation");
  shop.linkPackages();
  await shop.ok("generate");
  model = await projectModel(project);
});
afterAll(() => {
  line.remove();
  shop.remove();
});

describe("bowline doctor on a project", () => {
  it("finds nothing wrong with a new one", async () => {
    const { code, stdout } = await line.runIn(project, "doctor", "--no-cluster");
    expect(stdout).toBe("nothing is wrong\n");
    expect(code).toBe(0);
  });

  it("finds generated files that were edited, are missing or are out of date", async () => {
    const before = shop.snapshot();
    shop.write("config/rbac/role.yaml", "# mine\n");
    rmSync(path.join(project, "config/manager/namespace.yaml"));
    const { code, stdout } = await line.runIn(project, "doctor", "--no-cluster");
    for (const [file, text = ""] of Object.entries(before)) shop.write(file, text);
    expect(stdout).toContain("config/rbac/role.yaml: was edited, and is not as the program says");
    expect(stdout).toContain("config/manager/namespace.yaml: is missing");
    expect(code).toBe(1);
  });

  it("names a project that cannot be loaded, and a PROJECT file that is broken", async () => {
    line.write("package.json", `{ "type": "module", "main": "index.js" }`);
    line.write("index.js", "throw new Error('out of cheese');");
    line.write("PROJECT", "version: '2'\n");
    const { code, stdout } = await line.run("doctor", "--no-cluster", "-o", "json");
    const findings = JSON.parse(stdout) as Finding[];
    expect(findings.map((each) => each.check)).toEqual(["project-file", "project-load"]);
    expect(findings[1]?.what).toContain("out of cheese");
    expect(code).toBe(1);
  });

  it("says that no cluster answers", async () => {
    line.write("nowhere", kubeconfigTo("https://127.0.0.1:1"));
    const { code, stdout } = await line.runIn(
      project,
      "doctor",
      "--kubeconfig",
      path.join(line.folder, "nowhere"),
    );
    expect(stdout).toMatch(
      /^cluster: no cluster answers at https:\/\/127\.0\.0\.1:1.*\(cluster-unreachable\)/,
    );
    expect(code).toBe(1);
  });
});

function kubeconfigTo(server: string): string {
  return `apiVersion: v1
kind: Config
clusters: [{ name: a, cluster: { server: "${server}" } }]
users: [{ name: a, user: { token: a } }]
contexts: [{ name: a, context: { cluster: a, user: a } }]
current-context: a
`;
}

describe("bowline doctor on a cluster", () => {
  let cluster: Cluster;
  let client: Client;
  let kubeconfig: string;

  /** The operator as it is deployed, without anybody who would run it: what is there is only what a test writes. */
  beforeEach(async () => {
    cluster = await createCluster({ controllers: false });
    client = createClient({ transport: cluster.transport({ userAgent: "test" }), fieldManager: "bowline" });
    line.write("kubeconfig", (await cluster.listen()).kubeconfig);
    kubeconfig = path.join(line.folder, "kubeconfig");
    return () => cluster.close();
  });

  const silent = { write() {}, error() {}, isTerminal: false, columns: 80 };
  const findings = async (): Promise<Finding[]> => {
    const { stdout, stderr } = await line.runIn(project, "doctor", "--kubeconfig", kubeconfig, "-o", "json");
    expect(stderr).toBe("");
    return JSON.parse(stdout) as Finding[];
  };
  const checks = async (): Promise<string[]> => (await findings()).map((each) => each.check);
  const install = (): Promise<void> =>
    applyManifests(
      client,
      model.operator.kinds.map((kind) => crdManifest(kind) as never),
      silent,
    );
  const ready = {
    observedGeneration: 1,
    replicas: 1,
    updatedReplicas: 1,
    readyReplicas: 1,
    availableReplicas: 1,
  };
  const deploy = async (): Promise<void> => {
    await applyManifests(client, allManifests(model), silent);
    const name = { namespace: model.namespace, name: `${model.projectName}-controller-manager` };
    await client.patch(Deployment, name, { merge: { status: ready } } as never, { subresource: "status" });
  };
  const register = (config: object): Promise<unknown> =>
    Promise.all(
      ["Mutating", "Validating"].map((type) => {
        const kind = `${type}WebhookConfiguration`;
        const object = {
          apiVersion: "admissionregistration.k8s.io/v1",
          kind,
          metadata: { name: `${model.operator.name}-${type.toLowerCase()}` },
          webhooks: [
            {
              name: "a.example.com",
              admissionReviewVersions: ["v1"],
              sideEffects: "None",
              clientConfig: config,
            },
          ],
        };
        return client.apply(object as never, object as never, { force: true });
      }),
    );

  it("finds a kind that is not installed, and nothing when it is", async () => {
    expect(await checks()).toEqual(["crd-missing"]);
    await install();
    expect(await checks()).toEqual([]);
  });

  it("finds a kind that is not as the program declares it", async () => {
    await install();
    const json = [{ op: "remove", path: "/spec/versions/0/additionalPrinterColumns" }];
    await client.patch(CustomResourceDefinition, crdName, { json } as never);
    expect(await checks()).toEqual(["crd-differs"]);
  });

  it("finds versions in which objects may still be stored", async () => {
    await install();
    const merge = { status: { storedVersions: ["v1alpha1", "v1"] } };
    const crd = await client.get(CustomResourceDefinition, crdName);
    const old = { ...crd.spec.versions[0], name: "v1alpha1", storage: false, served: false };
    const spec = { versions: [...crd.spec.versions, old] };
    await client.patch(CustomResourceDefinition, crdName, { merge: { spec } } as never);
    await client.patch(CustomResourceDefinition, crdName, { merge } as never, { subresource: "status" });
    expect(await checks()).toContain("crd-stored-versions");
  });

  it("finds names that another kind has", async () => {
    const taken = crdManifest(model.operator.kinds[0] as never) as unknown as KubeObject & { spec: object };
    const other = {
      ...taken,
      metadata: { name: "others.apps.example.com" },
      spec: {
        ...taken.spec,
        names: { plural: "others", singular: "widget", kind: "Other", listKind: "OtherList" },
      },
    };
    await applyManifests(client, [other as never], silent);
    const own = crdManifest(model.operator.kinds[0] as never);
    await client.create(CustomResourceDefinition, own as never);
    expect((await findings()).map(({ check, what }) => `${check}: ${what}`)).toEqual([
      expect.stringMatching(/^crd-names: its names are not accepted: .*"widget" is already in use/),
    ]);
  });

  it("finds a kind that is being deleted, and what holds it", async () => {
    await install();
    const held = {
      metadata: { name: "w", namespace: "default", finalizers: ["example.com/hold"] },
      spec: {},
    };
    const about = { apiVersion: "apps.example.com/v1", kind: "Widget" };
    await client.create(about as never, { ...about, ...held } as never);
    await client.delete(CustomResourceDefinition, crdName);
    const [first] = await findings();
    expect(first?.check).toBe("crd-terminating");
    expect(first?.todo).toContain("a finalizer may hold them");
  });

  it("finds a kind that the API server would refuse to change into the declared one", async () => {
    const own = crdManifest(model.operator.kinds[0] as never) as unknown as KubeObject & { spec: object };
    const cluster = { ...own, spec: { ...own.spec, scope: "Cluster" } };
    await client.create(CustomResourceDefinition, cluster as never);
    const found = await findings();
    expect(found.map((each) => each.check)).toEqual(["crd-refused"]);
    expect(found[0]?.what).toContain('spec.scope: Invalid value: "Namespaced": field is immutable');
  });

  it("finds a manager whose pods are not ready", async () => {
    await applyManifests(client, allManifests(model), silent);
    const found = (await findings()).find((each) => each.check === "manager-not-ready");
    expect(found?.where).toBe(`deployment ${model.namespace}/${model.projectName}-controller-manager`);
    expect(found?.what).toBe("0 of 1 pods are ready");
  });

  it("finds permissions that the deployed manager lacks, and none after a deployment", async () => {
    await deploy();
    expect(await checks()).toEqual(["webhook-missing", "webhook-missing"]);
    const role = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRoleBinding" };
    await client.delete(role as never, { name: `${model.projectName}-manager-rolebinding` } as never);
    const missing = (await findings()).filter((each) => each.check === "rbac-missing");
    expect(missing.map((each) => each.what)).toContainEqual(
      expect.stringMatching(/^may not .*list.* widgets\.apps\.example\.com$/),
    );
  });

  it("finds a Lease of a pod that is gone, and nothing wrong with one that was just renewed", async () => {
    await install();
    const ns = { apiVersion: "v1", kind: "Namespace", metadata: { name: model.namespace } };
    await client.create(ns as never, ns as never);
    const lease = (ageMs: number) => ({
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { name: model.operator.name, namespace: model.namespace },
      spec: {
        holderIdentity: "gone-1_uuid",
        leaseDurationSeconds: 15,
        renewTime: new Date(systemClock.now() - ageMs).toISOString().replace("Z", "000Z"),
      },
    });
    await client.apply(Lease, lease(0) as never);
    expect(await checks()).toEqual([]);
    await client.apply(Lease, lease(30_000) as never);
    expect(await checks()).toEqual(["lease-dead-holder"]);
    const pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "gone-1", namespace: model.namespace },
      spec: { containers: [{ name: "a", image: "a" }] },
    };
    await client.create(pod as never, pod as never);
    expect(await checks()).toEqual([]);
    await client.apply(Lease, lease(600_000) as never);
    expect(await checks()).toEqual(["lease-stuck"]);
  });

  it.each([
    ["an address where nobody listens", ["webhook-unreachable", "webhook-unreachable"], 1],
    ["an authority that ran out", ["webhook-ca-expired", "webhook-ca-expired"], -1],
  ])("finds webhooks at %s", async (_name, expected, days) => {
    await install();
    const now = systemClock.now();
    const { certificatePem } = authority(now + days * 86_400_000);
    await register({ url: "https://127.0.0.1:1/x", caBundle: base64(certificatePem) });
    expect(await checks()).toEqual(expected);
  });

  it("finds a caBundle that is empty", async () => {
    await install();
    await register({ url: "https://127.0.0.1:1/x" });
    expect(await checks()).toEqual(["webhook-ca-bundle", "webhook-ca-bundle"]);
  });

  it("finds a service without pods, and a caBundle of another authority", async () => {
    await deploy();
    const now = systemClock.now();
    const [signer, other] = [authority(now + 86_400_000), authority(now + 86_400_000)];
    const served = issueCertificate(signer, {
      commonName: "a",
      hosts: ["a"],
      usages: ["serverAuth"],
      notBefore: now - 2000,
      notAfter: now - 1000,
      random,
    });
    const secret = {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: `${model.operator.name}-webhook-certificate`, namespace: model.namespace },
      data: { "tls.crt": base64(served.certificatePem) },
    };
    await client.create(secret as never, secret as never);
    const service = { namespace: model.namespace, name: `${model.projectName}-webhook-service` };
    await register({ service, caBundle: base64(other.certificatePem) });
    expect(new Set(await checks())).toEqual(
      new Set(["webhook-unreachable", "webhook-certificate-expired", "webhook-ca-bundle"]),
    );
    await register({ service, caBundle: base64(signer.certificatePem) });
    expect(await checks()).not.toContain("webhook-ca-bundle");
  });
});

const random = (bytes: number): Uint8Array => systemRandom.bytes(bytes);

function authority(notAfter: number) {
  return createCertificateAuthority({
    commonName: "test",
    notBefore: notAfter - 10 * 86_400_000,
    notAfter,
    random,
  });
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
