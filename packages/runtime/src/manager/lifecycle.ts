import { turn } from "@bowline/client";
import type { Logger } from "./logger.ts";

/** Something that starts and stops as a whole. */
export interface Stage {
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts stages one after the other and stops those that were started in the opposite order. */
export class Lifecycle {
  readonly #log: Logger;
  readonly #started: { readonly name: string; readonly stage: Stage }[] = [];

  constructor(log: Logger) {
    this.#log = log;
  }

  /** @throws what the stage's start throws; it is stopped all the same by `stop` */
  async start(name: string, stage: Stage): Promise<void> {
    this.#started.push({ name, stage });
    await stage.start();
  }

  /** Stops everything. When `limit` is aborted a stage is waited for no longer. Never rejects. */
  async stop(limit: AbortSignal): Promise<void> {
    for (const { name, stage } of this.#started.splice(0).reverse()) {
      try {
        await untilAborted(stage.stop(), limit);
      } catch (error) {
        this.#log.error({ stage: name, err: error }, "a part could not be stopped cleanly");
      }
    }
  }
}

/** Waits for the promise, but no longer than two turns of the event loop after the signal is aborted. */
async function untilAborted(promise: Promise<void>, limit: AbortSignal): Promise<void> {
  let onAbort: () => void = () => {};
  const aborted = new Promise<void>((resolve) => {
    // what heeds the signal gets the chance to end by it
    onAbort = () => void turn().then(turn).then(resolve);
    if (limit.aborted) onAbort();
    limit.addEventListener("abort", onAbort, { once: true });
  });
  try {
    await Promise.race([promise, aborted]);
  } finally {
    limit.removeEventListener("abort", onAbort);
  }
}
