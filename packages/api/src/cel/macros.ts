/**
 * Calls that are rewritten before type checking: `has`, folds over lists and maps, `cel.bind`, `optMap`.
 * Source: cel-go parser/macro.go, ext/comprehensions.go, ext/bindings.go, cel/library.go.
 */
import { accumulatorName, type CelNode, copyNode } from "./ast.ts";
import type { CelIssue } from "./source.ts";

/** A call that may be a macro. */
export interface MacroCall {
  readonly offset: number;
  readonly name: string;
  readonly target: CelNode | undefined;
  readonly args: readonly CelNode[];
}

/** The arguments do not fit the macro. */
export class MacroError {
  readonly offset: number;
  readonly message: string;
  constructor(offset: number, message: string) {
    this.offset = offset;
    this.message = message;
  }
}

/** Rewrites a call; undefined leaves it a call. */
export type Macro = (call: MacroCall) => CelNode | undefined;

/** Macros by `name:number of arguments:has a target`. */
export type Macros = ReadonlyMap<string, Macro>;

/** The macros of the language without extensions. */
export const standardMacros: Macros = new Map<string, Macro>([
  ["has:1:false", has],
  ["all:2:true", (call) => quantifier("all", call, 1)],
  ["exists:2:true", (call) => quantifier("exists", call, 1)],
  ["exists_one:2:true", (call) => quantifier("existsOne", call, 1)],
  ["existsOne:2:true", (call) => quantifier("existsOne", call, 1)],
  [
    "map:2:true",
    (call) => listFold(call, call.args[1] as CelNode, undefined, "argument is not an identifier", 1),
  ],
  [
    "map:3:true",
    (call) => listFold(call, call.args[2] as CelNode, call.args[1], "argument is not an identifier", 1),
  ],
  [
    "filter:2:true",
    (call) => listFold(call, call.args[0] as CelNode, call.args[1], "argument is not an identifier", 1),
  ],
]);

/** `list.all(i, v, ...)`, `transformList`, `transformMap`, `transformMapEntry`. */
export const twoVariableMacros: Macros = new Map<string, Macro>([
  ["all:3:true", (call) => quantifier("all", call, 2)],
  ["exists:3:true", (call) => quantifier("exists", call, 2)],
  ["exists_one:3:true", (call) => quantifier("existsOne", call, 2)],
  ["existsOne:3:true", (call) => quantifier("existsOne", call, 2)],
  ["transformList:3:true", (call) => listFold(call, call.args[2] as CelNode, undefined, "", 2)],
  ["transformList:4:true", (call) => listFold(call, call.args[3] as CelNode, call.args[2], "", 2)],
  ["transformMap:3:true", (call) => mapFold(call, true)],
  ["transformMap:4:true", (call) => mapFold(call, true)],
  ["transformMapEntry:3:true", (call) => mapFold(call, false)],
  ["transformMapEntry:4:true", (call) => mapFold(call, false)],
]);

export const bindMacros: Macros = new Map<string, Macro>([["bind:3:true", celBind]]);

export const optionalMacros: Macros = new Map<string, Macro>([
  ["optMap:2:true", (call) => optionalMap(call, true)],
  ["optFlatMap:2:true", (call) => optionalMap(call, false)],
]);

/** The expansion of a call, or undefined when it is no macro. A misused macro is reported. */
export function expandMacro(macros: Macros, call: MacroCall, issues: CelIssue[]): CelNode | undefined {
  const macro = macros.get(`${call.name}:${call.args.length}:${call.target !== undefined}`);
  if (macro === undefined) return undefined;
  try {
    return macro(call);
  } catch (error) {
    if (!(error instanceof MacroError)) throw error;
    issues.push({ message: error.message, offset: error.offset });
    return { kind: "unspecified", offset: error.offset };
  }
}

/** Nodes made by a macro are all where the macro's call is. */
function builder(offset: number): {
  literal(value: boolean | number): CelNode;
  ident(name: string): CelNode;
  accu(): CelNode;
  call(name: string, ...args: CelNode[]): CelNode;
  list(...elements: CelNode[]): CelNode;
} {
  const ident = (name: string): CelNode => ({ kind: "ident", offset, name });
  return {
    literal: (value) => ({ kind: "literal", offset, value }),
    ident,
    accu: () => ident(accumulatorName),
    call: (name, ...args) => ({ kind: "call", offset, name, target: undefined, args }),
    list: (...elements) => ({ kind: "list", offset, elements, optionals: new Set() }),
  };
}

function has({ offset, args }: MacroCall): CelNode {
  const [argument] = args as [CelNode];
  if (argument.kind !== "select") {
    throw new MacroError(argument.offset, "invalid argument to has() macro");
  }
  return { kind: "select", offset, operand: argument.operand, field: argument.field, testOnly: true };
}

type Quantifier = "all" | "exists" | "existsOne";

