import type { ApiResource } from "../discovery/api-resource.ts";
import type { JsonSchema } from "../schema/json-schema.ts";

/** A resource to be described: a built-in one (schemas come from the generated tables) or a custom one with its schema. */
export interface OpenApiKind {
  readonly resource: ApiResource;
  /** For a custom resource: its version's schema as the CRD holds it. */
  readonly custom?: {
    readonly schema?: JsonSchema;
    readonly selectableFields?: readonly { readonly jsonPath: string }[];
    readonly deprecated?: boolean;
  };
}
