/** What the API server demands of metadata. Source: apimachinery pkg/api/validation/objectmeta.go, pkg/apis/meta/v1/validation. */
import { jsonEqual } from "../schema/json-value.ts";
import { type FieldError, fieldChild, fieldKey, quote } from "../status/field-error.ts";
import { goStruct } from "../status/go-text.ts";
import {
  type NameCheck,
  dns1123LabelErrors,
  labelValueErrors,
  pathSegmentNameErrors,
  qualifiedNameErrors,
} from "./name.ts";
import type { DeepReadonly, ManagedFieldsEntry, ObjectMeta, OwnerReference } from "./object.ts";

export interface MetadataCheckOptions {
  readonly namespaced: boolean;
  /** Default: path segment names (what the generic registry checks again for every kind). */
  readonly name?: NameCheck;
  /** Default `metadata`. */
  readonly path?: string;
}

type Meta = DeepReadonly<ObjectMeta>;

const annotationsMaxBytes = 256 * 1024;
const fieldManagerMaxBytes = 128;
const subresourceMaxBytes = 256;

/** What is wrong with the metadata of an object to be created. */
export function validateObjectMeta(meta: Meta, options: MetadataCheckOptions): FieldError[] {
  const path = options.path ?? "metadata";
  const check = options.name ?? pathSegmentNameErrors;
  const errors: FieldError[] = [];
  const { name = "", generateName = "" } = meta;
  if (generateName !== "") {
    add(errors, fieldChild(path, "generateName"), generateName, prefixErrors(check, generateName));
  }
  if (name === "") {
    errors.push({
      type: "Required",
      field: fieldChild(path, "name"),
      detail: "name or generateName is required",
    });
  } else add(errors, fieldChild(path, "name"), name, check(name));
  checkNamespace(meta.namespace ?? "", options.namespaced, path, errors);
  if (Number(meta.generation ?? 0) < 0) {
    add(errors, fieldChild(path, "generation"), meta.generation, ["must be greater than or equal to 0"]);
  }
  checkMaps(meta, path, errors);
  checkOwners(meta.ownerReferences ?? [], fieldChild(path, "ownerReferences"), errors);
  checkFinalizers(meta.finalizers ?? [], fieldChild(path, "finalizers"), errors);
  checkManagedFields(meta.managedFields ?? [], fieldChild(path, "managedFields"), errors);
  return errors;
}

/** What is wrong with the new metadata of a stored object: what may not change, and the form of what may. */
export function validateObjectMetaUpdate(
  meta: Meta,
  old: Meta,
  options: { readonly path?: string } = {},
): FieldError[] {
  const path = options.path ?? "metadata";
  const errors: FieldError[] = [];
  if (old.deletionTimestamp !== undefined) checkNewFinalizers(meta, old, path, errors);
  if ((meta.resourceVersion ?? "") === "") {
    add(errors, fieldChild(path, "resourceVersion"), "", ["must be specified for an update"]);
  }
  if (Number(meta.generation ?? 0) < Number(old.generation ?? 0)) {
    add(errors, fieldChild(path, "generation"), meta.generation ?? 0, ["must not be decremented"]);
  }
  for (const name of ["name", "namespace", "uid"] as const) {
    checkImmutable(meta[name] ?? "", old[name] ?? "", fieldChild(path, name), errors);
  }
  for (const name of ["creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"] as const) {
    checkImmutable(meta[name], old[name], fieldChild(path, name), errors);
  }
  checkMaps(meta, path, errors);
  checkOwners(meta.ownerReferences ?? [], fieldChild(path, "ownerReferences"), errors);
  checkManagedFields(meta.managedFields ?? [], fieldChild(path, "managedFields"), errors);
  return errors;
}

/**
 * What the generic registry demands of every kind: on create only asked when the kind's own validation found nothing, on
 * update in front of it (so that errors of metadata are reported twice). Source: apiserver pkg/registry/rest.
 */
