import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CommandLine } from "./command-line.ts";
import { DevProcess } from "./dev-process.ts";

describe("bowline dev on a new project", () => {
  const shell = new CommandLine();
  const widget = ["--group", "apps", "--version", "v1", "--kind", "Widget"];
  let dev: DevProcess;

  beforeAll(async () => {
    await shell.ok("init", "--domain", "example.com", "--project-name", "shop");
    await shell.ok("create", "api", ...widget);
    await shell.ok("create", "webhook", ...widget, "--programmatic-validation");
    shell.linkPackages();
    dev = DevProcess.startIn(shell.folder, shell.folder);
    await dev.printed("Ctrl-C stops everything.");
  });
  afterAll(async () => {
    await dev.interrupt();
    shell.remove();
  });

  it("says why each reconcile ran and what it wrote", async () => {
    await dev.printed(
      "widget default/widget-sample: Widget widget-sample added: patch status of Widget/widget-sample (conditions",
    );
  });

  it("has the webhooks called", async () => {
    const configurations = await dev.kubectl("get", "validatingwebhookconfigurations", "-o", "name");
    expect(configurations.stdout).toContain("validatingwebhookconfiguration");
    const patch = `{"spec":{"message":"seen"}}`;
    const { stderr, code } = await dev.kubectl(
      "patch",
      "widget",
      "widget-sample",
      "--type=merge",
      "-p",
      patch,
    );
    expect(stderr).toBe("");
    expect(code).toBe(0);
  });

  it("goes on with the old program when the new one cannot be loaded", async () => {
    const file = "src/controllers/widget.ts";
    const before = shell.read(file);
    shell.write(file, "this is no TypeScript");
    await dev.printed("not restarted: ");
    shell.write(file, before.replace('reason: "Reconciled"', 'reason: "Again"'));
    await dev.printed("runs again, with what has changed");
    const until = "--for=jsonpath={.status.conditions[0].reason}=Again";
    const { code } = await dev.kubectl("wait", "widget/widget-sample", until, "--timeout=20s");
    expect(code).toBe(0);
  });

  it("applies a kind anew when it has changed", async () => {
    const file = "src/api/v1/widget.ts";
    const again = dev.printedAgain("runs again, with what has changed");
    shell.write(file, shell.read(file).replace("message: z", "size: z.int().optional(),\n    message: z"));
    await again;
    expect((await dev.kubectl("explain", "widget.spec.size")).stdout).toContain("FIELD: size <integer>");
  });

  it("renders its sample", async () => {
    const said = await shell.ok("render", "-f", "config/samples/apps_v1_widget.yaml");
    expect(said).toContain("# update widget default/widget-sample\n");
  });
});
