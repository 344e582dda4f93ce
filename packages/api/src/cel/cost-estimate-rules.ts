/**
 * Estimates of calls, from the sizes of their arguments. Source: cel-go checker/cost.go (functionCost), ext/lists.go,
 * ext/sets.go; Kubernetes' apiserver pkg/cel/library/cost.go (EstimateCallCost).
 */
import type { CelNode } from "./ast.ts";
import { listCreateCost, regexFactor, stringTraversalFactor, structCreateCost } from "./cost-rules.ts";
import {
  addRanges,
  fixed,
  multiplyRanges,
  one,
  type Range,
  scaleRange,
  sizeLimit,
  unknownSize,
} from "./size-range.ts";
import type { CelType } from "./type.ts";

/** An argument and what is known of its size. */
export interface SizedNode {
  readonly node: CelNode;
  readonly type: CelType;
  readonly size: Range | undefined;
  /** Of the elements, when it is a list. */
  elementSize(): { readonly type: CelType; readonly size: Range | undefined } | undefined;
}

export interface CallEstimate {
  readonly cost: Range;
  /** Of the result, when it is text or a collection. */
  readonly size?: Range;
}

type Rule = (
  target: SizedNode | undefined,
  args: readonly SizedNode[],
  overload: string,
) => CallEstimate | undefined;

/** The estimate of one overload without its arguments' own costs; undefined when it costs one unit. */
export function estimateCall(
  name: string,
  overload: string,
  target: SizedNode | undefined,
  args: readonly SizedNode[],
): CallEstimate | undefined {
  return (
    byListOverload.get(overload)?.(target, args, overload) ??
    byFunction.get(name)?.(target, args, overload) ??
    byOverload.get(overload)?.(target, args, overload)
  );
}

function sizeOf(node: SizedNode | undefined): Range {
  return node?.size ?? unknownSize;
}

function walked(size: Range): Range {
  return scaleRange(size, stringTraversalFactor);
}

const unit: Rule = () => ({ cost: one });

function walkFirst(keepSize: boolean, factor = stringTraversalFactor): Rule {
  return (_, args) => {
    if (args.length === 0) return undefined;
    const size = sizeOf(args[0]);
    return keepSize ? { cost: scaleRange(size, factor), size } : { cost: scaleRange(size, factor) };
  };
}

const walkTarget: Rule = (target) => {
  if (target === undefined) return undefined;
  const size = sizeOf(target);
  return { cost: walked(size), size };
};

const compareElements: Rule = (target) => {
  if (target === undefined) return undefined;
  const element = target.elementSize();
  if (element === undefined) return { cost: walked(sizeOf(target)) };
  const isText = element.type.kind === "string" || element.type.kind === "bytes";
  const each = isText ? addRanges(one, walked(element.size ?? unknownSize)) : one;
  return { cost: multiplyRanges(sizeOf(target), each) };
};

const find: Rule = (target, args) => {
  if (target === undefined || args.length === 0) return undefined;
  const size = sizeOf(target);
  const text = walked(addRanges(size, one));
  const pattern = scaleRange(sizeOf(args[0]), regexFactor);
  return { cost: multiplyRanges(text, pattern), size: { min: 0, max: size.max } };
};

const split: Rule = (target, args) => {
  if (target === undefined) return undefined;
  const size = sizeOf(target);
  const limit = args[1]?.node;
  const count = limit?.kind === "literal" && typeof limit.value === "number" ? limit.value : undefined;
  const max = count === undefined ? size.max : count < 0 ? sizeLimit : count;
  return { cost: scaleRange(size, 2 * stringTraversalFactor), size: { min: 0, max } };
};

const join: Rule = (target, args) => {
  if (target === undefined) return undefined;
  const list = sizeOf(target);
  const element = target.elementSize();
  let size = element === undefined ? fixed(0) : multiplyRanges(list, element.size ?? unknownSize);
  if (args.length > 0) {
    const separators = { min: Math.max(list.min - 1, 0), max: Math.max(list.max - 1, 0) };
    size = addRanges(size, multiplyRanges(sizeOf(args[0]), separators));
  }
  return { cost: walked(size), size };
};

const replace: Rule = (target, args) => {
  if (target === undefined || args.length < 2) return undefined;
  const size = sizeOf(target);
  const part = sizeOf(args[0]);
  const by = sizeOf(args[1]);
  const longest = replaceMax(size.max, part.min, by.max);
  const shortest = replaceMin(size.min, part.max, by.min);
  const count = { min: shortest.count, max: longest.count };
  const kept = { min: shortest.kept, max: longest.kept };
  const result = addRanges(multiplyRanges(count, by), kept);
  return { cost: scaleRange(size, 2 * stringTraversalFactor), size: result };
};

