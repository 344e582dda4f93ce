#!/usr/bin/env node
/**
 * Everything that CI checks beside the tests, in the order in which a mistake is found soonest.
 *
 *     npm run check              all
 *     npm run check -- lint      one step (or several)
 */
import { spawnSync } from "node:child_process";
import { performance } from "node:perf_hooks";

const steps = [
  ["format", "biome", ["format", "."]],
  ["lint", "oxlint", ["--type-aware", "--deny-warnings"]],
  ["build", "node", ["tools/build.mjs"]],
  ["types", "tsc", ["-p", "tsconfig.test.json"]],
  ["directions", "depcruise", ["--config", ".dependency-cruiser.mjs", "packages", "examples"]],
  ["unused", "knip", ["--no-progress"]],
  ["generated", "node", ["tools/run.mjs", "tools/generate-builtins.ts", "--check"]],
  ["reference", "node", ["tools/run.mjs", "tools/generate-api-reference.ts", "--check"]],
  ["pack", "node", ["tools/check-pack.mjs"]],
];

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !steps.some(([step]) => step === name));
if (unknown.length > 0) {
  console.error(
    `no check is called ${unknown.join(", ")}: there are ${steps.map(([step]) => step).join(", ")}`,
  );
  process.exit(2);
}

let failed = 0;
for (const [name, command, args] of steps) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const start = performance.now();
  const [program, all] =
    command === "node" ? [process.execPath, args] : ["npx", ["--no-install", command, ...args]];
  const { status, error } = spawnSync(program, all, { stdio: ["ignore", "inherit", "inherit"] });
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  const ok = status === 0 && error === undefined;
  console.log(`${ok ? "ok  " : "FAIL"} ${name} (${seconds} s)`);
  if (!ok) failed++;
}
process.exit(failed === 0 ? 0 : 1);
