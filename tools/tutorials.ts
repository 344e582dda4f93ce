/**
 * Goes through the tutorials of `docs/tutorials` command by command, in an empty folder, without any network:
 * `npm run test:tutorials [-- PAGE...]`. Prints each command with what it said, and ends with `N passed, N failed`.
 */
import { type StepReport, runTutorial } from "./tutorials/run-tutorial.ts";

const pages = ["application", "cronjob"];

export async function main(args: readonly string[]): Promise<number> {
  const unknown = args.filter((page) => !pages.includes(page));
  if (unknown.length > 0) {
    process.stderr.write(`no tutorial is called ${unknown.join(", ")}: there are ${pages.join(", ")}\n`);
    return 2;
  }
  let [passed, failed] = [0, 0];
  const report = (step: StepReport): void => {
    if (step.failure === undefined) passed++;
    else failed++;
    process.stdout.write(textOf(step));
  };
  for (const page of args.length === 0 ? pages : args) {
    process.stdout.write(`\n=== docs/tutorials/${page}.md\n`);
    await runTutorial(page, { short: false, report });
  }
  process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
  return failed === 0 ? 0 : 1;
}

function textOf({ title, printed, failure, elapsedMs }: StepReport): string {
  const said = printed.trim() === "" ? "" : `${printed.trim().replace(/^/gm, "    ")}\n`;
  const verdict = failure === undefined ? "" : `    FAILED: ${failure}\n`;
  return `\n$ ${title}  (${(elapsedMs / 1000).toFixed(1)} s)\n${said}${verdict}`;
}
