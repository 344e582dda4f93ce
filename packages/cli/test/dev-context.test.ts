import { readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { crdManifest, isCrdConditionTrue } from "@bowline/api";
import { CustomResourceDefinition } from "@bowline/api/apiextensions/v1";
import { Deployment } from "@bowline/api/apps/v1";
import { Lease } from "@bowline/api/coordination/v1";
import { type Client, createClient } from "@bowline/client";
import { type Cluster, createCluster } from "@bowline/cluster";
import { type Manager, createManager, silentLogger } from "@bowline/runtime";
import { waitFor } from "@bowline/testing";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { Application } from "../../../examples/application/src/api/v1/application.ts";
import operator from "../../../examples/application/src/operator.ts";
import { CommandLine, root } from "./command-line.ts";
import { DevProcess, temporaryFolder } from "./dev-process.ts";

const example = path.join(root, "examples/application");
const namespace = "application-operator-system";
const lease = { namespace, name: operator.name };
const webhooks = {
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "ValidatingWebhookConfiguration",
} as const;

/** A cluster that others use too, with a kubeconfig for it in the folder of the test. */
async function sharedCluster(folder: string): Promise<{ cluster: Cluster; client: Client }> {
  const cluster = await createCluster();
  const { kubeconfig } = await cluster.listen();
  writeFileSync(path.join(folder, "kubeconfig"), kubeconfig, { mode: 0o600 });
  const client = createClient({ transport: cluster.transport(), fieldManager: "test" });
  const system = { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } };
  await client.create(system as never, system as never);
  return { cluster, client };
}

describe("bowline dev --context", () => {
  const home = temporaryFolder();
  let cluster: Cluster;
  let client: Client;
  let dev: DevProcess | undefined;

  beforeAll(async () => ({ cluster, client } = await sharedCluster(home.folder)));
  afterEach(async () => void (await dev?.interrupt()));
  afterAll(async () => {
    await cluster.close();
    home.remove();
  });
  const start = (...args: string[]) =>
    (dev = DevProcess.start(home.folder, "--context", "bowline", "--yes", ...args));

  it("runs the operator in the cluster of the context, and applies only the samples that are named", async () => {
    const sample = path.join(example, "config/samples/example_v1_application.yaml");
    const { code, stdout, stderr } = await start("--once", "--sample", sample).ended();
    expect(stderr).toBe("");
    expect(stdout).toMatch(/^context bowline: https:\/\/127\.0\.0\.1:\d+, namespace default\n/);
    expect(stdout).toContain(
      "the webhooks of this project are not served: the API server would have to reach",
    );
    expect(stdout).toContain("ready after");
    expect(code).toBe(0);
    const made = await client.get(Deployment, { namespace: "default", name: "myapp" });
    expect(made.status?.readyReplicas).toBe(3);
  });

  it("sets the webhooks of the deployed operator aside while its own are served, and puts them back", async () => {
    const clientConfig = { service: { namespace, name: "webhook-service", port: 443 }, caBundle: "" };
    const name = `${operator.name}-validating`;
    const rules = [
      {
        apiGroups: ["example.com"],
        apiVersions: ["v1"],
        operations: ["CREATE"],
        resources: ["applications"],
      },
    ];
    const webhook = { name: "vapplication-v1.example.com", clientConfig, rules, sideEffects: "None" };
    const deployed = { ...webhooks, metadata: { name, labels: { of: "deployed" } } };
    const admissionReviewVersions = ["v1"];
    await client.create(
      webhooks as never,
      { ...deployed, webhooks: [{ ...webhook, admissionReviewVersions }] } as never,
    );
    const configured = async (): Promise<Record<string, unknown>> =>
      (await client.get(webhooks as never, { name } as never)) as never;

    start("--webhook-host", "127.0.0.1:19443");
    await dev?.printed("Ctrl-C stops it.");
    expect(JSON.stringify(await configured())).toContain("https://127.0.0.1:19443/validate");
    const bad = `{"apiVersion":"example.com/v1","kind":"Application","metadata":{"name":"bad"},"spec":{"replicas":1,"image":"a:1","version":"2"}}`;
    const refused = await dev?.kubectl("create", "-f", file("bad.json", bad));
    expect(refused?.stderr).toContain("must be without a tag: it says 1, and spec.version says 2");
    expect((await dev?.interrupt())?.code).toBe(0);

    const after = await configured();
    expect(after).toMatchObject({
      metadata: { labels: { of: "deployed" } },
      webhooks: [{ clientConfig: { service: { namespace } } }],
    });
    const mutating = { ...webhooks, kind: "MutatingWebhookConfiguration" };
    expect(
      await client.find(mutating as never, { name: `${operator.name}-mutating` } as never),
    ).toBeUndefined();
    expect(
      readdirSync(path.join(home.folder, ".bowline")).filter((each) => each.startsWith("webhooks-of")),
    ).toEqual([]);
    await client.delete(webhooks as never, { name } as never);
  });

  it("puts back after a process that was killed", async () => {
    const name = `${operator.name}-validating`;
    const deployed = { ...webhooks, metadata: { name, labels: { of: "deployed" } }, webhooks: [] };
    await client.create(webhooks as never, deployed as never);
    const killed = DevProcess.start(
      home.folder,
      "--context",
      "bowline",
      "--yes",
      "--webhook-host",
      "127.0.0.1:19443",
    );
    await killed.printed("Ctrl-C stops it.");
    await killed.kill();
    start("--webhook-host", "127.0.0.1:19443");
    await dev?.printed("Ctrl-C stops it.");
    await dev?.interrupt();
    const after = (await client.get(webhooks as never, { name } as never)) as { webhooks?: unknown };
    expect(after).toMatchObject({ metadata: { labels: { of: "deployed" } } });
    expect(after.webhooks ?? []).toEqual([]);
    await client.delete(webhooks as never, { name } as never);
  });

  function file(name: string, text: string): string {
    const full = path.join(home.folder, name);
    writeFileSync(full, text);
    return full;
  }
});

