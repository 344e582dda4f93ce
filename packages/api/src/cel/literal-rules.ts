/**
 * What is checked of literals once the types fit: timestamps, durations and patterns that can be read, lists and maps of
 * one type, format strings that fit their arguments. Source: cel-go cel/validator.go, ext/formatting.go.
 */
import type { CallNode, CelNode } from "./ast.ts";
import { childNodes } from "./ast.ts";
import { toDuration, toTimestamp } from "./convert.ts";
import { formatIssue } from "./format-check.ts";
import { patternProblem } from "./pattern.ts";
import type { CelIssue } from "./source.ts";
import { type CelType, celTypes, formatType, unwrapOptional } from "./type.ts";
import { CelError, type CelValue } from "./value.ts";

/** Adds an issue for every literal that can never work. */
export function validateLiterals(root: CelNode, issues: CelIssue[]): void {
  visit(root, false, issues);
}

function visit(node: CelNode, inFormat: boolean, issues: CelIssue[]): void {
  if (node.kind === "call") checkCall(node, issues);
  if (!inFormat) checkSameTypes(node, issues);
  const exempt = inFormat || (node.kind === "call" && (node.name === "format" || node.name === "cel.@block"));
  for (const child of childNodes(node)) visit(child, exempt, issues);
}

function checkCall(node: CallNode, issues: CelIssue[]): void {
  const [argument] = node.args;
  if (node.name === "format") issues.push(...formatIssue(node));
  if (argument?.kind !== "literal") return;
  const { value } = argument;
  const works =
    node.name === "duration"
      ? canConvert(toDuration, value)
      : node.name === "timestamp"
        ? canConvert(toTimestamp, value)
        : node.name !== "matches" || typeof value !== "string" || patternProblem(value) === undefined;
  if (!works) issues.push({ message: `invalid ${node.name} argument`, offset: argument.offset });
}

function canConvert(convert: (value: CelValue) => CelValue, value: CelValue): boolean {
  try {
    convert(value);
    return true;
  } catch (error) {
    if (error instanceof CelError) return false;
    throw error;
  }
}

function checkSameTypes(node: CelNode, issues: CelIssue[]): void {
  if (node.kind === "list") {
    const types = node.elements.map((element, i) => typeOf(element, node.optionals.has(i)));
    const [first = celTypes.dyn] = types;
    const odd = types.findIndex((type) => !isEquivalent(first, type));
    if (odd > 0) report(node.elements[odd] as CelNode, first, types[odd] as CelType, issues);
  }
  if (node.kind !== "map") return;
  const [head] = node.entries;
  if (head === undefined) return;
  const keyType = typeOf(head.key, false);
  const valueType = typeOf(head.value, head.optional);
  for (const entry of node.entries.slice(1)) {
    const key = typeOf(entry.key, false);
    const value = typeOf(entry.value, entry.optional);
    if (!isEquivalent(keyType, key)) report(entry.key, keyType, key, issues);
    if (!isEquivalent(valueType, value)) report(entry.value, valueType, value, issues);
  }
}

function typeOf(node: CelNode, optional: boolean): CelType {
  const type = node.type ?? celTypes.dyn;
  return optional ? unwrapOptional(type) : type;
}

function report(node: CelNode, expected: CelType, actual: CelType, issues: CelIssue[]): void {
  const message = `expected type '${formatType(expected)}' but found '${formatType(actual)}'`;
  issues.push({ message, offset: node.offset });
}

/** The same but for the names of type parameters. */
function isEquivalent(a: CelType, b: CelType): boolean {
  if (a.kind !== b.kind || a.parameters.length !== b.parameters.length) return false;
  if (a.kind !== "typeParam" && a.name !== b.name) return false;
  return a.parameters.every((parameter, i) => isEquivalent(parameter, b.parameters[i] as CelType));
}