export function validateCommonFields(
  meta: Meta,
  old: Meta | undefined,
  options: { readonly namespaced: boolean },
): FieldError[] {
  const errors = validateObjectMeta(meta, options);
  if (old !== undefined) errors.push(...validateObjectMetaUpdate(meta, old));
  return errors;
}

/** The error of a field that may not change. */
export function checkImmutable(value: unknown, old: unknown, field: string, errors: FieldError[]): void {
  if (!jsonEqual(value ?? null, old ?? null)) {
    errors.push({ type: "Invalid", field, badValue: value ?? null, detail: "field is immutable" });
  }
}

function add(errors: FieldError[], field: string, badValue: unknown, details: readonly string[]): void {
  for (const detail of details) errors.push({ type: "Invalid", field, badValue, detail });
}

/** A prefix need not end as a name must, since something follows it. Source: apimachinery generic.go (maskTrailingDash). */
function prefixErrors(check: NameCheck, prefix: string): readonly string[] {
  if (check === pathSegmentNameErrors) return check(`${prefix}x`);
  const masked = prefix.length > 1 && prefix.endsWith("-") ? `${prefix.slice(0, -2)}a` : prefix;
  return check(masked);
}

function checkNamespace(namespace: string, namespaced: boolean, path: string, errors: FieldError[]): void {
  const field = fieldChild(path, "namespace");
  if (namespaced) {
    if (namespace === "") errors.push({ type: "Required", field, detail: "" });
    else add(errors, field, namespace, dns1123LabelErrors(namespace));
  } else if (namespace !== "") {
    errors.push({ type: "Forbidden", field, detail: "not allowed on this type" });
  }
}

function checkMaps(meta: Meta, path: string, errors: FieldError[]): void {
  const labels = fieldChild(path, "labels");
  for (const [key, value] of Object.entries(meta.labels ?? {})) {
    add(errors, labels, key, qualifiedNameErrors(key));
    add(errors, labels, value, labelValueErrors(value));
  }
  const annotations = fieldChild(path, "annotations");
  let bytes = 0;
  for (const [key, value] of Object.entries(meta.annotations ?? {})) {
    add(errors, annotations, key, qualifiedNameErrors(key.toLowerCase()));
    // an apply can leave an explicit null, which reads as the empty text
    bytes += utf8Length(key) + utf8Length((value as string | null) ?? "");
  }
  if (bytes > annotationsMaxBytes) errors.push(tooLong(annotations, annotationsMaxBytes));
}

function tooLong(field: string, max: number): FieldError {
  return { type: "TooLong", field, detail: `may not be more than ${max} bytes` };
}

/** Bytes of a text in UTF-8. */
export function utf8Length(text: string): number {
  let length = text.length;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    // A pair of code units is four bytes, any other unit beyond 0x7ff three.
    if (code >= 0x80) length += code < 0x800 || (code >= 0xd800 && code < 0xe000) ? 1 : 2;
  }
  return length;
}

function checkOwners(
  owners: readonly DeepReadonly<OwnerReference>[],
  field: string,
  errors: FieldError[],
): void {
  let controller: string | undefined;
  for (const owner of owners) {
    const parts = owner.apiVersion.split("/");
    if (owner.apiVersion === "" || owner.apiVersion === "/" || parts.length > 2 || parts.at(-1) === "") {
      add(errors, fieldChild(field, "apiVersion"), owner.apiVersion, ["version must not be empty"]);
    }
    for (const name of ["kind", "name", "uid"] as const) {
      if (owner[name] === "") add(errors, fieldChild(field, name), "", ["must not be empty"]);
    }
    if (owner.apiVersion === "v1" && owner.kind === "Event") {
      add(errors, field, ownerStruct(owner), ["/v1, Kind=Event is disallowed from being an owner"]);
    }
    if (owner.controller !== true) continue;
    const current = `${owner.kind}/${owner.name}`;
    if (controller === undefined) controller = current;
    else {
      const found = `Found "true" in references for ${controller} and ${current}`;
      add(errors, field, owners.map(ownerStruct), [
        `Only one reference can have Controller set to true. ${found}`,
      ]);
    }
  }
}