function replaceMax(size: number, part: number, by: number): { count: number; kept: number } {
  if (part === 0) return { count: size + 1, kept: size };
  if (by <= part) return { count: 0, kept: size };
  return { count: Math.ceil(size / part), kept: 0 };
}

function replaceMin(size: number, part: number, by: number): { count: number; kept: number } {
  if (part === 0) return { count: size + 1, kept: size };
  if (part <= by) return { count: 0, kept: size };
  return { count: Math.ceil(size / part), kept: 0 };
}

/** Addresses have 4 to 16 bytes. */
const addressSize: Range = { min: 4, max: 16 };

function contains(stringOverload: string, extra: Range): Rule {
  return (_, args, overload) => {
    if (args.length === 0) return undefined;
    const cost = addRanges(walked(addRanges(addressSize, addressSize)), extra);
    return { cost: overload === stringOverload ? addRanges(cost, walked(sizeOf(args[0]))) : cost };
  };
}

const selector: Rule = (_, args) => {
  if (args.length !== 1) return undefined;
  const size = sizeOf(args[0]);
  const requirements = scaleRange(scaleRange(size, 0.5), listCreateCost + structCreateCost);
  return { cost: addRanges(addRanges(fixed(listCreateCost), walked(size)), requirements) };
};

/** Longest pattern that a named format may stand for, and longest text of a format. */
const formatRegexSizeMax = 128;
const formatSizeMax = 64;

const validate: Rule = (_, args) => {
  if (args.length === 0) return undefined;
  return { cost: scaleRange(walked(sizeOf(args[0])), formatRegexSizeMax * regexFactor) };
};

const opaqueEquality: Rule = (_, args) => {
  const [left, right] = args;
  if (left === undefined || right === undefined || left.type.name !== right.type.name) return undefined;
  switch (left.type.name) {
    case "kubernetes.NamedFormat":
      return { cost: walked({ min: 1, max: formatSizeMax }) };
    case "kubernetes.URL":
      return { cost: walked({ min: 1, max: right.size?.max ?? 1 }) };
    default:
      return costlessTypes.has(left.type.name) ? { cost: one } : undefined;
  }
};

const costlessTypes = new Set([
  "net.IP",
  "net.CIDR",
  "kubernetes.Quantity",
  "kubernetes.Semver",
  "kubernetes.authorization.Authorizer",
  "kubernetes.authorization.PathCheck",
  "kubernetes.authorization.GroupCheck",
  "kubernetes.authorization.ResourceCheck",
  "kubernetes.authorization.Decision",
]);

function named(rule: Rule, names: string): [string, Rule][] {
  return names.split(" ").map((name) => [name, rule]);
}

const byFunction = new Map<string, Rule>([
  ["check", () => ({ cost: fixed(350_000) })],
  ...named(
    unit,
    "serviceAccount path group resource subresource namespace name allowed reason error errored",
  ),
  ...named(selector, "fieldSelector labelSelector"),
  ...named(compareElements, "isSorted sum max min indexOf lastIndexOf includes"),
  ["url", walkFirst(true)],
  ...named(walkTarget, "lowerAscii upperAscii substring trim"),
  ["replace", replace],
  ["split", split],
  ["join", join],
  ...named(find, "find findAll"),
  ...named(walkFirst(false), "cidr isIP isCIDR quantity isQuantity semver isSemver"),
  [
    "ip",
    (target, args, overload) =>
      overload === "cidr_ip" ? { cost: one } : walkFirst(false)(target, args, overload),
  ],
  ["ip.isCanonical", walkFirst(false, 2 * stringTraversalFactor)],
  ...named(
    unit,
    "masked prefixLength family isUnspecified isLoopback isLinkLocalMulticast isLinkLocalUnicast isGlobalUnicast",
  ),
  ["containsIP", contains("cidr_contains_ip_string", fixed(0))],
  ["containsCIDR", contains("cidr_contains_cidr_string", addRanges(walked(addressSize), one))],
  ["validate", validate],
  ["format.named", unit],
  ...named(
    unit,
    "sign asInteger isInteger asApproximateFloat isGreaterThan isLessThan compareTo add sub major minor patch",
  ),
  ...named(unit, "getScheme getHostname getHost getPort getEscapedPath getQuery"),
  ["_==_", opaqueEquality],
]);

