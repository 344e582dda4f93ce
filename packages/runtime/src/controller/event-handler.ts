import {
  type AnyKind,
  type DeepReadonly,
  type KindOf,
  type KubeObject,
  type OwnerReference,
  parseApiVersion,
} from "@bowline/api";
import type { CacheEvent } from "../cache/cache-event.ts";
import type { Predicate } from "./predicate.ts";
import type { ReconcileRequest } from "./request.ts";

/** A key to queue: the cluster is that of the event, the namespace defaults to `""`. */
export type RequestLike = Pick<ReconcileRequest, "name"> & Partial<ReconcileRequest>;

/** Says which keys an event concerns. For updates it is called with both states and the keys are united. */
export type MapFunction<T extends KubeObject = KubeObject> = (
  object: DeepReadonly<T>,
  event: CacheEvent<T>,
) => RequestLike | readonly RequestLike[] | undefined;

/** Where a watch gets its events and which keys they concern. Made by `watch`. */
export interface WatchDefinition {
  readonly kind: AnyKind;
  readonly map: MapFunction;
  readonly predicates: readonly Predicate[];
  /** True: the kind may not exist yet; the controller starts without it, and the watch begins when it appears. */
  readonly optional: boolean;
  /** Only in this cluster of the manager; default: in every one. */
  readonly cluster?: string;
}

/** Options of `watch` beside the mapping. */
export interface WatchOptions<T extends KubeObject> {
  /** All must say yes. */
  readonly predicates?: readonly Predicate<T>[];
  readonly optional?: boolean;
  readonly cluster?: string;
}

/**
 * Watches a kind that is not owned, and maps its objects to keys of the controller.
 * `watch(ConfigMap, (map) => ({ namespace: map.metadata.namespace, name: map.metadata.labels?.app }))`
 */
export function watch<K extends AnyKind>(
  kind: K,
  map: MapFunction<KindOf<K>>,
  options: WatchOptions<KindOf<K>> = {},
): WatchDefinition {
  return {
    kind,
    map: map as unknown as MapFunction,
    predicates: (options.predicates ?? []) as unknown as readonly Predicate[],
    optional: options.optional ?? false,
    ...(options.cluster === undefined ? {} : { cluster: options.cluster }),
  };
}

/** The keys that an event concerns by a map function: of both states, each once. */
export function mapEvent(map: MapFunction, event: CacheEvent): RequestLike[] {
  const states = event.type === "updated" ? [event.object, event.old] : [event.object];
  const seen = new Map<string, RequestLike>();
  for (const state of states) {
    const mapped = map(state, event);
    for (const request of mapped === undefined ? [] : [mapped].flat()) {
      seen.set(`${request.cluster ?? ""}|${request.namespace ?? ""}/${request.name}`, request);
    }
  }
  return [...seen.values()];
}

/**
 * Maps an owned object to its owners of a kind. Matches group and kind, not the version: owners keep the reference that
 * they wrote in an older version. Owners of cluster-scoped kinds have no namespace.
 * Source of the rules: controller-runtime pkg/handler (enqueue_owner.go).
 */
export function ownersOf(kind: AnyKind, everyOwner: boolean): MapFunction {
  const concerns = (reference: DeepReadonly<OwnerReference>): boolean =>
    reference.kind === kind.kind &&
    (everyOwner || reference.controller === true) &&
    parseApiVersion(reference.apiVersion).group === kind.group;
  return (object) => {
    const namespace = kind.scope === "Cluster" ? "" : (object.metadata.namespace ?? "");
    return (object.metadata.ownerReferences ?? [])
      .filter(concerns)
      .map((reference) => ({ namespace, name: reference.name }));
  };
}
