/** What controllers read off pods. Source: kubernetes pkg/api/v1/pod, pkg/controller/controller_utils.go. */
import type { DeepReadonly } from "@bowline/api";
import type { Pod } from "@bowline/api/core/v1";

export type PodState = DeepReadonly<Pod>;

type PodCondition = NonNullable<NonNullable<PodState["status"]>["conditions"]>[number];

export function isPodFinished(pod: PodState): boolean {
  return pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed";
}

export function isPodTerminating(pod: PodState): boolean {
  return pod.metadata.deletionTimestamp !== undefined;
}

/** Neither finished nor on its way out. */
export function isPodActive(pod: PodState): boolean {
  return !isPodFinished(pod) && !isPodTerminating(pod);
}

export function podCondition(pod: PodState, type: string): PodCondition | undefined {
  return pod.status?.conditions?.find((condition) => condition.type === type);
}

export function isPodReady(pod: PodState): boolean {
  return podCondition(pod, "Ready")?.status === "True";
}

/** When the pod became ready, milliseconds since 1970; undefined when it is not ready. */
export function podReadyAt(pod: PodState): number | undefined {
  const ready = podCondition(pod, "Ready");
  if (ready?.status !== "True") return undefined;
  return Date.parse(ready.lastTransitionTime ?? "") || 0;
}

/** Ready for at least `minReadyMs`. @param now milliseconds since 1970 */
export function isPodAvailable(pod: PodState, minReadyMs: number, now: number): boolean {
  const readyAt = podReadyAt(pod);
  return readyAt !== undefined && (minReadyMs === 0 || readyAt + minReadyMs <= now);
}

/** After how many milliseconds the next ready pod becomes available; undefined when none waits for that. */
export function nextAvailableMs(
  pods: readonly PodState[],
  minReadyMs: number,
  now: number,
): number | undefined {
  if (minReadyMs === 0) return undefined;
  const waits = pods.flatMap((pod) => {
    const readyAt = podReadyAt(pod);
    return readyAt === undefined || readyAt + minReadyMs <= now ? [] : [readyAt + minReadyMs - now];
  });
  return waits.length === 0 ? undefined : Math.min(...waits);
}

/**
 * Pods in the order in which they are given up: those that serve least first.
 * @param related active pods of the same workload, old revisions included: nodes with many of them give up first
 */
export function rankForDeletion(pods: readonly PodState[], related: readonly PodState[] = pods): PodState[] {
  const perNode = new Map<string, number>();
  for (const pod of related) {
    const node = pod.spec?.nodeName;
    if (node !== undefined && isPodActive(pod)) perNode.set(node, (perNode.get(node) ?? 0) + 1);
  }
  const rank = (pod: PodState): number[] => [
    pod.spec?.nodeName ? 1 : 0,
    { Pending: 0, Unknown: 1, Running: 2 }[pod.status?.phase ?? "Pending"] ?? 2,
    isPodReady(pod) ? 1 : 0,
    deletionCost(pod),
    -(perNode.get(pod.spec?.nodeName ?? "") ?? 0),
    // the youngest goes first
    -(podReadyAt(pod) ?? 0),
    -Math.max(0, ...(pod.status?.containerStatuses ?? []).map((c) => c.restartCount ?? 0)),
    -Date.parse(pod.metadata.creationTimestamp ?? "0"),
  ];
  return pods
    .map((pod) => ({ pod, rank: rank(pod) }))
    .sort((a, b) => compare(a.rank, b.rank))
    .map(({ pod }) => pod);
}

function deletionCost(pod: PodState): number {
  return Number(pod.metadata.annotations?.["controller.kubernetes.io/pod-deletion-cost"] ?? 0) || 0;
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (const [i, left] of a.entries()) {
    const difference = left - (b[i] ?? 0);
    if (difference !== 0 && !Number.isNaN(difference)) return difference;
  }
  return 0;
}
