/**
 * Whether one set of rules grants no more than another, which is what stops users from giving away what they do not have.
 * Source: kubernetes component-helpers auth/rbac/validation (policy_comparator.go), pkg/registry/rbac/validation.
 */
import { type PolicyRule, urlMatches } from "./policy-rule.ts";

/** The parts of `wanted` that `owned` does not grant, in single permissions; empty when all is covered. */
export function uncoveredRules(owned: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] {
  return wanted.flatMap(singlePermissions).filter((single) => !owned.some((rule) => covers(rule, single)));
}

/** A rule as rules of one verb, one group, one resource and at most one name each. */
export function singlePermissions(rule: PolicyRule): PolicyRule[] {
  const singles: PolicyRule[] = [];
  for (const verb of rule.verbs) {
    for (const url of rule.nonResourceURLs ?? []) singles.push({ verbs: [verb], nonResourceURLs: [url] });
    for (const group of rule.apiGroups ?? []) {
      for (const resource of rule.resources ?? []) {
        const single = { verbs: [verb], apiGroups: [group], resources: [resource] };
        const names = rule.resourceNames ?? [];
        if (names.length === 0) singles.push(single);
        for (const name of names) singles.push({ ...single, resourceNames: [name] });
      }
    }
  }
  return singles;
}

/** Whether a rule grants a single permission. */
export function covers(rule: PolicyRule, single: PolicyRule): boolean {
  if (!contains(rule.verbs, single.verbs[0])) return false;
  const url = single.nonResourceURLs?.[0];
  if (url !== undefined) return (rule.nonResourceURLs ?? []).some((pattern) => urlMatches(pattern, url));
  if (!contains(rule.apiGroups, single.apiGroups?.[0])) return false;
  if (!containsResource(rule.resources, single.resources?.[0] ?? "")) return false;
  const names = rule.resourceNames ?? [];
  if (names.length === 0) return true;
  const name = single.resourceNames?.[0];
  return name !== undefined && names.includes(name);
}

function contains(list: readonly string[] | undefined, value: string | undefined): boolean {
  return list !== undefined && value !== undefined && (list.includes("*") || list.includes(value));
}

/** `*` stands for everything, a star before a slash for that subresource of everything. */
function containsResource(list: readonly string[] | undefined, resource: string): boolean {
  if (contains(list, resource)) return true;
  const slash = resource.indexOf("/");
  return slash >= 0 && (list?.includes(`*${resource.slice(slash)}`) ?? false);
}

/** Single permissions joined where they differ in their verbs alone, as messages show them. */
export function compactRules(rules: readonly PolicyRule[]): PolicyRule[] {
  const joined = new Map<string, PolicyRule>();
  for (const rule of rules) {
    const { verbs, ...rest } = rule;
    const key = JSON.stringify([rest.apiGroups, rest.resources, rest.resourceNames, rest.nonResourceURLs]);
    const known = joined.get(key);
    joined.set(key, { ...rule, verbs: [...new Set([...(known?.verbs ?? []), ...verbs])] });
  }
  return [...joined.values()];
}
