import type { DeepReadonly, KubeObject, ObjectMeta, Status } from "@bowline/api";
import { isNotFound } from "@bowline/api";
import type { Client, ClientDefaults, Watch } from "./client.ts";
import type { RestMapper } from "./discovery/rest-mapper.ts";
import { InvalidCallError, isNotServed } from "./errors.ts";
import type {
  ApplyOf,
  KeyLike,
  KindLike,
  ListOf,
  MergePatchOf,
  MetadataKind,
  ReadOf,
  WriteOf,
} from "./kind-like.ts";
import type { Clock } from "./ports/clock.ts";
import type { Random } from "./ports/random.ts";
import type { Transport } from "./ports/transport.ts";
import {
  type AnyKind,
  type Query,
  collectionPath,
  createPath,
  deleteBody,
  objectPath,
  resourceText,
  selectQuery,
  singleCollectionPath,
  writeQuery,
} from "./resource-request.ts";
import { send } from "./send.ts";
import type {
  ApplyOptions,
  CallOptions,
  DeleteAllOfOptions,
  DeleteOptions,
  GetOptions,
  ListOptions,
  PageOptions,
  Patch,
  PatchOptions,
  WatchOptions,
  WriteOptions,
} from "./verb-options.ts";
import { watchOver } from "./watch.ts";

const defaultPageSize = 500;
const metadataForm = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
const metadataListForm = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";

interface Ports {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: Random;
  readonly mapper: RestMapper;
}

/** The parts of an object that the verbs themselves read. */
type Writable = {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: DeepReadonly<ObjectMeta>;
};

/** The client of `createClient`: ports shared by all its variants, and the defaults of this one. */
export class BoundClient implements Client {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: Random;
  readonly mapper: RestMapper;
  readonly defaults: ClientDefaults;

  constructor(ports: Ports, defaults: ClientDefaults) {
    this.transport = ports.transport;
    this.clock = ports.clock;
    this.random = ports.random;
    this.mapper = ports.mapper;
    this.defaults = defaults;
  }

  withDefaults(defaults: ClientDefaults): Client {
    return new BoundClient(this, { ...this.defaults, ...defaults });
  }

  async get<K extends KindLike>(kind: K, key: KeyLike, options: GetOptions = {}): Promise<ReadOf<K>> {
    const resolved = await this.#resolve(kind, options);
    const path = objectPath(resolved, key, this.defaults, options.subresource);
    const query = { resourceVersion: options.resourceVersion };
    return this.#send(resolved, { method: "GET", path, query }, options);
  }

  async find<K extends KindLike>(
    kind: K,
    key: KeyLike,
    options: GetOptions = {},
  ): Promise<ReadOf<K> | undefined> {
    try {
      return await this.get(kind, key, options);
    } catch (error) {
      if (isNotFound(error) && !isNotServed(error)) return undefined;
      throw error;
    }
  }

  async list<K extends KindLike>(kind: K, options: ListOptions = {}): Promise<ListOf<K>> {
    const resolved = await this.#resolve(kind, options);
    const path = collectionPath(resolved, options.namespace, this.defaults);
    const query: Query = {
      ...selectQuery(options),
      limit: options.limit?.toString(),
      continue: options.continue,
      resourceVersion: options.resourceVersion,
      resourceVersionMatch: options.resourceVersionMatch,
    };
    const headers = { accept: accept(resolved, metadataListForm) };
    const { signal } = options;
    const response = await send<ListOf<K>>(this, {
      method: "GET",
      path,
      query,
      headers,
      ...(signal && { signal }),
    });
    return withItemKinds(response.body, resolved);
  }

  async *pages<K extends KindLike>(kind: K, options: PageOptions = {}): AsyncGenerator<ListOf<K>> {
    const { pageSize: limit = defaultPageSize, ...select } = options;
    let token: string | undefined;
    do {
      const page: ListOf<K> = await this.list(kind, { ...select, limit, continue: token });
      token = page.metadata.continue || undefined;
      yield page;
    } while (token !== undefined);
  }

  async watch<K extends KindLike>(kind: K, options: WatchOptions = {}): Promise<Watch<ReadOf<K>>> {
    const resolved = await this.#resolve(kind, options);
    const path = collectionPath(resolved, options.namespace, this.defaults);
    const initial = options.sendInitialEvents;
    const query: Query = {
      watch: "true",
      ...selectQuery(options),
      resourceVersion: options.resourceVersion,
      resourceVersionMatch:
        options.resourceVersionMatch ?? (initial === undefined ? undefined : "NotOlderThan"),
      sendInitialEvents: initial?.toString(),
      allowWatchBookmarks: options.bookmarks === false ? undefined : "true",
      timeoutSeconds: options.timeoutSeconds?.toString(),
    };
    const headers = { accept: accept(resolved, metadataForm) };
    const { signal } = options;
    const request = { method: "GET", path, query, headers, ...(signal && { signal }) } as const;
    return watchOver(await this.transport.watch<ReadOf<K>>(request));
  }

  async create<K extends KindLike>(
    kind: K,
    object: WriteOf<K>,
    options: WriteOptions = {},
  ): Promise<ReadOf<K>> {
    const resolved = await this.#resolve(kind, options);
    const body = withKind(object as Writable, resolved);
    const path = createPath(resolved, body.metadata, this.defaults, options.subresource);
    const query = writeQuery(options, this.defaults);
    return this.#send(resolved, { method: "POST", path, query, body }, options);
  }

