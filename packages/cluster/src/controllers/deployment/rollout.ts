/** The steps of rollouts and of scaling. Source: kubernetes pkg/controller/deployment (rolling.go, recreate.go, sync.go). */
import { Pod } from "@bowline/api/core/v1";
import type { ComponentEvents } from "../component-events.ts";
import { isPodFinished } from "../pods/pod-state.ts";
import {
  type Context,
  type DeploymentState,
  type Family,
  type SetState,
  availableOf,
  budgetOf,
  createNewest,
  newReplicas,
  notedDesired,
  notedMax,
  replicasOf,
  scaleSet,
  sum,
} from "./replica-sets.ts";

/** One step towards the template of today: more new pods while there is room, fewer old ones while enough are available. */
export async function roll(
  deployment: DeploymentState,
  ctx: Context,
  family: Family,
  events: ComponentEvents,
): Promise<void> {
  const newest = family.newest;
  if (newest === undefined) {
    await createNewest(deployment, ctx, family, events);
    return;
  }
  const { desired } = budgetOf(deployment);
  const target = replicasOf(newest) > desired ? desired : newReplicas(deployment, family);
  if (replicasOf(newest) !== target) {
    await scaleSet(deployment, ctx, newest, target, events);
    return;
  }
  await shrinkOld(deployment, ctx, family, events);
}

async function shrinkOld(
  deployment: DeploymentState,
  ctx: Context,
  family: Family,
  events: ComponentEvents,
): Promise<void> {
  const { desired, maxUnavailable } = budgetOf(deployment);
  const newest = family.newest as SetState;
  if (sum(family.old, replicasOf) === 0) return;
  const minAvailable = desired - maxUnavailable;
  const newUnavailable = replicasOf(newest) - availableOf(newest);
  const removable = sum(family.all, replicasOf) - minAvailable - newUnavailable;
  if (removable <= 0) return;
  const sizes = new Map(family.old.map((set) => [set, replicasOf(set)]));
  // pods that never came up go first: they serve nobody
  takeFrom(sizes, removable, (set, size) => size - Math.min(size, availableOf(set)));
  takeFrom(sizes, sum(family.all, availableOf) - minAvailable, (_set, size) => size);
  for (const [set, size] of sizes) {
    if (size !== replicasOf(set)) await scaleSet(deployment, ctx, set, size, events);
  }
}

/** Takes up to `count` off the sizes, oldest sets first, and of each no more than `spare` says. */
function takeFrom(
  sizes: Map<SetState, number>,
  count: number,
  spare: (set: SetState, size: number) => number,
): void {
  let left = count;
  for (const [set, size] of sizes) {
    if (left <= 0) return;
    const taken = Math.max(0, Math.min(left, spare(set, size)));
    sizes.set(set, size - taken);
    left -= taken;
  }
}

/** Old pods go first, all of them; new ones come when the last is gone. */
export async function recreate(
  deployment: DeploymentState,
  ctx: Context,
  family: Family,
  events: ComponentEvents,
): Promise<void> {
  const running = family.old.filter((set) => replicasOf(set) > 0);
  for (const set of running) await scaleSet(deployment, ctx, set, 0, events);
  if (running.length > 0 || (await hasOldPods(ctx, family))) return;
  if (family.newest === undefined) await createNewest(deployment, ctx, family, events);
  else await scaleSet(deployment, ctx, family.newest, deployment.spec?.replicas ?? 1, events);
}

async function hasOldPods(ctx: Context, family: Family): Promise<boolean> {
  for (const set of family.old) {
    const pods = await ctx.list(Pod, { index: { name: "controller-uid", value: set.metadata.uid ?? "" } });
    if (pods.some((pod) => !isPodFinished(pod))) return true;
  }
  return false;
}

/** Follows the replica count without moving the rollout: in the middle of one, each set gets its share. */
export async function scale(
  deployment: DeploymentState,
  ctx: Context,
  family: Family,
  events: ComponentEvents,
): Promise<void> {
  const { desired, maxSurge } = budgetOf(deployment);
  const active = family.all.filter((set) => replicasOf(set) > 0);
  const single = active.length > 1 ? undefined : (active[0] ?? family.newest ?? family.old.at(-1));
  if (single !== undefined) {
    await scaleSet(deployment, ctx, single, desired, events);
    return;
  }
  const { newest } = family;
  if (newest !== undefined && isSaturated(deployment, newest)) {
    for (const set of family.old.filter((old) => replicasOf(old) > 0))
      await scaleSet(deployment, ctx, set, 0, events);
    return;
  }
  if (deployment.spec?.strategy?.type === "Recreate" || active.length === 0) return;
  const toAdd = (desired > 0 ? desired + maxSurge : 0) - sum(active, replicasOf);
  for (const [set, size] of shares(deployment, active, toAdd))
    await scaleSet(deployment, ctx, set, size, events);
}

function isSaturated(deployment: DeploymentState, set: SetState): boolean {
  const { desired } = budgetOf(deployment);
  return replicasOf(set) === desired && notedDesired(set) === String(desired) && availableOf(set) === desired;
}

/** New sizes of the active sets, in proportion to what they have; the largest gets what rounding leaves. */
export function shares(
  deployment: DeploymentState,
  active: readonly SetState[],
  toAdd: number,
): Map<SetState, number> {
  // among equals the newer grow first and the older shrink first
  const ordered = toAdd > 0 ? [...active].reverse() : [...active];
  ordered.sort((a, b) => replicasOf(b) - replicasOf(a));
  const sizes = new Map<SetState, number>();
  let added = 0;
  for (const set of ordered) {
    const share = toAdd === 0 || toAdd === added ? 0 : shareOf(deployment, set, toAdd - added);
    sizes.set(set, replicasOf(set) + share);
    added += share;
  }
  const [largest] = ordered;
  if (largest !== undefined && toAdd !== 0) {
    sizes.set(largest, Math.max(0, (sizes.get(largest) ?? 0) + toAdd - added));
  }
  return sizes;
}

/** What a set gains or loses, within what is left to share out. */
function shareOf(deployment: DeploymentState, set: SetState, left: number): number {
  const { desired, maxSurge } = budgetOf(deployment);
  const before = notedMax(set) ?? deployment.status?.replicas ?? 0;
  const grown = before === 0 ? 0 : Math.round((replicasOf(set) * (desired + maxSurge)) / before);
  const fraction = desired === 0 ? -replicasOf(set) : grown - replicasOf(set);
  return left > 0 ? Math.min(fraction, left) : Math.max(fraction, left);
}
