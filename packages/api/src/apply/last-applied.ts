import { compareTyped } from "./compare-typed.ts";
import type { ManagedObject } from "./field-management.ts";
import { type FieldSet, differenceOfSets, unionSets } from "./field-set.ts";
import type { MergeType } from "./merge-type.ts";
import { encodeElementValue } from "./path-element.ts";
import { ownedSet } from "./owned-set.ts";
import { validateTyped } from "./validate-typed.ts";

/** Where `kubectl apply` without --server-side keeps what it last applied. */
export const lastAppliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration";

/** Whose applies take over from `kubectl apply`, and keep its annotation up to date. */
export const kubectlManager = "kubectl";

/** All annotations of an object together, in bytes. Source: apimachinery api/validation TotalAnnotationSizeLimitB. */
const maxAnnotationsBytes = 256 * 1024;

function lastApplied(object: ManagedObject): string {
  return object.metadata?.annotations?.[lastAppliedAnnotation] ?? "";
}

/**
 * Fields that client-side apply set and nobody changed since: kubectl may take them without a conflict. Undefined when the
 * object has no readable annotation of this version. Source: managedfields/internal (lastappliedmanager.go).
 */
export function fieldsOfLastApplied(
  type: MergeType,
  live: ManagedObject,
  apiVersion: string,
): FieldSet | undefined {
  const text = lastApplied(live);
  if (text === "") return undefined;
  try {
    const applied = JSON.parse(text) as { apiVersion?: unknown };
    if (applied.apiVersion !== apiVersion) return undefined;
    validateTyped(type, applied, false);
    const changes = compareTyped(type, applied, live);
    const gone = unionSets(unionSets(changes.modified, changes.added), changes.removed);
    return differenceOfSets(ownedSet(type, applied), gone);
  } catch {
    return undefined;
  }
}

/**
 * The object with its annotation brought up to what was applied, when it has one; without it when annotations would become
 * too big. Source: managedfields/internal (lastappliedupdater.go).
 */
export function withLastApplied(
  object: ManagedObject,
  patch: { readonly [field: string]: unknown },
): ManagedObject {
  if (lastApplied(object) === "") return object;
  const value = `${encodeElementValue(withoutAnnotation(patch))}\n`;
  const { [lastAppliedAnnotation]: _, ...others } = object.metadata.annotations ?? {};
  const annotations = { ...others, [lastAppliedAnnotation]: value };
  const fits = annotationsBytes(annotations) <= maxAnnotationsBytes;
  return { ...object, metadata: { ...object.metadata, annotations: fits ? annotations : others } };
}

function withoutAnnotation(patch: { readonly [field: string]: unknown }): unknown {
  const metadata = patch["metadata"] as { readonly annotations?: Record<string, string> } | undefined;
  if (metadata?.annotations === undefined || metadata.annotations === null) return patch;
  const { [lastAppliedAnnotation]: _, ...annotations } = metadata.annotations;
  return { ...patch, metadata: { ...metadata, annotations } };
}

function annotationsBytes(annotations: Readonly<Record<string, string>>): number {
  let total = 0;
  for (const [name, value] of Object.entries(annotations)) total += utf8Length(name) + utf8Length(value);
  return total;
}

function utf8Length(text: string): number {
  let bytes = 0;
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}
