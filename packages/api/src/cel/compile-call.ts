/** Compiles calls: operators with their own evaluation, and functions. Source: cel-go interpreter/planner.go. */
import type { CallNode, CelNode } from "./ast.ts";
import { qualify, qualifyOptional } from "./access.ts";
import { failedCallCost, planFunction, unknownFunction } from "./compile-function.ts";
import { equalityCost } from "./cost-rules.ts";
import { equals } from "./equality.ts";
import { compilePattern } from "./pattern.ts";
import { branchCost, constantPlan, counted, type Evaluate, type Plan, type Planner } from "./plan.ts";
import { CelError, CelOptional, type CelValue, noSuchOverload, typeOfValue } from "./value.ts";

/** Conversions of constants are computed at compile time. */
const conversions = new Set("bool bytes double dyn duration int string timestamp type uint".split(" "));

export function planCall(node: CallNode, planner: Planner): Plan {
  const nodes: readonly CelNode[] = node.target === undefined ? node.args : [node.target, ...node.args];
  const args = nodes.map((argument) => planner.plan(argument));
  const special = planOperator(node, args);
  if (special !== undefined) return special;
  const declared = planner.environment.libraries.functions.get(node.name);
  if (declared === undefined) return unknownFunction(node.name, args);
  const plan = planFunction(node, declared, args);
  const [only, second] = args;
  if (args.length === 1 && only?.constant !== undefined && conversions.has(node.name)) {
    return constantPlan(plan.evaluate({ cost: 0, limit: Number.POSITIVE_INFINITY, slots: [] }));
  }
  const pattern = second?.constant?.value;
  if (typeof pattern !== "string" || !patternFunctions.has(node.name)) return plan;
  compilePattern(pattern);
  return { ...plan, evaluate: expectText(args[0] as Plan, plan) };
}

/** Functions whose second argument is a pattern, which is compiled at compile time when it is constant. */
const patternFunctions = new Set(["matches", "find", "findAll"]);

/** With a constant pattern the message for what is no text is a shorter one. */
function expectText(text: Plan, plan: Plan): Evaluate {
  const { evaluate } = plan;
  if (text.constant !== undefined) return evaluate;
  return (frame) => {
    try {
      return evaluate(frame);
    } catch (error) {
      const failure = asFailure(error);
      throw failure.message.startsWith("no such overload: ") ? noSuchOverload() : failure;
    }
  };
}

function planOperator(node: CallNode, args: readonly Plan[]): Plan | undefined {
  const [first, second, third] = args as [Plan, Plan, Plan];
  switch (node.name) {
    case "_&&_":
      return planLogical(first, second, false);
    case "_||_":
      return planLogical(first, second, true);
    case "_?_:_":
      return planConditional(first, second, third);
    case "_==_":
      return planEquality(first, second, true);
    case "_!=_":
      return planEquality(first, second, false);
    case "_[_]":
      return planIndex(first, second, false);
    case "_[?_]":
    case "_?._":
      return planIndex(first, second, true);
    case "@not_strictly_false":
      return planNotStrictlyFalse(first);
    case "@in":
      return planConstantMembership(node, first, second);
    case "or":
    case "orValue":
      return node.target === undefined ? undefined : planOptionalOr(node.name, node, first, second);
    default:
      return undefined;
  }
}

/** `&&` and `||`: the decisive value wins over an error on the other side. */
function planLogical(first: Plan, second: Plan, decisive: boolean): Plan {
  const left = first.evaluate;
  const right = counted(second);
  const evaluate: Evaluate = (frame) => {
    let failure: CelError | undefined;
    try {
      const value = left(frame);
      if (value === decisive) return decisive;
      if (typeof value !== "boolean") failure = noSuchOverload();
    } catch (error) {
      failure = asFailure(error);
    }
    if (failure === undefined) {
      const value = right(frame);
      if (typeof value !== "boolean") throw noSuchOverload();
      return value;
    }
    try {
      if (right(frame) === decisive) return decisive;
    } catch (error) {
      asFailure(error);
    }
    throw failure;
  };
  return { evaluate, cost: first.cost };
}

/** A failure of CEL; anything else is not ours to absorb. */
export function asFailure(error: unknown): CelError {
  if (error instanceof CelError) return error;
  throw error;
}

