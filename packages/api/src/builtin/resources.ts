import type { ApiResource } from "../discovery/api-resource.ts";

/** A built-in resource. */
export interface BuiltinResource extends ApiResource {
  /** False for alpha and beta versions, which a real server serves only when told to (`--runtime-config`). */
  readonly servedByDefault: boolean;
}

/** Every built-in resource of Kubernetes 1.35, groups and versions in the order of their priority. */
export const builtinResources: readonly BuiltinResource[] = [];
