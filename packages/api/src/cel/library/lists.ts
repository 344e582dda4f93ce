/** `slice`, `flatten`, `sort`, `distinct` and others. Source: cel-go ext/lists.go, version 3. */
import { accumulatorName, type CelNode } from "../ast.ts";
import { compare } from "../arithmetic.ts";
import type { CelLibrary } from "../environment.ts";
import { equals } from "../equality.ts";
import { declare, type FunctionDeclaration, memberOverload, overload } from "../function.ts";
import { type MacroCall, MacroError } from "../macros.ts";
import { CostLimitExceeded } from "../plan.ts";
import { type CelType, celTypes, listType, typeParam } from "../type.ts";
import { CelError, type CelList, type CelValue, isInt, isList, listItems, typeOfValue } from "../value.ts";

const { bool, bytes, double, duration, dyn, int, string, timestamp, uint } = celTypes;
const T = typeParam("T");
const listOfT = listType(T);
const comparable: readonly CelType[] = [int, uint, double, bool, duration, timestamp, string, bytes];

const items = (list: CelValue | undefined): readonly CelValue[] => listItems(list as CelList);

function slice(list: CelValue | undefined, from: CelValue | undefined, to: CelValue | undefined): CelValue[] {
  const [start, end] = [Number(from), Number(to)];
  const values = items(list);
  const what = `cannot slice(${start}, ${end})`;
  if (start < 0 || end < 0) throw new CelError(`${what}, negative indexes not supported`);
  if (start > end) throw new CelError(`${what}, start index must be less than or equal to end index`);
  if (values.length < end) throw new CelError(`${what}, list is length ${values.length}`);
  return values.slice(start, end);
}

function flatten(values: readonly CelValue[], depth: number): CelValue[] {
  if (depth < 0) throw new CelError("level must be non-negative");
  return values.flatMap((value) =>
    depth > 0 && isList(value) ? flatten(listItems(value), depth - 1) : [value],
  );
}

function flattenAny(list: CelValue, depth: CelValue): CelValue {
  if (!isList(list)) throw new CelError(`no such overload: ${typeOfValue(list).name}.flatten()`);
  if (!isInt(depth)) throw new CelError(`no such overload: list.flatten(${typeOfValue(depth).name})`);
  return flatten(listItems(list), Number(depth));
}

function sortBy(values: readonly CelValue[], keys: readonly CelValue[]): readonly CelValue[] {
  if (values.length !== keys.length) {
    const sizes = `${values.length} and ${keys.length} elements respectively`;
    const wanted = "expected a list of the same size as the associated keys list";
    throw new CelError(`@sortByAssociatedKeys() ${wanted}, but got ${sizes}`);
  }
  const [first] = keys;
  if (first === undefined) return values;
  const { kind } = typeOfValue(first);
  if (["list", "map", "null", "opaque", "struct", "type"].includes(kind)) {
    throw new CelError("list elements must be comparable");
  }
  if (keys.some((key) => typeOfValue(key).kind !== kind))
    throw new CelError("list elements must have the same type");
  const order = values.map((_, i) => i);
  order.sort((a, b) => compare(keys[a] as CelValue, keys[b] as CelValue, "_<_"));
  return order.map((i) => values[i] as CelValue);
}

function distinct(values: readonly CelValue[]): CelValue[] {
  const found: CelValue[] = [];
  for (const value of values) if (!found.some((known) => isSame(value, known))) found.push(value);
  return found;
}

function isSame(a: CelValue, b: CelValue): boolean {
  try {
    return equals(a, b);
  } catch (error) {
    if (error instanceof CelError) return false;
    throw error;
  }
}

/** A longer list costs more than any evaluation may, which the counter would only see once the list is made. */
const rangeMax = 1_000_000;

function range(size: CelValue | undefined): CelValue[] {
  const count = Number(size);
  if (count > rangeMax) throw new CostLimitExceeded();
  if (count < 0) throw new CelError(`lists.range: size must be non-negative, got ${count}`);
  return Array.from({ length: count }, (_, i) => i);
}

/** `list.sortBy(x, key)`: a variable for the list, sorted by the mapped list. */
function sortByMacro({ offset, target, args }: MacroCall): CelNode {
  const kinds = ["list", "select", "ident", "comprehension", "call"];
  const list = target as CelNode;
  if (!kinds.includes(list.kind)) {
    const message =
      "sortBy can only be applied to a list, identifier, comprehension, call or select expression";
    throw new MacroError(list.offset, message);
  }
  const [variable, key] = args as [CelNode, CelNode];
  if (variable.kind !== "ident") throw new MacroError(variable.offset, "argument is not an identifier");
  if (variable.name === accumulatorName || variable.name === "__result__") {
    throw new MacroError(variable.offset, "iteration variable overwrites accumulator variable");
  }
  const input = "@__sortBy_input__";
  const ident = (name: string): CelNode => ({ kind: "ident", offset, name });
  const literal = (value: boolean): CelNode => ({ kind: "literal", offset, value });
  const listOf = (...elements: CelNode[]): CelNode => ({
    kind: "list",
    offset,
    elements,
    optionals: new Set(),
  });
  const add: CelNode = {
    kind: "call",
    offset,
    name: "_+_",
    target: undefined,
    args: [ident(accumulatorName), listOf(key)],
  };
  const keys: CelNode = {
    kind: "comprehension",
    offset,
    range: ident(input),
    iterVar: variable.name,
    iterVar2: "",
    accuVar: accumulatorName,
    accuInit: listOf(),
    condition: literal(true),
    step: add,
    result: ident(accumulatorName),
  };
  return {
    kind: "comprehension",
    offset,
    range: listOf(),
    iterVar: "#unused",
    iterVar2: "",
    accuVar: input,
    accuInit: list,
    condition: literal(false),
    step: ident(input),
    result: { kind: "call", offset, name: "@sortByAssociatedKeys", target: ident(input), args: [keys] },
  };
}

const sorting: FunctionDeclaration[] = [
  declare(
    "sort",
    ...comparable.map((type) =>
      memberOverload(`list_${type.name}_sort`, [listType(type)], listType(type), (list) =>
        sortBy(items(list), items(list)),
      ),
    ),
  ),
  declare(
    "@sortByAssociatedKeys",
    ...comparable.map((type) =>
      memberOverload(
        `list_${type.name}_sortByAssociatedKeys`,
        [listOfT, listType(type)],
        listOfT,
        (list, keys) => sortBy(items(list), items(keys)),
      ),
    ),
  ),
];

export const listsLibrary: CelLibrary = {
  macros: new Map([["sortBy:2:true", sortByMacro]]),
  functions: [
    declare("slice", memberOverload("list_slice", [listOfT, int, int], listOfT, slice)),
    {
      name: "flatten",
      overloads: [
        memberOverload("list_flatten", [listType(listOfT)], listOfT),
        memberOverload("list_flatten_int", [listType(dyn), int], listType(dyn)),
      ],
      apply: (list, depth = 1) => flattenAny(list as CelValue, depth),
    },
    ...sorting,
    declare("lists.range", overload("lists_range", [int], listType(int), range)),
    declare(
      "reverse",
      memberOverload("list_reverse", [listOfT], listOfT, (list) => [...items(list)].reverse()),
    ),
    declare(
      "distinct",
      memberOverload("list_distinct", [listOfT], listOfT, (list) => distinct(items(list))),
    ),
  ],
};
