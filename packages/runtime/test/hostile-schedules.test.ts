import { describe, expect, it } from "vitest";
import { runSchedule } from "./hostile-schedule.ts";

describe("Hostile schedules", () => {
  it("leave cache, handlers and reconciles right, and nothing behind", async () => {
    // thousands of them: npm run hostile -- --schedules 1000
    for (let seed = 1; seed <= Number(process.env["SCHEDULES"] ?? 40); seed++) {
      const { problems } = await runSchedule(seed);
      expect({ seed, problems }).toEqual({ seed, problems: [] });
    }
  }, 600_000);
});
