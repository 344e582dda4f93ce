/** Which of several nodes is best. Source: kubernetes pkg/scheduler/framework/plugins (the default weights). */
import { compileLabelSelector, controllerOf } from "@bowline/api";
import { matchesNodeTerm, untoleratedTaints } from "../../controllers/node-fit.ts";
import { spreadSelector } from "./filters.ts";
import { podRequests } from "./resources.ts";
import type { NodeInfo, PodState, SchedulerState } from "./scheduler-state.ts";
import { affinityTerm } from "./affinity-term.ts";

/** Counted for containers that request nothing, so that they spread too. */
const defaultCpuMilli = 100;
const defaultMemoryBytes = 200 * 1024 * 1024;

/** One score by node, not yet normalised; higher is better. */
type Score = (info: NodeInfo) => number;

/** The nodes with the highest score. */
export function bestNodes(
  pod: PodState,
  nodes: readonly NodeInfo[],
  state: SchedulerState,
): readonly NodeInfo[] {
  if (nodes.length <= 1) return nodes;
  const totals = new Map<NodeInfo, number>(nodes.map((info) => [info, 0]));
  const addScore = (weight: number, score: Score | undefined, isNormalised: boolean): void => {
    if (score === undefined) return;
    const raw = nodes.map(score);
    const [low, high] = [Math.min(...raw), Math.max(...raw)];
    for (const [i, info] of nodes.entries()) {
      const value = raw[i] as number;
      const scaled = isNormalised ? value : high === low ? 0 : ((value - low) * 100) / (high - low);
      totals.set(info, (totals.get(info) ?? 0) + weight * Math.floor(scaled));
    }
  };
  addScore(1, leastAllocated(pod), true);
  addScore(3, untaintedScore(pod), false);
  addScore(2, preferredNodes(pod), false);
  addScore(2, spreadScore(pod, state), false);
  addScore(2, preferredPods(pod, state), false);
  const best = Math.max(...totals.values());
  return nodes.filter((info) => totals.get(info) === best);
}

/** The share of the node that stays free, 0 to 100. */
function leastAllocated(pod: PodState): Score {
  const wanted = podRequests(pod);
  const free = (info: NodeInfo, name: string, fallback: number): number => {
    const total = info.allocatable.get(name) ?? 0;
    if (total === 0) return 0;
    const used =
      Math.max(info.requested.get(name) ?? 0, info.pods.size * fallback) + (wanted.get(name) ?? fallback);
    return used > total ? 0 : ((total - used) * 100) / total;
  };
  return (info) => (free(info, "cpu", defaultCpuMilli) + free(info, "memory", defaultMemoryBytes)) / 2;
}

function untaintedScore(pod: PodState): Score {
  const tolerations = pod.spec?.tolerations ?? [];
  return ({ node }) => -untoleratedTaints(node?.spec?.taints ?? [], tolerations, ["PreferNoSchedule"]).length;
}

function preferredNodes(pod: PodState): Score | undefined {
  const preferred = pod.spec?.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  if (preferred.length === 0) return undefined;
  return ({ node }) =>
    preferred.reduce(
      (sum, { preference, weight }) =>
        sum + (node !== undefined && matchesNodeTerm(preference, node) ? weight : 0),
      0,
    );
}

/** Fewer pods of the same workload in the same host and zone are better; constraints say what else to spread over. */
function spreadScore(pod: PodState, state: SchedulerState): Score | undefined {
  const soft = (pod.spec?.topologySpreadConstraints ?? []).filter(
    (c) => c.whenUnsatisfiable === "ScheduleAnyway",
  );
  const owner = controllerOf(pod)?.uid;
  const domains =
    soft.length > 0
      ? soft.map((constraint) => {
          const selector = compileLabelSelector(spreadSelector(constraint, pod) as never);
          const isSame = (other: PodState): boolean =>
            other.metadata.namespace === pod.metadata.namespace && selector.matches(other.metadata.labels);
          return {
            key: constraint.topologyKey,
            count: (info: NodeInfo) => [...info.pods.values()].filter(isSame).length,
          };
        })
      : owner === undefined
        ? []
        : ["kubernetes.io/hostname", "topology.kubernetes.io/zone"].map((key) => ({
            key,
            count: (info: NodeInfo) => info.byController.get(owner) ?? 0,
          }));
  if (domains.length === 0) return undefined;
  const perDomain = domains.map(({ key, count }) => {
    const sums = new Map<string, number>();
    for (const info of state.nodes) {
      const value = info.label(key) ?? "";
      sums.set(value, (sums.get(value) ?? 0) + count(info));
    }
    return { key, sums };
  });
  return (info) => -perDomain.reduce((sum, { key, sums }) => sum + (sums.get(info.label(key) ?? "") ?? 0), 0);
}

function preferredPods(pod: PodState, state: SchedulerState): Score | undefined {
  const { podAffinity, podAntiAffinity } = pod.spec?.affinity ?? {};
  const near = podAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const far = podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  if (near.length + far.length === 0) return undefined;
  const weighted = [...near.map((one) => ({ ...one, sign: 1 })), ...far.map((one) => ({ ...one, sign: -1 }))];
  const perTerm = weighted.map(({ podAffinityTerm, weight, sign }) => {
    const term = affinityTerm(podAffinityTerm, pod, state.namespaces);
    const sums = new Map<string, number>();
    for (const info of state.nodes) {
      const value = info.label(term.topologyKey);
      if (value === undefined) continue;
      for (const other of info.pods.values())
        if (term.matches(other)) sums.set(value, (sums.get(value) ?? 0) + weight * sign);
    }
    return { key: term.topologyKey, sums };
  });
  return (info) => perTerm.reduce((sum, { key, sums }) => sum + (sums.get(info.label(key) ?? "") ?? 0), 0);
}
