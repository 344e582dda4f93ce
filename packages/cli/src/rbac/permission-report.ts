/** What an operator needs, beside what it declares. */
import { encodeYaml } from "@bowline/api";
import { type PolicyRule, type RecordedRequest, comparePermissions, leastPrivilege } from "@bowline/cluster";
import { type DeploymentModel, type Manifest, nameOf } from "../manifests/model.ts";
import { managerRules, rbacManifests } from "../manifests/rbac.ts";

export interface PermissionReport {
  /** The smallest role that allows what was recorded. */
  readonly role: Manifest;
  /** Needed, and in none of the roles that `bowline generate` binds to the manager. */
  readonly missing: readonly PolicyRule[];
  /** In the manager's role, and never needed. */
  readonly unused: readonly PolicyRule[];
  /** How many different requests were seen. */
  readonly requestCount: number;
}

/** Leader election, webhooks and metrics have roles of their own, so the role leaves them out. */
export function permissionReport(
  model: DeploymentModel,
  requests: readonly RecordedRequest[],
  options: { readonly resourceNames?: boolean } = {},
): PermissionReport {
  const declared = managerRules(model) as PolicyRule[];
  const others = otherRules(model);
  const own = requests.filter((request) => !isAllowedBy(others, request) && !isRegistration(model, request));
  const rules = leastPrivilege(own, options).clusterRules;
  const { missing, unused } = comparePermissions(rules, declared);
  return { role: roleOf(model, rules), missing, unused, requestCount: requests.length };
}

/** Those roles name the objects that they are for, so the request is taken with its name. */
function isAllowedBy(rules: readonly PolicyRule[], request: RecordedRequest): boolean {
  const { clusterRules } = leastPrivilege([request], { resourceNames: true });
  return comparePermissions(clusterRules, rules).missing.length === 0;
}

/** A manager outside of the cluster, as in tests, takes its webhook configurations away when it ends; a deployed one does not. */
function isRegistration(model: DeploymentModel, { group, name, verb }: RecordedRequest): boolean {
  const isOwn = name.startsWith(`${model.operator.name}-`);
  return group === "admissionregistration.k8s.io" && isOwn && verb === "delete";
}

/** The manager's role as it is declared. */
export function declaredRole(model: DeploymentModel): Manifest {
  return roleOf(model, managerRules(model) as PolicyRule[]);
}

function roleOf(model: DeploymentModel, rules: readonly PolicyRule[]): Manifest {
  const name = nameOf(model, "manager-role");
  return {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: model.namespaced ? "Role" : "ClusterRole",
    metadata: model.namespaced ? { name, namespace: model.namespace } : { name },
    rules,
  };
}

/** Of every role that is bound to the manager, but its main one. */
function otherRules(model: DeploymentModel): PolicyRule[] {
  const manifests = rbacManifests(model).map(({ manifest }) => manifest);
  const bound = new Set(
    manifests.flatMap((manifest) => (manifest["roleRef"] as { name: string } | undefined)?.name ?? []),
  );
  bound.delete(nameOf(model, "manager-role"));
  return manifests
    .filter((manifest) => bound.has(manifest.metadata.name ?? ""))
    .flatMap((manifest) => manifest["rules"] as PolicyRule[]);
}

/** For people; the role itself is YAML that can be applied. */
export function reportText(report: PermissionReport): string {
  const list = (title: string, rules: readonly PolicyRule[]): string =>
    rules.length === 0
      ? `# ${title}: nothing\n`
      : `# ${title}:\n${rules.map((rule) => `#   ${ruleText(rule)}\n`).join("")}`;
  return `# The smallest role for the ${report.requestCount} kinds of requests that were recorded
${encodeYaml(report.role as never)}${list("missing in what is declared", report.missing)}${list("declared and not used", report.unused)}`;
}

/** `apps deployments: get, list, watch`. */
export function ruleText({
  apiGroups,
  resources = [],
  resourceNames = [],
  nonResourceURLs,
  verbs,
}: PolicyRule): string {
  const what =
    nonResourceURLs === undefined
      ? `${(apiGroups ?? []).map((group) => group || "core").join(", ")} ${resources.join(", ")}`
      : nonResourceURLs.join(", ");
  return `${what}${resourceNames.length === 0 ? "" : ` (${resourceNames.join(", ")})`}: ${verbs.join(", ")}`;
}
