/** The ReplicaSet controller. Source: kubernetes pkg/controller/replicaset (replica_set.go), controller_utils.go. */
import { type DeepReadonly, compileLabelSelector } from "@bowline/api";
import { ReplicaSet } from "@bowline/api/apps/v1";
import { Pod } from "@bowline/api/core/v1";
import { type ReconcileContext, type ControllerDefinition, defineController } from "@bowline/runtime";
import { isPodActive, isPodAvailable, isPodReady, rankForDeletion } from "./pod-state.ts";

type Set = DeepReadonly<ReplicaSet>;
type Member = DeepReadonly<Pod>;

/** Pods that are created or deleted in one pass; the rest follows in the next. */
const burstMax = 500;

export const replicaSetController: ControllerDefinition = defineController(ReplicaSet, {
  name: "replicaset-controller",
  owns: [Pod],
  concurrency: 5,
  async reconcile(set, ctx) {
    const pods = await claimPods(set, ctx);
    const active = pods.filter(isPodActive);
    const wanted = set.spec?.replicas ?? 1;
    let failure: unknown;
    try {
      if (active.length < wanted) await createPods(set, ctx, Math.min(wanted - active.length, burstMax));
      if (active.length > wanted) await deletePods(ctx, active, Math.min(active.length - wanted, burstMax));
    } catch (error) {
      failure = error;
    }
    const requeueAfterMs = await writeStatus(set, ctx, active, failure);
    if (failure !== undefined) throw failure;
    return requeueAfterMs === undefined ? undefined : { requeueAfterMs };
  },
});

/** The set's own pods, after taking in matching orphans and letting go of those that no longer match. */
async function claimPods(set: Set, ctx: ReconcileContext<ReplicaSet>): Promise<Member[]> {
  const selector = compileLabelSelector(set.spec?.selector as never);
  const inNamespace = await ctx.list(Pod, { namespace: set.metadata.namespace ?? "" });
  const claimed: Member[] = [];
  for (const pod of inNamespace) {
    const controller = pod.metadata.ownerReferences?.find((o) => o.controller === true);
    const matches = selector.matches(pod.metadata.labels);
    if (controller !== undefined) {
      if (controller.uid !== set.metadata.uid) continue;
      if (matches) claimed.push(pod);
      else if (pod.metadata.deletionTimestamp === undefined) await release(set, ctx, pod);
    } else if (matches && isPodActive(pod)) {
      claimed.push(await adopt(set, ctx, pod));
    }
  }
  return claimed;
}

async function adopt(set: Set, ctx: ReconcileContext<ReplicaSet>, pod: Member): Promise<Member> {
  const reference = {
    apiVersion: set.apiVersion,
    kind: set.kind,
    name: set.metadata.name ?? "",
    uid: set.metadata.uid ?? "",
    controller: true,
    blockOwnerDeletion: true,
  };
  const ownerReferences = [...(pod.metadata.ownerReferences ?? []), reference];
  const merge = { metadata: { uid: pod.metadata.uid ?? "", ownerReferences } };
  return ctx.client.patch(Pod, keyOf(pod), { merge: merge as never });
}

async function release(set: Set, ctx: ReconcileContext<ReplicaSet>, pod: Member): Promise<void> {
  const ownerReferences = pod.metadata.ownerReferences?.filter((o) => o.uid !== set.metadata.uid) ?? [];
  const merge = {
    metadata: {
      uid: pod.metadata.uid ?? "",
      ownerReferences: ownerReferences.length > 0 ? ownerReferences : null,
    },
  };
  await ctx.client.patch(Pod, keyOf(pod), { merge: merge as never });
}

function keyOf(pod: Member): { name: string; namespace: string } {
  return { name: pod.metadata.name ?? "", namespace: pod.metadata.namespace ?? "" };
}

/** Creates pods in growing batches, so that a refusal costs one request and not five hundred. */
async function createPods(set: Set, ctx: ReconcileContext<ReplicaSet>, count: number): Promise<void> {
  const template = set.spec?.template;
  for (let done = 0, batch = 1; done < count; done += batch, batch *= 2) {
    batch = Math.min(batch, count - done);
    const results = await Promise.allSettled(
      Array.from({ length: batch }, async () => {
        const pod = await ctx.create(Pod, {
          metadata: {
            generateName: `${set.metadata.name}-`,
            namespace: set.metadata.namespace ?? "",
            labels: { ...template?.metadata?.labels },
            ...(template?.metadata?.annotations ? { annotations: { ...template.metadata.annotations } } : {}),
            ...(template?.metadata?.finalizers ? { finalizers: [...template.metadata.finalizers] } : {}),
          },
          spec: template?.spec as never,
        });
        ctx.event({ reason: "SuccessfulCreate", note: `Created pod: ${pod.metadata.name}` });
      }),
    );
    const failed = results.find((r) => r.status === "rejected");
    if (failed?.status === "rejected") {
      ctx.event({
        type: "Warning",
        reason: "FailedCreate",
        note: `Error creating: ${String((failed.reason as Error).message)}`,
      });
      throw failed.reason;
    }
  }
}

async function deletePods(
  ctx: ReconcileContext<ReplicaSet>,
  active: readonly Member[],
  count: number,
): Promise<void> {
  const doomed = rankForDeletion(active).slice(0, count);
  await Promise.all(
    doomed.map(async (pod) => {
      await ctx.delete(pod);
      ctx.event({ reason: "SuccessfulDelete", note: `Deleted pod: ${pod.metadata.name}` });
    }),
  );
}

/** Writes the counts; answers after how many milliseconds a ready pod will count as available, if one waits for that. */
async function writeStatus(
  set: Set,
  ctx: ReconcileContext<ReplicaSet>,
  active: readonly Member[],
  failure: unknown,
): Promise<number | undefined> {
  const labels = Object.entries(set.spec?.template?.metadata?.labels ?? {});
  const minReadyMs = (set.spec?.minReadySeconds ?? 0) * 1000;
  const ready = active.filter(isPodReady);
  const available = ready.filter((pod) => isPodAvailable(pod, minReadyMs, ctx.clock.now()));
  const failed = failure !== undefined;
  await ctx.patchStatus({
    replicas: active.length,
    fullyLabeledReplicas: active.filter((p) => labels.every(([k, v]) => p.metadata.labels?.[k] === v)).length,
    readyReplicas: ready.length,
    availableReplicas: available.length,
    observedGeneration: set.metadata.generation,
    ...(failed || (set.status?.conditions?.length ?? 0) > 0
      ? {
          conditions: failed
            ? [
                {
                  type: "ReplicaFailure",
                  status: "True",
                  reason: "FailedCreate",
                  message: failure instanceof Error ? failure.message : String(failure),
                  lastTransitionTime: new Date(ctx.clock.now()).toISOString().replace(/\.\d+Z$/, "Z"),
                },
              ]
            : null,
        }
      : {}),
  });
  return ready.length > available.length && minReadyMs > 0 ? minReadyMs : undefined;
}
