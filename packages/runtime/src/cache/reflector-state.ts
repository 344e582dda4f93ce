import type { DeepReadonly, KubeObject } from "@bowline/api";
import type { ObjectEvent } from "@bowline/client";
import { objectKey } from "../controller/request.ts";

type Frozen = DeepReadonly<KubeObject>;
type Event = ObjectEvent<Frozen>;

/** What went wrong, as far as the next step depends on it. */
export type Failure =
  /** The resource version asked for is compacted (410). */
  | { readonly kind: "expired" }
  /** The resource version asked for lies in the server's future: it was restored from an older state. */
  | { readonly kind: "too-new" }
  /** The server does not know this way of asking (400, 405, 422). */
  | { readonly kind: "refused" }
  /** The server asks to wait (429, 503 with Retry-After). */
  | { readonly kind: "busy"; readonly retryAfterMs: number }
  /** Anything else: no connection, 401, 403, 404, 5xx. */
  | { readonly kind: "failed" };

/** One request to make next. */
export type Attempt =
  /** A watch that sends the present state first (KEP-3157). `resourceVersion`: not older than. */
  | { readonly how: "watch-list"; readonly resourceVersion: string }
  | {
      readonly how: "list";
      readonly resourceVersion: string;
      readonly continue?: string;
      /** False: everything in one answer, since pages expired on the way. */
      readonly paged: boolean;
    }
  | { readonly how: "watch"; readonly resourceVersion: string };

/** Where a reflector is. `resourceVersion` is that of the last event, bookmark or list it has taken in. */
export type ReflectorState =
  | { readonly phase: "stopped" }
  /** A list request is under way; `items` are those of the pages before. */
  | {
      readonly phase: "listing";
      readonly attempt: Attempt & { how: "list" };
      readonly items: readonly Frozen[];
    }
  /** A watch request is under way. */
  | { readonly phase: "opening"; readonly attempt: Attempt & { how: "watch" | "watch-list" } }
  /** A watch-list is open and its end mark has not come: what came is kept apart from the store. */
  | {
      readonly phase: "collecting";
      readonly attempt: Attempt & { how: "watch-list" };
      readonly items: Map<string, Frozen>;
    }
  | { readonly phase: "watching"; readonly resourceVersion: string }
  | { readonly phase: "waiting"; readonly next: Attempt };

/** What happened. */
export type ReflectorInput =
  | { readonly type: "start" }
  | {
      readonly type: "page";
      readonly items: readonly Frozen[];
      readonly resourceVersion: string;
      readonly continue: string;
    }
  | { readonly type: "opened" }
  | { readonly type: "events"; readonly events: readonly Event[] }
  /** The stream ended without an error. `wasHealthy`: it lived long enough to reconnect at once. */
  | { readonly type: "ended"; readonly wasHealthy: boolean }
  | { readonly type: "failed"; readonly failure: Failure }
  | { readonly type: "waited" }
  | { readonly type: "stop" };

/** What to do, in this order. */
export type ReflectorCommand =
  | { readonly type: "request"; readonly attempt: Attempt }
  /** The store becomes exactly this. */
  | { readonly type: "replace"; readonly items: readonly Frozen[]; readonly resourceVersion: string }
  /** The store changes by these; `resourceVersion` is how far it is then. */
  | { readonly type: "apply"; readonly events: readonly Event[]; readonly resourceVersion: string }
  /** Wait for the back-off, or for `forMs` when the server named a time, then give `waited`. */
  | { readonly type: "wait"; readonly forMs?: number }
  | { readonly type: "close" };

export interface ReflectorOptions {
  /** Ask for watch-lists first. Falls back to lists by itself. */
  readonly watchList: boolean;
}

/** State that outlives phases. */
export interface ReflectorMemory {
  /** False once the server refused watch-lists or ended two before their end mark. */
  watchList: boolean;
  brokenWatchLists: number;
  /** Last version known, "" before the first list. */
  resourceVersion: string;
}

