import { type DeepReadonly, type FieldError, invalid } from "@bowline/api";
import { defineWebhook } from "@bowline/runtime";
import { CronJob } from "../api/v1/cronjob.ts";
import { scheduleProblem } from "../controllers/run-times.ts";

/** A Job's name may have 63 characters, and `-` with the ten digits of a time comes after the CronJob's. */
const nameLengthMax = 52;

/**
 * What the schema cannot say. Defaults of single fields and rules in CEL belong into the kind: those work without a webhook.
 */
export const cronJobWebhook = defineWebhook(CronJob, {
  default: defaultCronJob,
  validateCreate: checkCronJob,
  validateUpdate: checkCronJob,
});

const defaults = {
  concurrencyPolicy: "Allow",
  suspend: false,
  successfulJobsHistoryLimit: 3,
  failedJobsHistoryLimit: 1,
} as const;

/** A CronJob in which nothing is left out that has a default. */
export type DefaultedCronJob = DeepReadonly<CronJob> & {
  readonly spec: { readonly [field in keyof typeof defaults]-?: NonNullable<CronJob["spec"][field]> };
};

/** The object with what was left out filled in. The controller calls it too: webhooks may be switched off. */
export function defaultCronJob(cronJob: DeepReadonly<CronJob>): DefaultedCronJob {
  return { ...cronJob, spec: { ...defaults, ...cronJob.spec } };
}

/** What is wrong with the object; empty when nothing is. */
export function cronJobProblems({ metadata, spec }: DeepReadonly<CronJob>): FieldError[] {
  const problems: FieldError[] = [];
  const { name = "" } = metadata;
  if (name.length > nameLengthMax) {
    const detail = `must be no more than ${nameLengthMax} characters`;
    problems.push({ type: "Invalid", field: "metadata.name", badValue: name, detail });
  }
  const detail = scheduleProblem(spec.schedule);
  if (detail !== undefined)
    problems.push({ type: "Invalid", field: "spec.schedule", badValue: spec.schedule, detail });
  return problems;
}

function checkCronJob(cronJob: DeepReadonly<CronJob>): void {
  // an object on its way out is changed to take its finalizers off: a refusal would keep it for ever
  if (cronJob.metadata.deletionTimestamp !== undefined) return;
  const problems = cronJobProblems(cronJob);
  if (problems.length > 0) throw invalid(CronJob, cronJob.metadata.name ?? "", problems);
}