function ownerStruct(owner: DeepReadonly<OwnerReference>): unknown {
  const { apiVersion, kind, name, uid, controller, blockOwnerDeletion } = owner;
  return goStruct({ apiVersion, kind, name, uid, controller, blockOwnerDeletion });
}

function checkFinalizers(finalizers: readonly string[], field: string, errors: FieldError[]): void {
  for (const finalizer of finalizers) add(errors, field, finalizer, qualifiedNameErrors(finalizer));
  if (finalizers.includes("orphan") && finalizers.includes("foregroundDeletion")) {
    add(errors, field, finalizers, ["finalizer orphan and foregroundDeletion cannot be both set"]);
  }
}

function checkNewFinalizers(meta: Meta, old: Meta, path: string, errors: FieldError[]): void {
  const extra = newFinalizers(meta, old);
  if (extra.length === 0) return;
  const found = `[]string{${extra.map(quote).join(", ")}}`;
  const detail = `no new finalizers can be added if the object is being deleted, found new finalizers ${found}`;
  errors.push({ type: "Forbidden", field: fieldChild(path, "finalizers"), detail });
}

function newFinalizers(meta: Meta, old: Meta | undefined): string[] {
  const known = new Set(old?.finalizers ?? []);
  return [...new Set(meta.finalizers ?? [])].filter((finalizer) => !known.has(finalizer)).sort();
}

function checkManagedFields(
  entries: readonly DeepReadonly<ManagedFieldsEntry>[],
  path: string,
  errors: FieldError[],
): void {
  for (const [i, entry] of entries.entries()) {
    const place = fieldKey(path, i);
    if (entry.operation !== "Apply" && entry.operation !== "Update") {
      add(errors, fieldChild(place, "operation"), entry.operation ?? "", ["must be `Apply` or `Update`"]);
    }
    if ((entry.fieldsType ?? "") !== "" && entry.fieldsType !== "FieldsV1") {
      add(errors, fieldChild(place, "fieldsType"), entry.fieldsType, ["must be `FieldsV1`"]);
    }
    errors.push(...validateFieldManager(entry.manager ?? "", fieldChild(place, "manager")));
    if (utf8Length(entry.subresource ?? "") > subresourceMaxBytes) {
      errors.push(tooLong(fieldChild(place, "subresource"), subresourceMaxBytes));
    }
  }
}

/** What is wrong with the name of a field manager: at most 128 bytes, printable. */
export function validateFieldManager(manager: string, field: string): FieldError[] {
  const errors: FieldError[] = [];
  if (utf8Length(manager) > fieldManagerMaxBytes) errors.push(tooLong(field, fieldManagerMaxBytes));
  if (/^[ -~]*$/.test(manager)) return errors;
  let at = 0;
  for (const char of manager) {
    // Blanks other than the space are not printed.
    if (char !== " " && !/[\p{L}\p{M}\p{N}\p{P}\p{S}]/u.test(char)) {
      const code = (char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
      add(errors, field, manager, [`invalid character U+${code} (at position ${at})`]);
    }
    at += utf8Length(char);
  }
  return errors;
}

/** Warnings about finalizers that are new: names should have a domain. Source: apiextensions-apiserver customresource/validator.go. */
export function finalizerWarnings(meta: Meta, old: Meta | undefined): string[] {
  const warnings: string[] = [];
  for (const finalizer of newFinalizers(meta, old)) {
    const head = `metadata.finalizers: ${quote(finalizer)}:`;
    for (const error of qualifiedNameErrors(finalizer)) warnings.push(`${head} ${error}`);
    if (finalizer.includes("/") || standardFinalizers.has(finalizer)) continue;
    const how = finalizer.includes(".") ? "including a path (/) " : "";
    warnings.push(
      `${head} prefer a domain-qualified finalizer name ${how}to avoid accidental conflicts with other finalizer writers`,
    );
  }
  return warnings;
}

const standardFinalizers = new Set(["orphan", "foregroundDeletion", "kubernetes"]);
