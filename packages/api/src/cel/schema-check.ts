/**
 * Checks the CEL rules of a CustomResourceDefinition's schema as the API server does when the CRD is created.
 * Source: apiextensions-apiserver pkg/apis/apiextensions/validation (validation.go, cel_validation.go).
 */
import type { JsonSchema } from "../schema/json-schema.ts";
import type { FieldError } from "../status/field-error.ts";

export interface SchemaRulesCheckOptions {
  /** Where the schema is, for example `spec.validation.openAPIV3Schema`. */
  readonly path: string;
  /**
   * What the other checks of the same schema found, with paths below `path`. Rules of a schema with an error at its own
   * place or deeper are not compiled, as in the API server.
   */
  readonly schemaErrors?: readonly FieldError[];
  /** False: only the texts of the rules are checked (the schema is not structural). Default true. */
  readonly compile?: boolean;
  /** False: the limit per rule is not enforced (a stored schema that an update leaves alone). Default true. */
  readonly limitRuleCost?: boolean;
}

/**
 * All that is wrong with the `x-kubernetes-validations` of a schema and its children: texts, field paths, reasons,
 * compile errors in cel-go's words, estimated costs, places where `oldSelf` cannot be used.
 */
export function checkSchemaRules(_schema: JsonSchema, _options: SchemaRulesCheckOptions): FieldError[] {
  return [];
}
