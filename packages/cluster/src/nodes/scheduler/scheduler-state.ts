/** What the scheduler knows of nodes and of the pods on them. Source: kubernetes pkg/scheduler/backend/cache. */
import { type DeepReadonly, controllerOf, jsonEqual } from "@bowline/api";
import type { Node, Pod } from "@bowline/api/core/v1";
import { type Amounts, amountsOf, podRequests } from "./resources.ts";

export type PodState = DeepReadonly<Pod>;
export type NodeState = DeepReadonly<Node>;

/** One node with what is on it. */
export class NodeInfo {
  readonly name: string;
  readonly pods: Map<string, PodState> = new Map();
  readonly requested: Map<string, number> = new Map();
  /** `protocol/port/address` in use. */
  readonly ports: Map<string, number> = new Map();
  /** Pods by the uid of their controller. */
  readonly byController: Map<string, number> = new Map();
  node: NodeState | undefined;
  allocatable: Amounts = new Map();

  constructor(name: string) {
    this.name = name;
  }

  setNode(node: NodeState | undefined): void {
    const before = this.node?.status?.allocatable;
    this.node = node;
    if (node?.status?.allocatable !== before)
      this.allocatable = amountsOf(node?.status?.allocatable as never);
  }

  add(pod: PodState): void {
    this.remove(pod);
    this.pods.set(pod.metadata.uid ?? "", pod);
    this.#count(pod, 1);
  }

  remove(pod: PodState): void {
    const before = this.pods.get(pod.metadata.uid ?? "");
    if (before === undefined) return;
    this.pods.delete(pod.metadata.uid ?? "");
    this.#count(before, -1);
  }

  label(key: string): string | undefined {
    return this.node?.metadata.labels?.[key];
  }

  #count(pod: PodState, sign: 1 | -1): void {
    for (const [name, value] of podRequests(pod))
      this.requested.set(name, (this.requested.get(name) ?? 0) + sign * value);
    const owner = controllerOf(pod)?.uid;
    if (owner !== undefined) addTo(this.byController, owner, sign);
    for (const port of hostPorts(pod)) addTo(this.ports, port, sign);
  }
}

/** Counts, and forgets what is at zero. */
function addTo(counts: Map<string, number>, key: string, change: number): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}

/** The ports of the host that a pod takes. */
export function hostPorts(pod: PodState): string[] {
  return (pod.spec?.containers ?? []).flatMap((container) =>
    (container.ports ?? []).flatMap((port) =>
      port.hostPort ? [`${port.protocol ?? "TCP"}/${port.hostPort}/${port.hostIP ?? "0.0.0.0"}`] : [],
    ),
  );
}

/** Whether the pod counts against its node. */
export function occupies(pod: PodState): boolean {
  return (
    (pod.spec?.nodeName ?? "") !== "" && pod.status?.phase !== "Succeeded" && pod.status?.phase !== "Failed"
  );
}

export class SchedulerState {
  readonly #nodes = new Map<string, NodeInfo>();
  /** Pods on nodes by uid, with the node that they are counted on. */
  readonly #placed = new Map<string, NodeInfo>();
  /** Namespaces with labels, for terms that select namespaces. */
  readonly namespaces: Map<string, Readonly<Record<string, string>>> = new Map();
  #sorted: readonly NodeInfo[] | undefined;

  /** Nodes that exist, by name. */
  get nodes(): readonly NodeInfo[] {
    this.#sorted ??= [...this.#nodes.values()]
      .filter((info) => info.node !== undefined)
      .sort((a, b) => (a.name < b.name ? -1 : 1));
    return this.#sorted;
  }

  /** @returns whether pods that did not fit may fit now */
  setNode(node: NodeState): boolean {
    const info = this.#info(node.metadata.name ?? "");
    const before = info.node;
    info.setNode(node);
    if (before === undefined) this.#sorted = undefined;
    return before === undefined || isMaterial(before, node);
  }

  removeNode(name: string): void {
    const info = this.#nodes.get(name);
    if (info === undefined) return;
    info.setNode(undefined);
    if (info.pods.size === 0) this.#nodes.delete(name);
    this.#sorted = undefined;
  }

  /** Counts the pod on its node, or on the node that it is about to be bound to. */
  place(pod: PodState, nodeName: string): void {
    const uid = pod.metadata.uid ?? "";
    const before = this.#placed.get(uid);
    if (before !== undefined && before.name !== nodeName) before.remove(pod);
    const info = this.#info(nodeName);
    info.add(pod);
    this.#placed.set(uid, info);
  }

  /** @returns whether it was counted anywhere */
  unplace(pod: PodState): boolean {
    const uid = pod.metadata.uid ?? "";
    const info = this.#placed.get(uid);
    if (info === undefined) return false;
    info.remove(pod);
    this.#placed.delete(uid);
    return true;
  }

  isPlaced(pod: PodState): boolean {
    return this.#placed.has(pod.metadata.uid ?? "");
  }

  #info(name: string): NodeInfo {
    let info = this.#nodes.get(name);
    if (info === undefined) this.#nodes.set(name, (info = new NodeInfo(name)));
    return info;
  }
}

/** Heartbeats change nothing for pods that wait. */
function isMaterial(before: NodeState, node: NodeState): boolean {
  return !(
    jsonEqual(before.metadata.labels, node.metadata.labels) &&
    jsonEqual(before.spec, node.spec) &&
    jsonEqual(before.status?.allocatable, node.status?.allocatable)
  );
}
