import type { AnyKind, DeepReadonly, KindOf, KubeObject } from "@bowline/api";
import type { BackOff } from "../queue/back-off.ts";
import { reportingFailure } from "./failure-condition.ts";
import { reconcileDesired } from "./desired.ts";
import type { RequestLike, WatchDefinition } from "./event-handler.ts";
import type { Predicate } from "./predicate.ts";
import type { PlannedChild, ReconcileContext } from "./reconcile-context.ts";
import type { ReconcileRequest } from "./request.ts";
import type { ReconcileResult } from "./result.ts";

/** What `reconcile` may answer: nothing, a result, or a promise of either. */
export type ReconcileAnswer =
  | ReconcileResult
  | undefined
  | void
  | Promise<ReconcileResult | undefined | void>;

/** A source of keys that is not a kind: an external system, a clock, another part of the program. */
export interface CustomSource {
  readonly name: string;
  /** Starts it; it calls `enqueue` until the signal is aborted. Rejecting restarts it with back-off. */
  start(context: {
    readonly enqueue: (request: RequestLike) => void;
    readonly signal: AbortSignal;
  }): Promise<void>;
}

/** Options of an owned kind. */
export interface OwnsOptions {
  readonly kind: AnyKind;
  /** True: any owner reference to the kind queues the owner, not only the controller's. Default false. */
  readonly everyOwner?: boolean;
  readonly predicates?: readonly Predicate[];
  readonly optional?: boolean;
}

/** Options that every controller has. */
export interface LoopOptions {
  /** In logs, metrics, field manager and events. Must be unique in a manager. Default: the kind in lower case. */
  readonly name?: string;
  /** Keys that are reconciled at once; never the same key twice at once. Default 1. */
  readonly concurrency?: number;
  /** A reconcile that takes longer has its signal aborted and counts as failed. Default: no limit. */
  readonly reconcileTimeoutMs?: number;
  /** How long `start` waits for the caches of this controller. Default 120,000. */
  readonly cacheSyncTimeoutMs?: number;
  /** False: runs on every replica, not only on the leader. Default true. */
  readonly needLeaderElection?: boolean;
  /** Events of a key are gathered for so long before it is reconciled, and no longer. Default 0. */
  readonly debounceMs?: number;
  /** Default: per key 5 ms, doubled up to 1000 s. */
  readonly backOff?: BackOff;
  /** Field manager of its writes. Default: the controller's name. */
  readonly fieldManager?: string;
  readonly watches?: readonly WatchDefinition[];
  readonly sources?: readonly CustomSource[];
}

/** Options of a controller of a kind. */
export interface ControllerOptions<T extends KubeObject> extends LoopOptions {
  /** Kinds whose objects this controller creates: an event of one queues its owner. */
  readonly owns?: readonly (AnyKind | OwnsOptions)[];
  /** All must say yes to an event of the kind itself. Owned and watched kinds have their own. */
  readonly predicates?: readonly Predicate<T>[];
  /** Only objects that match are cached and reconciled. */
  readonly labelSelector?: string;
  readonly namespace?: string;
  /**
   * Calls `reconcile` also for objects that are being deleted. Default false: a reconcile that applies children would
   * bring back what foreground deletion has just removed.
   */
  readonly whileDeleting?: boolean;
  /** Reconciles every object again after this time without any other reason. Default: never. */
  readonly everyMs?: number;
  /**
   * Makes the world match the object. Called for every object that exists. One that is being deleted is left to garbage
   * collection and to `cleanup`, unless `whileDeleting` is set.
   */
  reconcile(object: DeepReadonly<T>, ctx: ReconcileContext<T>): ReconcileAnswer;
  /**
   * Undoes what `reconcile` did outside the cluster, before the object goes. Declaring it makes the framework put a
   * finalizer on every object *before* its first reconcile, and take it away when this answered without an error or a
   * result. Not needed for owned objects: garbage collection removes those.
   */
  cleanup?(object: DeepReadonly<T>, ctx: ReconcileContext<T>): ReconcileAnswer;
  /** Name of that finalizer. Default `<group>/<name of the controller>`. */
  readonly finalizer?: string;
  /**
   * The type of a condition that says why a reconcile failed: `status: "False"`, with the reason and the message of the
   * error. Take the one that `reconcile` sets when it succeeds, so that the failure goes with the next success. The kind's
   * status must have `conditions`. Default: none; failures are in the log, the metrics and the queue only.
   */
  readonly failureCondition?: string;
  /** Called when a queued key has no object (any more): drop what is kept in memory for it. */
  gone?(request: ReconcileRequest, ctx: ReconcileContext<T>): ReconcileAnswer;
}

