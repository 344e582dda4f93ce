import { execFileSync } from "node:child_process";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CommandLine, root } from "./command-line.ts";

let shell: CommandLine;
beforeEach(() => {
  shell = new CommandLine();
});
afterEach(() => shell.remove());

const initShop = (): Promise<string> => shell.ok("init", "--domain", "example.com", "--project-name", "shop");
const createWidget = (...more: string[]): Promise<string> =>
  shell.ok("create", "api", "--group", "apps", "--version", "v1", "--kind", "Widget", ...more);

describe("bowline init", () => {
  it("writes a small project that remembers its name and domain", async () => {
    await initShop();
    expect(shell.read("PROJECT")).toContain(
      "domain: example.com\nlayout:\n- bowline.dev/v1\nprojectName: shop\n",
    );
    expect(Object.keys(shell.snapshot())).toHaveLength(14);
    expect(JSON.parse(shell.read("package.json"))).toMatchObject({ name: "shop", type: "module" });
  });

  it("changes nothing when it is repeated", async () => {
    await initShop();
    shell.write("Makefile", "mine\n");
    const before = shell.snapshot();
    await initShop();
    expect(shell.snapshot()).toEqual(before);
  });

  it("takes the name of the project from the folder, made into a label", async () => {
    await shell.ok("init", "My Shop_2", "--domain", "example.com");
    expect(shell.read("My Shop_2/PROJECT")).toContain("projectName: my-shop-2\n");
  });

  it("notes license and owner", async () => {
    const about = ["--domain", "example.com", "--owner", "Harbour Ltd"];
    await shell.ok("init", "licensed", ...about, "--license", "apache2");
    expect(JSON.parse(shell.read("licensed/package.json"))).toMatchObject({
      license: "Apache-2.0",
      author: "Harbour Ltd",
    });
    await shell.ok("init", "unlicensed", ...about, "--license", "none");
    expect(JSON.parse(shell.read("unlicensed/package.json"))).not.toHaveProperty("license");
  });

  it("asks a person for the domain, and nobody else", async () => {
    shell.answers = ["example.org"];
    await shell.ok("init");
    expect(shell.questions).toEqual(["Domain of your API groups"]);
    expect(shell.read("PROJECT")).toContain("domain: example.org\n");
  });

  it.each([
    [["init"], "--domain is missing: domain of your api groups"],
    [
      ["init", "--domain", "a.b", "--license", "my own"],
      '--license "my own": apache2, none or an SPDX identifier',
    ],
    [
      ["init", "--domain", "Example.com"],
      '--domain "Example.com": a lowercase RFC 1123 subdomain must consist of',
    ],
    [
      ["init", "--domain", "e.com", "--project-name", "a_b"],
      '--project-name "a_b": a lowercase RFC 1123 label must',
    ],
    [["create", "api", "--version", "v1", "--kind", "A"], "has no PROJECT file: run bowline init first"],
    [["edit"], "has no PROJECT file"],
  ])("refuses %j with code 2 and writes nothing", async (args, message) => {
    const { code, stderr } = await shell.run(...args);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
    expect(shell.snapshot()).toEqual({});
  });

  it("leaves a folder alone that holds another program", async () => {
    shell.write("package.json", "{}\n");
    const { code, stderr } = await shell.run("init", "--domain", "example.com");
    expect(stderr).toContain("has a package.json but no PROJECT file: choose an empty folder, or --force");
    expect(code).toBe(2);
  });

  it("does not make another project of one that is there", async () => {
    await initShop();
    const { stderr } = await shell.run("init", "--domain", "example.org");
    expect(stderr).toContain("is the project shop of domain example.com already");
  });
});

