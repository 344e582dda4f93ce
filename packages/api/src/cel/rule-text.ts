/** What is wrong with a rule before it is compiled. Source: apiextensions-apiserver validation.go. */
import type { JsonSchema, ValidationRule } from "../schema/json-schema.ts";
import { type FieldError, quote } from "../status/field-error.ts";
import { fieldPathOf } from "./schema-field-path.ts";

const reasons = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

/** Errors of the texts of one rule of `schema`; `path` is that of the rule. */
export function ruleTextErrors(rule: ValidationRule, schema: JsonSchema, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const mainError = ruleOrMessageError(rule, path);
  if (mainError !== undefined) errors.push(mainError);
  if (isBlank(rule.messageExpression)) {
    const detail = "messageExpression must be non-empty if specified";
    errors.push({ type: "Required", field: `${path}.messageExpression`, detail });
  }
  if (rule.reason !== undefined && !reasons.includes(rule.reason)) {
    const detail = `supported values: ${reasons.map(quote).join(", ")}`;
    errors.push({ type: "NotSupported", field: `${path}.reason`, badValue: rule.reason, detail });
  }
  errors.push(...fieldPathErrors(rule.fieldPath ?? "", schema, `${path}.fieldPath`));
  return errors;
}

function ruleOrMessageError(rule: ValidationRule, path: string): FieldError | undefined {
  const message = rule.message ?? "";
  const text = (rule.rule ?? "").trim();
  if (text === "") return { type: "Required", field: `${path}.rule`, detail: "rule is not specified" };
  const invalid = (detail: string): FieldError => ({
    type: "Invalid",
    field: `${path}.message`,
    badValue: message,
    detail,
  });
  if (isBlank(message)) return invalid("must be non-empty if specified");
  if (hasLineBreaks(message.trim())) return invalid("must not contain line breaks");
  if (!hasLineBreaks(text) || message.trim() !== "") return undefined;
  const detail = "message must be specified if rule contains line breaks";
  return { type: "Required", field: `${path}.message`, detail };
}

function fieldPathErrors(fieldPath: string, schema: JsonSchema, field: string): FieldError[] {
  const errors: FieldError[] = [];
  const invalid = (detail: string): void => {
    errors.push({ type: "Invalid", field, badValue: fieldPath, detail });
  };
  if (isBlank(fieldPath)) invalid("must be non-empty if specified");
  if (hasLineBreaks(fieldPath)) invalid("must not contain line breaks");
  if (fieldPath !== "" && typeof fieldPathOf(fieldPath, schema) === "string") invalid("must be a valid path");
  return errors;
}

/** Given, but nothing but white space. */
function isBlank(text: string | undefined): boolean {
  return text !== undefined && text !== "" && text.trim() === "";
}

function hasLineBreaks(text: string): boolean {
  return /[\n\r]/.test(text);
}
