/**
 * Runs the rules of one place on one value. Source: apiextensions-apiserver pkg/apiserver/schema/cel/validation.go
 * (validateExpressions, evalMessageExpression).
 */
import type { ValidationRule } from "../schema/json-schema.ts";
import { type FieldError, fieldChild, omittedValue, quote } from "../status/field-error.ts";
import type { RuleNode } from "./rule-tree.ts";
import type { CompiledRule } from "./schema-program.ts";
import { schemaValue } from "./schema-value.ts";
import { utf8Length } from "./source.ts";
import { CelOptional, type CelValue } from "./value.ts";
import type { Evaluation, VariableValues } from "./expression.ts";

/** Most that one evaluation may cost. Source: apiserver pkg/apis/cel (PerCallLimit). */
export const callCostMax = 1_000_000;
const messageBytesMax = 5 * 1024;

export interface Budget {
  /** Cost units left; -1 ends all. */
  remaining: number;
}

interface Place {
  /** The path as errors print it. */
  readonly path: string;
  /** The path to which a rule's own field path is added. */
  readonly base: string;
  readonly value: unknown;
  readonly old: unknown;
}

/** Takes an error; `forgivable` when an unchanged value makes it a warning. */
type Report = (error: FieldError, forgivable: boolean) => void;

const noBudget =
  "validation failed due to running out of cost budget, no further validation rules will be run";

export function runRules(node: RuleNode, place: Place, budget: Budget, report: Report): void {
  const fail = (detail: string): void => {
    report({ type: "Invalid", field: place.path, badValue: node.schema.type ?? "", detail }, false);
  };
  const stop = (detail: string): void => {
    fail(detail);
    budget.remaining = -1;
  };
  if (node.error !== undefined) return fail(`rule compiler initialization error: ${node.error}`);
  if (budget.remaining <= 0) return stop(noBudget);
  const variables = bindSelf(node, place);
  for (const compiled of node.rules) {
    if (compiled.error !== undefined) fail(`rule compile error: ${compiled.error}`);
    const { program, rule } = compiled;
    if (program === undefined || skips(compiled, place)) continue;
    const values = rule.optionalOldSelf === true ? variables.optional : variables.plain;
    const result = program.evaluate(values, callCostMax);
    if (result.cost > budget.remaining) return stop(noBudget);
    budget.remaining -= result.cost;
    if (result.error !== undefined) {
      fail(failureText(result, rule));
      if (result.limitExceeded) {
        budget.remaining = -1;
        return;
      }
    } else if (result.value !== true) {
      refuse(compiled, node, place, budget, values, report);
      if (budget.remaining < 0) return;
    }
  }
}

/** A rule about a change has nothing to say when there is nothing to compare with. */
function skips({ usesOldSelf, rule }: CompiledRule, place: Place): boolean {
  return usesOldSelf && place.old === undefined && rule.optionalOldSelf !== true;
}

interface Variables {
  readonly plain: VariableValues;
  readonly optional: VariableValues;
}

function bindSelf(node: RuleNode, place: Place): Variables {
  const self = lazily(() => schemaValue(place.value, node.shape));
  const hasOld = node.usesOldSelf && place.old !== undefined;
  const old = lazily(() => (hasOld ? schemaValue(place.old, node.shape) : undefined));
  return {
    plain: (name) => (name === "self" ? self() : name === "oldSelf" ? old() : undefined),
    optional: (name) => (name === "self" ? self() : name === "oldSelf" ? optionalOf(old()) : undefined),
  };
}

function optionalOf(value: CelValue | undefined): CelOptional {
  return value === undefined ? CelOptional.none : new CelOptional(value);
}

function lazily<T>(compute: () => T): () => T {
  let known: { readonly value: T } | undefined;
  return () => {
    known ??= { value: compute() };
    return known.value;
  };
}

function failureText(result: Evaluation, rule: ValidationRule): string {
  const error = result.error ?? "";
  const shown = ruleText(rule);
  if (error.startsWith("no such overload")) {
    const what = "call arguments did not match a supported operator, function or macro signature for rule";
    return `'${error}': ${what}: ${shown}`;
  }
  if (result.limitExceeded) {
    return `'${error}': no further validation rules will be run due to call cost exceeds limit for rule: ${shown}`;
  }
  return `${error} evaluating rule: ${shown}`;
}

function ruleText(rule: ValidationRule): string {
  return rule.message !== undefined && rule.message !== "" ? rule.message.trim() : rule.rule.trim();
}

/** The rule is not fulfilled: finds the message and reports. */
function refuse(
  compiled: CompiledRule,
  node: RuleNode,
  place: Place,
  budget: Budget,
  values: VariableValues,
  report: Report,
): void {
  const { rule, fieldPath, usesOldSelf } = compiled;
  const field = fieldPath === undefined || fieldPath === "" ? place.path : fieldChild(place.base, fieldPath);
  const message = messageOf(compiled, values, budget);
  if (typeof message === "object") {
    report({ type: "Invalid", field, badValue: node.schema.type ?? "", detail: message.fatal }, !usesOldSelf);
    budget.remaining = -1;
    return;
  }
  const own = rule.message !== undefined && rule.message !== "";
  const detail = message ?? (own ? ruleText(rule) : `failed rule: ${ruleText(rule)}`);
  const isCollection = node.schema.type === "object" || node.schema.type === "array";
  report(errorFor(rule, field, isCollection ? omittedValue : place.value, detail), !usesOldSelf);
}

function errorFor(rule: ValidationRule, field: string, badValue: unknown, detail: string): FieldError {
  switch (rule.reason) {
    case "FieldValueForbidden":
      return { type: "Forbidden", field, detail };
    case "FieldValueRequired":
      return { type: "Required", field, detail };
    case "FieldValueDuplicate":
      return { type: "Duplicate", field, badValue, detail: "" };
    default:
      return { type: "Invalid", field, badValue, detail };
  }
}

/** The computed message, undefined to fall back to the fixed one; `fatal` when the budget is used up. */
function messageOf(
  { message, rule }: CompiledRule,
  values: VariableValues,
  budget: Budget,
): string | undefined | { readonly fatal: string } {
  if (message === undefined) return undefined;
  const result = message.evaluate(values, callCostMax);
  if (result.cost > budget.remaining) {
    const reason = "running out of cost budget, no further validation rules will be run";
    return { fatal: `messageExpression evaluation failed due to ${reason}` };
  }
  if (result.limitExceeded) {
    const shown = quote(rule.messageExpression ?? "");
    const reason = "call cost exceeds limit for messageExpression";
    return { fatal: `no further validation rules will be run due to ${reason}: ${shown}` };
  }
  budget.remaining -= result.cost;
  const text = typeof result.value === "string" ? result.value.trim() : "";
  return text === "" || text.includes("\n") || utf8Length(text) > messageBytesMax ? undefined : text;
}
