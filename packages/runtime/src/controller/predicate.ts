import { type KubeObject, jsonEqual, parseLabelSelector } from "@bowline/api";
import type { CacheEvent } from "../cache/cache-event.ts";

/**
 * Decides whether an event is worth a reconcile. Predicates save work, never memory: what is cached is the cache's to say.
 * Never use one to drop the events of one's own writes: a foreign change may come in the same event.
 */
export type Predicate<T extends KubeObject = KubeObject> = (event: CacheEvent<T>) => boolean;

/** Updates only when the generation changed: status and metadata changes are passed over. */
export const generationChanged: Predicate = (event) =>
  event.type !== "updated" || event.object.metadata.generation !== event.old.metadata.generation;

/** Updates only when the version changed: drops local replays. */
export const resourceVersionChanged: Predicate = (event) =>
  event.type !== "updated" || event.object.metadata.resourceVersion !== event.old.metadata.resourceVersion;

/** Updates only when a label changed. */
export const labelsChanged: Predicate = (event) =>
  event.type !== "updated" || !jsonEqual(event.object.metadata.labels ?? {}, event.old.metadata.labels ?? {});

/** Updates only when an annotation changed. */
export const annotationsChanged: Predicate = (event) =>
  event.type !== "updated" ||
  !jsonEqual(event.object.metadata.annotations ?? {}, event.old.metadata.annotations ?? {});

/**
 * Updates only when what the function picks out of the object changed: `changed((pod) => pod.status?.phase)`.
 * Picking little is cheap, and says exactly what a controller depends on.
 */
export function changed<T extends KubeObject>(
  pick: (object: CacheEvent<T>["object"]) => unknown,
): Predicate<T> {
  return (event) => event.type !== "updated" || !jsonEqual(pick(event.object), pick(event.old));
}

/** Objects whose labels match; for updates it is enough that one of the states does. @throws SelectorError */
export function matchesLabels(selector: string): Predicate {
  const matcher = parseLabelSelector(selector);
  return (event) =>
    matcher.matches(event.object.metadata.labels) ||
    (event.type === "updated" && matcher.matches(event.old.metadata.labels));
}

/** All say yes. */
export function allOf<T extends KubeObject>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  return (event) => predicates.every((predicate) => predicate(event));
}

/** At least one says yes. */
export function anyOf<T extends KubeObject>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  return (event) => predicates.some((predicate) => predicate(event));
}

export function not<T extends KubeObject>(predicate: Predicate<T>): Predicate<T> {
  return (event) => !predicate(event);
}
