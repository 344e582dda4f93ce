import { type FieldError, causeReason, fieldErrorBody, fieldErrorsText, quote } from "./field-error.ts";
import type { Status, StatusCause, StatusDetails, StatusReason } from "./status.ts";

const mark = Symbol.for("bowline.StatusError");

/**
 * An error that an API server says. `status` is the body as sent; `reason`, `code` and `causes` are shortcuts into it.
 * Two installed copies of this package recognise each other's errors (`isStatusError`).
 */
export class StatusError extends Error {
  override readonly name: string = "StatusError";
  readonly status: Status;

  constructor(status: Status, options?: ErrorOptions) {
    super(status.message ?? status.reason ?? "the server answered with an error", options);
    this.status = status;
    Object.defineProperty(this, mark, { value: true });
  }

  /** HTTP status code; 500 when the body had none. */
  get code(): number {
    return this.status.code ?? 500;
  }

  get reason(): StatusReason {
    return this.status.reason ?? "";
  }

  get causes(): readonly StatusCause[] {
    return this.status.details?.causes ?? [];
  }

  /** After how many milliseconds the server asks to be tried again, if it said so. */
  get retryAfterMs(): number | undefined {
    const seconds = this.status.details?.retryAfterSeconds;
    return seconds === undefined ? undefined : seconds * 1000;
  }
}

export function isStatusError(error: unknown): error is StatusError {
  return typeof error === "object" && error !== null && mark in error;
}

function hasReason(error: unknown, reason: StatusReason): boolean {
  return isStatusError(error) && error.reason === reason;
}

export function isNotFound(error: unknown): boolean {
  return hasReason(error, "NotFound") || (isStatusError(error) && error.reason === "" && error.code === 404);
}
export function isAlreadyExists(error: unknown): boolean {
  return hasReason(error, "AlreadyExists");
}
export function isConflict(error: unknown): boolean {
  return hasReason(error, "Conflict");
}
export function isInvalid(error: unknown): boolean {
  return hasReason(error, "Invalid");
}
export function isForbidden(error: unknown): boolean {
  return hasReason(error, "Forbidden");
}
export function isUnauthorized(error: unknown): boolean {
  return hasReason(error, "Unauthorized");
}
export function isTooManyRequests(error: unknown): boolean {
  return hasReason(error, "TooManyRequests") || (isStatusError(error) && error.code === 429);
}
/** The resource version that was asked for is compacted: relist. */
export function isExpired(error: unknown): boolean {
  return (
    hasReason(error, "Expired") || hasReason(error, "Gone") || (isStatusError(error) && error.code === 410)
  );
}

/** Which resource an error speaks of: `{ group: "apps", resource: "deployments" }`. */
export interface ResourceName {
  readonly group: string;
  readonly resource: string;
}

/** `deployments.apps`, or `pods` for the core group. */
export function qualifiedResource(name: ResourceName): string {
  return name.group === "" ? name.resource : `${name.resource}.${name.group}`;
}

/** Builds a failure; the constructors below give each reason its code and the server's wording. Source: api/errors (errors.go). */
export function failure(
  code: number,
  reason: StatusReason,
  message: string,
  details?: StatusDetails,
): StatusError {
  return new StatusError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message,
    ...(reason === "" ? {} : { reason }),
    ...(details === undefined ? {} : { details }),
    code,
  });
}

function resourceDetails(resource: ResourceName, name: string): StatusDetails {
  return {
    ...(name === "" ? {} : { name }),
    ...(resource.group === "" ? {} : { group: resource.group }),
    kind: resource.resource,
  };
}

export function notFound(resource: ResourceName, name: string): StatusError {
  return failure(
    404,
    "NotFound",
    `${qualifiedResource(resource)} ${quote(name)} not found`,
    resourceDetails(resource, name),
  );
}

export function alreadyExists(resource: ResourceName, name: string): StatusError {
  const message = `${qualifiedResource(resource)} "${name}" already exists`;
  return failure(409, "AlreadyExists", message, resourceDetails(resource, name));
}

/** `why` is what could not be reconciled, for example the optimistic lock text. */
export function conflict(resource: ResourceName, name: string, why: string): StatusError {
  const message = `Operation cannot be fulfilled on ${qualifiedResource(resource)} "${name}": ${why}`;
  return failure(409, "Conflict", message, resourceDetails(resource, name));
}

export function forbidden(resource: ResourceName, name: string, why: string): StatusError {
  const what = qualifiedResource(resource);
  const message = name === "" ? `${what} is forbidden: ${why}` : `${what} "${name}" is forbidden: ${why}`;
  return failure(403, "Forbidden", message, resourceDetails(resource, name));
}

export function unauthorized(message = "Unauthorized"): StatusError {
  return failure(401, "Unauthorized", message);
}

export function badRequest(message: string): StatusError {
  return failure(400, "BadRequest", message);
}

export function internalError(why: string): StatusError {
  return failure(500, "InternalError", `Internal error occurred: ${why}`, { causes: [{ message: why }] });
}

export function methodNotSupported(resource: ResourceName, verb: string): StatusError {
  const message = `${verb} is not supported on resources of kind "${qualifiedResource(resource)}"`;
  return failure(405, "MethodNotAllowed", message, resourceDetails(resource, ""));
}

export function expired(message: string): StatusError {
  return failure(410, "Expired", message);
}

/** 422 with one cause per field error. `kind` is what is named in the message: `Application.example.com "x" is invalid: ...`. */
export function invalid(
  kind: { group: string; kind: string },
  name: string,
  errors: readonly FieldError[],
): StatusError {
  const qualified = kind.group === "" ? kind.kind : `${kind.kind}.${kind.group}`;
  const causes = errors.map((e) => ({
    reason: causeReason(e.type),
    message: fieldErrorBody(e),
    field: e.field,
  }));
  const details: StatusDetails = {
    ...(name === "" ? {} : { name }),
    ...(kind.group === "" ? {} : { group: kind.group }),
    ...(kind.kind === "" ? {} : { kind: kind.kind }),
    causes,
  };
  const list = errors.length === 0 ? "" : `: ${fieldErrorsText(errors)}`;
  return failure(422, "Invalid", `${qualified} "${name}" is invalid${list}`, details);
}
