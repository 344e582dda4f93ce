/** What a person sees of users and permissions, with the real kubectl. */
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { realClient } from "../../../tools/real-clients.ts";
import { type Cluster, createCluster } from "../src/cluster.ts";

const kubectlPath = realClient("kubectl");
const run = promisify(execFile);

describe("real kubectl", () => {
  let cluster: Cluster;
  let folder: string;

  /** Standard output, and what went wrong. Never rejects. */
  async function kubectl(who: "admin" | "jane", ...args: string[]): Promise<string> {
    const all = ["--kubeconfig", path.join(folder, who), "--cache-dir", path.join(folder, "cache"), ...args];
    const ended = await run(kubectlPath, all).catch((error: { stdout: string; stderr: string }) => error);
    return (ended.stdout + ended.stderr).trim();
  }

  beforeAll(async () => {
    cluster = await createCluster({ controllers: false });
    const server = await cluster.listen();
    folder = await mkdtemp(path.join(tmpdir(), "bowline-access-"));
    await writeFile(path.join(folder, "admin"), server.kubeconfig, { mode: 0o600 });
    const jane = server.kubeconfigFor({ name: "jane", groups: ["devs"] });
    await writeFile(path.join(folder, "jane"), jane, { mode: 0o600 });
  });
  afterAll(async () => {
    await cluster.close();
    await rm(folder, { recursive: true, force: true });
  });

  it("auth whoami tells name and groups", async () => {
    expect(await kubectl("jane", "auth", "whoami")).toMatch(
      /Username +jane\nGroups +\[devs system:authenticated\]$/,
    );
  });

  it("auth can-i, with and without --as and --list", async () => {
    expect(await kubectl("jane", "auth", "can-i", "list", "pods")).toBe("no");
    expect(await kubectl("admin", "auth", "can-i", "list", "pods", "--as", "jane")).toBe("no");
    expect(
      await kubectl("admin", "create", "rolebinding", "v", "--clusterrole=view", "--user=jane"),
    ).toContain("created");
    expect(await kubectl("jane", "auth", "can-i", "list", "pods")).toBe("yes");
    expect(await kubectl("jane", "auth", "can-i", "list", "secrets")).toBe("no");
    const rules = await kubectl("jane", "auth", "can-i", "--list");
    expect(rules).toMatch(/deployments\.apps\/scale +\[\] +\[\] +\[get list watch\]/);
    expect(rules).toMatch(/\[\/api\/\*\] +\[\] +\[get\]/);
  });

  it("is refused in the server's words", async () => {
    expect(await kubectl("jane", "get", "nodes")).toBe(
      'Error from server (Forbidden): nodes is forbidden: User "jane" cannot list resource "nodes" in API group "" at the cluster scope',
    );
    expect(await kubectl("jane", "get", "nodes", "--as", "admin")).toBe(
      'Error from server (Forbidden): users "admin" is forbidden: User "jane" cannot impersonate resource "users" in API group "" at the cluster scope',
    );
  });

  it("create token gives a token that the server takes", async () => {
    await kubectl("admin", "create", "serviceaccount", "robot");
    const token = await kubectl("admin", "create", "token", "robot", "--duration=10m");
    const review = JSON.stringify({
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenReview",
      spec: { token },
    });
    const file = path.join(folder, "review.json");
    await writeFile(file, review);
    const answer = await kubectl("admin", "create", "-f", file, "-o", "jsonpath={.status.user.username}");
    expect(answer).toBe("system:serviceaccount:default:robot");
  });
});
