/** The file by which commands know of a cluster that runs in the background. */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";

export interface ClusterState {
  readonly pid: number;
  readonly url: string;
  /** Absolute path. */
  readonly kubeconfig: string;
  /** Absolute path; absent: in memory. */
  readonly data?: string;
}

function fileIn(folder: string): string {
  return path.join(folder, ".bowline", "cluster.json");
}

/** The cluster that was started in this folder and still runs. */
export function runningCluster(folder: string): ClusterState | undefined {
  const file = fileIn(folder);
  if (!existsSync(file)) return undefined;
  const state = JSON.parse(readFileSync(file, "utf8")) as ClusterState;
  return isAlive(state.pid) ? state : undefined;
}

/** The file appears whole, or not at all. */
export function writeClusterState(folder: string, state: ClusterState): void {
  const file = fileIn(folder);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(`${file}.${process.pid}`, `${JSON.stringify(state, undefined, 2)}\n`);
  renameSync(`${file}.${process.pid}`, file);
}

export function removeClusterState(folder: string): void {
  rmSync(fileIn(folder), { force: true });
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
