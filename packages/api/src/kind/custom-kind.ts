import type { CrdVersion } from "../crd/custom-resource-definition.ts";
import type { KubeObject } from "../object/object.ts";
import type { JsonSchema } from "../schema/json-schema.ts";
import type { Kind } from "./kind.ts";
import type { AnyZodSchema } from "./kind-definition.ts";

/**
 * A kind made by `defineKind`: beside what every kind has, its structural schema and all else that its
 * CustomResourceDefinition needs (`crdManifest`). Frozen at every depth, except for the Zod schemas.
 */
export interface CustomKind<Read extends KubeObject = KubeObject, Create = Read> extends Kind<Read, Create> {
  /** The structural schema of the whole object, as the CustomResourceDefinition holds it. */
  readonly schema: JsonSchema;
  /** The kind's entry in `spec.versions` of the CustomResourceDefinition, with `storage: true`. */
  readonly crdVersion: CrdVersion;
  /** Metadata for the CustomResourceDefinition. */
  readonly crdMetadata: {
    readonly annotations: Readonly<Record<string, string>>;
    readonly labels: Readonly<Record<string, string>>;
  };
  /** The Zod schemas that the kind was defined with, to parse parts of objects outside of a server. */
  readonly zod: { readonly spec: AnyZodSchema | undefined; readonly status: AnyZodSchema | undefined };
}

/** A kind made by `defineKind`, of any type. */
export type AnyCustomKind = CustomKind<KubeObject, unknown>;
