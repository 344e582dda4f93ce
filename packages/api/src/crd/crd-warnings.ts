/** Source: apiextensions-apiserver pkg/registry/customresourcedefinition/strategy.go (WarningsOnCreate, WarningsOnUpdate). */
import { isKnownFormat } from "../schema/format-check.ts";
import { quote } from "../status/field-error.ts";
import type { CustomResourceDefinition } from "./custom-resource-definition.ts";
import { someSchema } from "./schema-walk.ts";

/** Warnings about formats that the server does not know; on updates only about those that are new. */
export function crdWarnings(
  crd: CustomResourceDefinition,
  old: CustomResourceDefinition | undefined,
): string[] {
  const known = old === undefined ? new Set<string>() : unknownFormats(old);
  return [...unknownFormats(crd)].filter((f) => !known.has(f)).map((f) => `unrecognized format ${quote(f)}`);
}

function unknownFormats(crd: CustomResourceDefinition): Set<string> {
  const found = new Set<string>();
  for (const version of crd.spec.versions ?? []) {
    someSchema(version.schema?.openAPIV3Schema, (schema) => {
      const { format = "", type = "" } = schema;
      if (format !== "" && !isKnownFormat(format, [type])) found.add(format);
      return false;
    });
  }
  return found;
}
