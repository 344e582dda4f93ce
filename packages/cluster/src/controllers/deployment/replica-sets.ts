/** The ReplicaSets of a Deployment. Source: kubernetes pkg/controller/deployment/util (deployment_util.go), sync.go. */
import { type DeepReadonly, isAlreadyExists, isStatusError, jsonEqual, scaledValue } from "@bowline/api";
import { Deployment, ReplicaSet } from "@bowline/api/apps/v1";
import type { ReconcileContext } from "@bowline/runtime";
import type { ComponentEvents } from "../component-events.ts";
import { byAge, keyOf } from "../control-plane.ts";
import { textOf } from "../pods/pod-control.ts";
import { templateHash } from "../template-hash.ts";

export type DeploymentState = DeepReadonly<Deployment>;
export type SetState = DeepReadonly<ReplicaSet>;
export type Context = ReconcileContext<Deployment>;

export const hashLabel = "pod-template-hash";
const revisionAnnotation = "deployment.kubernetes.io/revision";
const historyAnnotation = "deployment.kubernetes.io/revision-history";
const desiredAnnotation = "deployment.kubernetes.io/desired-replicas";
const maxAnnotation = "deployment.kubernetes.io/max-replicas";

/** Annotations of the Deployment that its ReplicaSets do not get. */
const ownAnnotations: ReadonlySet<string> = new Set([
  "kubectl.kubernetes.io/last-applied-configuration",
  revisionAnnotation,
  historyAnnotation,
  desiredAnnotation,
  maxAnnotation,
  "deprecated.deployment.rollback.to",
]);

export const replicasOf = (set: SetState): number => set.spec?.replicas ?? 0;
export const availableOf = (set: SetState): number => set.status?.availableReplicas ?? 0;
export const sum = (sets: readonly SetState[], count: (set: SetState) => number): number =>
  sets.reduce((total, set) => total + count(set), 0);

const revisionOf = (set: SetState): number =>
  Number(set.metadata.annotations?.[revisionAnnotation] ?? 0) || 0;

/** How many pods there may be and must be. */
export interface Budget {
  readonly desired: number;
  readonly maxSurge: number;
  readonly maxUnavailable: number;
}

export function budgetOf(deployment: DeploymentState): Budget {
  const desired = deployment.spec?.replicas ?? 1;
  if (deployment.spec?.strategy?.type === "Recreate" || desired === 0)
    return { desired, maxSurge: 0, maxUnavailable: 0 };
  const { maxSurge = "25%", maxUnavailable = "25%" } = deployment.spec?.strategy?.rollingUpdate ?? {};
  const surge = scaledValue(maxSurge, { total: desired, rounding: "up" });
  const unavailable = scaledValue(maxUnavailable, { total: desired, rounding: "down" });
  // with neither a rollout could not move
  const effective = surge === 0 && unavailable === 0 ? 1 : unavailable;
  return { desired, maxSurge: surge, maxUnavailable: Math.min(effective, desired) };
}

/** The sets of a Deployment, oldest first. */
export interface Family {
  /** The set of today's template; undefined when it has not been made. */
  readonly newest: SetState | undefined;
  readonly old: readonly SetState[];
  readonly all: readonly SetState[];
}

export function familyOf(deployment: DeploymentState, sets: readonly SetState[]): Family {
  const all = [...sets].sort(byAge);
  const newest = all.find((set) => sameTemplate(deployment, set));
  return { newest, old: all.filter((set) => set !== newest), all };
}

/** Whether a ReplicaSet's pods are those of the deployment's template. */
function sameTemplate(deployment: DeploymentState, set: SetState): boolean {
  return jsonEqual(withoutHash(set.spec?.template), withoutHash(deployment.spec?.template));
}

function withoutHash(template: unknown): unknown {
  type Meta = { readonly labels?: Readonly<Record<string, string>>; readonly [field: string]: unknown };
  const { metadata, ...rest } = (template ?? {}) as { readonly metadata?: Meta };
  const { [hashLabel]: _hash, ...labels } = metadata?.labels ?? {};
  const { creationTimestamp: _time, ...others } = metadata ?? {};
  return { ...rest, metadata: { ...others, labels } };
}

