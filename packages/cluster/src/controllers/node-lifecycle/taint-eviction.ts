/** Evicts pods from nodes whose taints they do not bear. Source: kubernetes pkg/controller/tainteviction, pkg/controller/podgc. */
import { type DeepReadonly, isNotFound } from "@bowline/api";
import { Node, Pod, type Taint } from "@bowline/api/core/v1";
import { rfc3339 } from "@bowline/client";
import {
  type ControllerDefinition,
  type ReconcileContext,
  changed,
  defineController,
  watch,
} from "@bowline/runtime";
import { ComponentEvents } from "../component-events.ts";
import { keyOf, managerName } from "../control-plane.ts";
import { tolerates } from "../node-fit.ts";
import { type PodState, isPodFinished } from "../pods/pod-state.ts";
import { podsOnNode } from "./pods-on-node.ts";

type Context = ReconcileContext<Node>;
type Effective = DeepReadonly<Taint>;

/** A node that was deleted may come back; its pods have so long. */
const quarantineMs = 40_000;

export function taintEvictionController(): ControllerDefinition {
  const events = new ComponentEvents("taint-eviction-controller");
  const goneSince = new Map<string, number>();
  return defineController(Node, {
    name: "taint-eviction-controller",
    fieldManager: managerName,
    concurrency: 5,
    predicates: [changed((node) => node.spec?.taints)],
    watches: [
      watch(Pod, (pod) => (pod.spec?.nodeName ? { name: pod.spec.nodeName } : undefined), {
        predicates: [changed((pod) => [pod.spec?.nodeName, pod.spec?.tolerations])],
      }),
    ],
    async reconcile(node, ctx) {
      goneSince.delete(node.metadata.name ?? "");
      const taints = (node.spec?.taints ?? []).filter(({ effect }) => effect === "NoExecute");
      return taints.length === 0 ? undefined : evictFrom(node, taints, ctx, events);
    },
    async gone({ name }, ctx) {
      const pods = await podsOnNode(name, ctx as never);
      if (pods.length === 0) return void goneSince.delete(name);
      const since = goneSince.get(name) ?? ctx.clock.now();
      goneSince.set(name, since);
      const leftMs = since + quarantineMs - ctx.clock.now();
      if (leftMs > 0) return { requeueAfterMs: leftMs };
      await Promise.all(pods.map((pod) => removeOrphan(pod, ctx)));
      return undefined;
    },
  });
}

async function evictFrom(
  node: DeepReadonly<Node>,
  taints: readonly Effective[],
  ctx: Context,
  events: ComponentEvents,
): Promise<{ requeueAfterMs: number } | undefined> {
  let nextMs = Number.POSITIVE_INFINITY;
  for (const pod of await podsOnNode(node.metadata.name ?? "", ctx as never)) {
    if (pod.metadata.deletionTimestamp !== undefined || isPodFinished(pod)) continue;
    const leftMs = evictionAt(pod, taints, ctx.clock.now()) - ctx.clock.now();
    if (leftMs <= 0) await evict(pod, ctx, events);
    else nextMs = Math.min(nextMs, leftMs);
  }
  return Number.isFinite(nextMs) ? { requeueAfterMs: nextMs } : undefined;
}

/** When the pod has to go: at once for a taint that it does not tolerate, else when the shortest toleration is over. */
function evictionAt(pod: PodState, taints: readonly Effective[], now: number): number {
  const tolerations = pod.spec?.tolerations ?? [];
  let at = Number.POSITIVE_INFINITY;
  for (const taint of taints) {
    const fitting = tolerations.filter((toleration) => tolerates(toleration, taint));
    if (fitting.length === 0) return now;
    const since = taint.timeAdded === undefined ? now : Date.parse(taint.timeAdded);
    for (const { tolerationSeconds } of fitting) {
      if (tolerationSeconds !== undefined) at = Math.min(at, since + Math.max(0, tolerationSeconds) * 1000);
    }
  }
  return at;
}

async function evict(pod: PodState, ctx: Context, events: ComponentEvents): Promise<void> {
  await noteDisruption(pod, "DeletionByTaintManager", "Taint manager: deleting due to NoExecute taint", ctx);
  const { namespace, name } = keyOf(pod);
  events.record(ctx, pod, {
    reason: "TaintManagerEviction",
    message: `Marking for deletion Pod ${namespace}/${name}`,
  });
  await remove(pod, {}, ctx);
}

/** Nobody will ever end a pod whose node is gone. */
async function removeOrphan(pod: PodState, ctx: Context): Promise<void> {
  await noteDisruption(pod, "DeletionByPodGC", "PodGC: node no longer exists", ctx);
  await remove(pod, { gracePeriodSeconds: 0 }, ctx);
}

async function noteDisruption(pod: PodState, reason: string, message: string, ctx: Context): Promise<void> {
  const type = "DisruptionTarget";
  const lastTransitionTime = rfc3339(ctx.clock.now());
  const others = pod.status?.conditions?.filter((condition) => condition.type !== type) ?? [];
  const conditions = [
    ...others,
    { type, status: "True", reason, message, lastProbeTime: null, lastTransitionTime },
  ];
  const options = { subresource: "status", signal: ctx.signal } as const;
  await ctx.client
    .patch(Pod, keyOf(pod), { merge: { status: { conditions } } as never }, options)
    .catch(ignoreGone);
}

async function remove(
  pod: PodState,
  options: { readonly gracePeriodSeconds?: number },
  ctx: Context,
): Promise<void> {
  const preconditions = { uid: pod.metadata.uid ?? "" };
  await ctx.client
    .delete(Pod, keyOf(pod), { ...options, preconditions, signal: ctx.signal })
    .catch(ignoreGone);
}

function ignoreGone(error: unknown): void {
  if (!isNotFound(error)) throw error;
}
