/** The garbage collector. Source: kubernetes pkg/controller/garbagecollector (garbagecollector.go, graph_builder.go). */
import { type DeepReadonly, type KubeObject, isNotFound, jsonEqual } from "@bowline/api";
import { type DiscoveredKind, isNoKindMatch, metadataOnly } from "@bowline/client";
import {
  type CacheEvent,
  type ControllerDefinition,
  type ReconcileContext,
  defineLoop,
} from "@bowline/runtime";
import { ComponentEvents } from "../component-events.ts";
import { type ServedKinds, untilAborted } from "../served-kinds.ts";
import { type OwnedNode, OwnerGraph, type Reference, isOwner, nodeOf } from "./owner-graph.ts";

type Meta = DeepReadonly<KubeObject>;

/** Uids of owners known to be gone, so that a thousand dependents ask once. */
const absentMax = 1000;

/** What the owners of an object say about it. */
interface Verdict {
  /** Owners that are there and stay. */
  readonly solid: readonly Reference[];
  /** Owners that are not there. */
  readonly dangling: readonly Reference[];
  /** Owners that are being deleted and wait for this object to go first. */
  readonly waiting: readonly Reference[];
}

/** Deletes what nobody owns any more, and carries out foreground deletion and orphaning. */
export function garbageCollector(served: ServedKinds): ControllerDefinition {
  const collector = new GarbageCollector(served);
  return defineLoop({
    name: "garbage-collector-controller",
    fieldManager: "kube-controller-manager",
    concurrency: 20,
    sources: [
      {
        name: "graph",
        start: ({ enqueue, signal }) => collector.follow((uid) => enqueue({ name: uid }), signal),
      },
    ],
    reconcile: (request, ctx) => collector.process(request.name, ctx),
  });
}

class GarbageCollector {
  readonly #served: ServedKinds;
  readonly #graph = new OwnerGraph();
  readonly #events = new ComponentEvents("garbage-collector-controller");
  readonly #absent = new Set<string>();
  /** Objects with an owner of a kind that is not served: looked at again when other kinds are. */
  readonly #unknownOwner = new Set<string>();
  /** Objects whose owner is in another namespace, and that wait for being told so. */
  readonly #misplaced = new Set<string>();

  constructor(served: ServedKinds) {
    this.#served = served;
  }

