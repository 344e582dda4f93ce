/**
 * An operator in a process of its own, for measurements. It is told the server and what to measure by one message, sends
 * its figures, and ends. Everything is imported late: the import is measured, too.
 */
import type { Transport, WatchStream } from "@bowline/client";

/** What to measure, against which server. */
export interface OperatorTask {
  readonly server: { readonly url: string; readonly token: string; readonly ca: string };
  /** Objects that are there: each is reconciled once. */
  readonly objectCount: number;
  readonly workers: number;
  /** What a reconcile does; `patch` changes the status of its object to `statusValue`. */
  readonly work: "sync-only" | "nothing" | "get" | "patch";
  readonly statusValue?: number;
  /** So many objects that come later are timed, by their stamps. */
  readonly latencyCount?: number;
  readonly watchList?: boolean;
}

/** Times in milliseconds, memory in bytes. */
export interface OperatorFigures {
  readonly importMs: number;
  readonly syncMs: number;
  /** Processor time of the operator's process for it: all threads. */
  readonly syncCpuMs: number;
  readonly rssAfterSync: number;
  readonly rssAfterGc: number;
  readonly heapAfterGc: number;
  readonly drainMs: number;
  /** From the stamp of an object, set before it is sent, to its reconcile. */
  readonly latenciesMs: readonly number[];
  /** From the decoded event to the reconcile. */
  readonly ownLatenciesMs: readonly number[];
}

process.once("message", (task: OperatorTask) => {
  void measure(task).then((figures) => process.send?.(figures, () => process.exit(0)));
});

async function measure(task: OperatorTask): Promise<OperatorFigures> {
  const bornAt = performance.now();
  const { createManager, defineController, silentLogger } = await import("@bowline/runtime");
  const importMs = performance.now() - bornAt;
  const { createHttpTransport, fixedCredentials } = await import("@bowline/client");
  const { Application: kind } = await import("./application.ts");
  const { url, token, ca } = task.server;
  const credentials = fixedCredentials({ authorization: `Bearer ${token}` });
  const http = createHttpTransport({
    server: url,
    ca,
    credentials,
    namespace: "default",
    origin: "benchmark",
  });
  const stopwatch = new Stopwatch(task);
  const manager = createManager({
    transport: stopwatch.listening(http),
    logger: silentLogger,
    cache: task.watchList === undefined ? {} : { watchList: task.watchList },
    controllers: [
      defineController(kind, {
        concurrency: task.workers,
        reconcile(app, ctx) {
          stopwatch.reconciled(app);
          if (task.work === "get") return void ctx.get(kind, ctx.request);
          if (task.work !== "patch" || app.status?.availableReplicas === task.statusValue) return;
          return ctx.patchStatus({ availableReplicas: task.statusValue }).then(() => stopwatch.patched());
        },
      }),
    ],
  });
  const startedAt = performance.now();
  const cpuBefore = process.cpuUsage();
  await manager.cache.list(kind, { limit: 0 });
  const syncMs = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(cpuBefore);
  const syncCpuMs = (user + system) / 1000;
  const rssAfterSync = process.memoryUsage.rss();
  const { rssAfterGc, heapAfterGc } = await afterGc();
  const drainStartedAt = performance.now();
  if (task.work !== "sync-only") {
    await manager.start();
    await stopwatch.drained;
  }
  const drainMs = performance.now() - drainStartedAt;
  if (task.latencyCount !== undefined) process.send?.("ready");
  await stopwatch.timed;
  const { latenciesMs, ownLatenciesMs } = stopwatch;
  const memory = { rssAfterSync, rssAfterGc, heapAfterGc };
  return { importMs, syncMs, syncCpuMs, ...memory, drainMs, latenciesMs, ownLatenciesMs };
}

async function afterGc(): Promise<{ rssAfterGc: number; heapAfterGc: number }> {
  for (let i = 0; i < 3; i++) {
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return { rssAfterGc: process.memoryUsage.rss(), heapAfterGc: process.memoryUsage().heapUsed };
}

interface Stamped {
  readonly metadata: { readonly name?: string; readonly annotations?: Readonly<Record<string, string>> };
}

/** Counts what is done and takes the times. */
class Stopwatch {
  readonly latenciesMs: number[] = [];
  readonly ownLatenciesMs: number[] = [];
  readonly drained: Promise<void>;
  readonly timed: Promise<void>;
  readonly #task: OperatorTask;
  readonly #arrivals = new Map<string, number>();
  #left: number;
  #endDrain = (): void => {};
  #endTiming = (): void => {};

  constructor(task: OperatorTask) {
    this.#task = task;
    this.#left = task.objectCount;
    this.drained = new Promise((resolve) => (this.#endDrain = resolve));
    this.timed = new Promise((resolve) => (this.#endTiming = resolve));
    if (this.#left === 0) this.#endDrain();
    if (task.latencyCount === undefined) this.#endTiming();
  }

  reconciled(app: Stamped): void {
    const { latencyCount, work } = this.#task;
    if (this.#left > 0) {
      if (work !== "patch" && --this.#left === 0) this.#endDrain();
      return;
    }
    if (latencyCount === undefined) return;
    const now = performance.now();
    const stampMs = Number(app.metadata.annotations?.["bench/t0"]) / 1e6 - performance.timeOrigin;
    this.latenciesMs.push(now - stampMs);
    this.ownLatenciesMs.push(now - (this.#arrivals.get(app.metadata.name ?? "") ?? Number.NaN));
    if (this.latenciesMs.length === latencyCount) this.#endTiming();
  }

  patched(): void {
    if (--this.#left === 0) this.#endDrain();
  }

  /** The transport, noting when events arrive. */
  listening(transport: Transport): Transport {
    if (this.#task.latencyCount === undefined) return transport;
    return {
      request: (request) => transport.request(request),
      stream: (request) => transport.stream(request),
      close: () => transport.close(),
      watch: async (request) => {
        const stream: WatchStream<never> = await transport.watch(request);
        const arrivals = this.#arrivals;
        return {
          close: () => stream.close(),
          async *[Symbol.asyncIterator]() {
            for await (const events of stream) {
              const now = performance.now();
              for (const { object } of events) {
                arrivals.set((object as { metadata: { name: string } }).metadata.name, now);
              }
              yield events;
            }
          },
        };
      },
    };
  }
}
