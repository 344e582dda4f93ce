/**
 * Counts the table-test cases per topic: `npm run count-cases`. Runs the tests of `api` and counts those that passed, so that
 * a case which does not run, or fails, is not counted. Each case is a test of its own (`it.each`): a loop inside of one test
 * counts as one.
 */
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** How many cases re-express public test tables, at least. */
export const casesMin = 1500;

interface Topic {
  readonly name: string;
  /** Matched against the path below the repository, first topic wins. */
  readonly files: RegExp;
  /** False: listed beside the total, because the cases are no re-expression of a public table of Kubernetes. */
  readonly counted: boolean;
}

const topics: readonly Topic[] = [
  { name: "recorded conformance cases, in process", files: /conformance/, counted: false },
  { name: "CEL: @bufbuild/cel-spec", files: /\/cel\/.*spec/, counted: false },
  { name: "CEL: costs", files: /\/cel\/.*cost/, counted: true },
  { name: "CEL: rules of CRDs", files: /\/cel\/.*(?:schema|rule)/, counted: true },
  {
    name: "CEL: compile errors and types",
    files: /\/cel\/.*(?:check|parse|type|environment)/,
    counted: true,
  },
  { name: "CEL: values and libraries", files: /\/cel\//, counted: true },
  { name: "formats", files: /\/schema\/.*format/, counted: true },
  { name: "pruning", files: /\/schema\/.*prun/, counted: true },
  { name: "defaulting", files: /\/schema\/.*default/, counted: true },
  { name: "list types", files: /\/schema\/.*list/, counted: true },
  { name: "ratcheting", files: /\/schema\/.*(?:ratchet|correlat)/, counted: true },
  { name: "values and keywords of schemas", files: /\/schema\//, counted: true },
  { name: "server-side apply and managed fields", files: /\/apply\//, counted: true },
  { name: "CRD validation", files: /\/crd\//, counted: true },
  { name: "Zod constructs", files: /\/kind\/zod\//, counted: false },
];

interface VitestReport {
  readonly testResults: readonly {
    readonly name: string;
    readonly message?: string;
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string }[];
  }[];
}

export interface CaseCount {
  readonly topic: string;
  readonly passed: number;
  readonly failed: number;
  readonly counted: boolean;
}

/** Counts a report of vitest's JSON reporter. A file that could not be loaded counts as one failure. */
export function countCases(report: VitestReport, root: string): CaseCount[] {
  const counts = new Map(topics.map((topic) => [topic, { passed: 0, failed: 0 }]));
  for (const file of report.testResults) {
    const name = `/${path.relative(root, file.name).split(path.sep).join("/")}`;
    const count = counts.get(topics.find((topic) => topic.files.test(name)) as Topic);
    if (count === undefined) continue;
    const statuses = file.assertionResults.map((result) => result.status);
    count.passed += statuses.filter((status) => status === "passed").length;
    count.failed += statuses.filter((status) => status === "failed").length;
    if (file.status === "failed" && !statuses.includes("failed")) count.failed++;
  }
  return [...counts].map(([{ name, counted }, count]) => ({ topic: name, counted, ...count }));
}

/** The table that is printed, and whether enough cases passed and none failed. */
export function caseSummary(counts: readonly CaseCount[]): { readonly text: string; readonly ok: boolean } {
  const width = Math.max(...counts.map((count) => count.topic.length));
  const lines = counts.map(({ topic, passed, failed, counted }) => {
    const notes = [...(counted ? [] : ["not in the total"]), ...(failed === 0 ? [] : [`${failed} FAILED`])];
    return `${topic.padEnd(width)} ${String(passed).padStart(6)}${notes.length === 0 ? "" : `  (${notes.join(", ")})`}`;
  });
  const total = sum(counts.filter((count) => count.counted).map((count) => count.passed));
  const failed = sum(counts.map((count) => count.failed));
  lines.push(`${total} cases passed, ${failed} failed; wanted at least ${casesMin}`);
  return { text: lines.join("\n"), ok: failed === 0 && total >= casesMin };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

export async function main(): Promise<number> {
  const root = process.cwd();
  const summary = caseSummary(countCases(await runTests(root), root));
  process.stdout.write(`${summary.text}\n`);
  return summary.ok ? 0 : 1;
}

async function runTests(root: string): Promise<VitestReport> {
  const directory = mkdtempSync(path.join(tmpdir(), "count-cases-"));
  const file = path.join(directory, "report.json");
  const vitest = path.join(root, "node_modules/vitest/vitest.mjs");
  const args = [vitest, "run", "packages/api", "--reporter=json", `--outputFile=${file}`];
  // A failing test is in the report; the exit status says nothing more.
  await new Promise<void>((resolve) => {
    execFile(process.execPath, args, { cwd: root, maxBuffer: 1 << 26 }, () => resolve());
  });
  try {
    return JSON.parse(readFileSync(file, "utf8")) as VitestReport;
  } finally {
    rmSync(directory, { recursive: true });
  }
}