function planConditional(condition: Plan, whenTrue: Plan, whenFalse: Plan): Plan {
  const test = condition.evaluate;
  const yes = counted({ ...whenTrue, cost: branchCost(whenTrue) });
  const no = counted({ ...whenFalse, cost: branchCost(whenFalse) });
  const evaluate: Evaluate = (frame) => {
    const value = test(frame);
    if (value === true) return yes(frame);
    if (value === false) return no(frame);
    throw noSuchOverload();
  };
  return { evaluate, cost: condition.cost, attributeCost: 0 };
}

function planEquality(first: Plan, second: Plan, expected: boolean): Plan {
  const left = first.evaluate;
  const right = second.evaluate;
  const cost = first.cost + second.cost;
  return {
    cost,
    evaluate: (frame) => {
      let a: CelValue;
      let b: CelValue;
      try {
        a = left(frame);
        b = right(frame);
      } catch (error) {
        frame.cost += failedCallCost;
        throw error;
      }
      if (typeof a === "number" && typeof b === "number") {
        frame.cost++;
        return (a === b) === expected;
      }
      frame.cost += equalityCost(a, b);
      return expected ? equals(a, b) : !equalsOrFails(a, b);
    },
  };
}

/** `!=` is true of values that cannot be compared, as in cel-go. */
function equalsOrFails(a: CelValue, b: CelValue): boolean {
  try {
    return equals(a, b);
  } catch (error) {
    asFailure(error);
    return false;
  }
}

function planIndex(operand: Plan, index: Plan, optional: boolean): Plan {
  const target = operand.evaluate;
  const key = index.evaluate;
  const indexCost =
    index.constant !== undefined || index.attributeCost === undefined ? index.cost + 1 : index.cost;
  const isAttribute = operand.attributeCost !== undefined;
  const cost = operand.cost + indexCost + (isAttribute ? 0 : 1);
  const attributeCost = operand.attributeCost ?? 1;
  const evaluate: Evaluate = (frame) => {
    const value = target(frame);
    const at = key(frame);
    if (!optional && !(value instanceof CelOptional)) return qualify(value, at);
    const found = qualifyOptional(value, at);
    if (found.value === undefined) frame.cost--;
    return found;
  };
  return { evaluate, cost, attributeCost };
}

function planNotStrictlyFalse(argument: Plan): Plan {
  const { evaluate } = argument;
  return {
    cost: argument.cost + 1,
    evaluate: (frame) => {
      try {
        return evaluate(frame) !== false;
      } catch (error) {
        asFailure(error);
        return true;
      }
    },
  };
}

/** `x in [constants]` costs nothing beyond `x`, as the list is turned into a set. */
function planConstantMembership(node: CallNode, value: Plan, list: Plan): Plan | undefined {
  const items = list.constant?.value;
  if (!Array.isArray(items) || node.overloads?.length !== 1 || node.overloads[0] !== "in_list")
    return undefined;
  if (items.length === 0) return constantPlan(false);
  const isScalar = (item: CelValue): boolean => {
    const { kind } = typeOfValue(item);
    return (
      kind === "bool" ||
      kind === "int" ||
      kind === "uint" ||
      kind === "double" ||
      kind === "string" ||
      kind === "null"
    );
  };
  if (!(items as CelValue[]).every(isScalar)) return undefined;
  const known = new Set<CelValue>(items as CelValue[]);
  const { evaluate } = value;
  return {
    cost: value.cost,
    evaluate: (frame) => {
      const wanted = evaluate(frame);
      if (typeof wanted === "string" || typeof wanted === "boolean" || wanted === null)
        return known.has(wanted);
      return (items as CelValue[]).some((item) => equals(wanted, item));
    },
  };
}

function planOptionalOr(name: "or" | "orValue", node: CallNode, first: Plan, second: Plan): Plan | undefined {
  const wanted = name === "or" ? "optional_or_optional" : "optional_orValue_value";
  if (node.overloads !== undefined && node.overloads.length === 1 && node.overloads[0] !== wanted)
    return undefined;
  const left = first.evaluate;
  const right = counted(second);
  return {
    cost: first.cost,
    evaluate: (frame) => {
      const value = left(frame);
      if (!(value instanceof CelOptional)) throw noSuchOverload();
      if (value.value === undefined) return right(frame);
      return name === "or" ? value : value.value;
    },
  };
}