/** The pods that a new set may start with. */
export function newReplicas(deployment: DeploymentState, family: Family): number {
  const { desired, maxSurge } = budgetOf(deployment);
  if (deployment.spec?.strategy?.type === "Recreate") return desired;
  const now = family.newest === undefined ? 0 : replicasOf(family.newest);
  const room = desired + maxSurge - sum(family.all, replicasOf);
  return room <= 0 ? now : now + Math.min(room, desired - now);
}

/** The annotations that the newest set is to have, from its own and the Deployment's. */
function annotationsFor(
  deployment: DeploymentState,
  set: SetState | undefined,
  revision: number,
): Record<string, string> {
  const annotations: Record<string, string> = { ...set?.metadata.annotations };
  for (const [key, value] of Object.entries(deployment.metadata.annotations ?? {})) {
    if (!ownAnnotations.has(key)) annotations[key] = value;
  }
  const before = set?.metadata.annotations?.[revisionAnnotation];
  if (Number(before ?? 0) < revision) {
    annotations[revisionAnnotation] = String(revision);
    if (before !== undefined) {
      const history = [...(annotations[historyAnnotation]?.split(",") ?? []), before];
      annotations[historyAnnotation] = history.slice(-100).join(",");
    }
  }
  return annotations;
}

/** Brings the set of today's template up to date: the highest revision, the Deployment's annotations. */
export async function refreshNewest(
  deployment: DeploymentState,
  ctx: Context,
  family: Family,
): Promise<Family> {
  const { newest } = family;
  if (newest === undefined) return family;
  const revision = Math.max(0, ...family.old.map(revisionOf)) + 1;
  const annotations = annotationsFor(deployment, newest, revision);
  const minReadySeconds = deployment.spec?.minReadySeconds ?? 0;
  let set = newest;
  if (
    !jsonEqual(annotations, newest.metadata.annotations ?? {}) ||
    (newest.spec?.minReadySeconds ?? 0) !== minReadySeconds
  ) {
    set = await ctx.patch(ReplicaSet, keyOf(newest), {
      metadata: { annotations },
      spec: { minReadySeconds },
    });
  }
  await noteRevision(deployment, ctx, set);
  return replaced(family, set);
}

/** The family with another state of one of its sets. */
export function replaced(family: Family, set: SetState): Family {
  const swap = (one: SetState): SetState => (one.metadata.uid === set.metadata.uid ? set : one);
  return {
    newest: family.newest === undefined ? undefined : swap(family.newest),
    old: family.old.map(swap),
    all: family.all.map(swap),
  };
}

async function noteRevision(deployment: DeploymentState, ctx: Context, set: SetState): Promise<void> {
  const revision = set.metadata.annotations?.[revisionAnnotation];
  if (revision === undefined || deployment.metadata.annotations?.[revisionAnnotation] === revision) return;
  // through the status: another change of a Deployment's annotations makes a new generation
  await ctx.client.patch(
    Deployment,
    keyOf(deployment),
    { merge: { metadata: { annotations: { [revisionAnnotation]: revision } } } },
    { subresource: "status", signal: ctx.signal },
  );
}

/** The set could not be made. `collided`: its name is another's, and the next attempt takes another one. */
export class NewSetFailure extends Error {
  readonly collided: boolean;
  readonly setName: string;
  constructor(setName: string, collided: boolean, cause: unknown) {
    super(textOf(cause), { cause });
    this.collided = collided;
    this.setName = setName;
  }
}

/** Creates the set of today's template. @throws NewSetFailure */
export async function createNewest(
  deployment: DeploymentState,
  ctx: Context,
  family: Family,
  events: ComponentEvents,
): Promise<SetState> {
  const { spec, metadata } = deployment;
  const hash = templateHash(spec?.template, deployment.status?.collisionCount ?? 0);
  const name = `${metadata.name}-${hash}`;
  const labels = { ...spec?.template?.metadata?.labels, [hashLabel]: hash };
  const { desired, maxSurge } = budgetOf(deployment);
  const replicas = newReplicas(deployment, family);
  const revision = Math.max(0, ...family.old.map(revisionOf)) + 1;
  const body = {
    metadata: {
      name,
      namespace: metadata.namespace ?? "",
      labels,
      annotations: {
        ...annotationsFor(deployment, undefined, revision),
        [desiredAnnotation]: String(desired),
        [maxAnnotation]: String(desired + maxSurge),
      },
    },
    spec: {
      replicas,
      minReadySeconds: spec?.minReadySeconds ?? 0,
      selector: { ...spec?.selector, matchLabels: { ...spec?.selector?.matchLabels, [hashLabel]: hash } },
      template: { ...spec?.template, metadata: { ...spec?.template?.metadata, labels } },
    },
  };
  let set: SetState;
  try {
    set = await ctx.create(ReplicaSet, body as never);
    if (replicas > 0) scalingEvent(deployment, ctx, events, { set: name, from: 0, to: replicas });
  } catch (error) {
    set = await existing(deployment, ctx, name, error);
  }
  await noteRevision(deployment, ctx, set);
  return set;
}

