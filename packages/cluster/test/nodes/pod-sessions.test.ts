import { isStatusError } from "@bowline/api";
import { Pod } from "@bowline/api/core/v1";
import { createClient, seededRandom } from "@bowline/client";
import { describe, expect, it } from "vitest";
import { onTestFinished } from "vitest";
import { VirtualClock, settle } from "@bowline/client";
import { createCluster } from "../../src/cluster.ts";
import { ControlPlane } from "../../src/control-plane.ts";
import type { ImageBehaviors } from "../../src/nodes/image-behavior.ts";
import type { SessionLogOptions } from "../../src/session-port.ts";

const plain: SessionLogOptions = {
  follow: false,
  previous: false,
  timestamps: false,
  tailLines: undefined,
  sinceSeconds: undefined,
  sinceTime: undefined,
  limitBytes: undefined,
  stream: "All",
};

/** A control plane of the test's own, whose sessions it can ask directly. */
async function start(images: ImageBehaviors, container: object = {}) {
  const clock = new VirtualClock();
  const random = seededRandom(1);
  const cluster = await createCluster({ clock, random, controllers: false });
  const transport = () => cluster.transport();
  const rootCertificate = () => "";
  const certificateAuthority = () => expect.fail("nothing is signed here");
  const ports = { clock, random, transport, rootCertificate, certificateAuthority };
  const plane = new ControlPlane({ ...ports, images });
  await plane.start();
  onTestFinished(async () => {
    await plane.stop();
    await cluster.close();
  });
  const client = createClient({ transport: cluster.transport(), clock, random });
  const key = { name: "p", namespace: "default" };
  const created = await client.create(Pod, {
    metadata: key,
    spec: { containers: [{ name: "main", image: "app", ...container }] },
  } as never);
  const pass = async (milliseconds: number): Promise<void> => {
    for (let turn = 0; turn < 20; turn++) await settle();
    await clock.advance(milliseconds);
    for (let turn = 0; turn < 20; turn++) await settle();
  };
  await pass(0);
  const target = { namespace: "default", pod: "p", uid: created.metadata.uid ?? "", container: "main" };
  return { plane, clock, target, pass, signal: new AbortController() };
}

async function textOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  let text = "";
  for await (const chunk of chunks) text += new TextDecoder().decode(chunk);
  return text;
}

function streams(input: readonly string[] = []) {
  const out = { stdout: "", stderr: "" };
  const take = (name: "stdout" | "stderr") => (bytes: Uint8Array) => {
    out[name] += new TextDecoder().decode(bytes);
    return Promise.resolve();
  };
  async function* stdin(): AsyncGenerator<Uint8Array> {
    for (const text of input) yield new TextEncoder().encode(text);
  }
  async function* sizes(): AsyncGenerator<never> {}
  const { signal } = new AbortController();
  const taken = { stdout: take("stdout"), stderr: take("stderr") };
  return { out, streams: { stdin: stdin(), sizes: sizes(), tty: false, ...taken, signal } };
}

const counting: ImageBehaviors = {
  app: {
    run: async (p) => {
      for (let i = 1; i <= 5; i++) {
        p.log(`line ${i}`);
        await p.sleep(1000);
      }
      return 1;
    },
  },
};

