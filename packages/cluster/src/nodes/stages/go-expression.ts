/** What is between the braces of a template: literals, fields, variables, calls and pipelines. Source: Go text/template. */

/** Commands, each of which gets the value of the one before as its last argument. */
export type Expression = readonly (readonly Operand[])[];

type Operand =
  | { readonly type: "literal"; readonly value: unknown }
  | { readonly type: "data" | "variable"; readonly name: string; readonly path: readonly string[] }
  | { readonly type: "call"; readonly name: string }
  | { readonly type: "group"; readonly value: Expression; readonly path: readonly string[] };

export interface TemplateScope {
  /** The dot. */
  readonly data: unknown;
  readonly variables: Variables;
  readonly functions: Readonly<Record<string, (...args: readonly unknown[]) => unknown>>;
}

/** The variables of a block, and of those around it. */
export class Variables {
  readonly #own: Map<string, unknown>;
  readonly #outer: Variables | undefined;

  constructor(own: readonly (readonly [string, unknown])[], outer?: Variables) {
    this.#own = new Map(own);
    this.#outer = outer;
  }

  /** @throws Error for one that is not declared */
  get(name: string): unknown {
    return this.#holderOf(name).get(name);
  }

  declare(name: string, value: unknown): void {
    this.#own.set(name, value);
  }

  /** @throws Error for one that is not declared */
  assign(name: string, value: unknown): void {
    this.#holderOf(name).set(name, value);
  }

  #holderOf(name: string): Map<string, unknown> {
    if (this.#own.has(name)) return this.#own;
    if (this.#outer === undefined) throw new Error(`the variable ${name} is not declared`);
    return this.#outer.#holderOf(name);
  }
}

const token =
  /\s*(?:("(?:\\.|[^"\\])*"|`[^`]*`)|(-?\d+(?:\.\d+)?)|(\$\w*)((?:\.\w+)*)|(\.(?:\w+(?:\.\w+)*)?)|(\w+)|([()|]))/y;

export class ExpressionReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** @throws Error for what is no expression */
  whole(): Expression {
    const value = this.#pipeline();
    if (this.#rest() !== "") throw this.#wrong();
    return value;
  }

  #rest(): string {
    return this.#text.slice(this.#at).trim();
  }

  #wrong(): Error {
    return new Error(`{{ ${this.#text} }} cannot be read at ${JSON.stringify(this.#rest())}`);
  }

  #pipeline(): Expression {
    const commands: Operand[][] = [[]];
    for (;;) {
      const rest = this.#rest();
      if (rest === "" || rest.startsWith(")")) break;
      const operand = this.#operand();
      if (operand === "|") commands.push([]);
      else commands.at(-1)?.push(operand);
    }
    if (commands.some((command) => command.length === 0)) throw this.#wrong();
    return commands;
  }

  #operand(): Operand | "|" {
    token.lastIndex = this.#at;
    const match = token.exec(this.#text);
    if (match === null) throw this.#wrong();
    const [, quoted, number, variable, path = "", field, word, sign] = match;
    this.#at = token.lastIndex;
    if (sign === "|") return "|";
    if (sign === "(") return this.#group();
    if (sign === ")") throw this.#wrong();
    if (quoted !== undefined) return { type: "literal", value: unquoted(quoted) };
    if (number !== undefined) return { type: "literal", value: Number(number) };
    if (variable !== undefined) return { type: "variable", name: variable, path: parts(path) };
    if (field !== undefined) return { type: "data", name: ".", path: parts(field) };
    if (word === "true" || word === "false") return { type: "literal", value: word === "true" };
    if (word === "nil") return { type: "literal", value: undefined };
    return { type: "call", name: word ?? "" };
  }

  #group(): Operand {
    const value = this.#pipeline();
    const [closing, path = ""] = /^\s*\)((?:\.\w+)*)/.exec(this.#text.slice(this.#at)) ?? [];
    if (closing === undefined) throw this.#wrong();
    this.#at += closing.length;
    return { type: "group", value, path: parts(path) };
  }
}

function parts(path: string): string[] {
  return path.split(".").filter((part) => part !== "");
}

function unquoted(text: string): string {
  return text.startsWith("`") ? text.slice(1, -1) : (JSON.parse(text) as string);
}

/** @throws Error for a function or a variable that there is not */
export function evaluate(expression: Expression, scope: TemplateScope): unknown {
  let piped: readonly unknown[] = [];
  for (const command of expression) piped = [run(command, piped, scope)];
  return piped[0];
}

function run(command: readonly Operand[], piped: readonly unknown[], scope: TemplateScope): unknown {
  const [first, ...rest] = command as [Operand, ...Operand[]];
  if (first.type !== "call") {
    if (rest.length + piped.length > 0) throw new Error("a template gives arguments to what is no function");
    return valueOf(first, scope);
  }
  if (!Object.hasOwn(scope.functions, first.name)) {
    const known = Object.keys(scope.functions).join(", ");
    throw new Error(`the template function ${JSON.stringify(first.name)} is not known (known: ${known})`);
  }
  return scope.functions[first.name]?.(...rest.map((operand) => valueOf(operand, scope)), ...piped);
}

function valueOf(operand: Operand, scope: TemplateScope): unknown {
  switch (operand.type) {
    case "literal":
      return operand.value;
    case "call":
      return run([operand], [], scope);
    case "group":
      return fieldOf(evaluate(operand.value, scope), operand.path);
    case "data":
      return fieldOf(scope.data, operand.path);
    default:
      return fieldOf(scope.variables.get(operand.name), operand.path);
  }
}

function fieldOf(value: unknown, path: readonly string[]): unknown {
  let found = value;
  for (const name of path)
    found =
      typeof found === "object" && found !== null && Object.hasOwn(found, name)
        ? (found as Readonly<Record<string, unknown>>)[name]
        : undefined;
  return found;
}

/** Empty things are false: as in Go. */
export function isTruthy(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (typeof value === "object" && value !== null) return Object.keys(value).length > 0;
  return Boolean(value);
}
