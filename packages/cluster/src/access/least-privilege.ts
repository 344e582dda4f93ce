/**
 * The permissions that a program needs, derived from the requests that it made, and how they compare with those that it
 * declares.
 */
import { bootstrapClusterRoles } from "./rbac/bootstrap-cluster-roles.ts";
import { type PolicyRule, ruleAllows } from "./rbac/policy-rule.ts";
import { compactRules, covers, singlePermissions, uncoveredRules } from "./rbac/rule-coverage.ts";
import type { RecordedRequest } from "./request-recorder.ts";

export interface LeastPrivilegeOptions {
  /**
   * `cluster`: one ClusterRole for everything. `namespaces`: what was done in a namespace becomes a Role there, and only the
   * rest needs a ClusterRole. Default `cluster`.
   */
  readonly scope?: "cluster" | "namespaces";
  /** True: access to single objects is limited to the names that were seen. Default false: names often change. */
  readonly resourceNames?: boolean;
}

/** The smallest rules that allow what was recorded, merged and in a fixed order. */
export interface NeededPermissions {
  readonly clusterRules: readonly PolicyRule[];
  /** Rules of Roles by namespace; empty unless asked for. */
  readonly namespaceRules: Readonly<Record<string, readonly PolicyRule[]>>;
}

/** What every known user may do anyway, through the bootstrap roles. */
const everybody: ReadonlySet<string> = new Set([
  "system:basic-user",
  "system:discovery",
  "system:public-info-viewer",
]);
const everybodysRules = bootstrapClusterRoles
  .filter((role) => everybody.has(role.name))
  .flatMap((role) => role.rules);

/**
 * Derives rules from a recording, whether its requests were allowed or not. A watch always comes with a list, by which it
 * is begun again after a break. What all users may do (discovery, reviews about oneself) is left out.
 *
 * Example: get and watch of deployments in two namespaces give `{apiGroups:["apps"], resources:["deployments"], verbs:["get",
 * "list", "watch"]}`.
 */
export function leastPrivilege(
  requests: readonly RecordedRequest[],
  options: LeastPrivilegeOptions = {},
): NeededPermissions {
  const byScope = new Map<string, PolicyRule[]>();
  for (const request of requests) {
    if (everybodysRules.some((rule) => ruleAllows(rule, request, request.path))) continue;
    const scope = options.scope === "namespaces" && request.isResource ? request.namespace : "";
    const rules = byScope.get(scope);
    const single = ruleFor(request, options);
    if (rules === undefined) byScope.set(scope, [single]);
    else rules.push(single);
  }
  const { "": cluster = [], ...namespaces } = Object.fromEntries(byScope);
  const sorted = Object.entries(namespaces).sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    clusterRules: mergeRules(cluster),
    // what is allowed everywhere is not needed once more
    namespaceRules: Object.fromEntries(
      sorted
        .map(([namespace, rules]) => [namespace, mergeRules(uncoveredRules(cluster, rules))] as const)
        .filter(([, rules]) => rules.length > 0),
    ),
  };
}

function ruleFor(request: RecordedRequest, options: LeastPrivilegeOptions): PolicyRule {
  const { verb, group, resource, subresource, name, path } = request;
  if (!request.isResource) return { verbs: [verb], nonResourceURLs: [path] };
  const rule: PolicyRule = {
    verbs: verb === "watch" ? ["list", "watch"] : [verb],
    apiGroups: [group],
    resources: [subresource === "" ? resource : `${resource}/${subresource}`],
  };
  return options.resourceNames === true && name !== "" ? { ...rule, resourceNames: [name] } : rule;
}

/** Needed permissions beside declared ones. Both lists are merged rules. */
export interface PermissionComparison {
  /** Needed, but not declared: these requests get 403. */
  readonly missing: readonly PolicyRule[];
  /** Declared, but not needed by anything that was recorded. */
  readonly unused: readonly PolicyRule[];
}

/**
 * Compares needed rules with declared ones. Rules about `finalizers` subresources never count as unused: no request shows
 * that they are needed, since only the admission of owner references asks for them.
 */
export function comparePermissions(
  needed: readonly PolicyRule[],
  declared: readonly PolicyRule[],
): PermissionComparison {
  const used = needed.flatMap(singlePermissions);
  const unused = declared
    .flatMap(singlePermissions)
    .filter((single) => !isFinalizers(single) && !used.some((one) => covers(single, one)));
  return { missing: mergeRules(uncoveredRules(declared, needed)), unused: mergeRules(unused) };
}

function isFinalizers({ resources = [] }: PolicyRule): boolean {
  return resources.some((resource) => resource.endsWith("/finalizers"));
}

/** Rules joined as far as they allow nothing more: verbs of the same object, then resources of the same verbs. */
function mergeRules(rules: readonly PolicyRule[]): PolicyRule[] {
  const byVerbs = new Map<string, PolicyRule>();
  for (const rule of compactRules(rules.flatMap(singlePermissions))) {
    const verbs = inOrder(rule.verbs);
    const { apiGroups, resourceNames } = rule;
    const key = JSON.stringify([apiGroups, resourceNames, verbs]);
    const known = byVerbs.get(key);
    const add = (
      list: readonly string[] | undefined,
      more: readonly string[] | undefined,
    ): readonly string[] => [...new Set([...(list ?? []), ...(more ?? [])])].sort();
    byVerbs.set(key, {
      ...(rule.nonResourceURLs === undefined
        ? { apiGroups: apiGroups ?? [], resources: add(known?.resources, rule.resources) }
        : { nonResourceURLs: add(known?.nonResourceURLs, rule.nonResourceURLs) }),
      ...(resourceNames === undefined ? {} : { resourceNames }),
      verbs,
    });
  }
  return [...byVerbs.values()].sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
}

function sortKey(rule: PolicyRule): string {
  const { apiGroups = ["~"], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  return [apiGroups, resources, resourceNames, nonResourceURLs].map((list) => list.join(",")).join("\0");
}

const verbOrder = ["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"];

/** Verbs as people write them. */
function inOrder(verbs: readonly string[]): string[] {
  const place = (verb: string): number =>
    verbOrder.includes(verb) ? verbOrder.indexOf(verb) : verbOrder.length;
  return [...verbs].sort((a, b) => place(a) - place(b) || (a < b ? -1 : 1));
}
