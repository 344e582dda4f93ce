/**
 * Runs seeded hostile schedules and prints their figures:
 * `npm run hostile -- --schedules 1000`.
 * A failure is repeated with `--seed N --schedules 1`.
 */
import { parseArgs } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { runSchedule } from "./hostile-schedule.ts";

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
  const total = { requests: 0, events: 0, reconciles: 0, watches: 0, timers: 0 };
  const heaps: number[] = [];
  let failed = 0;
  const startedAt = performance.now();
  for (let seed = first; seed < first + count; seed++) {
    const report = await runSchedule(seed);
    if (report.problems.length > 0) failed++;
    for (const problem of report.problems) process.stdout.write(`seed ${seed}: ${problem}\n`);
    for (const name of Object.keys(total) as (keyof typeof total)[]) total[name] += report[name];
    if ((seed - first + 1) % Math.ceil(count / 10) === 0) heaps.push(heapMiB());
  }
  process.off("unhandledRejection", onStray);
  const seconds = (performance.now() - startedAt) / 1000;
  const isFlat = heaps.length < 10 || (heaps.at(-1) ?? 0) <= (heaps[1] ?? 0) * 1.1;
  process.stdout.write(
    `${count} schedules in ${seconds.toFixed(1)} s: ${total.requests} requests, ${total.events} events, ` +
      `${total.reconciles} reconciles, ${strayCount} unhandled rejections\n` +
      `left behind: ${total.watches} connections, ${total.timers} timers; ` +
      `heap after garbage collections, MiB: ${heaps.map((heap) => heap.toFixed(1)).join(" ")}${isFlat ? "" : " (it grows)"}\n` +
      `${count - failed} passed, ${failed} failed\n`,
  );
  return failed > 0 || strayCount > 0 || !isFlat ? 1 : 0;
}

function heapMiB(): number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
  return process.memoryUsage().heapUsed / 1024 / 1024;
}
