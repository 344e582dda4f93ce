import { StatusError } from "@bowline/api";
import { Pod } from "@bowline/api/core/v1";
import { ClusterRole, ClusterRoleBinding } from "@bowline/api/rbac/v1";
import { type Client, createClient, podAttach, podExec, podLog, portForward } from "@bowline/client";
import { describe, expect, it } from "vitest";
import type { ClusterOptions } from "../../src/cluster.ts";
import { type World, newWorld } from "../controllers/world.ts";

const key = { name: "p", namespace: "default" };
const one = [{ name: "main", image: "app" }];

/** A world with one pod, past its start. */
async function withPod(spec: object, options: ClusterOptions = {}): Promise<World> {
  const world = await newWorld(options);
  await world.client.create(Pod, { metadata: key, spec } as never);
  await world.pass(0);
  return world;
}

async function refused(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => expect.fail("it was not refused"),
    (e: unknown) => e,
  );
  if (!(error instanceof StatusError)) throw error;
  return `${error.code} ${error.message}`;
}

const ticking: ClusterOptions["images"] = {
  app: {
    run: async (p) => {
      for (let i = 1; i <= 3; i++) {
        p.log(`line ${i}`);
        await p.sleep(1000);
      }
      return 1;
    },
  },
};

describe("pods/log", () => {
  it("reads, follows and cuts a log", async () => {
    const world = await withPod({ containers: one }, { images: ticking });
    await world.pass(1000);
    expect(await (await podLog(world.client, key)).text()).toBe("line 1\nline 2\n");
    expect(await (await podLog(world.client, key, { tailLines: 1 })).text()).toBe("line 2\n");
    const following = (await podLog(world.client, key, { follow: true })).text();
    await world.pass(5000);
    expect(await following).toBe("line 1\nline 2\nline 3\n");
    const before = await podLog(world.client, key, { previous: true, limitBytes: 8 });
    expect(await before.text()).toBe("line 1\nl");
  });

  it.each([
    [
      { containers: [...one, { name: "side", image: "app" }], initContainers: [{ name: "i", image: "app" }] },
      {},
      "400 a container name must be specified for pod p, choose one of: [main side] or one of the init containers: [i]",
    ],
    [{ containers: one }, { container: "other" }, "400 container other is not valid for pod p"],
    [
      { containers: [{ name: "main", image: "bowline.dev/missing" }] },
      {},
      '400 container "main" in pod "p" is waiting to start: trying and failing to pull image',
    ],
    [
      { containers: one },
      { previous: true },
      '400 previous terminated container "main" in pod "p" not found',
    ],
    [
      { containers: one },
      { tailLines: -1, limitBytes: 0 },
      '422 PodLogOptions "p" is invalid: [tailLines: Invalid value: -1: must be greater than or equal to 0, limitBytes: Invalid value: 0: must be greater than 0]',
    ],
    [
      { containers: one },
      { sinceSeconds: 1, sinceTime: "2026-01-01T00:00:00Z" },
      '422 PodLogOptions "p" is invalid: : Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified',
    ],
  ])("refuses %j with %j", async (spec, options, message) => {
    const world = await withPod(spec);
    expect(await refused(podLog(world.client, key, options))).toBe(message);
  });

  it("is not found for a pod that is not, and empty for a pod without a node", async () => {
    const world = await withPod({ containers: one, nodeSelector: { no: "where" } });
    expect(await (await podLog(world.client, key)).text()).toBe("");
    expect(await refused(podLog(world.client, { ...key, name: "q" }))).toBe('404 pods "q" not found');
  });

  it("fails as a connection does when the node is gone", async () => {
    const world = await withPod({ containers: one });
    world.cluster.nodes.fail("node-1");
    expect(await refused(podLog(world.client, key))).toMatch(
      /^500 Get "https:\/\/[\d.]+:10250\/containerLogs\/default\/p\/main": dial tcp [\d.]+:10250: connect: no route to host$/,
    );
  });
});

