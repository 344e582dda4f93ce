import type { ApiResource } from "../discovery/api-resource.ts";
import type { JsonSchema } from "../schema/json-schema.ts";
import type { DeepReadonly } from "../object/object.ts";

/**
 * A resource to be described: a built-in one (its schemas come from the generated tables) or one version of a custom resource
 * with its schema. Immutable: what is built from it is cached under its identity, so keep the object for as long as the
 * resource does not change.
 */
export interface OpenApiKind {
  readonly resource: ApiResource;
  /** Present for a custom resource. */
  readonly custom?: {
    /** The version's `schema.openAPIV3Schema` as the CRD holds it. */
    readonly schema?: DeepReadonly<JsonSchema>;
    readonly selectableFields?: readonly { readonly jsonPath: string }[];
  };
}

/** `#/definitions/NAME` names of the kind and its list: `com.example.v1.Kettle` for a custom one. */
export function customDefinitionName(group: string, version: string, kind: string): string {
  return `${group.split(".").reverse().join(".")}.${version}.${kind}`;
}
