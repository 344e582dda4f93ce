import {
  type AnyKind,
  type Condition,
  type CreateOf,
  type DeepReadonly,
  type KindOf,
  type KubeObject,
  isNotFound,
  setCondition,
  setControllerReference,
  setOwnerReference,
} from "@bowline/api";
import { type ApplyOf, type Clock, type WriteOf, rfc3339 } from "@bowline/client";
import type { Cache, CachedListOptions, CachedReadOptions } from "../cache/cache.ts";
import { controllerIndex } from "../cache/indexer.ts";
import { MisuseError, isStaleCacheError } from "../errors.ts";
import type { EventInput } from "../manager/event-recorder.ts";
import type { Logger } from "../manager/logger.ts";
import type { QueueItem } from "../queue/work-queue.ts";
import { applyChildren } from "./children.ts";
import type { ClusterConnection } from "./cluster-connection.ts";
import { type KeyMemory } from "./key-memory.ts";
import type { ManagedClient } from "./managed-client.ts";
import { wouldChange } from "./merge-change.ts";
import type {
  ApplyOptions,
  ChildrenOptions,
  ChildrenResult,
  ObjectRef,
  OwnershipOptions,
  PlannedChild,
  ReconcileContext,
} from "./reconcile-context.ts";
import { type Cause, type ReconcileRequest, objectKey } from "./request.ts";
import { runStep } from "./steps.ts";

type Frozen = DeepReadonly<KubeObject>;

/** How long an apply waits to see whether it would change anything, before it just sends the request. */
const observeMs = 5000;

/** What all reconciles of a controller share. */
export interface ContextHost {
  readonly name: string;
  readonly fieldManager: string;
  readonly kind: AnyKind | undefined;
  /** Kinds of `owns`. */
  readonly ownedKinds: readonly AnyKind[];
  readonly clock: Clock;
  readonly memory: KeyMemory;
  /** Kinds that the controller names, by `apiVersion/Kind`. */
  kindOf(object: Frozen): AnyKind | undefined;
  clientOf(cluster: ClusterConnection): ManagedClient;
  newReconcileId(): string;
  logOf(request: ReconcileRequest, reconcileId: string): Logger;
  failuresOf(key: string): number;
}

/** The context of one reconcile. Most of it is made only when it is asked for: a reconcile that does nothing is cheap. */
export class LiveContext implements ReconcileContext {
  readonly request: ReconcileRequest;
  readonly signal: AbortSignal;
  /** An error of a part that let the reconcile go on; it makes the reconcile fail in the end. */
  deferredError: unknown;
  /** The earliest time at which a part wants the key to be looked at again. */
  wakeAfterMs: number = Number.POSITIVE_INFINITY;
  readonly #host: ContextHost;
  readonly #cluster: ClusterConnection;
  readonly #item: QueueItem;
  #object: Frozen | undefined;
  #reconcileId: string | undefined;
  #log: Logger | undefined;

  constructor(
    host: ContextHost,
    cluster: ClusterConnection,
    item: QueueItem,
    request: ReconcileRequest,
    object: Frozen | undefined,
    signal: AbortSignal,
  ) {
    this.#host = host;
    this.#cluster = cluster;
    this.#item = item;
    this.request = request;
    this.#object = object;
    this.signal = signal;
  }

  get causes(): readonly Cause[] {
    return this.#item.causes;
  }

  get attempt(): number {
    return this.#host.failuresOf(this.#item.key);
  }

