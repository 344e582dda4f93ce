import type { CrdScale } from "../crd/custom-resource-definition.ts";
import type { SchemaRules } from "../cel/schema-rules.ts";
import type { JsonObject } from "../object/object.ts";
import type { FieldError } from "../status/field-error.ts";
import type { StructuralSchema } from "./structural-schema.ts";

export interface CustomResourceCheck {
  readonly schema: StructuralSchema;
  /** The compiled CEL rules of the same schema (`compileSchemaRules`), undefined when it has none. */
  readonly rules?: SchemaRules | undefined;
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly namespaced: boolean;
  /** The scale subresource of the version, if it has one. */
  readonly scale?: CrdScale | undefined;
  /** The whole object: decoded, defaulted, with the metadata that the server has filled in. */
  readonly object: JsonObject;
  /** What is stored, in the same version and defaulted; absent on create. */
  readonly old?: JsonObject | undefined;
  /** `status`: only the status is checked against the schema. */
  readonly subresource?: "status" | undefined;
}

export interface CustomResourceVerdict {
  /** In the server's order; the causes of a 422. */
  readonly errors: readonly FieldError[];
  /** Texts of Warning headers: ratcheted rule failures, finalizer names without a domain. */
  readonly warnings: readonly string[];
}

/**
 * Everything that the server checks of a custom resource before it is stored: type, metadata, schema, scale paths,
 * embedded resources, list types, CEL rules; with ratcheting against `old` on updates.
 * Source: apiextensions-apiserver pkg/registry/customresource (strategy.go, status_strategy.go, validator.go).
 */
export function validateCustomResource(_check: CustomResourceCheck): CustomResourceVerdict {
  throw new Error("in progress");
}
