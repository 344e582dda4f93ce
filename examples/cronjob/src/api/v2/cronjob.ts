import { type KindOf, defineKind } from "@bowline/api";
import * as z from "zod";
import { sharedSpec, sharedStatus } from "../cronjob-fields.ts";

function cronField(text: string): z.ZodOptional<z.ZodString> {
  return z.string().min(1).optional().describe(text);
}

export const CronJob = defineKind({
  group: "batch.tutorial.kubebuilder.io",
  version: "v2",
  kind: "CronJob",
  description: "Creates a Job at every time of a schedule",
  spec: z.object({
    schedule: z
      .object({
        minute: cronField("The minutes of the hour"),
        hour: cronField("The hours of the day"),
        dayOfMonth: cronField("The days of the month"),
        month: cronField("The months of the year"),
        dayOfWeek: cronField("The days of the week, 0 or SUN is Sunday"),
      })
      .describe("When to run; a field that is absent is every one"),
    ...sharedSpec,
  }),
  status: z.object(sharedStatus),
  printerColumns: [
    { name: "Minute", type: "string", jsonPath: ".spec.schedule.minute" },
    { name: "Hour", type: "string", jsonPath: ".spec.schedule.hour" },
    { name: "Suspend", type: "boolean", jsonPath: ".spec.suspend" },
    { name: "Last Schedule", type: "date", jsonPath: ".status.lastScheduleTime" },
    { name: "Available", type: "string", jsonPath: '.status.conditions[?(@.type=="Available")].status' },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  ],
});
export type CronJob = KindOf<typeof CronJob>;
