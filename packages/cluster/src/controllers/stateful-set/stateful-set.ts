/** The StatefulSet controller. Source: kubernetes pkg/controller/statefulset (stateful_set_control.go). */
import {
  type DeepReadonly,
  type LabelSelector,
  controllerOf,
  isAlreadyExists,
  scaledValue,
} from "@bowline/api";
import { ControllerRevision, StatefulSet } from "@bowline/api/apps/v1";
import { Pod, type PodTemplateSpec } from "@bowline/api/core/v1";
import { type ControllerDefinition, type ReconcileContext, defineController, watch } from "@bowline/runtime";
import { claim } from "../claim.ts";
import { ComponentEvents } from "../component-events.ts";
import { keyOf, managerName, replaceStatus } from "../control-plane.ts";
import { type Revision, type Revisions, ensureRevisions, truncateHistory } from "../controller-revisions.ts";
import { podOf, textOf } from "../pods/pod-control.ts";
import {
  type PodState,
  isPodAvailable,
  isPodFinished,
  isPodReady,
  isPodTerminating,
  nextAvailableMs,
} from "../pods/pod-state.ts";
import { SelectorIndex } from "../selector-index.ts";
import { ensureClaims, ownClaims } from "./claims.ts";
import {
  type SetState,
  identity,
  identitySpec,
  ordinalOf,
  podName,
  rangeOf,
  revisionOf,
} from "./ordinals.ts";

type Context = ReconcileContext<StatefulSet>;

export function statefulSetController(): ControllerDefinition {
  const events = new ComponentEvents("statefulset-controller");
  const selectors = new SelectorIndex();
  return defineController(StatefulSet, {
    name: "statefulset-controller",
    fieldManager: managerName,
    concurrency: 5,
    owns: [Pod, ControllerRevision],
    watches: [
      watch(Pod, (pod) =>
        controllerOf(pod) === undefined
          ? selectors.matching(pod.metadata.namespace ?? "", pod.metadata.labels)
          : undefined,
      ),
    ],
    gone: (request) => selectors.forget(request),
    reconcile: (set, ctx) =>
      new StatefulPass(set, ctx, events).run(selectors.note(keyOf(set), set.spec?.selector as LabelSelector)),
  });
}

/** One look at one set: it goes as far as the order of its pods allows. */
class StatefulPass {
  readonly #set: SetState;
  readonly #ctx: Context;
  readonly #events: ComponentEvents;
  readonly #isMonotonic: boolean;
  #revisions!: Revisions;
  #current!: Revision;

  constructor(set: SetState, ctx: Context, events: ComponentEvents) {
    this.#set = set;
    this.#ctx = ctx;
    this.#events = events;
    this.#isMonotonic = set.spec?.podManagementPolicy !== "Parallel";
  }

