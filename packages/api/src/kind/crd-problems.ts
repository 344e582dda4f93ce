import { checkSchemaRules } from "../cel/schema-check.ts";
import type { FieldError } from "../status/field-error.ts";
import { fieldErrorBody } from "../status/field-error.ts";
import type { AnyCustomKind } from "./custom-kind.ts";
import type { DefinitionProblem } from "./definition-error.ts";

/** What the API server would say against a kind's CustomResourceDefinition, with places as the definition has them. */
export function crdProblems(kind: AnyCustomKind): DefinitionProblem[] {
  return checkSchemaRules(kind.schema, { path: "" }).map(problemOf);
}

function problemOf(error: FieldError): DefinitionProblem {
  return { path: definitionPath(error.field), message: fieldErrorBody(error) };
}

/** `.properties[spec].properties[a].items.x-kubernetes-validations[0].rule` is `spec.a[].rules[0].rule`. */
export function definitionPath(field: string): string {
  return field
    .replace(/^spec\.versions\[\d+\]\./, "")
    .replace(/^(?:spec\.validation|schema)\.openAPIV3Schema/, "")
    .replace(/\.?properties\[([^\]]*)\]/g, ".$1")
    .replaceAll(/\.items(?![\w-])/g, "[]")
    .replaceAll(/\.additionalProperties(?![\w-])/g, "{}")
    .replaceAll(/\.?x-kubernetes-validations(?![\w-])/g, ".rules")
    .replace(/^\./, "");
}
