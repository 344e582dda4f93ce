/**
 * Counts the table-test cases per topic: `npm run count-cases`. Runs the tests that hold such tables and counts those that
 * passed, so that a case which does not run, or fails, is not counted. Each case is a test of its own (`it.each`): a loop
 * inside of one test counts as one.
 */
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** How many cases re-express public test tables, at least: of each of the two groups. */
export const casesMin = 1500;

/** What is defined and checked by a CRD, and how requests on any object are answered. */
type Group = "custom resources" | "requests";

interface Topic {
  readonly name: string;
  /** Matched against the path below the repository, first topic wins. */
  readonly files: RegExp;
  /** Matched against the names of the `describe`s around the test. */
  readonly within?: RegExp;
  /** Absent: listed beside the totals, because the cases are no re-expression of a public table of Kubernetes. */
  readonly group?: Group;
}

const custom = "custom resources";
const requests = "requests";

const topics: readonly Topic[] = [
  { name: "recorded conformance cases, in process", files: /conformance/ },
  { name: "CEL: @bufbuild/cel-spec", files: /\/cel\/.*spec/ },
  {
    name: "CEL: compile errors on CRDs",
    files: /\/cel\/.*rule-cases/,
    within: /compile errors/,
    group: custom,
  },
  { name: "CEL: values that rules refuse", files: /\/cel\/.*rule-cases/, within: /refused/, group: custom },
  { name: "CEL: values and costs", files: /\/cel\/.*rule-cases/, within: /accepted/, group: custom },
  { name: "CEL: expressions and rules without a server", files: /\/cel\//, group: custom },
  { name: "formats", files: /\/schema\/.*format/, group: custom },
  { name: "pruning", files: /\/schema\/.*prun/, group: custom },
  { name: "defaulting", files: /\/schema\/.*default/, group: custom },
  { name: "list types", files: /\/schema\/.*list/, group: custom },
  { name: "ratcheting", files: /\/schema\/.*(?:ratchet|correlat)/, group: custom },
  { name: "values and keywords of schemas", files: /\/schema\//, group: custom },
  { name: "CRD validation", files: /\/crd\//, group: custom },
  { name: "Zod constructs", files: /\/kind\/zod\// },
  {
    name: "managed fields",
    files: /\/apply\/.*(?:manage|track|owned|reconcile-set|apply-patch)/,
    group: requests,
  },
  { name: "structured merge and diff", files: /\/apply\//, group: requests },
  { name: "strategic merge patch", files: /\/patch\/strategic/, group: requests },
  { name: "JSON patch", files: /\/patch\/json/, group: requests },
  { name: "JSON merge patch", files: /\/patch\/merge/, group: requests },
  { name: "selectors", files: /\/object\/.*selector/, group: requests },
  { name: "quantities", files: /\/object\/quantity/, group: requests },
  { name: "storage, list and watch", files: /\/cluster\/(?:src\/store|test\/server\/list)/, group: requests },
];

interface VitestReport {
  readonly testResults: readonly {
    readonly name: string;
    readonly message?: string;
    readonly status: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly ancestorTitles?: readonly string[];
    }[];
  }[];
}

export interface CaseCount {
  readonly topic: string;
  readonly passed: number;
  readonly failed: number;
  readonly group?: Group;
}

/** Counts a report of vitest's JSON reporter. A file that could not be loaded counts as one failure. */
export function countCases(report: VitestReport, root: string): CaseCount[] {
  const counts = new Map(topics.map((topic) => [topic, { passed: 0, failed: 0 }]));
  for (const file of report.testResults) {
    const name = `/${path.relative(root, file.name).split(path.sep).join("/")}`;
    const candidates = topics.filter((topic) => topic.files.test(name));
    let failed = 0;
    for (const { status, ancestorTitles = [] } of file.assertionResults) {
      const within = ancestorTitles.join(" ");
      const topic = candidates.find((each) => each.within === undefined || each.within.test(within));
      const count = topic && counts.get(topic);
      if (status === "passed" && count !== undefined) count.passed++;
      if (status === "failed" && count !== undefined) count.failed++;
      if (status === "failed") failed++;
    }
    const first = candidates[0] && counts.get(candidates[0]);
    if (file.status === "failed" && failed === 0 && first !== undefined) first.failed++;
  }
  return [...counts].map(([{ name, group }, count]) => ({ topic: name, ...(group && { group }), ...count }));
}

/** The table that is printed, and whether enough cases of both groups passed and none failed. */
export function caseSummary(counts: readonly CaseCount[]): { readonly text: string; readonly ok: boolean } {
  const width = Math.max(...counts.map((count) => count.topic.length));
  const line = ({ topic, passed, failed }: CaseCount): string =>
    `  ${topic.padEnd(width)} ${String(passed).padStart(6)}${failed === 0 ? "" : `  (${failed} FAILED)`}`;
  const lines: string[] = [];
  let ok = counts.every((count) => count.failed === 0);
  for (const group of [custom, requests] as const) {
    const own = counts.filter((count) => count.group === group);
    const total = sum(own.map((count) => count.passed));
    if (total < casesMin) ok = false;
    lines.push(`${group}: ${total} cases, wanted at least ${casesMin}`, ...own.map(line));
  }
  const others = counts.filter((count) => count.group === undefined);
  if (others.length > 0) lines.push("not in these totals", ...others.map(line));
  const grouped = counts.filter((count) => count.group !== undefined);
  const failed = sum(counts.map((count) => count.failed));
  lines.push(`${sum(grouped.map((count) => count.passed))} passed, ${failed} failed`);
  return { text: lines.join("\n"), ok };
}

export async function main(): Promise<number> {
  const root = process.cwd();
  const summary = caseSummary(countCases(await runTests(root), root));
  process.stdout.write(`${summary.text}\n`);
  return summary.ok ? 0 : 1;
}

const measured = ["packages/api", "packages/cluster/src/store", "packages/cluster/test/server"];

async function runTests(root: string): Promise<VitestReport> {
  const directory = mkdtempSync(path.join(tmpdir(), "count-cases-"));
  const file = path.join(directory, "report.json");
  const vitest = path.join(root, "node_modules/vitest/vitest.mjs");
  const args = [vitest, "run", ...measured, "--reporter=json", `--outputFile=${file}`];
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

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
