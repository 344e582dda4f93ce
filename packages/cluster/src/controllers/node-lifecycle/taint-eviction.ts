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
const outOfService = "node.kubernetes.io/out-of-service";

export function taintEvictionController(): ControllerDefinition {
  const events = new ComponentEvents("taint-eviction-controller");
  const goneSince = new Map<string, number>();
  // pods by node that are to be evicted when their tolerations are over
  const awaited = new Map<string, Map<string, PodState>>();
  return defineController(Node, {
    name: "taint-eviction-controller",
    fieldManager: managerName,
    concurrency: 5,
    predicates: [changed((node) => [node.spec?.taints, isReady(node)])],
    watches: [
      watch(Pod, (pod) => (pod.spec?.nodeName ? { name: pod.spec.nodeName } : undefined), {
        predicates: [
          changed((pod) => [pod.spec?.nodeName, pod.spec?.tolerations, pod.metadata.deletionTimestamp]),
        ],
      }),
    ],
    async reconcile(node, ctx) {
      goneSince.delete(node.metadata.name ?? "");
      const { name = "" } = node.metadata;
      const taints = (node.spec?.taints ?? []).filter(({ effect }) => effect === "NoExecute");
      const pods = await podsOnNode(name, ctx as never);
      if (isOutOfService(node)) await removeTerminating(pods, ctx);
      const { waiting, nextMs } = await evictFrom(pods, taints, ctx, events);
      for (const [key, pod] of awaited.get(name) ?? [])
        if (!waiting.has(key)) tellCancelled(pod, pods, ctx, events);
      if (waiting.size > 0) awaited.set(name, waiting);
      else awaited.delete(name);
      return Number.isFinite(nextMs) ? { requeueAfterMs: nextMs } : undefined;
    },
    async gone({ name }, ctx) {
      awaited.delete(name);
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

/** Evicts those whose time is over; answers those whose time will be, and when the first of them goes. */
async function evictFrom(
  pods: readonly PodState[],
  taints: readonly Effective[],
  ctx: Context,
  events: ComponentEvents,
): Promise<{ readonly waiting: Map<string, PodState>; readonly nextMs: number }> {
  const waiting = new Map<string, PodState>();
  let nextMs = Number.POSITIVE_INFINITY;
  if (taints.length === 0) return { waiting, nextMs };
  for (const pod of pods) {
    if (pod.metadata.deletionTimestamp !== undefined || isPodFinished(pod)) continue;
    const leftMs = evictionAt(pod, taints, ctx.clock.now()) - ctx.clock.now();
    if (leftMs <= 0) await evict(pod, ctx, events);
    else if (Number.isFinite(leftMs)) waiting.set(pod.metadata.uid ?? "", pod);
    nextMs = leftMs <= 0 ? nextMs : Math.min(nextMs, leftMs);
  }
  return { waiting, nextMs };
}

/** A pod that may stay after all; one that has gone meanwhile needs no word. */
function tellCancelled(
  pod: PodState,
  pods: readonly PodState[],
  ctx: Context,
  events: ComponentEvents,
): void {
  const now = pods.find(({ metadata }) => metadata.uid === pod.metadata.uid);
  if (now === undefined || now.metadata.deletionTimestamp !== undefined) return;
  const { namespace, name } = keyOf(pod);
  const message = `Cancelling deletion of Pod ${namespace}/${name}`;
  events.record(ctx, now, { reason: "TaintManagerEviction", message });
}

function isReady(node: DeepReadonly<Node>): boolean {
  return node.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") === true;
}

/** A node that is declared dead: what it still runs by the API is gone. */
function isOutOfService(node: DeepReadonly<Node>): boolean {
  return !isReady(node) && node.spec?.taints?.some(({ key }) => key === outOfService) === true;
}

async function removeTerminating(pods: readonly PodState[], ctx: Context): Promise<void> {
  for (const pod of pods.filter(({ metadata }) => metadata.deletionTimestamp !== undefined)) {
    await markFailed(pod, undefined, ctx);
    await remove(pod, { gracePeriodSeconds: 0 }, ctx);
  }
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
  const message = "Taint manager: deleting due to NoExecute taint";
  const conditions = withDisruption(pod, { reason: "DeletionByTaintManager", message }, ctx);
  await patchStatus(pod, { conditions }, ctx);
  const { namespace, name } = keyOf(pod);
  events.record(ctx, pod, {
    reason: "TaintManagerEviction",
    message: `Marking for deletion Pod ${namespace}/${name}`,
  });
  await remove(pod, {}, ctx);
}

/** Nobody will ever end a pod whose node is gone. */
async function removeOrphan(pod: PodState, ctx: Context): Promise<void> {
  const why = { reason: "DeletionByPodGC", message: "PodGC: node no longer exists" };
  await markFailed(pod, why, ctx);
  await remove(pod, { gracePeriodSeconds: 0 }, ctx);
}

interface Why {
  readonly reason: string;
  readonly message: string;
}

/** Nobody else would: a pod whose node is gone would be running for ever. */
async function markFailed(pod: PodState, why: Why | undefined, ctx: Context): Promise<void> {
  if (isPodFinished(pod)) return;
  const conditions = why === undefined ? undefined : withDisruption(pod, why, ctx);
  await patchStatus(pod, { phase: "Failed", ...(conditions === undefined ? {} : { conditions }) }, ctx);
}

function withDisruption(pod: PodState, { reason, message }: Why, ctx: Context): readonly object[] {
  const type = "DisruptionTarget";
  const lastTransitionTime = rfc3339(ctx.clock.now());
  const others = pod.status?.conditions?.filter((condition) => condition.type !== type) ?? [];
  return [...others, { type, status: "True", reason, message, lastProbeTime: null, lastTransitionTime }];
}

async function patchStatus(pod: PodState, status: object, ctx: Context): Promise<void> {
  const options = { subresource: "status", signal: ctx.signal } as const;
  await ctx.client.patch(Pod, keyOf(pod), { merge: { status } as never }, options).catch(ignoreGone);
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
