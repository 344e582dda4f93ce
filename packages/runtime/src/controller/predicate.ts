import type { KubeObject } from "@bowline/api";
import type { CacheEvent } from "../cache/cache-event.ts";

/** Decides whether an event is worth a reconcile. Filters save work, never memory. */
export type Predicate<T extends KubeObject = KubeObject> = (event: CacheEvent<T>) => boolean;
