import type { CustomResourceDefinition } from "./custom-resource-definition.ts";

/**
 * Fills in what the server fills in: scope is never defaulted; `names.singular`, `names.listKind`, conversion `None`,
 * the port of a conversion service. The same reference when nothing changed.
 * Source: apiextensions/v1 defaults.go.
 */
export function defaultCrd(_crd: CustomResourceDefinition): CustomResourceDefinition {
  throw new Error("in progress");
}
