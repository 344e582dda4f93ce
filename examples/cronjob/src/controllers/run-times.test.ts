import { describe, expect, it } from "vitest";
import { runTimes, scheduleProblem } from "./run-times.ts";

const at = (time: string): number => Date.parse(`2026-01-01T${time}Z`);
const timeOf = (time: number | undefined): string | undefined =>
  time === undefined ? undefined : new Date(time).toISOString().slice(0, 19);

describe("runTimes", () => {
  it.each([
    // schedule, last run, now, deadline in seconds: due, missed, next
    ["* * * * *", "00:00:00", "00:00:59", undefined, undefined, false, "2026-01-01T00:01:00"],
    ["* * * * *", "00:00:00", "00:01:00", undefined, "2026-01-01T00:01:00", false, "2026-01-01T00:02:00"],
    ["* * * * *", "00:01:00", "00:01:00", undefined, undefined, false, "2026-01-01T00:02:00"],
    ["* * * * *", "00:00:00", "00:05:30", undefined, "2026-01-01T00:05:00", false, "2026-01-01T00:06:00"],
    ["* * * * *", "00:00:00", "00:05:30", 30, "2026-01-01T00:05:00", false, "2026-01-01T00:06:00"],
    ["* * * * *", "00:00:00", "00:05:30", 29, undefined, true, "2026-01-01T00:06:00"],
    ["* * * * *", "00:05:00", "00:05:30", 29, undefined, false, "2026-01-01T00:06:00"],
    ["@hourly", "00:00:00", "01:40:00", undefined, "2026-01-01T01:00:00", false, "2026-01-01T02:00:00"],
    ["* * * * *", "00:00:00", "01:40:00", undefined, "2026-01-01T01:40:00", false, "2026-01-01T01:41:00"],
    ["* * * * *", "00:00:00", "23:00:00", 100, "2026-01-01T23:00:00", false, "2026-01-01T23:01:00"],
    ["0 0 30 2 *", "00:00:00", "01:00:00", undefined, undefined, false, undefined],
    ["0 0 1 1 MON", "00:00:00", "01:00:00", undefined, undefined, false, "2026-01-05T00:00:00"],
  ])(
    "%s after %s at %s with a deadline of %s s: due %s, missed %s, next %s",
    (schedule, since, now, deadline, due, isMissed, next) => {
      const deadlineMs = deadline === undefined ? undefined : deadline * 1000;
      const times = runTimes(schedule, { sinceAt: at(since), now: at(now), deadlineMs });
      if (times.state !== "valid") throw new Error(times.message);
      expect([timeOf(times.dueAt), times.isMissed, timeOf(times.nextAt)]).toEqual([due, isMissed, next]);
    },
  );

  it("gives up on more than 100 missed times, unless a deadline leaves fewer", () => {
    const since = { sinceAt: at("00:00:00"), now: at("01:41:00") };
    expect(runTimes("* * * * *", { ...since, deadlineMs: undefined })).toMatchObject({
      state: "invalid",
      reason: "TooManyMissedStarts",
    });
    expect(runTimes("* * * * *", { ...since, deadlineMs: 99 * 60_000 })).toMatchObject({ state: "valid" });
  });

  it.each([
    "",
    "* * * *",
    "* * * * * *",
    "60 * * * *",
    "* 24 * * *",
    "a * * * *",
    "*/0 * * * *",
    "@every 5m",
  ])("finds schedule %j invalid", (schedule) => {
    expect(scheduleProblem(schedule)).toEqual(expect.any(String));
    expect(runTimes(schedule, { sinceAt: 0, now: 1, deadlineMs: undefined })).toMatchObject({
      reason: "InvalidSchedule",
    });
  });
});
