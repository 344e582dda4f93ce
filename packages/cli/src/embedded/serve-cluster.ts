import { createWriteStream } from "node:fs";
import path from "node:path";
import { createCluster } from "@bowline/cluster";
import type { EmbeddedFlags } from "../commands/cluster.ts";
import { stopSignal } from "../stop-signal.ts";
import { writePrivate } from "../write-private.ts";
import { readStages } from "./stages-file.ts";
import { removeClusterState, writeClusterState } from "./cluster-state.ts";

interface AuditLog {
  write(line: string): void;
  close(): Promise<void>;
}

/** A line per request, at the end of what is there. It says who did what, so only its owner may read it. */
function openAuditLog(file: string): AuditLog {
  const stream = createWriteStream(file, { flags: "a", mode: 0o600 });
  return {
    write: (line) => void stream.write(`${line}\n`),
    close: () => new Promise((resolve) => stream.end(resolve)),
  };
}

/** The embedded cluster in this process, until SIGINT or SIGTERM. */
export async function serveCluster(folder: string, flags: EmbeddedFlags): Promise<void> {
  const stop = stopSignal();
  const data = flags.data === undefined ? {} : { data: path.resolve(folder, flags.data) };
  const audit = flags.audit === undefined ? undefined : openAuditLog(path.resolve(folder, flags.audit));
  const cluster = await createCluster({
    nodes: Number(flags.nodes),
    ...data,
    ...(audit === undefined ? {} : { audit: audit.write }),
    ...(flags.stages === undefined ? {} : { stages: readStages(folder, flags.stages) }),
  });
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
    await audit?.close();
    removeClusterState(folder);
    stop.dispose();
  }
}
