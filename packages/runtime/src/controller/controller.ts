import { type AnyKind, type DeepReadonly, type KubeObject, isConflict } from "@bowline/api";
import { type Clock, type Random, sleep, turn } from "@bowline/client";
import type { Tracer } from "@opentelemetry/api";
import type { InformerHold } from "../cache/cache.ts";
import type { SharedInformer } from "../cache/informer.ts";
import type { ReflectorScope } from "../cache/reflector.ts";
import { ReconcileTimeoutError, isTermOverError } from "../errors.ts";
import type { InstrumentRegistry } from "../manager/instruments.ts";
import type { Logger } from "../manager/logger.ts";
import { type ControllerMetrics, controllerMetrics } from "../manager/metrics.ts";
import { inSpan } from "../manager/observed-transport.ts";
import type { Term } from "../manager/term.ts";
import { RetryDelay, exponentialBackOff } from "../queue/back-off.ts";
import { type QueueItem, WorkQueue } from "../queue/work-queue.ts";
import type { ClusterConnection } from "./cluster-connection.ts";
import type { ControllerDefinition, CustomSource, ReconcileAnswer } from "./define-controller.ts";
import { ownersOf } from "./event-handler.ts";
import { type Intake, keyOf, takeIn } from "./event-intake.ts";
import { reconcileGuarded } from "./guarded-reconcile.ts";
import { HotLoopDetector } from "./hot-loop.ts";
import { KeyMemory } from "./key-memory.ts";
import { type ContextHost, LiveContext } from "./live-context.ts";
import type { ManagedClient } from "./managed-client.ts";
import { type Cause, type ReconcileRequest, parseRequestKey } from "./request.ts";
import { type ReconcileResult, isRetryAfterError, isTerminalError } from "./result.ts";

type Frozen = DeepReadonly<KubeObject>;
type Result = ReconcileResult | undefined | void;

export interface ControllerDependencies {
  readonly clusters: ReadonlyMap<string, ClusterConnection>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly instruments: InstrumentRegistry;
  readonly tracer?: Tracer | undefined;
  /** Overrides that of the definition. */
  readonly concurrency?: number | undefined;
}

/** How a controller fares, for health and the debug page. */
export interface ControllerReport {
  readonly name: string;
  readonly kind: string | undefined;
  readonly isRunning: boolean;
  readonly depth: number;
  readonly delayedCount: number;
  readonly processing: readonly { readonly key: string; readonly seconds: number }[];
  readonly workerCount: number;
  readonly errorCount: number;
  readonly lastError: string | undefined;
}

/** One stretch of work: from `start` to `stop`. */
interface Run {
  readonly term: Term;
  readonly queue: WorkQueue;
  readonly signal: AbortSignal;
  /** How to end the intakes of each cluster. */
  readonly detach: Map<string, (() => void)[]>;
  /** Ends the sources; undefined when there are none. */
  readonly sources: AbortController | undefined;
  readonly workers: Promise<void>[];
  readonly clients: Map<ClusterConnection, ManagedClient>;
  stopped?: Promise<void>;
}

type OwnIntake = Intake & { readonly connection: ClusterConnection; readonly isOptional: boolean };

/** What a controller has of a cluster. */
interface Shares {
  readonly intakes: readonly OwnIntake[];
  readonly holds: readonly InformerHold[];
}

/** After so many keys in a row a worker lets the event loop turn, so that watches and servers are not starved. */
const keysPerTurn = 128;
const msPerTurn = 10;

