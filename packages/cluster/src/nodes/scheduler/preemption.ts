/** Making room for pods of higher priority. Source: kubernetes pkg/scheduler/framework/preemption (preemption.go). */
import { type Refusal, filtersFor } from "./filters.ts";
import type { NodeInfo, PodState, SchedulerState } from "./scheduler-state.ts";

/** Whom to evict so that the pod fits on a node. */
export interface Preemption {
  readonly info: NodeInfo;
  readonly victims: readonly PodState[];
}

const priorityOf = (pod: PodState): number => pod.spec?.priority ?? 0;

/** The node on which the least is lost, if evicting pods of lower priority helps anywhere. */
export function findPreemption(
  pod: PodState,
  state: SchedulerState,
  refusals: ReadonlyMap<NodeInfo, readonly Refusal[]>,
): Preemption | undefined {
  if (pod.spec?.preemptionPolicy === "Never") return undefined;
  const options: Preemption[] = [];
  for (const [info, reasons] of refusals) {
    if (!reasons.every((refusal) => refusal.isResolvable)) continue;
    const victims = victimsOn(pod, state, info);
    if (victims !== undefined && victims.length > 0) options.push({ info, victims });
  }
  const cost = ({ victims }: Preemption): number[] => [
    Math.max(...victims.map(priorityOf)),
    victims.reduce((sum, victim) => sum + priorityOf(victim), 0),
    victims.length,
  ];
  return options.sort((a, b) => compareLists(cost(a), cost(b)))[0];
}

/** The fewest pods of lower priority whose absence makes the pod fit; undefined when none does. */
function victimsOn(pod: PodState, state: SchedulerState, info: NodeInfo): readonly PodState[] | undefined {
  const lower = [...info.pods.values()].filter((other) => priorityOf(other) < priorityOf(pod));
  if (lower.length === 0) return undefined;
  const fits = (): boolean => filtersFor(pod, state)(info) === undefined;
  for (const victim of lower) info.remove(victim);
  try {
    if (!fits()) return undefined;
    const victims: PodState[] = [];
    // the most important ones are the first to be spared
    for (const candidate of lower.sort((a, b) => priorityOf(b) - priorityOf(a) || byStart(a, b))) {
      info.add(candidate);
      if (fits()) continue;
      info.remove(candidate);
      victims.push(candidate);
    }
    return victims;
  } finally {
    for (const victim of lower) info.add(victim);
  }
}

function byStart(a: PodState, b: PodState): number {
  return (a.status?.startTime ?? "") < (b.status?.startTime ?? "") ? -1 : 1;
}

function compareLists(a: readonly number[], b: readonly number[]): number {
  for (const [i, left] of a.entries()) if (left !== b[i]) return left - (b[i] ?? 0);
  return 0;
}
