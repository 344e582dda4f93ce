/**
 * Compiles folds. Those that the macros make have loops of their own: the general fold would rebuild a list for every
 * element. The costs are those of the general fold. Source: cel-go interpreter (evalFold).
 */
import { accumulatorName, type CallNode, type CelNode, type ComprehensionNode, isBind } from "./ast.ts";
import { asFailure } from "./compile-call.ts";
import { listCreateCost } from "./cost-rules.ts";
import { NativeMap } from "./native-map.ts";
import { CostLimitExceeded, counted, type Evaluate, type Frame, type Plan, type Planner } from "./plan.ts";
import {
  CelError,
  CelMap,
  type CelList,
  type CelValue,
  isList,
  listAt,
  listSize,
  noSuchOverload,
  typeOfValue,
} from "./value.ts";

export function planComprehension(node: ComprehensionNode, planner: Planner): Plan {
  if (isBind(node)) return planBind(node, planner);
  return (
    planQuantifier(node, planner) ??
    planExistsOne(node, planner) ??
    planListFold(node, planner) ??
    planMapFold(node, planner) ??
    planGeneralFold(node, planner)
  );
}

/** `cel.bind(x, init, result)`: computed at the first use of `x`, if there is one. */
function planBind(node: ComprehensionNode, planner: Planner): Plan {
  const init = counted(planner.plan(node.accuInit));
  const readLazily = (slot: number): Evaluate => {
    return (frame) => {
      const known = frame.slots[slot];
      if (known instanceof CelError) throw known;
      if (known !== undefined) return known;
      try {
        const value = init(frame);
        frame.slots[slot] = value;
        return value;
      } catch (error) {
        frame.slots[slot] = asFailure(error);
        throw error;
      }
    };
  };
  return planner.withLocal(node.accuVar, readLazily, (slot) => {
    const result = planner.plan(node.result);
    const { evaluate } = result;
    return {
      cost: result.cost,
      evaluate: (frame) => {
        frame.slots[slot] = undefined;
        return evaluate(frame);
      },
    };
  });
}

const readLocal =
  (slot: number): Evaluate =>
  (frame) =>
    frame.slots[slot] as CelValue;

/** Plans `body` with the iteration variables, and gives the loop that sets them. */
function withIteration(
  node: ComprehensionNode,
  planner: Planner,
  body: () => CelNode,
): { range: Plan; body: Plan; slot: number; slot2: number } {
  const range = planner.plan(node.range);
  return planner.withLocal(node.iterVar, readLocal, (slot) => {
    if (node.iterVar2 === "") return { range, body: planner.plan(body()), slot, slot2: -1 };
    return planner.withLocal(node.iterVar2, readLocal, (slot2) => {
      return { range, body: planner.plan(body()), slot, slot2 };
    });
  });
}

/** What a loop goes over: elements of a list or keys of a map, and the second variable for each. */
interface Iteration {
  readonly size: number;
  first(i: number): CelValue;
  second(i: number): CelValue;
}

function iterate(range: CelValue, twoVariables: boolean): Iteration {
  if (Array.isArray(range) || isList(range)) {
    const list = range as readonly CelValue[];
    const at = (i: number): CelValue => listAt(list, i);
    return { size: listSize(list), first: twoVariables ? (i) => i : at, second: at };
  }
  if (range instanceof CelMap) {
    const keys = range.keys();
    return {
      size: keys.length,
      first: (i) => keys[i] as CelValue,
      second: (i) => range.get(keys[i] as CelValue) ?? null,
    };
  }
  const type = typeOfValue(range).name;
  const name = `types.${type.charAt(0).toUpperCase()}${type.slice(1)}`;
  if (twoVariables) throw new CelError(`unsupported comprehension range type: ${name}`);
  throw new CelError(`got '${name}', expected iterable type`);
}

/** Adds to the cost, and stops an evaluation that costs too much: loops are what can run for long. */
function spend(frame: Frame, cost: number): void {
  frame.cost += cost;
  if (frame.cost > frame.limit) throw new CostLimitExceeded();
}

function isAccu(node: CelNode | undefined): boolean {
  return node?.kind === "ident" && node.name === accumulatorName;
}

function isCall(node: CelNode | undefined, name: string): node is CallNode {
  return node?.kind === "call" && node.name === name && node.target === undefined;
}

