/** ResourceQuotas. Source: kubernetes pkg/apis/core/validation (ValidateResourceQuota). */
import type { DeepReadonly, FieldError } from "@bowline/api";
import type { ResourceQuota, ResourceQuotaSpec } from "@bowline/api/core/v1";
import type { StoredObject } from "../../../store/revision.ts";
import type { BuiltinRules } from "../builtin-rules.ts";
import { isSameSet } from "../field-checks.ts";
import { FieldProblems } from "../field-problems.ts";
import { type ResourceList, checkQuotaResourceName, checkResourceQuantity } from "../pod/resources.ts";

type SpecFields = DeepReadonly<ResourceQuotaSpec>;

const scopes: ReadonlySet<string> = new Set([
  "Terminating",
  "NotTerminating",
  "BestEffort",
  "NotBestEffort",
  "PriorityClass",
  "CrossNamespacePodAffinity",
  "VolumeAttributesClass",
]);
const podComputeResources = /^(pods|cpu|memory|requests\.(cpu|memory)|limits\.(cpu|memory))$/;
const existsOnly: ReadonlySet<string> = new Set([
  "Terminating",
  "NotTerminating",
  "BestEffort",
  "NotBestEffort",
  "CrossNamespacePodAffinity",
]);

const specOf = (object: StoredObject): SpecFields =>
  (object as unknown as DeepReadonly<ResourceQuota>).spec ?? {};

function checkHard(problems: FieldProblems, path: string, list: ResourceList | undefined): void {
  for (const name in list) {
    checkQuotaResourceName(problems, `${path}[${name}]`, name);
    checkResourceQuantity(problems, `${path}[${name}]`, name, list[name] ?? "");
  }
}

/** Whether pods of a scope can be counted by a resource. */
function fits(scope: string, resource: string): boolean {
  if (scope === "BestEffort") return resource === "pods";
  if (scope === "CrossNamespacePodAffinity") return resource === "pods" || podComputeResources.test(resource);
  if (scope === "VolumeAttributesClass") return /^(persistentvolumeclaims|requests\.storage)$/.test(resource);
  return (
    podComputeResources.test(resource) || resource.startsWith("requests.") || resource.startsWith("limits.")
  );
}

function checkSpec(problems: FieldProblems, spec: SpecFields): void {
  const hard = spec.hard as ResourceList | undefined;
  checkHard(problems, "spec.hard", hard);
  const wanted = Object.keys(hard ?? {})
    .filter((name) => !name.includes("/"))
    .sort();
  for (const scope of spec.scopes ?? []) {
    if (!scopes.has(scope)) problems.invalid("spec.scopes", spec.scopes, "unsupported scope");
    for (const name of wanted)
      if (scopes.has(scope) && !fits(scope, name))
        problems.invalid("spec.scopes", spec.scopes, "unsupported scope applied to resource");
  }
  checkConflicts(problems, spec.scopes ?? [], spec.scopes);
  const path = "spec.scopeSelector.matchExpressions";
  const expressions = spec.scopeSelector?.matchExpressions ?? [];
  for (const { scopeName, operator, values = [] } of expressions) {
    if (!scopes.has(scopeName)) problems.invalid(`${path}.scopeName`, scopeName, "unsupported scope");
    if (existsOnly.has(scopeName) && operator !== "Exists") {
      problems.invalid(
        `${path}.operator`,
        operator,
        "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity",
      );
    }
    if (operator === "In" || operator === "NotIn") {
      if (values.length === 0)
        problems.required(
          `${path}.values`,
          "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
        );
    } else if (operator === "Exists" || operator === "DoesNotExist") {
      if (values.length > 0)
        problems.invalid(
          `${path}.values`,
          values,
          "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
        );
    } else problems.invalid(`${path}.operator`, operator, "not a valid selector operator");
  }
}

function checkConflicts(problems: FieldProblems, given: readonly string[], shown: unknown): void {
  for (const scope of ["BestEffort", "Terminating"]) {
    if (given.includes(scope) && given.includes(`Not${scope}`))
      problems.invalid("spec.scopes", shown, "conflicting scopes");
  }
}

function errorsOf(object: StoredObject): FieldProblems {
  const problems = new FieldProblems();
  checkSpec(problems, specOf(object));
  return problems;
}

function statusErrors(object: StoredObject): FieldError[] {
  const problems = new FieldProblems();
  const { status } = object as unknown as DeepReadonly<ResourceQuota>;
  checkHard(problems, "status.hard", status?.hard as ResourceList | undefined);
  checkHard(problems, "status.used", status?.used as ResourceList | undefined);
  return problems.list;
}

export const resourceQuotaRules: BuiltinRules = {
  validateCreate: (object) => errorsOf(object).list,
  validateUpdate(object, old) {
    const problems = errorsOf(object);
    if (!isSameSet(specOf(object).scopes, specOf(old).scopes))
      problems.invalid("spec.scopes", specOf(object).scopes ?? null, "field is immutable");
    return problems.list;
  },
  validateStatusUpdate: statusErrors,
};