describe("bowline create api", () => {
  beforeEach(initShop);

  it("writes the kind, its controller, a test and a sample, and lists them in the operator", async () => {
    await createWidget();
    expect(shell.read("src/api/v1/widget.ts")).toContain('group: "apps.example.com"');
    expect(shell.read("config/samples/apps_v1_widget.yaml")).toContain(
      "apiVersion: apps.example.com/v1\nkind: Widget\n",
    );
    expect(shell.read("src/operator.ts")).toContain(
      "  kinds: [Widget],\n  controllers: [widgetController],\n",
    );
    expect(shell.has("src/controllers/widget.test.ts")).toBe(true);
  });

  it("changes nothing when it is repeated", async () => {
    await createWidget();
    const before = shell.snapshot();
    const text = await createWidget("--controller", "--resource");
    expect(shell.snapshot()).toEqual(before);
    expect(text).toContain("unchanged src/api/v1/widget.ts\n");
    expect(text).not.toContain("updated");
  });

  it("says once that it has edited the operator", async () => {
    const text = await createWidget();
    expect(text.match(/src\/operator\.ts/g)).toEqual(["src/operator.ts"]);
  });

  it("keeps what a person has written, shows the difference and writes its own beside it", async () => {
    await createWidget();
    shell.write("src/controllers/widget.ts", "// mine\n");
    const text = await createWidget();
    expect(shell.read("src/controllers/widget.ts")).toBe("// mine\n");
    expect(shell.read("src/controllers/widget.ts.new")).toContain("defineController(Widget");
    expect(text).toContain("kept      src/controllers/widget.ts");
    expect(text).toMatch(/^ {4}-\/\/ mine$/m);
    await createWidget("--force");
    expect(shell.read("src/controllers/widget.ts")).toContain("defineController(Widget");
    expect(shell.has("src/controllers/widget.ts.new")).toBe(false);
  });

  it("takes the domain as the group when none is given", async () => {
    await shell.ok("create", "api", "--version", "v1", "--kind", "Thing");
    expect(shell.read("src/api/v1/thing.ts")).toContain('group: "example.com"');
  });

  it("writes a controller for a built-in kind", async () => {
    await shell.ok(
      "create",
      "api",
      "--group",
      "apps",
      "--version",
      "v1",
      "--kind",
      "Deployment",
      "--resource=false",
    );
    expect(shell.read("src/controllers/deployment.ts")).toContain('from "@bowline/api/apps/v1"');
    expect(shell.read("src/operator.ts")).toContain("kinds: [],\n  controllers: [deploymentController]");
  });

  it("joins a second version with the first in one definition", async () => {
    await createWidget();
    await shell.ok("create", "api", "--group", "apps", "--version", "v2", "--kind", "Widget");
    expect(shell.read("src/api/widget-crd.ts")).toContain(
      'defineCrd([WidgetV1, WidgetV2], { storage: "v1" })',
    );
    const operator = shell.read("src/operator.ts");
    expect(operator).toContain("kinds: [widgetCrd]");
    expect(operator).not.toContain('from "./api/v1/widget.ts"');
  });

  it("asks a person for what is missing", async () => {
    shell.answers = ["apps", "v1", "Widget", "y", "n"];
    await shell.ok("create", "api");
    expect(shell.has("src/api/v1/widget.ts")).toBe(true);
    expect(shell.has("src/controllers/widget.ts")).toBe(false);
  });

  it.each([
    [["--version", "v1"], "--kind is missing"],
    [["--version", "1", "--kind", "A"], '--version "1": must be like v1, v1beta1 or v2alpha3'],
    [["--version", "v1", "--kind", "widget"], '--kind "widget": must be one word that begins with a capital'],
    [["--version", "v1", "--kind", "Widget", "--plural", "W"], '--plural "W": a DNS-1035 label'],
    [["--group", "A b", "--version", "v1", "--kind", "Widget"], '--group "A b"'],
    [
      ["--version", "v1", "--kind", "Other", "--resource=false"],
      "there is no src/api/v1/other.ts and no built-in kind Other",
    ],
    [["--version", "v1", "--kind", "Other", "--resource=maybe"], "maybe is neither true nor false"],
  ])("refuses %j with code 2 and writes nothing", async (args, message) => {
    const before = shell.snapshot();
    const { code, stderr } = await shell.run("create", "api", "--group", "apps", ...args);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
    expect(shell.snapshot()).toEqual(before);
  });

  it("refuses a kind whose files would have the names of another's", async () => {
    await createWidget();
    const { code, stderr } = await shell.run(
      "create",
      "api",
      "--group",
      "other",
      "--version",
      "v1",
      "--kind",
      "Widget",
    );
    expect(stderr).toContain("there is Widget of group apps.example.com already");
    expect(code).toBe(2);
  });
});

