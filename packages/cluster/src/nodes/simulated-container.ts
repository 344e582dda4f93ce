/** One container of a simulated pod through all of its runs: starts, probes, crashes with back-off. */
import type { DeepReadonly } from "@bowline/api";
import type { Container, Pod } from "@bowline/api/core/v1";
import type { Timer } from "@bowline/client";
import { ContainerRun, type Exit, type RunPorts } from "./container-run.ts";
import { type ImageBehavior, type ProbeType, drawMs } from "./image-behavior.ts";
import { ProbeCounter, failsAt, succeedsAt, timesOf } from "./probes.ts";

/** Waits between restarts. The first restart is at once. Source: kubernetes pkg/kubelet (MaxCrashLoopBackOff). */
const backOffBaseMs = 10_000;
const backOffMaxMs = 300_000;
/** A run of this length makes the next crash a first one again. */
const backOffResetMs = 600_000;

export type ContainerRole = "init" | "sidecar" | "main" | "ephemeral";

/** An ended run, as container statuses show it. */
export interface EndedRun {
  readonly id: string;
  readonly startedAt: number;
  readonly finishedAt: number;
  readonly exit: Exit;
}

/** Something worth an event. */
export interface ContainerNews {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
  readonly container: string;
  readonly role: ContainerRole;
}

export interface ContainerPorts extends RunPorts {
  /** Default of `startDelayMs`. */
  readonly startDelayMs: number;
  tell(news: ContainerNews): void;
}

export interface ContainerOptions {
  readonly spec: DeepReadonly<Container>;
  readonly role: ContainerRole;
  readonly behavior: ImageBehavior;
  /** True: the pod is never restarted, so that a container that is told nothing ends by itself. */
  readonly endsByDefault: boolean;
  /** Restarts that it had before this process, from its status. */
  readonly restartCount: number;
}

export class SimulatedContainer {
  readonly spec: DeepReadonly<Container>;
  readonly role: ContainerRole;
  readonly behavior: ImageBehavior;
  readonly #ports: ContainerPorts;
  readonly #endsByDefault: boolean;
  #run: ContainerRun | undefined;
  #previous: ContainerRun | undefined;
  #last: EndedRun | undefined;
  #waiting: { readonly reason: string; readonly message?: string };
  #dueAt: number | undefined;
  #backOffMs = 0;
  #restartCount: number;
  #probes: Probes | undefined;
  /** The run that has been asked to end. */
  #stopping: ContainerRun | undefined;

  constructor(options: ContainerOptions, ports: ContainerPorts) {
    this.spec = options.spec;
    this.role = options.role;
    this.behavior = options.behavior;
    this.#endsByDefault = options.endsByDefault;
    this.#restartCount = options.restartCount;
    this.#ports = ports;
    this.#waiting = { reason: options.role === "main" ? "ContainerCreating" : "PodInitializing" };
  }

  get run(): ContainerRun | undefined {
    return this.#run;
  }

  /** The run before the present one. */
  get previousRun(): ContainerRun | undefined {
    return this.#previous;
  }

  get restartCount(): number {
    return this.#restartCount;
  }

  /** The last run that ended before the present one. */
  get last(): EndedRun | undefined {
    return this.#last;
  }

  get waiting(): { readonly reason: string; readonly message?: string } | undefined {
    return this.#run === undefined ? this.#waiting : undefined;
  }

  get isRunning(): boolean {
    return this.#run !== undefined && this.#run.exit === undefined;
  }

  get exit(): Exit | undefined {
    return this.#run?.exit;
  }

  /** Whether it has ever run. */
  get hasRun(): boolean {
    return this.#run !== undefined || this.#last !== undefined;
  }

