/** How a benchmark says what it found. */
import os from "node:os";

export interface Report {
  /** One figure: `figure("creates over HTTPS, 32 connections", 3120, "/s")`; `peer` is what the best of the others needs. */
  figure(name: string, value: number, unit: string, peer?: string): void;
}

/** A benchmark: prints its figures, and how they were taken. */
export interface Benchmark {
  readonly name: string;
  /** What is measured and how, in one sentence. */
  readonly method: string;
  run(report: Report): Promise<void>;
}

/** Prints each figure on a line of its own. */
export function printingReport(print: (line: string) => void): Report {
  return {
    figure(name, value, unit, peer) {
      const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
      const beside = peer === undefined ? "" : `   (${peer})`;
      print(`  ${name.padEnd(58)} ${value.toFixed(digits).padStart(10)} ${unit}${beside}`);
    },
  };
}

/** The machine that the figures are from. */
export function machineText(): string {
  const [cpu] = os.cpus();
  const load = os.loadavg()[0] ?? 0;
  return `Node ${process.version}, ${os.cpus().length} x ${cpu?.model ?? "?"}, ${Math.round(os.totalmem() / 2 ** 30)} GiB, load ${load.toFixed(1)}`;
}

/** Median of several runs, milliseconds each. */
export async function medianMs(runs: number, work: () => Promise<void> | void): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < runs; i++) {
    const start = performance.now();
    await work();
    times.push(performance.now() - start);
  }
  times.sort((a, b) => a - b);
  return times[runs >> 1] ?? 0;
}
