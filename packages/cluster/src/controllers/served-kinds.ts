/**
 * The kinds that the server serves now, for controllers that care about all of them.
 * Source of what is monitored: kubernetes pkg/controller/garbagecollector (GetDeletableResources, ignored resources).
 */
import type { DeepReadonly, KubeObject } from "@bowline/api";
import { CustomResourceDefinition } from "@bowline/api/apiextensions/v1";
import type { DiscoveredKind } from "@bowline/client";
import {
  type CacheEvent,
  type ControllerDefinition,
  type CustomSource,
  type HandlerRegistration,
  type Informer,
  type ReconcileContext,
  changed,
  defineLoop,
  watch,
} from "@bowline/runtime";

/** Hears of every object of every monitored kind. */
export interface KindsListener {
  /** First every object as `added`, then what changes. */
  onEvent(kind: DiscoveredKind, event: CacheEvent): void;
  /** Other kinds are served than before. */
  onKinds?(): void;
}

interface Monitor {
  readonly kind: DiscoveredKind;
  readonly informer: Informer;
  readonly registrations: Map<KindsListener, HandlerRegistration>;
}

/** Objects of these come and go in masses and own nothing. */
const ignoredPlurals: ReadonlySet<string> = new Set(["/events", "events.k8s.io/events"]);

/**
 * Keeps an informer on every kind that can be listed, watched and deleted, custom ones that come and go included. The
 * informers are those of the manager's cache: in one process a full object costs nothing that its metadata would not, and
 * kinds that other controllers read are watched once. No polling: kinds change only with the definitions of custom ones.
 */
export class ServedKinds {
  readonly #monitors = new Map<string, Monitor>();
  readonly #listeners = new Set<KindsListener>();
  #kinds: readonly DiscoveredKind[] = [];

  /** The loop that keeps this up to date. */
  controller(): ControllerDefinition {
    return defineLoop({
      name: "served-kinds",
      watches: [
        watch(CustomResourceDefinition, () => ({ name: "all" }), {
          predicates: [changed((crd) => [crd.spec, crd.status])],
        }),
      ],
      sources: [startOnce],
      reconcile: (_request, ctx) => this.#sync(ctx),
    });
  }

  /** Every kind that can be deleted, one version each. */
  get deletable(): readonly DiscoveredKind[] {
    return this.#kinds;
  }

  /** Whether every object of every monitored kind has been told. */
  get hasSynced(): boolean {
    if (this.#monitors.size === 0) return false;
    return [...this.#monitors.values()].every(({ informer }) => informer.hasSynced);
  }

  /** Waits for the first lists of all kinds. @throws the signal's reason */
  async waitForSync(signal: AbortSignal): Promise<void> {
    await Promise.all(Array.from(this.#monitors.values(), ({ informer }) => informer.waitForSync(signal)));
  }

  /** @returns how to stop listening */
  subscribe(listener: KindsListener): () => void {
    this.#listeners.add(listener);
    for (const monitor of this.#monitors.values()) attach(monitor, listener);
    return () => {
      this.#listeners.delete(listener);
      for (const { registrations } of this.#monitors.values()) {
        registrations.get(listener)?.remove();
        registrations.delete(listener);
      }
    };
  }

  async #sync(ctx: ReconcileContext): Promise<void> {
    const { mapper } = ctx.client;
    mapper.reset();
    this.#kinds = oneVersionEach(await mapper.kinds({ signal: ctx.signal })).filter(isDeletable);
    const wanted = new Map(this.#kinds.filter(isMonitored).map((kind) => [keyOf(kind), kind]));
    for (const [key, monitor] of [...this.#monitors]) {
      if (wanted.has(key)) continue;
      this.#monitors.delete(key);
      this.#drop(monitor);
      await ctx.cache.remove(monitor.kind);
    }
    for (const [key, kind] of wanted) {
      if (!this.#monitors.has(key)) this.#add(key, kind, ctx);
    }
    for (const listener of this.#listeners) listener.onKinds?.();
  }

  #add(key: string, kind: DiscoveredKind, ctx: ReconcileContext): void {
    const informer = ctx.cache.informer(kind) as unknown as Informer;
    const monitor: Monitor = { kind, informer, registrations: new Map() };
    this.#monitors.set(key, monitor);
    for (const listener of this.#listeners) attach(monitor, listener);
    informer.start();
  }

  /** A kind that is served no more has no objects: listeners are told so of those that they know. */
  #drop({ kind, informer, registrations }: Monitor): void {
    for (const [listener, registration] of registrations) {
      registration.remove();
      for (const object of informer.values()) listener.onEvent(kind, goneWithKind(object));
    }
  }
}

function attach(monitor: Monitor, listener: KindsListener): void {
  const { kind, informer, registrations } = monitor;
  registrations.set(
    listener,
    informer.addHandler((event) => listener.onEvent(kind, event)),
  );
}

function goneWithKind(object: DeepReadonly<KubeObject>): CacheEvent {
  const { namespace = "", name = "" } = object.metadata;
  return { type: "deleted", key: `${namespace}/${name}`, object, isFinalStateUnknown: true };
}

/** Preferred versions come first: the others are the same objects. */
function oneVersionEach(kinds: readonly DiscoveredKind[]): DiscoveredKind[] {
  const byResource = new Map<string, DiscoveredKind>();
  for (const kind of kinds) {
    const key = `${kind.group}/${kind.plural}`;
    if (!byResource.has(key)) byResource.set(key, kind);
  }
  return [...byResource.values()];
}

function isDeletable(kind: DiscoveredKind): boolean {
  return ["list", "delete"].every((verb) => kind.verbs.includes(verb));
}

function isMonitored(kind: DiscoveredKind): boolean {
  return kind.verbs.includes("watch") && !ignoredPlurals.has(`${kind.group}/${kind.plural}`);
}

function keyOf(kind: DiscoveredKind): string {
  return `${kind.apiVersion}/${kind.kind}`;
}

/** Queues the one key of the loop when it starts. */
export const startOnce: CustomSource = {
  name: "start",
  async start({ enqueue, signal }) {
    enqueue({ name: "all" });
    await untilAborted(signal);
  },
};

/** Resolves when the signal is aborted. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
