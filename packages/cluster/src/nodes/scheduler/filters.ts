/** Why a pod cannot run on a node. Source: kubernetes pkg/scheduler/framework/plugins, whose reasons these are. */
import { compileLabelSelector } from "@bowline/api";
import { matchesNodeAffinity, untoleratedTaints } from "../../controllers/node-fit.ts";
import { podRequests } from "./resources.ts";
import { type NodeInfo, type PodState, type SchedulerState, hostPorts } from "./scheduler-state.ts";
import { type AffinityTerm, affinityTerm } from "./affinity-term.ts";

/** Why not, and whether it would help if other pods went. */
export interface Refusal {
  readonly reason: string;
  readonly isResolvable: boolean;
}

/** Answers about one node; undefined: it may run there. */
type Filter = (info: NodeInfo) => readonly Refusal[] | undefined;

const final = (reason: string): readonly Refusal[] => [{ reason, isResolvable: false }];
const resolvable = (...reasons: string[]): readonly Refusal[] =>
  reasons.map((reason) => ({ reason, isResolvable: true }));

/** All filters for one pod, in the order in which the real scheduler asks them. What needs all nodes is computed once. */
export function filtersFor(
  pod: PodState,
  state: SchedulerState,
): (info: NodeInfo) => readonly Refusal[] | undefined {
  const filters: Filter[] = [
    unschedulable(pod),
    nodeName(pod),
    taints(pod),
    nodeAffinity(pod),
    ports(pod),
    fits(pod),
    ...spreadFilters(pod, state),
    ...affinityFilters(pod, state),
  ];
  return (info) => {
    for (const filter of filters) {
      const refusals = filter(info);
      if (refusals !== undefined) return refusals;
    }
    return undefined;
  };
}

function unschedulable(pod: PodState): Filter {
  const taint = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };
  const isTolerated = untoleratedTaints([taint], pod.spec?.tolerations ?? [], ["NoSchedule"]).length === 0;
  return ({ node }) =>
    node?.spec?.unschedulable === true && !isTolerated ? final("node(s) were unschedulable") : undefined;
}

function nodeName(pod: PodState): Filter {
  const wanted = pod.spec?.nodeName ?? "";
  return ({ name }) =>
    wanted !== "" && wanted !== name ? final("node(s) didn't match the requested node name") : undefined;
}

function taints(pod: PodState): Filter {
  const tolerations = pod.spec?.tolerations ?? [];
  return ({ node }) =>
    untoleratedTaints(node?.spec?.taints ?? [], tolerations, ["NoSchedule", "NoExecute"]).length > 0
      ? final("node(s) had untolerated taint(s)")
      : undefined;
}

function nodeAffinity(pod: PodState): Filter {
  return ({ node }) =>
    node !== undefined && matchesNodeAffinity(pod.spec, node)
      ? undefined
      : final("node(s) didn't match Pod's node affinity/selector");
}

function ports(pod: PodState): Filter {
  const wanted = hostPorts(pod);
  if (wanted.length === 0) return () => undefined;
  return ({ ports: used }) =>
    wanted.some((port) => [...used.keys()].some((other) => arePortsClashing(port, other)))
      ? resolvable("node(s) didn't have free ports for the requested pod ports")
      : undefined;
}

function arePortsClashing(a: string, b: string): boolean {
  const [left, right] = [a.split("/"), b.split("/")];
  const isAnywhere = left[2] === "0.0.0.0" || right[2] === "0.0.0.0" || left[2] === right[2];
  return left[0] === right[0] && left[1] === right[1] && isAnywhere;
}

function fits(pod: PodState): Filter {
  const wanted = podRequests(pod);
  return (info) => {
    const refusals: Refusal[] = [];
    const { allocatable, requested, pods } = info;
    if (pods.size + 1 > (allocatable.get("pods") ?? 0)) refusals.push(...resolvable("Too many pods"));
    for (const [name, value] of wanted) {
      if (value === 0) continue;
      const room = (allocatable.get(name) ?? 0) - (requested.get(name) ?? 0);
      if (value > room)
        refusals.push({
          reason: `Insufficient ${name}`,
          isResolvable: value <= (allocatable.get(name) ?? 0),
        });
    }
    return refusals.length === 0 ? undefined : refusals;
  };
}

/** Pods of the state on the nodes that have a value for the key, counted by that value. */
function countBy(
  state: SchedulerState,
  key: string,
  wants: (pod: PodState, info: NodeInfo) => boolean,
): Map<string, number> {
  const counts = new Map<string, number>();
  for (const info of state.nodes) {
    const value = info.label(key);
    if (value === undefined) continue;
    let count = counts.get(value) ?? 0;
    for (const pod of info.pods.values()) if (wants(pod, info)) count++;
    counts.set(value, count);
  }
  return counts;
}

