/**
 * What calls cost at run time. Source: cel-go interpreter/runtimecost.go and Kubernetes' apiserver
 * pkg/cel/library/cost.go.
 */
import { CelFormat } from "./named-format.ts";
import { utf8Length } from "./source.ts";
import { codePointLength } from "./text.ts";
import {
  CelListBase,
  CelMap,
  CelObject,
  CelOptional,
  type CelValue,
  isList,
  listAt,
  listItems,
  listSize,
} from "./value.ts";

/** Cost of one call, from its arguments (a member call's target first) and result. */
export type CallCost = (args: readonly CelValue[], result: CelValue) => number;

/** Cost per character of walking a string. */
export const stringTraversalFactor = 0.1;
/** Cost per character of a pattern. */
export const regexFactor = 0.25;
export const listCreateCost = 10;
export const mapCreateCost = 30;
export const structCreateCost = 40;

/** The size that costs count: characters, bytes, elements, entries; 1 for all else. */
export function costSize(value: CelValue): number {
  if (typeof value === "string") return codePointLength(value);
  if (typeof value !== "object" || value === null) return 1;
  if (value instanceof Uint8Array) return value.length;
  if (isList(value)) return listSize(value);
  if (value instanceof CelMap) return value.size;
  if (value instanceof CelObject) return value.costSize;
  if (value instanceof CelOptional && value.value !== undefined) return costSize(value.value);
  return 1;
}

const walked = (size: number): number => Math.ceil(size * stringTraversalFactor);
const sizeAt = (args: readonly CelValue[], index: number): number => costSize(args[index] ?? null);

const walkFirst: CallCost = (args) => walked(sizeAt(args, 0));
const walkFirstTwice: CallCost = (args) => Math.ceil(sizeAt(args, 0) * 2 * stringTraversalFactor);
const walkShorter: CallCost = (args) => walked(Math.min(sizeAt(args, 0), sizeAt(args, 1)));
const walkBoth: CallCost = (args) => walked(sizeAt(args, 0) + sizeAt(args, 1));
const regex: CallCost = (args) => walked(1 + sizeAt(args, 0)) * Math.ceil(sizeAt(args, 1) * regexFactor);
const traverse: CallCost = (args) => traversalCost(args[0] ?? null);

const sortableTypes = [
  "int",
  "uint",
  "double",
  "bool",
  "google.protobuf.Duration",
  "google.protobuf.Timestamp",
  "string",
  "bytes",
];

/** Functions with a cost of their own whatever the overload. */
const byFunction = new Map<string, CallCost | number>([
  ["check", 350_000],
  ...constant(
    1,
    "serviceAccount path group resource subresource namespace name allowed reason error errored",
  ),
  ...constant(traverse, "isSorted sum max min indexOf lastIndexOf includes"),
  ...constant(walkFirst, "url lowerAscii upperAscii substring trim jsonpatch.escapeKey"),
  ...constant(walkFirstTwice, "replace split ip.isCanonical"),
  ["join", (_, result) => Math.ceil(costSize(result) * 2 * stringTraversalFactor)],
  ...constant(regex, "find findAll"),
  ...constant(walkFirst, "cidr isIP isCIDR ip quantity isQuantity semver isSemver"),
  ...constant(
    1,
    "masked prefixLength family isUnspecified isLoopback isLinkLocalMulticast isLinkLocalUnicast isGlobalUnicast",
  ),
  ["format.named", 1],
  ...constant(
    1,
    "sign asInteger isInteger asApproximateFloat isGreaterThan isLessThan compareTo add sub major minor patch",
  ),
  ...constant(1, "getScheme getHostname getHost getPort getEscapedPath getQuery"),
  ...constant<CallCost>((args) => selectorCost(sizeAt(args, 1)), "fieldSelector labelSelector"),
]);

