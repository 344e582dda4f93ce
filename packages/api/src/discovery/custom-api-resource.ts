import type { ApiResource, ApiSubresource } from "./api-resource.ts";
import { base64, sha256 } from "./sha256.ts";

/** The parts of a CustomResourceDefinition that say how one of its versions is published. */
export interface PublishedCustomResource {
  readonly group: string;
  readonly scope: "Namespaced" | "Cluster" | (string & {});
  /** The accepted names (`status.acceptedNames`). */
  readonly names: {
    readonly plural: string;
    readonly singular?: string;
    readonly kind: string;
    readonly listKind?: string;
    readonly shortNames?: readonly string[];
    readonly categories?: readonly string[];
  };
  readonly version: {
    readonly name: string;
    readonly subresources?: { readonly status?: unknown; readonly scale?: unknown };
  };
  /** The version that is stored; absent when that one is not served, and then nothing is said about it. */
  readonly storageVersion?: string;
  /** True while the CRD is being deleted: nothing can be written any more. */
  readonly terminating?: boolean;
}

const verbs = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];
const verbsWhileTerminating = ["delete", "deletecollection", "get", "list", "watch"];
const subresourceVerbs = ["get", "patch", "update"];

/**
 * How discovery lists one version of a custom resource.
 * Source: apiextensions-apiserver pkg/apiserver (customresource_discovery_controller.go).
 */
export function customApiResource(published: PublishedCustomResource): ApiResource {
  const { group, names, storageVersion, version } = published;
  const hash =
    storageVersion === undefined ? undefined : storageVersionHash(group, storageVersion, names.kind);
  return {
    group,
    version: version.name,
    plural: names.plural,
    singular: names.singular ?? "",
    kind: names.kind,
    listKind: names.listKind ?? `${names.kind}List`,
    namespaced: published.scope === "Namespaced",
    verbs: published.terminating === true ? verbsWhileTerminating : verbs,
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    subresources: subresourcesOf(published),
    ...(hash === undefined ? {} : { storageVersionHash: hash }),
  };
}

function subresourcesOf({ group, names, version }: PublishedCustomResource): ApiSubresource[] {
  const out: ApiSubresource[] = [];
  if (version.subresources?.status !== undefined) {
    out.push({
      name: "status",
      kind: { group, version: version.name, kind: names.kind },
      verbs: subresourceVerbs,
    });
  }
  if (version.subresources?.scale !== undefined) {
    out.push({
      name: "scale",
      kind: { group: "autoscaling", version: "v1", kind: "Scale" },
      verbs: subresourceVerbs,
    });
  }
  return out;
}

/** Opaque text that changes with the stored version of a kind. Source: apiserver pkg/endpoints/discovery (storageversionhash.go). */
export function storageVersionHash(group: string, version: string, kind: string): string {
  return base64(sha256(`${group}/${version}/${kind}`).subarray(0, 8));
}