describe("pods/exec and pods/attach", () => {
  it("runs a program with its input, output and exit code", async () => {
    const images: ClusterOptions["images"] = {
      app: {
        async exec(p) {
          let text = "";
          for await (const bytes of p.stdin) text += Buffer.from(bytes).toString();
          p.write(`${p.execCommand.join(" ")}: ${text}`);
          p.writeError("careful");
          return 7;
        },
      },
    };
    const world = await withPod({ containers: one }, { images });
    const command = ["count", "it"];
    expect(await podExec(world.client, key, { command, stdin: "a\nb" })).toEqual({
      exitCode: 7,
      stdout: "count it: a\nb",
      stderr: "careful",
    });
    const shown = await podExec(world.client, key, { command, stdin: "", tty: true });
    expect(shown).toEqual({ exitCode: 7, stdout: "count it: careful", stderr: "" });
  });

  it("passes on what a program fails with", async () => {
    const images: ClusterOptions["images"] = {
      app: {
        exec: () => {
          throw new Error("no such thing");
        },
      },
    };
    const world = await withPod({ containers: one }, { images });
    expect(await refused(podExec(world.client, key, { command: ["x"] }))).toBe(
      "500 Internal error occurred: error executing command in container: no such thing",
    );
  });

  it("ends a program when its container ends", async () => {
    const world = await withPod({ containers: one }, { images: ticking });
    const sleeping = podExec(world.client, key, { command: ["sleep", "1h"] });
    await world.pass(10_000);
    expect((await sleeping).exitCode).toBe(137);
  });

  it("shows what a container writes from now on, and its end", async () => {
    const world = await withPod({ containers: one }, { images: ticking });
    const attached = podAttach(world.client, key);
    await world.pass(10_000);
    expect(await attached).toEqual({ exitCode: 1, stdout: "line 2\nline 3\n", stderr: "" });
  });

  describe("input", () => {
    const adder: ClusterOptions["images"] = {
      app: {
        async run(p) {
          let sum = 0;
          for await (const bytes of p.stdin) {
            for (const number of Buffer.from(bytes).toString().split(/\s+/)) sum += Number(number);
            p.write(`so far ${sum}\n`);
          }
          return sum;
        },
      },
    };
    const typedTo = { name: "main", image: "app", stdin: true };

    it("goes to the container's program, from one who is attached after the other", async () => {
      const world = await withPod({ containers: [typedTo] }, { images: adder });
      const first = new AbortController();
      const leaving = podAttach(world.client, key, { stdin: "1 2", signal: first.signal });
      await world.quiet();
      first.abort(new Error("leaves"));
      await expect(leaving).rejects.toThrow();
      const seen: string[] = [];
      const onStdout = (chunk: Uint8Array): void => void seen.push(Buffer.from(chunk).toString());
      void podAttach(world.client, key, { stdin: "4", onStdout }).catch(() => {});
      await world.quiet();
      expect(seen).toEqual(["so far 7\n"]);
      expect(await (await podLog(world.client, key)).text()).toBe("so far 3\nso far 7\n");
    });

    it("ends with the first who closes it, where the container says so", async () => {
      const containers = [{ ...typedTo, stdinOnce: true }];
      const world = await withPod({ containers, restartPolicy: "Never" }, { images: adder });
      const attached = podAttach(world.client, key, { stdin: "40 2" });
      await world.pass(0);
      expect(await attached).toEqual({ exitCode: 42, stdout: "so far 42\n", stderr: "" });
    });

    it("is none for a container that wants none", async () => {
      const world = await withPod({ containers: one, restartPolicy: "Never" }, { images: adder });
      await world.pass(0);
      const pod = await world.client.get(Pod, key);
      expect(pod.status?.phase).toBe("Succeeded");
      expect(await (await podLog(world.client, key)).text()).toBe("");
    });

    it("breaks off when the container is asked to stop", async () => {
      const said: string[] = [];
      const images: ClusterOptions["images"] = {
        app: {
          async run(p) {
            try {
              for await (const _bytes of p.stdin);
              said.push("ended");
            } catch (error) {
              said.push((error as Error).message);
              throw error;
            }
          },
        },
      };
      const world = await withPod({ containers: [typedTo] }, { images });
      await world.client.delete(Pod, key);
      await world.pass(0);
      expect(said).toEqual(["the container is asked to stop"]);
      expect(await world.names(Pod)).toEqual([]);
    });

    it("is typed to a shell, where the container has nothing else to do", async () => {
      const containers = [{ name: "main", image: "busybox", stdin: true, tty: true }];
      const world = await withPod({ containers, restartPolicy: "Never" });
      async function* typed(): AsyncGenerator<string> {
        yield "echo hello\r";
        await world.quiet();
        yield "exit 3\r";
      }
      const attached = podAttach(world.client, key, { stdin: typed(), tty: true });
      await world.quiet();
      await world.pass(0);
      expect(await attached).toEqual({
        exitCode: 3,
        stdout: "echo hello\r\nhello\r\n$ exit 3\r\n",
        stderr: "",
      });
    });
  });

  describe("terminals", () => {
    const sizes = [
      { width: 80, height: 24 },
      { width: 120, height: 40 },
    ];

    it("tell a command their size, and each that they change to", async () => {
      const world = await withPod(
        { containers: one },
        {
          images: {
            app: {
              async exec({ terminal, tty, write }) {
                let seen = 0;
                for await (const { width, height } of terminal?.sizes() ?? []) {
                  write(`${tty} ${width}x${height} ${terminal?.size?.width}\n`);
                  if (++seen === 2) return 0;
                }
                return 9;
              },
            },
          },
        },
      );
      async function* terminalSizes(): AsyncGenerator<{ width: number; height: number }> {
        for (const size of sizes) {
          yield size;
          await world.quiet();
        }
      }
      const shown = podExec(world.client, key, { command: ["x"], tty: true, terminalSizes: terminalSizes() });
      expect(await shown).toEqual({
        exitCode: 0,
        stdout: "true 80x24 80\r\ntrue 120x40 120\r\n",
        stderr: "",
      });
      // without one there is nothing to wait for
      expect((await podExec(world.client, key, { command: ["x"] })).exitCode).toBe(9);
    });

    it("of a container have the size of the window that is attached last", async () => {
      const containers = [{ name: "main", image: "app", stdin: true, tty: true }];
      const seen: string[] = [];
      const world = await withPod(
        { containers },
        {
          images: {
            app: {
              async run({ terminal, sleep }) {
                seen.push(String(terminal?.size));
                for await (const { width } of terminal?.sizes() ?? []) seen.push(String(width));
                seen.push("closed");
                await sleep(1000);
              },
            },
          },
        },
      );
      for (const size of sizes) {
        const only = (async function* () {
          yield size;
        })();
        const signal = AbortSignal.any([]);
        void podAttach(world.client, key, { tty: true, terminalSizes: only, signal }).catch(() => {});
        await world.quiet();
      }
      expect(seen).toEqual(["undefined", "80", "120"]);
      await world.client.delete(Pod, key, { gracePeriodSeconds: 0 });
      await world.pass(0);
      expect(seen.at(-1)).toBe("closed");
    });

    it.each([
      [{ tty: true }, "0 0\r\n", 0],
      [{ tty: true, terminalSizes: sizes }, "24 80\r\n", 0],
      [{}, "stty: standard input: Not a tty\n", 1],
    ])("are asked by stty, with %j", async (given, output, exitCode) => {
      const world = await withPod({ containers: one });
      async function* terminalSizes(): AsyncGenerator<{ width: number; height: number }> {
        yield* (given as { terminalSizes?: typeof sizes }).terminalSizes?.slice(0, 1) ?? [];
      }
      const command = ["stty", "size"];
      const asked = podExec(world.client, key, { command, ...given, terminalSizes: terminalSizes() });
      await world.pass(500);
      const { stdout, stderr, exitCode: code } = await asked;
      expect([`${stdout}${stderr}`, code]).toEqual([output, exitCode]);
    });
  });

  it("says that a container does not run", async () => {
    const world = await withPod({ containers: one, restartPolicy: "Never" });
    await world.pass(1000);
    expect(await refused(podExec(world.client, key, { command: ["true"] }))).toBe(
      '500 container not found ("main")',
    );
  });

  it("wants a host and an upgrade", async () => {
    const world = await withPod({ containers: one, nodeSelector: { no: "where" } });
    expect(await refused(podExec(world.client, key, { command: ["true"] }))).toBe(
      "400 pod p does not have a host assigned",
    );
    await world.client.create(Pod, { metadata: { ...key, name: "q" }, spec: { containers: one } } as never);
    await world.pass(0);
    const path = "/api/v1/namespaces/default/pods/q/exec";
    expect(await refused(world.client.transport.request({ method: "POST", path }))).toBe(
      "400 Upgrade request required",
    );
  });

  it("needs the permission to create, and says so in the audit log", async () => {
    const lines: string[] = [];
    const world = await withPod({ containers: one }, { audit: (line) => void lines.push(line) });
    const reader = as(world, "reader");
    await allow(world, "reader", ["get"]);
    const command = ["true"];
    expect(await refused(podExec(reader, key, { command }))).toMatch(/^403 pods "p" is forbidden: /);
    await allow(world, "writer", ["get", "create"]);
    const writer = as(world, "writer");
    expect((await podExec(writer, key, { command })).exitCode).toBe(0);
    const last = JSON.parse(lines.at(-1) ?? "") as object;
    expect(last).toMatchObject({
      verb: "get",
      user: { username: "writer" },
      objectRef: { resource: "pods", subresource: "exec", name: "p" },
      responseStatus: { code: 101 },
    });
  });

  it("is judged by admission as CONNECT, with its options as the object", async () => {
    const world = await withPod({ containers: one });
    const registration = "/apis/admissionregistration.k8s.io/v1";
    const post = (plural: string, kind: string, spec: object): Promise<unknown> =>
      world.client.transport.request({
        method: "POST",
        path: `${registration}/${plural}`,
        body: { apiVersion: "admissionregistration.k8s.io/v1", kind, metadata: { name: "no-shell" }, spec },
      });
    await post("validatingadmissionpolicies", "ValidatingAdmissionPolicy", {
      matchConstraints: {
        resourceRules: [
          { apiGroups: [""], apiVersions: ["v1"], operations: ["CONNECT"], resources: ["pods/exec"] },
        ],
      },
      validations: [
        {
          expression: "request.kind.kind == 'PodExecOptions' && !('sh' in object.command)",
          messageExpression: "'no ' + object.command[0] + ' here'",
        },
      ],
    });
    await post("validatingadmissionpolicybindings", "ValidatingAdmissionPolicyBinding", {
      policyName: "no-shell",
      validationActions: ["Deny"],
    });
    await world.quiet();
    expect(await refused(podExec(world.client, key, { command: ["sh", "-c", "true"] }))).toMatch(
      /^422 .*denied request: no sh here$/,
    );
    expect((await podExec(world.client, key, { command: ["true"] })).exitCode).toBe(0);
  });
});

