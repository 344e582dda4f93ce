/**
 * Compiles folds. Those that the macros make have loops of their own: the general fold would rebuild a list for every
 * element. The costs are those of the general fold. Source: cel-go interpreter (evalFold).
 */
import { accumulatorName, type CelNode, type ComprehensionNode, isBind } from "./ast.ts";
import { asFailure } from "./compile-call.ts";
import { planExistsOne, planQuantifier } from "./compile-quantifier.ts";
import { listCreateCost } from "./cost-rules.ts";
import { isAccu, isCall, iterate, readLocal, spend } from "./iteration.ts";
import { NativeMap } from "./native-map.ts";
import { counted, type Evaluate, type Frame, type Plan, type Planner } from "./plan.ts";
import { CelError, CelMap, type CelValue, noSuchOverload } from "./value.ts";

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
