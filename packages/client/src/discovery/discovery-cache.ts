import { type DeepReadonly, apiVersionOf, isNotFound } from "@bowline/api";
import type { Transport } from "../ports/transport.ts";
import type { DiscoveredKind } from "./rest-mapper.ts";

/** What a server's discovery said at one time. */
export interface DiscoverySnapshot {
  /** The kinds of one group version; none when it is not served. @throws when it is served but could not be read */
  groupVersion(group: string, version: string): Promise<readonly DiscoveredKind[]>;
  /**
   * The kinds of a group (of every group when none is named), groups and their versions in the server's order of
   * preference. `failure` is why some of them could not be read.
   */
  all(group?: string): Promise<{ readonly kinds: readonly DiscoveredKind[]; readonly failure?: unknown }>;
}

const form = (version: string): string =>
  `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;
const accept = `${form("v2")},${form("v2beta1")},application/json`;

/**
 * Reads the discovery of a server: two requests when it serves the aggregated form, and otherwise the list of groups, each
 * of which is then read when it is first asked for. Source: client-go discovery/aggregated_discovery.go.
 */
export async function loadDiscovery(transport: Transport): Promise<DiscoverySnapshot> {
  const [core, groups] = await Promise.all([read(transport, "/api"), read(transport, "/apis")]);
  return new Snapshot(transport, [...groupsOf(core), ...groupsOf(groups)]);
}

type Root = DeepReadonly<AggregatedRoot | LegacyVersions | LegacyGroups>;

async function read(transport: Transport, path: string): Promise<Root> {
  const response = await transport.request<Root>({ method: "GET", path, headers: { accept } });
  return response.body;
}

/** One version of a group, perhaps not read yet. */
interface VersionEntry {
  readonly group: string;
  readonly version: string;
  /** Known from the aggregated form, unless the server itself could not read it. */
  readonly known?: readonly DiscoveredKind[];
}

class Snapshot implements DiscoverySnapshot {
  readonly #transport: Transport;
  readonly #versions: readonly VersionEntry[];
  readonly #read = new Map<VersionEntry, Promise<readonly DiscoveredKind[]>>();

  constructor(transport: Transport, versions: readonly VersionEntry[]) {
    this.#transport = transport;
    this.#versions = versions;
  }

  async groupVersion(group: string, version: string): Promise<readonly DiscoveredKind[]> {
    const entry = this.#versions.find((one) => one.group === group && one.version === version);
    return entry === undefined ? [] : this.#kinds(entry);
  }

  async all(group?: string): Promise<{ kinds: readonly DiscoveredKind[]; failure?: unknown }> {
    const entries = this.#versions.filter((entry) => group === undefined || entry.group === group);
    const results = await Promise.allSettled(entries.map((entry) => this.#kinds(entry)));
    const kinds = results.flatMap((result) => (result.status === "fulfilled" ? result.value : []));
    const failed = results.find((result) => result.status === "rejected");
    return { kinds, ...(failed !== undefined && { failure: failed.reason as unknown }) };
  }

  #kinds(entry: VersionEntry): Promise<readonly DiscoveredKind[]> {
    if (entry.known !== undefined) return Promise.resolve(entry.known);
    let reading = this.#read.get(entry);
    if (reading === undefined) {
      reading = readVersion(this.#transport, entry);
      this.#read.set(entry, reading);
      reading.catch(() => this.#read.delete(entry));
    }
    return reading;
  }
}

async function readVersion(transport: Transport, entry: VersionEntry): Promise<readonly DiscoveredKind[]> {
  const path = entry.group === "" ? `/api/${entry.version}` : `/apis/${entry.group}/${entry.version}`;
  try {
    const { body } = await transport.request<DeepReadonly<LegacyResources>>({ method: "GET", path });
    return legacyKinds(entry, body);
  } catch (error) {
    // The group went away after the list of groups was read.
    if (isNotFound(error)) return [];
    throw error;
  }
}

interface AggregatedRoot {
  kind: "APIGroupDiscoveryList";
  items?: AggregatedGroup[];
}

interface AggregatedGroup {
  metadata?: { name?: string };
  versions?: { version: string; freshness?: "Current" | "Stale"; resources?: AggregatedResource[] }[];
}

interface AggregatedResource {
  resource: string;
  responseKind?: { kind?: string };
  scope: "Namespaced" | "Cluster";
  singularResource?: string;
  verbs?: string[];
  shortNames?: string[];
  categories?: string[];
  subresources?: { subresource: string }[];
}

interface LegacyVersions {
  kind: "APIVersions";
  versions?: string[];
}

interface LegacyGroups {
  kind: "APIGroupList";
  groups?: { name: string; versions: { version: string }[]; preferredVersion?: { version: string } }[];
}

interface LegacyResources {
  resources?: {
    name: string;
    singularName?: string;
    namespaced: boolean;
    kind: string;
    verbs?: string[];
    shortNames?: string[];
    categories?: string[];
  }[];
}

function groupsOf(root: Root): VersionEntry[] {
  switch (root.kind) {
    case "APIGroupDiscoveryList":
      return (root.items ?? []).flatMap(aggregatedVersions);
    case "APIVersions":
      return (root.versions ?? []).map((version) => ({ group: "", version }));
    case "APIGroupList":
      return (root.groups ?? []).flatMap((group) => {
        const preferred = group.preferredVersion?.version;
        const names = group.versions.map((one) => one.version);
        const ordered =
          preferred === undefined ? names : [preferred, ...names.filter((name) => name !== preferred)];
        return ordered.map((version) => ({ group: group.name, version }));
      });
  }
}

function aggregatedVersions(group: DeepReadonly<AggregatedGroup>): VersionEntry[] {
  const name = group.metadata?.name ?? "";
  return (group.versions ?? []).map(({ version, freshness, resources = [] }) => {
    // Stale: the server could not reach whoever serves this version. Asking for it directly gives the reason.
    if (freshness === "Stale" && resources.length === 0) return { group: name, version };
    return {
      group: name,
      version,
      known: resources.map((resource) => aggregatedKind(name, version, resource)),
    };
  });
}

function aggregatedKind(
  group: string,
  version: string,
  resource: DeepReadonly<AggregatedResource>,
): DiscoveredKind {
  return discoveredKind(group, version, {
    kind: resource.responseKind?.kind ?? "",
    plural: resource.resource,
    singular: resource.singularResource,
    isNamespaced: resource.scope === "Namespaced",
    verbs: resource.verbs,
    shortNames: resource.shortNames,
    categories: resource.categories,
    subresources: (resource.subresources ?? []).map((one) => one.subresource),
  });
}

function legacyKinds(entry: VersionEntry, body: DeepReadonly<LegacyResources>): DiscoveredKind[] {
  const resources = body.resources ?? [];
  return resources
    .filter((resource) => !resource.name.includes("/"))
    .map((resource) =>
      discoveredKind(entry.group, entry.version, {
        kind: resource.kind,
        plural: resource.name,
        singular: resource.singularName,
        isNamespaced: resource.namespaced,
        verbs: resource.verbs,
        shortNames: resource.shortNames,
        categories: resource.categories,
        subresources: resources
          .filter((other) => other.name.startsWith(`${resource.name}/`))
          .map((other) => other.name.slice(resource.name.length + 1)),
      }),
    );
}

interface Found {
  readonly kind: string;
  readonly plural: string;
  readonly singular: string | undefined;
  readonly isNamespaced: boolean;
  readonly verbs: readonly string[] | undefined;
  readonly shortNames: readonly string[] | undefined;
  readonly categories: readonly string[] | undefined;
  readonly subresources: readonly string[];
}

function discoveredKind(group: string, version: string, found: Found): DiscoveredKind {
  return {
    group,
    version,
    apiVersion: apiVersionOf(group, version),
    kind: found.kind,
    listKind: `${found.kind}List`,
    plural: found.plural,
    singular: found.singular || found.kind.toLowerCase(),
    shortNames: found.shortNames ?? [],
    categories: found.categories ?? [],
    scope: found.isNamespaced ? "Namespaced" : "Cluster",
    verbs: found.verbs ?? [],
    subresources: found.subresources,
  };
}
