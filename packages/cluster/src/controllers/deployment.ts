/** The Deployment controller. Source: kubernetes pkg/controller/deployment (sync.go, rolling.go, recreate.go, progress.go). */
import { type DeepReadonly, jsonEqual, scaledValue } from "@bowline/api";
import { Deployment, ReplicaSet } from "@bowline/api/apps/v1";
import { Pod } from "@bowline/api/core/v1";
import { rfc3339 } from "@bowline/client";
import { type ControllerDefinition, type ReconcileContext, defineController, watch } from "@bowline/runtime";
import { templateHash } from "./template-hash.ts";

type Target = DeepReadonly<Deployment>;
type Set = DeepReadonly<ReplicaSet>;
type Context = ReconcileContext<Deployment>;

const hashLabel = "pod-template-hash";
const revisionAnnotation = "deployment.kubernetes.io/revision";
const desiredAnnotation = "deployment.kubernetes.io/desired-replicas";
const maxAnnotation = "deployment.kubernetes.io/max-replicas";

export const deploymentController: ControllerDefinition = defineController(Deployment, {
  name: "deployment-controller",
  owns: [ReplicaSet],
  concurrency: 5,
  watches: [
    // a Recreate waits for the last old pod to be gone
    watch(Pod, deploymentOfPod),
  ],
  async reconcile(deployment, ctx) {
    const sets = [...(await ctx.owned(ReplicaSet))].sort(byAge);
    const current = sets.find((set) => sameTemplate(deployment, set));
    if (deployment.spec?.paused === true) {
      await scalePaused(deployment, ctx, sets);
      return writeStatus(deployment, ctx, { sets: await ctx.owned(ReplicaSet), current });
    }
    const newSet = await ensureNewSet(deployment, ctx, { sets, current });
    const old = sets.filter((set) => set.metadata.uid !== newSet.metadata.uid);
    if (deployment.spec?.strategy?.type === "Recreate") await recreate(deployment, ctx, { newSet, old });
    else await roll(deployment, ctx, { newSet, old });
    const after = await ctx.owned(ReplicaSet);
    await cleanHistory(deployment, ctx, after, newSet);
    return writeStatus(deployment, ctx, {
      sets: after,
      current: after.find((s) => s.metadata.uid === newSet.metadata.uid),
    });
  },
});

/** The deployment above a pod's ReplicaSet, whose name is the deployment's with the hash behind it. */
function deploymentOfPod(pod: DeepReadonly<Pod>): { namespace: string; name: string } | undefined {
  const owner = pod.metadata.ownerReferences?.find((o) => o.controller === true && o.kind === "ReplicaSet");
  const suffix = `-${pod.metadata.labels?.[hashLabel] ?? ""}`;
  if (owner === undefined || !owner.name.endsWith(suffix)) return undefined;
  return { namespace: pod.metadata.namespace ?? "", name: owner.name.slice(0, -suffix.length) };
}

function byAge(a: Set, b: Set): number {
  const left = a.metadata.creationTimestamp ?? "";
  const right = b.metadata.creationTimestamp ?? "";
  return left === right
    ? (a.metadata.name ?? "") < (b.metadata.name ?? "")
      ? -1
      : 1
    : left < right
      ? -1
      : 1;
}

/** Whether a ReplicaSet's pods are those of the deployment's template. */
function sameTemplate(deployment: Target, set: Set): boolean {
  return jsonEqual(withoutHash(set.spec?.template), withoutHash(deployment.spec?.template));
}

function withoutHash(template: unknown): unknown {
  const { metadata, ...rest } = (template ?? {}) as {
    metadata?: { labels?: Record<string, string> } & Record<string, unknown>;
  };
  const { [hashLabel]: _hash, ...labels } = metadata?.labels ?? {};
  const { creationTimestamp: _time, ...others } = metadata ?? {};
  return { ...rest, metadata: { ...others, labels } };
}

const replicasOf = (set: Set): number => set.spec?.replicas ?? 0;
const revisionOf = (set: Set): number => Number(set.metadata.annotations?.[revisionAnnotation] ?? 0) || 0;
const sum = (sets: readonly Set[], count: (set: Set) => number): number =>
  sets.reduce((n, set) => n + count(set), 0);
const availableOf = (set: Set): number => set.status?.availableReplicas ?? 0;

interface Budget {
  readonly desired: number;
  readonly maxSurge: number;
  readonly maxUnavailable: number;
}

