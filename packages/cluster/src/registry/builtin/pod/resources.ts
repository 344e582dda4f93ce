/** Requests and limits. Source: kubernetes pkg/apis/core/validation (validateResourceRequirements), pkg/apis/core/helper. */
import { type DeepReadonly, compareQuantities, qualifiedNameErrors, quantityMilliValue } from "@bowline/api";
import type { ResourceRequirements } from "@bowline/api/core/v1";
import { checkDnsLabel, quantityOf, quantityShown } from "../field-checks.ts";
import type { FieldProblems } from "../field-problems.ts";

export type ResourceList = Readonly<Record<string, string>>;

const containerResources: ReadonlySet<string> = new Set(["cpu", "memory", "ephemeral-storage"]);
const standardResources: ReadonlySet<string> = new Set([
  ...containerResources,
  "requests.cpu",
  "requests.memory",
  "requests.ephemeral-storage",
  "limits.cpu",
  "limits.memory",
  "limits.ephemeral-storage",
  "pods",
  "resourcequotas",
  "services",
  "replicationcontrollers",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
  "storage",
  "requests.storage",
  "services.nodeports",
  "services.loadbalancers",
]);
/** Counted in whole numbers. */
const integerResources: ReadonlySet<string> = new Set([
  "pods",
  "services",
  "replicationcontrollers",
  "resourcequotas",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
  "services.nodeports",
  "services.loadbalancers",
]);
const quotaResources: ReadonlySet<string> = new Set(
  [...standardResources].filter((name) => name !== "storage"),
);
const hugePages = "hugepages-";

export function isHugePages(name: string): boolean {
  return name.startsWith(hugePages);
}

/** Names without a domain, or with that of Kubernetes. */
function isNative(name: string): boolean {
  return !name.includes("/") || name.includes("kubernetes.io/");
}

export function isExtendedResource(name: string): boolean {
  if (isNative(name) || name.startsWith("requests.")) return false;
  return qualifiedNameErrors(`requests.${name}`).length === 0;
}

/** Whether a request may be smaller than the limit. */
function mayOvercommit(name: string): boolean {
  return isNative(name) && !isHugePages(name);
}

export function checkResourceName(problems: FieldProblems, field: string, name: string): boolean {
  const errors = qualifiedNameErrors(name);
  problems.allInvalid(field, name, errors);
  if (errors.length > 0) return false;
  if (!name.includes("/") && !standardResources.has(name) && !isHugePages(name)) {
    problems.invalid(field, name, "must be a standard resource type or fully qualified");
    return false;
  }
  return true;
}

export function checkContainerResourceName(problems: FieldProblems, field: string, name: string): void {
  checkResourceName(problems, field, name);
  if (!name.includes("/")) {
    if (!containerResources.has(name) && !isHugePages(name))
      problems.invalid(field, name, "must be a standard resource for containers");
  } else if (!isNative(name) && !isExtendedResource(name)) {
    problems.invalid(field, name, "doesn't follow extended resource name standard");
  }
}

export function checkQuotaResourceName(problems: FieldProblems, field: string, name: string): void {
  checkResourceName(problems, field, name);
  if (name.includes("/")) return;
  if (!quotaResources.has(name) && !isHugePages(name.replace(/^requests\./, "")))
    problems.invalid(field, name, "must be a standard resource for quota");
}

export function checkResourceQuantity(
  problems: FieldProblems,
  field: string,
  name: string,
  value: string,
): void {
  const quantity = quantityOf(value);
  if (quantity.unscaled < 0n)
    problems.invalid(field, quantityShown(value), "must be greater than or equal to 0");
  if ((integerResources.has(name) || isExtendedResource(name)) && quantityMilliValue(quantity) % 1000n !== 0n)
    problems.invalid(field, quantityShown(value), "must be an integer");
}

const podResources: ReadonlySet<string> = new Set(["cpu", "memory"]);

function checkPodResourceName(problems: FieldProblems, field: string, name: string): void {
  checkResourceName(problems, field, name);
  if (!podResources.has(name) && !isHugePages(name))
    problems.notSupported(field, name, ["cpu", hugePages, "memory"]);
}

export interface ResourceSurroundings {
  /** Names of the pod's resourceClaims. */
  readonly claims: ReadonlySet<string>;
  /** True: these are of the pod as a whole, which has fewer. */
  readonly ofPod?: boolean;
}

export function checkResources(
  problems: FieldProblems,
  path: string,
  resources: DeepReadonly<ResourceRequirements>,
  { claims, ofPod = false }: ResourceSurroundings,
): void {
  const checkName = ofPod ? checkPodResourceName : checkContainerResourceName;
  const limits = (resources.limits ?? {}) as ResourceList;
  const requests = (resources.requests ?? {}) as ResourceList;
  for (const name in limits) {
    const field = `${path}.limits[${name}]`;
    checkName(problems, field, name);
    checkResourceQuantity(problems, field, name, limits[name] ?? "");
  }
  for (const name in requests) {
    const field = `${path}.requests[${name}]`;
    checkName(problems, field, name);
    checkResourceQuantity(problems, field, name, requests[name] ?? "");
    checkAgainstLimit(problems, path, name, { request: requests[name] ?? "", limit: limits[name] });
  }
  const names = [...Object.keys(limits), ...Object.keys(requests)];
  if (names.some(isHugePages) && !names.some((name) => name === "cpu" || name === "memory"))
    problems.forbidden(path, "HugePages require cpu or memory");
  if (resources.claims !== undefined) checkClaims(problems, `${path}.claims`, resources.claims, claims);
}

function checkAgainstLimit(
  problems: FieldProblems,
  path: string,
  name: string,
  { request, limit }: { readonly request: string; readonly limit: string | undefined },
): void {
  const overcommit = mayOvercommit(name);
  if (limit === undefined) {
    if (!overcommit)
      problems.required(`${path}.limits`, "Limit must be set for non overcommitable resources");
    return;
  }
  if (request === limit) return;
  const order = compareQuantities(quantityOf(request), quantityOf(limit));
  if (order === 0 || (overcommit && order < 0)) return;
  const relation = overcommit ? "less than or equal to" : "equal to";
  problems.invalid(
    `${path}.requests`,
    quantityShown(request),
    `must be ${relation} ${name} limit of ${quantityShown(limit)}`,
  );
}

function checkClaims(
  problems: FieldProblems,
  path: string,
  claims: NonNullable<DeepReadonly<ResourceRequirements>["claims"]>,
  known: ReadonlySet<string>,
): void {
  const seen = new Set<string>();
  claims.forEach(({ name, request = "" }, i) => {
    const at = `${path}[${i}]`;
    if (name === "") {
      problems.required(at);
      return;
    }
    const key = request === "" ? name : `${name}/${request}`;
    if (request !== "") checkDnsLabel(problems, `${at}.request`, request);
    if (seen.has(name) || seen.has(key)) problems.duplicate(at, seen.has(name) ? name : key);
    seen.add(key);
    if (known.has(name)) return;
    const names = [...known].sort();
    const which = names.length === 0 ? " which is empty" : `: ${names.join(", ")}`;
    problems.notFound(at, name, `must be one of the names in pod.spec.resourceClaims${which}`);
  });
}
