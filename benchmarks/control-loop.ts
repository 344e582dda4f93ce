import { type ChildProcess, fork } from "node:child_process";
import https from "node:https";
import { WorkQueue } from "@bowline/runtime";
import { applicationObject } from "./application.ts";
import type { OperatorFigures, OperatorTask } from "./operator-process.ts";
import type { Benchmark, Report } from "./report.ts";

const runs = 3;
const collection = "/apis/example.com/v1/namespaces/default/applications";

async function queueThroughput(report: Report): Promise<void> {
  let best = 0;
  for (let run = 0; run < runs; run++) best = Math.max(best, await queueRun());
  report.figure("queue: add, get, done", best, "/s");
}

async function queueRun(): Promise<number> {
  const count = 1_000_000;
  const queue = new WorkQueue();
  const keys = Array.from({ length: 1000 }, (_, i) => `default/object-${i}`);
  const start = performance.now();
  for (let done = 0; done < count; done += keys.length) {
    for (const key of keys) queue.add(key);
    for (let i = 0; i < keys.length; i++) {
      const item = await queue.get();
      if (item !== undefined) queue.done(item);
    }
  }
  void queue.shutDown();
  return count / ((performance.now() - start) / 1000);
}

/** The API server in a process of its own. */
class Server {
  readonly #child: ChildProcess;
  readonly address: OperatorTask["server"];
  objectCount = 0;

  private constructor(child: ChildProcess, address: OperatorTask["server"]) {
    this.#child = child;
    this.address = address;
  }

  static async start(): Promise<Server> {
    const child = fork(new URL("./server-process.js", import.meta.url), { execArgv: ["--expose-gc"] });
    return new Server(child, await message<OperatorTask["server"]>(child));
  }

  async populate(total: number): Promise<void> {
    const done = message(this.#child);
    this.#child.send({ offset: this.objectCount, count: total - this.objectCount });
    await done;
    this.objectCount = total;
  }

  stop(): void {
    this.#child.removeAllListeners("exit");
    this.#child.disconnect();
  }
}

function message<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    child.once("message", (value) => resolve(value as T));
    child.once("exit", (code) => reject(new Error(`the process ended with status ${code}`)));
  });
}

/** Runs an operator in a new process. `onReady` is called when it waits for what it shall time. */
async function operate(task: OperatorTask, onReady?: () => Promise<void>): Promise<OperatorFigures> {
  const child = fork(new URL("./operator-process.js", import.meta.url), { execArgv: ["--expose-gc"] });
  let answer = message<OperatorFigures | "ready">(child);
  child.send(task);
  if (onReady !== undefined) {
    await answer;
    answer = message(child);
    await onReady();
  }
  const figures = (await answer) as OperatorFigures;
  child.removeAllListeners("exit");
  return figures;
}

async function several(task: OperatorTask): Promise<OperatorFigures[]> {
  const all: OperatorFigures[] = [];
  for (let run = 0; run < runs; run++) all.push(await operate(task));
  return all;
}

const mib = 2 ** 20;

/** What controller-runtime v0.24.1 needs for the same, from its reference measurement. */
interface Peer {
  readonly sync: string;
  readonly cpu?: string;
  readonly rss: string;
  readonly rssAfterGc: string;
  readonly heap: string;
}

async function sync(report: Report, server: Server, peer: Peer): Promise<void> {
  const { address, objectCount } = server;
  const task: OperatorTask = { server: address, objectCount, workers: 1, work: "sync-only" };
  const all = await several(task);
  const least = (of: (figures: OperatorFigures) => number): number => Math.min(...all.map(of));
  const what = `${objectCount.toLocaleString("en")} objects`;
  report.figure(
    `first list of ${what}`,
    least((f) => f.syncMs),
    "ms",
    peer.sync,
  );
  report.figure(
    "processor time of the operator for it",
    least((f) => f.syncCpuMs),
    "ms",
    peer.cpu,
  );
  report.figure(`memory after it`, least((f) => f.rssAfterSync) / mib, "MiB", peer.rss);
  report.figure(
    `memory after a garbage collection`,
    least((f) => f.rssAfterGc) / mib,
    "MiB",
    peer.rssAfterGc,
  );
  report.figure(`heap then`, least((f) => f.heapAfterGc) / mib, "MiB", peer.heap);
}

