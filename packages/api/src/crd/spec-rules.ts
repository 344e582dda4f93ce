/** The spec of a CRD. Source: validation.go (validateCustomResourceDefinitionSpec and what it calls). */
import type { checkSchemaRules } from "../cel/schema-check.ts";
import { dns1035LabelErrors, dns1123SubdomainErrors } from "../object/name.ts";
import { utf8Length } from "../object/validate-metadata.ts";
import type { JsonSchema } from "../schema/json-schema.ts";
import { fieldChild, fieldKey } from "../status/field-error.ts";
import { checkConversion } from "./conversion-rules.ts";
import type { CrdSubresources } from "./custom-resource-definition.ts";
import { validateDefaults } from "./default-rules.ts";
import { ErrorList } from "./error-list.ts";
import type { InternalSpec } from "./internal-spec.ts";
import type { InternalVersion, VersionParts } from "./internal-version.ts";
import { schemaStruct, versionStruct } from "./internal-struct.ts";
import { checkNames } from "./names-rules.ts";
import { validateSchemaRules } from "./schema-rules.ts";
import { someSchema } from "./schema-walk.ts";
import { structuralConversionError, validateStructural } from "./structural-rules.ts";
import type { CrdTolerance } from "./tolerance.ts";
import { checkColumns, checkSelectableFields, checkSubresources } from "./version-parts-rules.ts";

export interface SpecRuleTools {
  readonly checkSchemaRules: typeof checkSchemaRules;
}

interface SpecCheck {
  readonly tolerance: CrdTolerance;
  readonly tools: SpecRuleTools;
  readonly list: ErrorList;
  readonly requireStructural: boolean;
}

export function checkSpec(
  spec: InternalSpec,
  tolerance: CrdTolerance,
  tools: SpecRuleTools,
  list: ErrorList,
): void {
  checkGroup(spec.group, list);
  if (spec.scope === "") list.required("spec.scope");
  else if (spec.scope !== "Cluster" && spec.scope !== "Namespaced") {
    list.notSupported("spec.scope", spec.scope, ["Cluster", "Namespaced"]);
  }
  checkSchemasGiven(spec, tolerance, list);
  const schemas = [spec, ...spec.versions].map((part) => part.schema?.openAPIV3Schema);
  if (spec.preserveUnknownFields && schemas.some((schema) => someSchema(schema, hasDefault))) {
    list.invalid("spec.preserveUnknownFields", true, "must be false in order to use defaults in the schema");
  }
  const requireStructural =
    tolerance.requireStructural ||
    !spec.preserveUnknownFields ||
    schemas.some((schema) => someSchema(schema, (s) => hasDefault(s) || hasExtension(s)));
  const check: SpecCheck = { tolerance, tools, list, requireStructural };
  for (const [i, version] of spec.versions.entries()) checkVersion(spec, version, i, check);
  checkVersionList(spec, list);
  checkRequiredNames(spec, list);
  checkNames(spec.names, "spec.names", list);
  const anyStatus = [spec, ...spec.versions].some((part) => hasStatus(part.subresources));
  checkValidation(spec.schema, "spec.validation", { status: anyStatus, version: spec.version }, check);
  checkSubresources(spec.subresources, "spec.subresources", list);
  checkColumns(spec.columns, "spec.additionalPrinterColumns", list);
  checkSpecSelectable(spec, check);
  checkSpecConversion(spec, tolerance, list);
}

function checkGroup(group: string, list: ErrorList): void {
  if (group === "") return list.required("spec.group");
  const errors = dns1123SubdomainErrors(group);
  if (errors.length > 0) list.invalid("spec.group", group, errors.join(","));
  else if (!group.includes("."))
    list.invalid("spec.group", group, "should be a domain with at least one dot");
}

function checkSchemasGiven(spec: InternalSpec, tolerance: CrdTolerance, list: ErrorList): void {
  if (spec.schema?.openAPIV3Schema !== undefined) return;
  for (const [i, version] of spec.versions.entries()) {
    if (version.schema?.openAPIV3Schema !== undefined) continue;
    const field = `${fieldKey("spec.versions", i)}.schema.openAPIV3Schema`;
    if (tolerance.requireSchema) list.required(field);
    else if (!spec.preserveUnknownFields && version.served) {
      list.required(field, "because otherwise all fields are pruned");
    }
  }
}

function hasDefault(schema: JsonSchema): boolean {
  return (schema.default ?? null) !== null;
}

