import { systemClock } from "@bowline/client";
import { createCluster } from "@bowline/cluster";
import { UsageError } from "../errors.ts";
import type { Output } from "../output/output.ts";
import { stopSignal } from "../stop-signal.ts";
import { writePrivate } from "../write-private.ts";

export interface DevOptions {
  readonly folder: string;
  readonly port: number;
  readonly kubeconfig: string;
  readonly samples?: readonly string[];
  readonly once: boolean;
  readonly timeoutMs: number;
}

/**
 * Starts an embedded cluster, then the operator on it, applies the samples and shows how they come up. Stays until Ctrl-C,
 * or with `once` until the samples are ready. Resolves with the exit code.
 * @throws ListenError for a port in use, UsageError for a project that is none
 */
export async function runDev(options: DevOptions, output: Output): Promise<number> {
  checkOptions(options);
  const stop = stopSignal();
  const cluster = await createCluster({ controllers: false });
  try {
    const listening = await cluster.listen({ port: options.port });
    // the monotonic clock counts from the start of the process
    output.write(`API server ready after ${Math.round(systemClock.monotonic())} ms at ${listening.url}\n`);
    await writePrivate(options.kubeconfig, listening.kubeconfig);
    output.write(`kubeconfig written to ${options.kubeconfig}\n`);
    // loaded only now: none of it is needed before the server answers
    const [{ DevSession }, { embeddedTarget }] = await Promise.all([
      import("./dev-session.ts"),
      import("../dev/dev-target.ts"),
    ]);
    const session = await DevSession.start(embeddedTarget(cluster, options.kubeconfig), options, output);
    try {
      return await session.follow(stop.signal);
    } finally {
      await session.close();
    }
  } finally {
    await cluster.close();
    stop.dispose();
  }
}

/** @throws UsageError */
export function checkOptions(options: Pick<DevOptions, "port" | "timeoutMs">): void {
  if (!Number.isInteger(options.port) || options.port < 0 || options.port > 65_535) {
    throw new UsageError("--port must be a number from 0 to 65535");
  }
  if (!(options.timeoutMs > 0)) throw new UsageError("--timeout must be a number of seconds above 0");
}