/** What the pure form sees. */
export interface Observed<T extends KubeObject> {
  readonly object: DeepReadonly<T>;
  /** Owned objects by kind, in the order of their names. */
  owned<K extends AnyKind>(kind: K): readonly DeepReadonly<KindOf<K>>[];
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** What the pure form answers. */
export interface Desired {
  /** The children wanted; owned objects beside them are pruned. */
  readonly children: readonly (DeepReadonly<KubeObject> | PlannedChild)[];
  /** Fields to merge into the status. A condition `Ready` is added from the children unless it is among them. */
  readonly status?: object;
  readonly requeueAfterMs?: number;
}

/** Options of the pure form: a function from what is observed to what is wanted, testable without any server. */
export interface DesiredOptions<T extends KubeObject> extends Omit<ControllerOptions<T>, "reconcile"> {
  desired(object: DeepReadonly<T>, observed: Observed<T>): Desired;
}

/** A controller, ready to be given to a manager. Made by `defineController` and `defineLoop`. */
export interface ControllerDefinition {
  readonly name: string;
  /** The kind it is for; undefined for a loop over keys of its own making. */
  readonly kind: AnyKind | undefined;
  readonly options: LoopOptions;
  readonly owns: readonly OwnsOptions[];
  readonly predicates: readonly Predicate[];
  readonly labelSelector: string | undefined;
  readonly namespace: string | undefined;
  readonly everyMs: number | undefined;
  readonly whileDeleting: boolean;
  readonly finalizer: string | undefined;
  readonly reconcile:
    | ((object: DeepReadonly<KubeObject>, ctx: ReconcileContext) => ReconcileAnswer)
    | undefined;
  readonly cleanup:
    | ((object: DeepReadonly<KubeObject>, ctx: ReconcileContext) => ReconcileAnswer)
    | undefined;
  readonly gone: ((request: ReconcileRequest, ctx: ReconcileContext) => ReconcileAnswer) | undefined;
}

function isKind(value: AnyKind | OwnsOptions): value is AnyKind {
  return "plural" in value;
}

/**
 * A controller of a kind.
 * ```ts
 * defineController(Application, {
 *   owns: [Deployment],
 *   async reconcile(app, ctx) { await ctx.apply(deploymentFor(app)); },
 * })
 * ```
 */
export function defineController<K extends AnyKind>(
  kind: K,
  options: ControllerOptions<KindOf<K>> | DesiredOptions<KindOf<K>>,
): ControllerDefinition {
  const name = options.name ?? kind.kind.toLowerCase();
  const all = options as unknown as ControllerOptions<KubeObject> & Partial<DesiredOptions<KubeObject>>;
  const { desired } = all;
  const owns = (all.owns ?? []).map((o) => (isKind(o) ? { kind: o } : o));
  const reconcile =
    desired === undefined
      ? all.reconcile.bind(all)
      : reconcileDesired(
          owns.map((owned) => owned.kind),
          desired.bind(all),
        );
  return {
    name,
    kind,
    options,
    owns,
    predicates: all.predicates ?? [],
    labelSelector: all.labelSelector,
    namespace: all.namespace,
    everyMs: all.everyMs,
    whileDeleting: all.whileDeleting ?? false,
    finalizer: all.cleanup === undefined ? undefined : (all.finalizer ?? defaultFinalizer(kind, name)),
    reconcile:
      all.failureCondition === undefined ? reconcile : reportingFailure(reconcile, all.failureCondition),
    cleanup: all.cleanup?.bind(all),
    gone: all.gone?.bind(all),
  };
}

function defaultFinalizer(kind: AnyKind, name: string): string {
  return `${kind.group === "" ? "bowline.dev" : kind.group}/${name}`;
}

/** Options of a loop that is not for the objects of one kind. */
export interface KeyLoopOptions extends LoopOptions {
  readonly name: string;
  reconcile(request: ReconcileRequest, ctx: ReconcileContext): ReconcileAnswer;
}

/** A control loop over keys that its watches and sources make: nothing is looked up before `reconcile` is called. */
export function defineLoop(options: KeyLoopOptions): ControllerDefinition {
  return {
    name: options.name,
    kind: undefined,
    options,
    owns: [],
    predicates: [],
    labelSelector: undefined,
    namespace: undefined,
    everyMs: undefined,
    whileDeleting: false,
    finalizer: undefined,
    reconcile: undefined,
    cleanup: undefined,
    gone: (request, ctx) => options.reconcile(request, ctx),
  };
}
