import { unquoteText } from "./jsonpath-quote.ts";

/** A template that cannot be read or evaluated. The message is kubectl's. */
export class JsonPathError extends Error {
  override readonly name: string = "JsonPathError";
}

/** One step of an expression. */
export type PathNode =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "field"; readonly name: string }
  | { readonly kind: "slice"; readonly slice: Slice }
  | { readonly kind: "filter"; readonly left: PathList; readonly right: PathList; readonly operator: string }
  | { readonly kind: "literal"; readonly value: number | boolean }
  | { readonly kind: "wildcard" }
  | { readonly kind: "recursive" }
  | { readonly kind: "union"; readonly lists: readonly PathList[] }
  | { readonly kind: "identifier"; readonly name: string }
  | { readonly kind: "list"; readonly nodes: PathList };

export type PathList = readonly PathNode[];

/** `[start:end:step]`; an undefined part was left out. `single` marks `[start]`, whose end follows from the start. */
export interface Slice {
  readonly start: number | undefined;
  readonly end: number | undefined;
  readonly step: number | undefined;
  readonly single: boolean;
}

/**
 * Reads a template: texts, and one list per `{...}`.
 * Source of the grammar: k8s.io/client-go util/jsonpath (parser.go).
 * @throws JsonPathError
 */
export function parseTemplate(text: string): PathList {
  return new Parser(text).template();
}

const end = "";
const dictKey = /^'([^']*)'$/;
const sliceForm = /^(-?[0-9]*)(:-?[0-9]*)?(:-?[0-9]*)?$/;
const comparison = /^([^!<>=]+)([!<>=]+)(.+?)$/s;