  isStarted(now: number): boolean {
    return this.isRunning && (this.#probes?.isStarted(now) ?? true);
  }

  isReady(now: number): boolean {
    if (!this.isRunning) return this.role === "init" && this.exit?.code === 0;
    return this.isStarted(now) && (this.#probes?.isReady(now) ?? true);
  }

  wait(reason: string, message?: string): void {
    this.#waiting = { reason, ...(message === undefined ? {} : { message }) };
  }

  /** Makes it run, if it is due. Answers when it will be, if it is not. */
  ensureRunning(pod: DeepReadonly<Pod>, env: Readonly<Record<string, string>>): number {
    const now = this.#ports.clock.now();
    if (this.isRunning) return this.#checkProbes(now);
    if (this.behavior.pullError !== undefined) return this.#failPull(this.behavior.pullError);
    if (this.#run !== undefined) this.#retire(pod, now);
    if (this.#dueAt === undefined) {
      this.#dueAt = now + drawMs(this.behavior.startDelayMs, this.#ports.startDelayMs, this.#ports.random);
    }
    if (this.#dueAt > now) return this.#dueAt;
    this.#start(pod, env);
    return this.#checkProbes(now);
  }

  /** Asks it to end; its preStop hook has its time first. A second call can only shorten the grace period. */
  stop(graceMs: number): void {
    const run = this.#run;
    if (run === undefined || !this.isRunning) return;
    const isFirst = this.#stopping !== run;
    const hookMs = Math.min(graceMs, (this.spec.lifecycle?.preStop?.sleep?.seconds ?? 0) * 1000);
    if (isFirst) {
      this.#stopping = run;
      this.#tell("Normal", "Killing", `Stopping container ${this.spec.name}`);
      this.#probes?.close();
      if (hookMs > 0) this.#ports.clock.setTimer(hookMs, () => run.stop(graceMs - hookMs));
    }
    if (hookMs === 0) run.stop(graceMs);
  }

  close(): void {
    this.#probes?.close();
    if (this.isRunning) this.#run?.kill();
  }

  #start(pod: DeepReadonly<Pod>, env: Readonly<Record<string, string>>): void {
    const { image = "", name } = this.spec;
    const text = `Container image "${image}" already present on machine and can be accessed by the pod`;
    this.#tell("Normal", "Pulled", text);
    this.#tell("Normal", "Created", "Container created");
    this.#dueAt = undefined;
    const { spec, behavior } = this;
    const options = {
      pod,
      container: spec,
      behavior,
      env,
      restartCount: this.#restartCount,
      endsByDefault: this.#endsByDefault,
    };
    this.#run = new ContainerRun(options, this.#ports);
    this.#probes = new Probes(this.#run, this, this.#ports, (type) => {
      this.#tell(
        "Warning",
        "Unhealthy",
        `${type === "liveness" ? "Liveness" : "Startup"} probe failed: simulated failure`,
      );
      this.#tell("Normal", "Killing", `Container ${name} failed ${type} probe, will be restarted`);
      this.#run?.stop((pod.spec?.terminationGracePeriodSeconds ?? 30) * 1000);
    });
    this.#tell("Normal", "Started", "Container started");
  }

  #checkProbes(now: number): number {
    return this.#probes?.check(now) ?? Number.POSITIVE_INFINITY;
  }

  /** The run is over: it becomes the last one, and the next waits its turn. */
  #retire(pod: DeepReadonly<Pod>, now: number): void {
    const run = this.#run as ContainerRun;
    const finishedAt = run.finishedAt ?? now;
    this.#probes?.close();
    this.#last = { id: run.id, startedAt: run.startedAt, finishedAt, exit: run.exit as Exit };
    this.#previous = run;
    this.#run = undefined;
    this.#restartCount++;
    if (finishedAt - run.startedAt >= backOffResetMs) this.#backOffMs = 0;
    this.#dueAt = finishedAt + this.#backOffMs;
    if (this.#dueAt > now) {
      const { name } = this.spec;
      const podText = `pod=${pod.metadata.name}_${pod.metadata.namespace}(${pod.metadata.uid})`;
      this.wait(
        "CrashLoopBackOff",
        `back-off ${backOffText(this.#backOffMs)} restarting failed container=${name} ${podText}`,
      );
      const where = `${pod.metadata.name}_${pod.metadata.namespace}(${pod.metadata.uid})`;
      this.#tell("Warning", "BackOff", `Back-off restarting failed container ${name} in pod ${where}`);
    }
    this.#backOffMs = this.#backOffMs === 0 ? backOffBaseMs : Math.min(backOffMaxMs, this.#backOffMs * 2);
  }

  #failPull(problem: string): number {
    if (this.#waiting.reason === "ImagePullBackOff") return Number.POSITIVE_INFINITY;
    const { image = "" } = this.spec;
    const failure = `failed to pull and unpack image "${image}": ${problem}`;
    this.#tell("Normal", "Pulling", `Pulling image "${image}"`);
    this.#tell("Warning", "Failed", `Failed to pull image "${image}": ${failure}`);
    this.#tell("Warning", "Failed", "Error: ErrImagePull");
    this.#tell("Normal", "BackOff", `Back-off pulling image "${image}"`);
    this.#tell("Warning", "Failed", "Error: ImagePullBackOff");
    this.wait("ImagePullBackOff", `Back-off pulling image "${image}": ErrImagePull: ${failure}`);
    return Number.POSITIVE_INFINITY;
  }

  #tell(type: "Normal" | "Warning", reason: string, message: string): void {
    this.#ports.tell({ type, reason, message, container: this.spec.name, role: this.role });
  }
}

/** `10s`, `1m20s`, `5m0s`: as Go prints durations. */
function backOffText(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}

