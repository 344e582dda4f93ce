import type { WatchEvent } from "@bowline/client";
import type { World } from "../controllers/world.ts";

// Objects of every kind go through these tests, and a wrong path in one makes its assertion fail.
// oxlint-disable-next-line typescript/no-explicit-any
type Anything = any;

/** As much of any object as these tests look at. */
export interface Found {
  readonly kind?: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly generation?: number;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly finalizers?: readonly string[];
    readonly ownerReferences?: readonly { readonly name: string; readonly uid: string }[];
    readonly deletionTimestamp?: string;
    readonly remainingItemCount?: number;
    readonly continue?: string;
  };
  readonly spec?: Anything;
  readonly status?: Anything;
  readonly data?: Readonly<Record<string, string>>;
  readonly items?: Anything;
}

export type Sent = { readonly metadata: { readonly name?: string } } & Readonly<Record<string, unknown>>;

const mergePatch = "application/merge-patch+json";

/** Where objects of one resource are, as paths: what a client without knowledge of the kinds would use. */
export class Endpoint {
  readonly base: string;
  readonly groupVersion: string;
  readonly plural: string;
  readonly #world: World;

  /** `gvr` is `group/version/plural`, of the core group `version/plural`. */
  constructor(world: World, gvr: string, namespace?: string) {
    const parts = gvr.split("/");
    this.plural = parts.pop() as string;
    this.groupVersion = parts.join("/");
    const root = parts.length === 1 ? `/api/${this.groupVersion}` : `/apis/${this.groupVersion}`;
    this.base = `${root}${namespace === undefined ? "" : `/namespaces/${namespace}`}/${this.plural}`;
    this.#world = world;
  }

  create(object: Sent, query: Query = {}): Promise<Found> {
    return this.#send("POST", this.base, query, object);
  }

  get(name: string, subresource?: string): Promise<Found> {
    return this.#send("GET", this.#path(name, subresource), {});
  }

  async find(name: string): Promise<Found | undefined> {
    return (await this.list({ fieldSelector: `metadata.name=${name}` })).items[0];
  }

  list(query: Query = {}): Promise<Found> {
    return this.#send("GET", this.base, query);
  }

  update(object: object, subresource?: string, query: Query = {}): Promise<Found> {
    const { name } = (object as Found).metadata;
    return this.#send("PUT", this.#path(name, subresource), query, object);
  }

  patch(name: string, patch: object, subresource?: string, type: string = mergePatch): Promise<Found> {
    return this.#send("PATCH", this.#path(name, subresource), {}, patch, { "content-type": type });
  }

  delete(name: string, options: object = {}): Promise<Found> {
    return this.#send("DELETE", this.#path(name), {}, options);
  }

  deleteCollection(query: Query): Promise<Found> {
    return this.#send("DELETE", this.base, query);
  }

  /** What happens from now on, or from a version on, as `TYPE name`. Ends with the cluster. */
  async watch(query: Query = {}): Promise<WatchEvent[]> {
    const events: WatchEvent[] = [];
    const transport = this.#world.cluster.transport();
    const stream = await transport.watch({
      method: "GET",
      path: this.base,
      query: { ...query, watch: "true" },
    });
    const collect = async (): Promise<void> => {
      for await (const batch of stream) events.push(...batch);
    };
    void collect().catch((error: unknown) => this.#world.errors.push(error));
    return events;
  }

  #path(name: string, subresource?: string): string {
    return `${this.base}/${name}${subresource === undefined ? "" : `/${subresource}`}`;
  }

  async #send(
    method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
    path: string,
    query: Query,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Found> {
    const request = { method, path, query, headers, ...(body === undefined ? {} : { body }) };
    return (await this.#world.cluster.transport().request<Found>(request)).body;
  }
}

type Query = Readonly<Record<string, string>>;

export const typesOf = (events: readonly WatchEvent[]): string[] => events.map((event) => event.type);
