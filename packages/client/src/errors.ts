import { isNotFound, isStatusError } from "@bowline/api";

const connectionMark = Symbol.for("bowline.ConnectionError");
const noKindMatchMark = Symbol.for("bowline.NoKindMatchError");

/**
 * There was no answer: the server could not be reached, or the connection broke. Always worth a retry with back-off.
 * Likely causes: the server is down or restarting, a wrong address or port, a certificate that is not trusted.
 */
export class ConnectionError extends Error {
  override readonly name: string = "ConnectionError";
  readonly code: string = "BOWLINE_CONNECTION";

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    Object.defineProperty(this, connectionMark, { value: true });
  }
}

export function isConnectionError(error: unknown): error is ConnectionError {
  return typeof error === "object" && error !== null && connectionMark in error;
}

/**
 * The server does not serve the kind or resource that was named. Worth a retry only when it may appear, as the kind of a
 * CRD that is being installed. Likely causes: the CRD is not installed, a typing error, a version that is not served.
 */
export class NoKindMatchError extends Error {
  override readonly name: string = "NoKindMatchError";
  readonly code: string = "BOWLINE_NO_KIND_MATCH";

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    Object.defineProperty(this, noKindMatchMark, { value: true });
  }
}

export function isNoKindMatch(error: unknown): error is NoKindMatchError {
  return typeof error === "object" && error !== null && noKindMatchMark in error;
}

/**
 * Whether the server does not serve the kind at all: discovery knows no such kind, or nobody answers for its path. The 404 of
 * an object names the object, this one cannot.
 */
export function isNotServed(error: unknown): boolean {
  if (isNoKindMatch(error)) return true;
  return isNotFound(error) && isStatusError(error) && error.status.details?.name === undefined;
}

/**
 * A call that cannot be sent: a name or namespace is missing or contradicts the client's, an apply without a field
 * manager. A mistake in the calling program; never worth a retry.
 */
export class InvalidCallError extends Error {
  override readonly name: string = "InvalidCallError";
  readonly code: string = "BOWLINE_INVALID_CALL";
}

/**
 * A kubeconfig, or the files and variables that stand for one in a pod, cannot be used. The message names the file, the
 * line or entry, and what to do. Never worth a retry.
 */
export class ConfigError extends Error {
  override readonly name: string = "ConfigError";
  readonly code: string = "BOWLINE_CONFIG";
}

/**
 * Credentials could not be obtained: a credential plug-in failed, a token file cannot be read, an identity provider
 * refused. May pass: worth a retry with back-off.
 */
export class CredentialError extends Error {
  override readonly name: string = "CredentialError";
  readonly code: string = "BOWLINE_CREDENTIAL";
}
