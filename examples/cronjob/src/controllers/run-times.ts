/** When a CronJob is due: pure functions of its schedule and of times, in milliseconds since 1970. */
import { Cron } from "croner";

/** More missed times than this mean that a clock is wrong, or that nobody can want them all. */
const missedCountMax = 100;

/** What is wrong with a schedule; undefined when nothing is. */
export function scheduleProblem(schedule: string): string | undefined {
  try {
    parse(schedule);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message.replace(/^CronPattern: /, "") : String(error);
  }
}

/** Five parts or a nickname like `@daily`, in UTC; a day matches by day of month or day of week, as in cron. */
function parse(schedule: string): Cron {
  return new Cron(schedule, { mode: "5-part", timezone: "UTC", legacyMode: true, paused: true });
}

export type RunTimes =
  | {
      readonly state: "invalid";
      readonly reason: "InvalidSchedule" | "TooManyMissedStarts";
      readonly message: string;
    }
  | {
      readonly state: "valid";
      /** The latest time that is due and not too late to start at. */
      readonly dueAt: number | undefined;
      /** A time was due and is now too late to start at. */
      readonly isMissed: boolean;
      /** Undefined for a schedule that never comes about: 30 February. */
      readonly nextAt: number | undefined;
    };

/**
 * What is due after `sinceAt` (the last run, or the creation).
 * @param deadlineMs how late a run may start; undefined: any time
 */
export function runTimes(
  schedule: string,
  at: { readonly sinceAt: number; readonly now: number; readonly deadlineMs: number | undefined },
): RunTimes {
  const problem = scheduleProblem(schedule);
  if (problem !== undefined)
    return { state: "invalid", reason: "InvalidSchedule", message: `Failed to parse schedule: ${problem}` };
  const cron = parse(schedule);
  const after = (time: number): number => cron.nextRun(new Date(time))?.getTime() ?? Number.POSITIVE_INFINITY;
  const { sinceAt, now, deadlineMs = Number.POSITIVE_INFINITY } = at;
  // nothing before this may start any more, so it is not looked at
  const earliestAt = Math.max(sinceAt, now - deadlineMs - 1);
  let dueAt: number | undefined;
  let missedCount = 0;
  for (let time = after(earliestAt); time <= now; time = after(time)) {
    dueAt = time;
    if (++missedCount > missedCountMax) {
      const message = `Too many missed start times (> ${missedCountMax}). Set or decrease .spec.startingDeadlineSeconds or check clock skew.`;
      return { state: "invalid", reason: "TooManyMissedStarts", message };
    }
  }
  const isMissed = dueAt === undefined && after(sinceAt) <= now;
  const nextAt = after(now);
  return { state: "valid", dueAt, isMissed, nextAt: Number.isFinite(nextAt) ? nextAt : undefined };
}
