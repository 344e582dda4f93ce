import type { CustomResourceDefinition } from "./custom-resource-definition.ts";

/** A new CRD before validation: status emptied, the storage version recorded, generation 1. */
export function prepareCrdForCreate(_crd: CustomResourceDefinition): CustomResourceDefinition {
  throw new Error("in progress");
}

/** A changed CRD before validation: status kept from the old one, the storage version recorded, generation counted. */
export function prepareCrdForUpdate(
  _crd: CustomResourceDefinition,
  _old: CustomResourceDefinition,
): CustomResourceDefinition {
  throw new Error("in progress");
}

/** A status update before validation: spec and metadata kept from the old one. */
export function prepareCrdForStatusUpdate(
  _crd: CustomResourceDefinition,
  _old: CustomResourceDefinition,
): CustomResourceDefinition {
  throw new Error("in progress");
}
