import { goJson, goNumber } from "./go-text.ts";

/**
 * One thing that is wrong with one field, in the words of the API server.
 * Source: k8s.io/apimachinery pkg/util/validation/field (errors.go).
 */

/** What kind of mistake it is; each has its own wording and its own cause reason. */
export type FieldErrorType =
  | "NotFound"
  | "Required"
  | "Duplicate"
  | "Invalid"
  | "NotSupported"
  | "Forbidden"
  | "TooLong"
  | "TooMany"
  | "InternalError"
  | "TypeInvalid";

export interface FieldError {
  readonly type: FieldErrorType;
  /** Path as the server prints it: `spec.containers[0].name`, `spec.m[a.b]`. `<nil>` at the root of an object. */
  readonly field: string;
  /** The offending value; `undefined` prints as null, as Go's nil does. */
  readonly badValue?: unknown;
  /** The sentence after the value. Empty for none. */
  readonly detail: string;
}

const typeText: Record<FieldErrorType, string> = {
  NotFound: "Not found",
  Required: "Required value",
  Duplicate: "Duplicate value",
  Invalid: "Invalid value",
  NotSupported: "Unsupported value",
  Forbidden: "Forbidden",
  TooLong: "Too long",
  TooMany: "Too many",
  InternalError: "Internal error",
  TypeInvalid: "Invalid value",
};

const withoutValue: ReadonlySet<FieldErrorType> = new Set([
  "Required",
  "Forbidden",
  "TooLong",
  "InternalError",
]);

/** The reason of the Status cause that reports an error of this type, for example `FieldValueInvalid`. */
export function causeReason(type: FieldErrorType): string {
  return type === "InternalError" ? type : `FieldValue${type}`;
}

/** As `badValue`: the message says that the value is wrong but does not print it. Source: field.OmitValueType. */
export const omittedValue: unique symbol = Symbol.for("bowline.omittedValue");

/** The message without the field: `Invalid value: 11: should be less than or equal to 10`. */
export function fieldErrorBody(error: FieldError): string {
  const text = typeText[error.type];
  const head =
    withoutValue.has(error.type) || error.badValue === omittedValue
      ? text
      : `${text}: ${renderValue(error.badValue)}`;
  return error.detail === "" ? head : `${head}: ${error.detail}`;
}

/** The whole message: `spec.replicas: Invalid value: 11: ...`. */
export function fieldErrorText(error: FieldError): string {
  return `${error.field}: ${fieldErrorBody(error)}`;
}

/** Several errors as one sentence: the only one as it is, more in brackets, repeated ones once. Source: util/errors Aggregate. */
export function fieldErrorsText(errors: readonly FieldError[]): string {
  const texts = [...new Set(errors.map(fieldErrorText))];
  return texts.length === 1 ? (texts[0] ?? "") : `[${texts.join(", ")}]`;
}

/** `base.name`, or `name` when base is empty. */
export function fieldChild(base: string, name: string): string {
  return base === "" ? name : `${base}.${name}`;
}

/** `base[index]` or `base[key]`. */
export function fieldKey(base: string, key: string | number): string {
  return `${base}[${key}]`;
}

function renderValue(value: unknown): string {
  if (value === undefined || value === null) return "null";
  if (typeof value === "string") return quote(value);
  if (typeof value === "number" || typeof value === "bigint") return goNumber(value);
  return goJson(value);
}

/** Quotes a string as Go's %q does: printable characters stay, others become escapes. Source: strconv.Quote. */
export function quote(text: string): string {
  let out = '"';
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    if (char === '"' || char === "\\") out += `\\${char}`;
    else if (code === 7) out += "\\a";
    else if (code === 8) out += "\\b";
    else if (code === 9) out += "\\t";
    else if (code === 10) out += "\\n";
    else if (code === 11) out += "\\v";
    else if (code === 12) out += "\\f";
    else if (code === 13) out += "\\r";
    else if (code < 0x20 || code === 0x7f) out += `\\x${code.toString(16).padStart(2, "0")}`;
    else if (code > 0x7f && !/[\p{L}\p{M}\p{N}\p{P}\p{S}]/u.test(char)) out += unicodeEscape(code);
    else out += char;
  }
  return `${out}"`;
}

function unicodeEscape(code: number): string {
  return code > 0xffff
    ? `\\U${code.toString(16).padStart(8, "0")}`
    : `\\u${code.toString(16).padStart(4, "0")}`;
}
