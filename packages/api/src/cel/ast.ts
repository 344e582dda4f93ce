/** The syntax tree that the parser makes and the checker annotates. Source: cel-go common/ast. */
import type { CelType } from "./type.ts";
import type { CelDouble, CelUint, CelValue } from "./value.ts";

/** What a literal can be. */
export type LiteralValue = boolean | string | null | number | bigint | CelUint | CelDouble | Uint8Array;

interface NodeBase {
  /** Where it is: offset in code points of the token that errors point at (an operator, a dot, an opening bracket). */
  readonly offset: number;
  /** Set by the checker. */
  type?: CelType;
  /** Set by the checker: the overloads that a call may resolve to. */
  overloads?: readonly string[];
  /** Set by the checker: the full name of a variable or type that an identifier or a selection stands for. */
  reference?: string;
  /** Set by the checker with `reference`: the value of a constant or a type. */
  constant?: CelValue;
}

export interface LiteralNode extends NodeBase {
  readonly kind: "literal";
  readonly value: LiteralValue;
}

export interface IdentNode extends NodeBase {
  readonly kind: "ident";
  /** With a leading dot when it was written with one. */
  readonly name: string;
}

export interface SelectNode extends NodeBase {
  readonly kind: "select";
  readonly operand: CelNode;
  readonly field: string;
  /** True for `has(operand.field)`. */
  readonly testOnly: boolean;
}

export interface CallNode extends NodeBase {
  readonly kind: "call";
  /** Rewritten by the checker to the full name of a namespaced function, `target` being dropped. */
  name: string;
  target: CelNode | undefined;
  readonly args: readonly CelNode[];
}

export interface ListNode extends NodeBase {
  readonly kind: "list";
  readonly elements: readonly CelNode[];
  /** Indices of the elements written `?e`. */
  readonly optionals: ReadonlySet<number>;
}

export interface MapEntry {
  readonly offset: number;
  readonly key: CelNode;
  readonly value: CelNode;
  readonly optional: boolean;
}

export interface MapNode extends NodeBase {
  readonly kind: "map";
  readonly entries: readonly MapEntry[];
}

export interface StructField {
  readonly offset: number;
  readonly name: string;
  readonly value: CelNode;
  readonly optional: boolean;
}

export interface StructNode extends NodeBase {
  readonly kind: "struct";
  name: string;
  readonly fields: readonly StructField[];
}

/** What macros over lists and maps expand to: a fold. */
export interface ComprehensionNode extends NodeBase {
  readonly kind: "comprehension";
  readonly range: CelNode;
  readonly iterVar: string;
  /** Empty in the one-variable form. */
  readonly iterVar2: string;
  readonly accuVar: string;
  readonly accuInit: CelNode;
  readonly condition: CelNode;
  readonly step: CelNode;
  readonly result: CelNode;
}

/** Stands where something could not be parsed; its error is reported elsewhere. */
export interface UnspecifiedNode extends NodeBase {
  readonly kind: "unspecified";
}

export type CelNode =
  | LiteralNode
  | IdentNode
  | SelectNode
  | CallNode
  | ListNode
  | MapNode
  | StructNode
  | ComprehensionNode
  | UnspecifiedNode;

/** Name of the variable in which macros accumulate. Not writable in source, so users' names cannot collide. */
export const accumulatorName = "@result";

/** Whether a comprehension is what `cel.bind` and `optMap` expand to: a variable for one expression. */
export function isBind(node: ComprehensionNode): boolean {
  return (
    node.range.kind === "list" &&
    node.range.elements.length === 0 &&
    node.condition.kind === "literal" &&
    node.condition.value === false &&
    node.accuVar !== accumulatorName
  );
}

/** The nodes directly below a node, in evaluation order. */
export function childNodes(node: CelNode): CelNode[] {
  switch (node.kind) {
    case "select":
      return [node.operand];
    case "call":
      return node.target === undefined ? [...node.args] : [node.target, ...node.args];
    case "list":
      return [...node.elements];
    case "map":
      return node.entries.flatMap((entry) => [entry.key, entry.value]);
    case "struct":
      return node.fields.map((field) => field.value);
    case "comprehension":
      return [node.range, node.accuInit, node.condition, node.step, node.result];
    default:
      return [];
  }
}

/** Calls `visit` for a node and all below it, parents first. */
export function walk(node: CelNode, visit: (node: CelNode) => void): void {
  visit(node);
  for (const child of childNodes(node)) walk(child, visit);
}

/** A copy of a tree, without what the checker added. */
export function copyNode(node: CelNode): CelNode {
  const { offset } = node;
  switch (node.kind) {
    case "literal":
      return { kind: "literal", offset, value: node.value };
    case "ident":
      return { kind: "ident", offset, name: node.name };
    case "select":
      return {
        kind: "select",
        offset,
        operand: copyNode(node.operand),
        field: node.field,
        testOnly: node.testOnly,
      };
    case "call":
      return {
        kind: "call",
        offset,
        name: node.name,
        target: node.target === undefined ? undefined : copyNode(node.target),
        args: node.args.map(copyNode),
      };
    case "list":
      return { kind: "list", offset, elements: node.elements.map(copyNode), optionals: node.optionals };
    case "map":
      return {
        kind: "map",
        offset,
        entries: node.entries.map((e) => ({ ...e, key: copyNode(e.key), value: copyNode(e.value) })),
      };
    case "struct":
      return {
        kind: "struct",
        offset,
        name: node.name,
        fields: node.fields.map((f) => ({ ...f, value: copyNode(f.value) })),
      };
    case "comprehension":
      return {
        ...node,
        range: copyNode(node.range),
        accuInit: copyNode(node.accuInit),
        condition: copyNode(node.condition),
        step: copyNode(node.step),
        result: copyNode(node.result),
      };
    default:
      return { kind: "unspecified", offset };
  }
}
