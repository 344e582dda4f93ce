import { type Clock, type Random, sleep } from "@bowline/client";
import { RetryDelay } from "../queue/back-off.ts";
import type { Logger } from "./logger.ts";

/** Something else that a manager runs: it works until the signal is aborted. */
export interface Runnable {
  readonly name: string;
  /** False: also on replicas that do not lead. Default true. */
  readonly needLeaderElection?: boolean;
  /** Resolving early means that its work is done; rejecting makes it start again, with back-off. */
  run(signal: AbortSignal): Promise<void>;
}

/** Runs it until it resolves or the signal is aborted; whenever it fails, again. Never rejects. */
export async function superviseRunnable(
  runnable: Runnable,
  signal: AbortSignal,
  ports: { readonly clock: Clock; readonly random: Random; readonly log: Logger },
): Promise<void> {
  const retry = new RetryDelay(ports);
  while (!signal.aborted) {
    try {
      await runnable.run(signal);
      return;
    } catch (error) {
      if (signal.aborted) return;
      ports.log.error({ runnable: runnable.name, err: error }, "a runnable failed; it is started again");
    }
    await sleep(ports.clock, retry.next(), signal).catch(() => undefined);
  }
}
