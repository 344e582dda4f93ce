import type { DeepReadonly, Status } from "@bowline/api";
import { BoundClient } from "./bound-client.ts";
import { type RestMapper, createRestMapper } from "./discovery/rest-mapper.ts";
import type { ApplyOf, KeyLike, KindLike, ListOf, MergePatchOf, ReadOf, WriteOf } from "./kind-like.ts";
import type { Clock } from "./ports/clock.ts";
import type { Random } from "./ports/random.ts";
import { systemClock } from "./ports/system-clock.ts";
import { systemRandom } from "./ports/system-random.ts";
import type { Transport, WatchEvent } from "./ports/transport.ts";
import type {
  ApplyOptions,
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

/** One change of an object, or a bookmark. A watch's ERROR is thrown as a StatusError instead. */
export type ObjectEvent<T> = Exclude<WatchEvent<T>, { type: "ERROR" }>;

/**
 * An open watch: `for await (const event of await client.watch(Pod))`. The iteration ends when the server ends the watch;
 * it throws StatusError when the server reports an error (`isExpired`: relist) and ConnectionError when the connection
 * breaks. Leaving the iteration closes the watch. Iterate once, either way.
 */
export interface Watch<T> extends AsyncIterable<ObjectEvent<T>> {
  /** The same events in the batches in which they arrived: cheaper for those who keep a store. */
  batches(): AsyncIterable<readonly ObjectEvent<T>[]>;
  /** Ends the watch; the iteration then ends without an error. Safe to call twice. */
  close(): void;
}

/** Reads. */
export interface Reader {
  /**
   * Reads one object.
   * @throws StatusError (`isNotFound` when there is none), ConnectionError, the signal's reason
   */
  get<K extends KindLike>(kind: K, key: KeyLike, options?: GetOptions): Promise<ReadOf<K>>;
  /**
   * Reads one object, or gives undefined when there is none. Throws like `get` otherwise, also NotFound when the kind is
   * not served at all: that is not the absence of one object.
   */
  find<K extends KindLike>(kind: K, key: KeyLike, options?: GetOptions): Promise<ReadOf<K> | undefined>;
  /** Reads a list: everything that matches in one answer, or the first `limit` of them. Throws like `get`. */
  list<K extends KindLike>(kind: K, options?: ListOptions): Promise<ListOf<K>>;
}

/** Writes. Every one answers the object as the server has it then. */
export interface Writer {
  /** @throws StatusError: `isAlreadyExists`, `isInvalid`, ... */
  create<K extends KindLike>(kind: K, object: WriteOf<K>, options?: WriteOptions): Promise<ReadOf<K>>;
  /** Replaces the object. With a `metadata.resourceVersion` the server answers Conflict when it changed meanwhile. */
  update<K extends KindLike>(kind: K, object: WriteOf<K>, options?: WriteOptions): Promise<ReadOf<K>>;
  /** Changes a part: `client.patch(Pod, pod, { merge: { metadata: { labels: { tier: "web" } } } })`. */
  patch<K extends KindLike>(
    kind: K,
    key: KeyLike,
    patch: Patch<MergePatchOf<K>>,
    options?: PatchOptions,
  ): Promise<ReadOf<K>>;
  /**
   * Server-side apply: creates the object or makes it agree with the fields given, which the field manager then owns;
   * fields it owned before and that are no longer given are removed. The best default for controllers.
   * @throws StatusError (`isConflict` when others own a field differently and `force` is not set);
   *   InvalidCallError when neither the call nor the client names a field manager
   */
  apply<K extends KindLike>(kind: K, object: ApplyOf<K>, options?: ApplyOptions): Promise<ReadOf<K>>;
  /**
   * Deletes one object. Answers the object when it stays for a while (finalizers, grace), else a Status.
   * @throws StatusError: `isNotFound`, `isConflict` when a precondition fails
   */
  delete<K extends KindLike>(
    kind: K,
    key: KeyLike,
    options?: DeleteOptions,
  ): Promise<ReadOf<K> | DeepReadonly<Status>>;
  /** Deletes everything that matches, in one namespace (or of a cluster-scoped kind). */
  deleteAllOf<K extends KindLike>(kind: K, options?: DeleteAllOfOptions): Promise<void>;
}

/** What calls of a client use unless they say otherwise. */
export interface ClientDefaults {
  /** The client works in this namespace alone: it fills it in, and refuses any other. Cluster-scoped kinds are not concerned. */
  readonly namespace?: string | undefined;
  readonly fieldManager?: string | undefined;
  readonly fieldValidation?: "Strict" | "Warn" | "Ignore" | undefined;
  /** Nothing this client writes is stored. */
  readonly dryRun?: boolean | undefined;
  /** Called with every warning that the server sends. Default: nothing is done with them. */
  readonly onWarning?: ((text: string, request: WarningContext) => void) | undefined;
}

/** What was asked when the server sent a warning. */
export interface WarningContext {
  readonly method: string;
  readonly path: string;
}

export interface ClientOptions extends ClientDefaults {
  readonly transport: Transport;
  /** For waits between retries. Default: the system's. */
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
  /** Default: a mapper on the transport's discovery. Give one to share it. */
  readonly mapper?: RestMapper | undefined;
}

/**
 * A typed client for one API server. Every verb takes the kind first: a `Kind` value types objects and answers, a
 * reference like `{ apiVersion: "v1", kind: "Pod" }` works on anything the server serves. Objects that come back are
 * frozen and may be shared. Safe for any number of concurrent calls.
 */
export interface Client extends Reader, Writer {
  /** The list in pages. @throws StatusError, `isExpired` when the list took so long that its version is gone */
  pages<K extends KindLike>(kind: K, options?: PageOptions): AsyncIterable<ListOf<K>>;
  /** Opens a watch; resolves when the server accepted it. @throws StatusError, ConnectionError, the signal's reason */
  watch<K extends KindLike>(kind: K, options?: WatchOptions): Promise<Watch<ReadOf<K>>>;
  /** The same client with other defaults: `client.withDefaults({ namespace: "team-a", dryRun: true })`. */
  withDefaults(defaults: ClientDefaults): Client;
  readonly defaults: ClientDefaults;
  readonly mapper: RestMapper;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: Random;
}

/** Makes a client over a transport. It owns nothing: close the transport when done. */
export function createClient(options: ClientOptions): Client {
  const { transport, clock = systemClock, random = systemRandom, ...rest } = options;
  const { mapper = createRestMapper(transport), ...defaults } = rest;
  return new BoundClient({ transport, clock, random, mapper }, defaults);
}
