/** The functions of stage templates: Go's own, kwok's, and those of sprig. Source: Go text/template; kwok pkg/utils/gotpl. */
import { encodeYaml, jsonEqual } from "@bowline/api";
import { rfc3339 } from "@bowline/client";
import { isTruthy } from "./go-expression.ts";
import type { TemplateFunctions } from "./go-template.ts";
import { sprigFunctions, textOf } from "./sprig-functions.ts";

/** What templates ask of the cluster. */
export interface TemplatePlace {
  now(): number;
  /** Address of a node; `""` for one that is not simulated. */
  nodeIp(node: string): string;
  /** Address of a pod on a node. */
  podIp(node: string, uid: string): string;
}

const order = (a: unknown, b: unknown): number => {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return textOf(a) < textOf(b) ? -1 : textOf(a) > textOf(b) ? 1 : 0;
};
const same = (a: unknown, b: unknown): boolean => jsonEqual((a ?? null) as never, (b ?? null) as never);

const go: TemplateFunctions = {
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
    typeof value === "object" && value !== null ? Object.keys(value).length : textOf(value).length,
  index: (value, ...keys) =>
    keys.reduce(
      (found, key) => (found as Readonly<Record<string, unknown>> | undefined)?.[textOf(key)],
      value,
    ),
  print: (...all) => all.map(textOf).join(""),
  printf: (format, ...all) => formatted(textOf(format), all),
};

/** What a node that is well says of itself. Source: kubernetes pkg/kubelet/nodestatus (setters.go). */
const nodeConditions: readonly Readonly<Record<string, string>>[] = [
  { type: "Ready", status: "True", reason: "KubeletReady", message: "kubelet is posting ready status" },
  {
    type: "MemoryPressure",
    status: "False",
    reason: "KubeletHasSufficientMemory",
    message: "kubelet has sufficient memory available",
  },
  {
    type: "DiskPressure",
    status: "False",
    reason: "KubeletHasNoDiskPressure",
    message: "kubelet has no disk pressure",
  },
  {
    type: "PIDPressure",
    status: "False",
    reason: "KubeletHasSufficientPID",
    message: "kubelet has sufficient PID available",
  },
  {
    type: "NetworkUnavailable",
    status: "False",
    reason: "RouteCreated",
    message: "RouteController created a route",
  },
];

const kwok: TemplateFunctions = {
  Quote: (value) => JSON.stringify(typeof value === "string" ? value : JSON.stringify(value ?? null)),
  YAML: (value, levels = 0) => indented(encodeYaml(value as never), Number(levels)),
  Version: () => "v0.8.0",
  NodeConditions: () => nodeConditions,
};

const plain: TemplateFunctions = { ...go, ...sprigFunctions, ...kwok };

/** @param node name of the node that the object is, or is on */
export function templateFunctions(place: TemplatePlace, node: string, uid: string): TemplateFunctions {
  const now = (): string => rfc3339(place.now());
  const nodeIp = (name: unknown): string => place.nodeIp(textOf(name));
  const podIp = (name: unknown, isHost: unknown, pod: unknown): string =>
    isTruthy(isHost) ? nodeIp(name) : place.podIp(textOf(name), textOf(pod));
  return {
    ...plain,
    Now: now,
    now,
    StartTime: now,
    NodeName: () => node,
    NodePort: () => 10250,
    NodeIP: () => nodeIp(node),
    NodeIPs: () => [nodeIp(node)],
    NodeIPWith: nodeIp,
    NodeIPsWith: (name) => [nodeIp(name)],
    PodIP: () => podIp(node, false, uid),
    PodIPs: () => [podIp(node, false, uid)],
    PodIPWith: podIp,
    PodIPsWith: (name, isHost, pod) => [podIp(name, isHost, pod)],
  };
}

/** `%s`, `%v`, `%d` and `%q`. */
function formatted(format: string, values: readonly unknown[]): string {
  let at = 0;
  return format.replace(/%([svdq%])/g, (_whole, verb: string) => {
    if (verb === "%") return "%";
    const value = textOf(values[at++]);
    return verb === "q" ? JSON.stringify(value) : value;
  });
}

/** Indented YAML begins on a line of its own, so that all of its lines have the same indent. */
function indented(yaml: string, levels: number): string {
  return levels > 0 ? `\n${yaml}`.replaceAll("\n", `\n${"  ".repeat(levels)}`) : yaml;
}
