/** Who a pod of a StatefulSet is. Source: kubernetes pkg/controller/statefulset (stateful_set_utils.go). */
import type { DeepReadonly } from "@bowline/api";
import type { StatefulSet } from "@bowline/api/apps/v1";
import type { PersistentVolumeClaimCreate } from "@bowline/api/core/v1";
import type { PodState } from "../pods/pod-state.ts";

export type SetState = DeepReadonly<StatefulSet>;

export const revisionLabel = "controller-revision-hash";
const nameLabel = "statefulset.kubernetes.io/pod-name";
const indexLabel = "apps.kubernetes.io/pod-index";

/** The ordinal in a pod's name; undefined for a pod that cannot be this set's. */
export function ordinalOf(
  set: SetState,
  pod: { readonly metadata: { readonly name?: string } },
): number | undefined {
  const match = /^(.*)-(\d+)$/.exec(pod.metadata.name ?? "");
  return match?.[1] === set.metadata.name ? Number(match?.[2]) : undefined;
}

/** First ordinal and the one after the last. */
export function rangeOf(set: SetState): { readonly start: number; readonly end: number } {
  const start = set.spec?.ordinals?.start ?? 0;
  return { start, end: start + (set.spec?.replicas ?? 1) };
}

export function podName(set: SetState, ordinal: number): string {
  return `${set.metadata.name}-${ordinal}`;
}

/** Name of the claim of a pod: `<template>-<set>-<ordinal>`. */
export function claimName(
  set: SetState,
  template: DeepReadonly<PersistentVolumeClaimCreate>,
  ordinal: number,
): string {
  return `${template.metadata?.name}-${set.metadata.name}-${ordinal}`;
}

/** What a pod has beside its template. */
export function identity(
  set: SetState,
  ordinal: number,
  revision: string,
): { readonly name: string; readonly labels: Record<string, string> } {
  const name = podName(set, ordinal);
  return { name, labels: { [nameLabel]: name, [indexLabel]: String(ordinal), [revisionLabel]: revision } };
}

/** Fields of the spec that make the pod this one: its name in the network and its claims. */
export function identitySpec(
  set: SetState,
  ordinal: number,
  template: { readonly volumes?: readonly unknown[] } | undefined,
): object {
  const claims = set.spec?.volumeClaimTemplates ?? [];
  const names = new Set(claims.map((claim) => claim.metadata?.name));
  const own = claims.map((claim) => ({
    name: claim.metadata?.name,
    persistentVolumeClaim: { claimName: claimName(set, claim, ordinal) },
  }));
  const others = (template?.volumes ?? []).filter((volume) => !names.has((volume as { name?: string }).name));
  return {
    hostname: podName(set, ordinal),
    ...(set.spec?.serviceName ? { subdomain: set.spec.serviceName } : {}),
    ...(own.length + others.length > 0 ? { volumes: [...own, ...others] } : {}),
  };
}

export function revisionOf(pod: PodState): string {
  return pod.metadata.labels?.[revisionLabel] ?? "";
}
