/**
 * The least and most that an expression can cost, before it runs, from the sizes that its inputs can have.
 * Source: cel-go checker/cost.go.
 */
import {
  accumulatorName,
  type CallNode,
  type CelNode,
  type ComprehensionNode,
  isBind,
  type ListNode,
  type MapNode,
  type SelectNode,
} from "./ast.ts";
import { estimateCall, type SizedNode } from "./cost-estimate-rules.ts";
import { listCreateCost, mapCreateCost, structCreateCost } from "./cost-rules.ts";
import {
  addRanges,
  fixed,
  multiplyRanges,
  one,
  type Range,
  sumRanges,
  unionRanges,
  unknownSize,
  zero,
} from "./size-range.ts";
import { codePointLength } from "./text.ts";
import { type CelType, celTypes, isOptionalType } from "./type.ts";

/** How large the value at a path can be, for example `["self", "spec", "@items"]`; undefined when nothing is known. */
export type SizeOfPath = (path: readonly string[]) => Range | undefined;

/** Estimates a checked expression. */
export function estimateCost(root: CelNode, sizeOfPath: SizeOfPath): Range {
  return new Estimator(sizeOfPath).cost(root);
}

/** Sizes of the keys (or indices) and values of a list or map that the expression makes. */
interface EntrySize {
  readonly isList: boolean;
  readonly key: Range;
  readonly value: Range;
}

interface LocalVariable {
  readonly path: readonly string[];
  readonly size: Range | undefined;
  readonly entries: EntrySize | undefined;
}

class Estimator {
  readonly #sizeOfPath: SizeOfPath;
  readonly #paths = new Map<CelNode, readonly string[]>();
  readonly #sizes = new Map<CelNode, Range>();
  readonly #entries = new Map<CelNode, EntrySize>();
  readonly #locals = new Map<string, LocalVariable[]>();

  constructor(sizeOfPath: SizeOfPath) {
    this.#sizeOfPath = sizeOfPath;
  }

  cost(node: CelNode): Range {
    switch (node.kind) {
      case "ident":
        this.#paths.set(node, this.#local(node.name)?.path ?? [node.name]);
        return one;
      case "select":
        return this.#select(node);
      case "call":
        return this.#call(node);
      case "list":
        return this.#list(node);
      case "map":
        return this.#map(node);
      case "struct":
        return addRanges(
          sumRanges(node.fields.map((field) => this.cost(field.value))),
          fixed(structCreateCost),
        );
      case "comprehension":
        return isBind(node) ? this.#bind(node) : this.#comprehension(node);
      default:
        return zero;
    }
  }

