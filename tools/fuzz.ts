/**
 * Sends broken requests to an embedded API server over HTTPS: `npm run fuzz -- --requests 100000 [--seed N] [--verbose]`. Every request must
 * be answered, none may meet a bug of the server (it tells of each), and memory must stay flat. The last line is
 * `N passed, N failed`; a failure prints the request that caused it.
 */
import https from "node:https";
import tls from "node:tls";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { seededRandom } from "@bowline/client";
import { type Cluster, type Listening, createCluster } from "@bowline/cluster";
import { type FuzzRequest, mutated, pick } from "./fuzz/mutate.ts";
import { definition, seeds } from "./fuzz/seeds.ts";

const workers = 16;
const answerMsMax = 20_000;
/** What the heap may grow between a tenth of the run and its end, MiB: objects and history are bounded meanwhile. */
const growthMegabytesMax = 48;

interface Answer {
  readonly status: number;
  readonly text: string;
}

export async function main(args: readonly string[]): Promise<number> {
  const requests = Number(option(args, "--requests") ?? 10_000);
  const seed = Number(option(args, "--seed") ?? 1);
  const bugs: string[] = [];
  const cluster = await createCluster({
    controllers: false,
    history: { eventsMax: 1000 },
    onError: (error) =>
      void bugs.push(error instanceof Error ? (error.stack ?? error.message) : String(error)),
  });
  const run = new FuzzRun(await cluster.listen(), bugs, seed);
  await serveDefinition(cluster);
  const started = heapMegabytes();
  await run.many(Math.ceil(requests / 10));
  const before = heapMegabytes();
  await run.many(requests - Math.ceil(requests / 10));
  await run.garbage();
  const after = heapMegabytes();
  run.check(after - before < growthMegabytesMax, `the heap grew from ${before} to ${after} MiB`);
  run.close();
  await cluster.close();
  console.log(
    `seed ${seed}; answers by status: ${run.statusText()}; heap ${started}, ${before}, ${after} MiB`,
  );
  if (args.includes("--verbose")) console.log(run.serverErrorText());
  console.log(`${run.passed} passed, ${run.failed} failed`);
  return run.failed === 0 ? 0 : 1;
}

function option(args: readonly string[], name: string): string | undefined {
  const at = args.indexOf(name);
  return at < 0 ? undefined : args[at + 1];
}

async function serveDefinition(cluster: Cluster): Promise<void> {
  const transport = cluster.transport();
  const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  await transport.request({ method: "POST", path, body: definition });
}

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

function heapMegabytes(): number {
  collectGarbage();
  return Math.round(process.memoryUsage().heapUsed / 2 ** 20);
}

class FuzzRun {
  passed = 0;
  failed = 0;
  readonly #server: Listening;
  readonly #bugs: string[];
  readonly #agent = new https.Agent({ keepAlive: true, maxSockets: workers });
  readonly #random;
  readonly #statuses = new Map<number, number>();
  /** What 500 answers said, numbers and quoted parts left out, with a request that caused it. */
  readonly #serverErrors = new Map<string, FuzzRequest>();

  constructor(server: Listening, bugs: string[], seed: number) {
    this.#server = server;
    this.#bugs = bugs;
    this.#random = seededRandom(seed);
  }

  async many(count: number): Promise<void> {
    let next = 0;
    const work = async (): Promise<void> => {
      while (next++ < count) await this.#one(mutated(this.#random, pick(this.#random, seeds)));
    };
    await Promise.all(Array.from({ length: workers }, work));
  }

