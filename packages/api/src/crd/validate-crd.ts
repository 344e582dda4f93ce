import { checkSchemaRules } from "../cel/schema-check.ts";
import { dns1123SubdomainErrors } from "../object/name.ts";
import {
  checkImmutable,
  validateCommonFields,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from "../object/validate-metadata.ts";
import { type FieldError, fieldKey } from "../status/field-error.ts";
import { approvalAnnotation, approvalOf, isProtectedGroup } from "./api-approval.ts";
import { crdWarnings } from "./crd-warnings.ts";
import type { CustomResourceDefinition } from "./custom-resource-definition.ts";
import { ErrorList } from "./error-list.ts";
import { internalSpec } from "./internal-spec.ts";
import { checkNames } from "./names-rules.ts";
import { checkSpec } from "./spec-rules.ts";
import { type CrdTolerance, noTolerance, toleranceOf } from "./tolerance.ts";

export interface CrdVerdict {
  /** In the server's order; the causes of a 422. */
  readonly errors: readonly FieldError[];
  /** Texts of Warning headers, for example `unrecognized format "x"`; empty when there are errors. */
  readonly warnings: readonly string[];
}

/**
 * What is wrong with a new CRD (defaulted, with the status that `prepareCrdForCreate` gives), the checks of the generic
 * registry included. Source: apiextensions-apiserver pkg/apis/apiextensions/validation/validation.go.
 */
export function validateCrd(crd: CustomResourceDefinition): CrdVerdict {
  const list = new ErrorList();
  const required = `${crd.spec.names?.plural ?? ""}.${crd.spec.group ?? ""}`;
  const nameErrors = (name: string): readonly string[] => {
    const errors = dns1123SubdomainErrors(name);
    return name === required ? errors : [...errors, `must be spec.names.plural+"."+spec.group`];
  };
  list.add(validateObjectMeta(crd.metadata, { namespaced: false, name: nameErrors }));
  checkWhole(crd, undefined, noTolerance, list);
  if (list.errors.length === 0)
    list.add(validateCommonFields(crd.metadata, undefined, { namespaced: false }));
  return verdict(list, crd, undefined);
}

/** What is wrong with a changed CRD; what the old one already had wrong is not held against the new one. */
export function validateCrdUpdate(crd: CustomResourceDefinition, old: CustomResourceDefinition): CrdVerdict {
  const list = new ErrorList();
  list.add(validateCommonFields(crd.metadata, old.metadata, { namespaced: false }));
  list.add(validateObjectMetaUpdate(crd.metadata, old.metadata));
  checkWhole(crd, old, toleranceOf(crd, old), list);
  return verdict(list, crd, old);
}

/** The same for the status subresource. */
export function validateCrdStatusUpdate(
  crd: CustomResourceDefinition,
  old: CustomResourceDefinition,
): CrdVerdict {
  const list = new ErrorList();
  list.add(validateCommonFields(crd.metadata, old.metadata, { namespaced: false }));
  list.add(validateObjectMetaUpdate(crd.metadata, old.metadata));
  checkNames(crd.status?.acceptedNames ?? {}, "status.acceptedNames", list);
  return { errors: list.errors, warnings: [] };
}

function verdict(
  list: ErrorList,
  crd: CustomResourceDefinition,
  old: CustomResourceDefinition | undefined,
): CrdVerdict {
  return { errors: list.errors, warnings: list.errors.length > 0 ? [] : crdWarnings(crd, old) };
}

function checkWhole(
  crd: CustomResourceDefinition,
  old: CustomResourceDefinition | undefined,
  tolerance: CrdTolerance,
  list: ErrorList,
): void {
  checkSpec(internalSpec(crd.spec), tolerance, { checkSchemaRules }, list);
  if (old !== undefined) checkImmutables(crd, old, tolerance, list);
  checkNames(crd.status?.acceptedNames ?? {}, "status.acceptedNames", list);
  checkStoredVersions(crd, list);
  checkApproval(crd, old, list);
  if (crd.spec.preserveUnknownFields === true && old?.spec.preserveUnknownFields !== true) {
    const instead = "set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead";
    list.invalid("spec.preserveUnknownFields", true, `cannot set to true, ${instead}`);
  }
}

function checkImmutables(
  crd: CustomResourceDefinition,
  old: CustomResourceDefinition,
  tolerance: CrdTolerance,
  list: ErrorList,
): void {
  if (tolerance.requireImmutableNames) {
    checkImmutable(crd.spec.scope ?? "", old.spec.scope ?? "", "spec.scope", list.errors);
    checkImmutable(crd.spec.names?.kind ?? "", old.spec.names?.kind ?? "", "spec.names.kind", list.errors);
  }
  checkImmutable(crd.spec.group ?? "", old.spec.group ?? "", "spec.group", list.errors);
  checkImmutable(
    crd.spec.names?.plural ?? "",
    old.spec.names?.plural ?? "",
    "spec.names.plural",
    list.errors,
  );
}

function checkStoredVersions(crd: CustomResourceDefinition, list: ErrorList): void {
  const path = "status.storedVersions";
  const stored = crd.status?.storedVersions ?? [];
  if (stored.length === 0) {
    return list.invalid(path, null, "must have at least one stored version");
  }
  const missing = new Map(stored.map((name, i) => [name, i]));
  for (const { name, storage } of crd.spec.versions ?? []) {
    const known = missing.delete(name);
    if (storage && !known) {
      list.invalid(path, stored, `must have the storage version ${name}`);
    }
  }
  for (const [name, i] of missing) {
    const until = "until a storage migration ensures no data remains persisted in";
    const detail = `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions ${until} ${name} and removes ${name} from status.storedVersions`;
    list.invalid(fieldKey(path, i), name, detail);
  }
}

function checkApproval(
  crd: CustomResourceDefinition,
  old: CustomResourceDefinition | undefined,
  list: ErrorList,
): void {
  if (!isProtectedGroup(crd.spec.group ?? "")) return;
  const { state, reason } = approvalOf(crd);
  if (old !== undefined && approvalOf(old).state === state) return;
  const field = fieldKey("metadata.annotations", approvalAnnotation);
  if (state === "missing") list.required(field, reason);
  else if (state === "invalid") list.invalid(field, crd.metadata.annotations?.[approvalAnnotation], reason);
}
