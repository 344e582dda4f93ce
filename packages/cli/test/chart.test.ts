import { type Cluster, createCluster } from "@bowline/cluster";
import { rmSync } from "node:fs";
import path from "node:path";
import { parseAllDocuments } from "yaml";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CommandLine } from "./command-line.ts";
import { runClient } from "./dev-process.ts";

interface Manifest {
  readonly kind: string;
  readonly metadata: { name: string; namespace?: string; labels?: object; annotations?: object };
  readonly [field: string]: unknown;
}

/** Each step stands on those before it, as for a person. */
describe("bowline chart", { timeout: 60_000 }, () => {
  const shell = new CommandLine();
  const chart = path.join(shell.folder, "deploy/chart");
  let cluster: Cluster;

  const client = async (program: "helm" | "kubectl", ...args: string[]): Promise<string> => {
    const environment = { KUBECONFIG: path.join(shell.folder, "kubeconfig"), HOME: shell.folder };
    const { code, stdout, stderr } = await runClient(program, args, environment);
    if (code !== 0) throw new Error(`${program} ${args.join(" ")}: ${stdout}${stderr}`);
    return stdout;
  };
  const helm = (...args: string[]): Promise<string> => client("helm", ...args);
  const rendered = async (...settings: string[]): Promise<Manifest[]> => {
    const sets = settings.flatMap((each) => ["--set", each]);
    return manifestsIn(await helm("template", "shop", chart, "-n", "shop-system", ...sets));
  };

  beforeAll(async () => {
    const widget = ["--group", "apps", "--kind", "Widget", "--version"];
    await shell.ok("init", "--domain", "example.com", "--project-name", "shop");
    await shell.ok("create", "api", ...widget, "v1");
    await shell.ok("create", "api", ...widget, "v2");
    await shell.ok("create", "webhook", ...widget, "v1", "--defaulting", "--programmatic-validation");
    await shell.ok("create", "webhook", ...widget, "v1", "--conversion", "--spoke", "v2");
    shell.linkPackages();
    // braces are for Helm; in a description they must come out as they were
    const kind = shell.read("src/api/v1/widget.ts");
    shell.write("src/api/v1/widget.ts", kind.replace("Says what it is for", "Says {{ what }} it is for"));
    cluster = await createCluster();
    shell.write("kubeconfig", (await cluster.listen()).kubeconfig);
  });
  afterAll(async () => {
    await cluster.close();
    shell.remove();
  });

  it("writes a chart that helm lint has nothing against", async () => {
    expect(await shell.ok("chart", "--image", "registry.example.com/shop:v1")).toContain(
      "created   deploy/chart/templates/manager/manager.yaml",
    );
    expect(await helm("lint", "--strict", chart)).toContain("1 chart(s) linted, 0 chart(s) failed");
    expect(await shell.ok("chart", "--check")).toMatch(/^\d+ files are as the program says\n$/);
  });

  it.each([
    ["one replica", []],
    ["several replicas", ["--replicas", "3"]],
    ["cert-manager", ["--cert-manager"]],
  ])("renders the objects of install.yaml: %s", async (_, flags) => {
    for (const command of ["generate", "chart"]) await shell.ok(command, "--force", ...flags);
    const settings = ["networkPolicy.enabled=true", "rbac.helpers.enabled=true"];
    const ofChart = comparable(await rendered(...settings));
    const ofInstall = comparable(manifestsIn(shell.read("deploy/install.yaml")));
    // Helm makes the namespace
    delete ofInstall["Namespace shop-system"];
    expect(ofChart).toEqual(ofInstall);
  });

  it("forgets nothing between its commands", async () => {
    expect(await shell.ok("chart", "--replicas", "1", "--cert-manager=false")).toContain(
      "updated   deploy/chart/values.yaml",
    );
    expect(shell.read("deploy/chart/values.yaml")).toContain('repository: "registry.example.com/shop"\n');
  });

  it.each([
    ["manager.enabled=false", [], ["Deployment"]],
    ["crd.enabled=false", [], ["CustomResourceDefinition"]],
    [
      "metrics.enabled=false",
      [],
      ["Service shop-controller-manager-metrics-service", "ClusterRole shop-metrics-auth-role"],
    ],
    ["webhook.enabled=false", [], ["Service shop-webhook-service", "Role shop-webhook-certificate-role"]],
    ["prometheus.enabled=true", ["ServiceMonitor"], []],
    ["networkPolicy.enabled=true", ["NetworkPolicy"], []],
    [
      "rbac.namespaced=true",
      ["Role shop-manager-role", "RoleBinding shop-manager-rolebinding"],
      ["ClusterRole shop-manager-role"],
    ],
    ["rbac.helpers.enabled=true", ["ClusterRole shop-widget-viewer-role"], []],
    ["serviceAccount.enabled=false,serviceAccount.name=other", [], ["ServiceAccount"]],
    [
      "certManager.enabled=true",
      ["Certificate", "ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"],
      ["Role shop-webhook-certificate-role"],
    ],
    ["manager.replicas=2", ["PodDisruptionBudget"], []],
  ])("follows the value %s", async (setting, there, gone) => {
    const names = (manifests: Manifest[]): string[] =>
      manifests.flatMap(({ kind, metadata }) => [kind, `${kind} ${metadata.name}`]);
    const [before, after] = [names(await rendered()), names(await rendered(setting))];
    for (const each of there) {
      expect(before).not.toContain(each);
      expect(after).toContain(each);
    }
    for (const each of gone) {
      expect(before).toContain(each);
      expect(after).not.toContain(each);
    }
  });

  it("puts what people set into the manager", async () => {
    const manifests = await rendered(
      "fullnameOverride=other",
      "manager.image.repository=r.io/a@sha256:12",
      "manager.envOverrides.A=b",
      "manager.labels.team=sea",
      "manager.nodeSelector.disk=fast",
      "manager.args={--leader-elect,--log-level=debug}",
      "rbac.namespaced=true",
      "metrics.secure=false,metrics.port=9090",
      "webhook.enabled=false",
    );
    const deployment = manifests.find(({ kind }) => kind === "Deployment") as Manifest;
    expect(deployment).toMatchObject({
      metadata: { name: "other-controller-manager", labels: { team: "sea", "helm.sh/chart": "shop-0.1.0" } },
      spec: {
        template: {
          spec: {
            nodeSelector: { disk: "fast" },
            containers: [
              {
                image: "r.io/a@sha256:12",
                args: [
                  "--health-probe-bind-address=:8081",
                  "--metrics-bind-address=:9090",
                  "--metrics-secure=false",
                  "--watch-namespace=shop-system",
                  "--leader-elect",
                  "--log-level=debug",
                ],
                env: [
                  { name: "ENABLE_WEBHOOKS", value: "false" },
                  { name: "A", value: "b" },
                ],
              },
            ],
          },
        },
      },
    });
    const service = manifests.find(({ kind }) => kind === "Service");
    expect(service).toMatchObject({ spec: { ports: [{ name: "http", port: 9090, targetPort: 9090 }] } });
  });

  it("keeps what was edited, also with a new kind, and shows what would have been written", async () => {
    shell.write(
      "deploy/chart/values.yaml",
      shell.read("deploy/chart/values.yaml").replace("cpu: 500m", "cpu: 700m"),
    );
    shell.write(
      "deploy/chart/Chart.yaml",
      shell.read("deploy/chart/Chart.yaml").replace("version: 0.1.0", "version: 2.0.0"),
    );
    shell.write("deploy/chart/templates/mine.yaml", "{{- /* mine */ -}}\n");
    expect((await shell.run("chart", "--check", "--image", "r.io/shop:v2")).code).toBe(1);
    const said = await shell.ok("chart", "--image", "r.io/shop:v2");
    expect(said).toContain("kept      deploy/chart/values.yaml");
    expect(said).toMatch(/^ {4}\+.*tag: "v2"$/m);
    expect(shell.read("deploy/chart/values.yaml")).toContain("cpu: 700m");
    expect(shell.read("deploy/chart/values.yaml.new")).toContain('tag: "v2"');
    expect(shell.read("deploy/chart/Chart.yaml")).toContain("version: 2.0.0");
    expect(shell.has("deploy/chart/templates/mine.yaml")).toBe(true);
    await shell.ok("chart", "--force", "--image", "r.io/shop:v2");
    expect(shell.read("deploy/chart/values.yaml")).toContain('tag: "v2"');
    expect(shell.read("deploy/chart/Chart.yaml")).toContain("version: 2.0.0");
  });

  it("takes away a template that nothing is made into any more", async () => {
    const name = "deploy/chart/templates/manager/disruption-budget.yaml";
    shell.write("deploy/chart/templates/crd/gone.yaml", shell.read(name));
    shell.write("deploy/chart/templates/crd/edited.yaml", `${shell.read(name)}# mine\n`);
    expect(await shell.ok("chart")).toContain("removed   deploy/chart/templates/crd/gone.yaml");
    expect(shell.has("deploy/chart/templates/crd/gone.yaml")).toBe(false);
    expect(shell.has("deploy/chart/templates/crd/edited.yaml")).toBe(true);
    rmSync(path.join(chart, "templates/crd/edited.yaml"));
  });

  it("is installed, upgraded and uninstalled by Helm, and its manager becomes ready", async () => {
    const wait = ["-n", "shop-system", "--wait", "--timeout", "60s"];
    expect(await helm("install", "shop", chart, "--create-namespace", ...wait)).toContain("STATUS: deployed");
    const ready = (): Promise<string> =>
      client(
        "kubectl",
        "get",
        "deployment",
        "-n",
        "shop-system",
        "-o",
        "jsonpath={.items[*].status.readyReplicas}",
      );
    expect(await ready()).toBe("1");
    expect(await client("kubectl", "explain", "widget", "--api-version=apps.example.com/v1")).toContain(
      "Says {{ what }} it is for",
    );
    await helm("upgrade", "shop", chart, "--set", "manager.replicas=2,crd.keep=false", ...wait);
    expect(await ready()).toBe("2");
    expect(await client("kubectl", "get", "pdb", "-n", "shop-system", "-o", "name")).toContain(
      "shop-controller-manager",
    );
    await helm("uninstall", "shop", ...wait);
    expect(
      await client(
        "kubectl",
        "get",
        "deployments,services,clusterroles",
        "-A",
        "-o",
        "name",
        "-l",
        "app.kubernetes.io/instance=shop",
      ),
    ).toBe("");
    expect(await client("kubectl", "get", "crd", "-o", "name")).toBe("");
  }, 90_000);

  it("leaves the kinds and their objects when it is uninstalled, unless told otherwise", async () => {
    await helm("install", "shop", chart, "-n", "shop-system");
    await helm("uninstall", "shop", "-n", "shop-system");
    expect(await client("kubectl", "get", "crd", "-o", "name")).toContain("widgets.apps.example.com");
  });
});

