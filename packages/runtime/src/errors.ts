/** Errors of the runtime itself; what a server says is a StatusError. Each has a stable `code`. */

function mark(error: Error, symbol: symbol): void {
  Object.defineProperty(error, symbol, { value: true });
}

function isMarked(error: unknown, symbol: symbol): boolean {
  return typeof error === "object" && error !== null && symbol in error;
}

const staleCache = Symbol.for("bowline.StaleCacheError");

/**
 * A cached read gave up waiting for the watch to show this manager's own write. Likely causes: the watch is cut off (its
 * report is in the text), or the server is overloaded. In a reconcile: let it through, the key is retried.
 */
export class StaleCacheError extends Error {
  override readonly name: string = "StaleCacheError";
  readonly code: string = "BOWLINE_STALE_CACHE";
  constructor(message: string) {
    super(message);
    mark(this, staleCache);
  }
}
export function isStaleCacheError(error: unknown): error is StaleCacheError {
  return isMarked(error, staleCache);
}

const cacheSync = Symbol.for("bowline.CacheSyncError");

/**
 * The first list of a kind did not succeed in time. Likely causes: the kind is not installed (404), the ServiceAccount may
 * not list it (403), or the server cannot be reached; the text has the last answer.
 */
export class CacheSyncError extends Error {
  override readonly name: string = "CacheSyncError";
  readonly code: string = "BOWLINE_CACHE_SYNC";
  constructor(message: string) {
    super(message);
    mark(this, cacheSync);
  }
}
export function isCacheSyncError(error: unknown): error is CacheSyncError {
  return isMarked(error, cacheSync);
}

const termOver = Symbol.for("bowline.TermOverError");

/** A write was refused locally, because this process no longer leads, or the manager has stopped. Nothing was sent. */
export class TermOverError extends Error {
  override readonly name: string = "TermOverError";
  readonly code: string = "BOWLINE_TERM_OVER";
  constructor(message: string) {
    super(message);
    mark(this, termOver);
  }
}
export function isTermOverError(error: unknown): error is TermOverError {
  return isMarked(error, termOver);
}

const reconcileTimeout = Symbol.for("bowline.ReconcileTimeoutError");

/** A reconcile took longer than its controller allows. Likely cause: a call without a signal that hangs. */
export class ReconcileTimeoutError extends Error {
  override readonly name: string = "ReconcileTimeoutError";
  readonly code: string = "BOWLINE_RECONCILE_TIMEOUT";
  constructor(message: string) {
    super(message);
    mark(this, reconcileTimeout);
  }
}
export function isReconcileTimeoutError(error: unknown): error is ReconcileTimeoutError {
  return isMarked(error, reconcileTimeout);
}

const misuse = Symbol.for("bowline.MisuseError");

/** The runtime was asked for something that makes no sense, such as two controllers of one name: a mistake in the program. */
export class MisuseError extends Error {
  override readonly name: string = "MisuseError";
  readonly code: string = "BOWLINE_MISUSE";
  constructor(message: string) {
    super(message);
    mark(this, misuse);
  }
}
export function isMisuseError(error: unknown): error is MisuseError {
  return isMarked(error, misuse);
}
