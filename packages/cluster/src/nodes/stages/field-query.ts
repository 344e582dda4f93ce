/**
 * The queries of stages: paths through an object, `.status.conditions.[] | select( .type == "Ready" ) | .status`.
 * Source: kwok pkg/utils/expression (which takes jq's whole language).
 */

type Step =
  | { readonly type: "field"; readonly name: string }
  | { readonly type: "items" }
  | { readonly type: "select"; readonly path: Query; readonly isEqual: boolean; readonly value: unknown };

export type Query = readonly Step[];

/** @throws Error for a query beyond paths, `[]` and `select` */
export function parseQuery(text: string): Query {
  return splitPipes(text).flatMap((part) => parsePart(part.trim(), text));
}

/** The values that a query finds; those that are null or absent are left out. */
export function runQuery(query: Query, object: unknown): unknown[] {
  let values: unknown[] = [object];
  for (const step of query) values = values.flatMap((value) => take(step, value));
  return values.filter((value) => value !== undefined && value !== null);
}

function splitPipes(text: string): string[] {
  return text.split(/\|(?![^(]*\))/);
}

function parsePart(part: string, whole: string): Step[] {
  const [, path, sign, value] = /^select\(\s*(\.\S*)\s*(==|!=)\s*(.*?)\s*\)$/.exec(part) ?? [];
  if (path !== undefined && value !== undefined)
    return [{ type: "select", path: parseQuery(path), isEqual: sign === "==", value: JSON.parse(value) }];
  if (part === ".") return [];
  const steps: Step[] = [];
  const pattern =
    /\.?\[\s*\]|\.?\["((?:\\.|[^"\\])*)"\]|\.?\[(\d+)\]|\.([A-Za-z_][\w-]*)|\."((?:\\.|[^"\\])*)"/y;
  while (pattern.lastIndex < part.length) {
    const match = pattern.exec(part);
    if (match === null)
      throw new Error(
        `the query ${JSON.stringify(whole)} is more than is known here: paths, [] and select( .a == "b" )`,
      );
    const [, quoted, index, plain, dotted] = match;
    const name = quoted ?? index ?? plain ?? dotted;
    steps.push(name === undefined ? { type: "items" } : { type: "field", name });
  }
  return steps;
}

function take(step: Step, value: unknown): unknown[] {
  if (typeof value !== "object" || value === null) return [];
  switch (step.type) {
    case "field":
      return [(value as Readonly<Record<string, unknown>>)[step.name]];
    case "items":
      return Object.values(value);
    default:
      return runQuery(step.path, value).some((found) => found === step.value) === step.isEqual ? [value] : [];
  }
}
