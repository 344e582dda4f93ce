/** Compiles calls of functions: which body is called, with what checks, at what cost. Source: cel-go interpreter/planner.go. */
import type { CallNode } from "./ast.ts";
import { add, compare, subtract } from "./arithmetic.ts";
import { type CallCost, callCost } from "./cost-rules.ts";
import { type FunctionBody, type FunctionDeclaration, fitsType, type Overload } from "./function.ts";
import type { Evaluate, Frame, Plan } from "./plan.ts";
import { celTypes } from "./type.ts";
import { CelError, type CelValue, typeOfValue } from "./value.ts";

/** What a call costs whose cost depends on its arguments, when one of them has no value. */
export const failedCallCost: number = 1;

/** Only in expressions that were not checked: a failure when it is called, which `||` may absorb. */
export function unknownFunction(name: string, args: readonly Plan[]): Plan {
  const parts = args.map((argument) => argument.evaluate);
  const body: FunctionBody = (...values) => {
    throw notApplicable(name, values);
  };
  return { evaluate: apply(parts, body), cost: args.reduce((sum, argument) => sum + argument.cost, 1) };
}

/** A call of a declared function. */
export function planFunction(node: CallNode, declared: FunctionDeclaration, args: readonly Plan[]): Plan {
  const ids = node.overloads ?? [];
  const single =
    ids.length === 1 ? declared.overloads.find((candidate) => candidate.id === ids[0]) : undefined;
  const body = functionBody(node, declared, single);
  const rule = callCost(declared.name, single?.id ?? "");
  const cost = args.reduce((sum, argument) => sum + argument.cost, typeof rule === "number" ? rule : 0);
  const fast = args.length === 2 ? fastOperator(declared.name, args[0] as Plan, args[1] as Plan) : undefined;
  if (fast !== undefined && typeof rule === "number") return { evaluate: fast, cost };
  const parts = args.map((argument) => argument.evaluate);
  return { evaluate: typeof rule === "number" ? apply(parts, body) : applyCounted(parts, body, rule), cost };
}

function apply(parts: readonly Evaluate[], body: FunctionBody): Evaluate {
  const [a, b] = parts;
  if (a === undefined) return () => body();
  if (b === undefined) return (frame) => body(a(frame));
  if (parts.length === 2) return (frame) => body(a(frame), b(frame));
  return (frame) => body(...parts.map((part) => part(frame)));
}

function applyCounted(parts: readonly Evaluate[], body: FunctionBody, rule: CallCost): Evaluate {
  return (frame) => {
    let values: CelValue[];
    let result: CelValue;
    try {
      values = parts.map((part) => part(frame));
      result = body(...values);
    } catch (error) {
      frame.cost += failedCallCost;
      throw error;
    }
    frame.cost += rule(values, result);
    return result;
  };
}

/** Closures for what rules do most: compare and add plain ints. */
function fastOperator(name: string, first: Plan, second: Plan): Evaluate | undefined {
  const a = first.evaluate;
  const b = second.evaluate;
  const number = second.constant?.value;
  if (typeof number === "number") return fastComparison(name, a, number);
  switch (name) {
    case "_<_":
      return (frame) => ordered(a(frame), b(frame), name) < 0;
    case "_<=_":
      return (frame) => ordered(a(frame), b(frame), name) <= 0;
    case "_>_":
      return (frame) => ordered(a(frame), b(frame), name) > 0;
    case "_>=_":
      return (frame) => ordered(a(frame), b(frame), name) >= 0;
    case "_+_":
      return (frame) => add(a(frame), b(frame));
    case "_-_":
      return (frame) => subtract(a(frame), b(frame));
    default:
      return undefined;
  }
}

function ordered(a: CelValue, b: CelValue, name: string): number {
  return typeof a === "number" && typeof b === "number" ? a - b : compare(a, b, name);
}

function fastComparison(name: string, a: Evaluate, b: number): Evaluate | undefined {
  switch (name) {
    case "_<_":
      return (frame: Frame) => ordered(a(frame), b, name) < 0;
    case "_<=_":
      return (frame: Frame) => ordered(a(frame), b, name) <= 0;
    case "_>_":
      return (frame: Frame) => ordered(a(frame), b, name) > 0;
    case "_>=_":
      return (frame: Frame) => ordered(a(frame), b, name) >= 0;
    default:
      return undefined;
  }
}

/** The body to call: of the one overload that the checker chose, of the function, or whichever fits the values. */
function functionBody(
  node: CallNode,
  declared: FunctionDeclaration,
  single: Overload | undefined,
): FunctionBody {
  if (declared.apply !== undefined) return declared.apply;
  if (single?.apply !== undefined) return guarded(declared.name, single, single.apply);
  const member = node.target !== undefined;
  const candidates = declared.overloads.filter((candidate) => {
    if (candidate.apply === undefined || candidate.args.length !== node.args.length + (member ? 1 : 0))
      return false;
    return candidate.member === member;
  });
  return (...values) => {
    for (const candidate of candidates) {
      if (candidate.args.every((type, i) => fitsType(type, values[i] as CelValue))) {
        return (candidate.apply as FunctionBody)(...values);
      }
    }
    throw notApplicable(declared.name, values);
  };
}

function guarded(name: string, single: Overload, body: FunctionBody): FunctionBody {
  const [first, second, third] = single.args;
  if (first === undefined || third !== undefined) {
    return (...values) => {
      if (!single.args.every((type, i) => fitsType(type, values[i] as CelValue)))
        throw notApplicable(name, values);
      return body(...values);
    };
  }
  const isString = first === celTypes.string;
  if (second === undefined) {
    return (value) => {
      if (isString ? typeof value === "string" : fitsType(first, value as CelValue))
        return body(value as CelValue);
      throw notApplicable(name, [value as CelValue]);
    };
  }
  return (a, b) => {
    if (fitsType(first, a as CelValue) && fitsType(second, b as CelValue))
      return body(a as CelValue, b as CelValue);
    throw notApplicable(name, [a as CelValue, b as CelValue]);
  };
}

function notApplicable(name: string, values: readonly CelValue[]): CelError {
  const types = values.map((value) => typeOfValue(value).name).join(", ");
  return new CelError(`no such overload: ${name}(${types})`);
}
