/** What a Job's pods add up to. Source: kubernetes pkg/controller/job (job_controller.go, success_policy.go, backoff_utils.go). */
import type { DeepReadonly } from "@bowline/api";
import type { Job } from "@bowline/api/batch/v1";
import { type PodState, isPodFinished, isPodReady, isPodTerminating } from "../pods/pod-state.ts";
import { indexOf, parseIndexes } from "./indexes.ts";
import { type FailureVerdict, judgeFailure } from "./pod-failure-policy.ts";

export type JobObject = DeepReadonly<Job>;

export const trackingFinalizer = "batch.kubernetes.io/job-tracking";
export const failureCountAnnotation = "batch.kubernetes.io/job-index-failure-count";
export const ignoredFailureAnnotation = "batch.kubernetes.io/job-index-ignored-failure-count";

export interface JobState {
  readonly active: readonly PodState[];
  readonly ready: number;
  readonly terminating: number;
  /** Ended since the last look, not yet in the status' figures. */
  readonly newSucceeded: readonly PodState[];
  readonly newFailed: readonly PodState[];
  /** Of `newFailed`, those that the failure policy leaves out of the count. */
  readonly ignored: ReadonlySet<PodState>;
  /** All that ended, counted or not. */
  readonly succeeded: number;
  readonly failed: number;
  readonly completedIndexes: ReadonlySet<number>;
  readonly failedIndexes: ReadonlySet<number>;
  /** The rule that fails the Job. */
  readonly failJob: FailureVerdict | undefined;
  /** Time of the last failure, milliseconds since 1970. */
  readonly lastFailedAt: number | undefined;
  /** What is known of the failures of an index, with limits by index. */
  readonly failuresByIndex: ReadonlyMap<number, IndexFailures>;
}

/** How often the pods of one index failed. */
export interface IndexFailures {
  readonly count: number;
  /** Those that the failure policy leaves out of the count. */
  readonly ignoredCount: number;
  readonly lastAt: number;
}

export function isIndexed(job: JobObject): boolean {
  return job.spec?.completionMode === "Indexed";
}

/** Ended for the Job: also a pod that is being deleted has failed, unless replacements wait for it to be over. */
function hasFailed(job: JobObject, pod: PodState): boolean {
  if (pod.status?.phase === "Failed") return true;
  const waits = job.spec?.podReplacementPolicy === "Failed" || job.spec?.podFailurePolicy !== undefined;
  return isPodTerminating(pod) && pod.status?.phase !== "Succeeded" && !waits;
}

/** @param pods those that the Job controls */
export function stateOf(job: JobObject, pods: readonly PodState[]): JobState {
  const { status, spec } = job;
  const counted = new Set([
    ...(status?.uncountedTerminatedPods?.succeeded ?? []),
    ...(status?.uncountedTerminatedPods?.failed ?? []),
  ]);
  const isTracked = (pod: PodState): boolean => pod.metadata.finalizers?.includes(trackingFinalizer) === true;
  const isNew = (pod: PodState): boolean => isTracked(pod) && !counted.has(pod.metadata.uid ?? "");
  const newSucceeded = pods.filter((pod) => isNew(pod) && pod.status?.phase === "Succeeded");
  const newFailed = pods.filter((pod) => isNew(pod) && hasFailed(job, pod));
  const verdicts = new Map(newFailed.map((pod) => [pod, judgeFailure(spec?.podFailurePolicy, pod)]));
  const ignored = new Set(newFailed.filter((pod) => verdicts.get(pod)?.action === "Ignore"));
  const completedIndexes = parseIndexes(status?.completedIndexes);
  const failedIndexes = parseIndexes(status?.failedIndexes);
  if (isIndexed(job)) {
    for (const pod of newSucceeded) addIndex(completedIndexes, job, pod);
    for (const pod of newFailed) {
      if (isIndexOver(job, pod, verdicts.get(pod))) addIndex(failedIndexes, job, pod);
    }
    for (const index of completedIndexes) failedIndexes.delete(index);
  }
  const active = pods.filter((pod) => !isPodFinished(pod) && !isPodTerminating(pod));
  const pendingSucceeded = status?.uncountedTerminatedPods?.succeeded?.length ?? 0;
  const pendingFailed = status?.uncountedTerminatedPods?.failed?.length ?? 0;
  return {
    active,
    ready: active.filter(isPodReady).length,
    terminating: pods.filter((pod) => isPodTerminating(pod) && !isPodFinished(pod)).length,
    newSucceeded,
    newFailed,
    ignored,
    succeeded: isIndexed(job)
      ? completedIndexes.size
      : (status?.succeeded ?? 0) + pendingSucceeded + newSucceeded.length,
    failed: (status?.failed ?? 0) + pendingFailed + newFailed.length - ignored.size,
    completedIndexes,
    failedIndexes,
    failJob: [...verdicts.values()].find((verdict) => verdict.action === "FailJob"),
    lastFailedAt: lastFailure(pods.filter((pod) => hasFailed(job, pod))),
    failuresByIndex: failuresByIndex(job, pods),
  };
}

/** Each pod carries the count of those before it, so that the last one knows them all. */
function failuresByIndex(job: JobObject, pods: readonly PodState[]): Map<number, IndexFailures> {
  const known = new Map<number, IndexFailures>();
  if (job.spec?.backoffLimitPerIndex === undefined) return known;
  for (const pod of pods.filter((one) => hasFailed(job, one))) {
    const index = indexOf(pod) ?? -1;
    const isIgnored = judgeFailure(job.spec.podFailurePolicy, pod).action === "Ignore";
    const count = indexFailures(pod) - (isIgnored ? 1 : 0);
    const ignoredBefore = Number(pod.metadata.annotations?.[ignoredFailureAnnotation] ?? 0);
    const ignoredCount = ignoredBefore + (isIgnored ? 1 : 0);
    const before = known.get(index);
    if (before !== undefined && before.count + before.ignoredCount > count + ignoredCount) continue;
    known.set(index, { count, ignoredCount, lastAt: lastFailure([pod]) ?? 0 });
  }
  return known;
}