export function reflectorMemory(options: ReflectorOptions): ReflectorMemory {
  return { watchList: options.watchList, brokenWatchLists: 0, resourceVersion: "" };
}

export const initialReflectorState: ReflectorState = { phase: "stopped" };

type Step = readonly [next: ReflectorState, commands: readonly ReflectorCommand[]];

/**
 * The protocol of keeping a copy equal to the server's: list (streamed, or in pages), then watch, and list again when the
 * server has forgotten where we were. Does no I/O: it answers what to do. `memory` is changed.
 * Source of the rules: client-go tools/cache (reflector.go); kube-rs watcher for the shape.
 */
export function reflectorStep(state: ReflectorState, input: ReflectorInput, memory: ReflectorMemory): Step {
  if (input.type === "stop") return [{ phase: "stopped" }, [{ type: "close" }]];
  switch (state.phase) {
    case "stopped":
      return input.type === "start" ? begin(firstAttempt(memory)) : [state, []];
    case "waiting":
      return input.type === "waited" ? begin(state.next) : [state, []];
    case "listing":
      if (input.type === "page") return onPage(state, input, memory);
      if (input.type === "failed") return onListFailed(state, input.failure, memory);
      return [state, []];
    case "opening":
      if (input.type === "opened") return onOpened(state);
      return onStreamOver(state.attempt, input, memory);
    case "collecting":
      if (input.type === "events") return onCollected(state, input.events, memory);
      return onStreamOver(state.attempt, input, memory);
    case "watching":
      if (input.type === "events") return onEvents(state.resourceVersion, input.events, memory);
      return onStreamOver({ how: "watch", resourceVersion: state.resourceVersion }, input, memory);
  }
}

/** The very first list may be as old as the server's cache has it. */
function firstAttempt(memory: ReflectorMemory): Attempt {
  return memory.watchList
    ? { how: "watch-list", resourceVersion: memory.resourceVersion }
    : { how: "list", resourceVersion: memory.resourceVersion || "0", paged: true };
}

/** A list that is not older than what is known; "" is the most recent there is. */
function relist(memory: ReflectorMemory, resourceVersion: string): Attempt {
  return memory.watchList
    ? { how: "watch-list", resourceVersion }
    : { how: "list", resourceVersion, paged: true };
}

function begin(attempt: Attempt): Step {
  const commands: ReflectorCommand[] = [{ type: "request", attempt }];
  if (attempt.how === "list") return [{ phase: "listing", attempt, items: [] }, commands];
  return [{ phase: "opening", attempt }, commands];
}

function waitFor(next: Attempt, failure?: Failure): Step {
  const wait: ReflectorCommand =
    failure?.kind === "busy" ? { type: "wait", forMs: failure.retryAfterMs } : { type: "wait" };
  return [{ phase: "waiting", next }, [wait]];
}

function onPage(
  state: ReflectorState & { phase: "listing" },
  page: ReflectorInput & { type: "page" },
  memory: ReflectorMemory,
): Step {
  const items = state.items.length === 0 ? page.items : [...state.items, ...page.items];
  if (page.continue !== "") {
    const attempt: Attempt & { how: "list" } = { ...state.attempt, continue: page.continue };
    return [{ phase: "listing", attempt, items }, [{ type: "request", attempt }]];
  }
  const { resourceVersion } = page;
  memory.resourceVersion = resourceVersion;
  const attempt: Attempt = { how: "watch", resourceVersion };
  return [
    { phase: "opening", attempt },
    [
      { type: "replace", items, resourceVersion },
      { type: "request", attempt },
    ],
  ];
}

function onListFailed(
  state: ReflectorState & { phase: "listing" },
  failure: Failure,
  memory: ReflectorMemory,
): Step {
  const { attempt } = state;
  const isStale = failure.kind === "expired" || failure.kind === "too-new";
  if (isStale && attempt.continue !== undefined) {
    return waitFor({ how: "list", resourceVersion: "", paged: false });
  }
  if (isStale && attempt.resourceVersion !== "")
    return begin({ how: "list", resourceVersion: "", paged: attempt.paged });
  // pages belong together, so a list that failed half-way starts again
  const resourceVersion = memory.resourceVersion || attempt.resourceVersion;
  return waitFor({ how: "list", resourceVersion, paged: attempt.paged }, failure);
}

