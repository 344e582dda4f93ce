import { type ChildProcess, fork } from "node:child_process";
import https from "node:https";
import { ConfigMap } from "@bowline/api/core/v1";
import { createCluster } from "@bowline/cluster";
import type { Transport, WatchStream } from "@bowline/client";
import type { Benchmark, Report } from "./report.ts";

const collection = "/api/v1/namespaces/default/configmaps";
const objectCount = 100_000;
const connectionCount = 32;
const watcherCount = 1_000;

function configMap(name: string): object {
  return {
    apiVersion: ConfigMap.apiVersion,
    kind: ConfigMap.kind,
    metadata: { name },
    data: { key: "value" },
  };
}

/** Runs `work` for every number below `count`, as many at a time as there are workers. @returns how many a second */
async function rate(count: number, workers: number, work: (i: number) => Promise<unknown>): Promise<number> {
  let next = 0;
  const start = performance.now();
  await Promise.all(
    Array.from({ length: workers }, async () => {
      while (next < count) await work(next++);
    }),
  );
  return count / ((performance.now() - start) / 1000);
}

async function inProcess(report: Report): Promise<void> {
  const cluster = await createCluster({ controllers: false });
  const transport = cluster.transport();
  const create = (name: string): Promise<unknown> =>
    transport.request({ method: "POST", path: collection, body: configMap(name) });
  await rate(2_000, 1, (i) => create(`warm-${i}`));
  report.figure(
    "creates in process, one after another",
    await rate(10_000, 1, (i) => create(`a-${i}`)),
    "/s",
  );
  await fanOut(transport, report);
  await cluster.close();
}

/** One change to many watchers: until the last of them has it, median of 11. */
async function fanOut(transport: Transport, report: Report): Promise<void> {
  const query = { watch: "true", resourceVersion: await versionOf(transport) };
  const watches = await Promise.all(
    Array.from({ length: watcherCount }, () => transport.watch({ method: "GET", path: collection, query })),
  );
  let seen = 0;
  let all = (): void => {};
  const count = async (watch: WatchStream): Promise<void> => {
    for await (const batch of watch) {
      seen += batch.length;
      if (seen === watcherCount) all();
    }
  };
  const counting = watches.map(count);
  const times: number[] = [];
  for (let i = 0; i < 11; i++) {
    seen = 0;
    const done = new Promise<void>((resolve) => {
      all = resolve;
    });
    const start = performance.now();
    await transport.request({ method: "POST", path: collection, body: configMap(`fan-${i}`) });
    await done;
    times.push(performance.now() - start);
  }
  for (const watch of watches) watch.close();
  await Promise.all(counting);
  report.figure(
    `one change to ${watcherCount} watchers in process`,
    times.sort((a, b) => a - b)[5] ?? 0,
    "ms",
  );
}

async function versionOf(transport: Transport): Promise<string> {
  const { body } = await transport.request<{ metadata: { resourceVersion: string } }>({
    method: "GET",
    path: collection,
    query: { limit: "1" },
  });
  return body.metadata.resourceVersion;
}

interface Address {
  readonly url: string;
  readonly token: string;
  readonly ca: string;
}

function firstMessage<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    child.once("message", (message) => resolve(message as T));
    child.once("exit", (code) => reject(new Error(`the server ended with status ${code}`)));
  });
}

/** Requests over HTTP/1.1, with nothing between them and the socket. */
function sender(address: Address, agent: https.Agent): Sender {
  const { hostname, port } = new URL(address.url);
  return (method, path, body) =>
    new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${address.token}`, "content-type": "application/json" };
      const request = https.request(
        { hostname, port, agent, ca: address.ca, method, path, headers },
        (response) => {
          let bytes = 0;
          response.on("data", (chunk: Buffer) => {
            bytes += chunk.length;
          });
          response.on("end", () =>
            (response.statusCode ?? 500) < 300
              ? resolve(bytes)
              : reject(new Error(`${path}: ${response.statusCode}`)),
          );
        },
      );
      request.on("error", reject);
      request.end(body);
    });
}

type Sender = (method: string, path: string, body?: string) => Promise<number>;

async function overHttps(report: Report): Promise<void> {
  const start = performance.now();
  const child = fork(new URL("./server-process.js", import.meta.url), {
    execArgv: ["--expose-gc"],
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const address = await firstMessage<Address>(child);
  report.figure("start of the process to listening", performance.now() - start, "ms");
  const agent = new https.Agent({ keepAlive: true, maxSockets: connectionCount });
  const send = sender(address, agent);
  const create = (name: string): Promise<number> => send("POST", collection, JSON.stringify(configMap(name)));
  await rate(5_000, connectionCount, (i) => create(`warm-${i}`));
  const perSecond = await rate(objectCount - 5_000, connectionCount, (i) => create(`c-${i}`));
  report.figure(`creates over HTTPS, ${connectionCount} connections`, perSecond, "/s");
  await lists(report, send);
  const memory = firstMessage<{ rssBytes: number }>(child);
  child.send("memory");
  report.figure(`memory with ${objectCount} objects`, (await memory).rssBytes / 2 ** 20, "MiB");
  agent.destroy();
  child.removeAllListeners("exit");
  child.disconnect();
}

async function lists(report: Report, send: Sender): Promise<void> {
  const times: number[] = [];
  let bytes = 0;
  for (let i = 0; i < 6; i++) {
    const start = performance.now();
    bytes = await send("GET", collection);
    times.push(performance.now() - start);
  }
  report.figure(`list of ${objectCount} objects, the first time`, times[0] ?? 0, "ms");
  report.figure(`list of ${objectCount} objects, median`, times.slice(1).sort((a, b) => a - b)[2] ?? 0, "ms");
  report.figure("size of that list", bytes / 2 ** 20, "MiB");
}

export const server: Benchmark = {
  name: "server",
  method:
    "the embedded API server with ConfigMaps; over HTTPS it has a process of its own, beside that of the clients",
  async run(report) {
    await inProcess(report);
    await overHttps(report);
  },
};
