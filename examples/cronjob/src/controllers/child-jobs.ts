/** The Jobs of a CronJob: what state they are in, and how one is made. */
import type { CreateOf, DeepReadonly } from "@bowline/api";
import type { Job } from "@bowline/api/batch/v1";
import { rfc3339 } from "@bowline/client";
import type { CronJob } from "../api/v1/cronjob.ts";

export type ChildJob = DeepReadonly<Job>;

/** Says on a Job for which time of the schedule it was started. */
export const scheduledAtAnnotation = "batch.tutorial.kubebuilder.io/scheduled-at";

/** The Jobs by state, those that started first in front. */
export interface ChildJobs {
  readonly active: readonly ChildJob[];
  readonly successful: readonly ChildJob[];
  readonly failed: readonly ChildJob[];
}

/** A Job has ended when its condition Complete or Failed is true. */
export function sortJobs(jobs: readonly ChildJob[]): ChildJobs {
  const byStart = jobs.toSorted((a, b) => compare(a.status?.startTime ?? "", b.status?.startTime ?? ""));
  return {
    active: byStart.filter((job) => !has(job, "Complete") && !has(job, "Failed")),
    successful: byStart.filter((job) => has(job, "Complete")),
    failed: byStart.filter((job) => has(job, "Failed")),
  };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function has(job: ChildJob, type: "Complete" | "Failed"): boolean {
  return job.status?.conditions?.some((each) => each.type === type && each.status === "True") === true;
}

/** The latest time for which one of the Jobs was started; undefined when none says. */
export function lastScheduledAt(jobs: readonly ChildJob[]): number | undefined {
  const times = jobs
    .map((job) => Date.parse(job.metadata.annotations?.[scheduledAtAnnotation] ?? ""))
    .filter((time) => !Number.isNaN(time));
  return times.length === 0 ? undefined : Math.max(...times);
}

/** The Job for one time of the schedule. Its name follows from the time, so that it cannot be created twice. */
export function jobFor(cronJob: DeepReadonly<CronJob>, dueAt: number): DeepReadonly<CreateOf<typeof Job>> {
  const { metadata, spec } = cronJob.spec.jobTemplate;
  return {
    metadata: {
      name: `${cronJob.metadata.name}-${dueAt / 1000}`,
      ...(metadata?.labels === undefined ? {} : { labels: metadata.labels }),
      annotations: { ...metadata?.annotations, [scheduledAtAnnotation]: rfc3339(dueAt) },
    },
    ...(spec === undefined ? {} : { spec }),
  };
}

/** What `status.active` says of a Job. */
export function referenceTo({
  metadata,
}: ChildJob): NonNullable<NonNullable<CronJob["status"]>["active"]>[number] {
  const { name = "", namespace = "", uid = "", resourceVersion = "" } = metadata;
  return { apiVersion: "batch/v1", kind: "Job", namespace, name, uid, resourceVersion };
}
