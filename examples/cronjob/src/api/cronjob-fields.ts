import type { JobTemplateSpec } from "@bowline/api/batch/v1";
import * as k8s from "@bowline/api/k8s";
import * as z from "zod";

/** The fields of the spec that all versions have: everything but the schedule. */
export const sharedSpec = {
  startingDeadlineSeconds: k8s
    .int64()
    .min(0)
    .exactOptional()
    .describe("How late a run may start, in seconds; later it counts as missed. No limit when absent"),
  concurrencyPolicy: z
    .enum(["Allow", "Forbid", "Replace"])
    .exactOptional()
    .describe(
      "What happens when a run is due and another one has not ended: Allow both, Forbid the new, Replace the old",
    ),
  suspend: z.boolean().exactOptional().describe("No more runs are started; those that run go on"),
  jobTemplate: k8s
    .builtinType<JobTemplateSpec>("io.k8s.api.batch.v1.JobTemplateSpec")
    .describe("The Job that is created for each run"),
  successfulJobsHistoryLimit: z.int32().min(0).exactOptional().describe("How many successful Jobs are kept"),
  failedJobsHistoryLimit: z.int32().min(0).exactOptional().describe("How many failed Jobs are kept"),
};

/** The status of all versions. */
export const sharedStatus = {
  active: z
    .array(k8s.objectReference())
    .check(k8s.atomic())
    .exactOptional()
    .describe("The Jobs that run now"),
  lastScheduleTime: k8s.dateTime().exactOptional().describe("The time that the last run was due at"),
  conditions: k8s.conditions(),
};
