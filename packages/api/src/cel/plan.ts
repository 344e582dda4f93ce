/** What an expression is compiled to: closures over a frame, with their cost. Source: cel-go interpreter. */
import type { CelNode } from "./ast.ts";
import type { CelEnvironment } from "./environment.ts";
import type { CelError, CelValue } from "./value.ts";

/** The state of one evaluation. */
export interface Frame {
  /** Cost units spent so far. */
  cost: number;
  readonly limit: number;
  /** Values of the variables of the environment, then of the expression's own variables. */
  readonly slots: (CelValue | CelError | undefined)[];
}

export type Evaluate = (frame: Frame) => CelValue;

/**
 * A compiled part of an expression. Cost that is the same at every evaluation is not counted by `evaluate` but summed in
 * `cost`; whoever decides whether the part is evaluated at all adds it to the frame.
 */
export interface Plan {
  readonly evaluate: Evaluate;
  readonly cost: number;
  /** Set when the value is known now. */
  readonly constant?: { readonly value: CelValue };
  /**
   * For a variable with selections and indices, the unit that the variable itself costs. A branch of `?:` does not
   * count it, as in cel-go.
   */
  readonly attributeCost?: number;
}

/** The evaluation cost more than allowed. */
export class CostLimitExceeded {}

export interface Planner {
  readonly environment: CelEnvironment;
  plan(node: CelNode): Plan;
  /** Reserves a slot for a variable while `body` is planned. */
  withLocal<T>(name: string, read: (slot: number) => Evaluate, body: (slot: number) => T): T;
}

export function constantPlan(value: CelValue): Plan {
  return { evaluate: () => value, cost: 0, constant: { value } };
}

/** The plan as a closure that counts its whole cost. */
export function counted(plan: Plan): Evaluate {
  const { evaluate, cost } = plan;
  if (cost === 0) return evaluate;
  return (frame) => {
    frame.cost += cost;
    return evaluate(frame);
  };
}

/** The cost of a plan as a branch of `?:`. */
export function branchCost(plan: Plan): number {
  return plan.cost - (plan.attributeCost ?? 0);
}
