/**
 * Kills a server at random moments while several clients write, and checks that nothing it acknowledged is lost:
 *
 *     npm run crash -- [--kills N] [--seed N] [--workloads]
 *
 * After each kill the server starts again on the same folder. Every object must then be as the last acknowledged write left it, or
 * as a write that was under way (and so not acknowledged) would have; nothing that was acknowledged as deleted may be back, and no
 * resourceVersion may be given out twice. With `--workloads` controllers and nodes run too: after each start all pods of a
 * Deployment must run again, and no pod and no service may lose its address to another or get a new one. The last line is `N passed, N failed`, a kill each.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import http from "node:http";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { seededRandom } from "@bowline/client";
import { Workloads } from "./crash/workloads.ts";

const program = path.join(path.dirname(fileURLToPath(import.meta.url)), "crash/server.mjs");
const writerCount = 8;
const objectsPerWriter = 5;

interface Server {
  readonly child: ChildProcess;
  readonly url: string;
  readonly token: string;
}

/** What a writer knows of one of its objects. `undefined` value: it does not exist. */
interface Known {
  acknowledged: string | undefined;
  /** The value of a write that was sent and not answered; null for none, undefined for a delete. */
  underWay: string | undefined | null;
}

async function startServer(folder: string, ...options: readonly string[]): Promise<Server> {
  const child = spawn(process.execPath, [program, folder, ...options], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const line = await new Promise<string>((resolve, reject) => {
    let text = "";
    child.stdout.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes("\n")) resolve(text);
    });
    child.once("exit", (code) => reject(new Error(`the server did not start (exit ${code})`)));
  });
  return { child, ...(JSON.parse(line) as { url: string; token: string }) };
}

export interface Answer {
  readonly status: number;
  readonly body: {
    metadata?: { resourceVersion?: string };
    data?: { value?: string };
    items?: Answer["body"][];
  };
}

function send(
  server: Server,
  agent: http.Agent,
  method: string,
  at: string,
  body?: unknown,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = http.request(
      new URL(at, server.url),
      {
        method,
        agent,
        headers: { authorization: `Bearer ${server.token}`, "content-type": "application/json" },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => {
          try {
            resolve({
              status: response.statusCode ?? 0,
              body: JSON.parse(Buffer.concat(chunks).toString()) as Answer["body"],
            });
          } catch (error) {
            reject(error);
          }
        });
        response.on("aborted", () => reject(new Error("cut off")));
      },
    );
    request.on("error", reject);
    request.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** Sends to the server that runs now. */
export type Request = (method: string, at: string, body?: unknown) => Promise<Answer>;

const collection = "/api/v1/namespaces/default/configmaps";

/** Writes until the server dies. */
async function write(
  server: Server,
  known: Map<string, Known>,
  prefix: string,
  random: () => number,
  versions: Map<string, string>,
): Promise<void> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  try {
    for (;;) {
      const name = `${prefix}-${Math.floor(random() * objectsPerWriter)}`;
      const state = known.get(name) ?? { acknowledged: undefined, underWay: null };
      known.set(name, state);
      const value = String(random());
      const remove = state.acknowledged !== undefined && random() < 0.2;
      state.underWay = remove ? undefined : value;
      const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { value } };
      const answer = remove
        ? await send(server, agent, "DELETE", `${collection}/${name}`)
        : state.acknowledged === undefined
          ? await send(server, agent, "POST", collection, object)
          : await send(server, agent, "PUT", `${collection}/${name}`, object);
      if (answer.status >= 300) throw new Error(`${name}: ${answer.status} ${JSON.stringify(answer.body)}`);
      state.acknowledged = remove ? undefined : value;
      state.underWay = null;
      const version = answer.body.metadata?.resourceVersion;
      if (version === undefined) continue;
      const before = versions.get(version);
      if (before !== undefined && before !== `${name} ${value}`)
        throw new Error(`resourceVersion ${version} was given to ${before} and to ${name}`);
      versions.set(version, `${name} ${value}`);
    }
  } catch (error) {
    // the end of the server is what is waited for; anything else is a finding
    if (!/ECONNRESET|ECONNREFUSED|EPIPE|socket hang up|cut off|Unexpected end|terminated/.test(String(error)))
      throw error;
  } finally {
    agent.destroy();
  }
}

/** Compares what is stored with what was acknowledged; answers the differences. */
async function check(server: Server, known: Map<string, Known>): Promise<string[]> {
  const agent = new http.Agent();
  const { body } = await send(server, agent, "GET", collection);
  agent.destroy();
  const stored = new Map(
    (body.items ?? []).map((item) => [(item.metadata as { name?: string }).name ?? "", item.data?.value]),
  );
  const problems: string[] = [];
  for (const [name, state] of known) {
    const value = stored.get(name);
    const allowed = [state.acknowledged, ...(state.underWay === null ? [] : [state.underWay])];
    if (!allowed.includes(value))
      problems.push(`${name} is ${value ?? "gone"}, acknowledged was ${state.acknowledged ?? "gone"}`);
    state.acknowledged = value;
    state.underWay = null;
  }
  return problems;
}

export async function main(args: readonly string[]): Promise<number> {
  const option = (name: string, fallback: number): number => {
    const at = args.indexOf(`--${name}`);
    return at < 0 ? fallback : Number(args[at + 1]);
  };
  const kills = option("kills", 500);
  const seed = option("seed", Math.floor(Math.random() * 2 ** 31));
  console.log(`${kills} kills, ${writerCount} writers, --seed ${seed}`);
  const random = seededRandom(seed);
  const folder = mkdtempSync(path.join(os.tmpdir(), "bowline-crash-"));
  const known = new Map<string, Known>();
  const versions = new Map<string, string>();
  let failed = 0;
  let writes = 0;
  const workloads = args.includes("--workloads") ? new Workloads() : undefined;
  const options = workloads === undefined ? [] : ["workloads"];
  try {
    let server = await startServer(folder, ...options);
    const ask: Request = (method, at, body) => send(server, new http.Agent(), method, at, body);
    await workloads?.begin(ask);
    for (let kill = 1; kill <= kills; kill++) {
      const current = server;
      const writers = Array.from({ length: writerCount }, (_, i) =>
        write(current, known, `w${i}`, () => random.next(), versions),
      );
      setTimeout(() => current.child.kill("SIGKILL"), 5 + random.next() * 150);
      const problems = (await Promise.allSettled(writers)).flatMap((w) =>
        w.status === "rejected" ? [String(w.reason)] : [],
      );
      if (current.child.exitCode === null && current.child.signalCode === null) {
        await new Promise((resolve) => current.child.once("exit", resolve));
      }
      server = await startServer(folder, ...options);
      problems.push(...(await check(server, known)));
      problems.push(...((await workloads?.check(ask)) ?? []));
      writes = versions.size;
      if (problems.length > 0) failed++;
      for (const problem of problems) console.log(`kill ${kill}: ${problem}`);
      if (process.stdout.isTTY) process.stdout.write(`\r${kill}/${kills}`);
    }
    server.child.kill("SIGKILL");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  console.log(`${writes} acknowledged versions`);
  console.log(`${kills - failed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}
