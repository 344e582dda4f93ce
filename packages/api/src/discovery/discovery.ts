import { compareVersions } from "../crd/crd-versions.ts";
import { apiVersionOf } from "../kind/kind.ts";
import type { ApiResource, ApiSubresource } from "./api-resource.ts";
import { sha256Hex } from "./sha256.ts";

/** The answers of one server's discovery paths. Made once per change of what is served. */
export interface Discovery {
  /** `/api`. */
  readonly core: ApiVersions;
  /** `/apis`, groups in the order of their priority. */
  readonly groups: ApiGroupList;
  /** `/apis/GROUP`. */
  group(name: string): ApiGroup | undefined;
  /** `/apis/GROUP/VERSION`, or `/api/v1` with group `""`. */
  resources(group: string, version: string): ApiResourceList | undefined;
  /** `/apis` or, with `core: true`, `/api` as one document; `etag` is without quotes. */
  aggregated(options: { core: boolean; version: "v2" | "v2beta1" }): AggregatedDiscovery;
}

export interface ApiVersions {
  readonly kind: "APIVersions";
  readonly versions: readonly string[];
  readonly serverAddressByClientCIDRs: readonly {
    readonly clientCIDR: string;
    readonly serverAddress: string;
  }[];
}

export interface ApiGroup {
  readonly kind?: "APIGroup";
  readonly apiVersion?: "v1";
  readonly name: string;
  readonly versions: readonly GroupVersionText[];
  readonly preferredVersion: GroupVersionText;
}

export interface GroupVersionText {
  readonly groupVersion: string;
  readonly version: string;
}

export interface ApiGroupList {
  readonly kind: "APIGroupList";
  readonly apiVersion: "v1";
  readonly groups: readonly ApiGroup[];
}

export interface ApiResourceList {
  readonly kind: "APIResourceList";
  readonly apiVersion: "v1";
  readonly groupVersion: string;
  readonly resources: readonly ApiResourceEntry[];
}

export interface ApiResourceEntry {
  readonly name: string;
  readonly singularName: string;
  readonly namespaced: boolean;
  readonly group?: string;
  readonly version?: string;
  readonly kind: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly storageVersionHash?: string;
}

export interface AggregatedDiscovery {
  /** `application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList`. */
  readonly mediaType: string;
  readonly etag: string;
  readonly body: unknown;
}

/**
 * The documents for what is served. Groups keep the order in which they first appear (built-in ones by priority, then custom
 * ones by name); the versions of a group are put into the order of `compareVersions`, the first being the preferred one.
 * Resources keep their order within a version.
 */
export function buildDiscovery(resources: readonly ApiResource[]): Discovery {
  const groups = groupsOf(resources);
  const named = new Map<string, ApiGroup>();
  const lists = new Map<string, ApiResourceList>();
  for (const group of groups) {
    if (group.name !== "") named.set(group.name, apiGroup(group));
    for (const [version, served] of group.versions) {
      lists.set(`${group.name}/${version}`, resourceList(apiVersionOf(group.name, version), served));
    }
  }
  const aggregated = new Map<string, AggregatedDiscovery>();
  return {
    core: {
      kind: "APIVersions",
      versions: [...(groups.find((group) => group.name === "")?.versions.keys() ?? [])],
      serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress: "" }],
    },
    groups: { kind: "APIGroupList", apiVersion: "v1", groups: [...named.values()].map(withoutTypeMeta) },
    group: (name) => named.get(name),
    resources: (group, version) => lists.get(`${group}/${version}`),
    aggregated({ core, version }) {
      const key = `${version} ${core}`;
      const document = aggregated.get(key) ?? aggregate(groups, core, version);
      aggregated.set(key, document);
      return document;
    },
  };
}

interface ServedGroup {
  readonly name: string;
  /** In the order of preference. */
  readonly versions: ReadonlyMap<string, readonly ApiResource[]>;
}

function groupsOf(resources: readonly ApiResource[]): ServedGroup[] {
  const groups = new Map<string, Map<string, ApiResource[]>>();
  for (const resource of resources) {
    const versions = groups.get(resource.group) ?? new Map<string, ApiResource[]>();
    groups.set(resource.group, versions);
    const served = versions.get(resource.version);
    if (served === undefined) versions.set(resource.version, [resource]);
    else served.push(resource);
  }
  return [...groups].map(([name, versions]) => ({
    name,
    versions: new Map([...versions].sort(([a], [b]) => compareVersions(a, b))),
  }));
}

