/** Syntax trees as cel-go prints them for debugging. */
import type { CelNode, ComprehensionNode } from "../../src/cel/ast.ts";
import { formatDouble } from "../../src/cel/number-text.ts";
import { formatType } from "../../src/cel/type.ts";
import { CelDouble, CelUint } from "../../src/cel/value.ts";
import { quote } from "../../src/status/field-error.ts";

const spellings: Readonly<Record<CelNode["kind"], string>> = {
  literal: "Constant",
  ident: "Expr_IdentExpr",
  select: "Expr_SelectExpr",
  call: "Expr_CallExpr",
  list: "Expr_ListExpr",
  map: "Expr_StructExpr",
  struct: "Expr_StructExpr",
  comprehension: "Expr_ComprehensionExpr",
  unspecified: "",
};

/** Prints a tree as cel-go does for debugging: with the kinds of nodes, or with what the checker found. */
export class TreePrinter {
  readonly #checked: boolean;
  constructor(checked: boolean) {
    this.#checked = checked;
  }

  print(node: CelNode, indent = ""): string {
    return this.#plain(node, indent) + (this.#checked ? semantics(node) : `^#*expr.${kindName(node)}#`);
  }

  #plain(node: CelNode, indent: string): string {
    const deeper = `${indent}  `;
    if (this.#checked && node.reference !== undefined && (node.kind === "ident" || node.kind === "select"))
      return node.reference;
    switch (node.kind) {
      case "literal":
        return literalText(node.value);
      case "ident":
        return node.name;
      case "select":
        return `${this.print(node.operand, indent)}.${node.field}${node.testOnly ? "~test-only~" : ""}`;
      case "call": {
        const target = node.target === undefined ? "" : `${this.print(node.target, indent)}.`;
        return `${target}${node.name}${this.#block(
          "(",
          node.args.map((a) => this.print(a, deeper)),
          ")",
          indent,
        )}`;
      }
      case "list":
        return this.#block(
          "[",
          node.elements.map((element) => this.print(element, deeper)),
          "]",
          indent,
        );
      case "map": {
        const entries = node.entries.map(
          (e) => `${e.optional ? "?" : ""}${this.print(e.key, deeper)}:${this.print(e.value, deeper)}`,
        );
        return this.#block(
          "{",
          entries.map((entry) => entry + this.#entry()),
          "}",
          indent,
        );
      }
      case "struct": {
        const fields = node.fields.map(
          (f) => `${f.optional ? "?" : ""}${f.name}:${this.print(f.value, deeper)}`,
        );
        return (
          node.name +
          this.#block(
            "{",
            fields.map((field) => field + this.#entry()),
            "}",
            indent,
          )
        );
      }
      case "comprehension":
        return this.#comprehension(node, deeper);
      default:
        return "";
    }
  }

  #entry(): string {
    return this.#checked ? "" : "^#*expr.Expr_CreateStruct_Entry#";
  }

  #block(open: string, parts: readonly string[], close: string, indent: string): string {
    if (parts.length === 0) return open + close;
    return `${open}\n${parts.map((part) => `${indent}  ${part}`).join(",\n")}\n${indent}${close}`;
  }

  #comprehension(node: ComprehensionNode, indent: string): string {
    const variables = node.iterVar2 === "" ? [node.iterVar] : [node.iterVar, node.iterVar2];
    const sections = [
      ["Variable", variables.join(`,\n${indent}`)],
      ["Target", this.print(node.range, indent)],
      ["Accumulator", node.accuVar],
      ["Init", this.print(node.accuInit, indent)],
      ["LoopCondition", this.print(node.condition, indent)],
      ["LoopStep", this.print(node.step, indent)],
      ["Result", this.print(node.result, indent)],
    ];
    const lines = sections.map(([title, text]) => `${indent}// ${title}\n${indent}${text}`);
    return `__comprehension__(\n${lines.join(",\n")})`;
  }
}

function kindName(node: CelNode): string {
  if (node.kind !== "literal") return spellings[node.kind];
  const { value } = node;
  if (value === null) return "Constant_NullValue";
  if (value instanceof CelUint) return "Constant_Uint64Value";
  if (value instanceof CelDouble) return "Constant_DoubleValue";
  if (value instanceof Uint8Array) return "Constant_BytesValue";
  const names = { string: "String", boolean: "Bool", number: "Int64", bigint: "Int64" };
  return `Constant_${names[typeof value as keyof typeof names]}Value`;
}

function literalText(value: (CelNode & { kind: "literal" })["value"]): string {
  if (typeof value === "string") return quote(value);
  if (value instanceof Uint8Array) return bytesText(value);
  if (value instanceof CelUint) return `${value.value}u`;
  if (value instanceof CelDouble) return formatDouble(value.value);
  return String(value);
}

/** Text in quotes; what is no UTF-8 as escapes. */
function bytesText(bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString("utf8");
  if (!text.includes("\ufffd")) return `b${quote(text)}`;
  const escaped = Array.from(bytes, (b) =>
    b < 0x80 ? quote(String.fromCharCode(b)).slice(1, -1) : `\\x${b.toString(16)}`,
  );
  return `b"${escaped.join("")}"`;
}

function semantics(node: CelNode): string {
  const type = node.type === undefined ? "" : `~${formatType(node.type)}`;
  const referring = ["ident", "call", "list", "struct", "select"].includes(node.kind);
  if (!referring) return type;
  if (node.overloads !== undefined && node.overloads.length > 0)
    return `${type}^${[...node.overloads].sort().join("|")}`;
  return node.reference === undefined ? type : `${type}^${node.reference}`;
}
