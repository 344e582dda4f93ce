import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CredentialError } from "../errors.ts";
import { VirtualClock } from "../ports/virtual-clock.ts";
import { execCredentialSource } from "./exec-credential.ts";
import type { KubeconfigCluster, KubeconfigExec } from "./kubeconfig.ts";

let folder: string;
beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), "bowline-exec-"))));
afterEach(() => rm(folder, { recursive: true, force: true }));

const version = "client.authentication.k8s.io/v1";
const cluster = {
  server: "https://x",
  tlsServerName: "n",
  execConfig: { a: 1 },
} as unknown as KubeconfigCluster;

/** A source over a plug-in in JavaScript; each run is a line in the file `runs`. */
async function plugin(code: string, exec: Partial<KubeconfigExec> = {}): ReturnType<typeof sourceOf> {
  const path = join(folder, "plugin.mjs");
  const head = `#!${process.execPath}\nimport fs from "node:fs"; fs.appendFileSync(${JSON.stringify(join(folder, "runs"))}, "run\\n");`;
  await writeFile(path, `${head}\n${code}\n`);
  await chmod(path, 0o755);
  return sourceOf(exec);
}

async function sourceOf(exec: Partial<KubeconfigExec>) {
  const clock = new VirtualClock();
  const declared = { apiVersion: version, command: "./plugin.mjs", env: {}, ...exec } as KubeconfigExec;
  const where = 'config: user "me"';
  const environment = { PATH: process.env["PATH"], OUTER: "outer" };
  const source = execCredentialSource({
    exec: declared,
    cluster,
    where,
    folder,
    environment,
    isTerminal: false,
    clock,
  });
  const runs = async (): Promise<number> =>
    (await readFile(join(folder, "runs"), "utf8")).split("\n").length - 1;
  return { clock, source, runs };
}

const answer = (status: string): string =>
  `console.log(JSON.stringify({ apiVersion: "${version}", kind: "ExecCredential", status: ${status} }));`;

describe("execCredentialSource", () => {
  it("case 16: runs the plug-in once for fifty callers, and again when what it gave has expired", async () => {
    const at = new VirtualClock().now() + 2_000;
    const code = answer(`{ token: "t" + process.pid, expirationTimestamp: new Date(${at}).toISOString() }`);
    const { clock, source, runs } = await plugin(code);
    const all = await Promise.all(Array.from({ length: 50 }, () => source.current()));
    expect(new Set(all).size).toBe(1);
    expect(await runs()).toBe(1);
    await clock.advance(3_000);
    const next = await source.current();
    expect(next.authorization).not.toBe(all[0]?.authorization);
    expect(await runs()).toBe(2);
  });

  it("passes arguments, environment and what the plug-in may know of the cluster", async () => {
    const code = answer(
      "{ token: [process.argv[2], process.env.INNER, process.env.OUTER, process.env.KUBERNETES_EXEC_INFO].join('|') }",
    );
    const { source } = await plugin(code, {
      args: ["arg"],
      env: { INNER: "inner" },
      provideClusterInfo: true,
    });
    const { authorization = "" } = await source.current();
    expect(authorization.slice(0, authorization.indexOf("{"))).toBe("Bearer arg|inner|outer|");
    expect(JSON.parse(authorization.slice(authorization.indexOf("{")))).toEqual({
      apiVersion: version,
      kind: "ExecCredential",
      spec: {
        interactive: false,
        cluster: { server: "https://x", "tls-server-name": "n", config: { a: 1 } },
      },
    });
  });

  it("takes a client certificate", async () => {
    const { source } = await plugin(answer('{ clientCertificateData: "c", clientKeyData: "k" }'));
    expect(await source.current()).toEqual({ certificate: { cert: "c", key: "k" } });
  });

  it.each<[what: string, code: string, message: RegExp]>([
    [
      "an exit code",
      'console.error("log in first"); process.exit(3)',
      /plugin.mjs ended with code 3: log in first$/,
    ],
    [
      "no JSON",
      'console.log("hello")',
      /expected an ExecCredential in JSON on its output, found "hello\\n"$/,
    ],
    [
      "another kind",
      "console.log('{}')",
      /expected kind ExecCredential of .*\/v1, found undefined of undefined$/,
    ],
    ["no token", answer("{}"), /its status has neither token nor clientCertificateData$/],
    [
      "half a pair",
      answer('{ clientCertificateData: "c" }'),
      /both clientCertificateData and clientKeyData, or neither$/,
    ],
    [
      "a wrong time",
      answer('{ token: "t", expirationTimestamp: "soon" }'),
      /expirationTimestamp is not a time: "soon"$/,
    ],
  ])("reports %s", async (_what, code, message) => {
    const { source } = await plugin(code);
    const error = await source.current().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(CredentialError);
    expect((error as Error).message).toMatch(/^config: user "me": credential plug-in /);
    expect((error as Error).message).toMatch(message);
  });

  it("shows the hint when the program is not installed", async () => {
    const { source } = await sourceOf({ command: "no-such-plug-in", installHint: "Install it with apt." });
    await expect(source.current()).rejects.toThrow(/no-such-plug-in was not found\nInstall it with apt\.$/);
  });

  it("kills a plug-in that hangs and cannot be waiting for anybody", async () => {
    const { clock, source, runs } = await plugin("setInterval(() => {}, 1000)");
    const result = source.current().catch((reason: unknown) => reason);
    await expect.poll(() => runs().catch(() => 0)).toBe(1);
    await clock.advance(60_000);
    expect((await result) as Error).toMatchObject({
      message: expect.stringMatching(/ended with SIGKILL$/) as string,
    });
  });
});