async function drain(report: Report, server: Server): Promise<void> {
  const { address, objectCount } = server;
  const rate = async (work: OperatorTask["work"], workers: number): Promise<number> => {
    const all = await several({ server: address, objectCount, workers, work });
    return objectCount / (Math.min(...all.map((f) => f.drainMs)) / 1000);
  };
  const what = `reconciles of ${objectCount.toLocaleString("en")} objects`;
  report.figure(`${what} that do nothing`, await rate("nothing", 1), "/s", "140,000 - 166,000");
  report.figure("... with 10 workers", await rate("nothing", 10), "/s", "184,000");
  report.figure(`${what} with one cached get`, await rate("get", 1), "/s", "93,000");
  report.figure("... with 10 workers", await rate("get", 10), "/s", "120,000");
}

async function statusWrites(report: Report, server: Server): Promise<void> {
  const { address, objectCount } = server;
  let statusValue = 0;
  for (const [workers, peer] of [
    [1, "289 - 348"],
    [10, "585 - 647"],
  ] as const) {
    const times: number[] = [];
    for (let run = 0; run < 2; run++) {
      const task: OperatorTask = {
        server: address,
        objectCount,
        workers,
        work: "patch",
        statusValue: ++statusValue,
      };
      times.push((await operate(task)).drainMs);
    }
    const perSecond = objectCount / (Math.min(...times) / 1000);
    report.figure(
      `status patches, ${workers === 1 ? "1 worker" : `${workers} workers`}`,
      perSecond,
      "/s",
      peer,
    );
  }
}

const latencyCount = 1000;
const pacePerSecond = 100;

/** Creates objects at an even pace. @returns how long each create took */
async function createPaced(server: Server): Promise<number[]> {
  const { url, token, ca } = server.address;
  const agent = new https.Agent({ keepAlive: true, maxSockets: 4 });
  const { hostname, port } = new URL(url);
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const create = (body: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const options = { hostname, port, agent, ca, method: "POST", path: collection, headers };
      const request = https.request(options, (response) => response.resume().on("end", resolve));
      request.on("error", reject).end(body);
    });
  const times: number[] = [];
  const start = performance.now();
  const pending: Promise<void>[] = [];
  for (let i = 0; i < latencyCount; i++) {
    const waitMs = start + (i * 1000) / pacePerSecond - performance.now();
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
    const sentAt = performance.now();
    const body = JSON.stringify(applicationObject(server.objectCount++));
    pending.push(create(body).then(() => void times.push(performance.now() - sentAt)));
  }
  await Promise.all(pending);
  agent.destroy();
  return times;
}

function percentile(values: readonly number[], fraction: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * fraction)] ?? Number.NaN;
}

async function latency(report: Report, server: Server): Promise<void> {
  const { address, objectCount } = server;
  let createTimes: number[] = [];
  const task: OperatorTask = { server: address, objectCount, workers: 1, work: "nothing", latencyCount };
  const { latenciesMs, ownLatenciesMs } = await operate(task, async () => {
    createTimes = await createPaced(server);
  });
  report.figure("create, 100 a second: p50", percentile(createTimes, 0.5), "ms", "2.2 - 2.7");
  report.figure(
    "from before the create to the reconcile: p50",
    percentile(latenciesMs, 0.5),
    "ms",
    "2.4 - 2.9",
  );
  report.figure("... p99", percentile(latenciesMs, 0.99), "ms", "8.3 - 9.5");
  report.figure("from the event to the reconcile: p50", percentile(ownLatenciesMs, 0.5), "ms", "0.1 - 0.2");
  report.figure("... p99", percentile(ownLatenciesMs, 0.99), "ms");
}

async function idle(report: Report, server: Server): Promise<void> {
  const all = await several({ server: server.address, objectCount: 0, workers: 1, work: "nothing" });
  const least = (of: (figures: OperatorFigures) => number): number => Math.min(...all.map(of));
  report.figure(
    "import of @bowline/runtime",
    least((f) => f.importMs),
    "ms",
  );
  report.figure("idle manager: memory", least((f) => f.rssAfterGc) / mib, "MiB", "33.5");
}

const peerSmall = { sync: "690 - 790", rss: "63 - 65", rssAfterGc: "54", heap: "18" };
const peerLarge = {
  sync: "6,600 - 7,900",
  cpu: "8,200",
  rss: "299 - 301",
  rssAfterGc: "218 - 222",
  heap: "158",
};

export const controlLoop: Benchmark = {
  name: "control-loop",
  method: `server and operator in a process each, over HTTPS, best of ${runs} runs; beside it controller-runtime v0.24.1 against the real API server`,
  async run(report) {
    await queueThroughput(report);
    const server = await Server.start();
    try {
      await idle(report, server);
      await server.populate(10_000);
      await sync(report, server, peerSmall);
      await statusWrites(report, server);
      await latency(report, server);
      await server.populate(100_000);
      await sync(report, server, peerLarge);
      await drain(report, server);
    } finally {
      server.stop();
    }
  },
};