/** The probes of one run. Without a behaviour of their own their answers follow from the run's times: nothing is polled. */
class Probes {
  readonly #run: ContainerRun;
  readonly #container: SimulatedContainer;
  readonly #ports: ContainerPorts;
  readonly #onFailed: (type: ProbeType) => void;
  readonly #timers = new Set<Timer>();
  /** Verdicts of probes that are really asked. */
  readonly #asked = new Map<ProbeType, boolean>();
  #startedAt: number;
  #hasFailed = false;

  constructor(
    run: ContainerRun,
    container: SimulatedContainer,
    ports: ContainerPorts,
    onFailed: (type: ProbeType) => void,
  ) {
    this.#run = run;
    this.#container = container;
    this.#ports = ports;
    this.#onFailed = onFailed;
    const { startupProbe } = container.spec;
    this.#startedAt =
      startupProbe === undefined
        ? run.startedAt
        : succeedsAt(timesOf(startupProbe), run.startedAt, run.readyAt);
    if (container.behavior.probe !== undefined) this.#askAll(container.behavior.probe);
  }

  isStarted(now: number): boolean {
    if (this.#container.spec.startupProbe === undefined) return true;
    return this.#asked.size > 0 ? this.#asked.get("startup") === true : now >= this.#startedAt;
  }

  isReady(now: number): boolean {
    if (this.#run.readyOverride !== undefined) return this.#run.readyOverride;
    const { readinessProbe } = this.#container.spec;
    if (readinessProbe === undefined) return now >= this.#run.readyAt;
    return this.#asked.get("readiness") ?? now >= this.#readyAt();
  }

  /** Carries out what failing probes mean. Answers when the next of them, or readiness, changes. */
  check(now: number): number {
    const failing: [ProbeType, number][] = [
      ["startup", this.#startupFailsAt()],
      ["liveness", this.#livenessFailsAt()],
    ];
    for (const [type, at] of failing) {
      if (at > now || this.#hasFailed) continue;
      this.#hasFailed = true;
      this.#onFailed(type);
    }
    const changes = [
      this.#startedAt,
      this.#readyAt(),
      ...(this.#hasFailed ? [] : failing.map(([, at]) => at)),
    ];
    return Math.min(...changes.filter((at) => at > now), Number.POSITIVE_INFINITY);
  }

  close(): void {
    for (const timer of this.#timers) timer.cancel();
    this.#timers.clear();
  }

  #readyAt(): number {
    const { readinessProbe } = this.#container.spec;
    if (readinessProbe === undefined) return this.#run.readyAt;
    const goodAt = Math.max(this.#run.readyAt, this.#startedAt);
    return succeedsAt(timesOf(readinessProbe), this.#run.startedAt, goodAt);
  }

  #startupFailsAt(): number {
    const { startupProbe } = this.#container.spec;
    if (startupProbe === undefined || this.#container.behavior.probe !== undefined)
      return Number.POSITIVE_INFINITY;
    const at = failsAt(timesOf(startupProbe), this.#run.startedAt, this.#run.startedAt);
    return at < this.#startedAt ? at : Number.POSITIVE_INFINITY;
  }

  #livenessFailsAt(): number {
    const { livenessProbe } = this.#container.spec;
    if (livenessProbe === undefined || this.#container.behavior.probe !== undefined)
      return Number.POSITIVE_INFINITY;
    return failsAt(
      timesOf(livenessProbe),
      this.#run.startedAt,
      Math.max(this.#run.unhealthyAt, this.#startedAt),
    );
  }

  #askAll(probe: NonNullable<ImageBehavior["probe"]>): void {
    const { startupProbe, readinessProbe, livenessProbe } = this.#container.spec;
    this.#asked.set("startup", startupProbe === undefined);
    for (const [type, spec] of [
      ["startup", startupProbe],
      ["readiness", readinessProbe],
      ["liveness", livenessProbe],
    ] as const) {
      if (spec === undefined) continue;
      if (type === "readiness") this.#asked.set(type, false);
      this.#ask(type, probe, timesOf(spec));
    }
  }

  #ask(type: ProbeType, probe: NonNullable<ImageBehavior["probe"]>, times: ReturnType<typeof timesOf>): void {
    const counter = new ProbeCounter(times);
    const round = (): void => {
      if (this.#run.exit !== undefined) return;
      if (type !== "startup" && this.#asked.get("startup") !== true) return again();
      const verdict = counter.count(probe(type, this.#run.process));
      if (verdict === "failed" && type !== "readiness") return this.#onFailed(type);
      if (verdict !== undefined && this.#asked.get(type) !== (verdict === "passed")) {
        this.#asked.set(type, verdict === "passed");
        this.#ports.changed();
      }
      if (type !== "startup" || verdict !== "passed") again();
    };
    const again = (delayMs = times.periodMs): void => {
      const timer = this.#ports.clock.setTimer(delayMs, () => {
        this.#timers.delete(timer);
        round();
      });
      this.#timers.add(timer);
    };
    again(times.initialDelayMs);
  }
}