/** How far a rollout may stray from the wanted number. Both at 0 would never move: one may then be unavailable. */
function budgetOf(deployment: Target): Budget {
  const desired = deployment.spec?.replicas ?? 1;
  if (deployment.spec?.strategy?.type === "Recreate") return { desired, maxSurge: 0, maxUnavailable: 0 };
  const { maxSurge = "25%", maxUnavailable = "25%" } = deployment.spec?.strategy?.rollingUpdate ?? {};
  const surge = scaledValue(maxSurge, { total: desired, rounding: "up" });
  const unavailable = scaledValue(maxUnavailable, { total: desired, rounding: "down" });
  return {
    desired,
    maxSurge: surge,
    maxUnavailable: surge === 0 && unavailable === 0 ? 1 : Math.min(unavailable, desired),
  };
}

function annotationsFor(deployment: Target, revision: number): Record<string, string> {
  const { desired, maxSurge } = budgetOf(deployment);
  const {
    "kubectl.kubernetes.io/last-applied-configuration": _applied,
    [revisionAnnotation]: _old,
    ...own
  } = deployment.metadata.annotations ?? {};
  return {
    ...own,
    [desiredAnnotation]: String(desired),
    [maxAnnotation]: String(desired + maxSurge),
    [revisionAnnotation]: String(revision),
  };
}

/** The ReplicaSet of today's template, created or brought up to date, with the highest revision. */
async function ensureNewSet(
  deployment: Target,
  ctx: Context,
  given: { readonly sets: readonly Set[]; readonly current: Set | undefined },
): Promise<Set> {
  const { sets, current } = given;
  const highest = Math.max(0, ...sets.filter((s) => s !== current).map(revisionOf));
  if (current === undefined) return createSet(deployment, ctx, { sets, revision: highest + 1 });
  const revision = Math.max(
    revisionOf(current),
    highest + 1 > revisionOf(current) && highest > 0 ? highest + 1 : revisionOf(current),
  );
  const wanted = annotationsFor(deployment, Math.max(revision, 1));
  await setRevision(deployment, ctx, Math.max(revision, 1));
  const fits = Object.entries(wanted).every(([key, value]) => current.metadata.annotations?.[key] === value);
  const minReady = deployment.spec?.minReadySeconds ?? 0;
  if (fits && (current.spec?.minReadySeconds ?? 0) === minReady) return current;
  return ctx.patch(ReplicaSet, current.metadata.name ?? "", {
    metadata: { annotations: wanted },
    spec: { minReadySeconds: minReady },
  });
}

async function createSet(
  deployment: Target,
  ctx: Context,
  given: { readonly sets: readonly Set[]; readonly revision: number },
): Promise<Set> {
  const { spec, metadata } = deployment;
  const hash = templateHash(spec?.template, deployment.status?.collisionCount ?? 0);
  const name = `${metadata.name}-${hash}`;
  const labels = { ...spec?.template?.metadata?.labels, [hashLabel]: hash };
  const template = { ...spec?.template, metadata: { ...spec?.template?.metadata, labels } };
  const selector = { ...spec?.selector, matchLabels: { ...spec?.selector?.matchLabels, [hashLabel]: hash } };
  const { desired, maxSurge } = budgetOf(deployment);
  const room = desired + maxSurge - sum(given.sets, replicasOf);
  const recreate = spec?.strategy?.type === "Recreate";
  const replicas = recreate && sum(given.sets, replicasOf) > 0 ? 0 : Math.max(0, Math.min(desired, room));
  const set = await ctx.create(ReplicaSet, {
    metadata: {
      name,
      namespace: metadata.namespace ?? "",
      labels,
      annotations: annotationsFor(deployment, given.revision),
    },
    spec: { replicas, selector, template, minReadySeconds: spec?.minReadySeconds ?? 0 } as never,
  });
  await setRevision(deployment, ctx, given.revision);
  if (replicas > 0) scalingEvent(ctx, { set: name, from: 0, to: replicas });
  return set;
}

async function setRevision(deployment: Target, ctx: Context, revision: number): Promise<void> {
  if (deployment.metadata.annotations?.[revisionAnnotation] === String(revision)) return;
  await ctx.patch(Deployment, deployment.metadata.name ?? "", {
    metadata: { annotations: { [revisionAnnotation]: String(revision) } },
  });
}

