import { encodeJson } from "../codec/json.ts";
import { goNumberText, goTypeName, goValueText } from "../codec/go-text.ts";
import { JsonPathError, type PathList, type PathNode, type Slice, parseTemplate } from "./jsonpath-parser.ts";

/** A compiled JSONPath template as kubectl reads it: parse once, use for many objects. */
export interface JsonPath {
  /**
   * The values that each part of the template finds, in order: one list for each `{...}` and each text between them; the
   * parts of a `{range}` come once per value.
   * @throws JsonPathError for a missing key (unless allowed) or an index out of bounds
   */
  find(value: unknown): unknown[][];
  /**
   * The template filled in, as `kubectl get -o jsonpath=` prints it.
   * @throws JsonPathError as `find`
   */
  print(value: unknown): string;
}

export interface JsonPathOptions {
  /** A key that is not there finds nothing instead of being an error. Default false; kubectl and columns allow it. */
  readonly allowMissingKeys?: boolean;
}

/**
 * Compiles a template: `{.items[*].metadata.name}`.
 * @throws JsonPathError
 * Source of the semantics: k8s.io/client-go util/jsonpath (jsonpath.go).
 */
export function parseJsonPath(template: string, options: JsonPathOptions = {}): JsonPath {
  const parts = nestRanges(parseTemplate(template));
  const evaluator = new Evaluator(options.allowMissingKeys ?? false);
  const find = (value: unknown): unknown[][] => evaluator.parts(parts, value);
  return { find, print: (value) => find(value).map(printResults).join("") };
}

/**
 * Compiles the path of an `additionalPrinterColumns` entry: `.spec.x`. Missing keys find nothing.
 * @throws JsonPathError
 */
export function parseColumnPath(path: string): JsonPath {
  return parseJsonPath(`{${path}}`, { allowMissingKeys: true });
}

/**
 * Compiles a path as `-o custom-columns` and `--sort-by` write it: `.spec.x`, `spec.x`, `{.spec.x}` or `{spec.x}`.
 * @throws JsonPathError
 */
export function parseRelaxedPath(path: string): JsonPath {
  const match = /^\{?\.?([^{}]+)\}?$/.exec(path);
  if (match === null) {
    throw new JsonPathError(
      "unexpected path string, expected a 'name1.name2' or '.name1.name2' or '{name1.name2}' or '{.name1.name2}'",
    );
  }
  return parseJsonPath(`{.${match[1]}}`, { allowMissingKeys: true });
}

/** The results of one part as kubectl prints them: separated by spaces, objects and lists as JSON. */
export function printResults(results: readonly unknown[]): string {
  return results.map(printValue).join(" ");
}

function printValue(value: unknown): string {
  if (typeof value === "object" && value !== null) return encodeJson(sorted(value));
  if (typeof value === "number") return goNumberText(value);
  return value === undefined || value === null ? "null" : String(value);
}

/** The value with the members of its objects in the order in which Go prints maps. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item)]));
}

/** A part of a template; a range holds what is between it and its end. */
type Part = PathNode | { readonly kind: "range"; readonly over: PathNode; readonly body: readonly Part[] };

function nestRanges(nodes: PathList): readonly Part[] {
  const open: { over: PathNode | undefined; body: Part[] }[] = [{ over: undefined, body: [] }];
  const close = (): void => {
    const done = open.pop();
    if (done?.over !== undefined) open.at(-1)?.body.push({ kind: "range", over: done.over, body: done.body });
  };
  for (const node of nodes) {
    if (hasIdentifier(node, "range")) open.push({ over: node, body: [] });
    else if (hasIdentifier(node, "end") && open.length > 1) close();
    else open.at(-1)?.body.push(node);
  }
  // What follows a range that nobody ends is also done once for the outer value, as upstream does.
  while (open.length > 1) {
    const unended = open.at(-1)?.body ?? [];
    close();
    open.at(-1)?.body.push(...unended);
  }
  return open[0]?.body ?? [];
}

function hasIdentifier(node: PathNode, name: string): boolean {
  return (
    node.kind === "list" && node.nodes.some((inner) => inner.kind === "identifier" && inner.name === name)
  );
}

type Values = readonly unknown[];

class Evaluator {
  readonly #allowMissingKeys: boolean;

  constructor(allowMissingKeys: boolean) {
    this.#allowMissingKeys = allowMissingKeys;
  }

