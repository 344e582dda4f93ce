/** Binds pods to nodes. Source: kubernetes pkg/scheduler (schedule_one.go, eventhandlers.go). */
import { type DeepReadonly, isConflict, isNotFound } from "@bowline/api";
import { Namespace, Node, PersistentVolumeClaim, Pod } from "@bowline/api/core/v1";
import { type Clock, type Timer, rfc3339 } from "@bowline/client";
import {
  type Cache,
  type CacheEvent,
  type ControllerDefinition,
  type ReconcileContext,
  type RequestLike,
  defineController,
  watch,
} from "@bowline/runtime";
import { ComponentEvents } from "../../controllers/component-events.ts";
import { type Refusal, filtersFor } from "./filters.ts";
import { volumesOf } from "./pod-volumes.ts";
import { findPreemption } from "./preemption.ts";
import { type NodeInfo, type PodState, SchedulerState, occupies } from "./scheduler-state.ts";
import { bestNodes } from "./scores.ts";

type Context = ReconcileContext<Pod>;

/** Pods that name another scheduler are left to it. */
const schedulerName = "default-scheduler";
/** Pods that wait are tried again at most so often, however much happens. */
const retryEveryMs = 1000;

/** @param cache that of the manager which runs the controller: the scheduler keeps count by its events */
export function schedulerController(cache: Cache): ControllerDefinition {
  const scheduler = new Scheduler();
  return defineController(Pod, {
    name: schedulerName,
    fieldManager: "kube-scheduler",
    concurrency: 10,
    predicates: [(event) => isWaiting(event.object)],
    watches: [
      watch(Node, () => undefined),
      watch(Namespace, () => undefined),
      // a claim that is bound lets its pods go on
      watch(PersistentVolumeClaim, () => {
        scheduler.retry();
        return undefined;
      }),
    ],
    sources: [{ name: "state", start: ({ enqueue, signal }) => scheduler.follow(cache, enqueue, signal) }],
    reconcile: (pod, ctx) => (isWaiting(pod) ? scheduler.schedule(pod, ctx) : undefined),
    gone: (request) => scheduler.forget(request),
  });
}

function isWaiting(pod: PodState): boolean {
  return (
    (pod.spec?.nodeName ?? "") === "" &&
    pod.metadata.deletionTimestamp === undefined &&
    (pod.spec?.schedulerName ?? schedulerName) === schedulerName &&
    pod.status?.phase !== "Succeeded" &&
    pod.status?.phase !== "Failed" &&
    (pod.spec?.schedulingGates?.length ?? 0) === 0
  );
}

class Scheduler {
  readonly #state = new SchedulerState();
  readonly #events = new ComponentEvents(schedulerName);
  /** Pods that fitted nowhere. */
  readonly #waiting = new Map<string, RequestLike>();
  #enqueue: (request: RequestLike) => void = () => {};
  #clock: Clock | undefined;
  #retriedAt = Number.NEGATIVE_INFINITY;
  #retryTimer: Timer | undefined;

