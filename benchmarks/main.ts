/**
 * The measurements: `npm run bench [-- NAME ...]`. Without a name all of them run. Figures vary by some 15 % between runs on a
 * shared machine: compare versions by running both in turns.
 */
import { cel } from "./cel.ts";
import { clusters } from "./clusters.ts";
import { controlLoop } from "./control-loop.ts";
import { machineText, printingReport } from "./report.ts";
import { server } from "./server.ts";
import { start } from "./start.ts";

const benchmarks = [start, cel, controlLoop, server, clusters];

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !benchmarks.some((b) => b.name === name));
if (unknown.length > 0) {
  console.error(
    `no benchmark is called ${unknown.join(", ")}: there are ${benchmarks.map((b) => b.name).join(", ")}`,
  );
  process.exit(2);
}
console.log(machineText());
for (const benchmark of benchmarks) {
  if (wanted.length > 0 && !wanted.includes(benchmark.name)) continue;
  console.log(`${benchmark.name}: ${benchmark.method}`);
  await benchmark.run(printingReport(console.log));
}