describe("Pod sessions", () => {
  it.each([
    [{}, "line 1\nline 2\nline 3\n"],
    [{ tailLines: 1 }, "line 3\n"],
    [{ tailLines: 0 }, ""],
    [{ sinceSeconds: 1 }, "line 2\nline 3\n"],
    [{ sinceTime: "2026-01-01T00:00:02Z" }, "line 3\n"],
    [{ limitBytes: 9 }, "line 1\nli"],
    [{ tailLines: 1, timestamps: true }, "2026-01-01T00:00:02.000000000Z line 3\n"],
    [{ stream: "Stderr" as const }, ""],
  ])("reads a log with %j", async (options, text) => {
    const { plane, target, pass, signal } = await start(counting);
    await pass(2000);
    expect(await textOf(await plane.sessions.log(target, { ...plain, ...options }, signal.signal))).toBe(
      text,
    );
  });

  it("follows a log until the container ends", async () => {
    const { plane, target, pass, signal } = await start(counting);
    await pass(1500);
    const reading = textOf(
      await plane.sessions.log(target, { ...plain, follow: true, tailLines: 1 }, signal.signal),
    );
    await pass(10_000);
    expect(await reading).toBe("line 2\nline 3\nline 4\nline 5\n");
  });

  it("keeps the log of the run before, and says when there is none", async () => {
    const { plane, target, pass, signal } = await start(counting);
    const before = await plane.sessions
      .log(target, { ...plain, previous: true }, signal.signal)
      .catch((error: unknown) => error);
    expect(isStatusError(before) && before.message).toBe(
      'previous terminated container "main" in pod "p" not found',
    );
    await pass(5500);
    expect(
      await textOf(
        await plane.sessions.log(target, { ...plain, previous: true, tailLines: 1 }, signal.signal),
      ),
    ).toBe("line 5\n");
  });

  it("says of a container that has not started what it waits for", async () => {
    const { plane, target, signal } = await start({ app: { startDelayMs: 10_000 } });
    const error = await plane.sessions.log(target, plain, signal.signal).catch((e: unknown) => e);
    expect(isStatusError(error) && [error.code, error.message]).toEqual([
      400,
      'container "main" in pod "p" is waiting to start: ContainerCreating',
    ]);
  });

  it.each([
    [["echo", "hello"], "hello\n", "", 0],
    [["sh", "-c", "echo $NAME; exit 3"], "world\n", "", 3],
    [["false"], "", "", 1],
    [["nonsense"], "", 'exec: "nonsense": executable file not found in $PATH\n', 127],
  ])("runs %j in a container", async (command, stdout, stderr, code) => {
    const { plane, target } = await start({}, { env: [{ name: "NAME", value: "world" }] });
    const { out, streams: ends } = streams();
    expect(await plane.sessions.exec(target, command, ends)).toBe(code);
    expect(out).toEqual({ stdout, stderr });
  });

  it("reads commands of a shell from its input", async () => {
    const { plane, target } = await start({});
    const { out, streams: ends } = streams(["echo one\nec", "ho two\n", "exit 5\n"]);
    expect(await plane.sessions.exec(target, ["sh"], ends)).toBe(5);
    expect(out.stdout).toBe("one\ntwo\n");
  });

  it("lets an image answer commands itself", async () => {
    const { plane, target } = await start({ app: { exec: (p) => (p.write(p.execCommand.join("+")), 9) } });
    const { out, streams: ends } = streams();
    expect(await plane.sessions.exec(target, ["pg_isready", "-q"], ends)).toBe(9);
    expect(out.stdout).toBe("pg_isready+-q");
  });

  it("attaches to the output of a container until it ends", async () => {
    const { plane, target, pass } = await start(counting);
    await pass(3500);
    const { out, streams: ends } = streams();
    const attached = plane.sessions.attach(target, ends);
    await pass(10_000);
    expect(await attached).toBe(1);
    expect(out.stdout).toBe("line 5\n");
  });

  it("answers on ports that a container names, and refuses others", async () => {
    const { plane, target } = await start({}, { ports: [{ containerPort: 8080 }] });
    let answer = "";
    const connection = {
      incoming: streams(["GET / HTTP/1.1\r\n\r\n"]).streams.stdin,
      send: (bytes: Uint8Array) => {
        answer += new TextDecoder().decode(bytes);
        return Promise.resolve();
      },
      signal: new AbortController().signal,
    };
    await plane.sessions.forward(target, 8080, connection);
    expect(answer).toContain("simulated: default/p port 8080\n");
    await expect(plane.sessions.forward(target, 81, connection)).rejects.toThrow("connection refused");
  });
});
