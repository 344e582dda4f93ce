/** Commands of the real kubectl that take several objects or endpoints to answer. */
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
/** A signing request for CN=jane, O=devs, made with openssl. */
const request = `-----BEGIN CERTIFICATE REQUEST-----
MIHZMIGAAgEAMB4xDTALBgNVBAoMBGRldnMxDTALBgNVBAMMBGphbmUwWTATBgcq
hkjOPQIBBggqhkjOPQMBBwNCAARYdJkbFE9PqxRznbJdnWZIwanztpmp4LNaGUcr
1J71YqqJHiR/tpqwRXGlFH6CLjG52KKMEk8JnWivdvyTPF2AoAAwCgYIKoZIzj0E
AwIDSAAwRQIgHy40Am+QSXOuV+xwYXEUxI8zeFiIWnSI05FeL0aEb+QCIQDMB70r
xgKaqDVAypqVitvs3m3nzBc+Lpd+Jr8kMWebCg==
-----END CERTIFICATE REQUEST-----
`;

describe("real kubectl", () => {
  let cluster: Cluster;
  let folder: string;

  /** Standard output, and what went wrong. Never rejects. */
  async function kubectl(...args: string[]): Promise<string> {
    const all = [
      "--kubeconfig",
      path.join(folder, "admin"),
      "--cache-dir",
      path.join(folder, "cache"),
      ...args,
    ];
    const ended = await run(kubectlPath, all).catch((error: { stdout: string; stderr: string }) => error);
    return (ended.stdout + ended.stderr).trim();
  }

  beforeAll(async () => {
    cluster = await createCluster();
    const server = await cluster.listen();
    folder = await mkdtemp(path.join(tmpdir(), "bowline-workflows-"));
    await writeFile(path.join(folder, "admin"), server.kubeconfig, { mode: 0o600 });
  });
  afterAll(async () => {
    await cluster.close();
    await rm(folder, { recursive: true, force: true });
  });

  it("certificate approve leads to a certificate", async () => {
    const manifest = {
      apiVersion: "certificates.k8s.io/v1",
      kind: "CertificateSigningRequest",
      metadata: { name: "jane" },
      spec: {
        request: Buffer.from(request).toString("base64"),
        signerName: "kubernetes.io/kube-apiserver-client",
        usages: ["client auth"],
      },
    };
    await writeFile(path.join(folder, "csr.json"), JSON.stringify(manifest));
    expect(await kubectl("create", "-f", path.join(folder, "csr.json"))).toContain("jane created");
    expect(await kubectl("get", "csr", "jane")).toMatch(/Pending$/);
    expect(await kubectl("certificate", "approve", "jane")).toContain("jane approved");
    expect(
      await kubectl("wait", "csr/jane", "--for=jsonpath={.status.certificate}", "--timeout=20s"),
    ).toContain("condition met");
    expect(await kubectl("get", "csr", "jane")).toMatch(/Approved,Issued$/);
    expect(await kubectl("certificate", "deny", "jane")).toBe(
      'error: certificate signing request "jane" is already Approved',
    );
  });

  it("rollout status, history and undo follow a deployment", async () => {
    await kubectl("create", "deployment", "web", "--image=nginx:1");
    expect(await kubectl("rollout", "status", "deployment/web", "--timeout=30s")).toContain(
      'deployment "web" successfully rolled out',
    );
    await kubectl("set", "image", "deployment/web", "nginx=nginx:2");
    await kubectl("rollout", "status", "deployment/web", "--timeout=30s");
    expect(await kubectl("rollout", "history", "deployment/web")).toMatch(/\n1 +<none>\n2 +<none>$/);
    expect(await kubectl("rollout", "undo", "deployment/web")).toContain("deployment.apps/web rolled back");
    await kubectl("rollout", "status", "deployment/web", "--timeout=30s");
    const image = "jsonpath={.spec.template.spec.containers[0].image}";
    expect(await kubectl("get", "deployment", "web", "-o", image)).toBe("nginx:1");
    expect(await kubectl("rollout", "history", "deployment/web")).toMatch(/\n2 +<none>\n3 +<none>$/);
  });

  it("create token gives a token for an account, for ten minutes at least", async () => {
    await kubectl("create", "serviceaccount", "robot");
    expect(await kubectl("create", "token", "robot")).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
    expect(await kubectl("create", "token", "robot", "--duration=1m")).toBe(
      'error: failed to create token: TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 60: may not specify a duration less than 10 minutes',
    );
  });
});
