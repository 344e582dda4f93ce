/** From the text of an expression to what can be run: parsed, checked, validated, compiled. Source: cel-go cel/env.go. */
import type { CelNode } from "./ast.ts";
import { walk } from "./ast.ts";
import { check } from "./checker.ts";
import { type CompiledExpression, compileNode } from "./compile.ts";
import type { CelEnvironment } from "./environment.ts";
import { validateLiterals } from "./literal-rules.ts";
import { parse } from "./parser.ts";
import { CostLimitExceeded, type Frame } from "./plan.ts";
import type { CelIssue } from "./source.ts";
import type { CelType } from "./type.ts";
import { celTypes } from "./type.ts";
import { CelError, type CelValue } from "./value.ts";

/** A checked expression; {@link program} makes it runnable. */
export interface CheckedExpression {
  readonly text: string;
  readonly node: CelNode;
  readonly type: CelType;
  readonly environment: CelEnvironment;
}

/** What is wrong with an expression, also as the one text in which servers report it. */
export interface ExpressionIssues {
  readonly issues: readonly CelIssue[];
  readonly text: string;
}

/** Parses and checks an expression. */
export function checkExpression(
  text: string,
  environment: CelEnvironment,
): { expression: CheckedExpression } | { problem: ExpressionIssues } {
  const { node, source, issues: syntaxIssues } = parse(text, { macros: environment.libraries.macros });
  const issues = [...syntaxIssues];
  if (issues.length === 0) check(node, environment, issues);
  if (issues.length === 0 && environment.validateLiterals) validateLiterals(node, issues);
  if (issues.length > 0) return { problem: { issues, text: source.display(issues) } };
  return { expression: { text, node, type: node.type ?? celTypes.dyn, environment } };
}

/** Whether an expression refers to a variable. */
export function usesVariable(expression: CheckedExpression, name: string): boolean {
  let found = false;
  walk(expression.node, (node) => {
    if (node.reference === name || node.reference === `.${name}`) found = true;
  });
  return found;
}

/** How an evaluation ended. */
export interface Evaluation {
  /** Absent when it failed. */
  readonly value?: CelValue;
  /** Why it failed, in cel-go's words. */
  readonly error?: string;
  /** Cost units spent. */
  readonly cost: number;
  /** True when it was stopped because it cost more than the limit. */
  readonly limitExceeded: boolean;
}

/** Values of variables by name; what is missing is an error only when it is used. */
export type VariableValues = (name: string) => CelValue | undefined;

export const costLimitMessage: string = "operation cancelled: actual cost limit exceeded";

/** An expression that can be evaluated any number of times. */
export class CelProgram {
  readonly expression: CheckedExpression;
  readonly #compiled: CompiledExpression;

  constructor(expression: CheckedExpression, compiled: CompiledExpression) {
    this.expression = expression;
    this.#compiled = compiled;
  }

  /** Evaluates with at most `limit` cost units. Never throws for what the expression does. */
  evaluate(values: VariableValues, limit: number = Number.POSITIVE_INFINITY): Evaluation {
    const { variables, evaluate } = this.#compiled;
    const slots: Frame["slots"] = [];
    const frame: Frame = { cost: 0, limit, slots };
    try {
      for (const name of variables) slots.push(name === "" ? undefined : values(name));
      const value = evaluate(frame);
      if (frame.cost > limit) return exceeded(frame);
      return { value, cost: frame.cost, limitExceeded: false };
    } catch (error) {
      if (error instanceof CostLimitExceeded || frame.cost > limit) return exceeded(frame);
      if (error instanceof CelError) return { error: error.message, cost: frame.cost, limitExceeded: false };
      if (error instanceof RangeError)
        return { error: error.message, cost: frame.cost, limitExceeded: false };
      throw error;
    }
  }
}

function exceeded(frame: Frame): Evaluation {
  return { error: costLimitMessage, cost: frame.cost, limitExceeded: true };
}

/** Makes an expression runnable, or says why one of its constants has no value. */
export function program(expression: CheckedExpression): { program: CelProgram } | { error: string } {
  try {
    return { program: new CelProgram(expression, compileNode(expression.node, expression.environment)) };
  } catch (error) {
    if (error instanceof CelError) return { error: error.message };
    throw error;
  }
}
