/**
 * From text to a syntax tree, macros expanded. Rules and errors follow the grammar of cel-go (parser/gen/CEL.g4,
 * parser/parser.go), binary operators by precedence.
 */
import type { CelNode, ListNode, MapEntry, StructField } from "./ast.ts";
import { type Token, type TokenKind, tokenize } from "./lexer.ts";
import { expandMacro, type Macros, standardMacros } from "./macros.ts";
import { type CelIssue, CelSource } from "./source.ts";
import {
  defaultLimits,
  ParseAbort,
  type ParserLimits,
  type TokenSet,
  TokenStream,
  tokenSet,
} from "./token-stream.ts";
import {
  argumentsStart,
  calculations,
  fieldsStart,
  listStart,
  mapStart,
  memberOperators,
  multiplications,
  name,
  none,
  operand,
  optionalName,
  optionalOperand,
  primaryStart,
  relations,
} from "./token-sets.ts";
import { literalValue } from "./literal-text.ts";

export interface ParseResult {
  readonly source: CelSource;
  readonly node: CelNode;
  /** Empty when the text is an expression. */
  readonly issues: readonly CelIssue[];
}

const sizeLimit = 100_000;

export interface ParseOptions {
  readonly macros?: Macros;
  /** What errors call the text; `<input>` by default. */
  readonly description?: string;
  readonly limits?: ParserLimits;
}

/** Parses an expression. Never throws: what is wrong is in `issues`. */
export function parse(text: string, options: ParseOptions = {}): ParseResult {
  const { macros = standardMacros, description = "<input>", limits = defaultLimits } = options;
  const source = new CelSource(text, description);
  const issues: CelIssue[] = [];
  const size = source.characters.length;
  if (size > sizeLimit) {
    const message = `expression code point size exceeds limit: size: ${size}, limit ${sizeLimit}`;
    return { source, node: { kind: "unspecified", offset: 0 }, issues: [{ message, offset: -1 }] };
  }
  const parser = new Parser(new TokenStream(tokenize(source, issues), issues, limits), issues, macros);
  const node = parser.start();
  if (parser.deepest > limits.depth) issues.push({ message: "max recursion depth exceeded", offset: -1 });
  return { source, node, issues };
}

/** Names that are no identifiers, though the grammar takes them. */
const reservedNames = new Set(
  "as break const continue else false for function if import in let loop package namespace null return true var void while".split(
    " ",
  ),
);

class Parser {
  readonly #tokens: TokenStream;
  readonly #issues: CelIssue[];
  readonly #macros: Macros;
  /** How deep operators, selections, indices and member calls are nested in what was parsed since it was reset. */
  #deepest = 0;

  constructor(tokens: TokenStream, issues: CelIssue[], macros: Macros) {
    this.#tokens = tokens;
    this.#issues = issues;
    this.#macros = macros;
  }