describe("bowline create webhook", () => {
  const webhook = (...flags: string[]): ReturnType<CommandLine["run"]> =>
    shell.run("create", "webhook", "--group", "apps", "--version", "v1", "--kind", "Widget", ...flags);
  beforeEach(async () => {
    await initShop();
    await createWidget();
  });

  it("writes defaulting and validation with a test, and lists the webhook", async () => {
    expect((await webhook("--defaulting", "--programmatic-validation")).code).toBe(0);
    expect(shell.read("src/webhooks/widget.ts")).toContain("default: defaultWidget");
    expect(shell.read("src/operator.ts")).toContain("webhooks: [widgetWebhook]");
    expect(shell.read("PROJECT")).toContain("defaulting: true\n    validation: true\n");
    expect((await webhook("--defaulting", "--programmatic-validation")).stdout).toBe(
      "unchanged src/webhooks/widget.ts\nunchanged src/webhooks/widget.test.ts\n",
    );
  });

  it("writes a conversion with a test of its round trip", async () => {
    await shell.ok("create", "api", "--group", "apps", "--version", "v2", "--kind", "Widget");
    expect((await webhook("--conversion", "--spoke", "v2")).code).toBe(0);
    expect(shell.read("src/api/widget-conversion.ts")).toContain('version: "v2"');
    expect(shell.read("src/operator.ts")).toContain("webhooks: [widgetConversion]");
  });

  it.each([
    [[], "say which webhooks: --defaulting"],
    [["--conversion"], "--conversion needs a second version of Widget"],
    [["--conversion", "--spoke", "v3"], "--conversion needs v3 of Widget"],
    [
      ["--defaulting", "--kind", "Gadget"],
      "Gadget is not in this project; there are: apps.example.com/v1 Widget",
    ],
  ])("refuses %j with code 2", async (flags, message) => {
    const { code, stderr } = await webhook(...flags);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
  });
});

describe("what was scaffolded", () => {
  it("passes its own type check, lint and tests at once", async () => {
    await initShop();
    await createWidget();
    await shell.ok("create", "api", "--group", "apps", "--version", "v2", "--kind", "Widget");
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
    await shell.ok(
      "create",
      "webhook",
      "--group",
      "apps",
      "--version",
      "v1",
      "--kind",
      "Widget",
      "--conversion",
      "--spoke",
      "v2",
    );
    await shell.ok(
      "create",
      "api",
      "--group",
      "batch",
      "--version",
      "v1",
      "--kind",
      "Job",
      "--resource=false",
    );
    await shell.ok(
      "create",
      "api",
      "--group",
      "infra",
      "--version",
      "v1",
      "--kind",
      "Region",
      "--namespaced=false",
      "--plural",
      "regiones",
    );
    shell.linkPackages();
    const bin = (name: string): string => path.join(root, "node_modules/.bin", name);
    const run = (name: string, ...args: string[]): string => {
      try {
        return execFileSync(bin(name), args, {
          cwd: shell.folder,
          encoding: "utf8",
          stdio: "pipe",
          env: { ...process.env, NO_COLOR: "1" },
        });
      } catch (error) {
        const { stdout, stderr } = error as { stdout: string; stderr: string };
        throw new Error(`${name}:\n${stdout}${stderr}`);
      }
    };
    run("tsc");
    expect(run("oxlint", "--type-aware", "--deny-warnings")).toContain("Found 0 warnings and 0 errors");
    expect(run("vitest", "run")).toMatch(/Tests +5 passed/);
  }, 120_000);
});
