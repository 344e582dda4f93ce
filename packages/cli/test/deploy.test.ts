import { spawnSync } from "node:child_process";
import { CustomResourceDefinition } from "@bowline/api/apiextensions/v1";
import { createClient } from "@bowline/client";
import { createCluster } from "@bowline/cluster";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CommandLine } from "./command-line.ts";
import { type Ended, runClient } from "./dev-process.ts";

/** Each step stands on those before it, as for a person. */
describe("from a project to a deployed operator", { timeout: 60_000 }, () => {
  const shell = new CommandLine();
  const exec = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await shell.exec(...args);
    expect(stderr, `bowline ${args.join(" ")}`).toBe("");
    expect(code).toBe(0);
    return stdout;
  };
  const kubectl = (...args: string[]): Promise<Ended> =>
    runClient("kubectl", args, { KUBECONFIG: `${shell.folder}/.bowline/kubeconfig` });

  beforeAll(async () => {
    await shell.ok("init", "--domain", "example.com", "--project-name", "shop");
    await shell.ok("create", "api", "--group", "apps", "--version", "v1", "--kind", "Widget");
    await shell.ok(
      "create",
      "webhook",
      "--group",
      "apps",
      "--version",
      "v1",
      "--kind",
      "Widget",
      "--defaulting",
      "--programmatic-validation",
    );
    shell.linkPackages();
  });
  afterAll(async () => {
    await shell.exec("cluster", "stop");
    shell.remove();
  });

  it("generates manifests from the sources, without a build", async () => {
    expect(await exec("generate")).toContain("created   config/crd/bases/apps.example.com_widgets.yaml");
    expect(shell.read("config/manager/manager.yaml")).toContain("runAsNonRoot: true");
    expect(shell.read("config/rbac/role.yaml")).toMatch(/resources:\n +- widgets\/status\n/);
  });

  it("checks that they are as the program says", async () => {
    expect(await exec("generate", "--check")).toMatch(/^\d+ files are as the program says\n$/);
    const kind = shell.read("src/api/v1/widget.ts");
    shell.write("src/api/v1/widget.ts", kind.replace('default("hello")', 'default("hi")'));
    const { code, stdout, stderr } = await shell.exec("generate", "--check");
    expect(stdout).toMatch(/^ {4}- +default: hello\n {4}\+ +default: hi$/m);
    expect(stderr).toContain("config/crd/bases/apps.example.com_widgets.yaml");
    expect(code).toBe(1);
    expect(shell.read("deploy/install.yaml")).toContain("default: hello");
    shell.write("src/api/v1/widget.ts", kind);
  });

  it("keeps a manifest that was edited, and writes its own beside it", async () => {
    const before = shell.read("config/manager/manager.yaml");
    shell.write("config/manager/manager.yaml", before.replace("replicas: 1", "replicas: 1 # mine"));
    expect(await exec("generate", "--replicas", "2")).toContain("kept      config/manager/manager.yaml");
    expect(shell.read("config/manager/manager.yaml")).toContain("# mine");
    expect(shell.read("config/manager/manager.yaml.new")).toContain("topologySpreadConstraints");
    expect(shell.read("config/manager/disruption_budget.yaml")).toContain("maxUnavailable: 1");
    await exec("generate", "--replicas", "1", "--force");
    expect(shell.read("config/manager/manager.yaml")).toBe(before);
  });

  it("writes webhooks and certificates ahead for cert-manager", async () => {
    await exec("generate", "--cert-manager");
    expect(shell.read("config/webhook/manifests.yaml")).toContain(
      "cert-manager.io/inject-ca-from: shop-system/shop-serving-cert",
    );
    expect(shell.read("config/certmanager/certificates.yaml")).toContain(
      "shop-webhook-service.shop-system.svc",
    );
    expect(shell.read("config/manager/manager.yaml")).toContain("--webhook-cert-path=");
    await exec("generate", "--cert-manager=false", "--force");
  });

  it("makes a folder that the real kustomize reads", async () => {
    const { code, stdout, stderr } = await kubectl("kustomize", `${shell.folder}/config/default`);
    expect(stderr).toBe("");
    expect(code).toBe(0);
    const kinds = (text: string): string[] =>
      [...text.matchAll(/^kind: (.*)$/gm)].map(([, kind = ""]) => kind).sort();
    expect(kinds(stdout)).toEqual(kinds(shell.read("deploy/install.yaml")));
  });

  it("says that no cluster answers", async () => {
    const { code, stderr } = await shell.exec("install");
    expect(stderr).toMatch(/^error: /);
    expect(code).toBe(1);
  });

  it("starts a cluster that stays, and knows it", async () => {
    const started = await exec("cluster", "start", "--audit", "audit.log");
    expect(started).toMatch(/^cluster started at https:\/\/127\.0\.0\.1:\d+\n/);
    expect(await exec("cluster", "start")).toContain("a cluster runs already");
    expect(await exec("cluster", "status")).toContain("running at https://127.0.0.1:");
    expect(await exec("cluster", "kubeconfig")).toBe(shell.read(".bowline/kubeconfig"));
  });

  it("installs the CRDs", async () => {
    expect(await exec("install")).toBe("customresourcedefinition widgets.apps.example.com created\n");
    expect(await exec("install")).toBe("customresourcedefinition widgets.apps.example.com unchanged\n");
    expect((await kubectl("get", "widgets")).stderr).toContain("No resources found");
  });

  it("deploys the operator, waits until it is ready, and the real kubectl sees its pod", async () => {
    const said = await exec("deploy", "--image", "registry.example.com/shop:v1");
    expect(said).toContain("deployment shop-system/shop-controller-manager created");
    expect(said).toMatch(/deployment shop-system\/shop-controller-manager is available: 1 ready\n$/);
    const pods = await kubectl("get", "pods", "-n", "shop-system", "--no-headers");
    expect(pods.stdout).toMatch(/^shop-controller-manager-\S+ +1\/1 +Running +0 /);
    const image = "jsonpath={.items[*].spec.containers[*].image}";
    expect((await kubectl("get", "pods", "-n", "shop-system", "-o", image)).stdout).toBe(
      "registry.example.com/shop:v1",
    );
    expect(shell.read("PROJECT")).toContain("image: registry.example.com/shop:v1");
  });

  it("derives a role from what the cluster has noted", async () => {
    const { stdout } = await shell.exec("rbac", "--audit", "audit.log", "--user-agent", "kubectl");
    expect(stdout).toMatch(/resources:\n {2}- widgets\n {2}verbs:\n {2}- list\n/);
  });

  it("takes everything away again, also what the manager wrote itself", async () => {
    for (const type of ["Mutating", "Validating"]) await createConfiguration(type);
    expect(await exec("undeploy")).toContain("customresourcedefinition widgets.apps.example.com deleted");
    await kubectl("wait", "namespace/shop-system", "--for=delete", "--timeout=20s");
    expect(await left()).toBe("");
    expect((await kubectl("get", "crd", "-o", "name")).stdout).toBe("");
    expect(await exec("undeploy")).toContain("namespace shop-system was not there");
  });

  it("leaves the kinds when it is told to, and nothing that would call the manager", async () => {
    await exec("deploy", "--no-wait");
    for (const type of ["Mutating", "Validating"]) await createConfiguration(type);
    expect(await exec("undeploy", "--keep-crds")).not.toContain("customresourcedefinition");
    await kubectl("wait", "namespace/shop-system", "--for=delete", "--timeout=20s");
    expect(await left()).toBe("");
    expect((await kubectl("get", "crd", "-o", "name")).stdout).toContain("widgets.apps.example.com");
  });

  it("writes folders and a file that the real kubectl applies and deletes", async () => {
    await exec("generate");
    for (const flags of [
      ["-k", "config/default"],
      ["-f", "deploy/install.yaml"],
    ]) {
      const where = [flags[0] ?? "", `${shell.folder}/${flags[1]}`];
      const applied = await kubectl("apply", ...where);
      expect(applied.stderr.replace(/Warning:.*last-applied-configuration.*\n/g, "")).toBe("");
      expect(applied.stdout).toContain("deployment.apps/shop-controller-manager created");
      expect((await kubectl("apply", ...where)).stdout).not.toMatch(/created|configured/);
      expect((await kubectl("delete", ...where, "--timeout=20s")).stdout).toContain(
        'namespace "shop-system" deleted',
      );
      expect(await left()).toBe("");
    }
  }, 60_000);

  const createConfiguration = async (type: string): Promise<void> => {
    shell.write(
      "configuration.yaml",
      `apiVersion: admissionregistration.k8s.io/v1\nkind: ${type}WebhookConfiguration\nmetadata: {name: shop-${type.toLowerCase()}, labels: {app.kubernetes.io/name: shop}}\n`,
    );
    expect((await kubectl("create", "-f", `${shell.folder}/configuration.yaml`)).stderr).toBe("");
  };

  /** All that belongs to the project, but its kinds. */
  const left = async (): Promise<string> => {
    const kinds =
      "all,serviceaccounts,roles,rolebindings,clusterroles,clusterrolebindings,networkpolicies,poddisruptionbudgets,namespaces,mutatingwebhookconfigurations,validatingwebhookconfigurations";
    return (await kubectl("get", kinds, "-A", "-l", "app.kubernetes.io/name=shop", "-o", "name")).stdout;
  };

  it("stops the cluster", async () => {
    expect(await exec("cluster", "stop")).toBe("cluster stopped\n");
    expect((await shell.exec("cluster", "status")).code).toBe(1);
    expect(await exec("cluster", "stop")).toBe("no cluster runs here\n");
  });
});

