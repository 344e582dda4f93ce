/** What controllers read off pods. Source: kubernetes pkg/api/v1/pod, pkg/controller/controller_utils.go. */
import type { DeepReadonly } from "@bowline/api";
import type { Pod } from "@bowline/api/core/v1";

type Member = DeepReadonly<Pod>;

/** Neither finished nor on its way out. */
export function isPodActive(pod: Member): boolean {
  const phase = pod.status?.phase;
  return phase !== "Succeeded" && phase !== "Failed" && pod.metadata.deletionTimestamp === undefined;
}

function readyCondition(pod: Member): { status?: string; lastTransitionTime?: string } | undefined {
  return pod.status?.conditions?.find((c) => c.type === "Ready") as
    | { status?: string; lastTransitionTime?: string }
    | undefined;
}

export function isPodReady(pod: Member): boolean {
  return readyCondition(pod)?.status === "True";
}

/** Ready for at least `minReadyMs`. @param now milliseconds since 1970 */
export function isPodAvailable(pod: Member, minReadyMs: number, now: number): boolean {
  const ready = readyCondition(pod);
  if (ready?.status !== "True") return false;
  return minReadyMs === 0 || now - Date.parse(ready.lastTransitionTime ?? "") >= minReadyMs;
}

/** Pods in the order in which they are given up: those that serve least first. */
export function rankForDeletion(pods: readonly Member[]): Member[] {
  const rank = (pod: Member): number[] => [
    pod.spec?.nodeName ? 1 : 0,
    { Pending: 0, Unknown: 1, Running: 2 }[pod.status?.phase ?? "Pending"] ?? 2,
    isPodReady(pod) ? 1 : 0,
    deletionCost(pod),
    // the youngest goes first
    -Date.parse(readyCondition(pod)?.lastTransitionTime ?? "0"),
    -Math.max(0, ...(pod.status?.containerStatuses ?? []).map((c) => c.restartCount ?? 0)),
    -Date.parse(pod.metadata.creationTimestamp ?? "0"),
  ];
  return pods
    .map((pod) => ({ pod, rank: rank(pod) }))
    .sort((a, b) => compare(a.rank, b.rank))
    .map(({ pod }) => pod);
}

function deletionCost(pod: Member): number {
  return Number(pod.metadata.annotations?.["controller.kubernetes.io/pod-deletion-cost"] ?? 0) || 0;
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (const [i, left] of a.entries()) {
    const difference = left - (b[i] ?? 0);
    if (difference !== 0 && !Number.isNaN(difference)) return difference;
  }
  return 0;
}
