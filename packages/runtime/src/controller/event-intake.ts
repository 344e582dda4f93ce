import type { AnyKind } from "@bowline/api";
import type { Clock, Timer } from "@bowline/client";
import type { CacheEvent } from "../cache/cache-event.ts";
import type { SharedInformer } from "../cache/informer.ts";
import type { Logger } from "../manager/logger.ts";
import { exponentialBackOff } from "../queue/back-off.ts";
import { lowPriority, normalPriority } from "../queue/priority.ts";
import type { WorkQueue } from "../queue/work-queue.ts";
import { type MapFunction, type RequestLike, mapEvent } from "./event-handler.ts";
import type { Predicate } from "./predicate.ts";
import { type Cause, requestKey } from "./request.ts";
import { UpdateCause } from "./update-cause.ts";

/** One informer whose events feed a controller's queue. */
export interface Intake {
  readonly informer: SharedInformer;
  readonly cluster: string;
  readonly predicates: readonly Predicate[];
  /** Undefined: the event's object itself. */
  readonly map: MapFunction | undefined;
}

export interface IntakePorts {
  readonly queue: WorkQueue;
  readonly clock: Clock;
  readonly log: Logger;
  /** Events are gathered for so long; a queue keeps the earlier of two times, so a key never waits longer. */
  readonly debounceMs: number;
}

/**
 * Feeds a queue with the keys that events concern. A predicate or map function that throws loses no event: it is asked
 * again with back-off. Answers how to stop.
 */
export function takeIn(intake: Intake, ports: IntakePorts): () => void {
  const { informer, cluster, map } = intake;
  const { queue, clock, log, debounceMs: delayMs } = ports;
  const { kind } = informer;
  const backOff = exponentialBackOff({ baseMs: 1000, maxMs: 300_000 });
  const retries = new Set<Timer>();
  const handle = (event: CacheEvent): void => {
    if (!intake.predicates.every((predicate) => predicate(event))) return;
    const priority = isReplay(event) ? lowPriority : normalPriority;
    const options = { priority, cause: causeOf(event, kind) };
    if (map === undefined) {
      queue.addAfter(cluster === "" ? event.key : `${cluster}|${event.key}`, delayMs, options);
      return;
    }
    for (const request of mapEvent(map, event)) queue.addAfter(keyOf(request, cluster), delayMs, options);
  };
  const attempt = (event: CacheEvent): void => {
    try {
      handle(event);
      backOff.forget(event.key);
    } catch (error) {
      const retryMs = backOff.next(event.key);
      const fields = { kind: kind.kind, object: event.key, retryMs, err: error };
      log.error(fields, "mapping an event to keys failed; it is tried again");
      const timer = clock.setTimer(retryMs, () => {
        retries.delete(timer);
        attempt(event);
      });
      retries.add(timer);
    }
  };
  const registration = informer.addHandler(attempt);
  return () => {
    registration.remove();
    for (const timer of retries) timer.cancel();
  };
}

/** The queue's key of a mapped request: in the event's cluster unless it names another. */
export function keyOf(request: RequestLike, cluster: string): string {
  return requestKey({
    cluster: request.cluster ?? cluster,
    namespace: request.namespace ?? "",
    name: request.name,
  });
}

function isReplay(event: CacheEvent): boolean {
  return (event.type === "added" && event.isInitialList) || (event.type === "updated" && event.isResync);
}

function causeOf(event: CacheEvent, kind: AnyKind): Cause {
  if (event.type === "updated" && !event.isResync) return new UpdateCause(event, kind);
  return {
    event: event.type === "updated" ? "resync" : event.type,
    kind: kind.kind,
    object: event.key,
    resourceVersion: event.object.metadata.resourceVersion ?? "",
  };
}
