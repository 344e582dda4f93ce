import type { FieldError } from "../status/field-error.ts";

/** Errors found so far, in order. */
export class ErrorList {
  readonly errors: FieldError[] = [];

  invalid(field: string, badValue: unknown, detail: string): void {
    this.errors.push({ type: "Invalid", field, badValue, detail });
  }

  required(field: string, detail = ""): void {
    this.errors.push({ type: "Required", field, detail });
  }

  forbidden(field: string, detail: string): void {
    this.errors.push({ type: "Forbidden", field, detail });
  }

  duplicate(field: string, badValue: unknown): void {
    this.errors.push({ type: "Duplicate", field, badValue, detail: "" });
  }

  notSupported(field: string, badValue: string, supported: readonly string[]): void {
    const detail = `supported values: ${supported.map((value) => JSON.stringify(value)).join(", ")}`;
    this.errors.push({ type: "NotSupported", field, badValue, detail });
  }

  add(errors: readonly FieldError[]): void {
    this.errors.push(...errors);
  }
}