function addIndex(indexes: Set<number>, job: JobObject, pod: PodState): void {
  const index = indexOf(pod);
  if (index !== undefined && index < (job.spec?.completions ?? 0)) indexes.add(index);
}

/** Failures of the pod's index so far, this one included. */
export function indexFailures(pod: PodState): number {
  return Number(pod.metadata.annotations?.[failureCountAnnotation] ?? 0) + 1;
}

function isIndexOver(job: JobObject, pod: PodState, verdict: FailureVerdict | undefined): boolean {
  const limit = job.spec?.backoffLimitPerIndex;
  if (limit === undefined || verdict?.action === "Ignore") return false;
  return verdict?.action === "FailIndex" || indexFailures(pod) > limit;
}

function lastFailure(failed: readonly PodState[]): number | undefined {
  const times = failed.map((pod) => {
    const ends = (pod.status?.containerStatuses ?? []).map(
      (c) => Date.parse(c.state?.terminated?.finishedAt ?? "") || 0,
    );
    return (
      Math.max(0, ...ends) ||
      Date.parse(pod.metadata.deletionTimestamp ?? pod.metadata.creationTimestamp ?? "") ||
      0
    );
  });
  return times.length === 0 ? undefined : Math.max(...times);
}

/** Why the Job is to end. */
export interface JobVerdict {
  readonly type: "SuccessCriteriaMet" | "FailureTarget";
  readonly reason: string;
  readonly message: string;
}

/** Whether the Job has what it needs, or can never have it; undefined: it goes on. */
export function verdictOf(job: JobObject, state: JobState, now: number): JobVerdict | undefined {
  const fail = (reason: string, message: string): JobVerdict => ({ type: "FailureTarget", reason, message });
  const { spec, status } = job;
  if (state.failJob !== undefined) return fail("PodFailurePolicy", state.failJob.message);
  if (isPastBackOffLimit(job, state))
    return fail("BackoffLimitExceeded", "Job has reached the specified backoff limit");
  const deadlineMs = (spec?.activeDeadlineSeconds ?? Number.POSITIVE_INFINITY) * 1000;
  const startedAt = status?.startTime === undefined ? now : Date.parse(status.startTime);
  if (now - startedAt >= deadlineMs)
    return fail("DeadlineExceeded", "Job was active longer than specified deadline");
  const perIndex = spec?.backoffLimitPerIndex !== undefined;
  if (perIndex && spec.maxFailedIndexes !== undefined && state.failedIndexes.size > spec.maxFailedIndexes) {
    return fail(
      "MaxFailedIndexesExceeded",
      "Job has exceeded the specified maximal number of failed indexes",
    );
  }
  const success = successOf(job, state);
  if (success !== undefined) return success;
  const isOver =
    perIndex &&
    state.failedIndexes.size > 0 &&
    state.failedIndexes.size + state.completedIndexes.size >= (spec?.completions ?? 0);
  return isOver ? fail("FailedIndexes", "Job has failed indexes") : undefined;
}

function isPastBackOffLimit(job: JobObject, state: JobState): boolean {
  const { backoffLimit = 6, template } = job.spec ?? {};
  if (job.spec?.backoffLimitPerIndex !== undefined && job.spec.backoffLimit === undefined) return false;
  if (state.failed > backoffLimit) return true;
  if (template?.spec?.restartPolicy !== "OnFailure") return false;
  const restarts = state.active.flatMap((pod) => [
    ...(pod.status?.initContainerStatuses ?? []),
    ...(pod.status?.containerStatuses ?? []),
  ]);
  const total = restarts.reduce((sum, container) => sum + container.restartCount, 0);
  return backoffLimit === 0 ? total > 0 : total >= backoffLimit;
}

function successOf(job: JobObject, state: JobState): JobVerdict | undefined {
  const { spec } = job;
  const met = (reason: string, message: string): JobVerdict => ({
    type: "SuccessCriteriaMet",
    reason,
    message,
  });
  for (const [index, rule] of (spec?.successPolicy?.rules ?? []).entries()) {
    const wanted = rule.succeededIndexes === undefined ? undefined : parseIndexes(rule.succeededIndexes);
    const done =
      wanted === undefined
        ? state.completedIndexes
        : new Set([...wanted].filter((i) => state.completedIndexes.has(i)));
    const needed = rule.succeededCount ?? wanted?.size ?? 0;
    if (done.size >= needed && needed > 0) return met("SuccessPolicy", `Matched rules at index ${index}`);
  }
  const reached = met("CompletionsReached", "Reached expected number of succeeded pods");
  if (spec?.completions === undefined)
    return state.succeeded > 0 && state.active.length === 0 ? reached : undefined;
  return state.succeeded >= spec.completions ? reached : undefined;
}

/** How many pods there should be now. */
export function wantedActive(job: JobObject, state: JobState): number {
  const { parallelism = 1, completions } = job.spec ?? {};
  // without a number of completions the first success means that no more pods are started
  if (completions === undefined) return state.succeeded > 0 ? state.active.length : parallelism;
  return Math.min(parallelism, Math.max(0, completions - state.succeeded - state.failedIndexes.size));
}
