/** What PodDisruptionBudgets allow. Source: kubernetes pkg/controller/disruption (disruption.go). */
import { type DeepReadonly, type LabelSelector, controllerOf, scaledValue } from "@bowline/api";
import { Deployment, ReplicaSet, StatefulSet } from "@bowline/api/apps/v1";
import { Pod, ReplicationController } from "@bowline/api/core/v1";
import { PodDisruptionBudget } from "@bowline/api/policy/v1";
import { getScale, rfc3339 } from "@bowline/client";
import {
  type ControllerDefinition,
  type ReconcileContext,
  changed,
  defineController,
  watch,
} from "@bowline/runtime";
import { ComponentEvents } from "./component-events.ts";
import { defined, keyOf, managerName, replaceStatus } from "./control-plane.ts";
import { type PodState, isPodFinished, isPodReady } from "./pods/pod-state.ts";
import { SelectorIndex } from "./selector-index.ts";

type Budget = DeepReadonly<PodDisruptionBudget>;
type Context = ReconcileContext<PodDisruptionBudget>;

/** An eviction that was allowed and not carried out is forgotten after so long. */
const evictionMs = 120_000;

export function disruptionController(): ControllerDefinition {
  const events = new ComponentEvents("controllermanager");
  const selectors = new SelectorIndex();
  return defineController(PodDisruptionBudget, {
    name: "disruption-controller",
    fieldManager: managerName,
    watches: [
      watch(Pod, (pod) => selectors.matching(pod.metadata.namespace ?? "", pod.metadata.labels), {
        predicates: [
          changed((pod) => [
            pod.metadata.labels,
            pod.metadata.deletionTimestamp,
            pod.status?.phase,
            isPodReady(pod),
          ]),
        ],
      }),
    ],
    gone: (request) => selectors.forget(request),
    async reconcile(budget, ctx) {
      const matcher = selectors.note(keyOf(budget), budget.spec?.selector as LabelSelector);
      const pods = await ctx.list(Pod, {
        namespace: budget.metadata.namespace ?? "",
        filter: (pod) => matcher.matches(pod.metadata.labels) && !isPodFinished(pod),
      });
      if (pods.length === 0)
        events.record(ctx, budget, { reason: "NoPods", message: "No matching pods found" });
      return writeStatus(budget, pods, ctx);
    },
  });
}

async function writeStatus(
  budget: Budget,
  pods: readonly PodState[],
  ctx: Context,
): Promise<{ requeueAfterMs: number } | undefined> {
  const { expected, desired } = await wanted(budget, pods, ctx);
  const disrupted = stillDisrupted(budget, pods, ctx.clock.now());
  const isHealthy = (pod: PodState): boolean =>
    pod.metadata.deletionTimestamp === undefined &&
    disrupted[pod.metadata.name ?? ""] === undefined &&
    isPodReady(pod);
  const healthy = pods.filter(isHealthy).length;
  const allowed = expected === 0 ? 0 : Math.max(0, healthy - desired);
  const before = budget.status?.conditions?.find(({ type }) => type === "DisruptionAllowed");
  const status = allowed > 0 ? "True" : "False";
  const condition = defined({
    type: "DisruptionAllowed",
    status,
    reason: allowed > 0 ? "SufficientPods" : "InsufficientPods",
    message: "",
    observedGeneration: budget.metadata.generation,
    lastTransitionTime: before?.status === status ? before.lastTransitionTime : rfc3339(ctx.clock.now()),
  });
  await replaceStatus(budget as never, ctx as never, {
    observedGeneration: budget.metadata.generation,
    expectedPods: expected,
    currentHealthy: healthy,
    desiredHealthy: desired,
    disruptionsAllowed: allowed,
    disruptedPods: Object.keys(disrupted).length > 0 ? disrupted : undefined,
    conditions: [
      ...(budget.status?.conditions?.filter(({ type }) => type !== "DisruptionAllowed") ?? []),
      condition,
    ],
  });
  const waits = Object.values(disrupted).map((time) => Date.parse(time) + evictionMs - ctx.clock.now());
  return waits.length === 0 ? undefined : { requeueAfterMs: Math.max(1, Math.min(...waits)) };
}

function stillDisrupted(budget: Budget, pods: readonly PodState[], now: number): Record<string, string> {
  const entries = Object.entries(budget.status?.disruptedPods ?? {}).filter(([name, time]) => {
    const pod = pods.find((one) => one.metadata.name === name);
    return (
      pod !== undefined && pod.metadata.deletionTimestamp === undefined && Date.parse(time) + evictionMs > now
    );
  });
  return Object.fromEntries(entries);
}

/** How many pods there should be, and how many of them must be healthy. */
async function wanted(
  budget: Budget,
  pods: readonly PodState[],
  ctx: Context,
): Promise<{ expected: number; desired: number }> {
  const { minAvailable, maxUnavailable } = budget.spec ?? {};
  if (maxUnavailable !== undefined) {
    const expected = await expectedByScale(pods, ctx);
    const unavailable = scaledValue(maxUnavailable, { total: expected, rounding: "up" });
    return { expected, desired: Math.max(0, expected - unavailable) };
  }
  if (typeof minAvailable === "number") return { expected: pods.length, desired: minAvailable };
  const expected = await expectedByScale(pods, ctx);
  return { expected, desired: scaledValue(minAvailable ?? 0, { total: expected, rounding: "up" }) };
}

/** The replicas that the pods' controllers want. */
async function expectedByScale(pods: readonly PodState[], ctx: Context): Promise<number> {
  const replicas = new Map<string, number>();
  for (const pod of pods) {
    const owner = controllerOf(pod);
    if (owner === undefined || replicas.has(owner.uid)) continue;
    const found = await scaleOf(owner, pod.metadata.namespace ?? "", ctx);
    if (found !== undefined) replicas.set(found.uid, found.replicas);
  }
  return [...replicas.values()].reduce((sum, count) => sum + count, 0);
}

type Owner = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
};

async function scaleOf(
  owner: Owner,
  namespace: string,
  ctx: Context,
): Promise<{ uid: string; replicas: number } | undefined> {
  const key = { name: owner.name, namespace };
  if (owner.kind === "ReplicaSet" && owner.apiVersion.startsWith("apps/")) {
    const set = await ctx.get(ReplicaSet, key);
    const above = set === undefined ? undefined : controllerOf(set);
    if (above?.kind === "Deployment") {
      const deployment = await ctx.get(Deployment, { name: above.name, namespace });
      return deployment === undefined
        ? undefined
        : { uid: above.uid, replicas: deployment.spec?.replicas ?? 1 };
    }
    return set === undefined ? undefined : { uid: owner.uid, replicas: set.spec?.replicas ?? 1 };
  }
  if (owner.kind === "StatefulSet" && owner.apiVersion.startsWith("apps/")) {
    const set = await ctx.get(StatefulSet, key);
    return set === undefined ? undefined : { uid: owner.uid, replicas: set.spec?.replicas ?? 1 };
  }
  if (owner.kind === "ReplicationController") {
    const controller = await ctx.get(ReplicationController, key);
    return controller === undefined
      ? undefined
      : { uid: owner.uid, replicas: controller.spec?.replicas ?? 1 };
  }
  const scale = await getScale(ctx.client, owner, key, { signal: ctx.signal }).catch(() => undefined);
  return scale === undefined ? undefined : { uid: owner.uid, replicas: scale.spec?.replicas ?? 0 };
}
