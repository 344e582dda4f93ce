/**
 * Runs one pod: init containers in order, sidecars, containers, their restarts and their end.
 * Source: kubernetes pkg/kubelet (kubelet_pods.go, pod_workers.go, kuberuntime_manager.go).
 */
import type { DeepReadonly } from "@bowline/api";
import type { Pod } from "@bowline/api/core/v1";
import { type ImageBehaviors, behaviorOf } from "./image-behavior.ts";
import { type ContainerPorts, type ContainerRole, SimulatedContainer } from "./simulated-container.ts";

type PodState = DeepReadonly<Pod>;

/** What is read from ConfigMaps and Secrets before containers can start. */
export interface ResolvedPod {
  /** Environment by container. */
  readonly env: ReadonlyMap<string, Readonly<Record<string, string>>>;
  /** Why containers cannot start, by container; `""` is for all of them. */
  readonly problems: ReadonlyMap<string, { readonly reason: string; readonly message: string }>;
}

/** How the pod ended. */
export interface PodEnd {
  readonly phase: "Succeeded" | "Failed";
  readonly reason?: string;
  readonly message?: string;
}

export class PodWorker {
  readonly uid: string;
  readonly startedAt: number;
  readonly inits: readonly SimulatedContainer[];
  readonly mains: readonly SimulatedContainer[];
  readonly #ephemerals = new Map<string, SimulatedContainer>();
  readonly #ports: ContainerPorts;
  readonly #behaviors: ImageBehaviors | undefined;
  #pod: PodState;
  #resolved: ResolvedPod = { env: new Map(), problems: new Map() };
  #end: PodEnd | undefined;
  /** When the grace period of the end is over. */
  #killAt: number | undefined;
  #failure: PodEnd | undefined;

