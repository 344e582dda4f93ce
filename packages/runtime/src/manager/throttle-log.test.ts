import { VirtualClock } from "@bowline/client";
import { describe, expect, it } from "vitest";
import { type LogLine, recordingLogger } from "../../test/world.ts";
import { throttleLog } from "./throttle-log.ts";

describe("throttleLog", () => {
  it("says at once that requests wait, and then once a minute how many", async () => {
    const clock = new VirtualClock();
    const lines: LogLine[] = [];
    const note = throttleLog(clock, () => recordingLogger(lines));
    const wait = { method: "GET", path: "/api/v1/pods", status: 429, delayMs: 1000.4 };
    for (let second = 0; second < 61; second++) {
      note(wait);
      await clock.advance(1000);
    }
    expect(lines.map(({ level, fields }) => [level, fields["waitCount"]])).toEqual([
      ["warn", 1],
      ["warn", 60],
    ]);
    expect(lines[0]).toMatchObject({
      message: "the API server asks to slow down: GET /api/v1/pods waits",
      fields: { status: 429, delayMs: 1000 },
    });
  });
});
