/** The Job controller. Source: kubernetes pkg/controller/job (job_controller.go). */
import { type DeepReadonly, type LabelSelector, controllerOf } from "@bowline/api";
import { Job } from "@bowline/api/batch/v1";
import { Pod } from "@bowline/api/core/v1";
import { generatedName } from "@bowline/api";
import { rfc3339 } from "@bowline/client";
import { type ControllerDefinition, type ReconcileContext, defineController, watch } from "@bowline/runtime";
import { claim } from "../claim.ts";
import { ComponentEvents } from "../component-events.ts";
import { type WorkloadCondition, keyOf, managerName, replaceStatus } from "../control-plane.ts";
import { createPod, deletePod, inGrowingBatches } from "../pods/pod-control.ts";
import { type PodState, isPodTerminating } from "../pods/pod-state.ts";
import { SelectorIndex } from "../selector-index.ts";
import { formatIndexes, indexAnnotation, indexOf } from "./indexes.ts";
import {
  type JobObject,
  type JobState,
  type JobVerdict,
  failureCountAnnotation,
  ignoredFailureAnnotation,
  isIndexed,
  stateOf,
  trackingFinalizer,
  verdictOf,
  wantedActive,
} from "./job-state.ts";

type Context = ReconcileContext<Job>;
type Condition = DeepReadonly<WorkloadCondition & { lastProbeTime?: string }>;

/** Jobs that name another controller are left to it. */
const ownController = "kubernetes.io/job-controller";
const podBackOffMs = 10_000;
const podBackOffMaxMs = 360_000;
const burstMax = 500;

export function jobController(): ControllerDefinition {
  const events = new ComponentEvents("job-controller");
  const selectors = new SelectorIndex();
  return defineController(Job, {
    name: "job-controller",
    fieldManager: managerName,
    concurrency: 5,
    owns: [Pod],
    watches: [
      watch(Pod, (pod) =>
        controllerOf(pod) === undefined
          ? selectors.matching(pod.metadata.namespace ?? "", pod.metadata.labels)
          : undefined,
      ),
    ],
    // a Job in foreground deletion still has to let its pods go
    whileDeleting: true,
    async gone(request, ctx) {
      selectors.forget(request);
      await releaseOrphans(request, ctx);
    },
    reconcile(job, ctx) {
      if ((job.spec?.managedBy ?? ownController) !== ownController) return undefined;
      return new JobPass(job, ctx, events).run(
        selectors.note(keyOf(job), job.spec?.selector as LabelSelector),
      );
    },
  });
}

/** Pods of a Job that is gone must not hang on its finalizer. */
async function releaseOrphans(
  request: { readonly namespace: string; readonly name: string },
  ctx: Context,
): Promise<void> {
  const pods = await ctx.list(Pod, {
    namespace: request.namespace,
    filter: (pod) => {
      const owner = controllerOf(pod);
      return (
        owner?.kind === "Job" &&
        owner.name === request.name &&
        pod.metadata.finalizers?.includes(trackingFinalizer) === true
      );
    },
  });
  await Promise.all(pods.map((pod) => untrack(pod, ctx)));
}

async function untrack(pod: PodState, ctx: Context): Promise<void> {
  const finalizers = pod.metadata.finalizers?.filter((name) => name !== trackingFinalizer) ?? [];
  if (finalizers.length === (pod.metadata.finalizers?.length ?? 0)) return;
  const merge = { metadata: { finalizers: finalizers.length > 0 ? finalizers : null } } as never;
  await ctx.client.patch(Pod, keyOf(pod), { merge }, { signal: ctx.signal }).catch((error: unknown) => {
    if ((error as { reason?: string }).reason !== "NotFound") throw error;
  });
}

class JobPass {
  readonly #job: JobObject;
  readonly #ctx: Context;
  readonly #events: ComponentEvents;
  readonly #now: number;
  #conditions: readonly Condition[];

  constructor(job: JobObject, ctx: Context, events: ComponentEvents) {
    this.#job = job;
    this.#ctx = ctx;
    this.#events = events;
    this.#now = ctx.clock.now();
    this.#conditions = (job.status?.conditions ?? []) as readonly Condition[];
  }

