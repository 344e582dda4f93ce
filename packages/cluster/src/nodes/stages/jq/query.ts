/**
 * jq expressions that find values in an object: `.status.conditions[] | select(.type == "Ready") | .status`. Everything of
 * jq that asks is known; what changes (`=`, `|=`), binds (`as`, `reduce`, `def`) or formats (`@base64`, `\(...)`) is not.
 * Source of the rules: jq 1.7, manual; kwok pkg/utils/expression for what is made of failures and nulls.
 */
import { operators } from "./arithmetic.ts";
import {
  type Filter,
  JqError,
  alternative,
  attempt,
  binary,
  collect,
  comma,
  conditional,
  constant,
  construct,
  descend,
  identity,
  index,
  items,
  logical,
  pipe,
  slice,
} from "./filter.ts";
import { functions } from "./functions.ts";

export type Query = Filter;

/** @throws Error for a query that cannot be read, or goes beyond what is known here */
export function parseQuery(text: string): Query {
  return new QueryReader(text).whole();
}

/** The values that a query finds; those that are null are left out. A query that fails finds nothing. */
export function runQuery(query: Query, object: unknown): unknown[] {
  try {
    return [...query(object)].filter((value) => value !== undefined && value !== null);
  } catch (error) {
    if (error instanceof JqError) return [];
    throw error;
  }
}

