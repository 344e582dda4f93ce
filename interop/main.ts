/**
 * Real clients against the embedded server: `npm run interop [-- NAME...]`. Each has a cluster of its own; one whose
 * toolchain is missing is skipped, and it is said. Ends with `N passed, N failed`.
 */
import { type InteropClient, clients } from "./clients.ts";
import { hasFailed, runClient } from "./run-client.ts";
import type { Verdict } from "./session.ts";

export async function main(args: readonly string[]): Promise<number> {
  const names = args.filter((arg) => !arg.startsWith("-"));
  const verbose = args.includes("--verbose");
  const unknown = names.filter((name) => !clients.some((client) => client.name === name));
  if (unknown.length > 0 || args.includes("--help")) {
    const known = clients.map((client) => `  ${client.name.padEnd(14)} ${client.description}`).join("\n");
    print(`usage: npm run interop [-- NAME... --verbose]\n\n${known}`);
    return unknown.length > 0 ? 2 : 0;
  }
  const totals = { passed: 0, failed: 0, skipped: 0 };
  for (const client of clients)
    if (names.length === 0 || names.includes(client.name)) await run(client, verbose, totals);
  if (totals.skipped > 0) print(`${totals.skipped} clients skipped`);
  print(`${totals.passed} passed, ${totals.failed} failed`);
  return totals.failed > 0 || totals.passed === 0 ? 1 : 0;
}

interface Totals {
  passed: number;
  failed: number;
  skipped: number;
}

async function run(client: InteropClient, verbose: boolean, totals: Totals): Promise<void> {
  const { missing, verdicts, elapsedMs } = await runClient(client, (verdict) => {
    if (hasFailed(verdict)) print(`${client.name}: FAIL ${verdict.claim}\n${indented(verdict.failure)}`);
    else if (verbose) print(`${client.name}: ok${timeOf(verdict)} ${verdict.claim}`);
  });
  if (missing !== undefined) {
    print(`${client.name}: skipped: ${missing}`);
    totals.skipped++;
    return;
  }
  const failed = verdicts.filter(hasFailed).length;
  const passed = verdicts.length - failed;
  print(`${client.name}: ${passed} of ${verdicts.length} in ${(elapsedMs / 1000).toFixed(1)} s`);
  totals.passed += passed;
  totals.failed += failed;
}

function timeOf({ elapsedMs }: Verdict): string {
  return elapsedMs === undefined ? "" : ` (${(elapsedMs / 1000).toFixed(1)} s)`;
}

function indented(text: string): string {
  return text.trimEnd().replace(/^/gm, "    ");
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
