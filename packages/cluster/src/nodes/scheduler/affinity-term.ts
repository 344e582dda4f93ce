/** Pod affinity terms. Source: kubernetes pkg/scheduler/framework (types.go AffinityTerm). */
import { type DeepReadonly, type LabelMatcher, compileLabelSelector } from "@bowline/api";
import type { PodAffinityTerm } from "@bowline/api/core/v1";
import type { PodState } from "./scheduler-state.ts";

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