  get reconcileId(): string {
    return (this.#reconcileId ??= this.#host.newReconcileId());
  }

  get log(): Logger {
    return (this.#log ??= this.#host.logOf(this.request, this.reconcileId));
  }

  get clock(): Clock {
    return this.#host.clock;
  }

  get client(): ManagedClient {
    return this.#host.clientOf(this.#cluster);
  }

  get cache(): Cache {
    return this.#cluster.cache;
  }

  get key(): string {
    return this.#item.key;
  }

  /** The same context with a newer state of the object. */
  withObject(object: Frozen): this {
    this.#object = object;
    return this;
  }

  /** The object under reconcile, as last read or written. */
  get object(): Frozen | undefined {
    return this.#object;
  }

  get<K extends AnyKind>(
    kind: K,
    ref: ObjectRef,
    options?: CachedReadOptions,
  ): Promise<DeepReadonly<KindOf<K>> | undefined> {
    return this.#cluster.cache.get(kind, this.#keyOf(ref), { signal: this.signal, ...options });
  }

  list<K extends AnyKind>(
    kind: K,
    options?: CachedListOptions<KindOf<K>>,
  ): Promise<readonly DeepReadonly<KindOf<K>>[]> {
    return this.#cluster.cache.list(kind, { signal: this.signal, ...options });
  }

  owned<K extends AnyKind>(kind: K): Promise<readonly DeepReadonly<KindOf<K>>[]> {
    const value = this.#owner("owned").metadata.uid ?? "";
    return this.list(kind, { index: { name: controllerIndex, value } });
  }

  apply(...args: readonly unknown[]): Promise<never> {
    const isWithKind = "plural" in (args[0] as object);
    const [kind, object, options = {}] = (isWithKind ? args : [undefined, ...args]) as [
      AnyKind | undefined,
      Frozen,
      ApplyOptions | undefined,
    ];
    return this.#apply(kind, object, options) as Promise<never>;
  }

  async #apply(given: AnyKind | undefined, object: Frozen, options: ApplyOptions): Promise<Frozen> {
    const kind = given ?? (await this.#kindOf(object));
    const intent = this.#withOwner(withKind(this.#withNamespace(object, kind), kind), options);
    const { applied, cache } = this.#cluster;
    const { fieldManager } = this.#host;
    const id = `${fieldManager} ${kind.apiVersion}/${kind.kind} ${objectKey(intent)}`;
    if (options.always !== true && cache.isWatching(kind)) {
      const observed = await this.#observed(kind, intent);
      if (observed !== undefined && applied.isUnchanged(id, intent, observed)) return observed;
    }
    const answer = await this.client.apply(kind, intent as ApplyOf<AnyKind>, {
      fieldManager,
      force: options.force ?? true,
      signal: this.signal,
    });
    applied.remember(id, intent, answer as Frozen);
    return answer as Frozen;
  }

  /** The object as the cache has it; undefined when its watch is so late that a request tells more. */
  async #observed(kind: AnyKind, { metadata }: Frozen): Promise<Frozen | undefined> {
    const key = { namespace: metadata.namespace, name: metadata.name ?? "" };
    try {
      return (await this.#cluster.cache.get(kind, key, { signal: this.signal, timeoutMs: observeMs })) as
        | Frozen
        | undefined;
    } catch (error) {
      if (isStaleCacheError(error)) return undefined;
      throw error;
    }
  }

  async create<K extends AnyKind>(
    kind: K,
    object: DeepReadonly<CreateOf<K>>,
    options: OwnershipOptions = {},
  ): Promise<DeepReadonly<KindOf<K>>> {
    const located = withKind(this.#withNamespace(object as Frozen, kind), kind);
    const body = this.#withOwner(located, options) as unknown as WriteOf<K>;
    const { fieldManager } = this.#host;
    return (await this.client.create(kind, body, { fieldManager, signal: this.signal })) as DeepReadonly<
      KindOf<K>
    >;
  }

  async patch<K extends AnyKind>(kind: K, ref: ObjectRef, patch: object): Promise<DeepReadonly<KindOf<K>>> {
    const { fieldManager } = this.#host;
    const answer = await this.client.patch(
      kind,
      this.#keyOf(ref),
      { merge: patch as never },
      { fieldManager, signal: this.signal },
    );
    return answer as DeepReadonly<KindOf<K>>;
  }

  async delete(target: AnyKind | Frozen, ref?: ObjectRef): Promise<void> {
    try {
      if (ref !== undefined) {
        await this.client.delete(target as AnyKind, this.#keyOf(ref), { signal: this.signal });
        return;
      }
      const object = target as Frozen;
      const kind = await this.#kindOf(object);
      const { uid } = object.metadata;
      const preconditions = uid === undefined ? undefined : { uid };
      await this.client.delete(kind, object, { preconditions, signal: this.signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  async patchStatus(status: object): Promise<never> {
    const object = this.#owner("patchStatus") as Frozen & { readonly status?: unknown };
    if (!wouldChange(object.status ?? {}, status)) return object as never;
    const { fieldManager, kind } = this.#host;
    try {
      const answer = await this.client.patch(
        kind as AnyKind,
        object,
        { merge: { status } as never },
        { subresource: "status", fieldManager, signal: this.signal },
      );
      this.#object = answer as Frozen;
      return answer as never;
    } catch (error) {
      // the object went while we worked: there is nobody left to tell
      if (isNotFound(error)) return object as never;
      throw error;
    }
  }

  condition(
    update: {
      readonly type: string;
      readonly status: "True" | "False" | "Unknown" | boolean;
      readonly reason: string;
      readonly message?: string;
    },
    conditions?: readonly DeepReadonly<Condition>[],
  ): Condition[] {
    const object = this.#owner("condition") as Frozen & {
      readonly status?: { readonly conditions?: Condition[] };
    };
    const { status } = update;
    const list = setCondition(
      conditions ?? object.status?.conditions,
      {
        ...update,
        status: typeof status === "boolean" ? (status ? "True" : "False") : status,
        observedGeneration: object.metadata.generation ?? 0,
      },
      rfc3339(this.clock.now()),
    );
    return list as Condition[];
  }

  children(
    desired: readonly (Frozen | PlannedChild)[],
    options: ChildrenOptions = {},
  ): Promise<ChildrenResult> {
    const owner = this.#owner("children");
    return applyChildren(desired, options, {
      generation: owner.metadata.generation ?? 0,
      ownedKinds: this.#host.ownedKinds,
      apply: (object) => this.#apply(undefined, object, {}),
      owned: (kind) => this.owned(kind) as Promise<readonly Frozen[]>,
      located: async (object) => this.#withNamespace(object, await this.#kindOf(object)),
      remove: (object) => this.delete(object),
      failed: (error) => void (this.deferredError ??= error),
    });
  }

  event(event: EventInput): void {
    this.#cluster.recorder.record(this.#host.name, this.#owner("event"), event);
  }

  expect(name: string, isMet: boolean, timeoutMs: number): "met" | "waiting" | "timed-out" {
    const leftMs = this.#host.memory.expect(this.#item.key, name, isMet, timeoutMs);
    if (leftMs === undefined) return "met";
    if (leftMs <= 0) return "timed-out";
    this.wakeAfterMs = Math.min(this.wakeAfterMs, leftMs);
    return "waiting";
  }

  every(name: string, periodMs: number): boolean {
    const { isDue, nextMs } = this.#host.memory.every(this.#item.key, name, periodMs);
    this.wakeAfterMs = Math.min(this.wakeAfterMs, nextMs);
    return isDue;
  }

  async step<R>(name: string, work: () => Promise<R>): Promise<R> {
    const { result, object } = await runStep(name, work, {
      controller: this.#host.name,
      object: this.#owner("step"),
      annotate: async (annotations) => {
        const { fieldManager, kind } = this.#host;
        const merge = { metadata: { annotations } } as never;
        const at = this.#owner("step");
        return (await this.client.patch(
          kind as AnyKind,
          at,
          { merge },
          { fieldManager, signal: this.signal },
        )) as Frozen;
      },
    });
    this.#object = object;
    return result;
  }

  #owner(what: string): Frozen {
    if (this.#object === undefined) {
      throw new MisuseError(`ctx.${what} needs the object under reconcile, and ${this.#item.key} has none`);
    }
    return this.#object;
  }

  #keyOf(ref: ObjectRef): { readonly namespace: string; readonly name: string } {
    const { namespace } = this.request;
    return typeof ref === "string"
      ? { namespace, name: ref }
      : { namespace: ref.namespace ?? namespace, name: ref.name };
  }

  async #kindOf(object: Frozen): Promise<AnyKind> {
    const known = this.#host.kindOf(object);
    return known ?? (await this.client.mapper.resourceFor(object, { signal: this.signal }));
  }

  #withNamespace(object: Frozen, kind: AnyKind): Frozen {
    if (
      kind.scope === "Cluster" ||
      object.metadata.namespace !== undefined ||
      this.request.namespace === ""
    ) {
      return object;
    }
    return { ...object, metadata: { ...object.metadata, namespace: this.request.namespace } };
  }

  #withOwner(object: Frozen, options: OwnershipOptions): Frozen {
    const { owner = "controller" } = options;
    if (owner === false || this.#object === undefined) return object;
    if (this.#object.metadata.uid === object.metadata.uid) return object;
    return owner === "owner"
      ? setOwnerReference(object, this.#object)
      : setControllerReference(object, this.#object);
  }
}

function withKind(object: Frozen, kind: AnyKind): Frozen {
  if (object.apiVersion !== undefined && object.kind !== undefined) return object;
  return { ...object, apiVersion: kind.apiVersion, kind: kind.kind };
}
