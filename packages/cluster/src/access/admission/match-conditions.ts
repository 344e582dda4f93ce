/**
 * Expressions that decide whether a webhook or policy is asked at all.
 * Source: k8s.io/apiserver pkg/admission/plugin/webhook/matchconditions (matcher.go).
 */
import { type CompiledExpression, type ExpressionVariable, compileExpression } from "@bowline/api";
import { admissionVariables } from "../../registry/admission-variables.ts";
import type { MatchCondition } from "./request-match.ts";

/** Cost that the conditions of one webhook may use together. Source: apiserver pkg/apis/cel RuntimeCELCostBudgetMatchConditions. */
const budgetMax = 2_500_000;

export type ConditionVerdict = { readonly matches: boolean } | { readonly error: string };

/** Match conditions, compiled on first use. */
export class MatchConditions {
  readonly #conditions: readonly MatchCondition[];
  readonly #failsOnError: boolean;
  readonly #variables: Readonly<Record<string, ExpressionVariable>>;
  #compiled: readonly CompiledExpression[] | undefined;

  constructor(
    conditions: readonly MatchCondition[],
    options: {
      /** True: an error refuses the request; false: it means no match. */
      readonly failsOnError: boolean;
      readonly variables?: Readonly<Record<string, ExpressionVariable>>;
    },
  ) {
    this.#conditions = conditions;
    this.#failsOnError = options.failsOnError;
    this.#variables = options.variables ?? admissionVariables;
  }

  get isEmpty(): boolean {
    return this.#conditions.length === 0;
  }

  /** One false decides, whatever else fails. */
  judge(values: Readonly<Record<string, unknown>>): ConditionVerdict {
    const errors: string[] = [];
    let budget = budgetMax;
    this.#compiled ??= this.#conditions.map(({ expression }) =>
      compileExpression(expression, { variables: this.#variables, resultTypes: ["bool"] }),
    );
    for (const { expression, error } of this.#compiled) {
      if (expression === undefined) {
        errors.push(`compilation error: ${error}`);
        continue;
      }
      const result = expression.evaluate(values, { budget });
      budget -= result.cost;
      if (result.budgetExceeded) {
        const text =
          "validation failed due to running out of cost budget, no further validation rules will be run";
        return this.#failed(text);
      }
      if (result.error !== undefined)
        errors.push(`expression '${expression.text}' resulted in error: ${result.error}`);
      else if (result.value === false) return { matches: false };
    }
    if (errors.length === 0) return { matches: true };
    return this.#failed(errors.length === 1 ? (errors[0] ?? "") : `[${errors.join(", ")}]`);
  }

  #failed(error: string): ConditionVerdict {
    return this.#failsOnError ? { error } : { matches: false };
  }
}