  start(): CelNode {
    let node = this.#nothing();
    try {
      this.#tokens.rule(
        "start",
        none,
        () => {
          node = this.#expr(tokenSet("<EOF>"));
          this.#tokens.match("<EOF>", none);
        },
        () => {},
      );
    } catch (error) {
      if (!(error instanceof ParseAbort)) throw error;
    }
    return node;
  }

  get deepest(): number {
    return this.#deepest;
  }

  /** Runs a rule that counts levels for what it parses itself. */
  #levels(rule: string, follow: TokenSet, body: () => CelNode): CelNode {
    return this.#rule(rule, follow, () => {
      const before = this.#deepest;
      this.#deepest = 0;
      const node = body();
      this.#deepest = Math.max(before, this.#deepest);
      return node;
    });
  }

  #expr(follow: TokenSet): CelNode {
    return this.#levels("expr", follow, () => {
      const condition = this.#logical("conditionalOr", tokenSet("'?'"));
      const question = this.#tokens.takeIf("'?'");
      if (question === undefined) return condition;
      const whenTrue = this.#logical("conditionalOr", tokenSet("':'"));
      this.#tokens.match("':'", operand);
      const whenFalse = this.#expr(none);
      this.#deepest++;
      return this.#call(question.offset, "_?_:_", [condition, whenTrue, whenFalse]);
    });
  }

  /** `||` chains of `&&` chains of relations; a chain becomes a balanced tree, as in cel-go. */
  #logical(rule: "conditionalOr" | "conditionalAnd", follow: TokenSet): CelNode {
    return this.#rule(rule, follow, () => {
      const kind = rule === "conditionalOr" ? "'||'" : "'&&'";
      const operator = rule === "conditionalOr" ? "_||_" : "_&&_";
      const term = (): CelNode =>
        rule === "conditionalOr"
          ? this.#logical("conditionalAnd", tokenSet("'||'"))
          : this.#relation(tokenSet("'&&'"), 0);
      const terms = [term()];
      const offsets: number[] = [];
      while (this.#tokens.is(kind)) {
        offsets.push(this.#tokens.take().offset);
        terms.push(term());
      }
      return balance(operator, terms, offsets, 0, offsets.length - 1);
    });
  }

  #relation(follow: TokenSet, level: number): CelNode {
    return this.#binary("relation", follow, relations, level, (inner) => this.#calc(inner, 0));
  }

  #calc(follow: TokenSet, level: number): CelNode {
    return this.#levels("calc", follow, () => {
      let left = this.#unary(calculations);
      for (;;) {
        const kinds = level === 0 ? calculations : multiplications;
        if (level > 1 || !this.#tokens.in(kinds)) break;
        const operator = this.#tokens.take();
        const right = this.#calc(calculations, multiplications.has(operator.kind) ? 2 : 1);
        this.#deepest++;
        left = this.#call(operator.offset, operatorName(operator), [left, right]);
      }
      return left;
    });
  }

  #binary(
    rule: string,
    follow: TokenSet,
    operators: TokenSet,
    level: number,
    inner: (follow: TokenSet) => CelNode,
  ): CelNode {
    return this.#levels(rule, follow, () => {
      let left = inner(operators);
      while (level === 0 && this.#tokens.in(operators)) {
        const operator = this.#tokens.take();
        const right = this.#relation(operators, 1);
        this.#deepest++;
        left = this.#call(operator.offset, operatorName(operator), [left, right]);
      }
      return left;
    });
  }

  #unary(follow: TokenSet): CelNode {
    return this.#rule("unary", follow, () => {
      this.#tokens.sync(operand);
      const { kind, offset } = this.#tokens.peek();
      if (kind === "'!'") {
        const count = this.#nots();
        const target = this.#member(none);
        return count % 2 === 0 ? target : this.#call(offset, "!_", [target]);
      }
      if (kind === "'-'") {
        const count = this.#minuses();
        const target = this.#member(none);
        return count % 2 === 0 ? target : this.#call(offset, "-_", [target]);
      }
      return this.#member(none);
    });
  }

  #nots(): number {
    let count = 0;
    while (this.#tokens.is("'!'")) {
      this.#tokens.take();
      count++;
      this.#tokens.syncLoop(operand);
    }
    return count;
  }

  /** Takes minus signs, but for one right before a single number, which is part of the literal. */
  #minuses(): number {
    let count = 0;
    while (this.#tokens.is("'-'")) {
      if (!this.#tokens.in(primaryStart, 1)) throw this.#tokens.noAlternative(2);
      if (count === 0 && this.#isNumber(1)) return 0;
      this.#tokens.take();
      count++;
      this.#tokens.syncLoop(operand);
    }
    return count;
  }

  #isNumber(ahead: number): boolean {
    return this.#tokens.is("NUM_INT", ahead) || this.#tokens.is("NUM_FLOAT", ahead);
  }

  #member(follow: TokenSet): CelNode {
    return this.#levels("member", follow, () => {
      let node = this.#primary(memberOperators);
      while (this.#tokens.in(memberOperators)) {
        node = this.#tokens.is("'['") ? this.#index(node) : this.#selectOrCall(node);
        this.#deepest++;
      }
      return node;
    });
  }

  #index(target: CelNode): CelNode {
    const { offset } = this.#tokens.take();
    this.#tokens.sync(optionalOperand);
    const optional = this.#tokens.takeIf("'?'") !== undefined;
    const index = this.#expr(tokenSet("']'"));
    this.#tokens.match("']'", memberOperators);
    return this.#call(offset, optional ? "_[?_]" : "_[_]", [target, index]);
  }

  #selectOrCall(operandNode: CelNode): CelNode {
    const tokens = this.#tokens;
    if (!tokens.in(optionalName, 1)) throw tokens.noAlternative(2);
    const dot = tokens.take();
    if (tokens.is("IDENTIFIER") && tokens.is("'('", 1)) {
      const { text } = tokens.take();
      const open = tokens.take();
      return this.#call(open.offset, text, this.#arguments(), operandNode);
    }
    const optional = tokens.takeIf("'?'") !== undefined;
    const field = this.#fieldName(memberOperators);
    if (field === undefined) return this.#nothing();
    if (!optional) {
      return { kind: "select", offset: dot.offset, operand: operandNode, field: field.text, testOnly: false };
    }
    const fieldNode: CelNode = { kind: "literal", offset: field.offset, value: field.text };
    return {
      kind: "call",
      offset: dot.offset,
      name: "_?._",
      target: undefined,
      args: [operandNode, fieldNode],
    };
  }

  #fieldName(follow: TokenSet): { text: string; offset: number } | undefined {
    return this.#tokens.rule<{ text: string; offset: number } | undefined>(
      "escapeIdent",
      follow,
      () => {
        this.#tokens.sync(name);
        if (!this.#tokens.in(name)) throw this.#tokens.noAlternative(1);
        const { kind, text, offset } = this.#tokens.take();
        return { text: kind === "ESC_IDENTIFIER" ? text.slice(1, -1) : text, offset };
      },
      () => undefined,
    );
  }

  #arguments(): CelNode[] {
    this.#tokens.sync(argumentsStart);
    const args = this.#tokens.in(operand) ? this.#exprList() : [];
    this.#tokens.match("')'", memberOperators);
    return args;
  }

  #exprList(): CelNode[] {
    return this.#tokens.rule(
      "exprList",
      tokenSet("')'"),
      () => {
        const list = [this.#expr(tokenSet("','"))];
        while (this.#tokens.takeIf("','") !== undefined) list.push(this.#expr(tokenSet("','")));
        return list;
      },
      () => [],
    );
  }

  #primary(follow: TokenSet): CelNode {
    return this.#rule("primary", follow, () => {
      this.#tokens.sync(primaryStart);
      const { kind, offset } = this.#tokens.peek();
      switch (kind) {
        case "'.'":
        case "IDENTIFIER":
          return this.#named();
        case "'('": {
          this.#tokens.take();
          const node = this.#expr(tokenSet("')'"));
          this.#tokens.match("')'", memberOperators);
          return node;
        }
        case "'['":
          return this.#list(offset);
        case "'{'":
          return this.#map(offset);
        default:
          if (!this.#tokens.in(primaryStart)) throw this.#tokens.noAlternative(1);
          if (kind === "'-'" && !this.#isNumber(1)) throw this.#tokens.noAlternative(2);
          return this.#literal();
      }
    });
  }

  /** An identifier, a call of a global function, or `name.of.Type{...}`. */
  #named(): CelNode {
    const tokens = this.#tokens;
    const leading = tokens.is("'.'") ? 1 : 0;
    if (!tokens.is("IDENTIFIER", leading)) throw tokens.noAlternative(leading + 1);
    const words = this.#typeNameLength(leading);
    if (words > 0) return this.#struct(leading, words);
    const start = tokens.peek().offset;
    if (leading > 0) tokens.take();
    const identifier = tokens.take();
    const fullName = (leading > 0 ? "." : "") + identifier.text;
    const reserved = reservedNames.has(identifier.text);
    if (reserved) this.#issues.push({ message: `reserved identifier: ${identifier.text}`, offset: start });
    if (!tokens.is("'('")) {
      return reserved
        ? { kind: "unspecified", offset: start }
        : { kind: "ident", offset: identifier.offset, name: fullName };
    }
    const open = tokens.take();
    const args = this.#arguments();
    return reserved ? this.#nothing() : this.#call(open.offset, fullName, args);
  }

  /** Number of tokens of `a.b.C` when a `{` follows it, else 0. */
  #typeNameLength(from: number): number {
    let at = from + 1;
    while (this.#tokens.is("'.'", at) && this.#tokens.is("IDENTIFIER", at + 1)) at += 2;
    return this.#tokens.is("'{'", at) ? at - from : 0;
  }

  #struct(leading: number, words: number): CelNode {
    let typeName = "";
    for (let i = 0; i < leading + words; i++) typeName += this.#tokens.take().text;
    const { offset } = this.#tokens.take();
    this.#tokens.sync(fieldsStart);
    const fields = this.#tokens.in(optionalName) ? this.#fieldList() : [];
    this.#trailingComma("'}'");
    return { kind: "struct", offset, name: typeName, fields };
  }

  #fieldList(): StructField[] {
    return this.#tokens.rule<StructField[]>(
      "fieldInitializerList",
      tokenSet("','", "'}'"),
      () => {
        const fields: StructField[] = [];
        do {
          const { optional, field } = this.#optionalField();
          const colon = this.#tokens.match("':'", operand);
          const value = this.#expr(tokenSet("','"));
          if (field !== undefined) fields.push({ offset: colon.offset, name: field, value, optional });
        } while (this.#moreAfterComma(optionalName));
        return fields;
      },
      () => [],
    );
  }

  #optionalField(): { optional: boolean; field: string | undefined } {
    return this.#tokens.rule<{ optional: boolean; field: string | undefined }>(
      "optField",
      tokenSet("':'"),
      () => {
        this.#tokens.sync(optionalName);
        const optional = this.#tokens.takeIf("'?'") !== undefined;
        return { optional, field: this.#fieldName(none)?.text };
      },
      () => ({ optional: false, field: undefined }),
    );
  }

  #moreAfterComma(start: TokenSet): boolean {
    if (!this.#tokens.is("','") || !this.#tokens.in(start, 1)) return false;
    this.#tokens.take();
    return true;
  }

  #trailingComma(close: TokenKind): void {
    this.#tokens.sync(tokenSet("','", close));
    this.#tokens.takeIf("','");
    this.#tokens.match(close, memberOperators);
  }

  #list(offset: number): ListNode {
    this.#tokens.take();
    this.#tokens.sync(listStart);
    const list = this.#tokens.in(optionalOperand)
      ? this.#listItems()
      : { elements: [], optionals: new Set<number>() };
    this.#trailingComma("']'");
    return { kind: "list", offset, ...list };
  }

  #listItems(): { elements: CelNode[]; optionals: Set<number> } {
    return this.#tokens.rule<{ elements: CelNode[]; optionals: Set<number> }>(
      "listInit",
      tokenSet("','", "']'"),
      () => {
        const elements: CelNode[] = [];
        const optionals = new Set<number>();
        do {
          const { optional, node } = this.#optionalExpr(tokenSet("','"));
          if (optional) optionals.add(elements.length);
          elements.push(node);
        } while (this.#moreAfterComma(optionalOperand));
        return { elements, optionals };
      },
      () => ({ elements: [], optionals: new Set() }),
    );
  }

  #optionalExpr(follow: TokenSet): { optional: boolean; node: CelNode } {
    return this.#tokens.rule<{ optional: boolean; node: CelNode }>(
      "optExpr",
      follow,
      () => {
        this.#tokens.sync(optionalOperand);
        const optional = this.#tokens.takeIf("'?'") !== undefined;
        return { optional, node: this.#expr(none) };
      },
      () => ({ optional: false, node: this.#nothing() }),
    );
  }

  #map(offset: number): CelNode {
    this.#tokens.take();
    this.#tokens.sync(mapStart);
    const entries = this.#tokens.in(optionalOperand) ? this.#mapEntries() : [];
    this.#trailingComma("'}'");
    return { kind: "map", offset, entries };
  }

  #mapEntries(): MapEntry[] {
    return this.#tokens.rule<MapEntry[]>(
      "mapInitializerList",
      tokenSet("','", "'}'"),
      () => {
        const entries: MapEntry[] = [];
        do {
          const { optional, node } = this.#optionalExpr(tokenSet("':'"));
          const colon = this.#tokens.match("':'", operand);
          entries.push({ offset: colon.offset, key: node, value: this.#expr(tokenSet("','")), optional });
        } while (this.#moreAfterComma(optionalOperand));
        return entries;
      },
      () => [],
    );
  }

  #literal(): CelNode {
    const first = this.#tokens.take();
    const token = first.kind === "'-'" ? this.#tokens.take() : first;
    const text = (first === token ? "" : "-") + token.text;
    const value = literalValue(token.kind, text);
    if (typeof value !== "object" || value === null || !("error" in value)) {
      return { kind: "literal", offset: first.offset, value };
    }
    this.#issues.push({ message: value.error, offset: first.offset });
    return this.#nothing();
  }

  #call(offset: number, callName: string, args: CelNode[], target?: CelNode): CelNode {
    const expansion = expandMacro(this.#macros, { offset, name: callName, args, target }, this.#issues);
    return expansion ?? { kind: "call", offset, name: callName, target, args };
  }

  #rule(rule: string, follow: TokenSet, body: () => CelNode): CelNode {
    return this.#tokens.rule(rule, follow, body, () => this.#nothing());
  }

  #nothing(): CelNode {
    return { kind: "unspecified", offset: this.#tokens.peek().offset };
  }
}

function operatorName(token: Token): string {
  return token.kind === "'in'" ? "@in" : `_${token.text}_`;
}

function balance(operator: string, terms: CelNode[], offsets: number[], low: number, high: number): CelNode {
  if (offsets.length === 0) return terms[0] as CelNode;
  const middle = Math.floor((low + high + 1) / 2);
  const left =
    middle === low ? (terms[middle] as CelNode) : balance(operator, terms, offsets, low, middle - 1);
  const right =
    middle === high ? (terms[middle + 1] as CelNode) : balance(operator, terms, offsets, middle + 1, high);
  return {
    kind: "call",
    offset: offsets[middle] as number,
    name: operator,
    target: undefined,
    args: [left, right],
  };
}
