import type { AnyKind, Condition, CreateOf, DeepReadonly, KindOf, KubeObject } from "@bowline/api";
import type { Client, Clock, MergePatch } from "@bowline/client";
import type { Cache, CachedListOptions, CachedReadOptions } from "../cache/cache.ts";
import type { EventInput } from "../manager/event-recorder.ts";
import type { Logger } from "../manager/logger.ts";

import type { Cause, ReconcileRequest } from "./request.ts";

/** Names an object: a name in the request's namespace, or a name and a namespace. */
export type ObjectRef = string | { readonly name: string; readonly namespace?: string };

/** Any part of a kind's status; null removes a field. */
export type StatusPatch<T> = "status" extends keyof T ? MergePatch<NonNullable<T["status"]>> : object;

/** How `apply`, `create` and `update` treat ownership. */
export interface OwnershipOptions {
  /**
   * The owner reference that the object gets to the object under reconcile. `"controller"` (default): as its one
   * controller, so that `owns` sees it and garbage collection follows. `"owner"`: as one owner of several. `false`: none.
   */
  readonly owner?: "controller" | "owner" | false;
}

/** Options of `ReconcileContext.apply`. */
export interface ApplyOptions extends OwnershipOptions {
  /** Take fields over that other managers own. Default true: a controller is the authority over what it states. */
  readonly force?: boolean;
  /** Send the request even when neither the intent nor the observed object changed. Default false. */
  readonly always?: boolean;
}

/** Options of `ReconcileContext.children`. */
export interface ChildrenOptions {
  /** Delete owned objects of the controller's `owns` kinds that are not in the desired list. Default true. */
  readonly prune?: boolean;
}

/** One child in a plan. */
export interface PlannedChild {
  /** Names the step in conditions and in `after`. Default: `Kind/name`. */
  readonly key?: string;
  /** The desired object, with apiVersion and kind. Absent or undefined: this child is not wanted now, and is pruned. */
  readonly desired?: DeepReadonly<KubeObject> | undefined;
  /** Keys of children that must be ready first. */
  readonly after?: readonly string[];
  /** Default: `isReady` knows the common built-in kinds and conditions. */
  readonly readyWhen?: (observed: DeepReadonly<KubeObject>) => boolean | string;
}

/** What became of one child. */
export interface ChildState {
  readonly key: string;
  /** `ready`; `progressing` (applied, not ready); `waiting` (for `after`); `failed` (the apply was refused); `pruned`. */
  readonly state: "ready" | "progressing" | "waiting" | "failed" | "pruned";
  readonly object?: DeepReadonly<KubeObject>;
  /** Why it is not ready; the error's message when it failed. */
  readonly message: string;
  readonly error?: unknown;
}

/** What `children` answers. */
export interface ChildrenResult {
  readonly children: readonly ChildState[];
  readonly ready: boolean;
  /** A condition `Ready` that says how far the children are, without a transition time: give it to `ctx.condition`. */
  readonly condition: Omit<Condition, "lastTransitionTime">;
  /** The state of one child. */
  get(key: string): ChildState | undefined;
}

/**
 * What a reconcile function works with. Reads come from the cache and see this manager's own writes; writes go to the
 * server. All waits end when `signal` is aborted.
 */
export interface ReconcileContext<T extends KubeObject = KubeObject> {
  readonly request: ReconcileRequest;
  /** Why this reconcile runs; for logs, not for branching. */
  readonly causes: readonly Cause[];
  /** How many reconciles of this key failed in a row before this one. */
  readonly attempt: number;
  /** A UUID, in every log line of this reconcile. */
  readonly reconcileId: string;
  /** Aborted at the reconcile timeout, when leadership is lost, and when the manager's grace period is over. */
  readonly signal: AbortSignal;
  readonly log: Logger;
  readonly clock: Clock;
  /** The live client of the request's cluster: every read is a request. Its writes are seen by later cached reads. */
  readonly client: Client;
  readonly cache: Cache;

