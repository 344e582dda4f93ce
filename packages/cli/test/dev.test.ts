import { spawnSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import net, { type AddressInfo } from "node:net";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { realClient } from "../../../tools/real-clients.ts";
import { DevProcess, runClient, temporaryFolder } from "./dev-process.ts";

/** Path from the repository's root. */
const sample = "examples/application/config/samples/example_v1_application.yaml";

describe("bowline dev --once", () => {
  const home = temporaryFolder();
  afterAll(() => home.remove());

  it("ends with code 0 as soon as the Application is available", async () => {
    const { code, stdout, stderr } = await DevProcess.start(home.folder, "--once").ended();
    expect(stderr).toBe("");
    expect(stdout).toMatch(/API server ready after \d+ ms at https:\/\/127\.0\.0\.1:\d+\n/);
    expect(stdout).toContain("customresourcedefinition applications.example.com installed");
    expect(stdout).toMatch(/ready after [\d.]+ s: Application\/myapp .*available 3\n$/);
    expect(code).toBe(0);
  });

  it("shows the Application, its Deployment, ReplicaSet and Pods in plain lines without a terminal", async () => {
    const { stdout } = await DevProcess.start(home.folder, "--once").ended();
    for (const kind of ["Application/myapp", "Deployment/myapp", "ReplicaSet/myapp-", "Pod/myapp-"]) {
      expect(stdout).toMatch(new RegExp(`\\+\\d+\\.\\d\\ds {2}${kind}`));
    }
    expect(stdout).not.toContain("\u001b[");
  });

  it("writes a kubeconfig that only its owner can read", async () => {
    const process = DevProcess.start(home.folder, "--once");
    await process.ended();
    expect(statSync(process.kubeconfig).mode & 0o777).toBe(0o600);
    expect(readFileSync(process.kubeconfig, "utf8")).toContain("current-context: bowline");
  });

  it("ends with code 1 and says what is not ready when the time is over", async () => {
    const { code, stderr } = await DevProcess.start(home.folder, "--once", "--timeout", "0.001").ended();
    expect(code).toBe(1);
    expect(stderr).toMatch(/^not ready after 0\.001 s:/);
  });

  it("says which port is in use, and ends with code 1", async () => {
    const taken = net.createServer();
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
    const { port } = taken.address() as AddressInfo;
    const { code, stderr } = await DevProcess.start(home.folder, "--once", "--port", String(port)).ended();
    await new Promise((resolve) => taken.close(resolve));
    expect(code).toBe(1);
    expect(stderr).toMatch(new RegExp(`^error: 127\\.0\\.0\\.1:${port} is in use by another process`));
  });

  it("ends without a word when nobody reads its output any more", async () => {
    const process = DevProcess.start(home.folder);
    await process.printed("API server ready");
    process.closeOutput();
    const { code, stderr } = await process.ended();
    expect([code, stderr]).toEqual([141, ""]);
  });

  it.each([
    [["--port", "http"], "--port must be a number from 0 to 65535"],
    [["--timeout", "soon"], "--timeout must be a number of seconds above 0"],
    [["--sample", "nothing.yaml"], "nothing.yaml does not exist"],
    [["--nonsense"], "unknown option '--nonsense'"],
  ])("refuses %j with code 2", async (args, message) => {
    const { code, stderr } = await DevProcess.start(home.folder, "--once", ...args).ended();
    expect(stderr).toContain(message);
    expect(code).toBe(2);
  });
});

describe("real kubectl on bowline dev", () => {
  const home = temporaryFolder();
  let dev: DevProcess;
  const kubectl = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await dev.kubectl(...args);
    expect(stderr, `kubectl ${args.join(" ")}`).toBe("");
    expect(code).toBe(0);
    return stdout;
  };

  beforeAll(async () => {
    dev = DevProcess.start(home.folder);
    await dev.printed("Ctrl-C stops everything.");
  });
  afterAll(async () => {
    await dev.interrupt();
    home.remove();
  });

  it("lists and describes the CustomResourceDefinition", async () => {
    expect(await kubectl("get", "crd")).toMatch(/^NAME +CREATED AT\napplications\.example\.com +20/);
    const described = await kubectl("describe", "crd", "applications.example.com");
    expect(described).toMatch(/^Name: +applications\.example\.com$/m);
    expect(described).toMatch(/^ +Type: +Established$/m);
  });

  it.each(["applications", "application", "app"])(
    "gets them as %s with their printer columns",
    async (name) => {
      expect(await kubectl("get", name)).toMatch(
        /^NAME +IMAGE +VERSION +DESIRED +AVAILABLE +AGE\nmyapp +nginx +1\.25 +3 +3 +\d+s\n$/,
      );
    },
  );

  it("prints one as YAML with defaults, conditions and no secrets of ours", async () => {
    const yaml = await kubectl("get", "application", "myapp", "-o", "yaml");
    expect(yaml).toMatch(/^apiVersion: example\.com\/v1\nkind: Application\nmetadata:\n/);
    expect(yaml).toMatch(/^ {2}replicas: 3$/m);
    expect(yaml).toMatch(/^ {4}type: Available$/m);
    expect(yaml).toMatch(/^ {4}status: "True"$/m);
  });

  it("lists Deployment, pods and events as a cluster does", async () => {
    expect(await kubectl("get", "deployment")).toMatch(
      /^NAME +READY +UP-TO-DATE +AVAILABLE +AGE\nmyapp +3\/3 +3 +3 +\d+s\n$/,
    );
    const pods = await kubectl("get", "pods");
    expect(pods).toMatch(/^NAME +READY +STATUS +RESTARTS +AGE\n/);
    expect(pods.match(/^myapp-\S+ +1\/1 +Running +0 +\d+s$/gm)).toHaveLength(3);
    expect(await kubectl("get", "events")).toContain("Successfully assigned default/myapp-");
  });

  it("explains the fields from the schema", async () => {
    const text = await kubectl("explain", "application.spec");
    expect(text).toMatch(/KIND: +Application/);
    expect(text).toContain("How many pods to run");
    expect(text).toMatch(/image\t<string> -required-/);
  });

  it("knows the kind among all resources", async () => {
    expect(await kubectl("api-resources")).toMatch(
      /^applications +app +example\.com\/v1 +true +Application$/m,
    );
  });

  it("refuses 11 replicas in the words of the API server", async () => {
    const { code, stderr } = await dev.kubectl(
      "patch",
      "application",
      "myapp",
      "--type",
      "merge",
      "-p",
      '{"spec":{"replicas":11}}',
    );
    expect(stderr).toBe(
      'The Application "myapp" is invalid: spec.replicas: Invalid value: 11: spec.replicas in body should be less than or equal to 10\n',
    );
    expect(code).toBe(1);
  });

  it("applies a second Application, scales it by a patch, watches its pods and deletes it with everything it owns", async () => {
    const yaml =
      'apiVersion: example.com/v1\nkind: Application\nmetadata: {name: second}\nspec: {image: httpd, version: "2.4", replicas: 2}\n';
    const applied = await runClient("kubectl", ["apply", "-f", "-"], { KUBECONFIG: dev.kubeconfig }, yaml);
    expect(applied.stdout).toBe("application.example.com/second created\n");
    await kubectl("wait", "application/second", "--for=condition=Available", "--timeout=20s");
    const watching = dev.kubectl("get", "pods", "-l", "app=second", "-w", "--request-timeout=3s");
    await kubectl("patch", "application", "second", "--type", "merge", "-p", '{"spec":{"replicas":5}}');
    await kubectl("wait", "deployment/second", "--for=jsonpath={.status.readyReplicas}=5", "--timeout=20s");
    expect((await watching).stdout).toMatch(/second-\S+ +1\/1 +Running/);
    expect(await kubectl("delete", "application", "second")).toContain(
      'application.example.com "second" deleted',
    );
    await kubectl(
      "wait",
      "--for=delete",
      "pods,replicasets,deployments",
      "-l",
      "app=second",
      "--timeout=20s",
    );
    expect(await kubectl("get", "pods,replicasets,deployments", "-l", "app=second", "-o", "name")).toBe("");
  });

  it("refuses a CustomResourceDefinition that is not structural, naming the path", async () => {
    const crd = {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "odds.example.com" },
      spec: {
        group: "example.com",
        scope: "Namespaced",
        names: { plural: "odds", singular: "odd", kind: "Odd" },
        versions: [
          {
            name: "v1",
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: {
                type: "object",
                properties: { spec: { properties: { a: { type: "string" } } } },
              },
            },
          },
        ],
      },
    };
    const refused = await runClient(
      "kubectl",
      ["apply", "-f", "-"],
      { KUBECONFIG: dev.kubeconfig },
      JSON.stringify(crd),
    );
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(
      "spec.validation.openAPIV3Schema.properties[spec].type: Required value: must not be empty for specified object fields",
    );
  });

  it("says that a kind does not exist", async () => {
    const refused = await runClient(
      "kubectl",
      ["apply", "-f", "-"],
      { KUBECONFIG: dev.kubeconfig },
      "apiVersion: example.com/v1\nkind: Nothing\nmetadata: {name: a}\n",
    );
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('no matches for kind "Nothing" in version "example.com/v1"');
  });

  // one of a page's commands may delete the Application: every page begins with it
  it.each(
    ["docs/start.md", "README.zh-CN.md", "README.md"].flatMap((page) =>
      [`apply --server-side --force-conflicts -f ${sample}`, ...kubectlCommandsOf(page)].map(
        (command) => [page, command] as const,
      ),
    ),
  )("%s: %s", async (_page, command) => {
    const shell = `"${realClient("kubectl")}" ${command.replace(/ -w$/, " -w --request-timeout=1s")}`;
    const env = { ...process.env, KUBECONFIG: dev.kubeconfig };
    const { status, stderr } = spawnSync("sh", ["-c", shell], { env, encoding: "utf8" });
    expect(stderr.replace(/.*Client\.Timeout.*|.*timed out.*|.*context deadline.*/, "")).toBe("");
    expect(status).toBe(0);
  });
});

/** The arguments of the kubectl commands in the shell blocks of a page. */
function kubectlCommandsOf(page: string): string[] {
  const text = readFileSync(new URL(`../../../${page}`, import.meta.url), "utf8");
  return [...text.matchAll(/^```sh\n([^]*?)^```/gm)].flatMap(([, block = ""]) =>
    [...block.matchAll(/^kubectl (.*)$/gm)].map(([, args = ""]) => args),
  );
}

describe("Ctrl-C on bowline dev", () => {
  const home = temporaryFolder();
  afterAll(() => home.remove());

  it("ends everything cleanly with code 0", async () => {
    const dev = DevProcess.start(home.folder);
    await dev.printed("Ctrl-C stops everything.");
    const { code, stdout, stderr } = await dev.interrupt();
    expect(stderr).toBe("");
    expect(stdout).toMatch(/stopping\n$/);
    expect(code).toBe(0);
    const after = await runClient("kubectl", ["get", "pods"], {
      KUBECONFIG: path.join(home.folder, "kubeconfig"),
    });
    expect(after.stderr).toMatch(/refused/);
  });
});
