/**
 * Runs seeded hostile schedules and prints their figures: `node packages/runtime/test/hostile-run.mjs --schedules 1000`.
 * A failure is repeated with `--seed N --schedules 1`.
 */
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { createServer } from "vite";

const { values } = parseArgs({
  options: { schedules: { type: "string", default: "1000" }, seed: { type: "string", default: "1" } },
});
const conditions = ["@bowline/source"];
const vite = await createServer({
  root: fileURLToPath(new URL("../../..", import.meta.url)),
  configFile: false,
  logLevel: "error",
  server: { middlewareMode: true, watch: null },
  optimizeDeps: { noDiscovery: true },
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
});
let strays = 0;
process.on("unhandledRejection", (reason) => {
  strays++;
  process.stderr.write(`unhandled rejection: ${reason instanceof Error ? reason.stack : reason}\n`);
});
const { runSchedule } = await vite.ssrLoadModule("/packages/runtime/test/hostile-schedule.ts");
const first = Number(values.seed);
const count = Number(values.schedules);
const sum = { requests: 0, events: 0, reconciles: 0 };
let failed = 0;
const startedAt = performance.now();
const heaps = [];
for (let seed = first; seed < first + count; seed++) {
  const report = await runSchedule(seed);
  for (const key of Object.keys(sum)) sum[key] += report[key];
  if (report.problems.length > 0) {
    failed++;
    process.stdout.write(`seed ${seed}:\n${report.problems.map((p) => `  ${p}\n`).join("")}`);
  }
  if ((seed - first) % Math.ceil(count / 10) === 0) {
    globalThis.gc?.();
    heaps.push(Math.round(process.memoryUsage().heapUsed / 1024 / 1024));
  }
}
const seconds = (performance.now() - startedAt) / 1000;
process.stdout.write(
  `${count} schedules in ${seconds.toFixed(1)} s: ${sum.requests} requests, ${sum.events} events, ` +
    `${sum.reconciles} reconciles, ${strays} unhandled rejections; heap ${heaps.join(" ")} MiB\n`,
);
process.stdout.write(`${count - failed} passed, ${failed} failed\n`);
await vite.close();
process.exitCode = failed > 0 || strays > 0 ? 1 : 0;
