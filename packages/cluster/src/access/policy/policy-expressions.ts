/** The expressions of admission policies. Source: k8s.io/apiserver pkg/admission/plugin/cel (composition.go, condition.go). */
import { type CompiledExpression, type ExpressionVariable, type Json, compileExpression } from "@bowline/api";
import { admissionVariables } from "../admission/cel-variables.ts";

/** Cost that the expressions of one policy may use together for one request. Source: apiserver pkg/apis/cel RuntimeCELCostBudget. */
export const policyBudget: number = 10_000_000;

/** Source: admissionregistration.k8s.io/v1 Variable. */
export interface PolicyVariable {
  readonly name: string;
  readonly expression: string;
}

/** Everything that an expression of a policy can see. */
export const policyVariables: Readonly<Record<string, ExpressionVariable>> = {
  ...admissionVariables,
  "authorizer.requestResource": "resourceCheck",
  params: "dyn",
  variables: "dyn",
};

/** What an expression gives, or why it gives nothing. */
export type PolicyResult = { readonly value: Json } | { readonly error: string };

/** Cost units left; shared by the expressions of one policy. */
export interface PolicyBudget {
  remaining: number;
}

const outOfBudget =
  "validation failed due to running out of cost budget, no further validation rules will be run";

/** A policy's expression, compiled on first use. */
export class PolicyExpression {
  readonly text: string;
  readonly #options: { readonly resultTypes?: readonly string[]; readonly patchTypes?: boolean };
  #compiled: CompiledExpression | undefined;

  constructor(
    text: string,
    options: { readonly resultTypes?: readonly string[]; readonly patchTypes?: boolean } = {},
  ) {
    this.text = text;
    this.#options = options;
  }

  /** Why it does not compile, if it does not. */
  get problem(): string | undefined {
    const { error } = this.#compile();
    if (error === undefined) return undefined;
    return /^must evaluate to|^program instantiation/.test(error) ? error : `compilation failed: ${error}`;
  }

  evaluate(values: Readonly<Record<string, unknown>>, budget: PolicyBudget): PolicyResult {
    const { expression } = this.#compile();
    if (expression === undefined) return { error: `compilation error: ${this.problem}` };
    if (budget.remaining < 0) return { error: outOfBudget };
    const result = expression.evaluate(values);
    budget.remaining -= result.cost;
    if (budget.remaining < 0) return { error: outOfBudget };
    if (result.error !== undefined)
      return { error: `expression '${this.text}' resulted in error: ${result.error}` };
    return { value: result.value ?? null };
  }

  #compile(): CompiledExpression {
    this.#compiled ??= compileExpression(this.text, { variables: policyVariables, ...this.#options });
    return this.#compiled;
  }
}

/**
 * The variables of a policy: each computed once, when an expression first asks for it. A RangeError is how the engine takes
 * the failure of a computed value, as the failure of the expression that asked.
 */
export function variableValues(
  variables: readonly (PolicyVariable & { readonly compiled: PolicyExpression })[],
  values: Readonly<Record<string, unknown>>,
  budget: PolicyBudget,
): Record<string, unknown> {
  const computed: Record<string, unknown> = {};
  const all = { ...values, variables: computed };
  for (const { name, compiled } of variables) {
    let result: PolicyResult | undefined;
    Object.defineProperty(computed, name, {
      enumerable: true,
      get() {
        result ??= compiled.evaluate(all, budget);
        if ("value" in result) return result.value;
        const why = result.error.replace(/^expression '.*' resulted in error: /s, "");
        throw new RangeError(`composited variable "${name}" fails to evaluate: ${why}`);
      },
    });
  }
  return all;
}
