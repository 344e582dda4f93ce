import type { Condition, DeepReadonly } from "./object.ts";

/** A condition as a controller states it: without the transition time, which `setCondition` keeps. */
export interface ConditionUpdate {
  /** `Available`, `example.com/Ready`. */
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  /** CamelCase word for machines; the API requires it to be non-empty. */
  readonly reason: string;
  /** For people; default empty. */
  readonly message?: string;
  readonly observedGeneration?: number;
  /** Overrides the transition time that `setCondition` would take from `now`. RFC 3339. */
  readonly lastTransitionTime?: string;
}

type Conditions = readonly DeepReadonly<Condition>[];

/**
 * The list with the condition set: an existing one of that type is replaced in its place, a new one goes to the end. The
 * transition time moves to `now` only when `status` differs from before. Nothing changed: the same list is returned, so
 * a caller can compare by reference and skip the write.
 *
 * @param now RFC 3339 with whole seconds, for example `2026-12-01T03:35:43Z`
 * Source of the rule: k8s.io/apimachinery pkg/api/meta (conditions.go) SetStatusCondition.
 */
export function setCondition(
  conditions: Conditions | undefined,
  update: ConditionUpdate,
  now: string,
): Conditions {
  const list = conditions ?? [];
  const index = list.findIndex((condition) => condition.type === update.type);
  const before = list[index];
  if (before === undefined) return [...list, conditionAfter(undefined, update, now)];
  const after = conditionAfter(before, update, now);
  return sameCondition(before, after) ? list : list.with(index, after);
}

/** The condition of that type, or undefined. */
export function findCondition(
  conditions: Conditions | undefined,
  type: string,
): DeepReadonly<Condition> | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** Whether the condition of that type is there and has status `True`. */
export function isConditionTrue(conditions: Conditions | undefined, type: string): boolean {
  return findCondition(conditions, type)?.status === "True";
}

/** Whether the condition of that type is there and has status `False`. */
export function isConditionFalse(conditions: Conditions | undefined, type: string): boolean {
  return findCondition(conditions, type)?.status === "False";
}

/** The list without the condition of that type; the same list when it has none. */
export function removeCondition(conditions: Conditions | undefined, type: string): Conditions {
  const list = conditions ?? [];
  const rest = list.filter((condition) => condition.type !== type);
  return rest.length === list.length ? list : rest;
}

function conditionAfter(
  before: DeepReadonly<Condition> | undefined,
  update: ConditionUpdate,
  now: string,
): DeepReadonly<Condition> {
  const changed = before?.status !== update.status;
  return {
    type: update.type,
    status: update.status,
    ...(update.observedGeneration === undefined ? {} : { observedGeneration: update.observedGeneration }),
    lastTransitionTime: changed ? (update.lastTransitionTime ?? now) : (before?.lastTransitionTime ?? now),
    reason: update.reason,
    message: update.message ?? "",
  };
}

function sameCondition(a: DeepReadonly<Condition>, b: DeepReadonly<Condition>): boolean {
  return (
    a.status === b.status &&
    a.reason === b.reason &&
    a.message === b.message &&
    a.observedGeneration === b.observedGeneration &&
    a.lastTransitionTime === b.lastTransitionTime
  );
}
