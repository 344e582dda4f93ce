import type { Clock } from "./clock.ts";

/** The platform's clock and timers: the one file that may name them. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer(delayMs, callback) {
    const handle = setTimeout(callback, Math.max(0, delayMs));
    return { cancel: () => clearTimeout(handle) };
  },
};

/**
 * Lets the event loop turn once, so that sockets and other work get their place in line. It takes no time: a virtual clock
 * need not move for it.
 */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
