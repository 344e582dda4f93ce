import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { listPage, officialIn, officialList, officialMin, officialTests } from "./conformance-list.ts";

const root = path.resolve(import.meta.dirname, "..");

describe("the list of official conformance tests", () => {
  it("names the tests that there are, and enough of them", async () => {
    const vitest = path.join(root, "node_modules/vitest/vitest.mjs");
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [vitest, "list", officialTests, "--json"],
      { cwd: root, maxBuffer: 1 << 26 },
    );
    const found = JSON.parse(stdout) as { name: string; file: string }[];
    const names = found.map(({ name }) => name.replaceAll(" > ", " "));
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThanOrEqual(officialMin);
    const listed = readFileSync(path.join(root, officialList), "utf8").match(/^- \[sig-.*$/gm) ?? [];
    expect(listed.map((line) => line.slice(2)).sort()).toEqual([...names].sort());
  }, 60_000);

  it("counts a failed test as failed, and others than official ones not at all", () => {
    const report = {
      testResults: [
        {
          name: "/root/packages/a.test.ts",
          assertionResults: [
            { fullName: "[sig-apps] Job should delete a job", status: "failed" },
            { fullName: "something else", status: "passed" },
          ],
        },
      ],
    };
    const tests = officialIn(report, "/root");
    expect(tests).toEqual([
      { name: "[sig-apps] Job should delete a job", file: "packages/a.test.ts", passed: false },
    ]);
    expect(listPage(tests)).toContain("- [sig-apps] Job should delete a job");
  });
});
