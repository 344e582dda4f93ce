import { type FieldError, quote } from "@bowline/api";

/** Collects what is wrong with the fields of one object, in the order in which it is found. */
export class FieldProblems {
  readonly list: FieldError[] = [];

  add(errors: readonly FieldError[]): void {
    for (const error of errors) this.list.push(error);
  }

  invalid(field: string, badValue: unknown, detail: string): void {
    this.list.push({ type: "Invalid", field, badValue, detail });
  }

  /** One error for each sentence of a name check. */
  allInvalid(field: string, badValue: unknown, details: readonly string[]): void {
    for (const detail of details) this.invalid(field, badValue, detail);
  }

  required(field: string, detail = ""): void {
    this.list.push({ type: "Required", field, detail });
  }

  forbidden(field: string, detail: string): void {
    this.list.push({ type: "Forbidden", field, detail });
  }

  duplicate(field: string, badValue: unknown, detail = ""): void {
    this.list.push({ type: "Duplicate", field, badValue, detail });
  }

  notFound(field: string, badValue: unknown, detail = ""): void {
    this.list.push({ type: "NotFound", field, badValue, detail });
  }

  /** `supported` in the order in which the message lists them. */
  notSupported(field: string, badValue: unknown, supported: readonly string[]): void {
    const detail = `supported values: ${supported.map(quote).join(", ")}`;
    this.list.push({ type: "NotSupported", field, badValue, detail });
  }

  tooLong(field: string, bytesMax: number): void {
    this.list.push({ type: "TooLong", field, detail: `may not be more than ${bytesMax} bytes` });
  }
}
