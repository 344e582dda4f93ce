/** Binds pods to nodes. Source: kubernetes pkg/scheduler. */
import type { DeepReadonly } from "@bowline/api";
import { Node, Pod } from "@bowline/api/core/v1";
import { rfc3339 } from "@bowline/client";
import { type ControllerDefinition, type ReconcileContext, defineController, watch } from "@bowline/runtime";

/** Pods that name another scheduler are left to it. */
const schedulerName = "default-scheduler";

export const schedulerController: ControllerDefinition = defineController(Pod, {
  name: "default-scheduler",
  concurrency: 5,
  predicates: [(event) => isWaiting(event.object)],
  // a node that appears or changes may have room for pods that waited
  watches: [watch(Node, () => undefined)],
  async reconcile(pod, ctx) {
    if (!isWaiting(pod)) return undefined;
    const nodes = (await ctx.list(Node)).filter((node) => node.spec?.unschedulable !== true && isReady(node));
    const node = await leastLoaded(nodes, ctx);
    if (node === undefined) return unschedulable(pod, ctx, (await ctx.list(Node)).length);
    const name = pod.metadata.name ?? "";
    const namespace = pod.metadata.namespace ?? "";
    await ctx.client.transport.request({
      method: "POST",
      path: `/api/v1/namespaces/${namespace}/pods/${name}/binding`,
      body: {
        apiVersion: "v1",
        kind: "Binding",
        metadata: { name, namespace, uid: pod.metadata.uid },
        target: { kind: "Node", name: node.metadata.name },
      },
      signal: ctx.signal,
    });
    ctx.event({
      reason: "Scheduled",
      action: "Binding",
      note: `Successfully assigned ${namespace}/${name} to ${node.metadata.name}`,
    });
    return undefined;
  },
});

function isWaiting(pod: DeepReadonly<Pod>): boolean {
  return (
    (pod.spec?.nodeName ?? "") === "" &&
    pod.metadata.deletionTimestamp === undefined &&
    (pod.spec?.schedulerName ?? schedulerName) === schedulerName &&
    (pod.spec?.schedulingGates?.length ?? 0) === 0
  );
}

function isReady(node: DeepReadonly<Node>): boolean {
  return node.status?.conditions?.some((c) => c.type === "Ready" && c.status === "True") ?? false;
}

/** The ready node with the fewest pods, the first by name among equals. */
async function leastLoaded(
  nodes: readonly DeepReadonly<Node>[],
  ctx: ReconcileContext<Pod>,
): Promise<DeepReadonly<Node> | undefined> {
  if (nodes.length <= 1) return nodes[0];
  const load = new Map<string, number>();
  for (const pod of await ctx.list(Pod)) {
    const name = pod.spec?.nodeName;
    if (name !== undefined) load.set(name, (load.get(name) ?? 0) + 1);
  }
  return [...nodes].sort((a, b) => (load.get(a.metadata.name ?? "") ?? 0) - (load.get(b.metadata.name ?? "") ?? 0))[0];
}

async function unschedulable(
  pod: DeepReadonly<Pod>,
  ctx: ReconcileContext<Pod>,
  nodeCount: number,
): Promise<{ requeueAfterMs: number }> {
  const message = `0/${nodeCount} nodes are available.`;
  const before = pod.status?.conditions?.find((c) => c.type === "PodScheduled");
  if (before?.status !== "False" || before.message !== message) {
    const rest = pod.status?.conditions?.filter((c) => c.type !== "PodScheduled") ?? [];
    const next = {
      type: "PodScheduled",
      status: "False",
      reason: "Unschedulable",
      message,
      lastTransitionTime: rfc3339(ctx.clock.now()),
    };
    await ctx.patchStatus({ conditions: [...rest, next] });
    ctx.event({ type: "Warning", reason: "FailedScheduling", action: "Scheduling", note: message });
  }
  return { requeueAfterMs: 5_000 };
}
