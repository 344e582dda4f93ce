import { describe, expect, it } from "vitest";
import { ageSince, humanDuration } from "./human-duration.ts";

const [s, m, h, d] = [1000, 60_000, 3_600_000, 86_400_000];
const y = 365 * d;

describe("humanDuration", () => {
  it.each([
    [-3 * s, "<invalid>"],
    [-2 * s, "<invalid>"],
    [-1999, "0s"],
    [-1, "0s"],
    [0, "0s"],
    [999, "0s"],
    [s, "1s"],
    [70 * s, "70s"],
    [119 * s, "119s"],
    [2 * m, "2m"],
    [190 * s, "3m10s"],
    [10 * m - 1, "9m59s"],
    [10 * m + 59 * s, "10m"],
    [70 * m, "70m"],
    [3 * h - 1, "179m"],
    [3 * h, "3h"],
    [3 * h + 10 * m, "3h10m"],
    [8 * h - 1, "7h59m"],
    [8 * h + 59 * m, "8h"],
    [47 * h, "47h"],
    [48 * h, "2d"],
    [49 * h, "2d1h"],
    [8 * d - 1, "7d23h"],
    [8 * d + 23 * h, "8d"],
    [2 * y - 1, "729d"],
    [2 * y, "2y"],
    [2 * y + d, "2y1d"],
    [8 * y - 1, "7y364d"],
    [8 * y + 364 * d, "8y"],
    [100 * y, "100y"],
  ])("shows %d ms as %s", (milliseconds, text) => {
    expect(humanDuration(milliseconds)).toBe(text);
  });
});

describe("ageSince", () => {
  const now = Date.parse("2024-05-06T07:08:09Z");

  it("counts from the timestamp to now", () => {
    expect(ageSince("2024-05-06T07:07:09Z", now)).toBe("60s");
    expect(ageSince("2024-05-06T07:07:09.500000Z", now)).toBe("59s");
  });

  it.each([undefined, "", "0001-01-01T00:00:00Z"])("says that %s is unknown", (timestamp) => {
    expect(ageSince(timestamp, now)).toBe("<unknown>");
  });
});
