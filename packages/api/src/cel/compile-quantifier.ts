/** Compiles `all`, `exists` and `exists_one`, at the cost of the folds that they stand for. Source: cel-go interpreter. */
import type { CelNode, ComprehensionNode } from "./ast.ts";
import { asFailure } from "./compile-call.ts";
import { isAccu, isCall, iterate, type Iteration, spend, withIteration } from "./iteration.ts";
import type { Evaluate, Frame, Plan, Planner } from "./plan.ts";
import { type CelError, type CelList, type CelValue, isList, listSize, noSuchOverload } from "./value.ts";

/** `all` and `exists`: an error counts only when no element decides. */
export function planQuantifier(node: ComprehensionNode, planner: Planner): Plan | undefined {
  const { accuInit, condition, step, result } = node;
  if (accuInit.kind !== "literal" || typeof accuInit.value !== "boolean" || !isAccu(result)) return undefined;
  if (!isCall(condition, "@not_strictly_false")) return undefined;
  const decisive = !accuInit.value;
  if (!isCall(step, decisive ? "_||_" : "_&&_") || !isAccu(step.args[0])) return undefined;
  const { range, body, slot, slot2 } = withIteration(node, planner, () => step.args[1] as CelNode);
  const conditionCost = decisive ? 3 : 2;
  const roundCost = conditionCost + 1 + body.cost;
  const loop: Loop = { slot, slot2, test: body.evaluate, roundCost };
  const { evaluate } = range;
  return {
    cost: range.cost + 1,
    evaluate: (frame) => {
      const over = evaluate(frame);
      if (isList(over) && slot2 < 0) return quantifyList(frame, over, loop, decisive, conditionCost);
      return quantify(frame, iterate(over, slot2 >= 0), loop, decisive, conditionCost);
    },
  };
}

interface Loop {
  readonly slot: number;
  readonly slot2: number;
  readonly test: Evaluate;
  readonly roundCost: number;
}

function quantify(
  frame: Frame,
  over: Iteration,
  loop: Loop,
  decisive: boolean,
  conditionCost: number,
): boolean {
  const { size } = over;
  let failure: CelError | undefined;
  for (let i = 0; i < size; i++) {
    frame.slots[loop.slot] = over.first(i);
    if (loop.slot2 >= 0) frame.slots[loop.slot2] = over.second(i);
    spend(frame, loop.roundCost);
    try {
      const value = loop.test(frame);
      if (value === decisive) return decided(frame, i + 1 < size, conditionCost, decisive);
      if (typeof value !== "boolean") failure ??= noSuchOverload();
    } catch (error) {
      failure ??= asFailure(error);
    }
  }
  if (failure !== undefined) throw failure;
  return !decisive;
}

/** The same for the elements of a list, which is what rules do most. */
function quantifyList(
  frame: Frame,
  over: CelList,
  loop: Loop,
  decisive: boolean,
  conditionCost: number,
): boolean {
  const { slots } = frame;
  const { slot, test, roundCost } = loop;
  const size = listSize(over);
  let failure: CelError | undefined;
  for (let i = 0; i < size; i++) {
    slots[slot] = over.at(i) as CelValue;
    spend(frame, roundCost);
    try {
      const value = test(frame);
      if (value === decisive) return decided(frame, i + 1 < size, conditionCost, decisive);
      if (typeof value !== "boolean") failure ??= noSuchOverload();
    } catch (error) {
      failure ??= asFailure(error);
    }
  }
  if (failure !== undefined) throw failure;
  return !decisive;
}

/** The condition is evaluated once more when there is another element, and ends the loop. */
function decided(frame: Frame, more: boolean, conditionCost: number, value: boolean): boolean {
  if (more) frame.cost += conditionCost;
  return value;
}

/** `exists_one`: an error of any element is an error. */
export function planExistsOne(node: ComprehensionNode, planner: Planner): Plan | undefined {
  const { accuInit, step, result } = node;
  if (accuInit.kind !== "literal" || accuInit.value !== 0 || !isCall(result, "_==_")) return undefined;
  if (!isCall(step, "_?_:_") || !isAccu(step.args[2]) || !isCall(step.args[1], "_+_")) return undefined;
  const { range, body, slot, slot2 } = withIteration(node, planner, () => step.args[0] as CelNode);
  const { evaluate } = range;
  return {
    cost: range.cost + 2,
    evaluate: (frame) => {
      const over = iterate(evaluate(frame), slot2 >= 0);
      let count = 0;
      for (let i = 0; i < over.size; i++) {
        frame.slots[slot] = over.first(i);
        if (slot2 >= 0) frame.slots[slot2] = over.second(i);
        spend(frame, body.cost);
        const value = body.evaluate(frame);
        if (typeof value !== "boolean") throw noSuchOverload();
        if (value) {
          count++;
          frame.cost += 2;
        }
      }
      return count === 1;
    },
  };
}
