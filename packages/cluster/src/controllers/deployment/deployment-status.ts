/** What a Deployment says about its rollout. Source: kubernetes pkg/controller/deployment (progress.go, sync.go). */
import type { DeepReadonly } from "@bowline/api";
import { rfc3339 } from "@bowline/client";
import { type WorkloadCondition, replaceStatus, withCondition, withoutCondition } from "../control-plane.ts";
import {
  type Context,
  type DeploymentState,
  type Family,
  type SetState,
  availableOf,
  budgetOf,
  replicasOf,
  sum,
} from "./replica-sets.ts";

export type Conditions = readonly DeepReadonly<WorkloadCondition>[];

/** Figures of the status. */
interface Counts {
  readonly replicas: number;
  readonly updatedReplicas: number;
  readonly readyReplicas: number;
  readonly availableReplicas: number;
}

/** A deadline as long as the type can hold means that there is none. */
const noDeadlineSeconds = 2 ** 31 - 1;

export function hasDeadline(deployment: DeploymentState): boolean {
  return (deployment.spec?.progressDeadlineSeconds ?? noDeadlineSeconds) !== noDeadlineSeconds;
}

export function conditionsOf(deployment: DeploymentState): Conditions {
  return (deployment.status?.conditions ?? []) as Conditions;
}

export const progressing = (conditions: Conditions): DeepReadonly<WorkloadCondition> | undefined =>
  conditions.find((condition) => condition.type === "Progressing");

/** The conditions with another word on progress, and its time. */
export function withProgress(
  conditions: Conditions,
  next: { readonly status: "True" | "False" | "Unknown"; readonly reason: string; readonly message: string },
  now: number,
): Conditions {
  return withCondition(conditions, { type: "Progressing", ...next, lastUpdateTime: rfc3339(now) }, now);
}

/** Pausing and resuming stop the watch on the deadline. A rollout that missed it keeps saying so. */
export function withPause(deployment: DeploymentState, conditions: Conditions, now: number): Conditions {
  const reason = progressing(conditions)?.reason;
  if (!hasDeadline(deployment) || reason === "ProgressDeadlineExceeded") return conditions;
  const isPaused = deployment.spec?.paused === true;
  if (isPaused && reason !== "DeploymentPaused") {
    return withProgress(
      conditions,
      { status: "Unknown", reason: "DeploymentPaused", message: "Deployment is paused" },
      now,
    );
  }
  if (!isPaused && reason === "DeploymentPaused") {
    return withProgress(
      conditions,
      { status: "Unknown", reason: "DeploymentResumed", message: "Deployment is resumed" },
      now,
    );
  }
  return conditions;
}

export interface StatusInput {
  readonly family: Family;
  readonly conditions: Conditions;
  readonly collisionCount: number | undefined;
  /** False while paused or only scaling: progress is not judged then. */
  readonly judgesProgress: boolean;
}

/** Writes the status; answers when the deadline is to be looked at again. */
export async function writeStatus(
  deployment: DeploymentState,
  ctx: Context,
  { family, conditions: given, collisionCount, judgesProgress }: StatusInput,
): Promise<{ requeueAfterMs: number } | undefined> {
  const now = ctx.clock.now();
  const counts = countsOf(family);
  let conditions = withAvailability(deployment, given, counts, now);
  if (judgesProgress) {
    conditions = withVerdict(deployment, conditions, { counts, family }, now);
    conditions = withFailure(conditions, family, now);
  }
  await replaceStatus(deployment as never, ctx as never, {
    observedGeneration: deployment.metadata.generation,
    ...counts,
    unavailableReplicas: Math.max(0, sum(family.all, replicasOf) - counts.availableReplicas),
    terminatingReplicas: sum(family.all, (set) => set.status?.terminatingReplicas ?? 0),
    collisionCount,
    conditions: conditions.length > 0 ? conditions : undefined,
  });
  return judgesProgress ? deadlineCheck(deployment, conditions, counts, now) : undefined;
}

function countsOf({ all, newest }: Family): Counts {
  return {
    replicas: sum(all, (set) => set.status?.replicas ?? 0),
    updatedReplicas: newest?.status?.replicas ?? 0,
    readyReplicas: sum(all, (set) => set.status?.readyReplicas ?? 0),
    availableReplicas: sum(all, availableOf),
  };
}

function withAvailability(
  deployment: DeploymentState,
  conditions: Conditions,
  counts: Counts,
  now: number,
): Conditions {
  const { desired, maxUnavailable } = budgetOf(deployment);
  const isEnough = counts.availableReplicas >= desired - maxUnavailable;
  const next: WorkloadCondition = {
    type: "Available",
    status: isEnough ? "True" : "False",
    reason: isEnough ? "MinimumReplicasAvailable" : "MinimumReplicasUnavailable",
    message: isEnough
      ? "Deployment has minimum availability."
      : "Deployment does not have minimum availability.",
    lastUpdateTime: rfc3339(now),
  };
  return withCondition(conditions, next, now);
}

