/**
 * Real clients against the embedded server: `npm run interop [-- NAME...]`. Each has a cluster of its own; one whose
 * toolchain is missing is skipped, and it is said. Ends with `N passed, N failed`.
 */
import { type InteropClient, clients } from "./clients.ts";
import { Session, type Verdict } from "./session.ts";

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
    if (names.length === 0 || names.includes(client.name)) await runClient(client, verbose, totals);
  if (totals.skipped > 0) print(`${totals.skipped} clients skipped`);
  print(`${totals.passed} passed, ${totals.failed} failed`);
  return totals.failed > 0 || totals.passed === 0 ? 1 : 0;
}

interface Totals {
  passed: number;
  failed: number;
  skipped: number;
}

async function runClient(client: InteropClient, verbose: boolean, totals: Totals): Promise<void> {
  const ready = await client.prepare();
  if (ready.missing !== undefined) {
    print(`${client.name}: skipped: ${ready.missing}`);
    totals.skipped++;
    return;
  }
  const start = Date.now();
  const heard = (verdict: Verdict): void => {
    if (verdict.failure !== "") print(`${client.name}: FAIL ${verdict.claim}\n${indented(verdict.failure)}`);
    else if (verbose) print(`${client.name}: ok ${verdict.claim}`);
  };
  const session = await Session.start({ ...ready, heard });
  try {
    await client.run(session);
  } finally {
    await session.close();
  }
  const failed = session.verdicts.filter((verdict) => verdict.failure !== "").length;
  const passed = session.verdicts.length - failed;
  print(
    `${client.name}: ${passed} of ${session.verdicts.length} in ${((Date.now() - start) / 1000).toFixed(1)} s`,
  );
  totals.passed += passed;
  totals.failed += failed;
}

function indented(text: string): string {
  return text.trimEnd().replace(/^/gm, "    ");
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