function quantifier(kind: Quantifier, call: MacroCall, variables: 1 | 2): CelNode {
  const names = variableNames(call, variables, "argument must be a simple name");
  const make = builder(call.offset);
  const predicate = call.args[variables] as CelNode;
  switch (kind) {
    case "all":
      return fold(call, names, {
        accuInit: make.literal(true),
        condition: make.call("@not_strictly_false", make.accu()),
        step: make.call("_&&_", make.accu(), predicate),
        result: make.accu(),
      });
    case "exists":
      return fold(call, names, {
        accuInit: make.literal(false),
        condition: make.call("@not_strictly_false", make.call("!_", make.accu())),
        step: make.call("_||_", make.accu(), predicate),
        result: make.accu(),
      });
    default:
      return fold(call, names, {
        accuInit: make.literal(0),
        condition: make.literal(true),
        step: make.call("_?_:_", predicate, make.call("_+_", make.accu(), make.literal(1)), make.accu()),
        result: make.call("_==_", make.accu(), make.literal(1)),
      });
  }
}

function listFold(
  call: MacroCall,
  element: CelNode,
  filter: CelNode | undefined,
  notIdentifier: string,
  variables: 1 | 2,
): CelNode {
  const names = variableNames(call, variables, notIdentifier);
  const make = builder(call.offset);
  const added = make.call("_+_", make.accu(), make.list(element));
  return fold(call, names, {
    accuInit: make.list(),
    condition: make.literal(true),
    step: filter === undefined ? added : make.call("_?_:_", filter, added, make.accu()),
    result: make.accu(),
  });
}

function mapFold(call: MacroCall, keepKey: boolean): CelNode {
  const names = variableNames(call, 2, "");
  const make = builder(call.offset);
  const filter = call.args.length === 4 ? call.args[2] : undefined;
  const transform = call.args[call.args.length - 1] as CelNode;
  const key = keepKey ? [make.ident(names[0] as string)] : [];
  const inserted = make.call("cel.@mapInsert", make.accu(), ...key, transform);
  return fold(call, names, {
    accuInit: { kind: "map", offset: call.offset, entries: [] },
    condition: make.literal(true),
    step: filter === undefined ? inserted : make.call("_?_:_", filter, inserted, make.accu()),
    result: make.accu(),
  });
}

interface FoldParts {
  readonly accuInit: CelNode;
  readonly condition: CelNode;
  readonly step: CelNode;
  readonly result: CelNode;
}

function fold(call: MacroCall, names: readonly string[], parts: FoldParts): CelNode {
  return {
    kind: "comprehension",
    offset: call.offset,
    range: call.target as CelNode,
    iterVar: names[0] as string,
    iterVar2: names[1] ?? "",
    accuVar: accumulatorName,
    ...parts,
  };
}

function variableNames(call: MacroCall, count: 1 | 2, notIdentifier: string): string[] {
  const names: string[] = [];
  for (const argument of call.args.slice(0, count)) {
    if (argument.kind !== "ident") {
      throw new MacroError(argument.offset, count === 2 ? "argument must be a simple name" : notIdentifier);
    }
    if (argument.name === accumulatorName || argument.name === "__result__") {
      throw new MacroError(argument.offset, "iteration variable overwrites accumulator variable");
    }
    names.push(argument.name);
  }
  if (count === 2 && names[0] === names[1]) {
    const second = call.args[1] as CelNode;
    throw new MacroError(second.offset, `duplicate variable name: ${names[0]}`);
  }
  return names;
}

function bind(offset: number, name: string, init: CelNode, result: CelNode): CelNode {
  const make = builder(offset);
  return {
    kind: "comprehension",
    offset,
    range: make.list(),
    iterVar: "#unused",
    iterVar2: "",
    accuVar: name,
    accuInit: init,
    condition: make.literal(false),
    step: make.ident(name),
    result,
  };
}

function celBind(call: MacroCall): CelNode | undefined {
  const { target, args, offset } = call;
  if (target?.kind !== "ident" || target.name !== "cel") return undefined;
  const [variable, init, result] = args as [CelNode, CelNode, CelNode];
  if (variable.kind !== "ident") {
    throw new MacroError(variable.offset, "cel.bind() variable names must be simple identifiers");
  }
  return bind(offset, variable.name, init, result);
}

function optionalMap(call: MacroCall, wrap: boolean): CelNode {
  const { offset, args } = call;
  const target = call.target as CelNode;
  const [variable, transform] = args as [CelNode, CelNode];
  if (variable.kind !== "ident") {
    const macro = wrap ? "optMap" : "optFlatMap";
    throw new MacroError(variable.offset, `${macro}() variable name must be a simple identifier`);
  }
  const make = builder(offset);
  const member = (name: string, of: CelNode): CelNode => ({
    kind: "call",
    offset,
    name,
    target: of,
    args: [],
  });
  const mapped = bind(offset, variable.name, member("value", copyNode(target)), transform);
  return make.call(
    "_?_:_",
    member("hasValue", target),
    wrap ? make.call("optional.of", mapped) : mapped,
    make.call("optional.none"),
  );
}