export function isComplete(deployment: DeploymentState, counts: Counts): boolean {
  const { desired } = budgetOf(deployment);
  return (
    counts.updatedReplicas === desired && counts.replicas === desired && counts.availableReplicas === desired
  );
}

/** Complete by the sets' own word, for those who clean up after a rollout. */
export function isFamilyComplete(deployment: DeploymentState, family: Family): boolean {
  return isComplete(deployment, countsOf(family));
}

interface Progress {
  readonly counts: Counts;
  readonly family: Family;
}

function withVerdict(
  deployment: DeploymentState,
  conditions: Conditions,
  progress: Progress,
  now: number,
): Conditions {
  if (!hasDeadline(deployment)) return withoutCondition(conditions, "Progressing");
  const { counts, family } = progress;
  const before = progressing(conditions);
  // once complete, a rollout is not judged again until there is a new one
  if (counts.replicas === counts.updatedReplicas && before?.reason === "NewReplicaSetAvailable")
    return conditions;
  const who =
    family.newest === undefined ? `Deployment "${deployment.metadata.name}"` : setText(family.newest);
  if (isComplete(deployment, counts)) {
    return withProgress(
      conditions,
      { status: "True", reason: "NewReplicaSetAvailable", message: `${who} has successfully progressed.` },
      now,
    );
  }
  if (hasMoved(deployment, counts)) {
    const next = { status: "True", reason: "ReplicaSetUpdated", message: `${who} is progressing.` } as const;
    const fresh = withProgress(withoutCondition(conditions, "Progressing"), next, now);
    if (before?.status !== "True" || before.lastTransitionTime === undefined) return fresh;
    const { lastTransitionTime } = before;
    return fresh.map((condition) =>
      condition.type === "Progressing" ? { ...condition, lastTransitionTime } : condition,
    );
  }
  if (isLate(deployment, before, now)) {
    return withProgress(
      conditions,
      { status: "False", reason: "ProgressDeadlineExceeded", message: `${who} has timed out progressing.` },
      now,
    );
  }
  return conditions;
}

function setText(set: SetState): string {
  return `ReplicaSet "${set.metadata.name}"`;
}

function hasMoved({ status }: DeploymentState, counts: Counts): boolean {
  const old = { replicas: status?.replicas ?? 0, updated: status?.updatedReplicas ?? 0 };
  return (
    counts.updatedReplicas > old.updated ||
    counts.replicas - counts.updatedReplicas < old.replicas - old.updated ||
    counts.readyReplicas > (status?.readyReplicas ?? 0) ||
    counts.availableReplicas > (status?.availableReplicas ?? 0)
  );
}

function isLate(
  deployment: DeploymentState,
  before: DeepReadonly<WorkloadCondition> | undefined,
  now: number,
): boolean {
  if (before === undefined || before.reason === "NewReplicaSetAvailable") return false;
  if (before.reason === "ProgressDeadlineExceeded") return true;
  return Date.parse(before.lastUpdateTime ?? "") + deadlineMs(deployment) < now;
}

function deadlineMs(deployment: DeploymentState): number {
  return (deployment.spec?.progressDeadlineSeconds ?? 600) * 1000;
}

/** What keeps the newest set from making pods, or else any of them. */
function withFailure(conditions: Conditions, { newest, old }: Family, now: number): Conditions {
  const sets = newest === undefined ? old : [newest, ...old];
  const failure = sets
    .flatMap((set) => set.status?.conditions ?? [])
    .find((c) => c.type === "ReplicaFailure");
  if (failure === undefined) return withoutCondition(conditions, "ReplicaFailure");
  const { status, reason, message } = failure as WorkloadCondition;
  const next = {
    type: "ReplicaFailure",
    status,
    reason,
    message,
    lastUpdateTime: rfc3339(now),
  } as WorkloadCondition;
  return withCondition(conditions, next, now);
}

function deadlineCheck(
  deployment: DeploymentState,
  conditions: Conditions,
  counts: Counts,
  now: number,
): { requeueAfterMs: number } | undefined {
  const current = progressing(conditions);
  if (!hasDeadline(deployment) || current === undefined) return undefined;
  if (isComplete(deployment, counts) || current.reason === "ProgressDeadlineExceeded") return undefined;
  const leftMs = Date.parse(current.lastUpdateTime ?? "") + deadlineMs(deployment) - now;
  return { requeueAfterMs: Math.max(0, leftMs) + 1000 };
}