describe("bowline deploy", { timeout: 60_000 }, () => {
  it("says why the manager does not become ready", async () => {
    const shell = new CommandLine();
    await shell.ok("init", "--domain", "example.com", "--project-name", "shop");
    shell.linkPackages();
    const images = { "registry.example.com/none": { pullError: "no such image" } };
    const cluster = await createCluster({ images });
    try {
      shell.write("kubeconfig", (await cluster.listen()).kubeconfig);
      const flags = ["--kubeconfig", `${shell.folder}/kubeconfig`, "--image", "registry.example.com/none:v1"];
      const { code, stderr } = await shell.run("deploy", ...flags, "--timeout", "1");
      expect(stderr).toContain(
        "error: deployment shop-system/shop-controller-manager is not available after 1 s\n",
      );
      expect(stderr).toMatch(
        /^ {2}pod shop-controller-manager-\S+: manager (?:ErrImagePull|ImagePullBackOff)/m,
      );
      expect(code).toBe(1);
    } finally {
      await cluster.close();
      shell.remove();
    }
  });

  it("takes the conversion out of kinds that stay without it", async () => {
    const shell = new CommandLine();
    const widget = ["--group", "apps", "--kind", "Widget", "--version"];
    await shell.ok("init", "--domain", "example.com", "--project-name", "shop");
    await shell.ok("create", "api", ...widget, "v1");
    await shell.ok("create", "api", ...widget, "v2");
    await shell.ok("create", "webhook", ...widget, "v1", "--conversion", "--spoke", "v2");
    shell.linkPackages();
    const cluster = await createCluster();
    try {
      shell.write("kubeconfig", (await cluster.listen()).kubeconfig);
      const flags = ["--kubeconfig", `${shell.folder}/kubeconfig`];
      await shell.ok("install", ...flags);
      const client = createClient({ transport: cluster.transport(), fieldManager: "shop" });
      const crd = { name: "widgets.apps.example.com" };
      const service = { namespace: "shop-system", name: "shop-webhook-service", path: "/convert" };
      // as the manager does when it starts
      const webhook = { clientConfig: { service }, conversionReviewVersions: ["v1"] };
      const merge = { spec: { conversion: { strategy: "Webhook", webhook } } };
      await client.patch(CustomResourceDefinition, crd, { merge } as never);
      expect(await shell.ok("undeploy", "--keep-crds", ...flags)).toContain(
        "customresourcedefinition widgets.apps.example.com converts no more\n",
      );
      expect((await client.get(CustomResourceDefinition, crd)).spec.conversion).toEqual({ strategy: "None" });
    } finally {
      await cluster.close();
      shell.remove();
    }
  });
});

