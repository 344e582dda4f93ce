/**
 * Which requests a webhook or a policy is for: rules, selectors, and the same resource in another version.
 * Source: k8s.io/apiserver pkg/admission/plugin/webhook/predicates, generic/webhook.go.
 */
import { type LabelMatcher, type Labels, notFound } from "@bowline/api";
import type { AdmissionRequest } from "../../registry/admission.ts";
import type { Resource } from "../../registry/resource.ts";
import type { ResourceCatalog } from "../../registry/resource-catalog.ts";
import type { Bucket } from "../../store/bucket.ts";

/** Source: admissionregistration.k8s.io/v1 RuleWithOperations. */
export interface RequestRule {
  readonly operations?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  /** `pods`, `pods/status`, `pods/*`, `*`, `*` + `/scale`. */
  readonly resources?: readonly string[];
  readonly scope?: "*" | "Namespaced" | "Cluster";
  /** Of policies only. */
  readonly resourceNames?: readonly string[];
}

export interface MatchCondition {
  readonly name: string;
  readonly expression: string;
}

/** What all matching needs of the cluster. */
export interface MatchPorts {
  readonly catalog: ResourceCatalog;
  readonly namespaces: Bucket;
}

/** Kinds that no webhook and no policy is asked about, so that a bad one can always be taken away. */
const exempt: ReadonlySet<string> = new Set([
  "validatingwebhookconfigurations",
  "mutatingwebhookconfigurations",
  "validatingadmissionpolicies",
  "validatingadmissionpolicybindings",
  "mutatingadmissionpolicies",
  "mutatingadmissionpolicybindings",
]);

export function isExempt({ api }: Resource): boolean {
  return api.group === "admissionregistration.k8s.io" && exempt.has(api.plural);
}

/** The namespace of a request; that of a Namespace is itself. */
export function requestNamespace({ resource, namespace, name }: AdmissionRequest): string {
  return isNamespaces(resource) ? namespace || name : namespace;
}

function isNamespaces({ api }: Resource): boolean {
  return api.group === "" && api.plural === "namespaces";
}

/** The resource in the version that a rule names: the request's own first, else (`Equivalent`) another served version. */
export function matchedResource(
  request: AdmissionRequest,
  rules: readonly RequestRule[],
  given: { readonly equivalent: boolean; readonly catalog: ResourceCatalog },
): Resource | undefined {
  const { resource } = request;
  if (rules.some((rule) => ruleMatches(rule, request, resource))) return resource;
  if (!given.equivalent || rules.length === 0) return undefined;
  const others = given.catalog
    .all()
    .filter((r) => r !== resource && r.bucket === resource.bucket && r.api.group === resource.api.group);
  for (const rule of rules) {
    const found = others.find((other) => ruleMatches(rule, request, other));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Whether a rule is for a request, taken as one to `resource`. */
export function ruleMatches(rule: RequestRule, request: AdmissionRequest, resource: Resource): boolean {
  const { apiGroups, apiVersions, operations, resourceNames = [] } = rule;
  return (
    scopeMatches(rule, request) &&
    has(operations, request.operation) &&
    has(apiGroups, resource.api.group) &&
    has(apiVersions, resource.api.version) &&
    (rule.resources ?? []).some((pattern) =>
      resourceMatches(pattern, resource.api.plural, request.subresource),
    ) &&
    (resourceNames.length === 0 || resourceNames.includes(request.name))
  );
}

function has(list: readonly string[] | undefined, value: string): boolean {
  return list !== undefined && (list.includes("*") || list.includes(value));
}

function scopeMatches({ scope = "*" }: RequestRule, request: AdmissionRequest): boolean {
  if (scope === "*") return true;
  const namespaced = !isNamespaces(request.resource) && request.namespace !== "";
  return namespaced === (scope === "Namespaced");
}

function resourceMatches(pattern: string, plural: string, subresource: string): boolean {
  const slash = pattern.indexOf("/");
  const resource = slash < 0 ? pattern : pattern.slice(0, slash);
  const sub = slash < 0 ? "" : pattern.slice(slash + 1);
  return (resource === "*" || resource === plural) && (sub === "*" || sub === subresource);
}

/**
 * Whether the namespace of a request is selected. Cluster-scoped objects always are, Namespaces by their own labels.
 * @throws StatusError 404 for a namespace that does not exist
 */
export function namespaceSelected(
  selector: LabelMatcher | undefined,
  request: AdmissionRequest,
  namespaces: Bucket,
): boolean {
  if (selector === undefined) return true;
  const ofNamespace = isNamespaces(request.resource);
  if (request.namespace === "" && !ofNamespace) return true;
  if (ofNamespace && request.subresource === "" && request.object !== undefined) {
    return selector.matches(request.object.metadata.labels as Labels);
  }
  const name = requestNamespace(request);
  const found = namespaces.get(name);
  if (found === undefined) throw notFound({ group: "", resource: "namespaces" }, name);
  return selector.matches(found.object.metadata.labels as Labels);
}

/** Whether the object is selected, before or after the change. */
export function objectSelected(selector: LabelMatcher | undefined, request: AdmissionRequest): boolean {
  if (selector === undefined) return true;
  return [request.object, request.oldObject].some(
    // options of a connection have no labels, and no metadata either
    (object) => object?.metadata !== undefined && selector.matches(object.metadata.labels as Labels),
  );
}
