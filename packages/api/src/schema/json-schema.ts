import type { Json } from "../object/object.ts";

/**
 * A schema as a CustomResourceDefinition holds it (`openAPIV3Schema`), which is also the shape of the built-in kinds'
 * OpenAPI definitions; only the latter use `$ref`. Source: apiextensions/v1 JSONSchemaProps.
 */
export interface JsonSchema {
  $ref?: string;
  type?: "object" | "array" | "string" | "integer" | "number" | "boolean" | (string & {});
  format?: string;
  title?: string;
  description?: string;
  default?: Json;
  example?: Json;
  externalDocs?: { description?: string; url?: string };
  nullable?: boolean;
  enum?: Json[];
  maximum?: number;
  exclusiveMaximum?: boolean;
  minimum?: number;
  exclusiveMinimum?: boolean;
  multipleOf?: number;
  maxLength?: number;
  minLength?: number;
  pattern?: string;
  maxItems?: number;
  minItems?: number;
  uniqueItems?: boolean;
  maxProperties?: number;
  minProperties?: number;
  required?: string[];
  items?: JsonSchema | JsonSchema[];
  properties?: Record<string, JsonSchema>;
  additionalProperties?: JsonSchema | boolean;
  allOf?: JsonSchema[];
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  not?: JsonSchema;
  "x-kubernetes-preserve-unknown-fields"?: boolean;
  "x-kubernetes-embedded-resource"?: boolean;
  "x-kubernetes-int-or-string"?: boolean;
  "x-kubernetes-list-type"?: "atomic" | "set" | "map" | (string & {});
  "x-kubernetes-list-map-keys"?: string[];
  "x-kubernetes-map-type"?: "granular" | "atomic" | (string & {});
  "x-kubernetes-validations"?: ValidationRule[];
  /** Not supported in a CRD; listed so that a CRD which has them can be refused. */
  id?: string;
  $schema?: string;
  patternProperties?: Record<string, JsonSchema>;
  dependencies?: Record<string, JsonSchema | string[]>;
  additionalItems?: JsonSchema | boolean;
  definitions?: Record<string, JsonSchema>;
  "x-kubernetes-patch-strategy"?: string;
  "x-kubernetes-patch-merge-key"?: string;
}

/** The schema of all items; undefined when there is none, or one per position (which only built-in tools write). */
export function itemSchema(schema: JsonSchema): JsonSchema | undefined {
  const { items } = schema;
  return typeof items === "object" && items !== null && !Array.isArray(items) ? items : undefined;
}

/** One CEL rule. Source: apiextensions/v1 ValidationRule. */
export interface ValidationRule {
  /** CEL over `self` (and `oldSelf`) that must be true. */
  rule: string;
  message?: string;
  /** CEL that gives the message; falls back to `message` when it fails. */
  messageExpression?: string;
  reason?:
    | "FieldValueInvalid"
    | "FieldValueForbidden"
    | "FieldValueRequired"
    | "FieldValueDuplicate"
    | (string & {});
  /** JSON path relative to the rule's place that the error is reported on, for example `.spec.x`. */
  fieldPath?: string;
  /** True: the rule also runs on create, with oldSelf an optional. */
  optionalOldSelf?: boolean;
}