function apiGroup(group: ServedGroup): ApiGroup {
  const versions = [...group.versions.keys()].map((version) => ({
    groupVersion: apiVersionOf(group.name, version),
    version,
  }));
  const preferredVersion = versions[0] ?? { groupVersion: group.name, version: "" };
  return { kind: "APIGroup", apiVersion: "v1", name: group.name, versions, preferredVersion };
}

/** A group inside a list says neither kind nor apiVersion. */
function withoutTypeMeta({ name, versions, preferredVersion }: ApiGroup): ApiGroup {
  return { name, versions, preferredVersion };
}

function resourceList(groupVersion: string, served: readonly ApiResource[]): ApiResourceList {
  const resources = served.flatMap((resource) => [
    {
      name: resource.plural,
      singularName: resource.singular,
      namespaced: resource.namespaced,
      kind: resource.kind,
      verbs: resource.verbs,
      ...namesOf(resource),
      ...(resource.storageVersionHash === undefined
        ? {}
        : { storageVersionHash: resource.storageVersionHash }),
    },
    ...resource.subresources.map((subresource) => subresourceEntry(resource, subresource)),
  ]);
  return { kind: "APIResourceList", apiVersion: "v1", groupVersion, resources };
}

function subresourceEntry(resource: ApiResource, { name, kind, verbs }: ApiSubresource): ApiResourceEntry {
  const foreign = kind.group !== resource.group || kind.version !== resource.version;
  return {
    name: `${resource.plural}/${name}`,
    singularName: "",
    namespaced: resource.namespaced,
    ...(foreign ? { group: kind.group, version: kind.version } : {}),
    kind: kind.kind,
    verbs,
  };
}

function namesOf(resource: ApiResource): { shortNames?: readonly string[]; categories?: readonly string[] } {
  return {
    ...(resource.shortNames.length === 0 ? {} : { shortNames: resource.shortNames }),
    ...(resource.categories.length === 0 ? {} : { categories: resource.categories }),
  };
}

function aggregate(
  groups: readonly ServedGroup[],
  core: boolean,
  version: "v2" | "v2beta1",
): AggregatedDiscovery {
  const hashes: string[] = [version];
  const items = groups
    .filter((group) => (group.name === "") === core)
    .map((group) => ({
      metadata: group.name === "" ? {} : { name: group.name },
      versions: [...group.versions].map(([name, served]) => {
        const resources = served.map(aggregatedResource);
        hashes.push(`${group.name}/${name}`, ...resources.map(({ hash }) => hash));
        return { version: name, resources: resources.map(({ entry }) => entry), freshness: "Current" };
      }),
    }));
  const body = {
    kind: "APIGroupDiscoveryList",
    apiVersion: `apidiscovery.k8s.io/${version}`,
    metadata: {},
    items,
  };
  return {
    mediaType: `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`,
    etag: sha256Hex(hashes.join(" ")),
    body,
  };
}

/** A resource in the aggregated form, and a hash of it: short, since many of them are hashed again. */
interface AggregatedResource {
  readonly entry: Readonly<Record<string, unknown>>;
  readonly hash: string;
}

/** Resources never change: most of them are those of every server. */
const aggregatedResources = new WeakMap<ApiResource, AggregatedResource>();

function aggregatedResource(resource: ApiResource): AggregatedResource {
  let made = aggregatedResources.get(resource);
  if (made === undefined) {
    const entry = aggregatedEntry(resource);
    aggregatedResources.set(
      resource,
      (made = { entry, hash: sha256Hex(JSON.stringify(entry)).slice(0, 16) }),
    );
  }
  return made;
}

function aggregatedEntry(resource: ApiResource): Record<string, unknown> {
  const { group, version, kind } = resource;
  const subresources = resource.subresources.map((subresource) => ({
    subresource: subresource.name,
    responseKind: subresource.kind,
    verbs: subresource.verbs,
  }));
  return {
    resource: resource.plural,
    responseKind: { group, version, kind },
    scope: resource.namespaced ? "Namespaced" : "Cluster",
    singularResource: resource.singular,
    verbs: resource.verbs,
    ...namesOf(resource),
    ...(subresources.length === 0 ? {} : { subresources }),
  };
}
