import type { CrdScale } from "../crd/custom-resource-definition.ts";
import type { SchemaRules } from "../cel/schema-rules.ts";
import { dns1123SubdomainErrors } from "../object/name.ts";
import type { JsonObject, ObjectMeta } from "../object/object.ts";
import {
  finalizerWarnings,
  validateCommonFields,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from "../object/validate-metadata.ts";
import { type FieldError, type FieldErrorType, fieldErrorText } from "../status/field-error.ts";
import { validateEmbedded } from "./embedded-metadata.ts";
import { isObject } from "./json-value.ts";
import { validateListTypes } from "./list-types.ts";
import { scaleErrors } from "./scale-paths.ts";
import {
  type StructuralSchema,
  statusSchema,
  validateSchema,
  validateSchemaUpdate,
} from "./structural-schema.ts";

export interface CustomResourceCheck {
  readonly schema: StructuralSchema;
  /** The compiled CEL rules of the same schema (`compileSchemaRules`), undefined when it has none. */
  readonly rules?: SchemaRules | undefined;
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly namespaced: boolean;
  /** The scale subresource of the version, if it has one. */
  readonly scale?: CrdScale | undefined;
  /** The whole object: decoded, defaulted, with the metadata that the server has filled in. */
  readonly object: JsonObject;
  /** What is stored, in the same version and defaulted; absent on create. */
  readonly old?: JsonObject | undefined;
  /** `status`: only the status is checked against the schema. */
  readonly subresource?: "status" | undefined;
}

export interface CustomResourceVerdict {
  /** In the server's order; the causes of a 422. */
  readonly errors: readonly FieldError[];
  /** Texts of Warning headers: ratcheted rule failures, finalizer names without a domain. */
  readonly warnings: readonly string[];
}

/**
 * Everything that the server checks of a custom resource before it is stored: metadata (also what the generic registry
 * checks for every kind), type, schema, scale paths, embedded resources, list types, CEL rules; with ratcheting against
 * `old` on updates. Warnings only count when there are no errors, except those of ratcheted rules.
 * Source: apiextensions-apiserver pkg/registry/customresource (strategy.go, status_strategy.go, validator.go).
 */
export function validateCustomResource(check: CustomResourceCheck): CustomResourceVerdict {
  const { object, old, namespaced } = check;
  const meta = metaOf(object);
  const oldMeta = old === undefined ? undefined : metaOf(old);
  const errors: FieldError[] = [];
  // On creates the registry's own checks of metadata demand less than those of custom resources, which come first.
  if (oldMeta !== undefined) errors.push(...validateCommonFields(meta, oldMeta, { namespaced }));
  const own = resourceErrors(check, meta, oldMeta);
  const rules = ruleErrors(check, own);
  errors.push(...own, ...rules.errors);
  const accepted = errors.length === 0 && check.subresource === undefined;
  const warnings = accepted ? finalizerWarnings(meta, oldMeta) : [];
  return { errors, warnings: [...rules.warnings, ...warnings] };
}

function metaOf(object: JsonObject): ObjectMeta {
  return isObject(object["metadata"]) ? (object["metadata"] as ObjectMeta) : {};
}

function resourceErrors(
  check: CustomResourceCheck,
  meta: ObjectMeta,
  oldMeta: ObjectMeta | undefined,
): FieldError[] {
  const { schema, object, scale, namespaced, subresource } = check;
  const errors = typeErrors(check);
  // Nothing else of the kind's own validator runs on an object of another type.
  if (errors.length === 0) {
    errors.push(
      ...(oldMeta === undefined
        ? validateObjectMeta(meta, { namespaced, name: dns1123SubdomainErrors })
        : validateObjectMetaUpdate(meta, oldMeta)),
      ...schemaErrors(check),
    );
    if (scale !== undefined)
      errors.push(...scaleErrors(object, scale, { statusOnly: subresource !== undefined }));
  }
  if (subresource === undefined) errors.push(...validateEmbedded(schema.node, object));
  errors.push(...listTypeErrors(check));
  return errors;
}

function typeErrors({ object, kind }: CustomResourceCheck): FieldError[] {
  const errors: FieldError[] = [];
  const apiVersion = `${kind.group}/${kind.version}`;
  expectText("kind", object["kind"], kind.kind, errors);
  // read as a group and a version and written again: a group that is empty leaves no slash
  const given = object["apiVersion"];
  expectText("apiVersion", typeof given === "string" ? given.replace(/^\//, "") : given, apiVersion, errors);
  return errors;
}

function expectText(field: string, value: unknown, expected: string, errors: FieldError[]): void {
  if (value === expected) return;
  const badValue = typeof value === "string" ? value : "";
  errors.push({ type: "Invalid", field, badValue, detail: `must be ${expected}` });
}

function schemaErrors({ schema, object, old, subresource }: CustomResourceCheck): FieldError[] {
  if (subresource === undefined) {
    return old === undefined ? validateSchema(schema, object) : validateSchemaUpdate(schema, object, old);
  }
  const status = statusSchema(schema);
  if (status === undefined || !Object.hasOwn(object, "status")) return [];
  return validateSchemaUpdate(status, object["status"], old?.["status"], "status");
}

/** On an update, a list that was wrong before forgives everything. */
function listTypeErrors({ schema, object, old }: CustomResourceCheck): FieldError[] {
  if (old !== undefined && validateListTypes(schema.node, old).length > 0) return [];
  return validateListTypes(schema.node, object);
}

const blocking: ReadonlySet<FieldErrorType> = new Set([
  "NotSupported",
  "Required",
  "TooLong",
  "TooMany",
  "TypeInvalid",
]);

function ruleErrors(
  { rules, object, old }: CustomResourceCheck,
  found: readonly FieldError[],
): { errors: readonly FieldError[]; warnings: readonly string[] } {
  if (rules === undefined) return { errors: [], warnings: [] };
  if (found.some((error) => blocking.has(error.type))) {
    const detail =
      "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";
    return { errors: [{ type: "Invalid", field: "<nil>", badValue: null, detail }], warnings: [] };
  }
  const result = rules.validate(object, old);
  return { errors: result.errors, warnings: result.ratcheted.map(fieldErrorText) };
}
