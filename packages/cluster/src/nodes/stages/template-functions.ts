/** The functions of stage templates: Go's own, kwok's, and a few of sprig's. Source: kwok pkg/utils/gotpl. */
import { encodeYaml, jsonEqual } from "@bowline/api";
import { rfc3339 } from "@bowline/client";
import { isTruthy } from "./go-expression.ts";
import type { TemplateFunctions } from "./go-template.ts";

/** What templates ask of the cluster. */
export interface TemplatePlace {
  now(): number;
  /** Address of a node; `""` for one that is not simulated. */
  nodeIp(node: string): string;
  /** Address of a pod on a node. */
  podIp(node: string, uid: string): string;
}

const text = (value: unknown): string => (value === undefined || value === null ? "" : String(value));
const order = (a: unknown, b: unknown): number =>
  typeof a === "number" && typeof b === "number" ? a - b : text(a) < text(b) ? -1 : text(a) > text(b) ? 1 : 0;
const same = (a: unknown, b: unknown): boolean => jsonEqual((a ?? null) as never, (b ?? null) as never);

const plain: TemplateFunctions = {
  and: (...all) => all.find((value) => !isTruthy(value)) ?? all.at(-1),
  or: (...all) => all.find(isTruthy) ?? all.at(-1),
  not: (value) => !isTruthy(value),
  eq: (first, ...others) => others.some((other) => same(first, other)),
  ne: (a, b) => !same(a, b),
  lt: (a, b) => order(a, b) < 0,
  le: (a, b) => order(a, b) <= 0,
  gt: (a, b) => order(a, b) > 0,
  ge: (a, b) => order(a, b) >= 0,
  len: (value) =>
    typeof value === "object" && value !== null ? Object.keys(value).length : text(value).length,
  index: (value, ...keys) =>
    keys.reduce((found, key) => (found as Readonly<Record<string, unknown>> | undefined)?.[text(key)], value),
  print: (...all) => all.map(text).join(""),
  printf: (format, ...all) => formatted(text(format), all),
  quote: (value) => JSON.stringify(text(value)),
  Quote: (value) => JSON.stringify(text(value)),
  YAML: (value, indent = 0) => indented(encodeYaml(value as never), Number(indent)),
  toJson: (value) => JSON.stringify(value ?? null),
  Version: () => "v1.35.0",
  default: (fallback, value) => (isTruthy(value) ? value : fallback),
  coalesce: (...all) => all.find(isTruthy),
  ternary: (yes, no, value) => (isTruthy(value) ? yes : no),
  list: (...all) => all,
  dict: (...all) =>
    Object.fromEntries(all.flatMap((key, i) => (i % 2 === 0 ? [[text(key), all[i + 1]]] : []))),
  hasKey: (value, key) => Object.hasOwn((value ?? {}) as object, text(key)),
  toString: text,
  lower: (value) => text(value).toLowerCase(),
  upper: (value) => text(value).toUpperCase(),
  trim: (value) => text(value).trim(),
  contains: (part, value) => text(value).includes(text(part)),
  hasPrefix: (part, value) => text(value).startsWith(text(part)),
  hasSuffix: (part, value) => text(value).endsWith(text(part)),
  replace: (from, to, value) => text(value).replaceAll(text(from), text(to)),
  add: (...all) => all.reduce((sum: number, value) => sum + Number(value), 0),
  sub: (a, b) => Number(a) - Number(b),
};

/** @param node name of the node that the object is, or is on */
export function templateFunctions(place: TemplatePlace, node: string, uid: string): TemplateFunctions {
  return {
    ...plain,
    Now: () => rfc3339(place.now()),
    now: () => rfc3339(place.now()),
    NodeName: () => node,
    NodePort: () => 10250,
    NodeIP: () => place.nodeIp(node),
    NodeIPWith: (name) => place.nodeIp(text(name)),
    PodIP: () => place.podIp(node, uid),
    PodIPWith: (name, isHost, pod) =>
      isTruthy(isHost) ? place.nodeIp(text(name)) : place.podIp(text(name), text(pod)),
  };
}

/** `%s`, `%v`, `%d` and `%q`. */
function formatted(format: string, values: readonly unknown[]): string {
  let at = 0;
  return format.replace(/%([svdq%])/g, (_whole, verb: string) => {
    if (verb === "%") return "%";
    const value = text(values[at++]);
    return verb === "q" ? JSON.stringify(value) : value;
  });
}

function indented(yaml: string, levels: number): string {
  return yaml.trimEnd().replaceAll("\n", `\n${"  ".repeat(levels)}`);
}
