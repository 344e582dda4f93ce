/** Starts, finds and stops the embedded cluster of a folder. */
import { spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync } from "node:fs";
import path from "node:path";
import { sleep, systemClock } from "@bowline/client";
import type { EmbeddedFlags } from "../commands/cluster.ts";
import { CommandError, UsageError } from "../errors.ts";
import type { Output } from "../output/output.ts";
import { type ClusterState, isAlive, removeClusterState, runningCluster } from "./cluster-state.ts";

const startTimeoutMs = 30_000;
const stopTimeoutMs = 20_000;
const pollMs = 50;

/** Resolves when its API server answers. @throws CommandError with the end of its log when it does not start */
export async function startBackground(folder: string, flags: EmbeddedFlags, output: Output): Promise<void> {
  checkFlags(flags);
  if (flags.stages !== undefined) (await import("./stages-file.ts")).readStages(folder, flags.stages);
  const running = runningCluster(folder);
  if (running !== undefined) {
    output.write(`a cluster runs already at ${running.url} (pid ${running.pid})\n`);
    return;
  }
  removeClusterState(folder);
  const log = path.join(folder, ".bowline", "cluster.log");
  mkdirSync(path.dirname(log), { recursive: true });
  const file = openSync(log, "w", 0o600);
  const args = [
    process.argv[1] ?? "",
    "cluster",
    "serve",
    ...["port", "kubeconfig", "nodes"].map((name) => `--${name}=${flags[name as "port"]}`),
    ...(flags.data === undefined ? [] : [`--data=${flags.data}`]),
    ...(flags.audit === undefined ? [] : [`--audit=${flags.audit}`]),
    ...(flags.stages === undefined ? [] : [`--stages=${flags.stages}`]),
  ];
  const child = spawn(process.execPath, args, { cwd: folder, detached: true, stdio: ["ignore", file, file] });
  closeSync(file);
  let hasEnded = false;
  child.once("exit", () => {
    hasEnded = true;
  });
  const state = await until(startTimeoutMs, () => (hasEnded ? "ended" : runningCluster(folder)));
  child.unref();
  if (state === undefined || state === "ended") {
    throw new CommandError(
      `the cluster did not start; its log is ${log}:\n${readFileSync(log, "utf8").slice(-2000).trim()}`,
    );
  }
  output.write(`cluster started at ${state.url}\n${hint(state, folder)}`);
}

export async function stopBackground(folder: string, output: Output): Promise<void> {
  const state = runningCluster(folder);
  if (state === undefined) {
    output.write("no cluster runs here\n");
    return;
  }
  process.kill(state.pid, "SIGTERM");
  const stopped = await until(stopTimeoutMs, () => (isAlive(state.pid) ? undefined : true));
  if (stopped === undefined) throw new CommandError(`the cluster (pid ${state.pid}) does not end`);
  removeClusterState(folder);
  output.write("cluster stopped\n");
}

/** The exit code. */
export async function statusOfBackground(folder: string, output: Output): Promise<number> {
  const state = runningCluster(folder);
  output.write(
    state === undefined
      ? "no cluster runs here: bowline cluster start\n"
      : `running at ${state.url} (pid ${state.pid})${state.data === undefined ? ", in memory" : `, data in ${state.data}`}\n${hint(state, folder)}`,
  );
  return state === undefined ? 1 : 0;
}

export async function printKubeconfig(folder: string, output: Output): Promise<void> {
  const state = runningCluster(folder);
  if (state === undefined) throw new UsageError("no cluster runs here: bowline cluster start");
  output.write(readFileSync(state.kubeconfig, "utf8"));
}

function checkFlags(flags: EmbeddedFlags): void {
  const port = Number(flags.port);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new UsageError("--port must be a number from 0 to 65535");
  if (!/^[1-9]\d*$/.test(flags.nodes)) throw new UsageError("--nodes must be a whole number above 0");
}

function hint(state: ClusterState, folder: string): string {
  return `  export KUBECONFIG=${path.relative(folder, state.kubeconfig) || state.kubeconfig}\n`;
}

/** Another process can only be asked again and again. */
async function until<T>(timeoutMs: number, look: () => T | undefined): Promise<T | undefined> {
  const end = systemClock.monotonic() + timeoutMs;
  for (;;) {
    const found = look();
    if (found !== undefined || systemClock.monotonic() > end) return found;
    await sleep(systemClock, pollMs);
  }
}