  parts(parts: readonly Part[], value: unknown): unknown[][] {
    const results: unknown[][] = [];
    for (const part of parts) {
      if (part.kind !== "range") {
        results.push([...this.#node(part, [value])]);
        continue;
      }
      const values = this.#node(part.over, [value]);
      for (const item of values) results.push(...this.parts(part.body, item));
      // Without values the body still runs once, for its errors.
      if (values.length === 0) this.parts(part.body, undefined);
    }
    return results;
  }

  #list(nodes: PathList, input: Values): Values {
    return nodes.reduce((values: Values, node) => this.#node(node, values), input);
  }

  #node(node: PathNode, input: Values): Values {
    switch (node.kind) {
      case "list":
        return this.#list(node.nodes, input);
      case "text":
        return [node.text];
      case "field":
        return this.#field(node.name, input);
      case "slice":
        return sliceAll(node.slice, input);
      case "filter":
        return input.flatMap((value) => this.#filter(node, value));
      case "literal":
        return input.map(() => node.value);
      case "wildcard":
        return input.flatMap(childrenOf);
      case "recursive":
        return input.flatMap(descendantsOf);
      case "union":
        return node.lists.flatMap((list) => this.#list(list, input));
      case "identifier":
        return identifier(node.name, input);
    }
  }

  #field(name: string, input: Values): Values {
    if (input.length === 0) return [];
    const results = input.flatMap((value) =>
      isRecord(value) && Object.hasOwn(value, name) && value[name] !== undefined ? [value[name]] : [],
    );
    if (results.length === 0 && !this.#allowMissingKeys) throw new JsonPathError(`${name} is not found`);
    return results;
  }

  #filter(node: PathNode & { kind: "filter" }, value: unknown): Values {
    if (!Array.isArray(value)) {
      throw new JsonPathError(`${goValueText(value)} is not array or slice and cannot be filtered`);
    }
    return value.filter((item) => this.#passes(node, item));
  }

  #passes({ left, right, operator }: PathNode & { kind: "filter" }, item: unknown): boolean {
    if (operator === "exists") return this.#exists(left, item);
    const lefts = this.#list(left, [item]);
    if (lefts.length === 0) return false;
    if (lefts.length > 1) throw new JsonPathError("can only compare one element at a time");
    const rights = this.#list(right, [item]);
    if (rights.length === 0) return false;
    if (rights.length > 1) throw new JsonPathError("can only compare one element at a time");
    return compare(lefts[0], operator, rights[0]);
  }

  #exists(left: PathList, item: unknown): boolean {
    try {
      return this.#list(left, [item]).length > 0;
    } catch (error) {
      if (error instanceof JsonPathError) return false;
      throw error;
    }
  }
}

function identifier(name: string, input: Values): Values {
  if (name === "range") return input;
  if (name === "end") throw new JsonPathError("not in range, nothing to end");
  throw new JsonPathError(`unrecognized identifier ${name}`);
}

function sliceAll(slice: Slice, input: Values): Values {
  const results: unknown[] = [];
  for (const value of input) {
    if (value === null) continue;
    if (!Array.isArray(value)) throw new JsonPathError(`${goTypeName(value)} is not array or slice`);
    const { start, end } = boundsOf(slice, value.length);
    // An empty slice ends the step, as it does upstream, whatever input follows.
    if (start === end) return results;
    for (let i = start; i < end; i += stepOf(slice)) results.push(value[i]);
  }
  return results;
}

function boundsOf(slice: Slice, length: number): { start: number; end: number } {
  const from = slice.start ?? 0;
  const start = from < 0 ? from + length : from;
  let end = slice.single ? from + 1 : (slice.end ?? length);
  if (end < 0 || (end === 0 && slice.single)) end += length;
  if (start === end) return { start, end };
  if (start >= length || start < 0) {
    throw new JsonPathError(`array index out of bounds: index ${start}, length ${length}`);
  }
  if (end > length || end < 0) {
    throw new JsonPathError(`array index out of bounds: index ${end - 1}, length ${length}`);
  }
  if (start > end) throw new JsonPathError(`starting index ${start} is greater than ending index ${end}`);
  return { start, end };
}

function stepOf({ step }: Slice): number {
  if (step === undefined) return 1;
  if (step <= 0) throw new JsonPathError("step must be > 0");
  return step;
}

function childrenOf(value: unknown): Values {
  if (Array.isArray(value)) return value;
  if (isRecord(value)) return Object.values(value);
  return typeof value === "string" ? Array.from(value, (char) => char.codePointAt(0)) : [];
}

/** The value and everything in it that has parts; an empty string or a number has none. */
function descendantsOf(value: unknown): Values {
  const children = childrenOf(value);
  if (children.length === 0) return [];
  return typeof value === "string" ? [value] : [value, ...children.flatMap(descendantsOf)];
}

function compare(left: unknown, operator: string, right: unknown): boolean {
  switch (operator) {
    case "==":
      return equals(left, right);
    case "!=":
      return !equals(left, right);
    case "<":
      return less(left, right);
    case "<=":
      return less(left, right) || equals(left, right);
    case ">":
      return !less(left, right) && !equals(left, right);
    case ">=":
      return !less(left, right);
    default:
      throw new JsonPathError(`unrecognized filter operator ${operator}`);
  }
}

function equals(left: unknown, right: unknown): boolean {
  comparableKind(left, right);
  return left === right;
}

function less(left: unknown, right: unknown): boolean {
  if (comparableKind(left, right) === "bool") throw new JsonPathError("invalid type for comparison");
  return (left as number | string) < (right as number | string);
}

function comparableKind(left: unknown, right: unknown): string {
  const kinds = [basicKind(left), basicKind(right)];
  if (kinds[0] !== kinds[1]) throw new JsonPathError("incompatible types for comparison");
  return kinds[0] ?? "";
}

function basicKind(value: unknown): string {
  switch (typeof value) {
    case "string":
      return "string";
    case "boolean":
      return "bool";
    case "bigint":
      return "int";
    case "number":
      return Number.isInteger(value) ? "int" : "float";
    default:
      throw new JsonPathError("invalid type for comparison");
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
