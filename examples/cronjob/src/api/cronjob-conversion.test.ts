import { checkRoundTrip, convertObject } from "@bowline/runtime";
import { describe, expect, it } from "vitest";
import { cronJobConversion } from "./cronjob-conversion.ts";

const group = "batch.tutorial.kubebuilder.io";
/** Everything beside the schedule, all of which both versions have. */
const spec = {
  startingDeadlineSeconds: 60,
  concurrencyPolicy: "Forbid",
  suspend: true,
  jobTemplate: { spec: { template: { spec: { containers: [{ name: "main", image: "busybox" }] } } } },
  successfulJobsHistoryLimit: 1,
  failedJobsHistoryLimit: 0,
};
const status = {
  active: [{ kind: "Job", name: "a-1" }],
  lastScheduleTime: "2026-01-01T00:00:00Z",
  conditions: [
    {
      type: "Available",
      status: "True",
      reason: "JobsActive",
      message: "",
      lastTransitionTime: "2026-01-01T00:00:00Z",
    },
  ],
};

const parts = ["minute", "hour", "dayOfMonth", "month", "dayOfWeek"] as const;
const values = [undefined, "*", "0", "*/15", "1-5"];

/** Every combination of values for the five parts. */
function fields(): Record<string, string>[] {
  return parts.reduce<Record<string, string>[]>(
    (all, part) =>
      all.flatMap((some) => values.map((value) => (value === undefined ? some : { ...some, [part]: value }))),
    [{}],
  );
}

const texts = [
  "* * * * *",
  "0 4 * * MON",
  "@daily",
  "@Hourly",
  " */5  *\t* * * ",
  "0 0 0 0 0 0",
  "never",
  "a b",
  "",
];
const metadata = [{ name: "a" }, { name: "a", annotations: { note: "mine" }, labels: { app: "b" } }];

/** One object of every version that uses every field, with every kind of schedule. */
const samples = metadata.flatMap((meta) => [
  ...texts.map((schedule) => ({
    apiVersion: `${group}/v1`,
    kind: "CronJob",
    metadata: meta,
    spec: { ...spec, schedule },
    status,
  })),
  ...fields().map((schedule) => ({
    apiVersion: `${group}/v2`,
    kind: "CronJob",
    metadata: meta,
    spec: { ...spec, schedule },
    status,
  })),
]);

describe("the conversion of CronJob", () => {
  it("loses nothing on the way to another version and back", () => {
    expect(samples).toHaveLength(2 * (texts.length + values.length ** parts.length));
    // the first loss says enough
    expect(checkRoundTrip(cronJobConversion, samples).slice(0, 1)).toEqual([]);
  });

  it("keeps what it cannot express in an annotation, and only then", () => {
    const asV2 = (schedule: string) =>
      convertObject(
        cronJobConversion,
        { apiVersion: `${group}/v1`, kind: "CronJob", metadata: { name: "a" }, spec: { schedule } } as never,
        `${group}/v2`,
      ).metadata.annotations;
    expect(asV2("@daily")).toEqual({ [`${group}/v1-schedule`]: "@daily" });
    expect(asV2("0 0 * * *")).toBeUndefined();
  });
});
