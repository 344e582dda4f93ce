/** Prints `N passed, N failed` from the JSON report of vitest; the exit status says whether all passed. */
import { readFileSync } from "node:fs";

const report = JSON.parse(readFileSync(process.argv[2], "utf8"));
const broken = report.testResults.filter(
  (file) => file.status === "failed" && file.assertionResults.length === 0,
);
const failed = report.numFailedTests + broken.length;
console.log(`${report.numPassedTests} passed, ${failed} failed`);
process.exit(failed === 0 && report.numPassedTests > 0 ? 0 : 1);
