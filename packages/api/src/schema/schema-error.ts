import type { FieldError, FieldErrorType } from "../status/field-error.ts";

/**
 * An error of the schema validator before it becomes a {@link FieldError}. The validator reports nothing twice: two errors
 * with the same message are one. Source: kube-openapi pkg/validation/validate result.go.
 */
export interface SchemaError {
  /** The validator's own sentence, which names the place; what makes two errors the same. */
  readonly message: string;
  readonly type: FieldErrorType;
  /** Place as the validator names it: `spec.a[0]`, `.k`, "" for the root; undefined for errors that have none. */
  readonly path: string | undefined;
  readonly badValue?: unknown;
  readonly detail: string;
}

/** An error whose detail is the message and that shows the value. */
export function invalidError(path: string, badValue: unknown, message: string): SchemaError {
  return { message, type: "Invalid", path, badValue: badValue ?? "", detail: message };
}

/** An error that the server reports without a place, such as that of a junctor. */
export function placelessError(message: string): SchemaError {
  return { message, type: "Invalid", path: undefined, badValue: "", detail: message };
}

/** Adds an error unless the list has it. */
export function addError(errors: SchemaError[], error: SchemaError): void {
  if (!errors.some((e) => e.message === error.message)) errors.push(error);
}

/** @param base path of the validated value within the object, "" for the object itself */
export function toFieldError(error: SchemaError, base: string): FieldError {
  const { type, detail } = error;
  const field = fieldOf(error.path, base);
  return "badValue" in error ? { type, field, badValue: error.badValue, detail } : { type, field, detail };
}

function fieldOf(path: string | undefined, base: string): string {
  const name = path === undefined || path === "." ? "" : path.startsWith(".") ? path.slice(1) : path;
  if (name === "") return base === "" ? "<nil>" : base;
  return base === "" ? name : `${base}.${name}`;
}
