/** Numbers that may be percentages. Source: kubernetes pkg/apis/apps/validation (ValidatePositiveIntOrPercent). */
import { checkNonNegative } from "../field-checks.ts";
import type { FieldProblems } from "../field-problems.ts";

type IntOrPercent = number | string;

const percentPattern = /^[0-9]+%$/;
const percentText =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";

export function checkIntOrPercent(
  problems: FieldProblems,
  field: string,
  value: IntOrPercent | undefined,
): void {
  if (typeof value === "number") checkNonNegative(problems, field, value);
  else if (value !== undefined && !percentPattern.test(value)) problems.invalid(field, value, percentText);
}

export function checkAtMost100Percent(
  problems: FieldProblems,
  field: string,
  value: IntOrPercent | undefined,
): void {
  if (typeof value === "string" && percentPattern.test(value) && Number(value.slice(0, -1)) > 100)
    problems.invalid(field, value, "must not be greater than 100%");
}

/** The number in front of the percent sign, or the number itself. */
export function isZero(value: IntOrPercent | undefined): boolean {
  if (typeof value !== "string") return (value ?? 0) === 0;
  return Number.parseInt(value, 10) === 0 || !percentPattern.test(value);
}
