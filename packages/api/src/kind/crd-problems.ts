import { defaultCrd } from "../crd/default-crd.ts";
import { prepareCrdForCreate } from "../crd/prepare-crd.ts";
import { validateCrd } from "../crd/validate-crd.ts";
import type { FieldError } from "../status/field-error.ts";
import { fieldErrorBody } from "../status/field-error.ts";
import { type Crd, crdManifest } from "./crd-manifest.ts";
import type { AnyCustomKind } from "./custom-kind.ts";
import type { DefinitionProblem } from "./definition-error.ts";

/**
 * What the API server would say against a kind's CustomResourceDefinition, CEL rules included, with places as the definition
 * has them.
 */
export function crdProblems(kind: AnyCustomKind | Crd): DefinitionProblem[] {
  const { errors } = validateCrd(prepareCrdForCreate(defaultCrd(crdManifest(kind))));
  // The name is made of plural and group: what is wrong with it is said of them.
  return errors.filter((error) => error.field !== "metadata.name").map(problemOf);
}

function problemOf(error: FieldError): DefinitionProblem {
  return { path: definitionPath(error.field), message: fieldErrorBody(error) };
}

/** The server speaks of an only version as if its parts stood in the spec itself. */
const versionPart =
  /^spec\.(?:versions\[\d+\]\.)?(?=schema|validation|additionalPrinterColumns|subresources|selectableFields|deprecat)/;

/**
 * A place in a CustomResourceDefinition as a place in the definition of its kind: the rule at
 * `spec.validation.openAPIV3Schema.properties[spec].properties[a].items.x-kubernetes-validations[0].rule` is
 * `spec.a[].rules[0].rule`, `spec.names.plural` is `plural`.
 */
export function definitionPath(field: string): string {
  const inVersion = field.replace(versionPart, "");
  if (inVersion === field) {
    return field
      .replace(/^spec\.versions\[\d+\]\.name$/, "version")
      .replace(/^spec\.(?:names\.)?/, "")
      .replace(/^metadata\.(?=annotations|labels)/, "");
  }
  const place = inVersion
    .replace(/^(?:validation|schema)\.openAPIV3Schema/, "")
    .replace(/^additionalPrinterColumns/, "printerColumns")
    .replace(/^subresources\./, "")
    .replaceAll(/\.?properties\[([^\]]*)\]/g, ".$1")
    .replaceAll(/\.items(?![\w-])/g, "[]")
    .replaceAll(/\.additionalProperties(?![\w-])/g, "{}")
    .replaceAll(/\.?x-kubernetes-validations(?![\w-])/g, ".rules")
    .replace(/^\./, "");
  return place === "" ? "schema" : place;
}
