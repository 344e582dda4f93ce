/** The expressions of admission policies. Source: k8s.io/apiserver pkg/admission/plugin/cel (composition.go, condition.go). */
import {
  type CompiledExpression,
  type ComputedValue,
  type Expression,
  type Json,
  compileExpression,
} from "@bowline/api";
import { policyConditionVariables } from "../../registry/admission-variables.ts";

/** Cost that the expressions of one policy may use together for one request. Source: apiserver pkg/apis/cel RuntimeCELCostBudget. */
export const policyBudget: number = 10_000_000;

/** Source: admissionregistration.k8s.io/v1 Variable. */
export interface PolicyVariable {
  readonly name: string;
  readonly expression: string;
}

/** A variable with its expression, which can use the variables before it. */
export interface CompiledVariable extends PolicyVariable {
  readonly compiled: PolicyExpression;
}

/** What an expression gives, or why it gives nothing. */
export type PolicyResult<T> = { readonly value: T } | { readonly error: string };

/** Cost units left; shared by the expressions of one policy. */
export interface PolicyBudget {
  remaining: number;
}

const outOfBudget =
  "validation failed due to running out of cost budget, no further validation rules will be run";

interface PolicyExpressionOptions {
  readonly resultTypes?: readonly string[];
  readonly patchTypes?: boolean;
  /** What `variables` has. */
  readonly variables: readonly CompiledVariable[];
}

/** A policy's expression, compiled on first use. */
export class PolicyExpression {
  readonly text: string;
  readonly #options: PolicyExpressionOptions;
  #compiled: CompiledExpression | undefined;

  constructor(text: string, options: PolicyExpressionOptions) {
    this.text = text;
    this.#options = options;
  }

  /** Why it does not compile, if it does not. */
  get problem(): string | undefined {
    const { error } = this.#compile();
    if (error === undefined) return undefined;
    return /^must evaluate to|^program instantiation/.test(error) ? error : `compilation failed: ${error}`;
  }

  /** Absent when it does not compile. */
  get expression(): Expression | undefined {
    return this.#compile().expression;
  }

  evaluate(values: Readonly<Record<string, unknown>>, budget: PolicyBudget): PolicyResult<Json> {
    return this.#spend(budget, (expression) => expression.evaluate(values));
  }

  /** What a variable has for other expressions. */
  compute(values: Readonly<Record<string, unknown>>, budget: PolicyBudget): PolicyResult<ComputedValue> {
    return this.#spend(budget, (expression) => expression.compute(values));
  }

  #spend<T>(
    budget: PolicyBudget,
    run: (expression: Expression) => { readonly value?: T; readonly cost: number; readonly error?: string },
  ): PolicyResult<T> {
    const { expression } = this.#compile();
    if (expression === undefined) return { error: `compilation error: ${this.problem}` };
    if (budget.remaining < 0) return { error: outOfBudget };
    const { value, cost, error = "" } = run(expression);
    budget.remaining -= cost;
    if (budget.remaining < 0) return { error: outOfBudget };
    if (value === undefined) return { error: `expression '${this.text}' resulted in error: ${error}` };
    return { value };
  }

  #compile(): CompiledExpression {
    const { variables, ...options } = this.#options;
    this.#compiled ??= compileExpression(this.text, {
      variables: { ...policyConditionVariables, variables: { computed: fieldsOf(variables) } },
      ...options,
    });
    return this.#compiled;
  }
}

/** The variables of a policy in their order: each sees those before it. */
export function compileVariables(variables: readonly PolicyVariable[]): readonly CompiledVariable[] {
  const compiled: CompiledVariable[] = [];
  for (const variable of variables) {
    const before = compiled.slice();
    compiled.push({
      ...variable,
      compiled: new PolicyExpression(variable.expression, { variables: before }),
    });
  }
  return compiled;
}

function fieldsOf(variables: readonly CompiledVariable[]): Map<string, Expression> {
  return new Map(
    variables.flatMap(({ name, compiled: { expression } }) =>
      expression === undefined ? [] : [[name, expression] as const],
    ),
  );
}

/**
 * The variables of a policy: each computed once, when an expression first asks for it. A RangeError is how the engine takes
 * the failure of a computed value, as the failure of the expression that asked.
 */
export function variableValues(
  variables: readonly CompiledVariable[],
  values: Readonly<Record<string, unknown>>,
  budget: PolicyBudget,
): Record<string, unknown> {
  const computed: Record<string, unknown> = {};
  const all = { ...values, variables: computed };
  for (const { name, compiled } of variables) {
    let result: PolicyResult<ComputedValue> | undefined;
    Object.defineProperty(computed, name, {
      enumerable: true,
      get() {
        result ??= compiled.compute(all, budget);
        if ("value" in result) return result.value;
        const why = result.error.replace(/^expression '.*' resulted in error: /s, "");
        throw new RangeError(`composited variable "${name}" fails to evaluate: ${why}`);
      },
    });
  }
  return all;
}
