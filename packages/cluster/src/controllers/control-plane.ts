/** What the controllers of the control plane have in common. */
import { type DeepReadonly, type KubeObject, createMergePatch, jsonEqual } from "@bowline/api";
import { rfc3339 } from "@bowline/client";
import type { ReconcileContext } from "@bowline/runtime";

/** Field manager of everything that the controller manager writes. */
export const managerName = "kube-controller-manager";

type Fields = { readonly [field: string]: unknown };

/** Fields that are undefined are left out: JSON does not have them. */
export function defined<T extends object>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}

/** Makes the status exactly this: fields that it lacks are removed. Sends nothing when it is so already. */
export async function replaceStatus<T extends KubeObject>(
  object: DeepReadonly<T>,
  ctx: ReconcileContext<T>,
  status: object,
): Promise<DeepReadonly<T>> {
  const before = ((object as { readonly status?: Fields }).status ?? {}) as never;
  const patch = createMergePatch(before, defined(status) as never);
  return Object.keys(patch).length === 0 ? object : ctx.patchStatus(patch as never);
}

/** A condition as most built-in kinds have it. */
export interface WorkloadCondition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly reason?: string;
  readonly message?: string;
  readonly lastUpdateTime?: string;
  readonly lastTransitionTime?: string;
}

/**
 * The list with this condition in it, at its end when it is new or changed. The transition time stays while the status does;
 * a condition that only differs in its message stays as it was, for messages hold counters. Same list when nothing changed.
 */
export function withCondition(
  conditions: readonly DeepReadonly<WorkloadCondition>[],
  next: WorkloadCondition,
  now: number,
): readonly DeepReadonly<WorkloadCondition>[] {
  const before = conditions.find((condition) => condition.type === next.type);
  if (before?.status === next.status && before.reason === next.reason) return conditions;
  const at = rfc3339(now);
  const lastTransitionTime = before?.status === next.status ? (before.lastTransitionTime ?? at) : at;
  return [...withoutCondition(conditions, next.type), { ...next, lastTransitionTime }];
}

export function withoutCondition(
  conditions: readonly DeepReadonly<WorkloadCondition>[],
  type: string,
): readonly DeepReadonly<WorkloadCondition>[] {
  return conditions.some((condition) => condition.type === type)
    ? conditions.filter((condition) => condition.type !== type)
    : conditions;
}

/** Oldest first; names decide among those of one second. */
export function byAge(a: DeepReadonly<KubeObject>, b: DeepReadonly<KubeObject>): number {
  const left = a.metadata.creationTimestamp ?? "";
  const right = b.metadata.creationTimestamp ?? "";
  if (left !== right) return left < right ? -1 : 1;
  return (a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1;
}

/** `namespace` and `name`, as reads and writes want them. */
export function keyOf(object: DeepReadonly<KubeObject>): {
  readonly namespace: string;
  readonly name: string;
} {
  return { namespace: object.metadata.namespace ?? "", name: object.metadata.name ?? "" };
}

/** Whether every label of the set has this value. */
export function hasLabels(labels: Fields | undefined, wanted: Fields | undefined): boolean {
  return Object.entries(wanted ?? {}).every(([key, value]) => jsonEqual(labels?.[key], value));
}
