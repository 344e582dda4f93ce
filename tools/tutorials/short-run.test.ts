import { describe, expect, it } from "vitest";
import { type StepReport, runTutorial } from "./run-tutorial.ts";

/**
 * The tutorials up to the operator at work. `npm run test:tutorials` does the rest, too: the scaffold's own tests, images,
 * deployment and charts.
 */
describe.each([
  ["application", "## 7. Deploy it"],
  ["cronjob", "## 6. Deploy it"],
])("the tutorial %s", (page, before) => {
  it("works command by command, with the real kubectl", async () => {
    const steps: StepReport[] = [];
    await runTutorial(page, { short: true, before, limitMs: 90_000, report: (step) => steps.push(step) });
    expect(steps.length).toBeGreaterThan(15);
    expect(steps.filter((step) => step.failure !== undefined)).toEqual([]);
  }, 180_000);
});
