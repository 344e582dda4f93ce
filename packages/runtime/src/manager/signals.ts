import type { Logger } from "./logger.ts";

/**
 * Resolves at the first SIGINT or SIGTERM, or when `stop` is aborted. A second signal ends the process with code 1. Takes
 * its handlers off when released.
 */
export function untilSignal(
  log: Logger,
  stop?: AbortSignal,
): { readonly over: Promise<void>; readonly release: () => void } {
  let count = 0;
  let finish: () => void = () => {};
  const over = new Promise<void>((resolve) => (finish = resolve));
  const onSignal = (signal: NodeJS.Signals): void => {
    if (++count > 1) process.exit(1);
    log.info({ signal }, "stopping; a second signal ends the process at once");
    finish();
  };
  const onStray = (reason: unknown): void => {
    log.error({ err: reason }, "a promise was rejected and nobody handled it");
  };
  const onAbort = (): void => finish();
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  process.on("unhandledRejection", onStray);
  stop?.addEventListener("abort", onAbort, { once: true });
  if (stop?.aborted) finish();
  const release = (): void => {
    process.off("SIGINT", onSignal);
    process.off("SIGTERM", onSignal);
    process.off("unhandledRejection", onStray);
    stop?.removeEventListener("abort", onAbort);
  };
  return { over, release };
}