  async run(
    selector: Parameters<typeof claim>[3]["selector"],
  ): Promise<{ requeueAfterMs: number } | undefined> {
    const ctx = this.#ctx as never;
    const set = this.#set;
    const collisionCount = set.status?.collisionCount ?? 0;
    this.#revisions = await ensureRevisions(set as never, ctx, { selector, collisionCount });
    const { all, update } = this.#revisions;
    this.#current = all.find((revision) => revision.metadata.name === set.status?.currentRevision) ?? update;
    const members = async (): Promise<PodState[]> =>
      claim(Pod, set, ctx, { selector, canAdopt: (pod) => ordinalOf(set, pod) !== undefined });
    const pods = await members();
    let failure: unknown;
    try {
      await this.#advance(pods);
    } catch (error) {
      failure = error;
    }
    const after = await members();
    await this.#writeStatus(after);
    await this.#truncate(after);
    if (failure !== undefined) throw failure;
    const requeueAfterMs = nextAvailableMs(after, this.#minReadyMs, this.#ctx.clock.now());
    return requeueAfterMs === undefined ? undefined : { requeueAfterMs };
  }

  get #minReadyMs(): number {
    return (this.#set.spec?.minReadySeconds ?? 0) * 1000;
  }

  /** Creates what is missing, deletes what is too much, updates what is old, in order. */
  async #advance(pods: readonly PodState[]): Promise<void> {
    const set = this.#set;
    const { start, end } = rangeOf(set);
    const byOrdinal = new Map<number, PodState>();
    for (const pod of pods) byOrdinal.set(ordinalOf(set, pod) ?? -1, pod);
    for (let ordinal = start; ordinal < end; ordinal++) {
      if (!(await this.#settle(ordinal, byOrdinal.get(ordinal)))) return;
    }
    const condemned = [...byOrdinal]
      .filter(([ordinal]) => ordinal < start || ordinal >= end)
      .sort(([a], [b]) => b - a);
    if (!(await this.#condemn(condemned, pods))) return;
    await this.#update(byOrdinal);
  }

  /** Brings one pod about. False: the pods behind it have to wait. */
  async #settle(ordinal: number, pod: PodState | undefined): Promise<boolean> {
    if (pod === undefined) {
      await this.#create(ordinal);
      return !this.#isMonotonic;
    }
    await ownClaims(this.#set, ordinal, pod, this.#ctx as never);
    if (isPodFinished(pod)) {
      if (!isPodTerminating(pod)) await this.#recreate(pod);
      return !this.#isMonotonic;
    }
    if (pod.status?.phase === "Pending")
      await ensureClaims(this.#set, ordinal, this.#ctx as never, this.#events);
    if (!this.#isMonotonic) return true;
    return !isPodTerminating(pod) && isPodAvailable(pod, this.#minReadyMs, this.#ctx.clock.now());
  }

  async #create(ordinal: number): Promise<void> {
    const set = this.#set;
    const ctx = this.#ctx as never;
    const revision = this.#revisionFor(ordinal);
    const template = templateIn(revision);
    const name = podName(set, ordinal);
    try {
      await ensureClaims(set, ordinal, ctx, this.#events);
      const maker = { owner: set, template, events: this.#events };
      const body = podOf(maker, {
        ...identity(set, ordinal, revision.metadata.name ?? ""),
        spec: identitySpec(set, ordinal, template?.spec),
      });
      await this.#ctx.create(Pod, body as never);
      await ownClaims(set, ordinal, undefined, ctx);
      this.#say(
        "Normal",
        "SuccessfulCreate",
        `create Pod ${name} in StatefulSet ${set.metadata.name} successful`,
      );
    } catch (error) {
      if (isAlreadyExists(error)) return;
      this.#say(
        "Warning",
        "FailedCreate",
        `create Pod ${name} in StatefulSet ${set.metadata.name} failed error: ${textOf(error)}`,
      );
      throw error;
    }
  }

  /** Below the partition pods are made of the template before the update. */
  #revisionFor(ordinal: number): Revision {
    const { type = "RollingUpdate", rollingUpdate } = this.#set.spec?.updateStrategy ?? {};
    const partition = rollingUpdate?.partition ?? 0;
    return type === "RollingUpdate" && ordinal < rangeOf(this.#set).start + partition
      ? this.#current
      : this.#revisions.update;
  }

  /** A pod that has ended is deleted, and made again when it is gone. */
  async #recreate(pod: PodState): Promise<void> {
    const [reason, word] =
      pod.status?.phase === "Failed"
        ? ["RecreatingFailedPod", "failed"]
        : ["RecreatingTerminatedPod", "terminated"];
    const { name, namespace } = this.#set.metadata;
    this.#say(
      "Warning",
      reason,
      `StatefulSet ${namespace}/${name} is recreating ${word} Pod ${pod.metadata.name}`,
    );
    await this.#delete(pod);
  }

  /** Deletes surplus pods, the last one first. False: the rest has to wait. */
  async #condemn(condemned: readonly [number, PodState][], pods: readonly PodState[]): Promise<boolean> {
    const firstUnhealthy = [...pods]
      .sort((a, b) => (ordinalOf(this.#set, a) ?? 0) - (ordinalOf(this.#set, b) ?? 0))
      .find((pod) => !isHealthy(pod));
    for (const [ordinal, pod] of condemned) {
      if (isPodTerminating(pod)) {
        if (this.#isMonotonic) return false;
        continue;
      }
      // others that are unwell must recover first, for who is left serves
      const isWell = isPodAvailable(pod, this.#minReadyMs, this.#ctx.clock.now());
      if (this.#isMonotonic && !isWell && pod !== firstUnhealthy) return false;
      await ownClaims(this.#set, ordinal, pod, this.#ctx as never);
      await this.#delete(pod);
      if (this.#isMonotonic) return false;
    }
    return true;
  }

  /** Deletes pods of older revisions, the last one first, as long as no more than allowed are unavailable. */
  async #update(byOrdinal: ReadonlyMap<number, PodState>): Promise<void> {
    const { type = "RollingUpdate", rollingUpdate } = this.#set.spec?.updateStrategy ?? {};
    if (type === "OnDelete") return;
    const { start, end } = rangeOf(this.#set);
    const total = end - start;
    const maxUnavailable = Math.max(
      1,
      scaledValue(rollingUpdate?.maxUnavailable ?? 1, { total, rounding: "down" }),
    );
    const updateName = this.#revisions.update.metadata.name;
    const now = this.#ctx.clock.now();
    let unavailable = 0;
    for (let ordinal = end - 1; ordinal >= start + (rollingUpdate?.partition ?? 0); ordinal--) {
      const pod = byOrdinal.get(ordinal);
      if (pod === undefined) unavailable++;
      else if (revisionOf(pod) !== updateName && !isPodTerminating(pod)) {
        await this.#delete(pod);
        unavailable++;
      } else if (isPodTerminating(pod) || !isPodAvailable(pod, this.#minReadyMs, now)) unavailable++;
      if (unavailable >= maxUnavailable) return;
    }
  }

  async #delete(pod: PodState): Promise<void> {
    const text = `Pod ${pod.metadata.name} in StatefulSet ${this.#set.metadata.name}`;
    try {
      await this.#ctx.delete(pod);
      this.#say("Normal", "SuccessfulDelete", `delete ${text} successful`);
    } catch (error) {
      this.#say("Warning", "FailedDelete", `delete ${text} failed error: ${textOf(error)}`);
      throw error;
    }
  }

  #say(type: "Normal" | "Warning", reason: string, message: string): void {
    this.#events.record(this.#ctx, this.#set, { type, reason, message });
  }

  async #writeStatus(pods: readonly PodState[]): Promise<void> {
    const set = this.#set;
    const now = this.#ctx.clock.now();
    const living = pods.filter((pod) => !isPodTerminating(pod));
    const [currentName, updateName] = [
      this.#current.metadata.name ?? "",
      this.#revisions.update.metadata.name ?? "",
    ];
    const count = (list: readonly PodState[], test: (pod: PodState) => boolean): number =>
      list.filter(test).length;
    const readyReplicas = count(pods, isPodReady);
    const updatedReplicas = count(living, (pod) => revisionOf(pod) === updateName);
    const { replicas: wanted = 1, updateStrategy } = set.spec ?? {};
    const isDone =
      updateStrategy?.type !== "OnDelete" &&
      updatedReplicas === wanted &&
      pods.length === wanted &&
      readyReplicas === wanted;
    await replaceStatus(set as never, this.#ctx as never, {
      ...(set.status?.conditions === undefined ? {} : { conditions: set.status.conditions }),
      observedGeneration: set.metadata.generation,
      replicas: pods.length,
      readyReplicas,
      availableReplicas: count(pods, (pod) => isPodAvailable(pod, this.#minReadyMs, now)),
      currentReplicas: isDone ? updatedReplicas : count(living, (pod) => revisionOf(pod) === currentName),
      updatedReplicas,
      currentRevision: isDone ? updateName : currentName,
      updateRevision: updateName,
      collisionCount: this.#revisions.collisionCount,
    });
  }

  async #truncate(pods: readonly PodState[]): Promise<void> {
    const used = new Set([
      this.#current.metadata.name,
      this.#revisions.update.metadata.name,
      ...pods.map(revisionOf),
    ]);
    const isLive = (revision: Revision): boolean => used.has(revision.metadata.name ?? "");
    await truncateHistory(this.#set as never, this.#ctx as never, { all: this.#revisions.all, isLive });
  }
}

function isHealthy(pod: PodState): boolean {
  return isPodReady(pod) && !isPodTerminating(pod);
}

/** The template that a revision holds. */
function templateIn(revision: Revision): DeepReadonly<PodTemplateSpec> | undefined {
  const { spec } = (revision.data ?? {}) as {
    readonly spec?: { readonly template?: PodTemplateSpec & { $patch?: string } };
  };
  const { $patch: _directive, ...template } = spec?.template ?? {};
  return template as DeepReadonly<PodTemplateSpec>;
}
