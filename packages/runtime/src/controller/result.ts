/**
 * What a reconcile may answer. Nothing (or `{}`) means: done, until something changes. An error thrown means: try again
 * with back-off; it wins over any result.
 */
export interface ReconcileResult {
  /**
   * Come back after this many milliseconds *at the latest*: an event may cause a reconcile earlier, and the promise is
   * kept even if that earlier one answers nothing. Resets the key's back-off.
   */
  readonly requeueAfterMs?: number;
  /** Priority of the requeue, higher first; default: the priority the key had. */
  readonly priority?: number;
}

const terminalMark = Symbol.for("bowline.TerminalError");
const retryMark = Symbol.for("bowline.RetryAfterError");

/**
 * An error that trying again cannot mend (a spec that makes no sense): it is logged and counted, and the key is not
 * requeued until its object changes. Back-off counters stay as they are.
 */
export class TerminalError extends Error {
  override readonly name: string = "TerminalError";
  readonly code: string = "BOWLINE_TERMINAL";
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    Object.defineProperty(this, terminalMark, { value: true });
  }
}

/** A failure with a known waiting time: the key is tried again after `retryAfterMs` instead of its back-off. */
export class RetryAfterError extends Error {
  override readonly name: string = "RetryAfterError";
  readonly code: string = "BOWLINE_RETRY_AFTER";
  readonly retryAfterMs: number;
  constructor(message: string, options: { readonly retryAfterMs: number; readonly cause?: unknown }) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.retryAfterMs = options.retryAfterMs;
    Object.defineProperty(this, retryMark, { value: true });
  }
}

export function isTerminalError(error: unknown): error is TerminalError {
  return typeof error === "object" && error !== null && terminalMark in error;
}

export function isRetryAfterError(error: unknown): error is RetryAfterError {
  return typeof error === "object" && error !== null && retryMark in error;
}
