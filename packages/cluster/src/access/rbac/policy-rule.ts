/** Rules of roles, and what they allow. Source: kubernetes pkg/apis/rbac/v1 (evaluation_helpers.go). */
import type { RequestAttributes } from "../authorization.ts";

/** Source: rbac.authorization.k8s.io/v1 PolicyRule. */
export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

export interface RoleRef {
  readonly apiGroup?: string;
  readonly kind: string;
  readonly name: string;
}

export interface Subject {
  readonly kind: string;
  readonly apiGroup?: string;
  readonly name: string;
  readonly namespace?: string;
}

/** Whether a rule allows a request. `path` is that of a request that is no resource. */
export function ruleAllows(rule: PolicyRule, info: RequestAttributes, path: string): boolean {
  if (!has(rule.verbs, info.verb)) return false;
  if (!info.isResource) return (rule.nonResourceURLs ?? []).some((url) => urlMatches(url, path));
  if (!has(rule.apiGroups, info.group) || !resourceMatches(rule.resources, info)) return false;
  const { resourceNames = [] } = rule;
  return resourceNames.length === 0 || resourceNames.includes(info.name);
}

/** Whether a list has the value, or the star that stands for all. */
function has(list: readonly string[] | undefined, value: string): boolean {
  return list !== undefined && (list.includes(value) || list.includes("*"));
}

function resourceMatches(
  resources: readonly string[] | undefined,
  { resource, subresource }: Pick<RequestAttributes, "resource" | "subresource">,
): boolean {
  if (resources === undefined) return false;
  const wanted = subresource === "" ? resource : `${resource}/${subresource}`;
  return (
    resources.includes("*") ||
    resources.includes(wanted) ||
    (subresource !== "" && resources.includes(`*/${subresource}`))
  );
}

/** `*` and a trailing star match any rest of the path. */
export function urlMatches(pattern: string, path: string): boolean {
  if (pattern === "*" || pattern === path) return true;
  return pattern.endsWith("*") && path.startsWith(pattern.replace(/\*+$/, ""));
}

/** A rule as error messages print it: `{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}`. */
export function ruleText(rule: PolicyRule): string {
  const parts: [string, readonly string[] | undefined][] = [
    ["APIGroups", rule.apiGroups],
    ["Resources", rule.resources],
    ["NonResourceURLs", rule.nonResourceURLs],
    ["ResourceNames", rule.resourceNames],
    ["Verbs", rule.verbs],
  ];
  const shown = parts.filter(([, list]) => list !== undefined && list.length > 0);
  return `{${shown.map(([name, list]) => `${name}:${textList(list ?? [])}`).join(", ")}}`;
}

/** A list of strings as Go's %q prints it: `["a" "b"]`. */
export function textList(texts: readonly string[]): string {
  return `[${texts.map((t) => JSON.stringify(t)).join(" ")}]`;
}
