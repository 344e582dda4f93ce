/**
 * ReplicaSets and ReplicationControllers, which differ in name and in the form of their selector only.
 * Source: kubernetes pkg/controller/replicaset (replica_set.go, replica_set_utils.go), pkg/controller/replication.
 */
import {
  type AnyKind,
  type DeepReadonly,
  type KubeObject,
  type LabelSelector,
  controllerOf,
} from "@bowline/api";
import { ReplicaSet } from "@bowline/api/apps/v1";
import { Pod, type PodTemplateSpec, ReplicationController } from "@bowline/api/core/v1";
import { type ControllerDefinition, type ReconcileContext, defineController, watch } from "@bowline/runtime";
import { claim } from "./claim.ts";
import { ComponentEvents } from "./component-events.ts";
import {
  type WorkloadCondition,
  hasLabels,
  keyOf,
  managerName,
  replaceStatus,
  withCondition,
  withoutCondition,
} from "./control-plane.ts";
import { type PodMaker, createPod, deletePod, inGrowingBatches, textOf } from "./pods/pod-control.ts";
import {
  type PodState,
  isPodActive,
  isPodAvailable,
  isPodReady,
  isPodTerminating,
  nextAvailableMs,
  rankForDeletion,
} from "./pods/pod-state.ts";
import { SelectorIndex, plainSelector } from "./selector-index.ts";

/** What both kinds have. */
interface Replicated extends KubeObject {
  spec?: { replicas?: number; minReadySeconds?: number; template?: PodTemplateSpec; selector?: unknown };
  status?: { conditions?: WorkloadCondition[] };
}

type Target = DeepReadonly<Replicated>;
type Context = ReconcileContext<Replicated>;

interface Flavour {
  readonly kind: AnyKind;
  readonly name: string;
}

/** Pods that are created or deleted in one pass; the rest follows in the next. */
const burstMax = 500;

export function replicaSetController(): ControllerDefinition {
  return replicator({
    kind: ReplicaSet,
    name: "replicaset-controller",
  });
}

export function replicationController(): ControllerDefinition {
  return replicator({
    kind: ReplicationController,
    name: "replication-controller",
  });
}

function replicator(flavour: Flavour): ControllerDefinition {
  const selectors = new SelectorIndex();
  const events = new ComponentEvents(flavour.name);
  return defineController(flavour.kind, {
    name: flavour.name,
    fieldManager: managerName,
    concurrency: 5,
    owns: [Pod],
    watches: [
      // an orphan may be wanted by a set that selects it
      watch(Pod, (pod) =>
        controllerOf(pod) === undefined
          ? selectors.matching(pod.metadata.namespace ?? "", pod.metadata.labels)
          : undefined,
      ),
    ],
    gone: (request) => selectors.forget(request),
    reconcile: (object, ctx) =>
      replicate(flavour, object as Target, ctx as unknown as Context, { selectors, events }),
  });
}

async function replicate(
  flavour: Flavour,
  set: Target,
  ctx: Context,
  { selectors, events }: { readonly selectors: SelectorIndex; readonly events: ComponentEvents },
): Promise<{ requeueAfterMs: number } | undefined> {
  const selector = selectors.note(keyOf(set), selectorIn(flavour, set));
  const pods = await claim(Pod, set, ctx as never, {
    selector,
    canAdopt: (pod) => isPodActive(pod as PodState),
  });
  const active = pods.filter(isPodActive);
  const difference = active.length - (set.spec?.replicas ?? 1);
  const maker: PodMaker = { owner: set, template: set.spec?.template, events };
  let failure: unknown;
  try {
    if (difference < 0)
      await inGrowingBatches(Math.min(-difference, burstMax), () => createPod(maker, ctx as never));
    if (difference > 0) await giveUp(maker, ctx, active, Math.min(difference, burstMax));
  } catch (error) {
    failure = error;
  }
  await writeStatus(set, ctx, {
    active,
    terminating: pods.filter(isPodTerminating).length,
    difference,
    failure,
  });
  if (failure !== undefined) throw failure;
  const requeueAfterMs = nextAvailableMs(active, (set.spec?.minReadySeconds ?? 0) * 1000, ctx.clock.now());
  return requeueAfterMs === undefined ? undefined : { requeueAfterMs };
}

/** The selector of a ReplicationController is a plain map of labels. */
function selectorIn(flavour: Flavour, set: Target): DeepReadonly<LabelSelector> {
  const selector = set.spec?.selector as DeepReadonly<LabelSelector>;
  return flavour.kind === ReplicationController ? plainSelector(selector as never) : selector;
}

async function giveUp(
  maker: PodMaker,
  ctx: Context,
  active: readonly PodState[],
  count: number,
): Promise<void> {
  const doomed = rankForDeletion(active, await relatedPods(maker.owner, ctx, active)).slice(0, count);
  const results = await Promise.allSettled(doomed.map((pod) => deletePod(maker, ctx as never, pod)));
  const failed = results.find((result) => result.status === "rejected");
  if (failed?.status === "rejected") throw failed.reason;
}

/** The pods of all sets that the same controller has: a rollout's old and new pods count together on a node. */
async function relatedPods(
  owner: DeepReadonly<KubeObject>,
  ctx: Context,
  active: readonly PodState[],
): Promise<readonly PodState[]> {
  const above = controllerOf(owner);
  if (above === undefined) return active;
  const siblings = await ctx.list(ReplicaSet, { index: { name: "controller-uid", value: above.uid } });
  const pods = await Promise.all(
    siblings.map((set) =>
      ctx.list(Pod, { index: { name: "controller-uid", value: set.metadata.uid ?? "" } }),
    ),
  );
  return pods.flat();
}

interface Counted {
  readonly active: readonly PodState[];
  readonly terminating: number;
  /** Below zero: pods were missing. */
  readonly difference: number;
  readonly failure: unknown;
}

async function writeStatus(
  set: Target,
  ctx: Context,
  { active, terminating, difference, failure }: Counted,
): Promise<void> {
  const now = ctx.clock.now();
  const minReadyMs = (set.spec?.minReadySeconds ?? 0) * 1000;
  let conditions = (set.status?.conditions ?? []) as readonly DeepReadonly<WorkloadCondition>[];
  if (failure === undefined) conditions = withoutCondition(conditions, "ReplicaFailure");
  else if (!conditions.some((condition) => condition.type === "ReplicaFailure")) {
    const reason = difference < 0 ? "FailedCreate" : "FailedDelete";
    conditions = withCondition(
      conditions,
      { type: "ReplicaFailure", status: "True", reason, message: textOf(failure) },
      now,
    );
  }
  await replaceStatus(set as never, ctx as never, {
    replicas: active.length,
    fullyLabeledReplicas: active.filter((pod) =>
      hasLabels(pod.metadata.labels, set.spec?.template?.metadata?.labels),
    ).length,
    readyReplicas: active.filter(isPodReady).length,
    availableReplicas: active.filter((pod) => isPodAvailable(pod, minReadyMs, now)).length,
    // ReplicationControllers do not have it
    terminatingReplicas: set.kind === "ReplicaSet" ? terminating : undefined,
    observedGeneration: set.metadata.generation,
    conditions: conditions.length > 0 ? conditions : undefined,
  });
}
