import { describe, expect, it } from "vitest";
import { goDurationMs } from "./time.ts";

describe("goDurationMs", () => {
  it.each([
    ["0", 0],
    ["1h30m", 5_400_000],
    ["-1.5s", -1500],
    ["+.5s", 500],
    ["250us", 0.25],
    ["1µs1ns", 0.001001],
  ])("reads %s", (text, expected) => {
    expect(goDurationMs(text)).toBe(expected);
  });

  it.each(["", "1", "-", "s", "1d", "1 s", "1s ", "999999999h"])("refuses %j", (text) => {
    expect(goDurationMs(text)).toBeUndefined();
  });
});