  /** Keeps the graph, and queues the uids that a change concerns. */
  async follow(enqueue: (uid: string) => void, signal: AbortSignal): Promise<void> {
    const off = this.#served.subscribe({
      onEvent: (kind, event) => {
        if (event.type === "deleted") this.#onGone(event.object, enqueue);
        else this.#onState(kind, event, enqueue);
      },
      onKinds: () => {
        for (const uid of this.#unknownOwner) enqueue(uid);
        this.#unknownOwner.clear();
      },
    });
    await untilAborted(signal);
    off();
  }

  #onState(
    kind: DiscoveredKind,
    event: Exclude<CacheEvent, { type: "deleted" }>,
    enqueue: (uid: string) => void,
  ): void {
    if (event.type === "updated" && sameOwnership(event.object, event.old)) return;
    const node = nodeOf(kind, event.object);
    const before = this.#graph.set(node);
    this.#absent.delete(node.uid);
    if (node.isOrphaning || node.isForeground) enqueue(node.uid);
    else if (node.owners !== before?.owners && this.#needsLook(node)) enqueue(node.uid);
    // an owner that waits for its dependents may have been let go by this one
    for (const { uid } of before?.owners ?? []) {
      if (this.#graph.get(uid)?.isForeground === true) enqueue(uid);
    }
  }

  /** Whether an owner of the object is absent, is another than it seems, or waits for the object to go. */
  #needsLook(node: OwnedNode): boolean {
    let needed = false;
    for (const reference of node.owners) {
      const owner = this.#graph.get(reference.uid);
      if (owner !== undefined && isOwner(owner, node, reference)) {
        needed ||= owner.isForeground;
        continue;
      }
      if (owner !== undefined) this.#misplaced.add(node.uid);
      needed = true;
    }
    return needed;
  }

  #onGone(object: Meta, enqueue: (uid: string) => void): void {
    const { uid = "" } = object.metadata;
    const node = this.#graph.delete(uid);
    this.#unknownOwner.delete(uid);
    this.#misplaced.delete(uid);
    this.#noteAbsent(uid);
    for (const dependent of this.#graph.dependentsOf(uid)) enqueue(dependent.uid);
    for (const owner of node?.owners ?? []) {
      if (this.#graph.get(owner.uid)?.isForeground === true) enqueue(owner.uid);
    }
  }

  #noteAbsent(uid: string): void {
    this.#absent.add(uid);
    if (this.#absent.size <= absentMax) return;
    const [oldest] = this.#absent;
    this.#absent.delete(oldest as string);
  }

  async process(uid: string, ctx: ReconcileContext): Promise<void> {
    const node = this.#graph.get(uid);
    if (node === undefined) return;
    if (node.isOrphaning) return this.#orphan(node, ctx);
    if (node.isForeground) return this.#finishForeground(node, ctx);
    if (node.isDeleting) return;
    return this.#judge(node, ctx);
  }

  /** Takes the node out of its dependents' owners, then lets it go. */
  async #orphan(node: OwnedNode, ctx: ReconcileContext): Promise<void> {
    await this.#served.waitForSync(ctx.signal);
    const dependents = this.#graph.dependentsOf(node.uid);
    await Promise.all(dependents.map((dependent) => dropOwners(dependent, new Set([node.uid]), ctx)));
    await dropFinalizer(node, "orphan", ctx);
  }

  /** Lets a node go when nothing blocks its deletion any more; until then its dependents are looked at. */
  async #finishForeground(node: OwnedNode, ctx: ReconcileContext): Promise<void> {
    await this.#served.waitForSync(ctx.signal);
    const blockers = this.#graph.blockersOf(node);
    if (blockers.length === 0) return dropFinalizer(node, "foregroundDeletion", ctx);
    await Promise.all(blockers.filter((b) => !b.isDeleting).map((blocker) => this.#judge(blocker, ctx)));
  }

  /** Deletes the object if nobody who owns it is there, or its owner waits for that. */
  async #judge(node: OwnedNode, ctx: ReconcileContext): Promise<void> {
    this.#reportMisplaced(node, ctx);
    const latest = await findLive(node, ctx);
    const owners = latest?.metadata.ownerReferences ?? [];
    if (latest === undefined || owners.length === 0 || latest.metadata.deletionTimestamp !== undefined)
      return;
    const verdict = await this.#classify(node, owners, ctx);
    if (verdict === undefined) return;
    const { solid, dangling, waiting } = verdict;
    if (solid.length > 0) {
      const lost = new Set([...dangling, ...waiting].map(({ uid }) => uid));
      if (lost.size > 0) await dropOwners(node, lost, ctx);
      return;
    }
    const dependents = this.#graph.dependentsOf(node.uid);
    if (waiting.length === 0 || dependents.length === 0) return remove(node, latest, policyOf(latest), ctx);
    // a circle of owners that wait for each other would never end: this one stops waiting
    if (dependents.some((dependent) => dependent.isForeground)) await unblock(node, ctx);
    return remove(node, undefined, "Foreground", ctx);
  }

  /** Undefined: it cannot be said, for an owner's kind is not served, or no owner of that scope can be. */
  async #classify(
    node: OwnedNode,
    owners: readonly Reference[],
    ctx: ReconcileContext,
  ): Promise<Verdict | undefined> {
    const solid: Reference[] = [];
    const dangling: Reference[] = [];
    const waiting: Reference[] = [];
    for (const reference of owners) {
      const owner = this.#graph.get(reference.uid);
      if (owner !== undefined && isOwner(owner, node, reference)) {
        const waits = owner.isForeground && reference.blockOwnerDeletion === true;
        (waits ? waiting : solid).push(reference);
        continue;
      }
      const state = await this.#ask(node, reference, ctx);
      if (state === undefined) return undefined;
      (state === "present" ? solid : dangling).push(reference);
    }
    return { solid, dangling, waiting };
  }

  /** Asks the server about an owner that the graph does not know: the graph may be behind. */
  async #ask(
    node: OwnedNode,
    reference: Reference,
    ctx: ReconcileContext,
  ): Promise<"present" | "absent" | undefined> {
    if (this.#absent.has(reference.uid)) return "absent";
    let kind: DiscoveredKind;
    try {
      kind = await ctx.client.mapper.resourceFor(reference, { signal: ctx.signal });
    } catch (error) {
      if (!isNoKindMatch(error)) throw error;
      this.#unknownOwner.add(node.uid);
      return undefined;
    }
    // an object without a namespace cannot have an owner in one: nobody can say which was meant
    if (kind.scope === "Namespaced" && node.namespace === "") return undefined;
    const key = { name: reference.name, namespace: kind.scope === "Namespaced" ? node.namespace : undefined };
    const owner = await ctx.client.find(metadataOnly(kind), key, { signal: ctx.signal });
    return owner?.metadata.uid === reference.uid ? "present" : "absent";
  }

  #reportMisplaced(node: OwnedNode, ctx: ReconcileContext): void {
    if (!this.#misplaced.delete(node.uid)) return;
    const object = {
      apiVersion: node.kind.apiVersion,
      kind: node.kind.kind,
      metadata: {
        name: node.name,
        uid: node.uid,
        ...(node.namespace === "" ? {} : { namespace: node.namespace }),
      },
    };
    for (const reference of node.owners) {
      const owner = this.#graph.get(reference.uid);
      if (owner === undefined || isOwner(owner, node, reference)) continue;
      const { apiVersion, kind, name, uid } = reference;
      const text = `[${apiVersion}/${kind}, namespace: ${node.namespace}, name: ${name}, uid: ${uid}]`;
      const message = `ownerRef ${text} does not exist in namespace ${JSON.stringify(node.namespace)}`;
      this.#events.record(ctx, object, { type: "Warning", reason: "OwnerRefInvalidNamespace", message });
    }
  }
}

