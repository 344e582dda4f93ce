import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CommandLine } from "./command-line.ts";
import { type Ended, runClient } from "./dev-process.ts";

/** Each step stands on those before it, as for a person. */
describe("from a project to a deployed operator", () => {
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
    const { code, stderr } = await shell.exec("generate", "--check");
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
    expect(await exec("cluster", "start")).toMatch(/^cluster started at https:\/\/127\.0\.0\.1:\d+\n/);
    expect(await exec("cluster", "start")).toContain("a cluster runs already");
    expect(await exec("cluster", "status")).toContain("running at https://127.0.0.1:");
    expect(await exec("cluster", "kubeconfig")).toBe(shell.read(".bowline/kubeconfig"));
  });

  it("installs the CRDs", async () => {
    expect(await exec("install")).toBe("customresourcedefinition widgets.apps.example.com created\n");
    expect(await exec("install")).toBe("customresourcedefinition widgets.apps.example.com unchanged\n");
    expect((await kubectl("get", "widgets")).stderr).toContain("No resources found");
  });

  it("deploys the operator, and the real kubectl sees its pod", async () => {
    expect(await exec("deploy", "--image", "registry.example.com/shop:v1")).toContain(
      "deployment shop-system/shop-controller-manager created",
    );
    const waited = await kubectl(
      "wait",
      "-n",
      "shop-system",
      "pods",
      "--all",
      "--for=condition=PodScheduled",
      "--timeout=20s",
    );
    expect(waited.stderr).toBe("");
    const pods = await kubectl(
      "get",
      "pods",
      "-n",
      "shop-system",
      "-o",
      "jsonpath={.items[*].spec.containers[*].image}",
    );
    expect(pods.stdout).toBe("registry.example.com/shop:v1");
    expect(shell.read("PROJECT")).toContain("image: registry.example.com/shop:v1");
  });

  it("takes everything away again", async () => {
    expect(await exec("undeploy")).toContain("customresourcedefinition widgets.apps.example.com deleted");
    expect((await kubectl("get", "crd", "-o", "name")).stdout).toBe("");
    expect(await exec("undeploy")).toContain("namespace shop-system");
  });

  it("stops the cluster", async () => {
    expect(await exec("cluster", "stop")).toBe("cluster stopped\n");
    expect((await shell.exec("cluster", "status")).code).toBe(1);
    expect(await exec("cluster", "stop")).toBe("no cluster runs here\n");
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

  it("prints its version", async () => {
    const shell = new CommandLine();
    expect(await shell.ok("version")).toMatch(/^bowline \d+\.\d+\.\d+, Node 2\d/);
    shell.remove();
  });
});