describe("bowline dev --takeover", () => {
  const home = temporaryFolder();
  let cluster: Cluster;
  let client: Client;
  let deployed: Manager;

  beforeAll(async () => {
    ({ cluster, client } = await sharedCluster(home.folder));
    await client.apply(CustomResourceDefinition, crdManifest(Application) as never);
    const until = (crd: unknown): boolean => isCrdConditionTrue(crd as never, "Established");
    await waitFor(client, CustomResourceDefinition, "applications.example.com", { until });
    deployed = createManager({
      transport: cluster.transport(),
      name: operator.name,
      controllers: operator.controllers,
      logger: silentLogger,
      leaderElection: {
        ...{ id: lease.name, namespace, identity: "deployed" },
        ...{ leaseDurationMs: 1000, renewDeadlineMs: 700, retryPeriodMs: 100 },
      },
    });
    await deployed.start();
    await deployed.elected;
  });
  afterAll(async () => {
    await deployed.stop();
    await cluster.close();
    home.remove();
  });
  const holder = async (): Promise<string> => (await client.get(Lease, lease)).spec?.holderIdentity ?? "";
  const start = (...args: string[]) =>
    DevProcess.start(home.folder, "--context", "bowline", "--yes", "--takeover", ...args);

  it("makes the deployed operator stand by, and gives the lease back at the end", async () => {
    const dev = start();
    await dev.printed(`lease ${namespace}/${lease.name} is held by deployed: taking it`);
    await dev.printed("whoever is deployed stands by");
    await dev.printed(`${operator.name} runs`);
    expect(deployed.isLeader).toBe(false);
    expect(await holder()).toMatch(/^bowline-dev-/);
    const { stdout, code } = await dev.interrupt();
    expect(stdout).toContain(`lease ${namespace}/${lease.name} given back\n`);
    expect(code).toBe(0);
    await waitFor(client, Lease, `${namespace}/${lease.name}`, {
      until: (each) => each?.spec?.holderIdentity === "deployed",
    });
    await expect.poll(() => deployed.isLeader).toBe(true);
  });

  it("stops the operator here, with code 1, when somebody else takes the lease", async () => {
    const dev = start();
    await dev.printed(`${operator.name} runs`);
    const { spec } = await client.get(Lease, lease);
    const merge = { spec: { ...spec, holderIdentity: "somebody" } };
    await client.patch(Lease, lease, { merge } as never);
    const { code, stderr, stdout } = await dev.ended();
    expect(stderr).toContain("error: the operator here has stopped: the lease was taken by somebody");
    expect(stdout).not.toContain("given back");
    expect(code).toBe(1);
    await client.patch(Lease, lease, {
      merge: { spec: { holderIdentity: "", leaseDurationSeconds: 1 } },
    } as never);
  });

  it("warns without --takeover, and refuses with it, when the deployed operator holds no election", async () => {
    const name = "application-operator-controller-manager";
    const labels = { app: "manager" };
    const template = { metadata: { labels }, spec: { containers: [{ name: "manager", image: "manager" }] } };
    const manager = { metadata: { namespace, name }, spec: { selector: { matchLabels: labels }, template } };
    await client.create(Deployment, manager as never);
    await waitFor(client, Deployment, `${namespace}/${name}`, {
      until: (each) => each?.status?.readyReplicas === 1,
    });
    const warned = DevProcess.start(home.folder, "--context", "bowline", "--yes");
    await warned.printed("--takeover makes it stand by");
    await warned.interrupt();
    const { code, stderr } = await start("default/no-such-lease").ended();
    expect(stderr).toContain(
      "without an election it cannot be told to stand by. Deploy it with --leader-elect",
    );
    expect(stderr).toContain(`kubectl -n ${namespace} scale deployment ${name} --replicas=0`);
    expect(code).toBe(1);
  });
});