function sameOwnership({ metadata: a }: Meta, { metadata: b }: Meta): boolean {
  return (
    a.deletionTimestamp === b.deletionTimestamp &&
    (a.ownerReferences === b.ownerReferences || jsonEqual(a.ownerReferences, b.ownerReferences)) &&
    (a.finalizers === b.finalizers || jsonEqual(a.finalizers, b.finalizers))
  );
}

function keyOf(node: OwnedNode): { readonly name: string; readonly namespace: string | undefined } {
  return { name: node.name, namespace: node.namespace === "" ? undefined : node.namespace };
}

/** The object itself, as the server has it now; undefined when it is gone or another has its name. */
async function findLive(node: OwnedNode, ctx: ReconcileContext): Promise<Meta | undefined> {
  try {
    const found = await ctx.client.find(metadataOnly(node.kind), keyOf(node), { signal: ctx.signal });
    return found?.metadata.uid === node.uid ? found : undefined;
  } catch (error) {
    // the whole kind went
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

async function remove(
  node: OwnedNode,
  latest: Meta | undefined,
  propagationPolicy: "Background" | "Foreground" | "Orphan",
  ctx: ReconcileContext,
): Promise<void> {
  const version = latest?.metadata.resourceVersion;
  const preconditions = { uid: node.uid, ...(version === undefined ? {} : { resourceVersion: version }) };
  try {
    await ctx.client.delete(node.kind, keyOf(node), { preconditions, propagationPolicy, signal: ctx.signal });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/** What its finalizers ask for wins over the default. */
function policyOf(latest: Meta): "Background" | "Foreground" | "Orphan" {
  if (latest.metadata.finalizers?.includes("orphan")) return "Orphan";
  return latest.metadata.finalizers?.includes("foregroundDeletion") ? "Foreground" : "Background";
}

/** Takes references out of an object; an object that is gone is no error. */
async function dropOwners(node: OwnedNode, uids: ReadonlySet<string>, ctx: ReconcileContext): Promise<void> {
  await change(node, ctx, ({ ownerReferences = [] }) => {
    const kept = ownerReferences.filter(({ uid }) => !uids.has(uid));
    return kept.length === ownerReferences.length
      ? undefined
      : { ownerReferences: kept.length > 0 ? kept : null };
  });
}

async function dropFinalizer(node: OwnedNode, finalizer: string, ctx: ReconcileContext): Promise<void> {
  await change(node, ctx, ({ finalizers = [] }) => {
    const kept = finalizers.filter((name) => name !== finalizer);
    return kept.length === finalizers.length ? undefined : { finalizers: kept.length > 0 ? kept : null };
  });
}

async function unblock(node: OwnedNode, ctx: ReconcileContext): Promise<void> {
  await change(node, ctx, ({ ownerReferences = [] }) => {
    if (!ownerReferences.some((reference) => reference.blockOwnerDeletion === true)) return undefined;
    return {
      ownerReferences: ownerReferences.map((reference) => ({ ...reference, blockOwnerDeletion: false })),
    };
  });
}

/** Merges a change of the metadata into the state that it was computed from; a lost race is tried again by the queue. */
async function change(
  node: OwnedNode,
  ctx: ReconcileContext,
  compute: (metadata: Meta["metadata"]) => object | undefined,
): Promise<void> {
  const latest = await findLive(node, ctx);
  const metadata = latest === undefined ? undefined : compute(latest.metadata);
  if (latest === undefined || metadata === undefined) return;
  const { resourceVersion } = latest.metadata;
  try {
    const merge = { metadata: { uid: node.uid, ...metadata } } as never;
    await ctx.client.patch(
      metadataOnly(node.kind),
      keyOf(node),
      { merge },
      { resourceVersion, signal: ctx.signal },
    );
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
