import type { Clock, ObservedWait } from "@bowline/client";
import type { Logger } from "./logger.ts";

const silenceMs = 60_000;

/** Logs that the API server asks to slow down: at most once a minute, with how many requests had to wait since. */
export function throttleLog(clock: Clock, log: () => Logger): (wait: ObservedWait) => void {
  let loggedAt = Number.NEGATIVE_INFINITY;
  let waitCount = 0;
  return ({ method, path, status, delayMs }) => {
    waitCount++;
    const now = clock.monotonic();
    if (now - loggedAt < silenceMs) return;
    const fields = { status, delayMs: Math.round(delayMs), waitCount };
    log().warn(fields, `the API server asks to slow down: ${method} ${path} waits`);
    loggedAt = now;
    waitCount = 0;
  };
}
