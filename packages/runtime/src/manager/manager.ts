import { setMaxListeners } from "node:events";
import { hostname } from "node:os";
import {
  type Client,
  type Clock,
  type Random,
  type Transport,
  createClient,
  systemClock,
  systemRandom,
} from "@bowline/client";
import type { Registry } from "prom-client";
import type { Cache } from "../cache/cache.ts";
import type { ClusterConnection } from "../controller/cluster-connection.ts";
import { Controller } from "../controller/controller.ts";
import type { ControllerDefinition } from "../controller/define-controller.ts";
import { MisuseError, TermOverError } from "../errors.ts";
import type { WebhookStage } from "../webhook/webhook-stage.ts";
import { type HealthCheck, HealthChecks } from "./health.ts";
import { type EndpointAnswer, HttpEndpoint, isOff } from "./http-endpoint.ts";
import { InstrumentRegistry } from "./instruments.ts";
import { type LeaderElectionOptions, LeaderElector } from "./leader-election.ts";
import { Lifecycle } from "./lifecycle.ts";
import { type Logger, pinoLogger } from "./logger.ts";
import { metricsEndpoint } from "./metrics-endpoint.ts";
import { observeQueue, promRegistry } from "./metrics.ts";
import { connectCluster, observeCache } from "./connect-cluster.ts";
import { observedTransport } from "./observed-transport.ts";
import { observeProcess } from "./process-metrics.ts";
import { type Runnable, superviseRunnable } from "./runnable.ts";
import { untilSignal } from "./signals.ts";
import { type Term, plainTerm } from "./term.ts";
import type { ClusterOptions, ManagerOptions } from "./manager-options.ts";

/** Ports that a manager's servers listen on; undefined for those that do not run. */
export interface ManagerPorts {
  readonly health: number | undefined;
  readonly metrics: number | undefined;
  readonly webhooks: number | undefined;
}

/** Runs controllers, webhooks and everything they need, and starts and stops all in the right order. */
export interface Manager {
  /** Adds a controller or runnable; also while it runs. @throws MisuseError for a second controller of the same name */
  add(part: ControllerDefinition | Runnable): void;
  /**
   * Stops a controller and lets go of what only it needed: its watches end. Another of that name may be added then. Does
   * nothing when there is none.
   */
  remove(controllerName: string): Promise<void>;
  /**
   * Takes a further cluster in, also while it runs: its objects are reconciled as soon as its caches have them. A cluster
   * that cannot be reached holds nothing up. @throws MisuseError when there is one of that name
   */
  engage(name: string, cluster: ClusterOptions): void;
  /** Lets go of a cluster: its informers stop, and its keys are dropped. The transport stays open. */
  disengage(name: string): Promise<void>;
  /**
   * Resolves when caches are synced and (if it leads or no election is asked) controllers run. With an election it
   * resolves when it stands for it.
   * @throws CacheSyncError and others when it cannot start; everything is stopped again then
   */
  start(): Promise<void>;
  /** Stops everything within the grace period. Safe to call twice. Never rejects. */
  stop(): Promise<void>;
  /** Starts, then waits for SIGINT or SIGTERM (or the signal) and stops. A second signal ends the process with code 1. */
  run(signal?: AbortSignal): Promise<void>;
  /** Aborted when it stops. */
  readonly signal: AbortSignal;
  /** Resolved when this manager first leads (at once without an election). */
  readonly elected: Promise<void>;
  /** Whether its leader work runs now. */
  readonly isLeader: boolean;
  /** The live client; cached reads see its writes. */
  readonly client: Client;
  readonly cache: Cache;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** A prom-client registry with all metrics, to which own ones can be added. */
  readonly metrics: Registry;
  /** Ports that the endpoints listen on, once started. */
  readonly ports: ManagerPorts;
  addHealthCheck(name: string, check: HealthCheck): void;
  addReadyCheck(name: string, check: HealthCheck): void;
  /** What `/debug` answers: queues, caches, reconciles under way. */
  report(): object;
}

/**
 * Makes a manager; nothing happens before `start`.
 * `createManager({ transport, controllers: [applicationController] })`
 * @throws MisuseError when two controllers have the same name, or election times do not fit together
 */
export function createManager(options: ManagerOptions): Manager {
  return new LiveManager(options);
}

