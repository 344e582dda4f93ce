import { VirtualClock, seededRandom } from "@bowline/client";
import { describe, expect, it } from "vitest";
import { RetryDelay, exponentialBackOff, longestBackOff, tokenBucketBackOff } from "./back-off.ts";

describe("exponentialBackOff", () => {
  it("doubles from 5 ms to 1000 s per key", () => {
    const backOff = exponentialBackOff();
    const waits = Array.from({ length: 20 }, () => backOff.next("a"));
    expect(waits.slice(0, 4)).toEqual([5, 10, 20, 40]);
    expect(waits.at(-1)).toBe(1_000_000);
    expect(backOff.next("b")).toBe(5);
  });

  it("stays at its longest wait after any number of failures", () => {
    const backOff = exponentialBackOff();
    for (let i = 0; i < 2000; i++) backOff.next("a");
    expect(backOff.next("a")).toBe(1_000_000);
  });
});

describe("tokenBucketBackOff", () => {
  it("lets a burst through, then a steady rate", async () => {
    const clock = new VirtualClock();
    const bucket = tokenBucketBackOff({ clock, perSecond: 10, burst: 3 });
    expect([1, 2, 3, 4, 5].map(() => bucket.next("a"))).toEqual([0, 0, 0, 100, 200]);
    await clock.advance(300);
    expect(bucket.next("a")).toBe(0);
  });
});

describe("longestBackOff", () => {
  it("asks for the longest wait of all", () => {
    const backOff = longestBackOff(exponentialBackOff({ baseMs: 5 }), exponentialBackOff({ baseMs: 7 }));
    expect(backOff.next("a")).toBe(7);
    backOff.forget("a");
    expect(backOff.failures("a")).toBe(0);
  });
});

describe("RetryDelay", () => {
  it("grows from 0.8 s to 30 s with jitter and starts again after two quiet minutes", async () => {
    const clock = new VirtualClock();
    const delay = new RetryDelay({ clock, random: seededRandom(1) });
    const bases = [800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000];
    for (const base of bases) {
      const wait = delay.next();
      expect(wait).toBeGreaterThanOrEqual(base);
      expect(wait).toBeLessThan(base * 2);
    }
    await clock.advance(121_000);
    expect(delay.next()).toBeLessThan(1600);
  });
});
