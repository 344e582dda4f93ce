import { execFile } from "node:child_process";
import { chmodSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import { realClient } from "../../../tools/real-clients.ts";
import { CommandLine, root } from "./command-line.ts";
import { runClient } from "./dev-process.ts";

/** The shell block of a page that has `command` in it. */
function blockWith(page: string, command: string): string {
  const blocks = [...readFileSync(path.join(root, page), "utf8").matchAll(/^```sh\n([^]*?)^```$/gm)];
  const found = blocks.map(([, code = ""]) => code).find((code) => code.includes(command));
  if (found === undefined) throw new Error(`${page} has no block with ${command}`);
  return found;
}

/** Each step stands on those before it, as for a person. */
describe("bowline cluster snapshot and restore", { timeout: 60_000 }, () => {
  const shell = new CommandLine();
  const file = path.join(shell.folder, "before.snapshot");
  const kubectl = async (...args: string[]): Promise<string> => {
    const kubeconfig = path.join(shell.folder, ".bowline/kubeconfig");
    const { stdout, stderr, code } = await runClient("kubectl", args, { KUBECONFIG: kubeconfig });
    expect(stderr).toBe("");
    expect(code).toBe(0);
    return stdout;
  };
  const program = (name: string, command: readonly string[]): void => {
    shell.write(`bin/${name}`, `#!/bin/sh\nexec ${command.map((part) => `'${part}'`).join(" ")} "$@"\n`);
    chmodSync(path.join(shell.folder, "bin", name), 0o755);
  };
  afterAll(async () => {
    await shell.exec("cluster", "stop");
    shell.remove();
  });

  it("say that no cluster runs", async () => {
    writeFileSync(file, "");
    for (const command of ["snapshot", "restore"]) {
      const { code, stderr } = await shell.run("cluster", command, "before.snapshot");
      expect(stderr).toContain("no cluster runs here: bowline cluster start");
      expect(code).toBe(2);
    }
  });

  it("do what the page on the control plane shows", async () => {
    program("bowline", [process.execPath, path.join(root, "packages/cli/dist/bin.js")]);
    program("kubectl", [realClient("kubectl")]);
    const code = blockWith("docs/concepts/control-plane.md", "cluster snapshot");
    const env = {
      ...process.env,
      PATH: `${path.join(shell.folder, "bin")}:${process.env["PATH"]}`,
      HOME: shell.folder,
      KUBECONFIG: path.join(shell.folder, ".bowline/kubeconfig"),
    };
    const said = await new Promise<string>((resolve, reject) => {
      execFile("bash", ["-e", "-c", code], { cwd: shell.folder, env }, (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else reject(new Error(`${stdout}${stderr}`));
      });
    });
    expect(said).toMatch(/^everything the cluster holds is in before\.snapshot \(\d+ KiB\)$/m);
    expect(said).toMatch(/^the cluster is as in before\.snapshot: \d+ objects written, \d+ deleted$/m);
    expect(said).toMatch(/settings +1 +\S+\n$/);
  });

  it("leave a file that only its owner can read, and nothing beside it", () => {
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(shell.folder).filter((name) => name.startsWith("before"))).toEqual([
      "before.snapshot",
    ]);
  });

  it("refuse a file that is missing or no good, and change nothing", async () => {
    const version = await kubectl(
      "get",
      "configmap",
      "settings",
      "-o",
      "jsonpath={.metadata.resourceVersion}",
    );
    const later = JSON.stringify({ kind: "BowlineSnapshot", format: 9, revision: 1, objects: 0 });
    const cut = readFileSync(file).subarray(0, -100);
    const cases: [string, Uint8Array | undefined, string][] = [
      ["missing", undefined, "missing does not exist"],
      ["foreign", Buffer.from("{}"), "foreign: this is no snapshot of a cluster"],
      ["cut", cut, "cut: the snapshot is damaged"],
      ["later", gzipSync(`${later}\n`), "later: the snapshot is of format 9"],
    ];
    for (const [name, bytes, why] of cases) {
      if (bytes !== undefined) writeFileSync(path.join(shell.folder, name), bytes);
      const { code, stderr } = await shell.run("cluster", "restore", name);
      expect(stderr).toContain(why);
      expect(code).toBeGreaterThan(0);
    }
    expect(await kubectl("get", "configmap", "settings", "-o", "jsonpath={.metadata.resourceVersion}")).toBe(
      version,
    );
  });

  it("bring pods and their controllers back into a cluster that was started anew, and they work on", async () => {
    await kubectl("create", "deployment", "web", "--image=nginx", "--replicas=2");
    await kubectl("wait", "deployment/web", "--for=condition=Available", "--timeout=20s");
    const pods = ["get", "pods", "-l", "app=web", "-o", "jsonpath={.items[*].metadata.uid}"];
    const before = await kubectl(...pods);
    expect(before).toMatch(/^\S+ \S+$/);
    await shell.ok("cluster", "snapshot", "web.snapshot");
    await shell.ok("cluster", "stop");
    expect((await shell.exec("cluster", "start")).code).toBe(0);
    await shell.ok("cluster", "restore", "web.snapshot");
    expect(await kubectl(...pods)).toBe(before);
    await kubectl("scale", "deployment/web", "--replicas=3");
    await kubectl("wait", "deployment/web", "--for=jsonpath={.status.readyReplicas}=3", "--timeout=20s");
    const uids = (await kubectl(...pods)).split(" ");
    expect(uids).toHaveLength(3);
    expect(uids).toEqual(expect.arrayContaining(before.split(" ")));
    const addresses = await kubectl(
      "get",
      "pods",
      "-l",
      "app=web",
      "-o",
      "jsonpath={.items[*].status.podIP}",
    );
    expect(new Set(addresses.split(" ")).size).toBe(3);
  });

  it("are completed by shells", async () => {
    const script = await shell.ok("completion", "bash");
    expect(script).toMatch(/snapshot/);
    expect(script).toMatch(/restore/);
  });
});