  constructor(pod: PodState, behaviors: ImageBehaviors | undefined, ports: ContainerPorts) {
    this.uid = pod.metadata.uid ?? "";
    this.#pod = pod;
    this.#ports = ports;
    this.#behaviors = behaviors;
    this.startedAt =
      pod.status?.startTime === undefined ? ports.clock.now() : Date.parse(pod.status.startTime);
    this.inits = (pod.spec?.initContainers ?? []).map((spec) =>
      this.#container(spec, spec.restartPolicy === "Always" ? "sidecar" : "init"),
    );
    this.mains = (pod.spec?.containers ?? []).map((spec) => this.#container(spec, "main"));
  }

  get pod(): PodState {
    return this.#pod;
  }

  get ephemerals(): readonly SimulatedContainer[] {
    return [...this.#ephemerals.values()];
  }

  /** How it ended; undefined while it runs. */
  get end(): PodEnd | undefined {
    return this.#end;
  }

  get areInitsDone(): boolean {
    const now = this.#ports.clock.now();
    return this.inits.every((c) =>
      c.role === "sidecar" ? c.isStarted(now) || c.hasRun : c.exit?.code === 0,
    );
  }

  /** Whether every container has ended, or never began. */
  get isStill(): boolean {
    return this.all.every((container) => !container.isRunning);
  }

  get all(): readonly SimulatedContainer[] {
    return [...this.inits, ...this.mains, ...this.#ephemerals.values()];
  }

  find(container: string): SimulatedContainer | undefined {
    return this.all.find(({ spec }) => spec.name === container);
  }

  /** Takes the pod forward to what it should be now. Answers when to look again without any other reason. */
  sync(pod: PodState, resolved: ResolvedPod): number {
    this.#pod = pod;
    this.#resolved = resolved;
    if (this.#end !== undefined) return Number.POSITIVE_INFINITY;
    const now = this.#ports.clock.now();
    const deadlineAt = this.startedAt + (pod.spec?.activeDeadlineSeconds ?? Number.POSITIVE_INFINITY) * 1000;
    if (deadlineAt <= now && this.#failure === undefined) this.#failure = deadlineExceeded;
    if (pod.metadata.deletionTimestamp !== undefined || this.#failure !== undefined)
      return this.#terminate(now);
    const nextAt = Math.min(this.#advance(), deadlineAt);
    return this.#finishIfDone(now) ? Number.POSITIVE_INFINITY : nextAt;
  }

  /** Ends the pod as failed, for a reason of the node's. */
  fail(end: PodEnd): void {
    this.#failure ??= end;
  }

  close(): void {
    for (const container of this.all) container.close();
  }

  #advance(): number {
    let nextAt = Number.POSITIVE_INFINITY;
    for (const container of this.inits) {
      const policy = container.role === "sidecar" ? "Always" : initPolicy(this.#pod);
      if (container.role === "init" && container.exit?.code === 0) continue;
      nextAt = Math.min(nextAt, this.#keepRunning(container, policy));
      if (
        container.role === "init" ? container.exit?.code !== 0 : !container.isStarted(this.#ports.clock.now())
      )
        return nextAt;
    }
    for (const container of this.mains)
      nextAt = Math.min(nextAt, this.#keepRunning(container, this.#pod.spec?.restartPolicy ?? "Always"));
    for (const container of this.#newEphemerals())
      nextAt = Math.min(nextAt, this.#keepRunning(container, "Never"));
    return nextAt;
  }

  #keepRunning(container: SimulatedContainer, policy: string): number {
    const { exit } = container;
    const isOver = exit !== undefined && (policy === "Never" || (policy === "OnFailure" && exit.code === 0));
    if (isOver) return Number.POSITIVE_INFINITY;
    const { name } = container.spec;
    const problem = this.#resolved.problems.get("") ?? this.#resolved.problems.get(name);
    if (problem !== undefined && !container.isRunning && exit === undefined) {
      container.wait(problem.reason, problem.message);
      return Number.POSITIVE_INFINITY;
    }
    return container.ensureRunning(this.#pod, this.#resolved.env.get(name) ?? {});
  }

  #newEphemerals(): readonly SimulatedContainer[] {
    for (const spec of this.#pod.spec?.ephemeralContainers ?? []) {
      if (!this.#ephemerals.has(spec.name))
        this.#ephemerals.set(spec.name, this.#container(spec as never, "ephemeral"));
    }
    return [...this.#ephemerals.values()];
  }

  /** A pod whose containers are all over, and that is not to be restarted, has ended; its sidecars end after it. */
  #finishIfDone(now: number): boolean {
    const policy = this.#pod.spec?.restartPolicy ?? "Always";
    const failedInit = this.inits.find((c) => c.role === "init" && c.exit !== undefined && c.exit.code !== 0);
    const initFailed = failedInit !== undefined && initPolicy(this.#pod) === "Never";
    if (policy === "Always" && !initFailed) return false;
    const isOver = (c: SimulatedContainer): boolean =>
      c.exit !== undefined && (policy === "Never" || c.exit.code === 0);
    if (!initFailed && !this.mains.every(isOver)) return false;
    if (this.#stopSidecars(now)) return false;
    const isGood = !initFailed && this.mains.every((c) => c.exit?.code === 0);
    this.#end = { phase: isGood ? "Succeeded" : "Failed" };
    return true;
  }

  /** Asks the sidecars to end. Answers whether one still runs. */
  #stopSidecars(now: number): boolean {
    const sidecars = this.inits.filter((c) => c.isRunning);
    const graceMs = (this.#pod.spec?.terminationGracePeriodSeconds ?? 30) * 1000;
    this.#killAt ??= now + graceMs;
    for (const sidecar of sidecars.reverse()) sidecar.stop(this.#killAt - now);
    return this.inits.some((c) => c.isRunning);
  }

  #terminate(now: number): number {
    const seconds =
      this.#pod.metadata.deletionGracePeriodSeconds ?? this.#pod.spec?.terminationGracePeriodSeconds ?? 30;
    const killAt = now + seconds * 1000;
    // a second delete can only shorten the time
    this.#killAt = Math.min(this.#killAt ?? Number.POSITIVE_INFINITY, deletionAt(this.#pod) ?? killAt);
    const leftMs = Math.max(0, this.#killAt - now);
    for (const container of this.mains) container.stop(leftMs);
    for (const container of this.#ephemerals.values()) container.stop(leftMs);
    if (this.mains.every((c) => !c.isRunning)) {
      for (const container of [...this.inits].reverse()) container.stop(leftMs);
    }
    if (!this.isStill) return Number.POSITIVE_INFINITY;
    const isGood = this.mains.every((c) => c.exit?.code === 0);
    this.#end = this.#failure ?? { phase: isGood ? "Succeeded" : "Failed" };
    return Number.POSITIVE_INFINITY;
  }

  #container(spec: SimulatedContainer["spec"], role: ContainerRole): SimulatedContainer {
    const { status, spec: podSpec } = this.#pod;
    const statuses = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
    const known = statuses.find((s) => s.name === spec.name);
    const isInit = role === "init";
    return new SimulatedContainer(
      {
        spec,
        role,
        behavior: behaviorOf(spec.image ?? "", this.#pod, this.#behaviors),
        endsByDefault: isInit || (role === "main" && (podSpec?.restartPolicy ?? "Always") !== "Always"),
        restartCount: known?.restartCount ?? 0,
      },
      this.#ports,
    );
  }
}

const deadlineExceeded: PodEnd = {
  phase: "Failed",
  reason: "DeadlineExceeded",
  message: "Pod was active on the node longer than the specified deadline",
};

/** Init containers of a pod that is always restarted are restarted when they fail. */
function initPolicy(pod: PodState): string {
  return pod.spec?.restartPolicy === "Never" ? "Never" : "OnFailure";
}

function deletionAt(pod: PodState): number | undefined {
  const { deletionTimestamp } = pod.metadata;
  return deletionTimestamp === undefined ? undefined : Date.parse(deletionTimestamp);
}