  #select(node: SelectNode): Range {
    if (node.reference !== undefined && !node.testOnly) {
      this.#paths.set(node, [node.reference]);
      return one;
    }
    const operand = this.cost(node.operand);
    if (node.testOnly) return operand;
    const { kind } = typeOf(node.operand);
    this.#paths.set(node, [...this.#path(node.operand), node.field]);
    const counts = kind === "map" || kind === "struct" || kind === "typeParam";
    return counts ? addRanges(operand, one) : operand;
  }

  #call(node: CallNode): Range {
    if (node.name === "dyn" && node.args.length === 1) {
      const [argument] = node.args as [CelNode];
      const cost = this.cost(argument);
      this.#setSize(node, this.#size(argument));
      this.#setEntries(node, this.#entrySize(argument));
      return addRanges(one, cost);
    }
    const argumentCosts = node.args.map((argument) => this.cost(argument));
    const args = node.args.map((argument) => this.#sized(argument));
    const ids = node.overloads ?? [];
    if (ids.length === 0) return zero;
    const targetCost = node.target === undefined ? zero : this.cost(node.target);
    const target = node.target === undefined ? undefined : this.#sized(node.target);
    let total: Range | undefined;
    let size: Range | undefined;
    for (const id of ids) {
      const estimate = this.#overload(node, id, target, args, argumentCosts);
      total = total === undefined ? estimate.cost : unionRanges(total, estimate.cost);
      if (estimate.size !== undefined)
        size = size === undefined ? estimate.size : unionRanges(size, estimate.size);
      if (id === "index_list" || id === "index_map") size = this.#indexed(node, id);
      size ??= this.#size(node);
    }
    this.#setSize(node, size);
    return addRanges(targetCost, total ?? zero);
  }

  #indexed(node: CallNode, id: string): Range | undefined {
    const [container] = node.args as [CelNode];
    this.#paths.set(node, [...this.#path(container), id === "index_list" ? "@items" : "@values"]);
    return this.#entrySize(container)?.value;
  }

  #overload(
    node: CallNode,
    id: string,
    target: SizedNode | undefined,
    args: readonly SizedNode[],
    argumentCosts: readonly Range[],
  ): { cost: Range; size?: Range | undefined } {
    const all = sumRanges(argumentCosts);
    const estimate = estimateCall(node.name, id, target, args);
    if (estimate !== undefined) return { cost: addRanges(estimate.cost, all), size: estimate.size };
    switch (id) {
      case "logical_or":
      case "logical_and": {
        const [left = zero, right = zero] = argumentCosts;
        return { cost: { min: left.min, max: addRanges(left, right).max } };
      }
      case "conditional":
        return this.#conditional(node, argumentCosts);
      case "add_list": {
        const [left, right] = node.args as [CelNode, CelNode];
        this.#setEntries(node, unionEntries(this.#entrySize(left), this.#entrySize(right)));
        return {
          cost: addRanges(one, all),
          size: addRanges(this.#sizeOrUnknown(left), this.#sizeOrUnknown(right)),
        };
      }
      default:
        return { cost: addRanges(one, all) };
    }
  }

  #conditional(node: CallNode, costs: readonly Range[]): { cost: Range; size: Range } {
    const [, yes, no] = node.args as [CelNode, CelNode, CelNode];
    const [condition = zero, yesCost = zero, noCost = zero] = costs;
    this.#setEntries(node, unionEntries(this.#entrySize(yes), this.#entrySize(no)));
    return {
      cost: addRanges(condition, unionRanges(yesCost, noCost)),
      size: unionRanges(this.#sizeOrUnknown(yes), this.#sizeOrUnknown(no)),
    };
  }

  #list(node: ListNode): Range {
    const costs = node.elements.map((element) => this.cost(element));
    this.#setEntries(node, {
      isList: true,
      key: one,
      value: unionAll(node.elements.map((e) => this.#sizeOrUnknown(e))),
    });
    return addRanges(sumRanges(costs), fixed(listCreateCost));
  }

  #map(node: MapNode): Range {
    const costs = node.entries.map((entry) => addRanges(this.cost(entry.key), this.cost(entry.value)));
    const key = unionAll(node.entries.map((entry) => this.#sizeOrUnknown(entry.key)));
    const value = unionAll(node.entries.map((entry) => this.#sizeOrUnknown(entry.value)));
    this.#setEntries(node, { isList: false, key, value });
    return addRanges(sumRanges(costs), fixed(mapCreateCost));
  }

  #comprehension(node: ComprehensionNode): Range {
    const { range } = node;
    const before = addRanges(this.cost(range), this.cost(node.accuInit));
    this.#push(node.accuVar, this.#asLocal(node.accuInit));
    this.#pushIteration(node);
    const round = addRanges(this.cost(node.condition), this.cost(node.step));
    this.#pop(node.iterVar);
    if (node.iterVar2 !== "") this.#pop(node.iterVar2);
    const result = this.cost(node.result);
    this.#pop(node.accuVar);
    const rounds = this.#sizeOrUnknown(range);
    this.#setFoldSize(node, rounds);
    return addRanges(addRanges(before, result), multiplyRanges(rounds, round));
  }

  #setFoldSize(node: ComprehensionNode, rounds: Range): void {
    const { kind } = node.accuInit;
    if (kind === "literal") this.#setSize(node, this.#size(node.accuInit));
    if (kind !== "list" && kind !== "map") return;
    this.#setSize(node, rounds);
    this.#setEntries(node, this.#entrySize(node.step));
  }

  #pushIteration(node: ComprehensionNode): void {
    const { range } = node;
    const entries = this.#entrySize(range);
    const isList = entries === undefined ? typeOf(range).kind === "list" : entries.isList;
    const path = this.#path(range);
    const local = (step: string, size: Range | undefined): LocalVariable => ({
      path: [...path, step],
      size,
      entries: undefined,
    });
    if (node.iterVar2 === "") {
      this.#push(node.iterVar, isList ? local("@items", entries?.value) : local("@keys", entries?.key));
      return;
    }
    this.#push(node.iterVar, local(isList ? "@indices" : "@keys", entries?.key));
    this.#push(node.iterVar2, local(isList ? "@items" : "@values", entries?.value));
  }

  #bind(node: ComprehensionNode): Range {
    const before = addRanges(this.cost(node.range), this.cost(node.accuInit));
    this.#push(node.accuVar, this.#asLocal(node.accuInit));
    const result = this.cost(node.result);
    this.#pop(node.accuVar);
    this.#setSize(node, this.#size(node.result));
    this.#setEntries(node, this.#entrySize(node.result));
    return addRanges(before, result);
  }

  #asLocal(node: CelNode): LocalVariable {
    return { path: this.#path(node), entries: this.#entrySize(node), size: this.#size(node) };
  }

  #push(name: string, local: LocalVariable): void {
    const stack = this.#locals.get(name);
    if (stack === undefined) this.#locals.set(name, [local]);
    else stack.push(local);
  }

  #pop(name: string): void {
    this.#locals.get(name)?.pop();
  }

  #local(name: string): LocalVariable | undefined {
    return this.#locals.get(name)?.at(-1);
  }

  #path(node: CelNode): readonly string[] {
    if (node.kind === "ident") {
      const local = this.#local(node.name);
      if (local !== undefined) return local.path;
    }
    return this.#paths.get(node) ?? [];
  }

  #sized(node: CelNode): SizedNode {
    const path = this.#path(node);
    const known = path[0] === accumulatorName ? [] : path;
    return {
      node,
      type: typeOf(node),
      size: this.#size(node),
      elementSize: () => {
        const element = typeOf(node).parameters[0];
        if (element === undefined) return undefined;
        const size = known.length === 0 ? undefined : this.#sizeOfPath([...known, "@items"]);
        return { type: element, size };
      },
    };
  }

  #size(node: CelNode): Range | undefined {
    const known = this.#sizes.get(node) ?? literalSize(node);
    if (known !== undefined) return known;
    const path = this.#path(node);
    const estimated = path.length === 0 ? undefined : this.#sizeOfPath(path);
    if (estimated !== undefined) {
      this.#sizes.set(node, estimated);
      return estimated;
    }
    if (isScalar(typeOf(node))) return one;
    return node.kind === "ident" ? this.#local(node.name)?.size : undefined;
  }

  #sizeOrUnknown(node: CelNode): Range {
    return this.#size(node) ?? unknownSize;
  }

  #setSize(node: CelNode, size: Range | undefined): void {
    if (size !== undefined) this.#sizes.set(node, size);
  }

  #setEntries(node: CelNode, entries: EntrySize | undefined): void {
    if (entries !== undefined) this.#entries.set(node, entries);
  }

  #entrySize(node: CelNode): EntrySize | undefined {
    return this.#entries.get(node) ?? (node.kind === "ident" ? this.#local(node.name)?.entries : undefined);
  }
}

function typeOf(node: CelNode): CelType {
  return node.type ?? celTypes.dyn;
}

function unionEntries(a: EntrySize | undefined, b: EntrySize | undefined): EntrySize | undefined {
  if (a === undefined || b === undefined) return undefined;
  return { isList: a.isList, key: unionRanges(a.key, b.key), value: unionRanges(a.value, b.value) };
}

function unionAll(ranges: readonly Range[]): Range {
  return ranges.length === 0 ? zero : ranges.reduce(unionRanges);
}

function literalSize(node: CelNode): Range | undefined {
  if (node.kind === "list") return fixed(node.elements.length);
  if (node.kind === "map") return fixed(node.entries.length);
  if (node.kind !== "literal") return undefined;
  if (typeof node.value === "string") return fixed(codePointLength(node.value));
  return node.value instanceof Uint8Array ? fixed(node.value.length) : one;
}

function isScalar(type: CelType): boolean {
  if (isOptionalType(type)) return isScalar(type.parameters[0] ?? celTypes.dyn);
  return ["bool", "double", "duration", "int", "timestamp", "uint"].includes(type.kind);
}