/** `all` and `exists`: an error counts only when no element decides. */
function planQuantifier(node: ComprehensionNode, planner: Planner): Plan | undefined {
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

function planExistsOne(node: ComprehensionNode, planner: Planner): Plan | undefined {
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

/** `step`, or `filter ? step : accumulator`, as the two. */
function splitFilter(step: CelNode): { filter: CelNode | undefined; step: CelNode } {
  if (!isCall(step, "_?_:_") || !isAccu(step.args[2])) return { filter: undefined, step };
  return { filter: step.args[0], step: step.args[1] as CelNode };
}

interface FoldLoop {
  readonly range: Plan;
  readonly slot: number;
  readonly slot2: number;
  readonly filter: Plan | undefined;
  readonly parts: readonly Plan[];
}

/** Plans the filter and the parts of each round of `map`, `filter` and the `transform` macros. */
function planRounds(
  node: ComprehensionNode,
  planner: Planner,
  filter: CelNode | undefined,
  parts: CelNode[],
): FoldLoop {
  const range = planner.plan(node.range);
  const plans = (): { filter: Plan | undefined; parts: Plan[] } => ({
    filter: filter === undefined ? undefined : planner.plan(filter),
    parts: parts.map((part) => planner.plan(part)),
  });
  return planner.withLocal(node.iterVar, readLocal, (slot) => {
    if (node.iterVar2 === "") return { range, slot, slot2: -1, ...plans() };
    return planner.withLocal(node.iterVar2, readLocal, (slot2) => ({ range, slot, slot2, ...plans() }));
  });
}

function runRounds(frame: Frame, loop: FoldLoop, roundCost: number, round: () => void): void {
  const { slot, slot2, filter } = loop;
  const over = iterate(loop.range.evaluate(frame), slot2 >= 0);
  for (let i = 0; i < over.size; i++) {
    frame.slots[slot] = over.first(i);
    if (slot2 >= 0) frame.slots[slot2] = over.second(i);
    if (filter !== undefined) {
      spend(frame, filter.cost);
      const keep = filter.evaluate(frame);
      if (typeof keep !== "boolean") throw noSuchOverload();
      if (!keep) continue;
    }
    spend(frame, roundCost);
    round();
  }
}

/** `map`, `filter`, `transformList`: elements are added to a list. */
function planListFold(node: ComprehensionNode, planner: Planner): Plan | undefined {
  const { accuInit, result } = node;
  const { filter, step } = splitFilter(node.step);
  if (accuInit.kind !== "list" || accuInit.elements.length > 0 || !isAccu(result)) return undefined;
  if (!isCall(step, "_+_") || !isAccu(step.args[0]) || node.accuVar !== accumulatorName) return undefined;
  const added = step.args[1];
  if (added?.kind !== "list" || added.elements.length !== 1 || added.optionals.size > 0) return undefined;
  const loop = planRounds(node, planner, filter, [added.elements[0] as CelNode]);
  const [element] = loop.parts as [Plan];
  const roundCost = 1 + (element.constant === undefined ? listCreateCost : 0) + element.cost + 1;
  return {
    cost: loop.range.cost + 1,
    evaluate: (frame) => {
      const items: CelValue[] = [];
      runRounds(frame, loop, roundCost, () => items.push(element.evaluate(frame)));
      return items;
    },
  };
}

/** `transformMap`, `transformMapEntry`: entries are added to a map. */
function planMapFold(node: ComprehensionNode, planner: Planner): Plan | undefined {
  const { accuInit, result } = node;
  const { filter, step } = splitFilter(node.step);
  if (accuInit.kind !== "map" || accuInit.entries.length > 0 || !isAccu(result)) return undefined;
  if (!isCall(step, "cel.@mapInsert") || !isAccu(step.args[0])) return undefined;
  const loop = planRounds(node, planner, filter, step.args.slice(1));
  const [first, second] = loop.parts as [Plan, Plan | undefined];
  const roundCost = 2 + first.cost + (second?.cost ?? 0);
  return {
    cost: loop.range.cost + 1,
    evaluate: (frame) => {
      const map = new NativeMap();
      runRounds(frame, loop, roundCost, () => {
        if (second === undefined) insertAll(map, first.evaluate(frame));
        else map.insert(first.evaluate(frame), second.evaluate(frame));
      });
      return map;
    },
  };
}

function insertAll(map: NativeMap, entries: CelValue): void {
  if (!(entries instanceof CelMap)) throw new CelError("no such overload: cel.@mapInsert");
  for (const key of entries.keys()) map.insert(key, entries.get(key) ?? null);
}

/** The fold as it is written; the accumulator may hold an error. */
function planGeneralFold(node: ComprehensionNode, planner: Planner): Plan {
  const readAccu =
    (slot: number): Evaluate =>
    (frame) => {
      const value = frame.slots[slot];
      if (value instanceof CelError) throw value;
      return value as CelValue;
    };
  const init = planner.plan(node.accuInit);
  return planner.withLocal(node.accuVar, readAccu, (accu) => {
    const loop = planRounds(node, planner, node.condition, [node.step]);
    const condition = counted(loop.filter as Plan);
    const step = counted(loop.parts[0] as Plan);
    const result = planner.plan(node.result);
    const resultOf = counted(result);
    return {
      cost: loop.range.cost + init.cost,
      evaluate: (frame) => {
        const over = iterate(loop.range.evaluate(frame), loop.slot2 >= 0);
        frame.slots[accu] = settle(() => init.evaluate(frame));
        for (let i = 0; i < over.size; i++) {
          frame.slots[loop.slot] = over.first(i);
          if (loop.slot2 >= 0) frame.slots[loop.slot2] = over.second(i);
          spend(frame, 0);
          if (settle(() => condition(frame)) === false) break;
          frame.slots[accu] = settle(() => step(frame));
        }
        return resultOf(frame);
      },
    };
  });
}

function settle(compute: () => CelValue): CelValue | CelError {
  try {
    return compute();
  } catch (error) {
    return asFailure(error);
  }
}
