/** What all compiled loops share: their variables, what they go over, their cost. Source: cel-go interpreter (evalFold). */
import { accumulatorName, type CallNode, type CelNode, type ComprehensionNode } from "./ast.ts";
import { CostLimitExceeded, type Evaluate, type Frame, type Plan, type Planner } from "./plan.ts";
import { CelError, CelMap, type CelValue, isList, listAt, listSize, typeOfValue } from "./value.ts";

/** Reads an iteration variable. */
export const readLocal: (slot: number) => Evaluate =
  (slot: number): Evaluate =>
  (frame) =>
    frame.slots[slot] as CelValue;

/** Plans `body` with the iteration variables, and gives the loop that sets them. */
export function withIteration(
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
export interface Iteration {
  readonly size: number;
  first(i: number): CelValue;
  second(i: number): CelValue;
}

/** Throws a `CelError` for what cannot be iterated. */
export function iterate(range: CelValue, twoVariables: boolean): Iteration {
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
export function spend(frame: Frame, cost: number): void {
  frame.cost += cost;
  if (frame.cost > frame.limit) throw new CostLimitExceeded();
}

/** Whether a node is the accumulator of a macro. */
export function isAccu(node: CelNode | undefined): boolean {
  return node?.kind === "ident" && node.name === accumulatorName;
}

/** Whether a node calls this function, not as a member. */
export function isCall(node: CelNode | undefined, name: string): node is CallNode {
  return node?.kind === "call" && node.name === name && node.target === undefined;
}