  async update<K extends KindLike>(
    kind: K,
    object: WriteOf<K>,
    options: WriteOptions = {},
  ): Promise<ReadOf<K>> {
    const resolved = await this.#resolve(kind, options);
    const body = withKind(object as Writable, resolved);
    const path = objectPath(resolved, body, this.defaults, options.subresource);
    const query = writeQuery(options, this.defaults);
    return this.#send(resolved, { method: "PUT", path, query, body }, options);
  }

  async patch<K extends KindLike>(
    kind: K,
    key: KeyLike,
    patch: Patch<MergePatchOf<K>>,
    options: PatchOptions = {},
  ): Promise<ReadOf<K>> {
    const resolved = await this.#resolve(kind, options);
    const path = objectPath(resolved, key, this.defaults, options.subresource);
    const { body, contentType } = patchBody(patch, options.resourceVersion);
    const headers = { "content-type": contentType };
    const query = writeQuery(options, this.defaults);
    return this.#send(resolved, { method: "PATCH", path, query, headers, body }, options);
  }

  async apply<K extends KindLike>(
    kind: K,
    object: ApplyOf<K>,
    options: ApplyOptions = {},
  ): Promise<ReadOf<K>> {
    const resolved = await this.#resolve(kind, options);
    const body = withKind(object as Writable, resolved);
    const path = objectPath(resolved, body, this.defaults, options.subresource);
    const query: Query = { ...writeQuery(options, this.defaults), force: options.force ? "true" : undefined };
    if (!query["fieldManager"]) {
      const hint = "name it in the options of the call or of createClient";
      throw new InvalidCallError(
        `apply of ${resourceText(resolved, body.metadata.name)}: the field manager is missing; ${hint}`,
      );
    }
    const headers = { "content-type": "application/apply-patch+yaml" };
    return this.#send(resolved, { method: "PATCH", path, query, headers, body }, options);
  }

  async delete<K extends KindLike>(
    kind: K,
    key: KeyLike,
    options: DeleteOptions = {},
  ): Promise<ReadOf<K> | DeepReadonly<Status>> {
    const resolved = await this.#resolve(kind, options);
    const path = objectPath(resolved, key, this.defaults);
    const body = deleteBody(options, this.defaults);
    return this.#send(resolved, { method: "DELETE", path, body }, options);
  }

  async deleteAllOf<K extends KindLike>(kind: K, options: DeleteAllOfOptions = {}): Promise<void> {
    const resolved = await this.#resolve(kind, options);
    const path = singleCollectionPath(resolved, options.namespace, this.defaults);
    const body = deleteBody(options, this.defaults);
    const { signal } = options;
    // Metadata alone: the answer lists everything that was deleted, and nobody reads it.
    const headers = { accept: `${metadataListForm},application/json` };
    const query = selectQuery(options);
    await send(this, { method: "DELETE", path, query, headers, body, ...(signal && { signal }) });
  }

  #resolve(kind: KindLike, options: CallOptions): AnyKind | Promise<AnyKind> {
    return isKind(kind) ? kind : this.mapper.resourceFor(kind, options);
  }

  async #send<R>(kind: AnyKind, request: SingleRequest, options: CallOptions): Promise<R> {
    const headers = { accept: accept(kind, metadataForm), ...request.headers };
    const { signal } = options;
    const response = await send<R>(this, { ...request, headers, ...(signal && { signal }) });
    return response.body;
  }
}

interface SingleRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly query?: Query;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

/** Kinds are told from references and objects by what only kinds have. */
function isKind(kind: KindLike): kind is AnyKind {
  return "plural" in kind && "scope" in kind && !("metadata" in kind);
}

function isMetadataKind(kind: AnyKind): boolean {
  return (kind as Partial<MetadataKind>).metadataOnly === true;
}

function accept(kind: AnyKind, metadataAccept: string): string {
  return isMetadataKind(kind) ? `${metadataAccept},application/json` : "application/json";
}

function withKind(object: Writable, kind: AnyKind): Writable {
  if (object.apiVersion !== undefined && object.kind !== undefined) return object;
  return { ...object, apiVersion: kind.apiVersion, kind: kind.kind };
}

/** Built-in lists leave apiVersion and kind out of their items; readers of ours always find them. */
function withItemKinds<K>(list: ListOf<K>, kind: AnyKind): ListOf<K> {
  const items = list.items as readonly DeepReadonly<KubeObject>[] | null;
  // servers write an empty list of metadata as null
  if (items === null) return Object.freeze({ ...list, items: [] });
  if (items[0] === undefined || items[0].kind !== undefined) return list;
  const isMetadata = isMetadataKind(kind);
  const head = isMetadata
    ? { apiVersion: "meta.k8s.io/v1", kind: "PartialObjectMetadata" }
    : { apiVersion: kind.apiVersion, kind: kind.kind };
  const filled = Object.freeze(items.map((item) => Object.freeze({ ...head, ...item })));
  return Object.freeze({ ...list, items: filled as readonly unknown[] as ListOf<K>["items"] });
}

function patchBody(
  patch: Patch<unknown>,
  resourceVersion: string | undefined,
): { body: unknown; contentType: string } {
  if ("json" in patch) {
    const check = { op: "test", path: "/metadata/resourceVersion", value: resourceVersion };
    const body = resourceVersion === undefined ? patch.json : [check, ...patch.json];
    return { body, contentType: "application/json-patch+json" };
  }
  const [body, contentType] =
    "merge" in patch
      ? [patch.merge, "application/merge-patch+json"]
      : [patch.strategic, "application/strategic-merge-patch+json"];
  if (resourceVersion === undefined) return { body, contentType };
  const metadata = (body as { readonly metadata?: object }).metadata;
  return { body: { ...(body as object), metadata: { ...metadata, resourceVersion } }, contentType };
}
