/** Node selectors, tolerations and pod affinity terms. Source: kubernetes component-helpers scheduling/corev1, nodeaffinity. */
import { type DeepReadonly, type LabelMatcher, compileLabelSelector } from "@bowline/api";
import type {
  NodeSelector,
  NodeSelectorTerm,
  PodAffinityTerm,
  Taint,
  Toleration,
} from "@bowline/api/core/v1";
import type { NodeState, PodState } from "./scheduler-state.ts";

type Requirement = DeepReadonly<NonNullable<NodeSelectorTerm["matchExpressions"]>[number]>;

/** Terms are alternatives; what a term says must all hold. An empty term matches nothing. */
export function matchesNodeSelector(selector: DeepReadonly<NodeSelector>, node: NodeState): boolean {
  return selector.nodeSelectorTerms.some((term) => matchesTerm(term, node));
}

export function matchesTerm(term: DeepReadonly<NodeSelectorTerm>, node: NodeState): boolean {
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
  if (operator === "Exists") return true;
  return operator === "Equal" && value === (taint.value ?? "");
}

/** Taints of these effects that nothing in the list tolerates. */
export function untolerated(
  taints: readonly DeepReadonly<Taint>[],
  tolerations: readonly DeepReadonly<Toleration>[],
  effects: readonly string[],
): readonly DeepReadonly<Taint>[] {
  return taints.filter(
    (taint) => effects.includes(taint.effect) && !tolerations.some((one) => tolerates(one, taint)),
  );
}

/** A pod affinity term, ready to be asked about pods. */
export interface AffinityTerm {
  readonly topologyKey: string;
  matches(pod: PodState): boolean;
}

const compiled = new WeakMap<object, Map<string, LabelMatcher>>();

/** @param owner the pod that has the term: its namespace is the default, and its labels may be part of the selector */
export function affinityTerm(
  term: DeepReadonly<PodAffinityTerm>,
  owner: PodState,
  namespaces: ReadonlyMap<string, Readonly<Record<string, string>>>,
): AffinityTerm {
  const selector = matcherOf(term, owner);
  const named = term.namespaces ?? [];
  const byLabels =
    term.namespaceSelector === undefined ? undefined : compileLabelSelector(term.namespaceSelector as never);
  const own = named.length === 0 && byLabels === undefined ? owner.metadata.namespace : undefined;
  const isIn = (namespace: string): boolean =>
    namespace === own || named.includes(namespace) || byLabels?.matches(namespaces.get(namespace)) === true;
  return {
    topologyKey: term.topologyKey,
    matches: (pod) => isIn(pod.metadata.namespace ?? "") && selector.matches(pod.metadata.labels),
  };
}

/** The selector with `matchLabelKeys` of the owner in it, compiled once. */
function matcherOf(term: DeepReadonly<PodAffinityTerm>, owner: PodState): LabelMatcher {
  const keys = [...(term.matchLabelKeys ?? [])].filter((key) => owner.metadata.labels?.[key] !== undefined);
  const variant = keys.map((key) => `${key}=${owner.metadata.labels?.[key]}`).join(",");
  let variants = compiled.get(term);
  if (variants === undefined) compiled.set(term, (variants = new Map()));
  let matcher = variants.get(variant);
  if (matcher === undefined) {
    const extra = Object.fromEntries(keys.map((key) => [key, owner.metadata.labels?.[key] as string]));
    const selector = term.labelSelector as { matchLabels?: Record<string, string> } | undefined;
    matcher = compileLabelSelector(
      keys.length === 0
        ? (selector as never)
        : ({ ...selector, matchLabels: { ...selector?.matchLabels, ...extra } } as never),
    );
    variants.set(variant, matcher);
  }
  return matcher;
}
