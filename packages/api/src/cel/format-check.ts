/** Checks a literal format string against the literal list of its arguments. Source: cel-go ext/formatting.go. */
import type { CallNode, CelNode } from "./ast.ts";
import { type FormatClause, parseFormat, verbError } from "./format-text.ts";
import type { CelIssue } from "./source.ts";
import { type CelType, type CelTypeKind, celTypes } from "./type.ts";

const kindsOfVerb: Readonly<Record<FormatClause["verb"], ReadonlySet<CelTypeKind>>> = {
  s: new Set([
    "list",
    "map",
    "int",
    "uint",
    "double",
    "bool",
    "string",
    "timestamp",
    "bytes",
    "duration",
    "type",
    "null",
  ]),
  d: new Set(["int", "uint"]),
  f: new Set(["double", "string"]),
  e: new Set(["double", "string"]),
  b: new Set(["int", "uint", "bool"]),
  x: new Set(["int", "uint", "string", "bytes"]),
  X: new Set(["int", "uint", "string", "bytes"]),
  o: new Set(["int", "uint"]),
};

/** The first thing wrong with a call of `format`, if both the format and the list are literals. */
export function formatIssue(node: CallNode): CelIssue[] {
  const { target, args } = node;
  const [list] = args;
  if (target?.kind !== "literal" || typeof target.value !== "string" || list?.kind !== "list") return [];
  const parsed = parseFormat(target.value);
  for (const [i, clause] of parsed.clauses.entries()) {
    const argument = list.elements[i];
    if (argument === undefined) return [{ message: `index ${i} out of range`, offset: node.offset }];
    const bad = unfit(argument, clause.verb);
    if (bad === undefined) continue;
    const message = `error during formatting: ${verbError(clause.verb, (bad.type ?? celTypes.dyn).name)}`;
    return [{ message, offset: bad.offset }];
  }
  if ("error" in parsed) {
    const index = parsed.clauses.length;
    const isMissing = index >= list.elements.length && parsed.error !== "unexpected end of string";
    return [{ message: isMissing ? `index ${index} out of range` : parsed.error, offset: node.offset }];
  }
  if (list.elements.length <= parsed.clauses.length) return [];
  const counts = `(expected ${parsed.clauses.length}, got ${list.elements.length})`;
  return [{ message: `too many arguments supplied to string.format ${counts}`, offset: node.offset }];
}

/** The part of an argument that cannot be formatted; elements of literal collections are looked into for `%s`. */
function unfit(node: CelNode, verb: FormatClause["verb"]): CelNode | undefined {
  if (!fits(node.type ?? celTypes.dyn, verb)) return node;
  if (verb !== "s") return undefined;
  const parts =
    node.kind === "list"
      ? node.elements
      : node.kind === "map"
        ? node.entries.flatMap((entry) => [entry.key, entry.value])
        : [];
  for (const part of parts) {
    const bad = unfit(part, verb);
    if (bad !== undefined) return bad;
  }
  return undefined;
}

function fits(type: CelType, verb: FormatClause["verb"]): boolean {
  return type.kind === "dyn" || kindsOfVerb[verb].has(type.kind);
}
