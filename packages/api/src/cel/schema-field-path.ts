/**
 * The `fieldPath` of a rule: a path of names through a schema, `.spec.items` or `['a-b'].c`.
 * Source: apiextensions-apiserver pkg/apiserver/schema/cel/validation.go (ValidFieldPath).
 */
import type { JsonSchema } from "../schema/json-schema.ts";

/** The path as errors print it, or what is wrong with it. */
export function fieldPathOf(text: string, schema: JsonSchema): { readonly path: string } | string {
  const tokens = tokensOf(text);
  let at: JsonSchema = schema;
  let path = "";
  let i = 0;
  while (i < tokens.length) {
    const step = readStep(tokens, i);
    if (typeof step === "string") return step;
    const { name, length } = step;
    const next = stepInto(at, name);
    if (next === undefined) return "does not refer to a valid field";
    const isNamed = at.properties !== undefined;
    path = isNamed ? (path === "" ? name : `${path}.${name}`) : `${path}[${name}]`;
    at = next;
    i += length;
    if (length > 2 && tokens[i - 1] !== "]") {
      return i > tokens.length ? "unexpected end of JSON path" : `expected ] but got ${tokens[i - 1]}`;
    }
  }
  return { path };
}

function stepInto(schema: JsonSchema, name: string): JsonSchema | undefined {
  if (schema.properties !== undefined) {
    return Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
  }
  return typeof schema.additionalProperties === "object" ? schema.additionalProperties : undefined;
}

/** `.name` is two tokens long, `['name']` three. */
function readStep(tokens: readonly string[], at: number): { name: string; length: number } | string {
  const [head, name] = [tokens[at] as string, tokens[at + 1]];
  if (head !== "." && head !== "[") return `expected [ or . but got: ${head}`;
  if (name === undefined) return "unexpected end of JSON path";
  if (head === ".") return { name, length: 2 };
  if (name.length < 2 || !name.startsWith("'") || !name.endsWith("'")) {
    return `expected single quoted string but got ${name}`;
  }
  const unescaped = unescape(name.slice(1, -1));
  return unescaped === undefined ? "invalid string literal" : { name: unescaped, length: 3 };
}

/** Dots and brackets, single-quoted strings, and what is between. */
function tokensOf(text: string): string[] {
  const tokens: string[] = [];
  let rest = text;
  while (rest !== "") {
    const token = rest.startsWith("'")
      ? (/^'(?:\\.|[^'])*?'/.exec(rest)?.[0] ?? rest)
      : (/^(?:[.[\]]|[^.[\]]+)/.exec(rest)?.[0] ?? rest);
    tokens.push(token);
    rest = rest.slice(token.length);
  }
  return tokens;
}

const escapes: Readonly<Record<string, string>> = {
  a: "\u0007",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "'": "'",
  "\\": "\\",
};

function unescape(text: string): string | undefined {
  let valid = true;
  const result = text.replace(/\\(.)/g, (_, directive: string) => {
    const character = escapes[directive];
    if (character === undefined) valid = false;
    return character ?? "";
  });
  return valid ? result : undefined;
}