describe("bowline", () => {
  it.each(["bash", "zsh", "fish", "powershell"])("completes commands in %s", async (name) => {
    const shell = new CommandLine();
    const script = await shell.ok("completion", name);
    shell.remove();
    expect(script).toContain("uninstall");
    expect(script).not.toContain("serve");
  });

  it.each([
    [["bowline", "cre"], "create"],
    [["bowline", "create", ""], "api webhook --help"],
    [["bowline", "create", "api", "--ver"], "--version"],
    [["bowline", "dev", "--take"], "--takeover"],
    [["bowline", "cluster", "sta"], "start status"],
  ])("completes %j in a real bash", async (words, expected) => {
    const shell = new CommandLine();
    shell.write("completion.bash", await shell.ok("completion", "bash"));
    const typed = words.map((word) => `'${word}'`).join(" ");
    const script = `. ./completion.bash; COMP_WORDS=(${typed}); COMP_CWORD=${words.length - 1}; _bowline; echo "\${COMPREPLY[*]}"`;
    const { stdout, stderr } = spawnSync("bash", ["-c", script], { cwd: shell.folder, encoding: "utf8" });
    shell.remove();
    expect([stdout.trim(), stderr]).toEqual([expected, ""]);
  });

  it("prints its version", async () => {
    const shell = new CommandLine();
    expect(await shell.ok("version")).toMatch(/^bowline \d+\.\d+\.\d+, Node 2\d/);
    shell.remove();
  });
});