class Parser {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  template(): PathList {
    const nodes: PathNode[] = [];
    while (this.#at < this.#text.length) {
      const open = this.#text.indexOf("{", this.#at);
      const stop = open < 0 ? this.#text.length : open;
      if (stop > this.#at) nodes.push({ kind: "text", text: this.#text.slice(this.#at, stop) });
      this.#at = stop;
      if (open < 0) break;
      this.#at++;
      nodes.push({ kind: "list", nodes: this.#action() });
    }
    return nodes;
  }

  /** The inside of braces, up to and with the closing one. */
  #action(): PathList {
    const nodes: PathNode[] = [];
    for (;;) {
      if (this.#startsWith("}")) {
        this.#at++;
        return nodes;
      }
      if (this.#startsWith("[?(")) nodes.push(this.#filter());
      else if (this.#startsWith("..")) this.#recursive(nodes);
      else this.#step(nodes);
    }
  }

  #step(nodes: PathNode[]): void {
    const char = this.#peek();
    if (char === end || char === "\r" || char === "\n") throw new JsonPathError("unclosed action");
    if (char === " " || char === "@" || char === "$") this.#at++;
    else if (char === "[") nodes.push(...this.#array());
    else if (char === '"' || char === "'") nodes.push(this.#quoted(char));
    else if (char === ".") {
      this.#at++;
      nodes.push(this.#field());
    } else if (/[+\-\p{Nd}]/u.test(char)) nodes.push(this.#number());
    else if (isAlphaNumeric(char)) nodes.push(this.#identifier());
    else throw new JsonPathError(`unrecognized character in action: ${unicodeName(char)}`);
  }

  #recursive(nodes: PathNode[]): void {
    if (nodes.at(-1)?.kind === "recursive") throw new JsonPathError("invalid multiple recursive descent");
    this.#at += 2;
    nodes.push({ kind: "recursive" });
    if (isAlphaNumeric(this.#peek())) nodes.push(this.#field());
  }

  #identifier(): PathNode {
    const start = this.#at;
    while (!isTerminator(this.#peek())) this.#next();
    const name = this.#text.slice(start, this.#at);
    if (name === "true" || name === "false") return { kind: "literal", value: name === "true" };
    return { kind: "identifier", name };
  }

  /** A name up to the next terminator that no backslash escapes. */
  #field(): PathNode {
    const start = this.#at;
    while (!isTerminator(this.#peek())) {
      if (this.#next() === "\\") this.#next();
    }
    const name = this.#text.slice(start, this.#at);
    return name === "*" ? { kind: "wildcard" } : { kind: "field", name: name.replaceAll("\\", "") };
  }

  #number(): PathNode {
    const start = this.#at;
    this.#next();
    while (/[.\p{Nd}]/u.test(this.#peek())) this.#next();
    const text = this.#text.slice(start, this.#at);
    if (!/^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)$/.test(text))
      throw new JsonPathError(`cannot parse number ${text}`);
    return { kind: "literal", value: Number(text) };
  }

  #quoted(quote: string): PathNode {
    const start = this.#at++;
    for (;;) {
      const char = this.#next();
      if (char === end || char === "\n") throw new JsonPathError("unterminated quoted string");
      if (char === quote && this.#text[this.#at - 2] !== "\\") break;
    }
    const quoted = this.#text.slice(start, this.#at);
    const text = unquoteText(quoted);
    if (text === undefined) throw new JsonPathError(`unquote string ${quoted} error invalid syntax`);
    return { kind: "text", text };
  }

  #array(): PathList {
    const start = this.#at + 1;
    for (;;) {
      const char = this.#next();
      if (char === end || char === "\n") throw new JsonPathError("unterminated array");
      if (char === "]") break;
    }
    const inside = this.#text.slice(start, this.#at - 1);
    const text = inside === "*" ? ":" : inside;
    const parts = text.split(",");
    if (parts.length > 1) {
      return [{ kind: "union", lists: parts.map((part) => parseAction(`[${trimSpaces(part)}]`)) }];
    }
    const key = dictKey.exec(text);
    if (key !== null) return parseAction(`.${key[1]}`);
    return [{ kind: "slice", slice: parseSlice(text) }];
  }

  #filter(): PathNode {
    this.#at += 3;
    const text = this.#filterText();
    if (this.#next() !== "]") throw new JsonPathError("unclosed array expect ]");
    const match = comparison.exec(text);
    if (match === null) return { kind: "filter", left: parseAction(text), right: [], operator: "exists" };
    const [, left = "", operator = "", right = ""] = match;
    return { kind: "filter", left: parseAction(left), right: parseAction(right), operator };
  }

  /** Up to the closing parenthesis; inside of one pair of quotes parentheses do not count. */
  #filterText(): string {
    const start = this.#at;
    let pair: string | undefined;
    let closed = false;
    for (;;) {
      const char = this.#next();
      if (char === end || char === "\n") throw new JsonPathError("unterminated filter");
      if (char === '"' || char === "'") {
        if (pair === undefined) pair = char;
        else if (char === pair && this.#text[this.#at - 2] !== "\\") closed = true;
      } else if (char === ")" && (pair !== undefined) === closed) {
        return this.#text.slice(start, this.#at - 1);
      }
    }
  }

  #startsWith(prefix: string): boolean {
    return this.#text.startsWith(prefix, this.#at);
  }

  /** The next character, `end` at the end. */
  #peek(): string {
    const code = this.#text.codePointAt(this.#at);
    return code === undefined ? end : String.fromCodePoint(code);
  }

  #next(): string {
    const char = this.#peek();
    this.#at += char.length;
    return char;
  }
}

/** An expression without its braces. */
function parseAction(text: string): PathList {
  const [first] = parseTemplate(`{${text}}`);
  return first?.kind === "list" ? first.nodes : [];
}

function parseSlice(text: string): Slice {
  const match = sliceForm.exec(text);
  if (match === null) throw new JsonPathError(`invalid array index ${text}`);
  const [, start = "", tail, step] = match;
  return {
    start: parseIndex(start),
    end: tail === undefined ? undefined : parseIndex(tail.slice(1)),
    step: step === undefined ? undefined : parseIndex(step.slice(1)),
    single: tail === undefined,
  };
}

function parseIndex(text: string): number | undefined {
  if (text === "") return undefined;
  if (text === "-") throw new JsonPathError(`array index ${text} is not a number`);
  return Number(text);
}

function trimSpaces(text: string): string {
  return text.replace(/^ +| +$/g, "");
}

function isTerminator(char: string): boolean {
  return char === end || " \t\r\n.,[]$@{}".includes(char);
}

function isAlphaNumeric(char: string): boolean {
  return /^[_\p{L}\p{Nd}]$/u.test(char);
}

/** `U+0021 '!'`, as Go's %#U prints. */
function unicodeName(char: string): string {
  const code = (char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  return /[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(char) ? `U+${code} '${char}'` : `U+${code}`;
}
