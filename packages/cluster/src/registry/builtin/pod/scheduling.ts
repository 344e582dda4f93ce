/** What decides on the node of a pod. Source: kubernetes pkg/apis/core/validation (validateAffinity, ValidateTolerations). */
import {
  type DeepReadonly,
  dns1123LabelErrors,
  dns1123SubdomainErrors,
  labelValueErrors,
} from "@bowline/api";
import type {
  Affinity,
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodAffinityTerm,
  PodSpec,
  Toleration,
  TopologySpreadConstraint,
} from "@bowline/api/core/v1";
import { checkLabelSelector, checkOneOf, checkPositive, checkQualifiedName } from "../field-checks.ts";
import type { FieldProblems } from "../field-problems.ts";

export const taintEffects: readonly string[] = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

export function checkTolerations(
  problems: FieldProblems,
  path: string,
  tolerations: readonly DeepReadonly<Toleration>[],
): void {
  tolerations.forEach(({ key = "", operator = "", value = "", effect = "", tolerationSeconds }, i) => {
    const at = `${path}[${i}]`;
    if (key !== "") checkQualifiedName(problems, `${at}.key`, key);
    else if (operator !== "Exists") {
      problems.invalid(
        `${at}.operator`,
        operator,
        'operator must be Exists when `key` is empty, which means "match all values and all keys"',
      );
    }
    if (tolerationSeconds !== undefined && effect !== "NoExecute")
      problems.invalid(`${at}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set");
    if (operator === "Equal" || operator === "") {
      const errors = labelValueErrors(value);
      if (errors.length > 0) problems.invalid(`${at}.operator`, value, errors.join(";"));
    } else if (operator === "Exists") {
      if (value !== "")
        problems.invalid(`${at}.operator`, value, "value must be empty when `operator` is 'Exists'");
    } else problems.notSupported(`${at}.operator`, operator, ["Equal", "Exists"]);
    if (effect !== "") checkOneOf(problems, `${at}.effect`, effect, taintEffects);
  });
}

export function checkAffinity(problems: FieldProblems, path: string, affinity: DeepReadonly<Affinity>): void {
  const { nodeAffinity, podAffinity, podAntiAffinity } = affinity;
  const required = nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (required !== undefined)
    checkNodeSelector(
      problems,
      `${path}.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution`,
      required,
    );
  nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution?.forEach((term, i) => {
    const at = `${path}.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[${i}]`;
    checkWeight(problems, `${at}.weight`, term.weight);
    checkNodeSelectorTerm(problems, `${at}.preference`, term.preference, { checksValues: false });
  });
  for (const [name, rules] of [
    ["podAffinity", podAffinity],
    ["podAntiAffinity", podAntiAffinity],
  ] as const) {
    rules?.requiredDuringSchedulingIgnoredDuringExecution?.forEach((term, i) => {
      checkPodAffinityTerm(
        problems,
        `${path}.${name}.requiredDuringSchedulingIgnoredDuringExecution[${i}]`,
        term,
      );
    });
    rules?.preferredDuringSchedulingIgnoredDuringExecution?.forEach((weighted, i) => {
      const at = `${path}.${name}.preferredDuringSchedulingIgnoredDuringExecution[${i}]`;
      checkWeight(problems, `${at}.weight`, weighted.weight);
      checkPodAffinityTerm(problems, `${at}.podAffinityTerm`, weighted.podAffinityTerm);
    });
  }
}

function checkWeight(problems: FieldProblems, field: string, weight: number | undefined = 0): void {
  if (weight <= 0 || weight > 100) problems.invalid(field, weight, "must be in the range 1-100");
}

export function checkNodeSelector(
  problems: FieldProblems,
  path: string,
  selector: DeepReadonly<NodeSelector>,
): void {
  const terms = selector.nodeSelectorTerms ?? [];
  if (terms.length === 0)
    return problems.required(`${path}.nodeSelectorTerms`, "must have at least one node selector term");
  terms.forEach((term, i) => {
    checkNodeSelectorTerm(problems, `${path}.nodeSelectorTerms[${i}]`, term, { checksValues: true });
  });
}

function checkNodeSelectorTerm(
  problems: FieldProblems,
  path: string,
  term: DeepReadonly<NodeSelectorTerm> | undefined,
  options: { readonly checksValues: boolean },
): void {
  term?.matchExpressions?.forEach((requirement, i) => {
    checkNodeRequirement(problems, `${path}.matchExpressions[${i}]`, requirement, options);
  });
  term?.matchFields?.forEach((requirement, i) => {
    checkNodeFieldRequirement(problems, `${path}.matchFields[${i}]`, requirement);
  });
}

function checkNodeRequirement(
  problems: FieldProblems,
  path: string,
  { key, operator, values = [] }: DeepReadonly<NodeSelectorRequirement>,
  options: { readonly checksValues: boolean },
): void {
  if (operator === "In" || operator === "NotIn") {
    if (values.length === 0)
      problems.required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'");
  } else if (operator === "Exists" || operator === "DoesNotExist") {
    if (values.length > 0) {
      problems.forbidden(
        `${path}.values`,
        "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
      );
    }
  } else if (operator === "Gt" || operator === "Lt") {
    if (values.length !== 1)
      problems.required(`${path}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'");
  } else problems.invalid(`${path}.operator`, operator, "not a valid selector operator");
  checkQualifiedName(problems, `${path}.key`, key);
  if (!options.checksValues) return;
  values.forEach((value, i) => {
    problems.allInvalid(`${path}.values[${i}]`, value, labelValueErrors(value));
  });
}

function checkNodeFieldRequirement(
  problems: FieldProblems,
  path: string,
  { key, operator, values = [] }: DeepReadonly<NodeSelectorRequirement>,
): void {
  if (operator === "In" || operator === "NotIn") {
    if (values.length !== 1) {
      problems.required(
        `${path}.values`,
        "must be only one value when `operator` is 'In' or 'NotIn' for node field selector",
      );
    }
  } else problems.invalid(`${path}.operator`, operator, "not a valid selector operator");
  if (key !== "metadata.name") return problems.invalid(`${path}.key`, key, "not a valid field selector key");
  values.forEach((value, i) => {
    problems.allInvalid(`${path}.values[${i}]`, value, dns1123SubdomainErrors(value));
  });
}

function checkPodAffinityTerm(
  problems: FieldProblems,
  path: string,
  term: DeepReadonly<PodAffinityTerm>,
): void {
  checkLabelSelector(problems, `${path}.labelSelector`, term.labelSelector as never);
  checkLabelSelector(problems, `${path}.namespaceSelector`, term.namespaceSelector as never);
  for (const name of term.namespaces ?? [])
    problems.allInvalid(`${path}.namespace`, name, dns1123LabelErrors(name));
  for (const list of ["matchLabelKeys", "mismatchLabelKeys"] as const) {
    const keys = term[list] ?? [];
    if (keys.length === 0) continue;
    if (term.labelSelector === undefined) {
      problems.forbidden(`${path}.${list}`, "must not be specified when labelSelector is not set");
      continue;
    }
    keys.forEach((key, i) => {
      checkQualifiedName(problems, `${path}.${list}[${i}]`, key);
    });
  }
  term.matchLabelKeys?.forEach((key, i) => {
    if (term.mismatchLabelKeys?.includes(key))
      problems.invalid(
        `${path}.matchLabelKeys[${i}]`,
        key,
        "exists in both matchLabelKeys and mismatchLabelKeys",
      );
  });
  if (!term.topologyKey) problems.required(`${path}.topologyKey`, "can not be empty");
  checkQualifiedName(problems, `${path}.topologyKey`, term.topologyKey ?? "");
}

export function checkTopologySpread(
  problems: FieldProblems,
  path: string,
  constraints: readonly DeepReadonly<TopologySpreadConstraint>[],
): void {
  constraints.forEach((constraint, i) => {
    const at = `${path}[${i}]`;
    const { maxSkew = 0, topologyKey = "", whenUnsatisfiable = "", minDomains } = constraint;
    checkPositive(problems, `${at}.maxSkew`, maxSkew);
    if (topologyKey === "") problems.required(`${at}.topologyKey`, "can not be empty");
    checkOneOf(problems, `${at}.whenUnsatisfiable`, whenUnsatisfiable, ["DoNotSchedule", "ScheduleAnyway"]);
    const again = constraints
      .slice(i + 1)
      .some((c) => c.topologyKey === topologyKey && c.whenUnsatisfiable === whenUnsatisfiable);
    if (again)
      problems.duplicate(`${at}.{topologyKey, whenUnsatisfiable}`, `{${topologyKey}, ${whenUnsatisfiable}}`);
    checkPositive(problems, `${at}.minDomains`, minDomains);
    if (minDomains !== undefined && whenUnsatisfiable !== "DoNotSchedule") {
      problems.invalid(
        `${at}.minDomains`,
        minDomains,
        `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${whenUnsatisfiable}`,
      );
    }
    checkOneOf(problems, `${at}.nodeAffinityPolicy`, constraint.nodeAffinityPolicy, ["Honor", "Ignore"]);
    checkOneOf(problems, `${at}.nodeTaintsPolicy`, constraint.nodeTaintsPolicy, ["Honor", "Ignore"]);
    checkMatchLabelKeys(problems, `${at}.matchLabelKeys`, constraint);
    checkLabelSelector(problems, `${at}.labelSelector`, constraint.labelSelector as never);
  });
}

function checkMatchLabelKeys(
  problems: FieldProblems,
  path: string,
  { matchLabelKeys = [], labelSelector }: DeepReadonly<TopologySpreadConstraint>,
): void {
  if (matchLabelKeys.length === 0) return;
  if (labelSelector === undefined)
    problems.forbidden(path, "must not be specified when labelSelector is not set");
  const { matchLabels = {}, matchExpressions = [] } = (labelSelector ?? {}) as {
    matchLabels?: Readonly<Record<string, string>>;
    matchExpressions?: readonly { key: string }[];
  };
  const selected = new Set([...Object.keys(matchLabels), ...matchExpressions.map((e) => e.key)]);
  matchLabelKeys.forEach((key, i) => {
    checkQualifiedName(problems, `${path}[${i}]`, key);
    if (selected.has(key))
      problems.invalid(`${path}[${i}]`, key, "exists in both matchLabelKeys and labelSelector");
  });
}

/** Gates that still hold a pod back from the scheduler. */
export function checkSchedulingGates(
  problems: FieldProblems,
  path: string,
  gates: NonNullable<DeepReadonly<PodSpec>["schedulingGates"]>,
): void {
  const seen = new Set<string>();
  gates.forEach(({ name }, i) => {
    checkQualifiedName(problems, `${path}[${i}]`, name);
    if (seen.has(name)) problems.duplicate(`${path}[${i}]`, name);
    seen.add(name);
  });
}
