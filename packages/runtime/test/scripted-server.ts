import {
  type DeepReadonly,
  type JsonPatchOperation,
  type KubeObject,
  type Status,
  alreadyExists,
  applyJsonPatch,
  applyMergePatch,
  conflict,
  deepFreeze,
  expired,
  failure,
  jsonEqual,
  notFound,
} from "@bowline/api";
import type {
  ApiRequest,
  ApiResponse,
  ByteStream,
  Transport,
  WatchEvent,
  WatchStream,
} from "@bowline/client";

type Stored = KubeObject & { [field: string]: unknown };
type Frozen = DeepReadonly<KubeObject>;

interface Change {
  readonly resourceVersion: number;
  readonly collection: string;
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: Frozen;
}

/** Where a request goes: `/apis/example.com/v1/namespaces/default/widgets/a/status`. */
interface Target {
  readonly collection: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
}

/** What a server can be restored to. */
export interface Backup {
  readonly version: number;
  readonly objects: ReadonlyMap<string, ReadonlyMap<string, Frozen>>;
}

/** One request as it came. */
export interface LoggedRequest {
  readonly verb: "get" | "list" | "watch" | "create" | "update" | "patch" | "apply" | "delete";
  readonly target: Target;
  readonly query: NonNullable<ApiRequest["query"]>;
  readonly body: unknown;
}

/**
 * A small store behind the transport's port, for scripts that no real server would play: it can lose, delay, refuse and
 * repeat. Just enough semantics for the runtime (versions, uids, generations, finalizers, watches); those of the real
 * server are tested against the embedded cluster.
 */
export class ScriptedServer implements Transport {
  readonly requests: LoggedRequest[] = [];
  readonly watches = new Set<ScriptedWatch>();
  /** Called before each request is answered: throw to refuse it, wait to delay it. */
  intercept: (request: LoggedRequest, signal: AbortSignal | undefined) => void | Promise<void> = () => {};
  /** Called after a write took effect and before it is answered. */
  beforeAnswer: (request: LoggedRequest) => void | Promise<void> = () => {};
  /** Called for every event that a watch is about to get; false holds it back. */
  deliver: (watch: ScriptedWatch, event: WatchEvent) => boolean = () => true;
  supportsWatchList = true;
  /** Kinds that are not served (404), by resource. */
  readonly missing = new Set<string>();
  readonly #objects = new Map<string, Map<string, Frozen>>();
  #history: Change[] = [];
  #version = 100;
  #compacted = 0;
  #uid = 0;

