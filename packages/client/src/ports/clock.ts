/** A timer that has been set; cancelling one that fired or was cancelled does nothing. */
export interface Timer {
  cancel(): void;
}

/** Time as a port: nothing outside `system-clock.ts` asks the platform what time it is or sets a timer. */
export interface Clock {
  /** Wall-clock milliseconds since 1970-01-01T00:00:00Z. */
  now(): number;
  /** Milliseconds on a clock that never jumps; only differences mean something. May have a fraction. */
  monotonic(): number;
  /** Calls `callback` once, after `delayMs` (0 or less: as soon as possible, but never synchronously). */
  setTimer(delayMs: number, callback: () => void): Timer;
}

/**
 * Waits `delayMs` milliseconds.
 * @throws the signal's reason as soon as it is aborted
 */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = (): void => {
      timer.cancel();
      reject(signal?.reason);
    };
    const timer = clock.setTimer(delayMs, () => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    });
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

/** RFC 3339 with whole seconds, as `metadata.creationTimestamp` has it: `2026-12-01T03:35:43Z`. */
export function rfc3339(milliseconds: number): string {
  const second = Math.floor(milliseconds / 1000);
  // a busy server asks for the same second thousands of times
  if (second !== lastSecond) {
    lastText = `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
    lastSecond = second;
  }
  return lastText;
}

let lastSecond = Number.NaN;
let lastText = "";

/** RFC 3339 with six fraction digits, as Leases and Events have it: `2026-12-01T03:35:43.123000Z`. */
export function rfc3339Micro(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 23)}000Z`;
}