  async #one(request: FuzzRequest): Promise<void> {
    let problem: string | undefined;
    try {
      const { status, text } = await this.#send(request);
      this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1);
      problem = problemOf(request, status, text);
      if (status === 500) this.#serverErrors.set(wordsOf(text), request);
    } catch (error) {
      problem = `no answer: ${String(error)}`;
    }
    const bugs = this.#bugs.splice(0);
    const what = [...(problem === undefined ? [] : [problem]), ...bugs].join("\n  ");
    this.check(what === "", `${described(request)}\n  ${what}`);
  }

  check(holds: boolean, text: string): void {
    if (holds) {
      this.passed++;
      return;
    }
    this.failed++;
    if (this.failed <= 20) console.log(`FAIL ${text}`);
  }

  #send(request: FuzzRequest): Promise<Answer> {
    const { port, token, certificateAuthority: ca } = this.#server;
    return new Promise((resolve, reject) => {
      const sent = https.request({
        host: "127.0.0.1",
        port,
        ca,
        agent: this.#agent,
        method: request.method,
        path: Buffer.from(request.path)
          .toString("latin1")
          .replace(/[^\u0021-\u00ff]/g, ""),
        headers: { authorization: `Bearer ${token}`, ...request.headers, ...lengthOf(request) },
      });
      sent.setTimeout(answerMsMax, () => sent.destroy(new Error(`nothing within ${answerMsMax / 1000} s`)));
      sent.on("error", (error: NodeJS.ErrnoException) => {
        // the server closed an idle connection at the moment of its reuse: the request never arrived
        if (sent.reusedSocket && error.code === "ECONNRESET") resolve(this.#send(request));
        else reject(error);
      });
      sent.on("response", (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString("latin1") }),
        );
      });
      sent.end(request.body);
    });
  }

  /** What is not HTTP at all: refused or cut off, and the server goes on. */
  async garbage(): Promise<void> {
    const texts = [
      "\r\n\r\n",
      "GET",
      "GET / HTTP/9\r\n\r\n",
      "\u0000\u0001\u0002\r\n",
      "POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n",
    ];
    for (const text of texts) {
      const ended = await this.#raw(text);
      this.check(ended, `the connection stayed open after ${JSON.stringify(text)}`);
    }
    await this.#one({ method: "GET", path: "/healthz", headers: {}, body: undefined });
  }

  #raw(text: string): Promise<boolean> {
    const { port, certificateAuthority: ca } = this.#server;
    return new Promise((resolve) => {
      const socket = tls.connect({ host: "127.0.0.1", port, ca }, () => socket.end(text));
      socket.setTimeout(answerMsMax, () => {
        socket.destroy();
        resolve(false);
      });
      socket.on("data", () => {});
      socket.on("error", () => {});
      socket.on("close", () => resolve(true));
    });
  }

  statusText(): string {
    return [...this.#statuses]
      .sort(([a], [b]) => a - b)
      .map(([status, count]) => `${status}: ${count}`)
      .join(", ");
  }

  /** The kinds of 500 that were answered on purpose, each to be judged by a reader. */
  serverErrorText(): string {
    return [...this.#serverErrors]
      .map(([words, request]) => `500 ${words}\n    ${described(request)}`)
      .join("\n");
  }

  close(): void {
    this.#agent.destroy();
  }
}

function lengthOf({ body }: FuzzRequest): Record<string, string> {
  return body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
}

/** The message of a Status without what varies. */
function wordsOf(text: string): string {
  const message = /"?message"?:\s*"((?:[^"\\]|\\.)*)"/.exec(text)?.[1] ?? text.slice(0, 80);
  return message.replace(/\\"[^"]*\\"|\d+|\(.*\)|\[.*\]/g, "_").slice(0, 40);
}

/** What is wrong with an answer, if anything. */
function problemOf(request: FuzzRequest, status: number, text: string): string | undefined {
  if (status < 200 || status > 599) return `status ${status}`;
  if (request.method === "HEAD" || status < 400) return undefined;
  const known = /^(\{|k8s\0|apiVersion:|404 page not found|\s*$|4\d\d )/.test(text) || text.length > 0;
  return known ? undefined : `a failure without words: ${status}`;
}

function described({ method, path, headers, body }: FuzzRequest): string {
  const shown = body === undefined ? "" : JSON.stringify(body.toString("latin1" as never).slice(0, 500));
  return `${method} ${path.slice(0, 300)} ${JSON.stringify(headers).slice(0, 300)} ${shown}`;
}
