import type { FieldError } from "../status/field-error.ts";
import type { CustomResourceDefinition } from "./custom-resource-definition.ts";

export interface CrdVerdict {
  /** In the server's order; the causes of a 422. */
  readonly errors: readonly FieldError[];
  /** Texts of Warning headers, for example `unrecognized format "x"` with its path. */
  readonly warnings: readonly string[];
}

/**
 * What is wrong with a new CRD (defaulted, status as the server sets it: see `prepareCrdForCreate`).
 * Source: apiextensions-apiserver pkg/apis/apiextensions/validation/validation.go.
 */
export function validateCrd(_crd: CustomResourceDefinition): CrdVerdict {
  throw new Error("in progress");
}

/** What is wrong with a changed CRD; what the old one already had wrong is not held against the new one. */
export function validateCrdUpdate(
  _crd: CustomResourceDefinition,
  _old: CustomResourceDefinition,
): CrdVerdict {
  throw new Error("in progress");
}

/** The same for the status subresource. */
export function validateCrdStatusUpdate(
  _crd: CustomResourceDefinition,
  _old: CustomResourceDefinition,
): CrdVerdict {
  throw new Error("in progress");
}
