import { execFile } from "node:child_process";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type Cluster, createCluster } from "@bowline/cluster";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { realClient } from "../../../tools/real-clients.ts";
import { tarArchive } from "../src/image/tar.ts";
import { CommandLine, root } from "./command-line.ts";
import { ImageRegistry } from "./image-registry.ts";

/** The shell blocks of a guide, in their order, but those that are marked `skip`. */
function blocksOf(guide: string): string[] {
  const text = readFileSync(path.join(root, "docs/guides", guide), "utf8");
  return [...text.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, code = ""]) => code);
}

/** Every command of the guides is run as it stands there, in the project that they speak of. */
describe.each(["deploying.md", "helm.md", "rbac.md"])("the guide %s", (guide) => {
  const shell = new CommandLine();
  let cluster: Cluster;
  let registry: ImageRegistry;

  beforeAll(async () => {
    const widget = ["--group", "apps", "--version", "v1", "--kind", "Widget"];
    await shell.ok("init", "--domain", "example.com", "--project-name", "shop");
    await shell.ok("create", "api", ...widget);
    await shell.ok("create", "webhook", ...widget, "--defaulting", "--programmatic-validation");
    shell.linkPackages();
    const node = { path: "usr/bin/node", type: "file", mode: 0o755, content: Buffer.from("node") } as const;
    writeFileSync(path.join(shell.folder, "node.tar"), Buffer.concat([...tarArchive([node])]));
    program("bowline", [process.execPath, path.join(root, "packages/cli/dist/bin.js")]);
    program("kubectl", [realClient("kubectl")]);
    program("helm", [realClient("helm")]);
    cluster = await createCluster();
    shell.write("kubeconfig", (await cluster.listen()).kubeconfig);
    registry = await ImageRegistry.start();
  });
  afterAll(async () => {
    await shell.exec("cluster", "stop");
    await registry.stop();
    await cluster.close();
    shell.remove();
  });

  const bin = path.join(shell.folder, "bin");
  const program = (name: string, command: readonly string[]): void => {
    shell.write(`bin/${name}`, `#!/bin/sh\nexec ${command.map((part) => `'${part}'`).join(" ")} "$@"\n`);
    chmodSync(path.join(bin, name), 0o755);
  };

  const run = (code: string): Promise<string> => {
    const script = code
      .replaceAll("npx bowline", "bowline")
      .replaceAll("registry.example.com", registry.host);
    const env = {
      ...process.env,
      PATH: `${bin}:${process.env["PATH"]}`,
      HOME: shell.folder,
      KUBECONFIG: path.join(shell.folder, "kubeconfig"),
    };
    return new Promise((resolve, reject) => {
      execFile("bash", ["-e", "-c", script], { cwd: shell.folder, env }, (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else reject(new Error(`${script}\n${stdout}${stderr}`));
      });
    });
  };

  it.each(blocksOf(guide))(
    "runs:\n%s",
    async (code) => {
      await expect(run(code)).resolves.toBeTypeOf("string");
    },
    60_000,
  );
});
