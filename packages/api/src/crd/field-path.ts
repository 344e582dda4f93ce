/** Simple paths of selectable fields: `.spec.color`. Source: schema/cel/validation.go (ValidFieldPath without arrays). */
import type { JsonSchema } from "../schema/json-schema.ts";

export type ResolvedPath =
  | { readonly path: string; readonly root: string; readonly schema: JsonSchema }
  | { readonly error: string };

/** The schema that a path leads to, or why it leads nowhere. */
export function resolveFieldPath(jsonPath: string, schema: JsonSchema): ResolvedPath {
  const tokens = tokenize(jsonPath);
  let current = schema;
  let path = "";
  let root = "";
  for (let i = 0; i < tokens.length; i += 2) {
    const token = tokens[i];
    if (token === "[") return { error: "array notation is not allowed" };
    if (token !== ".") return { error: `expected [ or . but got: ${token}` };
    const name = tokens[i + 1];
    if (name === undefined) return { error: "unexpected end of JSON path" };
    const next = step(current, name);
    if (next === undefined) return { error: "does not refer to a valid field" };
    // A field of a map is printed as a key of it.
    path += next.named ? (path === "" ? name : `.${name}`) : `[${name}]`;
    if (root === "") root = name;
    current = next.schema;
  }
  return { path, root, schema: current };
}

function step(schema: JsonSchema, name: string): { schema: JsonSchema; named: boolean } | undefined {
  const { properties, additionalProperties } = schema;
  if (properties !== undefined && Object.keys(properties).length > 0) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return property && { schema: property, named: true };
  }
  if (additionalProperties === undefined) return undefined;
  return { schema: typeof additionalProperties === "object" ? additionalProperties : {}, named: false };
}

/** Dots and brackets are tokens of their own; a text in single quotes is one token with its quotes. */
function tokenize(text: string): string[] {
  const tokens: string[] = [];
  let rest = text;
  while (rest !== "") {
    const quoted = rest.startsWith("'") ? (/^'(?:[^'\\]|\\.)*'/.exec(rest)?.[0] ?? rest) : undefined;
    const token = quoted ?? (/^[.[\]]/.exec(rest)?.[0] || (/^[^.[\]]+/.exec(rest)?.[0] ?? rest));
    tokens.push(token);
    rest = rest.slice(token.length);
  }
  return tokens;
}
