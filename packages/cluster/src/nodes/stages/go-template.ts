/**
 * The part of Go's templates that kwok's stages are written in: values, variables, pipelines, `if`, `range`, `with`.
 * Source of the rules: Go text/template.
 */
import {
  type Expression,
  ExpressionReader,
  type TemplateScope,
  Variables,
  evaluate,
  isTruthy,
} from "./go-expression.ts";

type Node =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "output"; readonly value: Expression }
  | { readonly type: "assign"; readonly name: string; readonly isNew: boolean; readonly value: Expression }
  | {
      readonly type: "if" | "with";
      readonly value: Expression;
      readonly body: readonly Node[];
      readonly otherwise: readonly Node[];
    }
  | {
      readonly type: "range";
      readonly names: readonly string[];
      readonly value: Expression;
      readonly body: readonly Node[];
      readonly otherwise: readonly Node[];
    };

export type TemplateFunctions = Readonly<Record<string, (...args: readonly unknown[]) => unknown>>;

/** A template, read once. */
export class GoTemplate {
  readonly #nodes: readonly Node[];

  /** @throws Error for what is no template, saying where */
  constructor(text: string) {
    this.#nodes = new TemplateReader(text).all();
  }

  /** @throws Error for a function that there is not, or that fails */
  render(data: unknown, functions: TemplateFunctions): string {
    const out: string[] = [];
    renderAll(this.#nodes, { data, functions, variables: new Variables([["$", data]]) }, out);
    return out.join("");
  }
}

type Piece = { readonly text: string } | { readonly action: string };

class TemplateReader {
  readonly #pieces: readonly Piece[];
  #at = 0;

  constructor(text: string) {
    this.#pieces = piecesOf(text);
  }

  all(): Node[] {
    const { nodes, end } = this.#block();
    if (end !== undefined) throw new Error(`{{ ${end} }} ends nothing`);
    return nodes;
  }

  /** Nodes up to an `end` or `else`, which is answered too. */
  #block(): { readonly nodes: Node[]; readonly end: string | undefined } {
    const nodes: Node[] = [];
    while (this.#at < this.#pieces.length) {
      const piece = this.#pieces[this.#at++] as Piece;
      if ("text" in piece) nodes.push({ type: "text", text: piece.text });
      else if (/^(end|else\b.*)$/s.test(piece.action)) return { nodes, end: piece.action };
      else if (!piece.action.startsWith("/*")) nodes.push(this.#action(piece.action));
    }
    return { nodes, end: undefined };
  }

  #action(action: string): Node {
    const [, keyword, rest = ""] = /^(if|with|range)\b\s*(.*)$/s.exec(action) ?? [];
    if (keyword === "if" || keyword === "with")
      return { type: keyword, value: expression(rest), ...this.#branches(action) };
    if (keyword === "range") {
      const [, names = "", value = rest] = /^((?:\$\w+\s*,\s*)?\$\w+)\s*:=\s*(.*)$/s.exec(rest) ?? [];
      const named = names === "" ? [] : names.split(",").map((name) => name.trim());
      return { type: "range", names: named, value: expression(value), ...this.#branches(action) };
    }
    const [, name, sign, value = ""] = /^(\$\w+)\s*(:?=)(?!=)\s*(.*)$/s.exec(action) ?? [];
    if (name !== undefined) return { type: "assign", name, isNew: sign === ":=", value: expression(value) };
    return { type: "output", value: expression(action) };
  }

  #branches(opened: string): { readonly body: readonly Node[]; readonly otherwise: readonly Node[] } {
    const { nodes: body, end } = this.#block();
    if (end === undefined) throw new Error(`{{ ${opened} }} has no end`);
    if (end === "end") return { body, otherwise: [] };
    const chained = /^else\s+(if\b.*|with\b.*)$/s.exec(end)?.[1];
    if (chained !== undefined) return { body, otherwise: [this.#action(chained)] };
    const { nodes: otherwise, end: last } = this.#block();
    if (last !== "end") throw new Error(`{{ ${opened} }} has no end`);
    return { body, otherwise };
  }
}

/** Text and actions in turn; a dash inside of the braces takes the white space outside of them away. */
function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  let trims = false;
  const pattern = /\{\{(-\s)?((?:"(?:\\.|[^"\\])*"|`[^`]*`|(?!\}\}).)*?)(\s-)?\}\}/gs;
  const add = (part: string, trimsEnd: boolean): void => {
    let plain = trims ? part.trimStart() : part;
    if (trimsEnd) plain = plain.trimEnd();
    if (plain.includes("{{")) throw new Error("a template has {{ without }}");
    if (plain !== "") pieces.push({ text: plain });
  };
  for (const match of text.matchAll(pattern)) {
    const [whole, left, action = "", right] = match;
    add(text.slice(at, match.index), left !== undefined);
    pieces.push({ action: action.trim() });
    at = match.index + whole.length;
    trims = right !== undefined;
  }
  add(text.slice(at), false);
  return pieces;
}

function expression(text: string): Expression {
  return new ExpressionReader(text).whole();
}

function renderAll(nodes: readonly Node[], scope: TemplateScope, out: string[]): void {
  // what is declared in a block ends with it
  const inner = { ...scope, variables: new Variables([], scope.variables) };
  for (const node of nodes) renderNode(node, inner, out);
}

function renderNode(node: Node, scope: TemplateScope, out: string[]): void {
  if (node.type === "text") return void out.push(node.text);
  const value = evaluate(node.value, scope);
  switch (node.type) {
    case "output":
      return void out.push(printed(value));
    case "assign":
      if (node.isNew) return scope.variables.declare(node.name, value);
      return scope.variables.assign(node.name, value);
    case "if":
      return renderAll(isTruthy(value) ? node.body : node.otherwise, scope, out);
    case "with":
      if (!isTruthy(value)) return renderAll(node.otherwise, scope, out);
      return renderInner(node.body, { scope, data: value, declared: [] }, out);
    default:
      return renderRange(node, { scope, value }, out);
  }
}

function renderRange(
  node: Extract<Node, { type: "range" }>,
  { scope, value }: { readonly scope: TemplateScope; readonly value: unknown },
  out: string[],
): void {
  const entries: (readonly [unknown, unknown])[] = Array.isArray(value)
    ? value.map((item, index) => [index, item])
    : Object.entries((value ?? {}) as object).sort(([a], [b]) => (a < b ? -1 : 1));
  if (entries.length === 0) return renderAll(node.otherwise, scope, out);
  for (const [key, item] of entries) {
    const given = node.names.length === 1 ? [item] : [key, item];
    const declared = node.names.map((name, index) => [name, given[index]] as const);
    renderInner(node.body, { scope, data: item, declared }, out);
  }
}

function renderInner(
  body: readonly Node[],
  inner: {
    readonly scope: TemplateScope;
    readonly data: unknown;
    readonly declared: readonly (readonly [string, unknown])[];
  },
  out: string[],
): void {
  const { scope, data, declared } = inner;
  renderAll(body, { ...scope, data, variables: new Variables(declared, scope.variables) }, out);
}

function printed(value: unknown): string {
  if (value === undefined || value === null) return "<no value>";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
