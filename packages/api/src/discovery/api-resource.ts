/** Which kind a path speaks, in which group and version. */
export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** A subresource of a resource: `status`, `scale`, `log`. */
export interface ApiSubresource {
  readonly name: string;
  /** The kind it speaks, which may be of another group: scale is `autoscaling/v1, Kind=Scale`. */
  readonly kind: GroupVersionKind;
  /** As discovery lists them: `["get", "patch", "update"]`. */
  readonly verbs: readonly string[];
}

/**
 * One resource of one group and version, as discovery, OpenAPI and the router need it. Built-in ones come from
 * `builtinResources`, those of a CustomResourceDefinition from `customApiResource`. Treated as immutable: what is built
 * from a resource is cached under its identity.
 */
export interface ApiResource {
  /** `""` for the core group. */
  readonly group: string;
  readonly version: string;
  /** `deployments`. */
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly namespaced: boolean;
  /** In the order in which the real server lists them. */
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly subresources: readonly ApiSubresource[];
  /** Absent when nothing is stored (reviews, bindings). */
  readonly storageVersionHash?: string;
}

/** A built-in resource. */
export interface BuiltinResource extends ApiResource {
  /** False for alpha and beta versions, which a real server serves only when told to (`--runtime-config`). */
  readonly servedByDefault: boolean;
}
