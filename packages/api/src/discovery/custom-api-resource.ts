import type { ApiResource } from "./api-resource.ts";

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
  /** Name of the version that is stored. */
  readonly storageVersion: string;
}

/** How discovery lists one version of a custom resource. Source: apiextensions-apiserver customresource_discovery_controller.go. */
export function customApiResource(published: PublishedCustomResource): ApiResource {
  throw new Error(`not built yet (${published.group})`);
}