async function scaleSet(deployment: Target, ctx: Context, set: Set, to: number): Promise<void> {
  const from = replicasOf(set);
  if (from === to) return;
  const { desired, maxSurge } = budgetOf(deployment);
  await ctx.patch(ReplicaSet, set.metadata.name ?? "", {
    metadata: {
      annotations: { [desiredAnnotation]: String(desired), [maxAnnotation]: String(desired + maxSurge) },
    },
    spec: { replicas: to },
  });
  scalingEvent(ctx, { set: set.metadata.name ?? "", from, to });
}

function scalingEvent(
  ctx: Context,
  change: { readonly set: string; readonly from: number; readonly to: number },
): void {
  const { set, from, to } = change;
  const direction = to > from ? "up" : "down";
  ctx.event({
    reason: "ScalingReplicaSet",
    note: `Scaled ${direction} replica set ${set} from ${from} to ${to}`,
  });
}

interface Rollout {
  readonly newSet: Set;
  readonly old: readonly Set[];
}

/** One step of a rolling update: more new pods while there is room, fewer old ones while enough are available. */
async function roll(deployment: Target, ctx: Context, { newSet, old }: Rollout): Promise<void> {
  const { desired, maxSurge, maxUnavailable } = budgetOf(deployment);
  const total = replicasOf(newSet) + sum(old, replicasOf);
  if (replicasOf(newSet) > desired) return scaleSet(deployment, ctx, newSet, desired);
  if (replicasOf(newSet) < desired) {
    const room = desired + maxSurge - total;
    if (room > 0) return scaleSet(deployment, ctx, newSet, Math.min(desired, replicasOf(newSet) + room));
  }
  if (sum(old, replicasOf) === 0) return;
  const minAvailable = desired - maxUnavailable;
  const newUnavailable = replicasOf(newSet) - availableOf(newSet);
  let removable = total - minAvailable - newUnavailable;
  for (const set of old) {
    // pods that never came up go first: they serve nobody
    const unhealthy = Math.min(removable, replicasOf(set) - availableOf(set));
    if (unhealthy <= 0) continue;
    removable -= unhealthy;
    return scaleSet(deployment, ctx, set, replicasOf(set) - unhealthy);
  }
  let spare = availableOf(newSet) + sum(old, availableOf) - minAvailable;
  for (const set of old) {
    const count = Math.min(spare, replicasOf(set));
    if (count <= 0) continue;
    spare -= count;
    await scaleSet(deployment, ctx, set, replicasOf(set) - count);
  }
}

/** Old pods go first, all of them; new ones come when the last is gone. */
async function recreate(deployment: Target, ctx: Context, { newSet, old }: Rollout): Promise<void> {
  const running = old.filter((set) => replicasOf(set) > 0);
  for (const set of running) await scaleSet(deployment, ctx, set, 0);
  if (running.length > 0) return;
  const uids = new Set(old.map((set) => set.metadata.uid));
  const pods = await ctx.list(Pod, {
    namespace: deployment.metadata.namespace ?? "",
    filter: (pod) => pod.metadata.ownerReferences?.some((o) => uids.has(o.uid)) ?? false,
  });
  if (pods.some((pod) => pod.status?.phase !== "Succeeded" && pod.status?.phase !== "Failed")) return;
  await scaleSet(deployment, ctx, newSet, deployment.spec?.replicas ?? 1);
}

/** A paused deployment still follows its replica count, in proportion. */
async function scalePaused(deployment: Target, ctx: Context, sets: readonly Set[]): Promise<void> {
  const active = sets.filter((set) => replicasOf(set) > 0);
  const newest = active.at(-1) ?? sets.at(-1);
  if (newest === undefined) return;
  const { desired } = budgetOf(deployment);
  const total = sum(active, replicasOf);
  if (total === desired || active.length <= 1) return scaleSet(deployment, ctx, newest, desired);
  let rest = desired;
  for (const set of active.slice(0, -1)) {
    const share = Math.round((replicasOf(set) * desired) / total);
    rest -= share;
    await scaleSet(deployment, ctx, set, share);
  }
  await scaleSet(deployment, ctx, newest, Math.max(0, rest));
}

async function cleanHistory(
  deployment: Target,
  ctx: Context,
  sets: readonly Set[],
  newSet: Set,
): Promise<void> {
  const limit = deployment.spec?.revisionHistoryLimit ?? 10;
  const finished = sets
    .filter(
      (s) => s.metadata.uid !== newSet.metadata.uid && replicasOf(s) === 0 && (s.status?.replicas ?? 0) === 0,
    )
    .sort((a, b) => revisionOf(a) - revisionOf(b));
  for (const set of finished.slice(0, Math.max(0, finished.length - limit))) await ctx.delete(set);
}

