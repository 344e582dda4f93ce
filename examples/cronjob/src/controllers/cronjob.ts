import { type DeepReadonly, isNotFound } from "@bowline/api";
import { Job } from "@bowline/api/batch/v1";
import { rfc3339 } from "@bowline/client";
import { type ReconcileContext, type ReconcileResult, defineController } from "@bowline/runtime";
import { CronJob } from "../api/v1/cronjob.ts";
import { type DefaultedCronJob, defaultCronJob } from "../webhooks/cronjob.ts";
import { type ChildJob, jobFor, lastScheduledAt, referenceTo, sortJobs } from "./child-jobs.ts";
import { type Problem, conditionsFor } from "./cronjob-conditions.ts";
import { runTimes } from "./run-times.ts";

type Context = ReconcileContext<CronJob>;

export const cronJobController = defineController(CronJob, {
  owns: [Job],
  // #region reconcile
  async reconcile(object, ctx) {
    if (object.status?.conditions === undefined) {
      const message = "Starting reconciliation";
      await ctx.patchStatus({
        conditions: ctx.condition({ type: "Progressing", status: "Unknown", reason: "Reconciling", message }),
      });
    }
    const cronJob = defaultCronJob(object);
    const jobs = sortJobs(await ctx.owned(Job));
    await keepNewest(jobs.failed, cronJob.spec.failedJobsHistoryLimit, ctx);
    await keepNewest(jobs.successful, cronJob.spec.successfulJobsHistoryLimit, ctx);

    const lastAt = latest(
      lastScheduledAt([...jobs.active, ...jobs.successful, ...jobs.failed]),
      // the Job of the last run may be gone by its history limit, and must not be started again
      object.status?.lastScheduleTime,
    );
    const run = cronJob.spec.suspend
      ? { active: jobs.active, lastAt }
      : await startDue(cronJob, { active: jobs.active, lastAt }, ctx);
    await ctx.patchStatus({
      active: run.active.length === 0 ? null : run.active.map(referenceTo),
      lastScheduleTime: run.lastAt === undefined ? null : rfc3339(run.lastAt),
      conditions: conditionsFor(
        { isSuspended: cronJob.spec.suspend, active: run.active, failed: jobs.failed, problem: run.problem },
        ctx,
      ),
    });
    if (run.error !== undefined) throw run.error;
    return run.result;
  },
  // #endregion reconcile
});

/** What is so after a run was started or not. */
interface Run {
  readonly active: readonly ChildJob[];
  readonly lastAt: number | undefined;
  readonly problem?: Problem;
  readonly error?: unknown;
  readonly result?: ReconcileResult;
}

/** Starts the run that is due, if there is one and the concurrency policy lets it. */
async function startDue(cronJob: DefaultedCronJob, before: Run, ctx: Context): Promise<Run> {
  const { schedule, startingDeadlineSeconds, concurrencyPolicy } = cronJob.spec;
  const now = ctx.clock.now();
  const times = runTimes(schedule, {
    now,
    sinceAt: before.lastAt ?? Date.parse(cronJob.metadata.creationTimestamp ?? ""),
    deadlineMs: startingDeadlineSeconds === undefined ? undefined : startingDeadlineSeconds * 1000,
  });
  // looking again would not help: the next change of the object brings it back
  if (times.state === "invalid") {
    const { reason, message } = times;
    return { ...before, problem: { reason, message } };
  }
  const result = times.nextAt === undefined ? {} : { requeueAfterMs: times.nextAt - now };
  if (times.isMissed) {
    const message = `A run was due more than ${startingDeadlineSeconds} seconds ago, and is not started any more`;
    return { ...before, problem: { reason: "MissedSchedule", message }, result };
  }
  if (times.dueAt === undefined) return { ...before, result };
  if (concurrencyPolicy === "Forbid" && before.active.length > 0) return { ...before, result };
  if (concurrencyPolicy === "Replace") for (const job of before.active) await remove(job, ctx);
  const active = concurrencyPolicy === "Replace" ? [] : before.active;
  try {
    const job = await ctx.create(Job, jobFor(cronJob, times.dueAt));
    ctx.event({
      reason: "SuccessfulCreate",
      action: "StartRun",
      note: `Created job ${job.metadata.name}`,
      related: job,
    });
    return { active: [...active, job], lastAt: times.dueAt, result };
  } catch (error) {
    const message = `Failed to create job: ${error instanceof Error ? error.message : String(error)}`;
    return { active, lastAt: before.lastAt, problem: { reason: "JobCreationFailed", message }, error };
  }
}

/** Deletes the oldest Jobs beyond the limit. One that cannot be deleted now is tried again at the next occasion. */
async function keepNewest(jobs: readonly ChildJob[], limit: number, ctx: Context): Promise<void> {
  for (const job of jobs.slice(0, Math.max(0, jobs.length - limit))) {
    await remove(job, ctx).catch((error: unknown) =>
      ctx.log.warn({ err: error, job: job.metadata.name }, "an old job could not be deleted"),
    );
  }
}

/** The Job goes at once; garbage collection takes its pods away afterwards. */
async function remove({ metadata }: ChildJob, ctx: Context): Promise<void> {
  const { name = "", namespace = "" } = metadata;
  try {
    await ctx.client.delete(
      Job,
      { name, namespace },
      { propagationPolicy: "Background", signal: ctx.signal },
    );
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

function latest(byJobs: number | undefined, byStatus: DeepReadonly<string> | undefined): number | undefined {
  const times = [byJobs, byStatus === undefined ? undefined : Date.parse(byStatus)].filter(
    (each) => each !== undefined,
  );
  return times.length === 0 ? undefined : Math.max(...times);
}
