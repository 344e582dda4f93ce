/**
 * The official conformance tests (of api-machinery, apps and auth) that tests of ours re-express under the same names.
 * `npm run conformance-list` runs them, prints each, and ends with `N passed, N failed`; with `--write` it also writes the
 * list in `docs/reference/conformance-tests.md`.
 */
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** How many are re-expressed, at least. */
export const officialMin = 120;
/** Where they are, and where the list of them is. */
export const officialTests = "packages/cluster/test/official";
export const officialList = "docs/reference/conformance-tests.md";

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

export interface OfficialTest {
  /** `[sig-apps] Job should delete a job`. */
  readonly name: string;
  /** Below the repository, with `/`. */
  readonly file: string;
  readonly passed: boolean;
}

/** The official tests in a report of vitest's JSON reporter, by name. */
export function officialIn(report: Report, root: string): OfficialTest[] {
  return report.testResults
    .flatMap(({ name: file, assertionResults }) =>
      assertionResults.map(({ fullName, status }) => ({
        name: fullName,
        file: path.relative(root, file).split(path.sep).join("/"),
        passed: status === "passed",
      })),
    )
    .filter(({ name }) => name.startsWith("[sig-"))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The page with the list. */
export function listPage(tests: readonly OfficialTest[]): string {
  const files = [...new Set(tests.map((test) => test.file))].sort();
  const sections = files.map((file) => {
    const own = tests.filter((test) => test.file === file);
    const names = own.map(({ name }) => `- ${name}`).join("\n");
    return `## ${path.basename(file, ".test.ts")}\n\n[${own.length} tests](../../${file})\n\n${names}\n`;
  });
  return `# Official conformance tests

Kubernetes calls a cluster conformant when it passes an official suite of tests. The embedded cluster cannot run that suite,
which needs real containers; these ${tests.length} of its tests about the API machinery, workloads and authentication are
re-expressed here on simulated nodes and a virtual clock, under their official names. \`npm run conformance-list\` runs them.

${sections.join("\n")}`;
}

async function run(root: string): Promise<Report> {
  const directory = mkdtempSync(path.join(tmpdir(), "conformance-list-"));
  const file = path.join(directory, "report.json");
  const vitest = path.join(root, "node_modules/vitest/vitest.mjs");
  const args = [vitest, "run", officialTests, "--reporter=json", `--outputFile=${file}`];
  // a failing test is in the report; the exit status says nothing more
  await new Promise<void>((resolve) => {
    execFile(process.execPath, args, { cwd: root, maxBuffer: 1 << 26 }, () => resolve());
  });
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Report;
  } finally {
    rmSync(directory, { recursive: true });
  }
}

export async function main(args: readonly string[]): Promise<number> {
  const root = process.cwd();
  const tests = officialIn(await run(root), root);
  for (const { name, passed } of tests) process.stdout.write(`${passed ? "ok  " : "FAIL"} ${name}\n`);
  if (args.includes("--write")) writeFileSync(path.join(root, officialList), listPage(tests));
  const passed = tests.filter((test) => test.passed).length;
  process.stdout.write(`${passed} passed, ${tests.length - passed} failed\n`);
  return passed === tests.length && passed >= officialMin ? 0 : 1;
}
