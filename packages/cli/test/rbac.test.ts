import { createCluster } from "@bowline/cluster";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { CommandLine } from "./command-line.ts";

const shell = new CommandLine();
const controller = "src/controllers/widget.ts";
const operator = "src/operator.ts";

beforeAll(async () => {
  await shell.ok("init", "--domain", "example.com", "--project-name", "shop");
  await shell.ok("create", "api", "--group", "apps", "--version", "v1", "--kind", "Widget");
  shell.linkPackages();
});
afterAll(() => shell.remove());

/** Changes a file for a while. */
async function withChange<T>(
  file: string,
  change: (text: string) => string,
  work: () => Promise<T>,
): Promise<T> {
  const before = shell.read(file);
  shell.write(file, change(before));
  expect(shell.read(file)).not.toBe(before);
  try {
    return await work();
  } finally {
    shell.write(file, before);
  }
}

/** The operator also reads a ConfigMap with every reconcile. */
const readsConfigMap = (text: string): string =>
  text
    .replace(
      "import { defineController }",
      'import { ConfigMap } from "@bowline/api/core/v1";\nimport { defineController }',
    )
    .replace(
      "await ctx.patchStatus",
      'await ctx.client.find(ConfigMap, { namespace: "default", name: "settings" });\n    await ctx.patchStatus',
    );

interface Rule {
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

const rulesIn = (text: string): Rule[] => (parse(text) as { rules: Rule[] }).rules;

describe("bowline rbac", { timeout: 60_000 }, () => {
  it("prints the role that follows from the declarations", async () => {
    const printed = await shell.ok("rbac");
    await shell.ok("generate");
    expect(rulesIn(printed)).toEqual(rulesIn(shell.read("config/rbac/role.yaml")));
  });

  it("derives the smallest role from a run with the samples", async () => {
    const said = await shell.ok("rbac", "--record");
    expect(rulesIn(said)).toEqual([
      { apiGroups: ["apps.example.com"], resources: ["widgets"], verbs: ["list", "watch"] },
      { apiGroups: ["apps.example.com"], resources: ["widgets/status"], verbs: ["patch"] },
    ]);
    expect(said).toContain("# missing in what is declared: nothing\n");
    expect(said).toContain("#   apps.example.com widgets/status: get, update\n");
  });

  it("finds what is missing, until it is declared", async () => {
    await withChange(controller, readsConfigMap, async () => {
      const { code, stdout, stderr } = await shell.run("rbac", "--record");
      expect(stdout).toContain("# missing in what is declared:\n#   core configmaps: get\n");
      expect(stderr).toContain("permissions are missing: add them to `permissions`");
      expect(code).toBe(1);
      const declare = (text: string): string =>
        text.replace(
          "controllers: [",
          'permissions: [{ apiGroups: [""], resources: ["configmaps"], verbs: ["get"] }],\n  controllers: [',
        );
      const declared = await withChange(operator, declare, () =>
        shell.ok("rbac", "--record", "--resource-names"),
      );
      expect(declared).toContain("# missing in what is declared: nothing\n");
      expect(rulesIn(declared)[0]).toMatchObject({ resources: ["configmaps"], resourceNames: ["settings"] });
    });
  });

  it("says with --check that something is never used", async () => {
    const { code, stderr } = await shell.run("rbac", "--record", "--check");
    expect(stderr).toContain("permissions are declared that nothing has used");
    expect(code).toBe(1);
  });

  it("takes the requests of the tests", async () => {
    const { code, stdout, stderr } = await shell.run("rbac", "--tests");
    expect(stderr).toContain("1 passed");
    expect(code).toBe(0);
    expect(rulesIn(stdout).flatMap((rule) => rule.resources)).toEqual(["widgets", "widgets/status"]);
  });

  it("reads an audit log, by program or by user", async () => {
    const lines: string[] = [];
    const cluster = await createCluster({ controllers: false, audit: (line) => void lines.push(line) });
    const list = (path: string) => ({ method: "GET", path }) as const;
    await cluster.transport({ userAgent: "shop/1.0" }).request(list("/api/v1/namespaces/default/configmaps"));
    await cluster.transport({ userAgent: "other" }).request(list("/api/v1/secrets"));
    const user = { name: "system:serviceaccount:shop-system:shop", groups: [] };
    await cluster
      .transport({ user })
      .request(list("/apis/apps/v1/deployments"))
      .catch(() => undefined);
    await cluster.close();
    // the end of a log that is being written
    shell.write("audit.log", `${lines.join("\n")}\n{"kind":"Ev`);
    expect(rulesIn((await shell.run("rbac", "--audit", "audit.log")).stdout)).toEqual([
      { apiGroups: [""], resources: ["configmaps"], verbs: ["list"] },
    ]);
    // a refused request is needed as well
    expect(rulesIn((await shell.run("rbac", "--audit", "audit.log", "--user", user.name)).stdout)).toEqual([
      { apiGroups: ["apps"], resources: ["deployments"], verbs: ["list"] },
    ]);
  });

  it.each([
    [["--record", "--tests"], 2, "one of --record, --tests and --audit at a time"],
    [["--audit", "none.log"], 2, "none.log does not exist"],
    [["--audit", "package.json"], 1, "package.json:1 is not an audit event"],
    [["--audit", "audit.log", "--user", "nobody"], 1, "no request of nobody was recorded"],
  ])("refuses %j", async (args, code, message) => {
    const answer = await shell.run("rbac", ...args);
    expect(answer.stderr).toContain(message);
    expect(answer.code).toBe(code);
  });
});