class LiveManager implements Manager {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly elected: Promise<void>;
  readonly #options: ManagerOptions;
  readonly #clusters = new Map<string, ClusterConnection>();
  readonly #controllers = new Map<string, Controller>();
  /** Names of the controllers whose queues are in the metrics. */
  readonly #measured = new Set<string>();
  readonly #runnables: Runnable[] = [];
  readonly #warnings = new Set<string>();
  readonly #instruments = new InstrumentRegistry();
  readonly #lifecycle: Lifecycle;
  readonly #health: HealthChecks;
  readonly #ready: HealthChecks;
  readonly #stopping = new AbortController();
  /** Ends the work of those that need no leadership, after the grace period. */
  readonly #work = new AbortController();
  readonly #elector: LeaderElector | undefined;
  #healthEndpoint: HttpEndpoint | undefined;
  #metricsEndpoint: HttpEndpoint | undefined;
  #webhooks: WebhookStage | undefined;
  #registry: Registry | undefined;
  #resolveElected: () => void = () => {};
  #leaderTerm: Term | undefined;
  #phase: "new" | "starting" | "running" | "stopping" | "stopped" = "new";
  #stopped: Promise<void> | undefined;

  constructor(options: ManagerOptions) {
    this.#options = options;
    // every wait and watch of every controller listens to these
    setMaxListeners(0, this.#stopping.signal, this.#work.signal);
    this.clock = options.clock ?? systemClock;
    this.random = options.random ?? systemRandom;
    const name = options.name ?? "bowline";
    this.log = options.logger ?? pinoLogger({ name });
    this.elected = new Promise((resolve) => (this.#resolveElected = resolve));
    const onFailure = (check: string, error: unknown): void =>
      this.log.warn({ check, err: error }, "a health check failed");
    this.#health = new HealthChecks("/healthz", onFailure);
    this.#ready = new HealthChecks("/readyz", onFailure);
    this.#lifecycle = new Lifecycle(this.log);
    this.#connect("", options);
    for (const [name, cluster] of Object.entries(options.clusters ?? {})) this.#connect(name, cluster);
    this.#elector = this.#makeElector(options.leaderElection);
    for (const part of [...(options.controllers ?? []), ...(options.runnables ?? [])]) this.add(part);
    this.#ready.add("informers", () => this.#checkInformers());
    observeProcess(this.#instruments);
  }

  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  get isLeader(): boolean {
    return this.#leaderTerm !== undefined && !this.#leaderTerm.signal.aborted;
  }

  get client(): Client {
    return this.#own.client;
  }

  get cache(): Cache {
    return this.#own.cache;
  }

  get metrics(): Registry {
    return (this.#registry ??= promRegistry(this.#instruments));
  }

  get ports(): ManagerPorts {
    return {
      health: this.#healthEndpoint?.port,
      metrics: this.#metricsEndpoint?.port,
      webhooks: this.#webhooks?.port,
    };
  }

  add(part: ControllerDefinition | Runnable): void {
    if ("run" in part) {
      this.#runnables.push(part);
      if (this.#phase === "running") this.#startRunnableLate(part);
      return;
    }
    if (this.#controllers.has(part.name)) {
      throw new MisuseError(
        `a controller named ${part.name} is there already: give one of them another name`,
      );
    }
    const controller = new Controller(part, {
      clusters: this.#clusters,
      clock: this.clock,
      random: this.random,
      log: this.log,
      instruments: this.#instruments,
      tracer: this.#options.tracer,
      concurrency: this.#options.concurrency?.[part.name],
    });
    if (!this.#measured.has(part.name)) {
      // figures of a queue go on when its controller is removed and added again
      this.#measured.add(part.name);
      observeQueue(this.#instruments, part.name, {
        depths: () => this.#controllers.get(part.name)?.queue.depths() ?? [],
        processing: () => this.#controllers.get(part.name)?.queue.processing() ?? [],
      });
    }
    this.#controllers.set(part.name, controller);
    if (this.#phase === "running") void this.#startControllerLate(controller);
  }

  async remove(controllerName: string): Promise<void> {
    const controller = this.#controllers.get(controllerName);
    this.#controllers.delete(controllerName);
    await controller?.close();
  }

  engage(name: string, cluster: ClusterOptions): void {
    if (this.#clusters.has(name))
      throw new MisuseError(`there is a cluster named ${JSON.stringify(name)} already`);
    const connection = this.#connect(name, cluster);
    if (this.#phase !== "running") return;
    for (const controller of this.#controllers.values()) controller.engage(connection);
  }

  async disengage(name: string): Promise<void> {
    const connection = this.#clusters.get(name);
    if (name === "" || connection === undefined) return;
    this.#clusters.delete(name);
    for (const controller of this.#controllers.values()) controller.disengage(name);
    await Promise.all([connection.cache.stop(), connection.recorder.stop()]);
  }

  addHealthCheck(name: string, check: HealthCheck): void {
    this.#health.add(name, check);
  }

  addReadyCheck(name: string, check: HealthCheck): void {
    this.#ready.add(name, check);
  }

  async start(): Promise<void> {
    if (this.#phase !== "new") throw new MisuseError("a manager is started once: make a new one");
    this.#phase = "starting";
    try {
      await this.#startAll();
      this.#phase = "running";
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  stop(): Promise<void> {
    return (this.#stopped ??= this.#stopAll());
  }

  async run(signal?: AbortSignal): Promise<void> {
    const { over, release } = untilSignal(this.log, signal);
    try {
      await Promise.race([this.start(), over]);
      await over;
    } finally {
      await this.stop();
      release();
    }
  }

  report(): object {
    return {
      phase: this.#phase,
      isLeader: this.isLeader,
      controllers: Array.from(this.#controllers.values(), (controller) => controller.report),
      caches: Object.fromEntries(Array.from(this.#clusters, ([name, { cache }]) => [name, cache.report()])),
    };
  }

  get #own(): ClusterConnection {
    return this.#clusters.get("") as ClusterConnection;
  }

  #connect(name: string, { transport, cache }: ClusterOptions): ClusterConnection {
    const connection = connectCluster(name, {
      transport: this.#observed(name, transport),
      cacheOptions: cache ?? {},
      fieldManager: this.#options.name ?? "bowline",
      host: this.#host(),
      term: plainTerm(this.#work.signal),
      onWarning: (text) => this.#warn(text),
      clock: this.clock,
      random: this.random,
      log: this.log,
    });
    this.#clusters.set(name, connection);
    observeCache(this.#instruments, connection, () => this.#clusters.get(name) === connection);
    return connection;
  }

  #observed(cluster: string, transport: Transport): Transport {
    const { tracer, requestDurations = false } = this.#options;
    return observedTransport(transport, {
      instruments: this.#instruments,
      host: cluster || "default",
      tracer,
      clock: requestDurations ? this.clock : undefined,
    });
  }

  /** Logs a warning of the API server, each text once. */
  #warn(text: string): void {
    if (this.#warnings.has(text)) return;
    if (this.#warnings.size >= warningsMax) this.#warnings.clear();
    this.#warnings.add(text);
    this.log.warn({ warning: text }, "the API server warns");
  }

  #host(): string {
    return this.#options.hostName ?? hostname();
  }

  #makeElector(election: LeaderElectionOptions | false | undefined): LeaderElector | undefined {
    const status = this.#instruments.gauge(
      "leader_election_master_status",
      "Gauge of if the reporting system is master of the relevant lease, 0 indicates backup, 1 indicates master.",
      { name: election === false ? "" : (election?.id ?? "") },
      () => (this.isLeader ? 1 : 0),
    );
    if (election === undefined || election === false) return void status;
    const { clock, random, log } = this;
    // the elector's own writes must go on when the work has been told to stop: they give the lease back
    const client = createClient({
      transport: this.#observed("", this.#options.transport),
      clock,
      random,
      fieldManager: this.#options.name ?? "bowline",
    });
    const identity = election.identity ?? `${this.#host()}_${random.uuid()}`;
    const slowPath = this.#instruments.counter(
      "leader_election_slowpath_total",
      "Total number of slow path exercised in renewing leader leases.",
      { name: election.id },
    );
    return new LeaderElector({
      ...election,
      onSlowPath: () => slowPath.inc(),
      identity,
      client,
      clock,
      random,
      log,
      lead: (term) => this.#lead(term),
    });
  }

  async #startAll(): Promise<void> {
    const controllers = [...this.#controllers.values()];
    await this.#startEndpoints();
    await this.#startWebhooks();
    await this.#lifecycle.start("caches", {
      start: () => this.#prepare(controllers),
      stop: async () =>
        void (await Promise.all(Array.from(this.#clusters.values(), ({ cache }) => cache.stop()))),
    });
    await this.#lifecycle.start("others", {
      start: async () => this.#startWork(plainTerm(this.#work.signal), (part) => !needsLeadership(part)),
      stop: () => this.#stopWork((part) => !needsLeadership(part)),
    });
    const elector = this.#elector;
    if (elector === undefined) {
      const term = plainTerm(this.#work.signal);
      await this.#lifecycle.start("leader work", {
        start: async () => this.#startLeading(term),
        stop: () => this.#stopWork(needsLeadership),
      });
      return;
    }
    const ending = new AbortController();
    let electing: Promise<void> | undefined;
    await this.#lifecycle.start("leader election", {
      start: async () => void (electing = elector.run(ending.signal)),
      stop: async () => {
        // work stops while the lease is still renewed; then the lease is given back
        await this.#stopWork(needsLeadership);
        ending.abort(new Error("the manager stops"));
        await electing;
        await elector.release();
      },
    });
  }

  async #startEndpoints(): Promise<void> {
    const { healthAddress, metricsAddress, secureMetrics } = this.#options;
    if (!isOff(healthAddress)) {
      const endpoint = (this.#healthEndpoint = new HttpEndpoint(healthAddress, ({ path, query }) =>
        this.#answerHealth(path, query),
      ));
      await this.#lifecycle.start("health endpoint", {
        start: () => endpoint.start(),
        stop: () => endpoint.stop(),
      });
    }
    if (isOff(metricsAddress)) return;
    const { client, clock, random, log } = this;
    const answer = (path: string): Promise<EndpointAnswer | undefined> => this.#answerMetrics(path);
    const ports = { secureMetrics, client, clock, random, log, instruments: this.#instruments };
    const { endpoint, stopWatching } = await metricsEndpoint(metricsAddress, answer, ports);
    this.#metricsEndpoint = endpoint;
    await this.#lifecycle.start("metrics endpoint", {
      start: () => endpoint.start(),
      stop: () => {
        stopWatching();
        return endpoint.stop();
      },
    });
  }

  /** Before the caches: a conversion webhook of ours may be needed for the first list. */
  async #startWebhooks(): Promise<void> {
    const { webhooks = [], webhookServer = {} } = this.#options;
    const isOn = webhooks !== false && webhooks.length > 0 && process.env["ENABLE_WEBHOOKS"] !== "false";
    if (!isOn) return;
    const { WebhookStage } = await import("../webhook/webhook-stage.ts");
    const { clock, random, log } = this;
    const ports = {
      name: this.#options.name ?? "bowline",
      client: this.client,
      clock,
      random,
      log,
      instruments: this.#instruments,
    };
    const stage = (this.#webhooks = new WebhookStage(webhooks, webhookServer, ports));
    this.#ready.add("webhooks", () => {
      if (!stage.isListening) throw new Error("the webhook server does not listen");
    });
    await this.#lifecycle.start("webhooks", stage);
  }

  async #answerHealth(
    path: string,
    query: URLSearchParams,
  ): Promise<{ status: number; body: string } | undefined> {
    return (await this.#health.answer(path, query)) ?? (await this.#ready.answer(path, query));
  }

  async #answerMetrics(
    path: string,
  ): Promise<{ status: number; contentType: string; body: string } | undefined> {
    if (path === "/metrics") {
      return { status: 200, contentType: this.metrics.contentType, body: await this.metrics.metrics() };
    }
    if (path !== "/debug") return undefined;
    return { status: 200, contentType: "application/json", body: JSON.stringify(this.report(), null, 2) };
  }

  async #prepare(controllers: readonly Controller[]): Promise<void> {
    await Promise.all(controllers.map((controller) => controller.prepare(this.signal)));
  }

