/** The Deployment controller. Source: kubernetes pkg/controller/deployment (deployment_controller.go, sync.go). */
import { type DeepReadonly, controllerOf } from "@bowline/api";
import { Deployment, ReplicaSet } from "@bowline/api/apps/v1";
import { Pod } from "@bowline/api/core/v1";
import { type ControllerDefinition, defineController, watch } from "@bowline/runtime";
import { claim } from "../claim.ts";
import { ComponentEvents } from "../component-events.ts";
import { keyOf, managerName } from "../control-plane.ts";
import { isPodFinished } from "../pods/pod-state.ts";
import { SelectorIndex } from "../selector-index.ts";
import {
  type Conditions,
  conditionsOf,
  hasDeadline,
  isFamilyComplete,
  progressing,
  withPause,
  withProgress,
  writeStatus,
} from "./deployment-status.ts";
import {
  type Context,
  type DeploymentState,
  type Family,
  NewSetFailure,
  cleanHistory,
  familyOf,
  hashLabel,
  isScaling,
  refreshNewest,
} from "./replica-sets.ts";
import { recreate, roll, scale } from "./rollout.ts";

export function deploymentController(): ControllerDefinition {
  const events = new ComponentEvents("deployment-controller");
  const selectors = new SelectorIndex();
  return defineController(Deployment, {
    name: "deployment-controller",
    fieldManager: managerName,
    concurrency: 5,
    owns: [ReplicaSet],
    watches: [
      watch(ReplicaSet, (set) =>
        controllerOf(set) === undefined
          ? selectors.matching(set.metadata.namespace ?? "", set.metadata.labels)
          : undefined,
      ),
      // a Recreate waits for the last old pod to be gone
      watch(Pod, deploymentOfPod, {
        predicates: [(event) => event.type === "deleted" || isPodFinished(event.object)],
      }),
    ],
    gone: (request) => selectors.forget(request),
    reconcile: (deployment, ctx) => reconcile(deployment, ctx, { events, selectors }),
  });
}

interface Ports {
  readonly events: ComponentEvents;
  readonly selectors: SelectorIndex;
}

async function reconcile(
  deployment: DeploymentState,
  ctx: Context,
  { events, selectors }: Ports,
): Promise<{ requeueAfterMs: number } | undefined> {
  const { selector } = deployment.spec ?? {};
  const matcher = selectors.note(keyOf(deployment), selector as never);
  if (
    Object.keys(selector?.matchLabels ?? {}).length === 0 &&
    (selector?.matchExpressions?.length ?? 0) === 0
  ) {
    const message = "This deployment is selecting all pods. A non-empty selector is required.";
    events.record(ctx, deployment, { type: "Warning", reason: "SelectingAll", message });
    await ctx.patchStatus({ observedGeneration: deployment.metadata.generation });
    return undefined;
  }
  const family = await readFamily(deployment, ctx, matcher);
  const conditions = withPause(deployment, conditionsOf(deployment), ctx.clock.now());
  const { collisionCount } = deployment.status ?? {};
  if (deployment.spec?.paused === true || isScaling(deployment, family)) {
    const current = await refreshNewest(deployment, ctx, family);
    await scale(deployment, ctx, current, events);
    const after = await readFamily(deployment, ctx, matcher);
    if (deployment.spec?.paused === true) await cleanHistory(deployment, ctx, after);
    return writeStatus(deployment, ctx, { family: after, conditions, collisionCount, judgesProgress: false });
  }
  return rollOut(deployment, ctx, { family, conditions, matcher, events });
}

interface RollOut {
  readonly family: Family;
  readonly conditions: Conditions;
  readonly matcher: Parameters<typeof claim>[3]["selector"];
  readonly events: ComponentEvents;
}

async function rollOut(
  deployment: DeploymentState,
  ctx: Context,
  { family, conditions, matcher, events }: RollOut,
): Promise<{ requeueAfterMs: number } | undefined> {
  const { collisionCount } = deployment.status ?? {};
  const step = deployment.spec?.strategy?.type === "Recreate" ? recreate : roll;
  try {
    await step(deployment, ctx, await refreshNewest(deployment, ctx, family), events);
  } catch (error) {
    if (!(error instanceof NewSetFailure)) throw error;
    await reportFailure(deployment, ctx, { family, conditions, events, error });
    throw error.cause;
  }
  const after = await readFamily(deployment, ctx, matcher);
  if (isFamilyComplete(deployment, after)) await cleanHistory(deployment, ctx, after);
  return writeStatus(deployment, ctx, {
    family: after,
    conditions: withNewest(deployment, conditions, { before: family, after }, ctx.clock.now()),
    collisionCount,
    judgesProgress: true,
  });
}

async function readFamily(
  deployment: DeploymentState,
  ctx: Context,
  selector: RollOut["matcher"],
): Promise<Family> {
  return familyOf(deployment, await claim(ReplicaSet, deployment, ctx as never, { selector }));
}

/** The newest set being there is the first word on progress. */
function withNewest(
  deployment: DeploymentState,
  conditions: Conditions,
  { before, after }: { readonly before: Family; readonly after: Family },
  now: number,
): Conditions {
  if (!hasDeadline(deployment) || after.newest === undefined) return conditions;
  const name = after.newest.metadata.name ?? "";
  if (before.newest === undefined) {
    return withProgress(
      conditions,
      { status: "True", reason: "NewReplicaSetCreated", message: `Created new replica set "${name}"` },
      now,
    );
  }
  if (progressing(conditions) !== undefined) return conditions;
  return withProgress(
    conditions,
    { status: "True", reason: "FoundNewReplicaSet", message: `Found new replica set "${name}"` },
    now,
  );
}

async function reportFailure(
  deployment: DeploymentState,
  ctx: Context,
  given: {
    readonly family: Family;
    readonly conditions: Conditions;
    readonly events: ComponentEvents;
    readonly error: NewSetFailure;
  },
): Promise<void> {
  const { family, error, events } = given;
  const status = {
    family,
    conditions: given.conditions,
    collisionCount: deployment.status?.collisionCount,
    judgesProgress: false,
  };
  if (error.collided) {
    await writeStatus(deployment, ctx, { ...status, collisionCount: (status.collisionCount ?? 0) + 1 });
    return;
  }
  const message = `Failed to create new replica set "${error.setName}": ${error.message}`;
  events.record(ctx, deployment, { type: "Warning", reason: "ReplicaSetCreateError", message });
  const failed = { status: "False", reason: "ReplicaSetCreateError", message } as const;
  const conditions = hasDeadline(deployment)
    ? withProgress(given.conditions, failed, ctx.clock.now())
    : given.conditions;
  await writeStatus(deployment, ctx, { ...status, conditions });
}

/** The deployment above a pod's ReplicaSet, whose name is the deployment's with the hash behind it. */
function deploymentOfPod(pod: DeepReadonly<Pod>): { namespace: string; name: string } | undefined {
  const owner = controllerOf(pod);
  const suffix = `-${pod.metadata.labels?.[hashLabel] ?? ""}`;
  if (owner?.kind !== "ReplicaSet" || !owner.name.endsWith(suffix)) return undefined;
  return { namespace: pod.metadata.namespace ?? "", name: owner.name.slice(0, -suffix.length) };
}