interface Observed {
  readonly sets: readonly Set[];
  readonly current: Set | undefined;
}

interface Condition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
  readonly lastUpdateTime: string;
  readonly lastTransitionTime: string;
}

async function writeStatus(
  deployment: Target,
  ctx: Context,
  { sets, current }: Observed,
): Promise<{ requeueAfterMs: number } | undefined> {
  const counts = {
    replicas: sum(sets, (s) => s.status?.replicas ?? 0),
    updatedReplicas: current?.status?.replicas ?? 0,
    readyReplicas: sum(sets, (s) => s.status?.readyReplicas ?? 0),
    availableReplicas: sum(sets, availableOf),
  };
  const unavailableReplicas = Math.max(0, sum(sets, replicasOf) - counts.availableReplicas);
  const conditions = [
    availability(deployment, ctx, counts.availableReplicas),
    progress(deployment, ctx, { counts, current }),
  ].filter((c) => c !== undefined);
  await ctx.patchStatus({
    observedGeneration: deployment.metadata.generation,
    ...counts,
    unavailableReplicas,
    conditions,
  });
  const progressing = conditions.find((c) => c.type === "Progressing");
  const waits = progressing?.status === "True" && progressing.reason !== "NewReplicaSetAvailable";
  return waits
    ? { requeueAfterMs: (deployment.spec?.progressDeadlineSeconds ?? 600) * 1000 + 1000 }
    : undefined;
}

function condition(
  deployment: Target,
  ctx: Context,
  next: Pick<Condition, "type" | "status" | "reason" | "message">,
): Condition {
  const before = deployment.status?.conditions?.find((c) => c.type === next.type) as Condition | undefined;
  if (before?.status === next.status && before.reason === next.reason && before.message === next.message)
    return before;
  const now = rfc3339(ctx.clock.now());
  return {
    ...next,
    lastUpdateTime: now,
    lastTransitionTime: before?.status === next.status ? before.lastTransitionTime : now,
  };
}

function availability(deployment: Target, ctx: Context, available: number): Condition {
  const { desired, maxUnavailable } = budgetOf(deployment);
  const enough = available >= desired - maxUnavailable;
  return condition(deployment, ctx, {
    type: "Available",
    status: enough ? "True" : "False",
    reason: enough ? "MinimumReplicasAvailable" : "MinimumReplicasUnavailable",
    message: enough
      ? "Deployment has minimum availability."
      : "Deployment does not have minimum availability.",
  });
}

interface Counts {
  readonly replicas: number;
  readonly updatedReplicas: number;
  readonly readyReplicas: number;
  readonly availableReplicas: number;
}

/** How the rollout goes: complete, moving, or stuck for longer than the deadline. */
function progress(
  deployment: Target,
  ctx: Context,
  { counts, current }: { readonly counts: Counts; readonly current: Set | undefined },
): Condition | undefined {
  const before = deployment.status?.conditions?.find((c) => c.type === "Progressing") as
    | Condition
    | undefined;
  const name = current?.metadata.name ?? "";
  const say = (status: "True" | "False", reason: string, message: string): Condition =>
    condition(deployment, ctx, { type: "Progressing", status, reason, message });
  if (deployment.spec?.paused === true) return before;
  const { desired } = budgetOf(deployment);
  const complete =
    counts.updatedReplicas === desired && counts.replicas === desired && counts.availableReplicas === desired;
  if (complete)
    return say("True", "NewReplicaSetAvailable", `ReplicaSet "${name}" has successfully progressed.`);
  const status = deployment.status;
  const moved =
    counts.updatedReplicas > (status?.updatedReplicas ?? 0) ||
    counts.readyReplicas > (status?.readyReplicas ?? 0) ||
    counts.availableReplicas > (status?.availableReplicas ?? 0) ||
    counts.replicas - counts.updatedReplicas < (status?.replicas ?? 0) - (status?.updatedReplicas ?? 0);
  if (moved || before === undefined || before.reason === "NewReplicaSetAvailable") {
    return {
      ...say("True", "ReplicaSetUpdated", `ReplicaSet "${name}" is progressing.`),
      lastUpdateTime: rfc3339(ctx.clock.now()),
    };
  }
  const deadlineMs = (deployment.spec?.progressDeadlineSeconds ?? 600) * 1000;
  if (before.status === "True" && ctx.clock.now() - Date.parse(before.lastUpdateTime) > deadlineMs) {
    return say("False", "ProgressDeadlineExceeded", `ReplicaSet "${name}" has timed out progressing.`);
  }
  return before;
}