  get resourceVersion(): string {
    return String(this.#version);
  }

  /** Requests of a verb, for counting. */
  count(verb: LoggedRequest["verb"], resource?: string): number {
    return this.requests.filter(
      (r) => r.verb === verb && (resource === undefined || r.target.resource === resource),
    ).length;
  }

  /** Everything of a resource, by `namespace/name`. */
  all(resource: string): Frozen[] {
    return [...this.#objects]
      .filter(([path]) => path.endsWith(`/${resource}`))
      .flatMap(([, map]) => [...map.values()]);
  }

  /** Forgets the history: watches from before are 410. */
  compact(): void {
    this.#compacted = this.#version;
    this.#history = [];
  }

  /** A backup of everything. */
  snapshot(): Backup {
    const objects = new Map(Array.from(this.#objects, ([path, map]) => [path, new Map(map)]));
    return { version: this.#version, objects };
  }

  /** Goes back to a backup: objects and versions are as they were then. */
  restore(backup: Backup): void {
    this.#version = backup.version;
    this.#objects.clear();
    for (const [path, map] of backup.objects) this.#objects.set(path, new Map(map));
    this.#history = [];
    this.#compacted = backup.version;
  }

  /** Ends all watches, cleanly or with an error. */
  endWatches(error?: Error): void {
    for (const watch of [...this.watches]) watch.end(error);
  }

  /** A bookmark to all watches. */
  bookmark(): void {
    for (const watch of this.watches) watch.push(this.#bookmarkEvent());
  }

  async request<T>(request: ApiRequest): Promise<ApiResponse<T>> {
    const target = parsePath(request.path);
    const logged: LoggedRequest = {
      verb: verbOf(request, target),
      target,
      query: request.query ?? {},
      body: request.body,
    };
    this.requests.push(logged);
    await this.intercept(logged, request.signal);
    request.signal?.throwIfAborted();
    this.#checkServed(target);
    const body = this.#answer(logged, request);
    if (logged.verb !== "get" && logged.verb !== "list") await this.beforeAnswer(logged);
    return { status: 200, headers: {}, warnings: [], body: deepFreeze(body) as T };
  }

  async watch<T>(request: ApiRequest): Promise<WatchStream<T>> {
    const target = parsePath(request.path);
    const query = request.query ?? {};
    const logged: LoggedRequest = { verb: "watch", target, query, body: undefined };
    this.requests.push(logged);
    await this.intercept(logged, request.signal);
    request.signal?.throwIfAborted();
    this.#checkServed(target);
    const isInitial = query["sendInitialEvents"] === "true";
    if (isInitial && !this.supportsWatchList) {
      throw failure(422, "Invalid", "sendInitialEvents: Forbidden: sendInitialEvents is forbidden for watch");
    }
    const from = Number(query["resourceVersion"] ?? 0);
    if (from > this.#version) throw tooLarge();
    if (!isInitial && from < this.#compacted)
      throw expired(`too old resource version: ${from} (${this.#compacted})`);
    const watch = new ScriptedWatch(target, () => this.watches.delete(watch));
    this.watches.add(watch);
    if (isInitial || from === 0) {
      for (const object of this.#list(target)) this.#send(watch, { type: "ADDED", object });
      if (isInitial) watch.push(this.#bookmarkEvent({ "k8s.io/initial-events-end": "true" }));
    } else {
      for (const change of this.#history) if (change.resourceVersion > from) this.#announceTo(watch, change);
    }
    return watch as unknown as WatchStream<T>;
  }

  async stream(): Promise<ByteStream> {
    throw new Error("the scripted server has no streams");
  }

  async close(): Promise<void> {
    this.endWatches();
  }

  /** Writes an object without a request, as somebody else would. Status is kept unless given. */
  put(path: string, object: KubeObject & { [field: string]: unknown }): Frozen {
    const target = parsePath(`${path}/${object.metadata.name}`);
    const before = this.#find(target);
    const next = {
      ...(before ?? {}),
      ...object,
      metadata: { ...before?.metadata, ...object.metadata },
    } as Stored;
    return this.#store(target, before, next, false);
  }

  /** Deletes an object without a request. */
  remove(path: string): void {
    const target = parsePath(path);
    const object = this.#find(target);
    if (object !== undefined) this.#delete(target, object);
  }

  #answer(logged: LoggedRequest, request: ApiRequest): unknown {
    const { target } = logged;
    switch (logged.verb) {
      case "list":
        return this.#listAnswer(target, logged.query);
      case "get":
        return this.#get(target);
      case "create":
        return this.#create(target, request.body as Stored);
      case "update":
        return this.#update(target, request.body as Stored);
      case "patch":
        return this.#patch(target, request);
      case "apply":
        return this.#apply(target, request.body as Stored);
      default:
        return this.#deleteAnswer(target, request.body as { preconditions?: { uid?: string } } | undefined);
    }
  }

  #listAnswer(target: Target, query: NonNullable<ApiRequest["query"]>): unknown {
    const wanted = Number(query["resourceVersion"] ?? 0);
    if (wanted > this.#version) throw tooLarge();
    const items = this.#list(target);
    const limit = Number(query["limit"] ?? 0);
    const [start, at] = String(query["continue"] ?? `0@${this.#version}`)
      .split("@")
      .map(Number) as [number, number];
    if (at < this.#compacted) throw expired("The provided continue parameter is too old");
    const isPaged = limit > 0 && query["resourceVersion"] !== "0";
    const page = isPaged ? items.slice(start, start + limit) : items;
    const hasMore = isPaged && start + limit < items.length;
    const metadata = { resourceVersion: String(at), continue: hasMore ? `${start + limit}@${at}` : "" };
    return { apiVersion: "v1", kind: "List", metadata, items: page };
  }

  #get(target: Target): Frozen {
    const found = this.#find(target);
    if (found === undefined) throw notFound(target, target.name ?? "");
    return found;
  }

  #create(target: Target, body: Stored): Frozen {
    const name = body.metadata.name ?? `${body.metadata.generateName}${++this.#uid}`;
    const at = { ...target, name };
    if (this.#find(at) !== undefined) throw alreadyExists(target, name);
    const { status: _, ...rest } = body;
    return this.#store(at, undefined, { ...rest, metadata: { ...body.metadata, name } } as Stored, false);
  }

  #update(target: Target, body: Stored): Frozen {
    const before = this.#get(target);
    const { resourceVersion } = body.metadata;
    if (resourceVersion !== undefined && resourceVersion !== before.metadata.resourceVersion) {
      throw conflict(
        target,
        target.name ?? "",
        "the object has been modified; please apply your changes to the latest version and try again",
      );
    }
    const isStatus = target.subresource === "status";
    const next: object = isStatus ? { ...before, status: body["status"] } : { ...body, ...statusOf(before) };
    return this.#store(target, before, next as Stored, isStatus);
  }

  #patch(target: Target, request: ApiRequest): Frozen {
    const before = this.#get(target);
    const isStatus = target.subresource === "status";
    const type = String(request.headers?.["content-type"]);
    const next = (type.startsWith("application/json-patch")
      ? applyJsonPatch(before as never, request.body as JsonPatchOperation[])
      : applyMergePatch(before as never, withoutUndefined(request.body) as never)) as unknown as Stored;
    const merged: object = isStatus
      ? { ...before, status: next["status"] }
      : { ...next, ...statusOf(before) };
    return this.#store(target, before, merged as Stored, isStatus);
  }

  /** Enough of server-side apply for one manager: the fields given are merged in, and nothing is written when equal. */
  #apply(target: Target, body: Stored): Frozen {
    const before = this.#find(target);
    const base = before ?? { apiVersion: body.apiVersion, kind: body.kind, metadata: {} };
    const next = applyMergePatch(base as never, withoutUndefined(body) as never) as unknown as Stored;
    return this.#store(target, before, next, target.subresource === "status");
  }

  #deleteAnswer(target: Target, options: { preconditions?: { uid?: string } } | undefined): unknown {
    const object = this.#get(target);
    const uid = options?.preconditions?.uid;
    if (uid !== undefined && uid !== object.metadata.uid) {
      throw conflict(target, target.name ?? "", `Precondition failed: UID in precondition: ${uid}`);
    }
    if ((object.metadata.finalizers?.length ?? 0) > 0) {
      if (object.metadata.deletionTimestamp !== undefined) return object;
      const metadata = {
        ...object.metadata,
        deletionTimestamp: "2026-01-01T00:00:00Z",
        deletionGracePeriodSeconds: 0,
      };
      return this.#store(target, object, { ...object, metadata } as Stored, false);
    }
    this.#delete(target, object);
    const details = { name: target.name ?? "", uid: object.metadata.uid ?? "" };
    return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", details } satisfies Status;
  }

  #store(target: Target, before: Frozen | undefined, next: Stored, isStatus: boolean): Frozen {
    const { resourceVersion: _, ...metadata } = next.metadata;
    const { resourceVersion: __, ...metadataBefore } = before?.metadata ?? {};
    if (before !== undefined && jsonEqual({ ...next, metadata }, { ...before, metadata: metadataBefore }))
      return before;
    const specChanged = !isStatus && !jsonEqual(withoutMeta(next), withoutMeta(before ?? {}));
    const isMarked =
      metadata.deletionTimestamp !== undefined && before?.metadata.deletionTimestamp === undefined;
    const object = deepFreeze({
      ...next,
      metadata: {
        ...metadata,
        name: target.name ?? "",
        ...(target.namespace === undefined ? {} : { namespace: target.namespace }),
        uid: before?.metadata.uid ?? `uid-${++this.#uid}`,
        generation: (before?.metadata.generation ?? 0) + (specChanged || isMarked ? 1 : 0),
        creationTimestamp: before?.metadata.creationTimestamp ?? "2026-01-01T00:00:00Z",
        resourceVersion: String(++this.#version),
      },
    }) as Frozen;
    const isGone =
      object.metadata.deletionTimestamp !== undefined && (object.metadata.finalizers ?? []).length === 0;
    if (isGone && before !== undefined) {
      this.#delete(target, object);
      return object;
    }
    this.#collection(target).set(keyOf(target), object);
    this.#record(target, before === undefined ? "ADDED" : "MODIFIED", object);
    return object;
  }

  #delete(target: Target, object: Frozen): void {
    this.#collection(target).delete(keyOf(target));
    const metadata = { ...object.metadata, resourceVersion: String(++this.#version) };
    this.#record(target, "DELETED", deepFreeze({ ...object, metadata }) as Frozen);
  }

  #record(target: Target, type: Change["type"], object: Frozen): void {
    const change: Change = { resourceVersion: this.#version, collection: target.collection, type, object };
    this.#history.push(change);
    for (const watch of this.watches) this.#announceTo(watch, change);
  }

  #announceTo(watch: ScriptedWatch, change: Change): void {
    const { target } = watch;
    if (target.collection !== change.collection) return;
    if (target.namespace !== undefined && change.object.metadata.namespace !== target.namespace) return;
    this.#send(watch, { type: change.type, object: change.object });
  }

  #send(watch: ScriptedWatch, event: WatchEvent): void {
    if (this.deliver(watch, event)) watch.push(event);
  }

  #bookmarkEvent(annotations?: Record<string, string>): WatchEvent {
    const metadata = { resourceVersion: String(this.#version), ...(annotations && { annotations }) };
    return { type: "BOOKMARK", object: { apiVersion: "v1", kind: "Any", metadata } };
  }

  #checkServed(target: Target): void {
    if (this.missing.has(target.resource)) {
      throw failure(404, "NotFound", "the server could not find the requested resource");
    }
  }

  #collection(target: Target): Map<string, Frozen> {
    let map = this.#objects.get(target.collection);
    if (map === undefined) this.#objects.set(target.collection, (map = new Map()));
    return map;
  }

  #find(target: Target): Frozen | undefined {
    return this.#collection(target).get(keyOf(target));
  }

  #list(target: Target): Frozen[] {
    const all = [...this.#collection(target)]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, object]) => object);
    return target.namespace === undefined
      ? all
      : all.filter((o) => o.metadata.namespace === target.namespace);
  }
}

/** A watch that scripts can end, break and silence. */
export class ScriptedWatch implements WatchStream {
  readonly target: Target;
  /** True: the connection is open and delivers nothing any more. */
  isHole = false;
  readonly #onClose: () => void;
  #pending: WatchEvent[] = [];
  #wake: (() => void) | undefined;
  #isOver = false;
  #error: Error | undefined;

  constructor(target: Target, onClose: () => void) {
    this.target = target;
    this.#onClose = onClose;
  }

  push(event: WatchEvent): void {
    if (this.#isOver || this.isHole) return;
    this.#pending.push(event);
    this.#wake?.();
  }

  /** The server's end of the stream. */
  end(error?: Error): void {
    this.#isOver = true;
    this.#error = error;
    this.#onClose();
    this.#wake?.();
  }

  close(): void {
    this.#pending = [];
    this.end();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<readonly WatchEvent[]> {
    try {
      for (;;) {
        if (this.#pending.length > 0) yield this.#pending.splice(0);
        else if (this.#error !== undefined) throw this.#error;
        else if (this.#isOver) return;
        else await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    } finally {
      this.#onClose();
    }
  }
}

function verbOf(request: ApiRequest, target: Target): LoggedRequest["verb"] {
  switch (request.method) {
    case "GET":
      return target.name === undefined ? "list" : "get";
    case "POST":
      return "create";
    case "PUT":
      return "update";
    case "DELETE":
      return "delete";
    default:
      return String(request.headers?.["content-type"]).startsWith("application/apply-patch")
        ? "apply"
        : "patch";
  }
}

function parsePath(path: string): Target {
  const parts = path.split("/").filter((part) => part !== "");
  const isCore = parts.shift() === "api";
  const group = isCore ? "" : (parts.shift() ?? "");
  const version = parts.shift() ?? "";
  const namespace = parts[0] === "namespaces" && parts.length > 2 ? parts.splice(0, 2)[1] : undefined;
  const [resource = "", name, subresource] = parts;
  return {
    collection: `${group}/${version}/${resource}`,
    group,
    version,
    resource,
    namespace,
    name,
    subresource,
  };
}

function keyOf(target: Target): string {
  return `${target.namespace ?? ""}/${target.name}`;
}

function tooLarge(): Error {
  return failure(504, "Timeout", "Too large resource version: 1000, current: 1", {
    causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
    retryAfterSeconds: 1,
  });
}

function statusOf(object: object): object {
  const { status } = object as Stored;
  return status === undefined ? {} : { status };
}

function withoutMeta(object: object): object {
  const { metadata: _, status: __, ...rest } = object as Stored;
  return rest;
}

function withoutUndefined(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
