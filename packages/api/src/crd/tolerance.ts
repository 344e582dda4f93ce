/** What a changed CRD may go on having wrong because the stored one had it. Source: validation.go (validationOptions). */
import { isObject, jsonEqual } from "../schema/json-value.ts";
import { prune } from "../schema/prune.ts";
import { schemaNode } from "../schema/schema-node.ts";
import type { JsonSchema } from "../schema/json-schema.ts";
import { caBundleError } from "./ca-bundle.ts";
import { hasRecognizedVersion } from "./conversion-rules.ts";
import { type CustomResourceDefinition, isCrdConditionTrue } from "./custom-resource-definition.ts";
import { schemasEqual } from "./schema-equal.ts";
import { mapKeyErrors, nonAtomicSetKeyword } from "./schema-rules.ts";
import { someSchema } from "./schema-walk.ts";
import { structuralConversionError, validateStructural } from "./structural-rules.ts";

export interface CrdTolerance {
  readonly requireRecognizedVersion: boolean;
  /** Scope and kind cannot change once the CRD was established. */
  readonly requireImmutableNames: boolean;
  readonly requireSchema: boolean;
  readonly requireValidTypes: boolean;
  readonly requireStructural: boolean;
  readonly requirePrunedDefaults: boolean;
  readonly requireAtomicSets: boolean;
  readonly requireMapKeys: boolean;
  readonly allowInvalidCaBundle: boolean;
  /** Versions whose rules may cost too much because their schema did not change. */
  readonly unchangedSchemas: ReadonlySet<string>;
  /** Versions that had too many selectable fields; "" for those of all versions. */
  readonly tooManySelectableFields: ReadonlySet<string>;
}

/** For a new CRD. A CA bundle is only looked at once the CRD is established. */
export const noTolerance: CrdTolerance = {
  requireRecognizedVersion: true,
  requireImmutableNames: false,
  requireSchema: true,
  requireValidTypes: true,
  requireStructural: true,
  requirePrunedDefaults: true,
  requireAtomicSets: true,
  requireMapKeys: true,
  allowInvalidCaBundle: true,
  unchangedSchemas: new Set(),
  tooManySelectableFields: new Set(),
};

const types = new Set(["string", "number", "integer", "boolean", "array", "object"]);

export function toleranceOf(crd: CustomResourceDefinition, old: CustomResourceDefinition): CrdTolerance {
  const oldVersions = old.spec.versions ?? [];
  const schemas = oldVersions.map((v) => v.schema?.openAPIV3Schema).filter((s) => s !== undefined);
  const none = (has: (schema: JsonSchema) => boolean): boolean =>
    !schemas.some((schema) => someSchema(schema, has));
  const reviewVersions = old.spec.conversion?.webhook?.conversionReviewVersions ?? [];
  return {
    requireRecognizedVersion: reviewVersions.length === 0 || hasRecognizedVersion(reviewVersions),
    requireImmutableNames: isCrdConditionTrue(old, "Established"),
    requireSchema: oldVersions.every((v) => v.schema?.openAPIV3Schema !== undefined),
    requireValidTypes: none((schema) => (schema.type ?? "") !== "" && !types.has(schema.type ?? "")),
    requireStructural: schemas.every(isStructural),
    requirePrunedDefaults: !schemas.some(hasUnprunedDefaults),
    requireAtomicSets: none((schema) => nonAtomicSetKeyword(schema) !== undefined),
    requireMapKeys: none((schema) => mapKeyErrors(schema, "").length > 0),
    allowInvalidCaBundle: allowsInvalidCaBundle(old),
    unchangedSchemas: unchangedSchemas(crd, old),
    tooManySelectableFields: tooManySelectableFields(crd, old),
  };
}

function isStructural(schema: JsonSchema): boolean {
  return structuralConversionError(schema) === undefined && validateStructural(schema, "").length === 0;
}

/** Only counts when defaults can be pruned at all: a structural schema whose own default, if any, is an object. */
function hasUnprunedDefaults(schema: JsonSchema): boolean {
  if ((schema.default ?? null) !== null && !isObject(schema.default)) return false;
  return someSchema(schema, hasUnprunedDefault) && isStructural(schema);
}

function hasUnprunedDefault(schema: JsonSchema): boolean {
  const value = schema.default ?? null;
  return value !== null && !jsonEqual(prune(schemaNode(schema), value, { resource: false }).value, value);
}

function allowsInvalidCaBundle(old: CustomResourceDefinition): boolean {
  if (!isCrdConditionTrue(old, "Established")) return true;
  const caBundle = old.spec.conversion?.webhook?.clientConfig?.caBundle ?? "";
  return caBundle !== "" && caBundleError(caBundle) !== undefined;
}

function unchangedSchemas(crd: CustomResourceDefinition, old: CustomResourceDefinition): Set<string> {
  const before = new Map((old.spec.versions ?? []).map((v) => [v.name, v.schema?.openAPIV3Schema] as const));
  const unchanged = (crd.spec.versions ?? []).filter(
    (v) => before.has(v.name) && schemasEqual(v.schema?.openAPIV3Schema, before.get(v.name)),
  );
  return new Set(unchanged.map((version) => version.name));
}

function tooManySelectableFields(crd: CustomResourceDefinition, old: CustomResourceDefinition): Set<string> {
  const kept = new Set<string>();
  for (const version of crd.spec.versions ?? []) {
    const before = (old.spec.versions ?? []).find((v) => v.name === version.name)?.selectableFields ?? [];
    if (before.length > 8 && jsonEqual(before, version.selectableFields ?? [])) kept.add(version.name);
  }
  // The fields of all versions are those of any.
  if (kept.size > 0 && kept.size === (crd.spec.versions ?? []).length) kept.add("");
  return kept;
}
