/** Notices nodes that fall silent, and taints them. Source: kubernetes pkg/controller/nodelifecycle (node_lifecycle_controller.go). */
import { type DeepReadonly, jsonEqual } from "@bowline/api";
import { Lease } from "@bowline/api/coordination/v1";
import { Node, Pod, type Taint } from "@bowline/api/core/v1";
import { rfc3339 } from "@bowline/client";
import {
  type ControllerDefinition,
  type ReconcileContext,
  changed,
  defineController,
} from "@bowline/runtime";
import { ComponentEvents } from "../component-events.ts";
import { keyOf, managerName } from "../control-plane.ts";
import { isPodReady } from "../pods/pod-state.ts";
import { podsOnNode } from "./pods-on-node.ts";

type NodeState = DeepReadonly<Node>;
type Context = ReconcileContext<Node>;

/** A node that is silent for so long is taken to be gone. */
const graceMs = 50_000;
const leaseNamespace = "kube-node-lease";
const watchedConditions = ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"];

/** Taints that follow from conditions, beside those of Ready. */
const pressureTaints: readonly (readonly [condition: string, status: string, key: string])[] = [
  ["MemoryPressure", "True", "node.kubernetes.io/memory-pressure"],
  ["DiskPressure", "True", "node.kubernetes.io/disk-pressure"],
  ["PIDPressure", "True", "node.kubernetes.io/pid-pressure"],
  ["NetworkUnavailable", "True", "node.kubernetes.io/network-unavailable"],
];
const notReady = "node.kubernetes.io/not-ready";
const unreachable = "node.kubernetes.io/unreachable";
const unschedulable = "node.kubernetes.io/unschedulable";
const managedKeys: ReadonlySet<string> = new Set([
  notReady,
  unreachable,
  unschedulable,
  ...pressureTaints.map(([, , key]) => key),
]);

export function nodeLifecycleController(): ControllerDefinition {
  const events = new ComponentEvents("node-controller");
  return defineController(Node, {
    name: "node-lifecycle-controller",
    fieldManager: managerName,
    concurrency: 5,
    predicates: [
      changed((node) => [
        node.metadata.labels,
        node.spec,
        node.status?.conditions?.map(({ type, status }) => [type, status]),
      ]),
    ],
    async reconcile(given, ctx) {
      const silentAt = (await lastSign(given, ctx)) + graceMs;
      const isLost = silentAt <= ctx.clock.now();
      const node = isLost ? await declareLost(given, ctx, events) : given;
      await taint(node, ctx);
      return isLost ? undefined : { requeueAfterMs: silentAt - ctx.clock.now() };
    },
  });
}

/** When the node was last heard of, by its lease or its status. */
async function lastSign(node: NodeState, ctx: Context): Promise<number> {
  const lease = await ctx.get(Lease, { name: node.metadata.name ?? "", namespace: leaseNamespace });
  const status = node.status?.conditions?.find(({ type }) => type === "Ready")?.lastHeartbeatTime;
  const times = [lease?.spec?.renewTime, status, node.metadata.creationTimestamp];
  return Math.max(...times.map((time) => (time === undefined ? 0 : Date.parse(time) || 0)));
}

async function declareLost(node: NodeState, ctx: Context, events: ComponentEvents): Promise<NodeState> {
  const ready = node.status?.conditions?.find(({ type }) => type === "Ready");
  if (ready?.status === "Unknown") return node;
  const now = rfc3339(ctx.clock.now());
  const unknown = (type: string): object => {
    const before = node.status?.conditions?.find((condition) => condition.type === type);
    const heard = before?.lastHeartbeatTime ?? node.metadata.creationTimestamp;
    const why =
      before === undefined
        ? { reason: "NodeStatusNeverUpdated", message: "Kubelet never posted node status." }
        : { reason: "NodeStatusUnknown", message: "Kubelet stopped posting node status." };
    return { type, status: "Unknown", ...why, lastHeartbeatTime: heard, lastTransitionTime: now };
  };
  const others = node.status?.conditions?.filter(({ type }) => !watchedConditions.includes(type)) ?? [];
  const lost = await ctx.patchStatus({ conditions: [...others, ...watchedConditions.map(unknown)] } as never);
  const { name } = node.metadata;
  events.record(ctx, node, { reason: "NodeNotReady", message: `Node ${name} status is now: NodeNotReady` });
  await markPods(node, ctx, events);
  return lost;
}

/** Pods of a node that is not heard of any more are not ready. */
async function markPods(node: NodeState, ctx: Context, events: ComponentEvents): Promise<void> {
  const now = rfc3339(ctx.clock.now());
  for (const pod of await podsOnNode(node.metadata.name ?? "", ctx as never)) {
    if (!isPodReady(pod)) continue;
    const conditions = pod.status?.conditions?.map((condition) =>
      condition.type === "Ready" ? { ...condition, status: "False", lastTransitionTime: now } : condition,
    );
    await ctx.client.patch(
      Pod,
      keyOf(pod),
      { merge: { status: { conditions } } as never },
      { subresource: "status", signal: ctx.signal },
    );
    events.record(ctx, pod, { type: "Warning", reason: "NodeNotReady", message: "Node is not ready" });
  }
}

/** Makes the taints those that follow from the conditions; taints of others stay. */
async function taint(node: NodeState, ctx: Context): Promise<void> {
  const before = node.spec?.taints ?? [];
  const now = rfc3339(ctx.clock.now());
  const wanted: Taint[] = [];
  const want = (key: string, effect: string): void => {
    const known = before.find((one) => one.key === key && one.effect === effect);
    const timeAdded = known?.timeAdded ?? (effect === "NoExecute" || key === unschedulable ? now : undefined);
    wanted.push({ key, effect, ...(timeAdded === undefined ? {} : { timeAdded }) });
  };
  const statusOf = (type: string): string | undefined =>
    node.status?.conditions?.find((c) => c.type === type)?.status;
  const ready = statusOf("Ready");
  if (ready !== "True") {
    const key = ready === "Unknown" ? unreachable : notReady;
    want(key, "NoSchedule");
    if (ready !== undefined) want(key, "NoExecute");
  }
  for (const [type, status, key] of pressureTaints) if (statusOf(type) === status) want(key, "NoSchedule");
  if (node.spec?.unschedulable === true) want(unschedulable, "NoSchedule");
  const taints = [...before.filter(({ key }) => !managedKeys.has(key)), ...wanted];
  if (jsonEqual(taints, before)) return;
  await ctx.patch(Node, { name: node.metadata.name ?? "" }, {
    spec: { taints: taints.length > 0 ? taints : null },
  } as never);
}
