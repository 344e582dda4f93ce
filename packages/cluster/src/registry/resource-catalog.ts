import { type ApiResource, type Discovery, buildDiscovery } from "@bowline/api";
import {
  type OpenApiKind,
  type OpenApiV2Document,
  type OpenApiV3Document,
  buildOpenApiV2,
  buildOpenApiV3,
  openApiV3Hash,
} from "@bowline/api/catalog";
import type { Resource } from "./resource.ts";

/**
 * Everything that is served at the moment: built-in resources and those of CustomResourceDefinitions. Discovery and
 * OpenAPI documents are made from it on first need after a change.
 */
export class ResourceCatalog {
  readonly #resources = new Map<string, Resource>();
  #published: readonly ApiResource[] = [];
  #discovery: Discovery | undefined;
  #openApiV2: { readonly document: OpenApiV2Document; readonly etag: string } | undefined;
  readonly #openApiV3 = new Map<string, OpenApiV3Document>();
  #groupVersions:
    | readonly { readonly group: string; readonly version: string; readonly hash: string }[]
    | undefined;

  find(group: string, version: string, plural: string): Resource | undefined {
    return this.#resources.get(`${group}/${version}/${plural}`);
  }

  /** The resource of a kind, for owners and other references by kind. */
  findKind(group: string, version: string, kind: string): Resource | undefined {
    for (const resource of this.#resources.values()) {
      const { api } = resource;
      if (api.group === group && api.version === version && api.kind === kind) return resource;
    }
    return undefined;
  }

  /** Every served version of every resource. */
  all(): Resource[] {
    return [...this.#resources.values()];
  }

  /** Serves these, replacing what was served under the same names. */
  add(resources: readonly Resource[]): void {
    for (const resource of resources) this.#resources.set(keyOf(resource), resource);
    this.#changed();
  }

  /** Lists in discovery what others answer for: nothing of it is found here. Replaces what was published before. */
  publish(resources: readonly ApiResource[]): void {
    this.#published = resources;
    this.#changed();
  }

  /** Stops serving these. */
  remove(resources: readonly Resource[]): void {
    for (const resource of resources) {
      if (this.#resources.get(keyOf(resource)) === resource) this.#resources.delete(keyOf(resource));
    }
    this.#changed();
  }

  get discovery(): Discovery {
    this.#discovery ??= buildDiscovery([...this.all().map((r) => r.api), ...this.#published]);
    return this.#discovery;
  }

  /** The whole OpenAPI v2 document, with a tag that changes with it. */
  get openApiV2(): { readonly document: OpenApiV2Document; readonly etag: string } {
    this.#openApiV2 ??= {
      document: buildOpenApiV2(this.all().map((r) => r.openapi)),
      etag: this.openApiGroupVersions.map((gv) => gv.hash.slice(0, 8)).join(""),
    };
    return this.#openApiV2;
  }

  get openApiGroupVersions(): readonly {
    readonly group: string;
    readonly version: string;
    readonly hash: string;
  }[] {
    this.#groupVersions ??= [...this.#kindsByGroupVersion()].map(([key, kinds]) => {
      const [group = "", version = ""] = key.split(" ");
      return { group, version, hash: openApiV3Hash(kinds) };
    });
    return this.#groupVersions;
  }

  /** The OpenAPI v3 document of one group and version. */
  openApiV3(group: string, version: string): OpenApiV3Document | undefined {
    const key = `${group} ${version}`;
    const known = this.#openApiV3.get(key);
    if (known !== undefined) return known;
    const kinds = this.#kindsByGroupVersion().get(key);
    if (kinds === undefined) return undefined;
    const document = buildOpenApiV3(kinds);
    this.#openApiV3.set(key, document);
    return document;
  }

  #kindsByGroupVersion(): Map<string, OpenApiKind[]> {
    const kinds = new Map<string, OpenApiKind[]>();
    for (const { api, openapi } of this.#resources.values()) {
      const key = `${api.group} ${api.version}`;
      const list = kinds.get(key);
      if (list === undefined) kinds.set(key, [openapi]);
      else list.push(openapi);
    }
    return kinds;
  }

  #changed(): void {
    this.#discovery = undefined;
    this.#openApiV2 = undefined;
    this.#openApiV3.clear();
    this.#groupVersions = undefined;
  }
}

function keyOf({ api }: Resource): string {
  return `${api.group}/${api.version}/${api.plural}`;
}