describe("bowline dev asks before it works in a cluster of others", () => {
  const line = new CommandLine();
  let cluster: Cluster;
  beforeAll(async () => ({ cluster } = await sharedCluster(line.folder)));
  afterAll(async () => {
    await cluster.close();
    line.remove();
  });
  const dev = (...args: string[]) =>
    line.run("dev", example, "--kubeconfig", path.join(line.folder, "kubeconfig"), ...args);

  it("does nothing without a terminal and without --yes", async () => {
    const { code, stderr } = await dev("--context", "bowline");
    expect(stderr).toContain(
      "there is no terminal to ask whether this is the right cluster: --yes says that it is",
    );
    expect(code).toBe(2);
  });

  it("does nothing when the answer is no", async () => {
    line.answers = ["n"];
    const { code, stderr, stdout } = await dev("--context", "bowline");
    expect(line.questions.at(-1)).toBe("Apply the kinds of this project and run its operator there? [y/n]");
    expect(stdout).toContain("context bowline: https://127.0.0.1:");
    expect(stderr).toBe("error: nothing was changed\n");
    expect(code).toBe(2);
  });

  it.each([
    [["--context", "nope"], `no context "nope"`],
    [["--takeover"], "--takeover needs --context"],
    [["--webhook-host", "me"], "--webhook-host needs --context"],
    [["--context", "bowline", "--port", "1"], "--port is of the embedded cluster"],
    [
      ["--context", "bowline", "--yes", "--webhook-host", "a b"],
      "--webhook-host a b: a host or HOST:PORT is expected",
    ],
    [["--context", "bowline", "--yes", "--takeover", "a/b/c"], "a lease is named NAMESPACE/NAME"],
    [["--context", "bowline", "--yes", "--once"], "--once waits for samples: name them with --sample"],
  ])("refuses %j", async (args, message) => {
    const { code, stderr } = await dev(...args);
    expect(stderr).toContain(message);
    expect(code).toBeGreaterThan(0);
  });
});
