/** Whether a pod may run on a node, by selectors and taints. Source: kubernetes component-helpers scheduling/corev1. */
import type { DeepReadonly } from "@bowline/api";
import type { Node, NodeSelectorTerm, PodSpec, Taint, Toleration } from "@bowline/api/core/v1";

type Requirement = DeepReadonly<NonNullable<NodeSelectorTerm["matchExpressions"]>[number]>;

/** Whether the node selector and the required node affinity allow the node. */
export function matchesNodeAffinity(
  spec: DeepReadonly<Pick<PodSpec, "nodeSelector" | "affinity">> | undefined,
  node: DeepReadonly<Node>,
): boolean {
  const labels = node.metadata.labels ?? {};
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return (
    Object.entries(spec?.nodeSelector ?? {}).every(([key, value]) => labels[key] === value) &&
    (required === undefined || required.nodeSelectorTerms.some((term) => matchesNodeTerm(term, node)))
  );
}

/** What a term says must all hold; an empty term matches nothing. */
export function matchesNodeTerm(term: DeepReadonly<NodeSelectorTerm>, node: DeepReadonly<Node>): boolean {
  const { matchExpressions = [], matchFields = [] } = term;
  if (matchExpressions.length === 0 && matchFields.length === 0) return false;
  return (
    matchExpressions.every((requirement) => holds(requirement, node.metadata.labels?.[requirement.key])) &&
    matchFields.every(
      (requirement) => requirement.key === "metadata.name" && holds(requirement, node.metadata.name),
    )
  );
}

function holds({ operator, values = [] }: Requirement, value: string | undefined): boolean {
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    case "Gt":
      return value !== undefined && Number(value) > Number(values[0]);
    case "Lt":
      return value !== undefined && Number(value) < Number(values[0]);
    default:
      return false;
  }
}

export function tolerates(toleration: DeepReadonly<Toleration>, taint: DeepReadonly<Taint>): boolean {
  const { key = "", effect = "", operator = "Equal", value = "" } = toleration;
  if (effect !== "" && effect !== taint.effect) return false;
  if (key !== "" && key !== taint.key) return false;
  return operator === "Exists" || (operator === "Equal" && value === (taint.value ?? ""));
}

/** Taints of these effects that nothing in the list tolerates. */
export function untoleratedTaints(
  taints: readonly DeepReadonly<Taint>[],
  tolerations: readonly DeepReadonly<Toleration>[],
  effects: readonly string[],
): readonly DeepReadonly<Taint>[] {
  return taints.filter(
    (taint) => effects.includes(taint.effect) && !tolerations.some((one) => tolerates(one, taint)),
  );
}
