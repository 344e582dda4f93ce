import { type KindOf, defineKind } from "@bowline/api";
import * as z from "zod";
import { sharedSpec, sharedStatus } from "../cronjob-fields.ts";

export const CronJob = defineKind({
  group: "batch.tutorial.kubebuilder.io",
  version: "v1",
  kind: "CronJob",
  description: "Creates a Job at every time of a schedule",
  spec: z.object({
    schedule: z
      .string()
      .min(1)
      .describe("When to run, in the format of cron: minute, hour, day of month, month, day of week"),
    ...sharedSpec,
  }),
  status: z.object(sharedStatus),
  printerColumns: [
    { name: "Schedule", type: "string", jsonPath: ".spec.schedule" },
    { name: "Suspend", type: "boolean", jsonPath: ".spec.suspend" },
    { name: "Last Schedule", type: "date", jsonPath: ".status.lastScheduleTime" },
    { name: "Available", type: "string", jsonPath: '.status.conditions[?(@.type=="Available")].status' },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  ],
});
export type CronJob = KindOf<typeof CronJob>;