  /** One object from the cache (an informer is started on first use); undefined when it does not exist. */
  get<K extends AnyKind>(
    kind: K,
    ref: ObjectRef,
    options?: CachedReadOptions,
  ): Promise<DeepReadonly<KindOf<K>> | undefined>;
  /** Objects from the cache, in the order of their keys; all namespaces unless one is given. */
  list<K extends AnyKind>(
    kind: K,
    options?: CachedListOptions<KindOf<K>>,
  ): Promise<readonly DeepReadonly<KindOf<K>>[]>;
  /** Objects from the cache whose controller is the object under reconcile. */
  owned<K extends AnyKind>(kind: K): Promise<readonly DeepReadonly<KindOf<K>>[]>;

  /**
   * Server-side apply of a child, as this controller's field manager: states the fields wanted, with an owner reference
   * to the object under reconcile. The namespace defaults to the request's. Sends nothing when neither the intent nor
   * what the server made of it changed since the last apply, and then answers the cached object.
   * @throws StatusError as the server sends it
   */
  apply<O extends DeepReadonly<KubeObject>>(object: O, options?: ApplyOptions): Promise<DeepReadonly<O>>;
  apply<K extends AnyKind>(
    kind: K,
    object: DeepReadonly<CreateOf<K>>,
    options?: ApplyOptions,
  ): Promise<DeepReadonly<KindOf<K>>>;
  /** Creates an object with an owner reference. @throws StatusError AlreadyExists and others */
  create<K extends AnyKind>(
    kind: K,
    object: DeepReadonly<CreateOf<K>>,
    options?: OwnershipOptions,
  ): Promise<DeepReadonly<KindOf<K>>>;
  /** JSON merge patch of an object (default: the one under reconcile). */
  patch<K extends AnyKind>(
    kind: K,
    ref: ObjectRef,
    patch: MergePatch<KindOf<K>>,
  ): Promise<DeepReadonly<KindOf<K>>>;
  /** Deletes an object; one that is gone already is no error. */
  delete(object: DeepReadonly<KubeObject>): Promise<void>;
  delete<K extends AnyKind>(kind: K, ref: ObjectRef): Promise<void>;

  /**
   * Merges fields into the status of the object under reconcile (JSON merge patch on `/status`: lists are replaced,
   * null removes). Sends nothing when the status already says so. An object that is gone is no error.
   */
  patchStatus(status: StatusPatch<T>): Promise<DeepReadonly<T>>;
  /**
   * Sets a condition in the list given (default: the object's own) with the transition time rule and this generation,
   * and answers the new list for `patchStatus`.
   */
  condition(
    update: {
      readonly type: string;
      readonly status: "True" | "False" | "Unknown" | boolean;
      readonly reason: string;
      readonly message?: string;
    },
    conditions?: readonly DeepReadonly<Condition>[],
  ): Condition[];

  /**
   * Makes the owned children equal to the desired list: applies each (nothing is sent for unchanged ones) in an order
   * that respects `after`, prunes what is no longer desired, and reports readiness and failures of each.
   */
  children(
    desired: readonly (DeepReadonly<KubeObject> | PlannedChild)[],
    options?: ChildrenOptions,
  ): Promise<ChildrenResult>;

  /** Records an event about the object under reconcile (events.k8s.io); never throws and never waits. */
  event(event: EventInput): void;

  /**
   * Says whether something awaited has come about, gives up after a time, and makes sure that the key is looked at again
   * then: `"met"` resets it. Kept in memory: after a restart the time starts again.
   */
  expect(name: string, isMet: boolean, timeoutMs: number): "met" | "waiting" | "timed-out";
  /**
   * True when `periodMs` have passed since it was last true for this object (and the first time); the key is looked at
   * again when it is due next. A timer per object and name, kept in memory.
   */
  every(name: string, periodMs: number): boolean;

  /**
   * Runs a step of long external work once: its answer (JSON, at most 64 KiB in all) is kept in an annotation of the
   * object, so a crash or a retry does not repeat it. Steps are forgotten when the object's generation changes.
   */
  step<R>(name: string, work: () => Promise<R>): Promise<R>;
}