describe("pods/portforward", () => {
  it("carries bytes to what an image serves, and says what does not listen", async () => {
    const images: ClusterOptions["images"] = {
      app: {
        async connect({ incoming, port, send }) {
          if (port !== 7000) throw new Error("connection refused");
          for await (const bytes of incoming)
            await send(Buffer.from(Buffer.from(bytes).toString().toUpperCase()));
        },
      },
    };
    const world = await withPod({ containers: one }, { images });
    const errors: string[] = [];
    const onError = (error: Error): void => void errors.push(error.message);
    await using good = await portForward(world.client, key, { port: 7000, onError });
    expect(await exchange(good.localPort, "hello")).toBe("HELLO");
    await using bad = await portForward(world.client, key, { port: 7001, onError });
    expect(await exchange(bad.localPort, "hello")).toBe("");
    expect(errors).toEqual([
      expect.stringMatching(/^error forwarding port 7001 to pod .*: connection refused$/),
    ]);
  });
});

function as(world: World, name: string): Client {
  const transport = world.cluster.transport({ user: { name, groups: [] } });
  return createClient({ transport, clock: world.clock });
}

async function allow(world: World, name: string, verbs: string[]): Promise<void> {
  await world.client.create(ClusterRole, {
    metadata: { name },
    rules: [{ apiGroups: [""], resources: ["pods/exec"], verbs }],
  } as never);
  await world.client.create(ClusterRoleBinding, {
    metadata: { name },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name },
    subjects: [{ kind: "User", name, apiGroup: "rbac.authorization.k8s.io" }],
  } as never);
}

/** What comes back for a text, until the other side closes. */
async function exchange(port: number, text: string): Promise<string> {
  const { connect } = await import("node:net");
  const socket = connect(port, "127.0.0.1");
  socket.write(text);
  for await (const bytes of socket) {
    socket.end();
    return String(bytes);
  }
  return "";
}