function hasExtension(schema: JsonSchema): boolean {
  return (
    schema["x-kubernetes-embedded-resource"] === true ||
    schema["x-kubernetes-preserve-unknown-fields"] !== undefined ||
    schema["x-kubernetes-int-or-string"] === true ||
    hasItems(schema["x-kubernetes-list-map-keys"]) ||
    schema["x-kubernetes-list-type"] !== undefined ||
    hasItems(schema["x-kubernetes-validations"])
  );
}

function hasItems(list: readonly unknown[] | undefined): boolean {
  return list !== undefined && list.length > 0;
}

function hasStatus(subresources: CrdSubresources | undefined): boolean {
  return (subresources?.status ?? null) !== null;
}

function checkVersion(spec: InternalSpec, version: InternalVersion, index: number, check: SpecCheck): void {
  const { list } = check;
  const path = fieldKey("spec.versions", index);
  const nameErrors = dns1035LabelErrors(version.name);
  if (nameErrors.length > 0) list.invalid(fieldChild(path, "name"), version.name, nameErrors.join(","));
  for (const error of deprecationErrors(version)) {
    list.invalid(fieldChild(path, "deprecationWarning"), version.deprecationWarning, error);
  }
  const perVersion = spec.versions.some((v) => v.subresources !== undefined);
  const status = hasStatus(perVersion ? firstNamed(spec, version.name)?.subresources : spec.subresources);
  checkValidation(version.schema, fieldChild(path, "schema"), { status, version: version.name }, check);
  checkSubresources(version.subresources, fieldChild(path, "subresources"), list);
  checkColumns(version.columns, fieldChild(path, "additionalPrinterColumns"), list);
  if (!hasItems(version.selectableFields)) return;
  if (version.schema?.openAPIV3Schema === undefined) {
    const detail = "may only be set when `version.schema.openAPIV3Schema` is not included";
    list.invalid(fieldChild(path, "selectableFields"), "", detail);
  } else checkSelectable(version, path, version.name, check);
}

function firstNamed(spec: InternalSpec, name: string): InternalVersion | undefined {
  return spec.versions.find((version) => version.name === name);
}

function checkSpecSelectable(spec: InternalSpec, check: SpecCheck): void {
  if (!hasItems(spec.selectableFields)) return;
  if (spec.schema !== undefined) return checkSelectable(spec, "spec", "", check);
  check.list.invalid("spec.selectableFields", "", "may only be set when validations.schema is included");
}

function checkSelectable(
  parts: VersionParts,
  path: string,
  version: string,
  { tolerance, list }: SpecCheck,
): void {
  const place = {
    path: fieldChild(path, "selectableFields"),
    schemaPath: fieldChild(path, "schema.openAPIV3Schema"),
    allowTooMany: tolerance.tooManySelectableFields.has(version),
  };
  checkSelectableFields(parts.selectableFields ?? [], parts.schema?.openAPIV3Schema, place, list);
}

const warningMaxLength = 256;

function deprecationErrors(version: InternalVersion): string[] {
  const { deprecated, deprecationWarning: warning } = version;
  if (warning === undefined) return [];
  if (!deprecated) return ["can only be set for deprecated versions"];
  const errors: string[] = [];
  if (utf8Length(warning) > warningMaxLength) errors.push("must be <= 256 characters long");
  if (warning === "") errors.push("must not be an empty string");
  const at = firstUnprintable(warning);
  if (at !== undefined) {
    const found = `non-printable character found at index ${at}`;
    errors.push(`must only contain printable UTF-8 characters; ${found}`);
  }
  return errors;
}

/** Byte index of the first character that Go does not print; blanks other than the space are not printed. */
function firstUnprintable(text: string): number | undefined {
  let at = 0;
  for (const char of text) {
    if (char !== " " && !/[\p{L}\p{M}\p{N}\p{P}\p{S}]/u.test(char)) return at;
    at += utf8Length(char);
  }
  return undefined;
}

function checkVersionList(spec: InternalSpec, list: ErrorList): void {
  const { versions } = spec;
  const badValue = spec.versionsGiven ? versions.map(versionStruct) : null;
  if (new Set(versions.map((v) => v.name)).size !== versions.length) {
    list.invalid("spec.versions", badValue, "must contain unique version names");
  }
  if (versions.filter((v) => v.storage).length !== 1) {
    list.invalid("spec.versions", badValue, "must have exactly one version marked as storage version");
  }
  if (spec.version === "") return;
  const errors = dns1035LabelErrors(spec.version);
  if (errors.length > 0) list.invalid("spec.version", spec.version, errors.join(","));
}

