/**
 * Runs seeded hostile schedules and prints their figures:
 * `npm run hostile -- --schedules 1000`.
 * A failure is repeated with `--seed N --schedules 1`.
 */
import { parseArgs } from "node:util";
import { type ScheduleReport, runSchedule } from "./hostile-schedule.ts";

/** @returns the exit status */
export async function main(args: readonly string[]): Promise<number> {
  const options = {
    schedules: { type: "string", default: "1000" },
    seed: { type: "string", default: "1" },
  } as const;
  const { values } = parseArgs({ args: [...args], options });
  const first = Number(values.seed);
  const count = Number(values.schedules);
  let strayCount = 0;
  const onStray = (reason: unknown): void => {
    strayCount++;
    process.stdout.write(
      `unhandled rejection: ${reason instanceof Error ? reason.message : String(reason)}\n`,
    );
  };
  process.on("unhandledRejection", onStray);
  const reports: ScheduleReport[] = [];
  const heaps: number[] = [];
  const startedAt = performance.now();
  for (let seed = first; seed < first + count; seed++) {
    const report = await runSchedule(seed);
    reports.push(report);
    for (const problem of report.problems) process.stdout.write(`seed ${seed}: ${problem}\n`);
    if ((seed - first) % Math.ceil(count / 10) === 0) heaps.push(heapMiB());
  }
  process.off("unhandledRejection", onStray);
  const seconds = (performance.now() - startedAt) / 1000;
  const total = (of: (report: ScheduleReport) => number): number =>
    reports.reduce((sum, r) => sum + of(r), 0);
  const failed = reports.filter((report) => report.problems.length > 0).length;
  process.stdout.write(
    `${count} schedules in ${seconds.toFixed(1)} s: ${total((r) => r.requests)} requests, ` +
      `${total((r) => r.events)} events, ${total((r) => r.reconciles)} reconciles, ${strayCount} unhandled rejections; ` +
      `heap ${heaps.join(" ")} MiB\n${count - failed} passed, ${failed} failed\n`,
  );
  return failed > 0 || strayCount > 0 ? 1 : 0;
}

function heapMiB(): number {
  (globalThis as { gc?: () => void }).gc?.();
  return Math.round(process.memoryUsage().heapUsed / 1024 / 1024);
}