function manifestsIn(text: string): Manifest[] {
  return parseAllDocuments(text)
    .map((document) => document.toJS() as Manifest | null)
    .filter((manifest) => manifest !== null);
}

/** By kind and name, without what Helm and the chart say about themselves. */
function comparable(manifests: readonly Manifest[]): Record<string, unknown> {
  return Object.fromEntries(
    manifests.map((manifest) => [`${manifest.kind} ${manifest.metadata.name}`, plain(manifest)]),
  );
}

function plain(value: unknown, key = ""): unknown {
  if (Array.isArray(value)) {
    const items = value.map((each) => plain(each));
    // the order of flags says nothing, and a chart spells the port out
    return key === "args" ? items.filter((each) => each !== "--webhook-bind-address=:9443").sort() : items;
  }
  if (typeof value !== "object" || value === null) return value;
  const dropped = /^(?:app\.kubernetes\.io\/(?:managed-by|instance)|helm\.sh\/.*|imagePullPolicy)$/;
  const entries = Object.entries(value)
    .filter(([name]) => !dropped.test(name))
    .map(([name, each]) => [name, plain(each, name)] as const)
    .filter(
      ([name, each]) =>
        !(name === "annotations" && (each === null || Object.keys(each as object).length === 0)),
    );
  return Object.fromEntries(entries);
}