function checkRequiredNames(spec: InternalSpec, list: ErrorList): void {
  for (const name of ["plural", "singular", "kind", "listKind"] as const) {
    if ((spec.names[name] ?? "") === "") list.required(`spec.names.${name}`);
  }
}

/** Keywords that are allowed at the root when only part of the schema validates the status. */
const rootKeywords = new Set([
  "description",
  "type",
  "format",
  "title",
  "maximum",
  "exclusiveMaximum",
  "minimum",
  "exclusiveMinimum",
  "maxLength",
  "minLength",
  "pattern",
  "maxItems",
  "minItems",
  "uniqueItems",
  "multipleOf",
  "required",
  "items",
  "properties",
  "externalDocs",
  "example",
  "x-kubernetes-preserve-unknown-fields",
  "x-kubernetes-validations",
]);
const rootKeywordsText =
  "[Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations]";

function checkRootKeywords(schema: JsonSchema, path: string, list: ErrorList): void {
  const { type = "" } = schema;
  // The server looks at fields in the order of its struct, where the first offence ends the search; type is third.
  const early = (schema.id ?? "") !== "" || (schema.$schema ?? "") !== "" || schema.$ref !== undefined;
  if (!early && type !== "" && type !== "object") {
    const detail =
      'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
    return list.invalid(`${path}.type`, type, detail);
  }
  const offends = Object.entries(schema).some(
    ([key, value]) => !rootKeywords.has(key) && isGiven(key, value),
  );
  if (!offends) return;
  const detail = `only ${rootKeywordsText} fields are allowed at the root of the schema if the status subresource is enabled`;
  list.invalid(path, schemaStruct(schema), detail);
}

/** Keywords whose absence is their zero value; of all others an empty value counts as well. */
const zeroKeywords = new Set([
  "id",
  "$schema",
  "nullable",
  "x-kubernetes-embedded-resource",
  "x-kubernetes-int-or-string",
]);

function isGiven(keyword: string, value: unknown): boolean {
  if (value === undefined || value === null) return false;
  return !zeroKeywords.has(keyword) || (value !== "" && value !== false);
}

interface ValidationPlace {
  /** Whether the status subresource is on. */
  readonly status: boolean;
  readonly version: string;
}

function checkValidation(
  validation: { openAPIV3Schema?: JsonSchema } | undefined,
  parent: string,
  place: ValidationPlace,
  check: SpecCheck,
): void {
  const schema = validation?.openAPIV3Schema;
  if (schema === undefined) return;
  const { tolerance, tools } = check;
  const path = fieldChild(parent, "openAPIV3Schema");
  const list = new ErrorList();
  if (place.status) checkRootKeywords(schema, path, list);
  if (schema.nullable === true) list.forbidden(`${path}.nullable`, "nullable cannot be true at the root");
  const structure = check.requireStructural ? checkStructure(schema, path, tolerance, list) : undefined;
  const schemaErrors = validateSchemaRules(schema, path, tolerance);
  list.add(schemaErrors);
  list.add(
    tools.checkSchemaRules(schema, {
      path,
      schemaErrors,
      compile: structure?.sound === true,
      limitRuleCost: !tolerance.unchangedSchemas.has(place.version),
    }),
  );
  // What keeps a schema from being read at all mostly has an error of its own already.
  if (list.errors.length === 0 && structure?.conversionError !== undefined) {
    list.invalid(path, "", structure.conversionError);
  }
  check.list.add(list.errors);
}

interface Structure {
  /** True: the schema is structural and its defaults are valid. */
  readonly sound: boolean;
  readonly conversionError?: string;
}

function checkStructure(
  schema: JsonSchema,
  path: string,
  tolerance: CrdTolerance,
  list: ErrorList,
): Structure {
  const conversionError = structuralConversionError(schema);
  if (conversionError !== undefined) return { sound: false, conversionError };
  const structural = validateStructural(schema, path);
  const options = { requirePruned: tolerance.requirePrunedDefaults };
  const errors = structural.length > 0 ? structural : validateDefaults(schema, path, options);
  list.add(errors);
  return { sound: errors.length === 0 };
}

function checkSpecConversion(spec: InternalSpec, tolerance: CrdTolerance, list: ErrorList): void {
  const { conversion } = spec;
  if (conversion !== undefined && conversion.strategy !== "None" && spec.preserveUnknownFields) {
    const detail = "must be None if spec.preserveUnknownFields is true";
    list.invalid("spec.conversion.strategy", conversion.strategy, detail);
  }
  checkConversion(conversion, "spec.conversion", tolerance, list);
}