const token =
  /\s*(?:(\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|("(?:\\.|[^"\\])*")|(\.\.)|\.([A-Za-z_]\w*)|([A-Za-z_]\w*)|(\/\/|==|!=|<=|>=|[.[\](){}|,:;?+\-*/%<>]))/y;

interface Token {
  readonly type: "number" | "string" | "descend" | "field" | "word" | "sign" | "end";
  readonly text: string;
}

const endToken: Token = { type: "end", text: "" };

/** Operators by how tightly they bind, loosest first; those of one level are taken from left to right. */
const levels: readonly (readonly string[])[] = [
  ["or"],
  ["and"],
  ["==", "!=", "<", "<=", ">", ">="],
  ["+", "-"],
  ["*", "/", "%"],
];

const keywords: ReadonlySet<string> = new Set(["then", "elif", "else", "end", "and", "or"]);

class QueryReader {
  readonly #text: string;
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(text: string) {
    this.#text = text;
    this.#tokens = this.#split();
  }

  whole(): Filter {
    const filter = this.#pipe();
    if (this.#next.type !== "end") throw this.#wrong();
    return filter;
  }

  #split(): Token[] {
    const tokens: Token[] = [];
    for (let at = 0; this.#text.slice(at).trim() !== ""; at = token.lastIndex) {
      token.lastIndex = at;
      const match = token.exec(this.#text);
      if (match === null) throw this.#error(this.#text.slice(at).trim());
      const [, number, string, dots, field, word, sign] = match;
      if (number !== undefined) tokens.push({ type: "number", text: number });
      else if (string !== undefined) tokens.push({ type: "string", text: this.#unquoted(string) });
      else if (dots !== undefined) tokens.push({ type: "descend", text: dots });
      else if (field !== undefined) tokens.push({ type: "field", text: field });
      else if (word !== undefined) tokens.push({ type: "word", text: word });
      else tokens.push({ type: "sign", text: sign ?? "" });
    }
    return tokens;
  }

  #unquoted(literal: string): string {
    try {
      return JSON.parse(literal) as string;
    } catch {
      throw this.#error(literal);
    }
  }

  get #next(): Token {
    return this.#tokens[this.#at] ?? endToken;
  }

  #error(at: string): Error {
    const known = "paths, operators, select and the functions that only ask";
    return new Error(
      `the query ${JSON.stringify(this.#text)} cannot be read at ${JSON.stringify(at)} (known is the part of jq that finds values: ${known})`,
    );
  }

  #wrong(): Error {
    return this.#error(
      this.#tokens
        .slice(this.#at)
        .map(({ text }) => text)
        .join(" "),
    );
  }

  /** Takes the sign or keyword if it is next. */
  #takes(text: string): boolean {
    const { type, text: found } = this.#next;
    if (found !== text || (type !== "sign" && type !== "word")) return false;
    this.#at++;
    return true;
  }

  #expect(text: string): void {
    if (!this.#takes(text)) throw this.#wrong();
  }

  #pipe(): Filter {
    let filter = this.#comma();
    while (this.#takes("|")) filter = pipe(filter, this.#comma());
    return filter;
  }

  #comma(): Filter {
    let filter = this.#alternative();
    while (this.#takes(",")) filter = comma(filter, this.#alternative());
    return filter;
  }

  #alternative(): Filter {
    const first = this.#operation(0);
    return this.#takes("//") ? alternative(first, this.#alternative()) : first;
  }

  #operation(level: number): Filter {
    const known = levels[level];
    if (known === undefined) return this.#postfix();
    let left = this.#operation(level + 1);
    for (;;) {
      const sign = known.find((candidate) => this.#takes(candidate));
      if (sign === undefined) return left;
      const right = this.#operation(level + 1);
      const combine = operators[sign];
      left = combine === undefined ? logical(left, right, sign === "or") : binary(left, right, combine);
    }
  }

  #postfix(): Filter {
    let filter = this.#term();
    for (;;) {
      const { type, text } = this.#next;
      if (type === "field") {
        this.#at++;
        filter = index(filter, constant(text));
      } else if (this.#takes("?")) filter = attempt(filter);
      else if (this.#takes("[")) filter = this.#bracket(filter);
      else if (this.#isDotBefore()) {
        this.#at++;
        filter = this.#afterDot(filter);
      } else return filter;
    }
  }

  /** A dot that goes on with a bracket or a quoted name. */
  #isDotBefore(): boolean {
    const after = this.#tokens[this.#at + 1];
    return this.#next.text === "." && (after?.type === "string" || after?.text === "[");
  }

  #afterDot(target: Filter): Filter {
    const { type, text } = this.#next;
    this.#at++;
    return type === "string" ? index(target, constant(text)) : this.#bracket(target);
  }

  /** After an opening bracket. */
  #bracket(target: Filter): Filter {
    if (this.#takes("]")) return items(target);
    if (this.#takes(":")) return this.#sliceTo(target, undefined);
    const key = this.#pipe();
    if (this.#takes(":")) return this.#sliceTo(target, key);
    this.#expect("]");
    return index(target, key);
  }

  #sliceTo(target: Filter, from: Filter | undefined): Filter {
    if (this.#takes("]")) return slice(target, from, undefined);
    const to = this.#pipe();
    this.#expect("]");
    return slice(target, from, to);
  }

  #term(): Filter {
    const { type, text } = this.#next;
    this.#at++;
    switch (type) {
      case "number":
        return constant(Number(text));
      case "string":
        return constant(text);
      case "descend":
        return descend;
      case "field":
        return index(identity, constant(text));
      case "word":
        return this.#word(text);
      default:
        return this.#signed(text);
    }
  }

  #signed(sign: string): Filter {
    switch (sign) {
      case ".":
        return this.#next.type === "string" || this.#next.text === "[" ? this.#afterDot(identity) : identity;
      case "(":
        return this.#until(")");
      case "[":
        return this.#takes("]") ? constant([]) : collect(this.#until("]"));
      case "{":
        return this.#object();
      case "-":
        return binary(constant(0), this.#postfix(), operators["-"] as never);
      default:
        this.#at--;
        throw this.#wrong();
    }
  }

  #until(closing: string): Filter {
    const filter = this.#pipe();
    this.#expect(closing);
    return filter;
  }

  #word(name: string): Filter {
    if (name === "true" || name === "false") return constant(name === "true");
    if (name === "null") return constant(null);
    if (name === "if") return this.#conditional();
    const args: Filter[] = [];
    if (!keywords.has(name) && this.#takes("(")) {
      do args.push(this.#pipe());
      while (this.#takes(";"));
      this.#expect(")");
    }
    const make = functions[`${name}/${args.length}`];
    if (make !== undefined) return make(...args);
    throw this.#error(args.length === 0 ? name : `${name}/${args.length}`);
  }

  #conditional(): Filter {
    const condition = this.#pipe();
    this.#expect("then");
    const yes = this.#pipe();
    if (this.#takes("elif")) return conditional(condition, yes, this.#conditional());
    const no = this.#takes("else") ? this.#pipe() : identity;
    this.#expect("end");
    return conditional(condition, yes, no);
  }

  #object(): Filter {
    const entries: [Filter, Filter][] = [];
    if (this.#takes("}")) return construct(entries);
    do entries.push(this.#entry());
    while (this.#takes(","));
    this.#expect("}");
    return construct(entries);
  }

  #entry(): [Filter, Filter] {
    if (this.#takes("(")) {
      const key = this.#until(")");
      this.#expect(":");
      return [key, this.#alternative()];
    }
    const { type, text } = this.#next;
    if (type !== "word" && type !== "string") throw this.#wrong();
    this.#at++;
    const key = constant(text);
    return [key, this.#takes(":") ? this.#alternative() : index(identity, key)];
  }
}
