/** What the conditions of a CronJob say. */
import type { Condition } from "@bowline/api";
import type { ReconcileContext } from "@bowline/runtime";
import type { CronJob } from "../api/v1/cronjob.ts";
import type { ChildJob } from "./child-jobs.ts";

/** Why a run could not be started. */
export interface Problem {
  readonly reason: "InvalidSchedule" | "TooManyMissedStarts" | "MissedSchedule" | "JobCreationFailed";
  readonly message: string;
}

interface Situation {
  readonly isSuspended: boolean;
  readonly active: readonly ChildJob[];
  readonly failed: readonly ChildJob[];
  readonly problem: Problem | undefined;
}

type Update = Parameters<ReconcileContext<CronJob>["condition"]>[0];

/** Available, Progressing and Degraded. Each call sets all three, so none is left over from before. */
export function conditionsFor(
  situation: Situation,
  ctx: Pick<ReconcileContext<CronJob>, "condition">,
): Condition[] {
  const [first, ...rest] = [available(situation), progressing(situation), degraded(situation)] as const;
  return rest.reduce((conditions, update) => ctx.condition(update, conditions), ctx.condition(first));
}

function available({ isSuspended, active, problem }: Situation): Update {
  const type = "Available";
  if (isSuspended) return { type, status: false, reason: "Suspended", message: "CronJob is suspended" };
  // a run that was missed says nothing about the next one
  if (problem !== undefined && problem.reason !== "MissedSchedule")
    return { type, status: false, ...problem };
  if (active.length > 0)
    return { type, status: true, reason: "JobsActive", message: jobsText(active, "active") };
  return { type, status: true, reason: "AllJobsCompleted", message: "All jobs have ended" };
}

function progressing({ isSuspended, active }: Situation): Update {
  const type = "Progressing";
  if (active.length > 0)
    return { type, status: true, reason: "JobsActive", message: jobsText(active, "active") };
  const reason = isSuspended ? "Suspended" : "NoJobsActive";
  return { type, status: false, reason, message: "No job is active" };
}

function degraded({ failed, problem }: Situation): Update {
  const type = "Degraded";
  if (problem !== undefined) return { type, status: true, ...problem };
  if (failed.length > 0)
    return { type, status: true, reason: "JobsFailed", message: jobsText(failed, "failed") };
  return { type, status: false, reason: "AsExpected", message: "" };
}

function jobsText(jobs: readonly ChildJob[], state: string): string {
  return `${jobs.length} job(s) ${state}`;
}