/** Overloads with a cost, where the function as such has none. */
const byOverload = new Map<string, CallCost | number>([
  ["cidr_ip", 1],
  ["cidr_contains_ip_string", (args) => containsIp(args) + walked(sizeAt(args, 1))],
  ["cidr_contains_ip_ip", (args) => containsIp(args)],
  ["cidr_contains_cidr_string", (args) => containsCidr(args) + walked(sizeAt(args, 1))],
  ["cidr_contains_cidr", (args) => containsCidr(args)],
  ...constant(
    walkFirst,
    "starts_with_string ends_with_string string_to_bytes bytes_to_string strings_quote string_format",
  ),
  ["in_list", (args) => sizeAt(args, 1)],
  ...constant(
    walkShorter,
    ["less", "greater", "less_equals", "greater_equals"].map((id) => `${id}_string ${id}_bytes`).join(" "),
  ),
  ...constant(walkBoth, "add_string add_bytes"),
  ["matches_string", regex],
  ...constant<CallCost>(
    (_, result) => allocatedList(1, costSize(result)),
    "list_slice lists_range list_reverse",
  ),
  ["list_flatten", (args) => allocatedList(1, sizeAt(args, 0))],
  ["list_flatten_int", (args) => allocatedList(Number(args[1]), sizeAt(args, 0))],
  ["list_distinct", (args) => selfComparison(args[0] ?? null)],
  ...sortableTypes.flatMap((type): [string, CallCost][] => [
    [`list_${type}_sort`, (args) => selfComparison(args[0] ?? null)],
    [`list_${type}_sortByAssociatedKeys`, (args) => selfComparison(args[1] ?? null)],
  ]),
  ...constant<CallCost>(
    (args) => 1 + sizeAt(args, 0) * sizeAt(args, 1),
    "list_sets_contains_list list_sets_intersects_list",
  ),
  ["list_sets_equivalent_list", (args) => 1 + 2 * sizeAt(args, 0) * sizeAt(args, 1)],
  ["format-validate", (args) => namedFormatCost(args)],
  ["contains_string", (args) => walked(sizeAt(args, 0)) * walked(sizeAt(args, 1))],
]);

function constant<T>(cost: T, names: string): [string, T][] {
  return names.split(" ").map((name) => [name, cost]);
}

/** A call that makes a list. Source: cel-go ext/lists.go. */
function allocatedList(factor: number, size: number): number {
  return Math.trunc(size * factor) + 1 + listCreateCost;
}

/** Each element is compared with each. */
function selfComparison(list: CelValue): number {
  const size = costSize(list);
  if (size === 0 || !isList(list)) return allocatedList(2, 0);
  const first = listAt(list, 0);
  const isText = typeof first === "string" || first instanceof Uint8Array;
  return allocatedList(isText ? 2 + stringTraversalFactor : 2, size * size);
}

function namedFormatCost(args: readonly CelValue[]): number {
  const [format] = args;
  const patternSize = format instanceof CelFormat ? format.patternSize : 0;
  return walked(1 + sizeAt(args, 1)) * Math.ceil(patternSize * regexFactor);
}

function containsIp(args: readonly CelValue[]): number {
  return Math.ceil(sizeAt(args, 0) * 2 * stringTraversalFactor);
}

function containsCidr(args: readonly CelValue[]): number {
  return containsIp(args) + walked(sizeAt(args, 0)) + 1;
}

function selectorCost(size: number): number {
  return (
    listCreateCost + walked(size) + Math.ceil(Math.ceil(size * 0.5) * (listCreateCost + structCreateCost))
  );
}

/** The cost of a call of a function; `overload` is empty when only the values will tell which one it is. */
export function callCost(name: string, overload: string): CallCost | number {
  if (name === "ip" && overload === "cidr_ip") return 1;
  return byFunction.get(name) ?? byOverload.get(overload) ?? 1;
}

/** `==` and `!=`. */
export function equalityCost(a: CelValue, b: CelValue): number {
  if (typeof a === "string" && typeof b === "string") {
    const shorter = Math.min(a.length, b.length);
    if (shorter > 0 && shorter <= 10) return 1;
  }
  return Math.ceil(Math.min(costSize(a), costSize(b)) * stringTraversalFactor);
}

function traversalCost(value: CelValue): number {
  if (typeof value === "string") return Math.trunc(utf8Length(value) * stringTraversalFactor);
  if (typeof value !== "object" || value === null) return 1;
  if (value instanceof Uint8Array) return Math.trunc(value.length * stringTraversalFactor);
  if (isList(value)) {
    const items = value instanceof CelListBase ? listItems(value) : (value as readonly CelValue[]);
    return items.reduce<number>((sum, item) => sum + traversalCost(item), 0);
  }
  if (!(value instanceof CelMap)) return 1;
  return value
    .keys()
    .reduce<number>((sum, key) => sum + traversalCost(key) + traversalCost(value.get(key) ?? null), 0);
}