/** Runs one controller definition: events into its queue, keys out of it to its workers. Can be started again after a stop. */
export class Controller implements ContextHost {
  readonly definition: ControllerDefinition;
  readonly name: string;
  readonly fieldManager: string;
  readonly kind: AnyKind | undefined;
  readonly ownedKinds: readonly AnyKind[];
  readonly clock: Clock;
  readonly memory: KeyMemory;
  readonly #deps: ControllerDependencies;
  readonly #log: Logger;
  readonly #metrics: ControllerMetrics;
  readonly #concurrency: number;
  readonly #kinds = new Map<string, AnyKind>();
  readonly #hotLoops: HotLoopDetector;
  /** The informer of `kind` per cluster. */
  readonly #informers = new Map<string, SharedInformer>();
  readonly #sharesIn = new Map<string, Shares>();
  #queue: WorkQueue;
  #current: Run | undefined;
  #isClosed = false;
  #workerCount = 0;
  #errorCount = 0;
  #lastError: string | undefined;

  constructor(definition: ControllerDefinition, dependencies: ControllerDependencies) {
    this.definition = definition;
    this.name = definition.name;
    this.kind = definition.kind;
    this.fieldManager = definition.options.fieldManager ?? definition.name;
    this.ownedKinds = definition.owns.map((owns) => owns.kind);
    this.clock = dependencies.clock;
    this.memory = new KeyMemory(dependencies.clock);
    this.#deps = dependencies;
    this.#concurrency = dependencies.concurrency ?? definition.options.concurrency ?? 1;
    this.#hotLoops = new HotLoopDetector(dependencies.clock);
    this.#log = dependencies.log.child({
      controller: definition.name,
      ...(this.kind === undefined
        ? {}
        : { controllerGroup: this.kind.group, controllerKind: this.kind.kind }),
    });
    this.#metrics = controllerMetrics(dependencies.instruments, definition.name, this.#concurrency);
    this.#queue = this.#newQueue();
    const watched = (definition.options.watches ?? []).map((watch) => watch.kind);
    for (const kind of [...(this.kind === undefined ? [] : [this.kind]), ...this.ownedKinds, ...watched]) {
      this.#kinds.set(`${kind.apiVersion}/${kind.kind}`, kind);
    }
  }

  /** The queue of the present term, for figures. */
  get queue(): Pick<WorkQueue, "depths" | "processing"> {
    return this.#queue;
  }

  get report(): ControllerReport {
    return {
      name: this.name,
      kind: this.kind?.kind,
      isRunning: this.#current !== undefined,
      depth: this.#queue.depth,
      delayedCount: this.#queue.delayedCount,
      processing: this.#queue.processing(),
      workerCount: this.#workerCount,
      errorCount: this.#errorCount,
      lastError: this.#lastError,
    };
  }

  /** Starts the informers that it needs and waits for their first lists. @throws CacheSyncError, the signal's reason */
  async prepare(signal: AbortSignal): Promise<void> {
    const intakes = this.#intakes();
    for (const { informer } of intakes) informer.start();
    // another cluster that cannot be reached must not hold this one up
    const needed = intakes.filter((intake) => !intake.isOptional && intake.cluster === "");
    const timeoutMs = this.definition.options.cacheSyncTimeoutMs;
    await Promise.all(
      needed.map(({ informer, connection }) => connection.cache.waitForSync(informer, signal, timeoutMs)),
    );
  }

  /** Begins to work. Reconciles see the end of the term by their signal, and nothing is written after it. */
  start(term: Term): void {
    if (this.#current !== undefined || this.#isClosed) return;
    const queue = (this.#queue = this.#newQueue());
    const { sources: given = [] } = this.definition.options;
    const sources = given.length === 0 ? undefined : new AbortController();
    const { signal } = term;
    const run: Run = { term, queue, signal, detach: new Map(), sources, workers: [], clients: new Map() };
    this.#current = run;
    for (const connection of this.#deps.clusters.values()) this.#attach(run, connection);
    for (const source of given) run.workers.push(this.#runSource(source, run));
    for (let i = 0; i < this.#concurrency; i++) run.workers.push(this.#superviseWorker(run));
    this.#log.info({ workers: this.#concurrency }, "controller started");
  }

  /** Takes no more keys and waits for reconciles that run. Never rejects. */
  stop(): Promise<void> {
    const run = this.#current;
    if (run === undefined) return Promise.resolve();
    return (run.stopped ??= this.#end(run));
  }

  async #end(run: Run): Promise<void> {
    for (const detach of [...run.detach.values()].flat()) detach();
    run.sources?.abort(new Error("the controller stops"));
    await run.queue.shutDown();
    await Promise.all(run.workers);
    this.#current = undefined;
    this.#log.info({}, "controller stopped");
  }

  /** Works on a further cluster, too. */
  engage(connection: ClusterConnection): void {
    for (const { informer } of this.#intakesOf(connection)) informer.start();
    if (this.#current !== undefined) this.#attach(this.#current, connection);
  }

  /** Takes nothing more from a cluster; keys of it that are queued are dropped when their turn comes. */
  disengage(cluster: string): void {
    for (const detach of this.#current?.detach.get(cluster) ?? []) detach();
    this.#current?.detach.delete(cluster);
    void this.#release(cluster);
  }

  /** Stops for good, and lets go of its informers: those that nobody else needs end. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.stop();
    await Promise.all([...this.#sharesIn.keys()].map((cluster) => this.#release(cluster)));
  }

  async #release(cluster: string): Promise<void> {
    const { holds } = this.#sharesIn.get(cluster) ?? { holds: [] };
    this.#sharesIn.delete(cluster);
    this.#informers.delete(cluster);
    await Promise.all(holds.map((hold) => hold.release()));
  }

  #attach(run: Run, connection: ClusterConnection): void {
    const { debounceMs = 0 } = this.definition.options;
    const ports = { queue: run.queue, clock: this.clock, log: this.#log, debounceMs };
    const detach = this.#intakesOf(connection).map((intake) => takeIn(intake, ports));
    run.detach.set(connection.name, detach);
  }

  /** Queues a key by hand. */
  enqueue(request: ReconcileRequest): void {
    this.#queue.add(keyOf(request, request.cluster), { cause: { event: "generic" } });
  }

  // What its contexts ask for

  kindOf(object: Frozen): AnyKind | undefined {
    return this.#kinds.get(`${object.apiVersion}/${object.kind}`);
  }

  clientOf(cluster: ClusterConnection): ManagedClient {
    const run = this.#current as Run;
    let client = run.clients.get(cluster);
    if (client === undefined) {
      client = cluster.client.withDefaults({ fieldManager: this.fieldManager }).forTerm(run.term);
      run.clients.set(cluster, client);
    }
    return client;
  }

  newReconcileId(): string {
    return this.#deps.random.uuid();
  }

  logOf(request: ReconcileRequest, reconcileId: string): Logger {
    const { namespace, name, cluster } = request;
    const object = namespace === "" ? { name } : { name, namespace };
    return this.#log.child({
      ...(this.kind === undefined ? {} : { [this.kind.kind]: object }),
      namespace,
      name,
      reconcileID: reconcileId,
      ...(cluster === "" ? {} : { cluster }),
    });
  }

  failuresOf(key: string): number {
    return this.#queue.failures(key);
  }

  #newQueue(): WorkQueue {
    return new WorkQueue({
      clock: this.clock,
      backOff: this.definition.options.backOff ?? exponentialBackOff(),
      observer: this.#metrics.queue,
    });
  }

  #intakes(): OwnIntake[] {
    return [...this.#deps.clusters.values()].flatMap((connection) => this.#intakesOf(connection));
  }

  /** What feeds it from a cluster; made once, since it holds the informers. */
  #intakesOf(connection: ClusterConnection): readonly OwnIntake[] {
    const known = this.#sharesIn.get(connection.name);
    if (known !== undefined) return known.intakes;
    const holds: InformerHold[] = [];
    const hold = (watched: AnyKind, scope?: ReflectorScope): SharedInformer => {
      const share = connection.cache.hold(watched, scope);
      holds.push(share as unknown as InformerHold);
      return share.informer;
    };
    const intakes = this.#makeIntakes(connection, hold);
    this.#sharesIn.set(connection.name, { intakes, holds });
    return intakes;
  }

  #makeIntakes(
    connection: ClusterConnection,
    hold: (kind: AnyKind, scope?: ReflectorScope) => SharedInformer,
  ): OwnIntake[] {
    const { name: cluster } = connection;
    const { definition, kind } = this;
    const own = { connection, cluster, isOptional: false };
    const intakes: OwnIntake[] = [];
    if (kind !== undefined) {
      const informer = hold(kind, scopeOf(definition));
      this.#informers.set(cluster, informer);
      intakes.push({ ...own, informer, predicates: definition.predicates, map: undefined });
      for (const owns of definition.owns) {
        const map = ownersOf(kind, owns.everyOwner ?? false);
        const predicates = owns.predicates ?? [];
        const isOptional = owns.optional ?? false;
        intakes.push({ ...own, informer: hold(owns.kind), predicates, map, isOptional });
      }
    }
    for (const watch of definition.options.watches ?? []) {
      if (watch.cluster !== undefined && watch.cluster !== cluster) continue;
      const { predicates, map, optional: isOptional } = watch;
      intakes.push({ ...own, informer: hold(watch.kind), predicates, map, isOptional });
    }
    return intakes;
  }

  /** A source that ends or fails is started again, with back-off. */
  async #runSource(source: CustomSource, run: Run): Promise<void> {
    const { signal } = run.sources as AbortController;
    const retry = new RetryDelay({ clock: this.clock, random: this.#deps.random });
    while (!signal.aborted) {
      try {
        await source.start({
          enqueue: (request) => run.queue.add(keyOf(request, ""), { cause: { event: "generic" } }),
          signal,
        });
      } catch (error) {
        if (!signal.aborted)
          this.#log.error({ source: source.name, err: error }, "a source failed; it is started again");
      }
      await sleep(this.clock, retry.next(), signal).catch(() => undefined);
    }
  }

  /** A worker never ends while its term runs, whatever happens in it. */
  async #superviseWorker(run: Run): Promise<void> {
    this.#workerCount++;
    while (!run.queue.isShutDown) {
      try {
        await this.#work(run);
      } catch (error) {
        this.#log.error({ err: error }, "a worker failed; it is started again");
      }
    }
    this.#workerCount--;
  }

  async #work(run: Run): Promise<void> {
    const { queue } = run;
    const { activeWorkers } = this.#metrics;
    let keys = 0;
    let turnAt = this.clock.monotonic();
    for (;;) {
      const item = queue.tryGet() ?? (await queue.get());
      if (item === undefined) return;
      activeWorkers.add(1);
      try {
        const pending = this.#process(item, run);
        if (pending !== undefined) await pending;
      } finally {
        activeWorkers.add(-1);
        queue.done(item);
      }
      if (++keys < keysPerTurn && this.clock.monotonic() - turnAt < msPerTurn) continue;
      await turn();
      keys = 0;
      turnAt = this.clock.monotonic();
    }
  }

  /** Reconciles one key. Answers undefined when all went synchronously. */
  #process(item: QueueItem, run: Run): Promise<void> | undefined {
    const startedAt = this.clock.monotonic();
    const request = parseRequestKey(item.key);
    const cluster = this.#deps.clusters.get(request.cluster);
    if (cluster === undefined) return undefined; // a key of a cluster that is not there (any more)
    const informer = this.#informers.get(request.cluster);
    if (informer === undefined) return this.#run(item, run, cluster, request, undefined, startedAt);
    const key = request.cluster === "" ? item.key : `${request.namespace}/${request.name}`;
    const peeked = cluster.cache.peek(informer, key);
    if (peeked !== undefined) return this.#run(item, run, cluster, request, peeked.object, startedAt);
    return this.#runAfterWait(item, run, cluster, request, informer, key, startedAt);
  }

  async #runAfterWait(
    item: QueueItem,
    run: Run,
    cluster: ClusterConnection,
    request: ReconcileRequest,
    informer: SharedInformer,
    key: string,
    startedAt: number,
  ): Promise<void> {
    try {
      await cluster.cache.waitForOwnWrites(informer, key, { signal: run.signal });
    } catch (error) {
      const ctx = new LiveContext(this, cluster, item, request, undefined, run.signal);
      return this.#finish(item, ctx, startedAt, undefined, error);
    }
    await this.#run(item, run, cluster, request, informer.getByKey(key), startedAt);
  }

  #run(
    item: QueueItem,
    run: Run,
    cluster: ClusterConnection,
    request: ReconcileRequest,
    object: Frozen | undefined,
    startedAt: number,
  ): Promise<void> | undefined {
    const limit = this.#limit(run.signal, item.key);
    const ctx = new LiveContext(this, cluster, item, request, object, limit?.signal ?? run.signal);
    const over = (result: Result, error: unknown): void => {
      limit?.release();
      this.#finish(
        item,
        ctx,
        startedAt,
        result,
        limit?.signal.aborted === true ? (limit.signal.reason ?? error) : error,
      );
    };
    let answer: ReconcileAnswer;
    try {
      answer =
        this.#deps.tracer === undefined
          ? this.#call(object, ctx)
          : this.#callTraced(this.#deps.tracer, object, ctx);
    } catch (error) {
      over(undefined, error ?? new Error("reconcile threw nothing"));
      return undefined;
    }
    if (answer instanceof Promise) {
      return answer.then(
        (result) => over(result, undefined),
        (error: unknown) => over(undefined, error ?? new Error("reconcile rejected with nothing")),
      );
    }
    over(answer, undefined);
    return undefined;
  }

  #callTraced(tracer: Tracer, object: Frozen | undefined, ctx: LiveContext): Promise<Result> {
    const { namespace, name } = ctx.request;
    const attributes = {
      "bowline.controller": this.name,
      "k8s.namespace.name": namespace,
      "bowline.object.name": name,
    };
    return tracer.startActiveSpan(`reconcile ${this.name}`, { attributes }, (span) =>
      inSpan(span, async () => this.#call(object, ctx)),
    );
  }

  #call(object: Frozen | undefined, ctx: LiveContext): ReconcileAnswer {
    const { definition } = this;
    if (object === undefined) {
      if (definition.kind !== undefined) this.#forgetKey(ctx);
      return definition.gone?.(ctx.request, ctx);
    }
    if (definition.finalizer !== undefined)
      return reconcileGuarded(definition, definition.finalizer, object, ctx);
    if (object.metadata.deletionTimestamp !== undefined && !definition.whileDeleting) return undefined;
    return definition.reconcile?.(object, ctx);
  }

  #forgetKey(ctx: LiveContext): void {
    this.#queue.cancelDelay(ctx.key);
    this.memory.forget(ctx.key);
    this.#hotLoops.forget(ctx.key);
  }

  /** A signal that is aborted at the reconcile timeout too; undefined without one. */
  #limit(
    term: AbortSignal,
    key: string,
  ): { readonly signal: AbortSignal; readonly release: () => void } | undefined {
    const { reconcileTimeoutMs } = this.definition.options;
    if (reconcileTimeoutMs === undefined) return undefined;
    const limit = new AbortController();
    const onTermOver = (): void => limit.abort(term.reason);
    term.addEventListener("abort", onTermOver, { once: true });
    const timer = this.clock.setTimer(reconcileTimeoutMs, () => {
      this.#metrics.timeouts.inc();
      limit.abort(
        new ReconcileTimeoutError(
          `reconcile of ${key} by ${this.name} took longer than ${reconcileTimeoutMs} ms`,
        ),
      );
    });
    const release = (): void => {
      timer.cancel();
      term.removeEventListener("abort", onTermOver);
    };
    return { signal: limit.signal, release };
  }

  #finish(item: QueueItem, ctx: LiveContext, startedAt: number, result: Result, thrown: unknown): void {
    this.#metrics.time.observe((this.clock.monotonic() - startedAt) / 1000);
    const error = thrown ?? ctx.deferredError;
    if (error !== undefined) this.#onError(item, ctx, error);
    else this.#onSuccess(item, ctx, result);
    this.#detectHotLoop(item, ctx);
  }

  #onSuccess(item: QueueItem, ctx: LiveContext, result: Result): void {
    const queue = this.#queue;
    queue.forget(item.key);
    const everyMs = ctx.object === undefined ? undefined : this.definition.everyMs;
    const wanted = Math.min(result?.requeueAfterMs ?? Number.POSITIVE_INFINITY, ctx.wakeAfterMs);
    const delayMs = Math.min(wanted, everyMs ?? Number.POSITIVE_INFINITY);
    if (delayMs !== Number.POSITIVE_INFINITY) {
      queue.addAfter(item.key, delayMs, { priority: result?.priority ?? item.priority, cause: requeueCause });
    }
    (wanted === Number.POSITIVE_INFINITY ? this.#metrics.success : this.#metrics.requeueAfter).inc();
  }

  #onError(item: QueueItem, ctx: LiveContext, error: unknown): void {
    const queue = this.#queue;
    const { priority } = item;
    if (isTermOverError(error) || this.#current?.signal.aborted === true) return;
    this.#metrics.error.inc();
    this.#metrics.errors.inc();
    this.#errorCount++;
    this.#lastError = error instanceof Error ? error.message : String(error);
    if (error instanceof TypeError || error instanceof ReferenceError || error instanceof RangeError) {
      this.#metrics.panics.inc();
    }
    if (isTerminalError(error)) {
      this.#metrics.terminalErrors.inc();
      ctx.log.error({ err: error, causes: item.causes }, "reconcile failed for good; waiting for a change");
      return;
    }
    const retryMs = isRetryAfterError(error)
      ? this.#retryAfter(queue, item, error.retryAfterMs)
      : queue.addRateLimited(item.key, { priority, cause: { event: "retry" } });
    // a lost race is no trouble: the next run sees what the other wrote
    if (isConflict(error)) ctx.log.debug({ err: error, retryMs }, "reconcile lost a race; it runs again");
    else ctx.log.error({ err: error, causes: item.causes, retryMs }, "reconcile failed; it is tried again");
  }

  #retryAfter(queue: WorkQueue, item: QueueItem, retryAfterMs: number): number {
    queue.addAfter(item.key, retryAfterMs, { priority: item.priority, cause: { event: "retry" } });
    return retryAfterMs;
  }

  #detectHotLoop(item: QueueItem, ctx: LiveContext): void {
    const { object } = ctx;
    if (object === undefined) return;
    const version = `${object.metadata.uid}/${object.metadata.generation}`;
    const loop = this.#hotLoops.ran(item.key, version, item.causes);
    if (loop === undefined) return;
    this.#metrics.hotLoops.inc();
    const changing = loop.fields.length === 0 ? "" : `; what changes each time: ${loop.fields.join(", ")}`;
    ctx.log.warn(
      { ...loop },
      `reconciled ${loop.count} times in ${loop.seconds} s although the spec did not change: ${loop.triggers.join(", ")}${changing}`,
    );
  }
}

const requeueCause: Cause = { event: "requeue" };

function scopeOf(definition: ControllerDefinition): ReflectorScope | undefined {
  const { labelSelector, namespace } = definition;
  if (labelSelector === undefined && namespace === undefined) return undefined;
  return {
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(namespace === undefined ? {} : { namespace }),
  };
}
