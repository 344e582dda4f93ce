import type { ApiResource } from "./api-resource.ts";

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
  readonly serverAddressByClientCIDRs: readonly { readonly clientCIDR: string; readonly serverAddress: string }[];
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

/** @param resources everything served, in any order */
export function buildDiscovery(resources: readonly ApiResource[]): Discovery {
  throw new Error(`not built yet (${resources.length})`);
}
