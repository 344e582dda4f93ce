const mark = Symbol.for("bowline.ConnectionError");

/**
 * There was no answer: the server could not be reached, or the connection broke. Always worth a retry with back-off.
 * Likely causes: the server is down or restarting, a wrong address or port, a certificate that is not trusted.
 */
export class ConnectionError extends Error {
  override readonly name: string = "ConnectionError";
  readonly code: string = "BOWLINE_CONNECTION";

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    Object.defineProperty(this, mark, { value: true });
  }
}

export function isConnectionError(error: unknown): error is ConnectionError {
  return typeof error === "object" && error !== null && mark in error;
}
