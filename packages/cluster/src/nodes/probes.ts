/** When probes say what. Source: kubernetes pkg/kubelet/prober (worker.go). */
import type { DeepReadonly } from "@bowline/api";
import type { Probe } from "@bowline/api/core/v1";

export interface ProbeTimes {
  readonly initialDelayMs: number;
  readonly periodMs: number;
  readonly successThreshold: number;
  readonly failureThreshold: number;
}

export function timesOf(probe: DeepReadonly<Probe>): ProbeTimes {
  return {
    initialDelayMs: (probe.initialDelaySeconds ?? 0) * 1000,
    periodMs: Math.max(1, probe.periodSeconds ?? 10) * 1000,
    successThreshold: Math.max(1, probe.successThreshold ?? 1),
    failureThreshold: Math.max(1, probe.failureThreshold ?? 3),
  };
}

/** The first probe at or after `at` of one whose first probe is at `firstAt`. */
function probeAtOrAfter(times: ProbeTimes, firstAt: number, at: number): number {
  if (at <= firstAt) return firstAt;
  return firstAt + Math.ceil((at - firstAt) / times.periodMs) * times.periodMs;
}

/** When a probe that succeeds from `goodAt` on has succeeded often enough. */
export function succeedsAt(times: ProbeTimes, startedAt: number, goodAt: number): number {
  if (!Number.isFinite(goodAt)) return Number.POSITIVE_INFINITY;
  const first = probeAtOrAfter(times, startedAt + times.initialDelayMs, goodAt);
  return first + (times.successThreshold - 1) * times.periodMs;
}

/** When a probe that fails from `badAt` on has failed often enough. */
export function failsAt(times: ProbeTimes, startedAt: number, badAt: number): number {
  if (!Number.isFinite(badAt)) return Number.POSITIVE_INFINITY;
  const first = probeAtOrAfter(times, startedAt + times.initialDelayMs, badAt);
  return first + (times.failureThreshold - 1) * times.periodMs;
}

/** Counts answers of a probe that is really asked. */
export class ProbeCounter {
  readonly #times: ProbeTimes;
  #successes = 0;
  #failures = 0;

  constructor(times: ProbeTimes) {
    this.#times = times;
  }

  /** @returns the verdict when the threshold is reached */
  count(isGood: boolean): "passed" | "failed" | undefined {
    this.#successes = isGood ? this.#successes + 1 : 0;
    this.#failures = isGood ? 0 : this.#failures + 1;
    if (this.#successes >= this.#times.successThreshold) return "passed";
    return this.#failures >= this.#times.failureThreshold ? "failed" : undefined;
  }
}