  async run(
    selector: Parameters<typeof claim>[3]["selector"],
  ): Promise<{ requeueAfterMs: number } | undefined> {
    const job = this.#job;
    const pods = await claim(Pod, job, this.#ctx as never, { selector });
    if (this.#has("Complete") || this.#has("Failed") || job.metadata.deletionTimestamp !== undefined) {
      await Promise.all(pods.map((pod) => untrack(pod, this.#ctx)));
      return undefined;
    }
    const state = stateOf(job, pods);
    const startTime = this.#startTime();
    const verdict = this.#verdict(state, startTime);
    if (verdict !== undefined) return this.#finish(verdict, state, pods, startTime);
    if (job.spec?.suspend === true) return this.#suspend(state, pods);
    this.#noteResumed();
    let failure: unknown;
    let waitMs: number | undefined;
    try {
      waitMs = await this.#manage(state);
    } catch (error) {
      failure = error;
    }
    const after = await claim(Pod, job, this.#ctx as never, { selector });
    await this.#account(stateOf(job, after), after, startTime, {});
    if (failure !== undefined) throw failure;
    return soonest(waitMs, this.#deadlineMs(startTime));
  }

  #has(type: string): boolean {
    return this.#conditions.some((condition) => condition.type === type && condition.status === "True");
  }

  #startTime(): string | undefined {
    const { status, spec } = this.#job;
    if (spec?.suspend === true) return status?.startTime;
    return status?.startTime ?? rfc3339(this.#now);
  }

  #verdict(state: JobState, startTime: string | undefined): JobVerdict | undefined {
    const decided = this.#conditions.find(
      ({ type, status }) => (type === "SuccessCriteriaMet" || type === "FailureTarget") && status === "True",
    );
    if (decided !== undefined) {
      const { type, reason = "", message = "" } = decided;
      return { type: type as JobVerdict["type"], reason, message };
    }
    // a suspended Job has no time that runs out
    const job = this.#job.spec?.suspend === true ? withoutDeadline(this.#job) : this.#job;
    const status = startTime === undefined ? this.#job.status : { ...this.#job.status, startTime };
    return verdictOf({ ...job, ...(status === undefined ? {} : { status }) }, state, this.#now);
  }

  #deadlineMs(startTime: string | undefined): number | undefined {
    const seconds = this.#job.spec?.activeDeadlineSeconds;
    if (seconds === undefined || startTime === undefined) return undefined;
    return Math.max(0, Date.parse(startTime) + seconds * 1000 - this.#now);
  }

  /** Ends the pods that run, and says so when all are over. */
  async #finish(
    verdict: JobVerdict,
    state: JobState,
    pods: readonly PodState[],
    startTime: string | undefined,
  ): Promise<undefined> {
    this.#set(verdict.type, "True", verdict.reason, verdict.message);
    await Promise.all(state.active.map((pod) => this.#delete(pod)));
    const isOver = state.active.length === 0 && state.terminating === 0;
    if (!isOver) {
      await this.#account(state, pods, startTime, {});
      return undefined;
    }
    const isGood = verdict.type === "SuccessCriteriaMet";
    // figures first: the last word is spoken when nothing remains to be counted
    await this.#account(state, pods, startTime, {});
    this.#set(isGood ? "Complete" : "Failed", "True", verdict.reason, verdict.message);
    const completionTime = isGood ? { completionTime: rfc3339(this.#now) } : {};
    await this.#writeCounted({ ...completionTime, active: 0, ready: 0, terminating: 0 });
    if (isGood) this.#say("Normal", "Completed", "Job completed");
    else this.#say("Warning", verdict.reason, verdict.message);
    return undefined;
  }

  async #suspend(state: JobState, pods: readonly PodState[]): Promise<undefined> {
    await Promise.all(state.active.map((pod) => this.#delete(pod)));
    if (!this.#has("Suspended")) {
      this.#set("Suspended", "True", "JobSuspended", "Job suspended");
      this.#say("Normal", "Suspended", "Job suspended");
    }
    await this.#account({ ...state, active: [], ready: 0 }, pods, undefined, {});
    return undefined;
  }

  #noteResumed(): void {
    const before = this.#conditions.find((condition) => condition.type === "Suspended");
    if (before?.status !== "True") return;
    this.#set("Suspended", "False", "JobResumed", "Job resumed");
    this.#say("Normal", "Resumed", "Job resumed");
  }

  /** Starts or ends pods. Answers how long failures make it wait. */
  async #manage(state: JobState): Promise<number | undefined> {
    const wanted = wantedActive(this.#job, state);
    const surplus = state.active.length - wanted;
    if (surplus > 0) {
      await Promise.all(this.#surplus(state.active, surplus).map((pod) => this.#delete(pod)));
      return undefined;
    }
    const replacing = this.#job.spec?.podReplacementPolicy === "Failed" ? state.terminating : 0;
    const missing = Math.min(wanted - state.active.length - replacing, burstMax);
    if (missing <= 0) return undefined;
    const waitMs = this.#backOffMs(state);
    if (waitMs > 0) return waitMs;
    if (!isIndexed(this.#job)) {
      await inGrowingBatches(missing, () => this.#create(undefined, state));
      return undefined;
    }
    const { indexes, nextMs } = this.#freeIndexes(state, missing);
    await inGrowingBatches(indexes.length, (i) => this.#create(indexes[i], state));
    return nextMs;
  }

  /** Those that are not ready go first, then the youngest. */
  #surplus(active: readonly PodState[], count: number): readonly PodState[] {
    const rank = (pod: PodState): string => `${pod.status?.phase === "Pending" ? 0 : 1}`;
    const sorted = [...active].sort(
      (a, b) =>
        rank(a).localeCompare(rank(b)) ||
        (b.metadata.creationTimestamp ?? "").localeCompare(a.metadata.creationTimestamp ?? ""),
    );
    return sorted.slice(0, count);
  }

  /** After failures new pods wait: 10 s, doubled up to six minutes, since the last of them. */
  #backOffMs(state: JobState): number {
    if (
      this.#job.spec?.backoffLimitPerIndex !== undefined ||
      state.failed === 0 ||
      state.lastFailedAt === undefined
    )
      return 0;
    return this.#remainingMs(state.failed, state.lastFailedAt);
  }

  #remainingMs(failures: number, lastAt: number): number {
    const delayMs = Math.min(podBackOffMaxMs, podBackOffMs * 2 ** Math.min(30, failures - 1));
    return Math.max(0, lastAt + delayMs - this.#now);
  }

  /** Indexes that need a pod now, and when the next of those that wait after a failure needs one. */
  #freeIndexes(
    state: JobState,
    count: number,
  ): { readonly indexes: readonly number[]; readonly nextMs: number | undefined } {
    const taken = new Set([...state.completedIndexes, ...state.failedIndexes]);
    for (const pod of state.active) taken.add(indexOf(pod) ?? -1);
    const indexes: number[] = [];
    let nextMs: number | undefined;
    for (let index = 0; index < (this.#job.spec?.completions ?? 0) && indexes.length < count; index++) {
      if (taken.has(index)) continue;
      const failures = state.failuresByIndex.get(index);
      const waitMs =
        failures === undefined
          ? 0
          : this.#remainingMs(failures.count + failures.ignoredCount, failures.lastAt);
      if (waitMs > 0) nextMs = Math.min(nextMs ?? waitMs, waitMs);
      else indexes.push(index);
    }
    return { indexes, nextMs };
  }

  async #create(index: number | undefined, state: JobState): Promise<void> {
    const { metadata, spec } = this.#job;
    const maker = { owner: this.#job, template: spec?.template, events: this.#events };
    const common = { finalizers: [trackingFinalizer] };
    if (index === undefined) {
      await createPod(maker, this.#ctx as never, common);
      return;
    }
    const { count = 0, ignoredCount = 0 } = state.failuresByIndex.get(index) ?? {};
    const annotations = {
      [indexAnnotation]: String(index),
      ...(spec?.backoffLimitPerIndex === undefined ? {} : { [failureCountAnnotation]: String(count) }),
      ...(ignoredCount === 0 ? {} : { [ignoredFailureAnnotation]: String(ignoredCount) }),
    };
    const { random } = this.#ctx.client;
    await createPod(maker, this.#ctx as never, {
      ...common,
      name: generatedName(`${metadata.name}-${index}-`, random),
      labels: { [indexAnnotation]: String(index) },
      annotations,
      spec: { ...indexedSpec(spec?.template?.spec), hostname: `${metadata.name}-${index}` },
    });
  }

  #delete(pod: PodState): Promise<void> {
    return deletePod(
      { owner: this.#job, template: undefined, events: this.#events },
      this.#ctx as never,
      pod,
    );
  }

  /**
   * Moves ended pods into the status' figures without counting any twice, whenever this process dies: their uids are noted,
   * then they lose their finalizer, then they are counted.
   */
  async #account(
    state: JobState,
    pods: readonly PodState[],
    startTime: string | undefined,
    more: object,
  ): Promise<void> {
    const counted = this.#job.status?.uncountedTerminatedPods;
    const uidsOf = (list: readonly PodState[]): string[] => list.map((pod) => pod.metadata.uid ?? "");
    const succeeded = [...(counted?.succeeded ?? []), ...uidsOf(state.newSucceeded)];
    const failed = [
      ...(counted?.failed ?? []),
      ...uidsOf(state.newFailed.filter((pod) => !state.ignored.has(pod))),
    ];
    const base = { state, startTime, more };
    if (succeeded.length + failed.length + state.ignored.size === 0) {
      await this.#write(base, { succeeded: [], failed: [] }, 0, 0);
      return;
    }
    await this.#write(base, { succeeded, failed }, 0, 0);
    const uids = new Set([...succeeded, ...failed, ...uidsOf([...state.ignored])]);
    await Promise.all(
      pods.filter((pod) => uids.has(pod.metadata.uid ?? "")).map((pod) => untrack(pod, this.#ctx)),
    );
    await this.#write(base, { succeeded: [], failed: [] }, succeeded.length, failed.length);
  }

  #figures: Record<string, unknown> = {};

  async #write(
    {
      state,
      startTime,
      more,
    }: { readonly state: JobState; readonly startTime: string | undefined; readonly more: object },
    uncounted: { readonly succeeded: readonly string[]; readonly failed: readonly string[] },
    addSucceeded: number,
    addFailed: number,
  ): Promise<void> {
    const { status } = this.#job;
    const indexed = isIndexed(this.#job);
    const lists = Object.fromEntries(Object.entries(uncounted).filter(([, uids]) => uids.length > 0));
    this.#figures = {
      startTime,
      active: state.active.filter((pod) => !isPodTerminating(pod)).length,
      ready: state.ready,
      terminating: state.terminating,
      succeeded: indexed ? state.completedIndexes.size : (status?.succeeded ?? 0) + addSucceeded,
      failed: (status?.failed ?? 0) + addFailed,
      completedIndexes:
        indexed && state.completedIndexes.size > 0 ? formatIndexes(state.completedIndexes) : undefined,
      failedIndexes:
        this.#job.spec?.backoffLimitPerIndex === undefined ? undefined : formatIndexes(state.failedIndexes),
      uncountedTerminatedPods: lists,
      ...more,
    };
    await this.#writeCounted({});
  }

  async #writeCounted(more: object): Promise<void> {
    this.#figures = { ...this.#figures, ...more };
    const nonZero = Object.entries(this.#figures).filter(
      ([key, value]) => !(value === 0 && (key === "active" || key === "succeeded" || key === "failed")),
    );
    const conditions = this.#conditions.length > 0 ? { conditions: this.#conditions } : {};
    const status = { ...Object.fromEntries(nonZero), ...conditions };
    const current = this.#written ?? this.#job;
    this.#written = (await replaceStatus(current as never, this.#ctx as never, status)) as JobObject;
  }

  /** The Job as last written by this pass. */
  #written: JobObject | undefined;

  #set(type: string, status: "True" | "False", reason: string, message: string): void {
    const before = this.#conditions.find((condition) => condition.type === type);
    if (before?.status === status && before.reason === reason) return;
    const at = rfc3339(this.#now);
    const next = { type, status, reason, message, lastProbeTime: at, lastTransitionTime: at };
    this.#conditions = [...this.#conditions.filter((condition) => condition.type !== type), next];
  }

  #say(type: "Normal" | "Warning", reason: string, message: string): void {
    this.#events.record(this.#ctx, this.#job, { type, reason, message });
  }
}

function withoutDeadline(job: JobObject): JobObject {
  const { activeDeadlineSeconds: _none, ...spec } = job.spec ?? {};
  return { ...job, spec: spec as NonNullable<JobObject["spec"]> };
}

function soonest(...waits: readonly (number | undefined)[]): { requeueAfterMs: number } | undefined {
  const known = waits.filter((wait) => wait !== undefined);
  return known.length === 0 ? undefined : { requeueAfterMs: Math.max(1, Math.min(...known)) };
}

type PodSpec = NonNullable<NonNullable<NonNullable<JobObject["spec"]>["template"]>["spec"]>;

/** Every container learns the index of its pod. */
function indexedSpec(spec: PodSpec | undefined): object {
  const variable = {
    name: "JOB_COMPLETION_INDEX",
    valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: `metadata.labels['${indexAnnotation}']` } },
  };
  const withIndex = <C extends { readonly env?: readonly { readonly name: string }[] }>(
    container: C,
  ): object =>
    container.env?.some(({ name }) => name === variable.name) === true
      ? container
      : { ...container, env: [...(container.env ?? []), variable] };
  return {
    containers: spec?.containers.map(withIndex),
    ...(spec?.initContainers === undefined ? {} : { initContainers: spec.initContainers.map(withIndex) }),
  };
}
