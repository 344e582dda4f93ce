/** The linter's bans fire, and each message names what to use instead. */
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const folder = "packages/runtime/src/lint-fixture";

function lint(): string {
  try {
    return execFileSync("npx", ["--no-install", "oxlint", "--type-aware", "--no-ignore", folder], {
      encoding: "utf8",
    });
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}

describe("lint", () => {
  let report: string;
  beforeAll(() => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(
      path.join(folder, "bad.ts"),
      [
        'import { setTimeout as wait } from "node:timers/promises";',
        "export async function work(): Promise<void> {}",
        "export function bad(): unknown {",
        "  work();",
        "  setTimeout(() => {}, 1);",
        "  console.log(Date.now(), performance.now(), Math.random());",
        "  void wait(1);",
        '  return fetch("https://example.com");',
        "}",
        "",
      ].join("\n"),
    );
    report = lint();
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each([
    ["an unawaited promise", /no-floating-promises/],
    ["setTimeout", /Take a Clock and call clock\.setTimer/],
    ["Date.now", /Take a Clock and call clock\.now\(\)/],
    ["performance.now", /Take a Clock and call clock\.monotonic\(\)/],
    ["Math.random", /Take a Random and call random\.next\(\)/],
    ["fetch", /Send requests through a Transport/],
    ["node:timers", /Take a Clock and call sleep\(clock, ms\)/],
    ["console", /no-console/],
  ])("refuses %s and says what to use instead", (_name, message) => {
    expect(report.replace(/\s+/g, " ")).toMatch(message);
  });
});
