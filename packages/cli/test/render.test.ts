import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import type { RenderedWrite } from "../src/render/render-writes.ts";
import { CommandLine, root } from "./command-line.ts";

const project = path.join(root, "examples/application");
const sample = path.join(project, "config/samples/example_v1_application.yaml");

/** The command in the folder of the example, with files of the test's own. */
describe("bowline render", () => {
  const line = new CommandLine();
  afterAll(() => line.remove());
  const render = (...args: string[]) => line.runIn(project, "render", ...args);

  it("prints what is created whole, and what is given as a difference", async () => {
    const { code, stdout, stderr } = await render("-f", sample);
    expect(stderr).toBe("");
    expect(code).toBe(0);
    expect(stdout).toContain("# create deployment default/myapp\n");
    expect(stdout).toMatch(/^ {8}image: nginx:1\.25$|image: nginx:1\.25/m);
    expect(stdout).toContain("# update application default/myapp\n");
    expect(stdout).toContain("# +  availableReplicas: 0\n");
    const [first] = parseAllDocuments(stdout).map((each) => each.toJS() as { kind?: string } | null);
    expect(first?.kind).toBe("Deployment");
  });

  it("takes the objects that are there into account, with their status", async () => {
    const first = JSON.parse((await render("-f", sample, "-o", "json")).stdout) as RenderedWrite[];
    const deployment = first.find((write) => write.title === "deployment default/myapp")?.after;
    const status = { availableReplicas: 3, readyReplicas: 3, replicas: 3, updatedReplicas: 3 };
    line.write("there.json", JSON.stringify({ ...deployment, status }));
    const { stdout } = await render("-f", sample, path.join(line.folder, "there.json"), "-o", "json");
    const writes = JSON.parse(stdout) as RenderedWrite[];
    const app = writes.find((write) => write.title === "application default/myapp")?.after as {
      status: { availableReplicas: number };
    };
    expect(app.status.availableReplicas).toBe(3);
    expect(writes.filter((write) => write.action === "create")).toEqual([]);
  });

  it("says the same each time", async () => {
    const [one, two] = [await render("-f", sample), await render("-f", sample)];
    expect(one.stdout).toBe(two.stdout);
  });

  it.each([
    [[], "-f is missing"],
    [["-f", "nothing.yaml"], "nothing.yaml does not exist"],
    [["-f", sample, "-o", "table"], "--output table: yaml or json"],
  ])("refuses %j", async (args, message) => {
    const { code, stderr } = await render(...args);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
  });

  it("asks the project's webhooks: they default what is given, and refuse it", async () => {
    const application = (spec: string): string =>
      `apiVersion: example.com/v1\nkind: Application\nmetadata: {name: a}\nspec: ${spec}\n`;
    line.write("tagged.yaml", application("{image: 'nginx:1.27', replicas: 2}"));
    const { stdout } = await render("-f", path.join(line.folder, "tagged.yaml"), "-o", "json");
    const app = (JSON.parse(stdout) as RenderedWrite[]).find(
      (write) => write.title === "application default/a",
    );
    expect(app?.after).toMatchObject({ spec: { image: "nginx", version: "1.27" } });
    line.write("twice.yaml", application("{image: 'nginx:1.27', version: '1', replicas: 2}"));
    const { code, stderr } = await render("-f", path.join(line.folder, "twice.yaml"));
    expect(stderr).toContain("application a is refused: ");
    expect(stderr).toContain("must be without a tag: it says 1.27, and spec.version says 1");
    expect(code).toBe(2);
  });

  it("says why the API server refuses an object", async () => {
    line.write(
      "wrong.yaml",
      "apiVersion: example.com/v1\nkind: Application\nmetadata: {name: a}\nspec: {image: nginx, replicas: 11}\n",
    );
    const { code, stderr } = await render("-f", path.join(line.folder, "wrong.yaml"));
    expect(stderr).toMatch(/application a is refused: .*spec\.replicas: Invalid value: 11/);
    expect(code).toBe(2);
  });
});
