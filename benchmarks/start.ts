import { spawn } from "node:child_process";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { startCluster } from "@bowline/testing";
import { type Benchmark, medianMs } from "./report.ts";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");

/** Runs the example once; answers milliseconds to the two lines that matter. */
function startOnce(): Promise<{ server: number; available: number }> {
  return new Promise((resolve, reject) => {
    const start = performance.now();
    const child = spawn(
      process.execPath,
      [path.join(root, "packages/cli/dist/bin.js"), "dev", "examples/application", "--once"],
      {
        cwd: root,
        stdio: ["ignore", "pipe", "inherit"],
      },
    );
    let server = 0;
    let text = "";
    child.stdout.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      if (server === 0 && text.includes("API server ready")) server = performance.now() - start;
    });
    child.once("close", (code) => {
      if (code === 0) resolve({ server, available: performance.now() - start });
      else reject(new Error(`bowline dev --once ended with ${code}`));
    });
  });
}

export const start: Benchmark = {
  name: "start",
  method: "median of 5 runs, from the start of the process",
  async run(report) {
    const runs: { server: number; available: number }[] = [];
    for (let i = 0; i < 5; i++) runs.push(await startOnce());
    const middle = (of: (run: (typeof runs)[number]) => number): number =>
      runs.map(of).sort((a, b) => a - b)[2] ?? 0;
    report.figure(
      "cold start: API server ready",
      middle((r) => r.server),
      "ms",
    );
    report.figure(
      "cold start: Application available, process ended",
      middle((r) => r.available),
      "ms",
    );
    await (await startCluster()).close();
    const warm = await medianMs(9, async () => (await startCluster({ controllers: false })).close());
    report.figure("startCluster() without controllers, started and closed", warm, "ms");
    const whole = await medianMs(9, async () => (await startCluster()).close());
    report.figure("startCluster() with controllers and a node", whole, "ms");
  },
};