/** A set of that name may be ours, made by a run whose answer was lost. @throws NewSetFailure */
async function existing(
  deployment: DeploymentState,
  ctx: Context,
  name: string,
  error: unknown,
): Promise<SetState> {
  if (!isStatusError(error)) throw error;
  if (!isAlreadyExists(error)) throw new NewSetFailure(name, false, error);
  const found = await ctx.client.find(
    ReplicaSet,
    { name, namespace: deployment.metadata.namespace },
    { signal: ctx.signal },
  );
  const owner = found?.metadata.ownerReferences?.find((reference) => reference.controller === true);
  if (found !== undefined && owner?.uid === deployment.metadata.uid && sameTemplate(deployment, found))
    return found;
  throw new NewSetFailure(name, true, error);
}

/** Sets the replicas of one set, and the figures that tell a scaling of the Deployment from a rollout. */
export async function scaleSet(
  deployment: DeploymentState,
  ctx: Context,
  set: SetState,
  to: number,
  events: ComponentEvents,
): Promise<SetState> {
  const from = replicasOf(set);
  const { desired, maxSurge } = budgetOf(deployment);
  const annotations = { [desiredAnnotation]: String(desired), [maxAnnotation]: String(desired + maxSurge) };
  const isNoted = Object.entries(annotations).every(
    ([key, value]) => set.metadata.annotations?.[key] === value,
  );
  if (from === to && isNoted) return set;
  const answer = await ctx.patch(ReplicaSet, keyOf(set), {
    metadata: { annotations },
    spec: { replicas: to },
  });
  if (from !== to) scalingEvent(deployment, ctx, events, { set: set.metadata.name ?? "", from, to });
  return answer;
}

function scalingEvent(
  deployment: DeploymentState,
  ctx: Context,
  events: ComponentEvents,
  { set, from, to }: { readonly set: string; readonly from: number; readonly to: number },
): void {
  const message = `Scaled ${to > from ? "up" : "down"} replica set ${set} from ${from} to ${to}`;
  events.record(ctx, deployment, { reason: "ScalingReplicaSet", message });
}

/** Whether the replicas of the Deployment changed since its sets were last scaled. */
export function isScaling(deployment: DeploymentState, family: Family): boolean {
  const desired = String(deployment.spec?.replicas ?? 1);
  return family.all.some((set) => {
    const noted = set.metadata.annotations?.[desiredAnnotation];
    return replicasOf(set) > 0 && noted !== undefined && noted !== desired;
  });
}

/** The most pods that the Deployment could have when the set was last scaled. */
export function notedMax(set: SetState): number | undefined {
  const noted = set.metadata.annotations?.[maxAnnotation];
  return noted === undefined ? undefined : Number(noted);
}

export function notedDesired(set: SetState): string | undefined {
  return set.metadata.annotations?.[desiredAnnotation];
}

/** Deletes the oldest revisions beyond the history limit. */
export async function cleanHistory(deployment: DeploymentState, ctx: Context, family: Family): Promise<void> {
  const limit = deployment.spec?.revisionHistoryLimit ?? 10;
  const candidates = family.old.filter((set) => set.metadata.deletionTimestamp === undefined);
  const surplus = candidates.length - limit;
  if (surplus <= 0) return;
  const oldest = [...candidates]
    .sort((a, b) => revisionOf(a) - revisionOf(b) || byAge(a, b))
    .slice(0, surplus);
  for (const set of oldest) {
    const isSeen = (set.metadata.generation ?? 0) <= (set.status?.observedGeneration ?? 0);
    if (isSeen && replicasOf(set) === 0 && (set.status?.replicas ?? 0) === 0) await ctx.delete(set);
  }
}