  #startWork(term: Term, concerns: (part: ControllerDefinition | Runnable) => boolean): void {
    for (const controller of this.#controllers.values()) {
      if (concerns(controller.definition)) controller.start(term);
    }
    for (const runnable of this.#runnables) if (concerns(runnable)) this.#runRunnable(runnable, term);
  }

  readonly #running = new Map<Runnable, { readonly stop: AbortController; readonly over: Promise<void> }>();

  #runRunnable(runnable: Runnable, term: Term): void {
    const stop = new AbortController();
    term.signal.addEventListener("abort", () => stop.abort(term.signal.reason), { once: true });
    const over = superviseRunnable(runnable, stop.signal, this);
    this.#running.set(runnable, { stop, over });
  }

  async #stopWork(concerns: (part: ControllerDefinition | Runnable) => boolean): Promise<void> {
    const controllers = [...this.#controllers.values()].filter((controller) =>
      concerns(controller.definition),
    );
    const runnables = [...this.#running].filter(([runnable]) => concerns(runnable));
    for (const [, { stop }] of runnables) stop.abort(new Error("the manager stops"));
    await Promise.all([
      ...controllers.map((controller) => controller.stop()),
      ...runnables.map(([runnable, { over }]) => over.then(() => this.#running.delete(runnable))),
    ]);
  }

  #startLeading(term: Term): void {
    this.#leaderTerm = term;
    this.#resolveElected();
    this.#startWork(term, needsLeadership);
  }

  /** Leader work of one term. */
  async #lead(term: Term): Promise<void> {
    if (this.signal.aborted) return;
    this.#startLeading(term);
    await new Promise<void>((resolve) => {
      const finish = (): void => resolve();
      term.signal.addEventListener("abort", finish, { once: true });
      this.signal.addEventListener("abort", finish, { once: true });
      if (term.signal.aborted || this.signal.aborted) finish();
    });
    await this.#stopWork(needsLeadership);
    this.#leaderTerm = undefined;
  }

  async #startControllerLate(controller: Controller): Promise<void> {
    try {
      await controller.prepare(this.signal);
      const term = needsLeadership(controller.definition) ? this.#leaderTerm : plainTerm(this.#work.signal);
      if (term !== undefined && !term.signal.aborted) controller.start(term);
    } catch (error) {
      this.log.error({ controller: controller.name, err: error }, "a controller could not be started");
    }
  }

  #startRunnableLate(runnable: Runnable): void {
    const term = needsLeadership(runnable) ? this.#leaderTerm : plainTerm(this.#work.signal);
    if (term !== undefined && !term.signal.aborted) this.#runRunnable(runnable, term);
  }

  async #stopAll(): Promise<void> {
    this.#phase = "stopping";
    this.log.info({}, "stopping");
    this.#stopping.abort(new TermOverError("the manager stops"));
    const graceMs = this.#options.gracefulShutdownMs ?? 30_000;
    const endWork = (): void =>
      this.#work.abort(new TermOverError(`the manager stopped; its grace period of ${graceMs} ms is over`));
    const timer = graceMs === Number.POSITIVE_INFINITY ? undefined : this.clock.setTimer(graceMs, endWork);
    if (graceMs === 0) endWork();
    await this.#lifecycle.stop(this.#work.signal);
    timer?.cancel();
    endWork();
    await Promise.all(Array.from(this.#clusters.values(), ({ recorder }) => recorder.stop()));
    this.#leaderTerm = undefined;
    this.#phase = "stopped";
    this.log.info({}, "stopped");
  }

  /** Ready when every informer that runs has its first list and no watch has failed for long. */
  #checkInformers(): void {
    if (this.#phase !== "running") throw new Error(`the manager is ${this.#phase}`);
    for (const { cache } of this.#clusters.values()) {
      for (const kind of cache.report()) {
        if (kind.phase !== "stopped" && kind.hasSynced && kind.failuresInRow > unreadyFailures) {
          throw new Error(`the watch of ${kind.apiVersion} ${kind.kind} fails: ${kind.lastError}`);
        }
      }
    }
  }
}

/** Beyond so many different warnings they are logged again. */
const warningsMax = 1000;

/** With the back-off of watches so many failures in a row take about a minute. */
const unreadyFailures = 6;

function needsLeadership(part: ControllerDefinition | Runnable): boolean {
  const needs = "run" in part ? part.needLeaderElection : part.options.needLeaderElection;
  return needs ?? true;
}
