/** What a person does with pods and nodes, with the real kubectl: over WebSockets, and over SPDY as older versions do. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { realClient } from "../../../../tools/real-clients.ts";
import { type Cluster, createCluster } from "../../src/cluster.ts";

const kubectlPath = realClient("kubectl");

/** Makes kubectl speak as versions before 1.31 do. */
const spdyOnly = {
  KUBECTL_PORT_FORWARD_WEBSOCKETS: "false",
  KUBECTL_REMOTE_COMMAND_WEBSOCKETS: "false",
};

describe("real kubectl on pods and nodes", () => {
  let cluster: Cluster;
  let folder: string;

  interface Ended {
    readonly code: number;
    readonly text: string;
  }

  function start(args: readonly string[], env: object = {}): ChildProcess {
    const all = ["--kubeconfig", path.join(folder, "config"), "--cache-dir", path.join(folder, "cache")];
    return spawn(kubectlPath, [...all, ...args], { cwd: folder, env: { ...process.env, ...env } });
  }

  /** Standard output and errors in one, and how it ended. */
  async function run(args: readonly string[], given: { input?: string; env?: object } = {}): Promise<Ended> {
    const child = start(args, given.env);
    let text = "";
    child.stdout?.on("data", (chunk: Buffer) => (text += chunk.toString()));
    child.stderr?.on("data", (chunk: Buffer) => (text += chunk.toString()));
    child.stdin?.end(given.input ?? "");
    const [code] = (await once(child, "close")) as [number];
    return { code, text: text.trim() };
  }

  async function ok(...args: string[]): Promise<string> {
    const { code, text } = await run(args);
    expect(code, `kubectl ${args.join(" ")}: ${text}`).toBe(0);
    return text;
  }

  beforeAll(async () => {
    cluster = await createCluster({
      nodes: 2,
      images: {
        "example.com/talker": {
          run: async (p) => {
            p.log("ready");
            await p.sleep(Number.POSITIVE_INFINITY);
          },
          async connect({ incoming, send }) {
            for await (const bytes of incoming) await send(Buffer.from(`echo ${Buffer.from(bytes)}`));
          },
          usage: { cpu: "250m", memory: "64Mi" },
        },
        // answers what is typed to it, and ends when that ends
        "example.com/parrot": {
          run: async (p) => {
            const decoder = new TextDecoder();
            for await (const bytes of p.stdin) p.write(decoder.decode(bytes).toUpperCase());
            return 5;
          },
        },
        // goes on until somebody leaves a file in it
        "example.com/ticker": {
          run: async (p) => {
            for (; !p.files.exists("/tmp/enough"); await p.sleep(100)) p.log("tick");
          },
        },
      },
    });
    const server = await cluster.listen();
    folder = await mkdtemp(path.join(tmpdir(), "bowline-sessions-"));
    await writeFile(path.join(folder, "config"), server.kubeconfig, { mode: 0o600 });
    await ok("run", "talker", "--image=example.com/talker", "--labels=app=talker");
    const script = "echo one; echo two; sleep 2; echo three";
    await ok("run", "ends", "--image=any", "--restart=Never", "--command", "--", "sh", "-c", script);
    await ok("wait", "--for=condition=Ready", "pod/talker", "--timeout=20s");
  });
  afterAll(async () => {
    await cluster.close();
    await rm(folder, { recursive: true, force: true });
  });

  it("logs, followed to the end", async () => {
    expect(await ok("logs", "-f", "ends")).toBe("one\ntwo\nthree");
    expect(await ok("logs", "ends", "--tail=1")).toBe("three");
    expect(await ok("logs", "ends", "--timestamps", "--tail=1")).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z three$/);
    expect(await run(["logs", "talker", "--previous"])).toEqual({
      code: 1,
      text: 'Error from server (BadRequest): previous terminated container "talker" in pod "talker" not found',
    });
    expect(await run(["logs", "talker", "-c", "other"])).toEqual({
      code: 1,
      text: "error: container other is not valid for pod talker",
    });
  });

  describe.each([
    ["WebSockets", {}],
    ["SPDY", spdyOnly],
  ])("over %s", (name, env) => {
    it("exec, with output, input and exit code", async () => {
      expect(await run(["exec", "talker", "--", "echo", "hello"], { env })).toEqual({
        code: 0,
        text: "hello",
      });
      expect(await run(["exec", "talker", "--", "sh", "-c", "echo out; exit 3"], { env })).toEqual({
        code: 3,
        text: "out\ncommand terminated with exit code 3",
      });
      const script = "echo $KUBERNETES_NOTHING first\nhostname\nexit 4\n";
      const typed = await run(["exec", "-i", "talker", "--", "sh"], { env, input: script });
      expect(typed).toEqual({ code: 4, text: "first\ntalker\ncommand terminated with exit code 4" });
      const large = "0123456789abcdef".repeat(20_000);
      const copied = await run(["exec", "-i", "talker", "--", "cat"], { env, input: large });
      expect(copied.text.length).toBe(large.length);
    });

    it("cp, there and back", async () => {
      const [there, back] = [`there-${name}`, `back-${name}`];
      await mkdir(path.join(folder, there, "below"), { recursive: true });
      await writeFile(path.join(folder, there, "below", "file"), "content\n");
      await writeFile(path.join(folder, there, "large"), Buffer.alloc(300_000, "x"));
      expect((await run(["cp", there, `talker:/tmp/${name}`], { env })).code).toBe(0);
      expect((await run(["exec", "talker", "--", "ls", `/tmp/${name}`], { env })).text).toBe("below\nlarge");
      expect((await run(["cp", `talker:/tmp/${name}`, back], { env })).code).toBe(0);
      expect(await readFile(path.join(folder, back, "below", "file"), "utf8")).toBe("content\n");
      expect(await readFile(path.join(folder, back, "large"))).toHaveLength(300_000);
    });

    it("port-forward, and again", async () => {
      const child = start(["port-forward", "pod/talker", ":7000"], env);
      const [first] = (await once(child.stdout as NodeJS.ReadableStream, "data")) as [Buffer];
      const [, port] = /127\.0\.0\.1:(\d+) -> 7000/.exec(first.toString()) ?? [];
      expect(await answerOf(Number(port), "a")).toBe("echo a");
      expect(await answerOf(Number(port), "b")).toBe("echo b");
      child.kill();
      await once(child, "close");
    });

    it("attach, to the end", async () => {
      const pod = `attached-${name.toLowerCase()}`;
      await ok("run", pod, "--image=example.com/ticker", "--restart=Never");
      await ok("wait", "--for=condition=Ready", `pod/${pod}`, "--timeout=20s");
      const child = start(["attach", pod], env);
      let seen = "";
      child.stdout?.on("data", (chunk: Buffer) => (seen += chunk.toString()));
      const closed = once(child, "close");
      await expect.poll(() => seen, { timeout: 15_000 }).toContain("tick\n");
      await ok("exec", pod, "--", "touch", "/tmp/enough");
      expect((await closed)[0]).toBe(0);
    });
  });

  describe.runIf(process.platform === "linux").each([
    ["WebSockets", {}],
    ["SPDY", spdyOnly],
  ])("in a terminal, over %s", (name, env) => {
    const pod = `typed-${name.toLowerCase()}`;

    /** Types to kubectl in a terminal of 97 columns and 31 lines, and answers what is on its screen. */
    async function typing(args: string, typed: readonly (readonly [string, string])[]): Promise<Ended> {
      const kubectl = `${kubectlPath} --kubeconfig config --cache-dir cache ${args}`;
      const command = `stty rows 31 cols 97 -echo && ${kubectl}`;
      const child = spawn("script", ["-qec", command, "/dev/null"], {
        cwd: folder,
        env: { ...process.env, ...env },
      });
      let text = "";
      child.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()));
      child.stderr.on("data", (chunk: Buffer) => (text += chunk.toString()));
      const closed = once(child, "close");
      for (const [awaited, line] of typed) {
        await expect.poll(() => text, { timeout: 15_000 }).toContain(awaited);
        child.stdin.write(line);
      }
      const [code] = (await closed) as [number];
      return { code, text: text.replaceAll("\r\n", "\n").trim() };
    }

    it("exec sees its size", async () => {
      expect(await typing("exec -it talker -- stty size", [])).toEqual({ code: 0, text: "31 97" });
    });

    it("run and attach type to a shell", async () => {
      const { code, text } = await typing(`run ${pod} -it --image=busybox --restart=Never`, [
        // first kubectl says that the window is larger than it is, for programs to draw it anew
        ["try pressing enter", "\r"],
        ["$ ", "stty size\r"],
        ["31 97\r\n$ ", "exit 6\r"],
      ]);
      expect(text).toContain("\n31 97\n$ exit 6\n");
      expect(code).toBe(6);
    });

    it("attach types to a program that has no terminal", async () => {
      const parrot = `parrot-${name.toLowerCase()}`;
      await ok("run", parrot, "-i", "--attach=false", "--image=example.com/parrot", "--restart=Never");
      await ok("wait", "--for=condition=Ready", `pod/${parrot}`, "--timeout=20s");
      const { code, text } = await run(["attach", "-i", parrot], { env, input: "hello\n" });
      expect(text).toContain("HELLO");
      expect(code).toBe(5);
    });
  });

  it("debug, with an ephemeral container", async () => {
    await ok("debug", "talker", "--image=busybox", "-c", "dbg", "--profile=general", "--", "echo", "looking");
    await expect.poll(() => ok("logs", "talker", "-c", "dbg"), { timeout: 10_000 }).toBe("looking");
    const states = "jsonpath={.status.ephemeralContainerStatuses[*].state.terminated.exitCode}";
    expect(await ok("get", "pod", "talker", "-o", states)).toBe("0");
  });

  it("top pod and top node", async () => {
    expect(await ok("top", "pod", "-l", "app=talker", "--no-headers")).toMatch(/^talker +250m +64Mi$/);
    const nodes = await ok("top", "node", "--no-headers");
    expect(nodes).toMatch(/^node-1 +\d+m +\d+% +\d+Mi +\d+%/m);
    expect(nodes.split("\n")).toHaveLength(2);
  });

  it("cordon, drain and uncordon", async () => {
    await ok("create", "deployment", "web", "--image=any", "--replicas=4");
    await ok("rollout", "status", "deployment/web", "--timeout=20s");
    await ok("create", "poddisruptionbudget", "web", "--selector=app=web", "--min-available=1");
    expect(await ok("cordon", "node-1")).toBe("node/node-1 cordoned");
    expect(await ok("get", "node", "node-1", "--no-headers")).toContain("Ready,SchedulingDisabled");
    const drained = await ok("drain", "node-1", "--ignore-daemonsets", "--force", "--timeout=60s");
    expect(drained).toMatch(/evicting pod default\/web-/);
    expect(drained).toMatch(/node\/node-1 drained$/);
    await ok("rollout", "status", "deployment/web", "--timeout=20s");
    const places = "jsonpath={.items[*].spec.nodeName}";
    expect(new Set((await ok("get", "pods", "-l", "app=web", "-o", places)).split(" "))).toEqual(
      new Set(["node-2"]),
    );
    expect(await ok("uncordon", "node-1")).toBe("node/node-1 uncordoned");
  }, 60_000);
});

/** What comes back first for a text. */
async function answerOf(port: number, text: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.write(text);
  const [bytes] = (await once(socket, "data")) as [Buffer];
  socket.end();
  return bytes.toString();
}
