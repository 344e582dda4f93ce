import { type DeepReadonly, type KubeObject, jsonEqual } from "@bowline/api";
import type { CacheEvent } from "./cache-event.ts";
import { stripManagedFields } from "./transform.ts";

type Frozen = DeepReadonly<KubeObject>;

/**
 * The events that lead from one state of a key to another: none, or `added`, `updated`, `deleted`. An object with another
 * uid is another object: it gives `deleted` and then `added`.
 */
export function differencesOf(
  key: string,
  old: Frozen | undefined,
  object: Frozen,
  isInitialList: boolean,
): CacheEvent[] {
  if (old !== undefined && old.metadata.uid === object.metadata.uid) {
    return [{ type: "updated", key, object, old, isResync: false }];
  }
  const added: CacheEvent = { type: "added", key, object, isInitialList };
  return old === undefined
    ? [added]
    : [{ type: "deleted", key, object: old, isFinalStateUnknown: true }, added];
}

/**
 * Whether two are the same state of an object.
 * @param isRewound the server went back to an older state and gives versions out a second time
 */
export function isSameState(old: Frozen, item: Frozen, isRewound: boolean): boolean {
  const [a, b] = [old.metadata, item.metadata];
  if (a.resourceVersion !== b.resourceVersion || a.uid !== b.uid) return false;
  return !isRewound || jsonEqual(stripManagedFields(old), stripManagedFields(item));
}