const compareText: Rule = (_, args) => {
  const smaller = Math.min(sizeOf(args[0]).max, sizeOf(args[1]).max);
  return { cost: walked({ min: smaller > 0 ? 1 : 0, max: smaller }) };
};

const addText: Rule = (_, args) => {
  const size = addRanges(sizeOf(args[0]), sizeOf(args[1]));
  return { cost: walked(size), size };
};

function resized(resize: (size: Range) => Range): Rule {
  return (_, args) => {
    const size = sizeOf(args[0]);
    return { cost: walked(size), size: resize(size) };
  };
}

const byOverload = new Map<string, Rule>([
  ["string_format", (target) => (target === undefined ? undefined : { cost: walked(sizeOf(target)) })],
  ["string_to_bytes", resized((size) => ({ min: size.min, max: size.max * 4 }))],
  ["bytes_to_string", resized((size) => ({ min: Math.floor(size.min / 4), max: size.max }))],
  // For a text of unknown length cel-go's 64-bit arithmetic comes round to 0.
  [
    "strings_quote",
    resized((size) => ({ min: size.min + 2, max: size.max === sizeLimit ? 0 : size.max * 2 + 2 })),
  ],
  ...named((_, args) => ({ cost: walked(sizeOf(args[0])) }), "starts_with_string ends_with_string"),
  ["in_list", (_, args) => ({ cost: sizeOf(args[1]) })],
  [
    "matches_string",
    (target, args) => {
      if (target === undefined || args.length !== 1) return undefined;
      const text = walked(addRanges(sizeOf(target), one));
      return { cost: multiplyRanges(text, scaleRange(sizeOf(args[0]), regexFactor)) };
    },
  ],
  [
    "contains_string",
    (target, args) => ({ cost: multiplyRanges(walked(sizeOf(target)), walked(sizeOf(args[0]))) }),
  ],
  ...named(addText, "add_string add_bytes"),
  ...named(compareText, "equals not_equals"),
  ...["less", "greater", "less_equals", "greater_equals"].flatMap((id) =>
    named(compareText, `${id}_string ${id}_bytes`),
  ),
]);

/** The value of a literal int, or what stands for it. */
function literalOr(node: SizedNode | undefined, otherwise: number): number {
  if (node?.node.kind !== "literal" || typeof node.node.value !== "number") return otherwise;
  return Math.max(node.node.value, 0);
}

function allocated(factor: number, size: Range): CallEstimate {
  return { cost: addRanges(addRanges(scaleRange(size, factor), one), fixed(listCreateCost)), size };
}

const comparable = [
  "int",
  "uint",
  "double",
  "bool",
  "google.protobuf.Duration",
  "google.protobuf.Timestamp",
  "string",
  "bytes",
];

function square(node: SizedNode | undefined, type: string): CallEstimate {
  const size = sizeOf(node);
  const isText = type === "string" || type === "bytes";
  return allocated(isText ? 2 + stringTraversalFactor : 2, multiplyRanges(size, size));
}

function sets(factor: number): Rule {
  return (_, args) => ({
    cost: addRanges(scaleRange(multiplyRanges(sizeOf(args[0]), sizeOf(args[1])), factor), one),
  });
}

const byListOverload = new Map<string, Rule>([
  [
    "list_slice",
    (target, args) => {
      const size = sizeOf(target);
      const length = literalOr(args[1], size.max) - literalOr(args[0], 0);
      return allocated(1, fixed(length < 0 || Number.isNaN(length) ? sizeLimit : length));
    },
  ],
  ["lists_range", (_, args) => allocated(1, fixed(literalOr(args[0], sizeLimit)))],
  ["list_reverse", (target) => allocated(1, sizeOf(target))],
  ["list_flatten", (target) => allocated(1, sizeOf(target))],
  ["list_flatten_int", (target, args) => allocated(literalOr(args[0], sizeLimit), sizeOf(target))],
  ["list_distinct", (target) => square(target, "")],
  ...comparable.flatMap((type): [string, Rule][] => [
    [`list_${type}_sort`, (target) => square(target, type)],
    [`list_${type}_sortByAssociatedKeys`, (_, args) => square(args[0], type)],
  ]),
  ...named(sets(1), "list_sets_contains_list list_sets_intersects_list"),
  ["list_sets_equivalent_list", sets(2)],
]);