  /** Keeps the state, and tries waiting pods again when something makes room. */
  async follow(cache: Cache, enqueue: (request: RequestLike) => void, signal: AbortSignal): Promise<void> {
    this.#enqueue = enqueue;
    const handlers = [
      cache.informer(Node).addHandler((event) => this.#onNode(event)),
      cache.informer(Pod).addHandler((event) => this.#onPod(event)),
      cache.informer(Namespace).addHandler(({ type, object }) => {
        const { name = "", labels = {} } = object.metadata;
        if (type === "deleted") this.#state.namespaces.delete(name);
        else this.#state.namespaces.set(name, labels);
      }),
    ];
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    this.#retryTimer?.cancel();
    for (const handler of handlers) handler.remove();
  }

  #onNode(event: CacheEvent<Node>): void {
    if (event.type === "deleted") this.#state.removeNode(event.object.metadata.name ?? "");
    else if (this.#state.setNode(event.object)) this.retry();
  }

  #onPod({ type, object }: CacheEvent<Pod>): void {
    if (type === "deleted" || !occupies(object)) {
      const isUnbound = type !== "deleted" && isWaiting(object);
      if (!isUnbound && this.#state.unplace(object)) this.retry();
      return;
    }
    const isNew = !this.#state.isPlaced(object);
    this.#state.place(object, object.spec?.nodeName ?? "");
    // pods that want to be near it may go on
    if (isNew) this.retry();
  }

  /** Queues the pods that wait. */
  retry(): void {
    if (this.#waiting.size === 0 || this.#retryTimer !== undefined) return;
    const leftMs = this.#clock === undefined ? 0 : this.#retriedAt + retryEveryMs - this.#clock.now();
    if (leftMs <= 0 || this.#clock === undefined) return this.#retryNow();
    this.#retryTimer = this.#clock.setTimer(leftMs, () => {
      this.#retryTimer = undefined;
      this.#retryNow();
    });
  }

  #retryNow(): void {
    this.#retriedAt = this.#clock?.now() ?? 0;
    for (const request of this.#waiting.values()) this.#enqueue(request);
  }

  forget({ namespace, name }: { readonly namespace: string; readonly name: string }): void {
    this.#waiting.delete(`${namespace}/${name}`);
  }

  async schedule(pod: PodState, ctx: Context): Promise<void> {
    this.#clock = ctx.clock;
    if (this.#state.isPlaced(pod)) return;
    const volumes = await volumesOf(pod, ctx);
    if (volumes.problem !== undefined)
      return this.#refuse(
        pod,
        ctx,
        `${this.#countText()}: ${volumes.problem}. ${notHelpful(this.#state.nodes.length)}`,
      );
    // from here to `place` nothing is awaited: no other worker sees the same room
    const { nodes } = this.#state;
    const filter = filtersFor(pod, this.#state);
    const refusals = new Map<NodeInfo, readonly Refusal[]>();
    const fitting: NodeInfo[] = [];
    for (const info of nodes) {
      const refusal = filter(info) ?? (volumes.allows(info.node as never) ? undefined : volumeConflict);
      if (refusal === undefined) fitting.push(info);
      else refusals.set(info, refusal);
    }
    const best = bestNodes(pod, fitting, this.#state);
    const chosen = best[Math.floor(ctx.client.random.next() * best.length)];
    if (chosen === undefined) return this.#onNoFit(pod, ctx, refusals);
    if (volumes.unbound.length > 0) {
      this.#wait(pod);
      for (const claim of volumes.unbound) await selectNode(claim, chosen.name, ctx);
      return;
    }
    this.#state.place(pod, chosen.name);
    await this.#bind(pod, chosen.name, ctx);
  }

  async #bind(pod: PodState, node: string, ctx: Context): Promise<void> {
    const { name = "", namespace = "", uid } = pod.metadata;
    try {
      await ctx.client.transport.request({
        method: "POST",
        path: `/api/v1/namespaces/${namespace}/pods/${name}/binding`,
        body: {
          apiVersion: "v1",
          kind: "Binding",
          metadata: { name, namespace, uid },
          target: { kind: "Node", name: node },
        },
        signal: ctx.signal,
      });
    } catch (error) {
      this.#state.unplace(pod);
      if (isNotFound(error) || isConflict(error)) return;
      throw error;
    }
    this.#waiting.delete(keyOf(pod));
    const message = `Successfully assigned ${namespace}/${name} to ${node}`;
    this.#events.record(ctx, pod, { reason: "Scheduled", message });
  }

  async #onNoFit(
    pod: PodState,
    ctx: Context,
    refusals: ReadonlyMap<NodeInfo, readonly Refusal[]>,
  ): Promise<void> {
    const nominated = pod.status?.nominatedNodeName;
    const isMakingRoom = nominated !== undefined && this.#hasLeaving(nominated);
    const preemption = isMakingRoom ? undefined : findPreemption(pod, this.#state, refusals);
    if (preemption !== undefined) {
      const { info, victims } = preemption;
      await Promise.all(victims.map((victim) => this.#evict(victim, pod, info.name, ctx)));
      await ctx.patchStatus({ nominatedNodeName: info.name } as never);
    }
    const count = this.#countText();
    if (refusals.size === 0) return this.#refuse(pod, ctx, "no nodes available to schedule pods");
    const reasons = reasonText([...refusals.values()].map((list) => list.map((refusal) => refusal.reason)));
    const help = reasonText(
      [...refusals.values()].map((list) =>
        list.every((refusal) => refusal.isResolvable)
          ? ["No preemption victims found for incoming pod"]
          : ["Preemption is not helpful for scheduling"],
      ),
    );
    const tail =
      preemption === undefined && !isMakingRoom
        ? ` no new claims to deallocate, preemption: ${count}: ${help}.`
        : "";
    await this.#refuse(pod, ctx, `${count}: ${reasons}.${tail}`);
  }

  /** Whether a pod of that node is on its way out. */
  #hasLeaving(node: string): boolean {
    const info = this.#state.nodes.find((one) => one.name === node);
    return [...(info?.pods.values() ?? [])].some((pod) => pod.metadata.deletionTimestamp !== undefined);
  }

  async #evict(victim: PodState, pod: PodState, node: string, ctx: Context): Promise<void> {
    const { name = "", namespace = "" } = victim.metadata;
    const condition = {
      type: "DisruptionTarget",
      status: "True",
      reason: "PreemptionByScheduler",
      message: `${schedulerName}: preempting to accommodate a higher priority pod`,
      lastProbeTime: null,
      lastTransitionTime: rfc3339(ctx.clock.now()),
    };
    try {
      const others = victim.status?.conditions?.filter(({ type }) => type !== condition.type) ?? [];
      const merge = { status: { conditions: [...others, condition] } } as never;
      await ctx.client.patch(
        Pod,
        { name, namespace },
        { merge },
        { subresource: "status", signal: ctx.signal },
      );
      await ctx.client.delete(
        Pod,
        { name, namespace },
        { preconditions: { uid: victim.metadata.uid ?? "" }, signal: ctx.signal },
      );
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    const message = `Preempted by pod ${pod.metadata.uid} on node ${node}`;
    this.#events.record(ctx, victim, { reason: "Preempted", message });
  }

  async #refuse(pod: PodState, ctx: Context, message: string): Promise<void> {
    this.#wait(pod);
    const before = pod.status?.conditions?.find((condition) => condition.type === "PodScheduled");
    if (before?.status === "False" && before.reason === "Unschedulable" && before.message === message) return;
    const others = pod.status?.conditions?.filter((condition) => condition.type !== "PodScheduled") ?? [];
    const now = rfc3339(ctx.clock.now());
    const condition = {
      type: "PodScheduled",
      status: "False",
      reason: "Unschedulable",
      message,
      lastProbeTime: null,
      lastTransitionTime: before?.status === "False" ? before.lastTransitionTime : now,
      observedGeneration: pod.metadata.generation,
    };
    await ctx.patchStatus({ conditions: [...others, condition] } as never);
    this.#events.record(ctx, pod, { type: "Warning", reason: "FailedScheduling", message });
  }

  #wait(pod: PodState): void {
    this.#waiting.set(keyOf(pod), { namespace: pod.metadata.namespace ?? "", name: pod.metadata.name ?? "" });
  }

  #countText(): string {
    return `0/${this.#state.nodes.length} nodes are available`;
  }
}

const volumeConflict: readonly Refusal[] = [
  { reason: "node(s) didn't match PersistentVolume's node affinity", isResolvable: false },
];

function keyOf(pod: PodState): string {
  return `${pod.metadata.namespace}/${pod.metadata.name}`;
}

function notHelpful(count: number): string {
  return `no new claims to deallocate, preemption: 0/${count} nodes are available: ${count} Preemption is not helpful for scheduling.`;
}

/** `1 Insufficient cpu, 2 node(s) were unschedulable`: how often each reason was given, in the order of the texts. */
function reasonText(lists: readonly (readonly string[])[]): string {
  const counts = new Map<string, number>();
  for (const reason of lists.flat()) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts]
    .map(([reason, count]) => `${count} ${reason}`)
    .sort()
    .join(", ");
}

/** Tells whoever makes the volume where its first pod will run. */
async function selectNode(
  claim: DeepReadonly<PersistentVolumeClaim>,
  node: string,
  ctx: Context,
): Promise<void> {
  const annotation = "volume.kubernetes.io/selected-node";
  if (claim.metadata.annotations?.[annotation] === node) return;
  await ctx.patch(PersistentVolumeClaim, claim.metadata.name ?? "", {
    metadata: { annotations: { [annotation]: node } },
  });
}
