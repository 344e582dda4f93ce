/** Whether the paths that a definition names lead to fields of its schema: typos that a server would accept in silence. */
import type { JsonSchema } from "../schema/json-schema.ts";
import type { DefinitionProblem } from "./definition-error.ts";
import type { AnyKindDefinition } from "./kind-definition.ts";

/** Checks printer columns, the scale subresource and selectable fields against the schema. */
export function checkPaths(definition: AnyKindDefinition, schema: JsonSchema): DefinitionProblem[] {
  const problems: DefinitionProblem[] = [];
  const check = (path: string, jsonPath: string | undefined): void => {
    const missing = jsonPath === undefined ? undefined : missingField(schema, jsonPath);
    if (missing !== undefined) problems.push({ path, message: `${jsonPath} leads to no field: ${missing}` });
  };
  for (const [index, column] of (definition.printerColumns ?? []).entries()) {
    check(`printerColumns[${index}].jsonPath`, column.jsonPath);
  }
  for (const [index, jsonPath] of (definition.selectableFields ?? []).entries()) {
    check(`selectableFields[${index}]`, jsonPath);
  }
  check("scale.specReplicasPath", definition.scale?.specReplicasPath);
  check("scale.statusReplicasPath", definition.scale?.statusReplicasPath);
  check("scale.labelSelectorPath", definition.scale?.labelSelectorPath);
  return problems;
}

const openFields: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

/** What is wrong with the plain steps at the beginning of a path; what follows the first bracket is not looked at. */
function missingField(root: JsonSchema, jsonPath: string): string | undefined {
  if (!jsonPath.startsWith(".")) return "a path starts with a dot";
  const plain = /^(?:\.[A-Za-z0-9_-]+)*/.exec(jsonPath)?.[0] ?? "";
  const steps = plain.split(".").slice(1);
  if (openFields.has(steps[0] ?? "")) return undefined;
  let schema = root;
  let at = "";
  for (const step of steps) {
    const next = schema.properties?.[step];
    if (next === undefined)
      return isOpen(schema) ? undefined : `${at === "" ? "the object" : at} has no ${step}`;
    schema = next;
    at += `.${step}`;
  }
  return undefined;
}

function isOpen(schema: JsonSchema): boolean {
  return schema["x-kubernetes-preserve-unknown-fields"] === true || schema.additionalProperties !== undefined;
}