function onOpened(state: ReflectorState & { phase: "opening" }): Step {
  const { attempt } = state;
  if (attempt.how === "watch") return [{ phase: "watching", resourceVersion: attempt.resourceVersion }, []];
  return [{ phase: "collecting", attempt, items: new Map() }, []];
}

/** True for the bookmark that ends the initial events. */
function isInitialEnd(event: Event): boolean {
  return (
    event.type === "BOOKMARK" && event.object.metadata.annotations?.["k8s.io/initial-events-end"] === "true"
  );
}

function onCollected(
  state: ReflectorState & { phase: "collecting" },
  events: readonly Event[],
  memory: ReflectorMemory,
): Step {
  const { items } = state;
  for (let index = 0; index < events.length; index++) {
    const event = events[index] as Event;
    if (isInitialEnd(event)) {
      const resourceVersion = event.object.metadata.resourceVersion ?? "";
      memory.resourceVersion = resourceVersion;
      memory.brokenWatchLists = 0;
      const replace: ReflectorCommand = { type: "replace", items: [...items.values()], resourceVersion };
      const [next, rest] = onEvents(resourceVersion, events.slice(index + 1), memory);
      return [next, [replace, ...rest]];
    }
    if (event.type === "DELETED") items.delete(objectKey(event.object));
    else if (event.type !== "BOOKMARK") items.set(objectKey(event.object), event.object);
  }
  return [state, []];
}

function onEvents(from: string, events: readonly Event[], memory: ReflectorMemory): Step {
  if (events.length === 0) return [{ phase: "watching", resourceVersion: from }, []];
  const resourceVersion = events.at(-1)?.object.metadata.resourceVersion ?? from;
  memory.resourceVersion = resourceVersion;
  return [{ phase: "watching", resourceVersion }, [{ type: "apply", events, resourceVersion }]];
}

/** The watch ended or broke, or was never opened. */
function onStreamOver(
  attempt: Attempt & { how: "watch" | "watch-list" },
  input: ReflectorInput,
  memory: ReflectorMemory,
): Step {
  if (input.type === "ended") {
    if (attempt.how === "watch-list") return onWatchListBroken(attempt, memory);
    return input.wasHealthy ? begin(attempt) : waitFor(attempt);
  }
  if (input.type !== "failed") return [{ phase: "opening", attempt }, []];
  const { failure } = input;
  if (attempt.how === "watch-list") return onWatchListFailed(attempt, failure, memory);
  if (failure.kind === "expired") return begin(relist(memory, memory.resourceVersion));
  if (failure.kind === "too-new") return begin(relist(memory, ""));
  return waitFor(attempt, failure);
}

function onWatchListFailed(
  attempt: Attempt & { how: "watch-list" },
  failure: Failure,
  memory: ReflectorMemory,
): Step {
  if (failure.kind === "refused") {
    memory.watchList = false;
    return begin({ how: "list", resourceVersion: attempt.resourceVersion || "0", paged: true });
  }
  const isStale = failure.kind === "expired" || failure.kind === "too-new";
  if (isStale && attempt.resourceVersion !== "") return begin({ how: "watch-list", resourceVersion: "" });
  return waitFor(attempt, failure);
}

/** A server that accepts the request but never sends the end mark does not know watch-lists: the second time, list. */
function onWatchListBroken(attempt: Attempt & { how: "watch-list" }, memory: ReflectorMemory): Step {
  memory.brokenWatchLists++;
  if (memory.brokenWatchLists < 2) return waitFor(attempt);
  memory.watchList = false;
  return waitFor({ how: "list", resourceVersion: attempt.resourceVersion || "0", paged: true });
}
