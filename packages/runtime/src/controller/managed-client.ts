import type { DeepReadonly, KubeObject, Status } from "@bowline/api";
import type {
  ApplyOf,
  ApplyOptions,
  CallOptions,
  Client,
  ClientDefaults,
  Clock,
  DeleteAllOfOptions,
  DeleteOptions,
  GetOptions,
  KeyLike,
  KindLike,
  ListOf,
  ListOptions,
  MergePatchOf,
  PageOptions,
  Patch,
  PatchOptions,
  Random,
  ReadOf,
  RestMapper,
  Transport,
  Watch,
  WatchOptions,
  WriteOf,
  WriteOptions,
} from "@bowline/client";
import type { InformerCache } from "../cache/cache.ts";
import type { Term } from "../manager/term.ts";

/**
 * A client whose writes the cache waits for, and whose writes stop when the term of its owner is over: nothing that a
 * former leader still does can reach the server through it.
 */
export class ManagedClient implements Client {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: Random;
  readonly mapper: RestMapper;
  readonly defaults: ClientDefaults;
  readonly #inner: Client;
  readonly #cache: InformerCache;
  readonly #term: Term | undefined;

  constructor(inner: Client, cache: InformerCache, term?: Term) {
    this.#inner = inner;
    this.#cache = cache;
    this.#term = term;
    this.transport = inner.transport;
    this.clock = inner.clock;
    this.random = inner.random;
    this.mapper = inner.mapper;
    this.defaults = inner.defaults;
  }

  withDefaults(defaults: ClientDefaults): ManagedClient {
    return new ManagedClient(this.#inner.withDefaults(defaults), this.#cache, this.#term);
  }

  /** The same client, whose writes are refused once the term is over. */
  forTerm(term: Term): ManagedClient {
    return new ManagedClient(this.#inner, this.#cache, term);
  }

  get<K extends KindLike>(kind: K, key: KeyLike, options?: GetOptions): Promise<ReadOf<K>> {
    return this.#inner.get(kind, key, this.#inTerm(options));
  }

  find<K extends KindLike>(kind: K, key: KeyLike, options?: GetOptions): Promise<ReadOf<K> | undefined> {
    return this.#inner.find(kind, key, this.#inTerm(options));
  }

  list<K extends KindLike>(kind: K, options?: ListOptions): Promise<ListOf<K>> {
    return this.#inner.list(kind, this.#inTerm(options));
  }

  pages<K extends KindLike>(kind: K, options?: PageOptions): AsyncIterable<ListOf<K>> {
    return this.#inner.pages(kind, this.#inTerm(options));
  }

  watch<K extends KindLike>(kind: K, options?: WatchOptions): Promise<Watch<ReadOf<K>>> {
    return this.#inner.watch(kind, this.#inTerm(options));
  }

  create<K extends KindLike>(kind: K, object: WriteOf<K>, options: WriteOptions = {}): Promise<ReadOf<K>> {
    return this.#write(kind, options, () => this.#inner.create(kind, object, this.#inTerm(options)));
  }

  update<K extends KindLike>(kind: K, object: WriteOf<K>, options: WriteOptions = {}): Promise<ReadOf<K>> {
    return this.#write(kind, options, () => this.#inner.update(kind, object, this.#inTerm(options)));
  }

  patch<K extends KindLike>(
    kind: K,
    key: KeyLike,
    patch: Patch<MergePatchOf<K>>,
    options: PatchOptions = {},
  ): Promise<ReadOf<K>> {
    return this.#write(kind, options, () => this.#inner.patch(kind, key, patch, this.#inTerm(options)));
  }

  apply<K extends KindLike>(kind: K, object: ApplyOf<K>, options: ApplyOptions = {}): Promise<ReadOf<K>> {
    return this.#write(kind, options, () => this.#inner.apply(kind, object, this.#inTerm(options)));
  }

  async delete<K extends KindLike>(
    kind: K,
    key: KeyLike,
    options: DeleteOptions = {},
  ): Promise<ReadOf<K> | DeepReadonly<Status>> {
    this.#term?.throwIfOver();
    const answer = await this.#inner.delete(kind, key, this.#inTerm(options));
    if (this.#isDryRun(options)) return answer;
    const object = answer as DeepReadonly<KubeObject>;
    // an object that stays for a while has been changed; anything else says that it is gone
    if (object.kind !== "Status" && object.metadata?.deletionTimestamp !== undefined && staysFor(object)) {
      this.#cache.noteWrite(kind, object);
    } else {
      this.#cache.noteDelete(kind, storeKeyOf(key), uidIn(answer));
    }
    return answer;
  }

  async deleteAllOf<K extends KindLike>(kind: K, options?: DeleteAllOfOptions): Promise<void> {
    this.#term?.throwIfOver();
    await this.#inner.deleteAllOf(kind, this.#inTerm(options));
  }

  async #write<K extends KindLike>(
    kind: K,
    options: WriteOptions,
    send: () => Promise<ReadOf<K>>,
  ): Promise<ReadOf<K>> {
    this.#term?.throwIfOver();
    const answer = await send();
    const isOfKind = options.subresource === undefined || options.subresource === "status";
    if (isOfKind && !this.#isDryRun(options)) {
      this.#cache.noteWrite(kind, answer as unknown as DeepReadonly<KubeObject>);
    }
    return answer;
  }

  /** Calls end with the term: one that hangs must not keep a former leader from standing again. */
  #inTerm<O extends CallOptions>(options: O | undefined): O {
    if (this.#term === undefined || options?.signal !== undefined) return (options ?? {}) as O;
    return { ...options, signal: this.#term.signal } as O;
  }

  #isDryRun(options: { readonly dryRun?: boolean | undefined }): boolean {
    return options.dryRun ?? this.defaults.dryRun ?? false;
  }
}

function staysFor(object: DeepReadonly<KubeObject>): boolean {
  return (
    (object.metadata.finalizers?.length ?? 0) > 0 || (object.metadata.deletionGracePeriodSeconds ?? 0) > 0
  );
}

function storeKeyOf(key: KeyLike): string {
  const { namespace, name } = "metadata" in key ? key.metadata : key;
  return `${namespace ?? ""}/${name ?? ""}`;
}

/** The uid that a delete's answer names: of the object itself, or in the details of a Status. */
function uidIn(answer: unknown): string | undefined {
  const { metadata, details } = answer as { metadata?: { uid?: string }; details?: { uid?: string } };
  return metadata?.uid ?? details?.uid;
}
