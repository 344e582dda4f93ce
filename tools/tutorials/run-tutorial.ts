/** Does what a tutorial page says, step by step. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type TutorialStep, missingLine, parsePage } from "./page.ts";
import { Shell, type ShellOutcome } from "./shell.ts";
import { Workplace, root } from "./workplace.ts";

/** What became of one step. */
export interface StepReport {
  /** The command, or what was done. */
  readonly title: string;
  readonly printed: string;
  /** Why it is not as the page says; undefined when it is. */
  readonly failure: string | undefined;
  readonly elapsedMs: number;
}

export interface TutorialOptions {
  /** Leaves out the steps that the page marks so. */
  readonly short: boolean;
  /** Ends before the first heading that begins so: `## 7.`. */
  readonly before?: string;
  /** How long one command may take. Default 180,000. */
  readonly limitMs?: number;
  readonly report: (step: StepReport) => void;
}

/** Runs a page of `docs/tutorials`, whatever fails: later steps show what else does. */
export async function runTutorial(page: string, options: TutorialOptions): Promise<void> {
  const text = readFileSync(path.join(root, "docs/tutorials", `${page}.md`), "utf8");
  const { steps } = parsePage(options.before === undefined ? text : textBefore(text, options.before));
  const place = await Workplace.create();
  const shell = new Shell({
    folder: place.work,
    environment: place.environment,
    limitMs: options.limitMs ?? 180_000,
  });
  try {
    for (const step of steps) {
      if (step.type === "command" && step.fullRunOnly && options.short) continue;
      const start = performance.now();
      options.report({ ...(await runStep(step, shell)), elapsedMs: performance.now() - start });
    }
  } finally {
    await shell.run("[ ! -e PROJECT ] || npx --no-install bowline cluster stop");
    shell.close();
    await place.remove();
  }
}

function textBefore(text: string, heading: string): string {
  const end = text.indexOf(`\n${heading}`);
  if (end < 0) throw new Error(`the page has no heading ${heading}`);
  return text.slice(0, end + 1);
}

async function runStep(step: TutorialStep, shell: Shell): Promise<Omit<StepReport, "elapsedMs">> {
  if (step.type === "stop") return judged("Ctrl-C", await shell.stop(), undefined);
  if (step.type === "file") {
    const { code, printed } = await shell.run("pwd");
    const file = path.join(printed.trim(), step.path);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, step.text);
    return judged(`edit ${step.path}`, { code, printed: "" }, undefined);
  }
  const command = step.here ?? step.command;
  if (step.backgroundUntil !== undefined)
    return judged(`${command} &`, await shell.start(command, step.backgroundUntil), undefined);
  return judged(command, await shell.run(command), step);
}

function judged(
  title: string,
  { code, printed }: ShellOutcome,
  expected: { readonly fails: boolean; readonly prints: readonly string[] } | undefined,
): Omit<StepReport, "elapsedMs"> {
  const report = (failure: string | undefined) => ({ title, printed, failure });
  if (code < 0) return report("it did not come to an end in time");
  const hasFailed = code !== 0;
  if (hasFailed !== (expected?.fails ?? false))
    return report(hasFailed ? `it ended with code ${code}` : "it should have failed");
  const missing = missingLine(printed, expected?.prints ?? []);
  return report(missing === undefined ? undefined : `it did not print: ${missing}`);
}