function spreadFilters(pod: PodState, state: SchedulerState): Filter[] {
  const constraints = (pod.spec?.topologySpreadConstraints ?? []).filter(
    (c) => c.whenUnsatisfiable === "DoNotSchedule",
  );
  return constraints.map((constraint) => {
    const selector = compileLabelSelector(spreadSelector(constraint, pod) as never);
    const honoursAffinity = constraint.nodeAffinityPolicy !== "Ignore";
    const honoursTaints = constraint.nodeTaintsPolicy === "Honor";
    const tolerations = pod.spec?.tolerations ?? [];
    const counts = (info: NodeInfo): boolean =>
      (!honoursAffinity || (info.node !== undefined && matchesNodeAffinity(pod.spec, info.node))) &&
      (!honoursTaints ||
        untoleratedTaints(info.node?.spec?.taints ?? [], tolerations, ["NoSchedule", "NoExecute"]).length ===
          0);
    const perValue = new Map<string, number>();
    for (const info of state.nodes) {
      const value = info.label(constraint.topologyKey);
      if (value === undefined || !counts(info)) continue;
      let count = perValue.get(value) ?? 0;
      for (const other of info.pods.values()) if (isSpreadWith(pod, other, selector)) count++;
      perValue.set(value, count);
    }
    const fewest = perValue.size < (constraint.minDomains ?? 1) ? 0 : Math.min(...perValue.values());
    const self = selector.matches(pod.metadata.labels) ? 1 : 0;
    return (info): readonly Refusal[] | undefined => {
      const value = info.label(constraint.topologyKey);
      if (value === undefined)
        return final("node(s) didn't match pod topology spread constraints (missing required label)");
      const skew = (perValue.get(value) ?? 0) + self - fewest;
      return skew > constraint.maxSkew
        ? resolvable("node(s) didn't match pod topology spread constraints")
        : undefined;
    };
  });
}

function isSpreadWith(
  pod: PodState,
  other: PodState,
  selector: { matches(labels: Readonly<Record<string, string>> | undefined): boolean },
): boolean {
  return (
    other.metadata.namespace === pod.metadata.namespace &&
    other.metadata.deletionTimestamp === undefined &&
    selector.matches(other.metadata.labels)
  );
}

export function spreadSelector(
  constraint: { readonly labelSelector?: unknown; readonly matchLabelKeys?: readonly string[] },
  pod: PodState,
): object | undefined {
  const selector = constraint.labelSelector as { matchLabels?: Record<string, string> } | undefined;
  const keys = (constraint.matchLabelKeys ?? []).filter((key) => pod.metadata.labels?.[key] !== undefined);
  if (keys.length === 0) return selector;
  const extra = Object.fromEntries(keys.map((key) => [key, pod.metadata.labels?.[key]]));
  return { ...selector, matchLabels: { ...selector?.matchLabels, ...extra } };
}

function affinityFilters(pod: PodState, state: SchedulerState): Filter[] {
  const { podAffinity, podAntiAffinity } = pod.spec?.affinity ?? {};
  const terms = (list: typeof podAffinity): AffinityTerm[] =>
    (list?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map((term) =>
      affinityTerm(term, pod, state.namespaces),
    );
  const filters: Filter[] = [];
  const wanted = terms(podAffinity);
  if (wanted.length > 0) filters.push(wantsOthers(pod, state, wanted));
  for (const term of terms(podAntiAffinity)) {
    const counts = countBy(state, term.topologyKey, (other) => term.matches(other));
    filters.push((info) => {
      const value = info.label(term.topologyKey);
      return value !== undefined && (counts.get(value) ?? 0) > 0
        ? resolvable("node(s) didn't match pod anti-affinity rules")
        : undefined;
    });
  }
  const shunned = shunnedBy(pod, state);
  if (shunned.size > 0) {
    filters.push((info) =>
      [...shunned].some(([key, values]) => values.has(info.label(key) ?? ""))
        ? resolvable("node(s) didn't satisfy existing pods anti-affinity rules")
        : undefined,
    );
  }
  return filters;
}

/** All terms must find a pod in the node's domain; the first pod of a group that wants only itself may start anywhere. */
function wantsOthers(pod: PodState, state: SchedulerState, terms: readonly AffinityTerm[]): Filter {
  const all = (other: PodState): boolean => terms.every((term) => term.matches(other));
  const counts = terms.map((term) => countBy(state, term.topologyKey, all));
  const isFirst = counts.every((count) => [...count.values()].every((n) => n === 0)) && all(pod);
  return (info) => {
    const holds = terms.every((term, i) => {
      const value = info.label(term.topologyKey);
      return value !== undefined && (isFirst || (counts[i]?.get(value) ?? 0) > 0);
    });
    return holds ? undefined : final("node(s) didn't match pod affinity rules");
  };
}

/** Domains in which a pod wants none like this one, by topology key. */
function shunnedBy(pod: PodState, state: SchedulerState): Map<string, Set<string>> {
  const shunned = new Map<string, Set<string>>();
  for (const info of state.nodes) {
    for (const other of info.pods.values()) {
      const required = other.spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
      for (const raw of required ?? []) {
        const term = affinityTerm(raw, other, state.namespaces);
        const value = info.label(term.topologyKey);
        if (value === undefined || !term.matches(pod)) continue;
        const values = shunned.get(term.topologyKey) ?? new Set();
        shunned.set(term.topologyKey, values.add(value));
      }
    }
  }
  return shunned;
}
