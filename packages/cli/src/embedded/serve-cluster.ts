import path from "node:path";
import { createCluster } from "@bowline/cluster";
import type { EmbeddedFlags } from "../commands/cluster.ts";
import { stopSignal } from "../stop-signal.ts";
import { writePrivate } from "../write-private.ts";
import { removeClusterState, writeClusterState } from "./cluster-state.ts";

/** The embedded cluster in this process, until SIGINT or SIGTERM. */
export async function serveCluster(folder: string, flags: EmbeddedFlags): Promise<void> {
  const stop = stopSignal();
  const data = flags.data === undefined ? {} : { data: path.resolve(folder, flags.data) };
  const cluster = await createCluster({ nodes: Number(flags.nodes), ...data });
  try {
    const listening = await cluster.listen({ port: Number(flags.port) });
    const kubeconfig = path.resolve(folder, flags.kubeconfig);
    await writePrivate(kubeconfig, listening.kubeconfig);
    writeClusterState(folder, { pid: process.pid, url: listening.url, kubeconfig, ...data });
    await new Promise<void>((resolve) => {
      stop.signal.addEventListener("abort", () => resolve(), { once: true });
      if (stop.signal.aborted) resolve();
    });
  } finally {
    await cluster.close();
    removeClusterState(folder);
    stop.dispose();
  }
}
