import { rmSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { CommandLine } from "./command-line.ts";

interface Csv {
  metadata: { name: string; annotations: Record<string, string> };
  spec: Record<string, never> & {
    version?: string;
    minKubeVersion?: string;
    icon?: object[];
    install: {
      strategy?: string;
      spec: { deployments: Deployment[]; permissions: object[]; clusterPermissions: object[] };
    };
    installModes: { type: string; supported: boolean }[];
    customresourcedefinitions: { owned: { name: string; version: string; kind: string }[] };
    webhookdefinitions: { type: string; generateName: string; deploymentName: string; webhookPath: string }[];
    relatedImages: { image: string }[];
  };
}

interface Deployment {
  name: string;
  spec: {
    selector: { matchLabels: Record<string, string> };
    template: {
      spec: { serviceAccountName: string; containers: { image: string; args: string[]; env?: object[] }[] };
    };
  };
}

const csvFile = "bundle/manifests/shop.clusterserviceversion.yaml";
const crdFile = "bundle/manifests/apps.example.com_widgets.yaml";
const annotationsFile = "bundle/metadata/annotations.yaml";
const shell = new CommandLine();

beforeAll(async () => {
  const widget = ["--group", "apps", "--kind", "Widget", "--version"];
  await shell.ok("init", "--domain", "example.com", "--project-name", "shop");
  await shell.ok("create", "api", ...widget, "v1");
  await shell.ok("create", "api", ...widget, "v2");
  await shell.ok("create", "webhook", ...widget, "v1", "--defaulting", "--programmatic-validation");
  await shell.ok("create", "webhook", ...widget, "v1", "--conversion", "--spoke", "v2");
  shell.linkPackages();
});
afterAll(() => shell.remove());

const csv = (): Csv => parse(shell.read(csvFile)) as Csv;

describe("bowline bundle", () => {
  it("writes a valid bundle, and says what a catalogue misses", async () => {
    await shell.ok("bundle", "--image", "registry.example.com/shop:v1", "--channels", "stable,fast");
    const said = await shell.ok("bundle", "validate");
    expect(said).toContain("spec.icon is missing: a catalogue shows it\n");
    expect(said).toMatch(/^bundle is a valid bundle: 0 errors, 3 warnings$/m);
    expect(shell.read("bundle.Dockerfile")).toContain(
      "LABEL operators.operatorframework.io.bundle.channels.v1=stable,fast\n",
    );
    expect(await shell.ok("bundle", "--check", "--channels", "stable,fast")).toMatch(
      /^\d+ files are as the program says$/m,
    );
  });

  it("describes the operator from its program", () => {
    const { metadata, spec } = csv();
    expect(metadata.name).toBe("shop.v0.1.0");
    expect(JSON.parse(metadata.annotations["alm-examples"] ?? "")).toHaveLength(2);
    expect(spec.customresourcedefinitions.owned.map(({ kind, version }) => [kind, version])).toEqual([
      ["Widget", "v1"],
      ["Widget", "v2"],
    ]);
    expect(spec.customresourcedefinitions.owned[0]).toMatchObject({
      specDescriptors: [{ path: "message", displayName: "Message" }],
      statusDescriptors: [
        { path: "conditions", "x-descriptors": ["urn:alm:descriptor:io.kubernetes.conditions"] },
      ],
    });
    expect(spec.webhookdefinitions.map(({ type }) => type)).toEqual([
      "MutatingAdmissionWebhook",
      "ValidatingAdmissionWebhook",
      "ConversionWebhook",
    ]);
    expect(spec.relatedImages).toEqual([{ name: "manager", image: "registry.example.com/shop:v1" }]);
    expect(spec.minKubeVersion).toBe("1.22.0");
    // OLM keeps the certificate, so the manager neither makes one nor needs a role for that
    expect(spec.install.spec.deployments[0]?.spec.template.spec.containers[0]?.args).toContain(
      "--webhook-cert-path=/tmp/k8s-webhook-server/serving-certs",
    );
    expect(JSON.stringify(spec.install.spec)).not.toContain("secrets");
  });

  it("watches the namespaces that OLM says, for an operator of its own namespace", async () => {
    await shell.ok("edit", "--namespaced");
    await shell.ok("bundle");
    const { spec } = csv();
    await shell.ok("edit", "--namespaced=false");
    await shell.ok("bundle");
    expect(spec.installModes.filter(({ supported }) => supported).map(({ type }) => type)).toEqual([
      "OwnNamespace",
      "SingleNamespace",
    ]);
    expect(JSON.stringify(spec.install.spec.deployments)).toContain(
      "metadata.annotations['olm.targetNamespaces']",
    );
    expect(spec.install.spec.permissions).toHaveLength(1);
  });

  it("takes what people have written from the base, and never writes that again", async () => {
    const base = "config/manifests/bases/shop.clusterserviceversion.yaml";
    shell.write(base, shell.read(base).replace("The operator shop.", "Sells things."));
    await shell.ok("bundle", "--version", "1.2.3", "--replaces", "shop.v1.2.2", "--force");
    expect(csv().spec).toMatchObject({
      description: "Sells things.",
      version: "1.2.3",
      replaces: "shop.v1.2.2",
    });
    expect(shell.read(base)).toContain("Sells things.");
  });

  it.each([
    [["bundle", "--version", "v1"], "--version v1 is not a semantic version"],
    [["bundle", "validate", "src"], "src has no folder manifests: name the folder of a bundle"],
  ])("refuses %j", async (args, message) => {
    const { code, stderr } = await shell.run(...args);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
  });
});

describe("bowline bundle validate", () => {
  beforeAll(() => shell.ok("bundle", "--force"));

  const changedCsv = (change: (csv: Csv) => void) => (): void => {
    const changed = csv();
    change(changed);
    shell.write(csvFile, stringify(changed));
  };
  const replaced = (file: string, from: string | RegExp, to: string) => (): void => {
    const before = shell.read(file);
    shell.write(file, before.replace(from, to));
    expect(shell.read(file), `${file} has ${String(from)}`).not.toBe(before);
  };
  const object = (text: string) => (): void => shell.write("bundle/manifests/extra.yaml", text);
  const first = <T>(list: readonly T[]): T => list[0] as T;

  it.each<[message: string, change: () => void]>([
    ["annotations.yaml: is missing", () => rmSync(path.join(shell.folder, annotationsFile))],
    ["mediatype.v1 must be registry+v1, not", replaced(annotationsFile, "registry+v1", "helm")],
    ["package.v1 is missing", replaced(annotationsFile, /.*package.v1: shop\n/, "")],
    ["annotations.yaml: is no YAML", () => shell.write(annotationsFile, "a: [")],
    ["must have one ClusterServiceVersion, and has 0", () => rmSync(path.join(shell.folder, csvFile))],
    [
      "must have one ClusterServiceVersion, and has 2",
      () => shell.write("bundle/manifests/extra.yaml", shell.read(csvFile)),
    ],
    ["extra.yaml: is no YAML", object("a: b: c\n")],
    ["extra.yaml: is not a Kubernetes object", object("- a\n")],
    ["has no apiVersion and kind", object("kind: Service\n")],
    [
      "Deployment is not a kind that OLM installs",
      object("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\n"),
    ],
    ["Service has no name", object("apiVersion: v1\nkind: Service\n")],
    ["metadata.name A_b", object("apiVersion: v1\nkind: Service\nmetadata: {name: A_b}\n")],
    [
      "policy/v1beta1 PodDisruptionBudget was removed in Kubernetes 1.25",
      object("apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: a}\n"),
    ],
    [
      "OLM makes the ServiceAccount shop-controller-manager itself",
      object("apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: shop-controller-manager}\n"),
    ],
    [
      "metadata.name must be widgets.apps.example.com",
      replaced(crdFile, "name: widgets.apps.example.com", "name: b.apps.example.com"),
    ],
    ["one version must be stored, and 2 are", replaced(crdFile, "storage: false", "storage: true")],
    ["version v1 is there twice", replaced(crdFile, "name: v2", "name: v1")],
    [
      "Widget v2 (widgets.apps.example.com) is owned, but the bundle does not define it",
      replaced(crdFile, "name: v2", "name: v3"),
    ],
    [
      "Widget v3 (widgets.apps.example.com) is defined in the bundle, but not owned",
      replaced(crdFile, "name: v2", "name: v3"),
    ],
    ['spec.version "1.x" is not a semantic version', changedCsv(({ spec }) => (spec.version = "1.x"))],
    [
      "spec.minKubeVersion 1.22 is not a semantic version",
      changedCsv(({ spec }) => (spec.minKubeVersion = "1.22")),
    ],
    ["spec.install.strategy must be deployment", changedCsv(({ spec }) => delete spec.install.strategy)],
    [
      "spec.install.spec.deployments is empty",
      changedCsv(({ spec }) => (spec.install.spec.deployments = [])),
    ],
    [
      "the selector of the deployment shop-controller-manager does not select its own pods",
      changedCsv(({ spec }) => (first(spec.install.spec.deployments).spec.selector.matchLabels = { a: "b" })),
    ],
    [
      "a container has no image",
      changedCsv(
        ({ spec }) => (first(first(spec.install.spec.deployments).spec.template.spec.containers).image = ""),
      ),
    ],
    ["spec.installModes supports none", changedCsv(({ spec }) => (spec.installModes = []))],
    [
      "spec.installModes has the unknown types Some",
      changedCsv(({ spec }) => (first(spec.installModes).type = "Some")),
    ],
    [
      "spec.installModes has a type twice",
      changedCsv(({ spec }) => spec.installModes.push(first(spec.installModes))),
    ],
    [
      "conversion webhooks need the install mode AllNamespaces",
      changedCsv(({ spec }) => (spec.installModes = [{ type: "OwnNamespace", supported: true }])),
    ],
    [
      "Widget v1 (widgets.apps.example.com) is owned twice",
      changedCsv(({ spec }) =>
        spec.customresourcedefinitions.owned.push(first(spec.customresourcedefinitions.owned)),
      ),
    ],
    ["alm-examples is no JSON", changedCsv(({ metadata }) => (metadata.annotations["alm-examples"] = "{"))],
    [
      "alm-examples has v1 Pod, which is not owned",
      changedCsv(
        ({ metadata }) => (metadata.annotations["alm-examples"] = '[{"apiVersion":"v1","kind":"Pod"}]'),
      ),
    ],
    ["has the unknown type Some", changedCsv(({ spec }) => (first(spec.webhookdefinitions).type = "Some"))],
    [
      "is served by other, which is no deployment of the CSV",
      changedCsv(({ spec }) => (first(spec.webhookdefinitions).deploymentName = "other")),
    ],
    ["must begin with /", changedCsv(({ spec }) => (first(spec.webhookdefinitions).webhookPath = "a"))],
    [
      "the webhook mwidget-v1.apps.example.com is there twice",
      changedCsv(({ spec }) => spec.webhookdefinitions.push(first(spec.webhookdefinitions))),
    ],
    [
      "converts widgets.apps.example.com, which is not owned",
      changedCsv(({ spec }) => (spec.customresourcedefinitions.owned = [])),
    ],
  ])("finds: %s", async (message, change) => {
    const before = shell.snapshot();
    change();
    const { code, stdout, stderr } = await shell.run("bundle", "validate");
    for (const [file, text] of Object.entries(before)) shell.write(file, text);
    rmSync(path.join(shell.folder, "bundle/manifests/extra.yaml"), { force: true });
    expect(stdout).toMatch(new RegExp(`^error .*${message.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&")}`, "m"));
    expect(stderr).toContain("bundle is not a valid bundle: ");
    expect(code).toBe(1);
  });

  it.each<[message: string, change: () => void]>([
    [
      "the default channel other is not among the channels",
      replaced(annotationsFile, "default.v1: alpha", "default.v1: other"),
    ],
    ["metadata.name other-0.1.0", changedCsv((each) => (each.metadata.name = "other-0.1.0"))],
    ["spec.minKubeVersion is missing", changedCsv(({ spec }) => delete spec.minKubeVersion)],
    [
      "is none of Basic Install",
      changedCsv(({ metadata }) => (metadata.annotations["capabilities"] = "Magic")),
    ],
    [
      "alm-examples has no example of",
      changedCsv(({ metadata }) => (metadata.annotations["alm-examples"] = "[]")),
    ],
    [
      "is not among spec.relatedImages",
      changedCsv(({ spec }) => (first(spec.relatedImages).image = "other")),
    ],
    [
      "has no permissions",
      changedCsv(({ spec }) => Object.assign(spec.install.spec, { permissions: [], clusterPermissions: [] })),
    ],
  ])("warns: %s", async (message, change) => {
    const before = shell.snapshot();
    change();
    const said = await shell.ok("bundle", "validate");
    for (const [file, text] of Object.entries(before)) shell.write(file, text);
    expect(said).toMatch(/^warning /m);
    expect(said).toContain(message);
  });
});
