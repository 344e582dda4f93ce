import { type Kind, type UnstructuredObject, kindText, parseApiVersion } from "@bowline/api";
import { NoKindMatchError } from "../errors.ts";
import type { KindRef } from "../kind-like.ts";
import type { Transport } from "../ports/transport.ts";
import type { CallOptions } from "../verb-options.ts";
import { abortable } from "../abortable.ts";
import { type DiscoverySnapshot, loadDiscovery } from "./discovery-cache.ts";

/** A resource by the name it has in paths, or a short or singular name: `{ resource: "deploy" }`. */
export interface ResourceRef {
  readonly group?: string | undefined;
  readonly version?: string | undefined;
  readonly resource: string;
}

/** A kind that discovery found. */
export interface DiscoveredKind extends Kind<UnstructuredObject> {
  /** What the resource allows: `get`, `list`, `watch`, ... */
  readonly verbs: readonly string[];
  /** Names of its subresources: `status`, `scale`. */
  readonly subresources: readonly string[];
}

/** Knows which resource serves a kind, and reverse, by asking the server's discovery when first needed. */
export interface RestMapper {
  /**
   * The kind that a reference names.
   * @throws NoKindMatchError when the server does not serve it, also after looking again
   */
  resourceFor(ref: KindRef, options?: CallOptions): Promise<DiscoveredKind>;
  /**
   * The kind behind a resource name. Without a version the server's preferred one, without a group the first group that
   * has the resource, core first.
   * @throws NoKindMatchError
   */
  kindFor(ref: ResourceRef, options?: CallOptions): Promise<DiscoveredKind>;
  /** Every kind that the server serves now, preferred versions first in their group. */
  kinds(options?: CallOptions): Promise<readonly DiscoveredKind[]>;
  /** Forgets everything; the next question asks the server. */
  reset(): void;
}

/** A mapper on the discovery of one server. */
export function createRestMapper(transport: Transport): RestMapper {
  return new CachedRestMapper(transport);
}

/**
 * Looks in what discovery said last; when that has no match, asks the server once more before it says so. Any number of
 * callers share one load, which none of them can abort for the others.
 */
class CachedRestMapper implements RestMapper {
  readonly #transport: Transport;
  #loading: Promise<DiscoverySnapshot> | undefined;
  #loaded: DiscoverySnapshot | undefined;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  async resourceFor(ref: KindRef, options: CallOptions = {}): Promise<DiscoveredKind> {
    const { group, version } = parseApiVersion(ref.apiVersion);
    const find = async (snapshot: DiscoverySnapshot): Promise<DiscoveredKind | undefined> => {
      const kinds = await abortable(snapshot.groupVersion(group, version), options.signal);
      return kinds.find((kind) => kind.kind === ref.kind);
    };
    const found = await this.#search(find, options);
    if (found !== undefined) return found;
    const text = kindText({ group, version, kind: ref.kind });
    throw new NoKindMatchError(
      `the server does not serve ${text}; is the CRD installed, and this version served?`,
    );
  }

  async kindFor(ref: ResourceRef, options: CallOptions = {}): Promise<DiscoveredKind> {
    const find = async (snapshot: DiscoverySnapshot): Promise<DiscoveredKind | undefined> => {
      const { kinds, failure } = await abortable(snapshot.all(ref.group), options.signal);
      const candidates = kinds.filter((kind) => ref.version === undefined || kind.version === ref.version);
      const found = findByName(candidates, ref.resource);
      // A group that could not be read may hold the resource: that is not the same as its absence.
      if (found === undefined && failure !== undefined) throw failure;
      return found;
    };
    const found = await this.#search(find, options);
    if (found !== undefined) return found;
    const where = [ref.group && `group ${ref.group}`, ref.version && `version ${ref.version}`].filter(
      Boolean,
    );
    const place = where.length === 0 ? "" : ` in ${where.join(", ")}`;
    throw new NoKindMatchError(`the server has no resource ${JSON.stringify(ref.resource)}${place}`);
  }

  async kinds(options: CallOptions = {}): Promise<readonly DiscoveredKind[]> {
    const snapshot = await this.#snapshot(options);
    return (await abortable(snapshot.all(), options.signal)).kinds;
  }

  reset(): void {
    this.#loaded = undefined;
    this.#loading = undefined;
  }

  async #search(
    find: (snapshot: DiscoverySnapshot) => Promise<DiscoveredKind | undefined>,
    options: CallOptions,
  ): Promise<DiscoveredKind | undefined> {
    const known = this.#loaded;
    const found = known === undefined ? undefined : await find(known).catch(() => undefined);
    if (found !== undefined) return found;
    // Somebody else may have loaded a newer snapshot meanwhile: only what was looked at is out of date.
    if (known !== undefined && this.#loaded === known) this.reset();
    return find(await this.#snapshot(options));
  }

  #snapshot(options: CallOptions): Promise<DiscoverySnapshot> {
    if (this.#loaded !== undefined) return Promise.resolve(this.#loaded);
    this.#loading ??= this.#load();
    return abortable(this.#loading, options.signal);
  }

  #load(): Promise<DiscoverySnapshot> {
    const loading = loadDiscovery(this.#transport).then(
      (snapshot) => {
        if (this.#loading === loading) {
          this.#loaded = snapshot;
          this.#loading = undefined;
        }
        return snapshot;
      },
      (error: unknown) => {
        if (this.#loading === loading) this.#loading = undefined;
        throw error;
      },
    );
    return loading;
  }
}

/** Plural names win over singular ones, and those over short ones; earlier groups win over later ones. */
function findByName(kinds: readonly DiscoveredKind[], name: string): DiscoveredKind | undefined {
  const lower = name.toLowerCase();
  return (
    kinds.find((kind) => kind.plural === lower) ??
    kinds.find((kind) => kind.singular === lower) ??
    kinds.find((kind) => kind.shortNames.includes(lower))
  );
}
