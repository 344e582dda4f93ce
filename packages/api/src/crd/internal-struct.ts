/**
 * The server's own structs of a CRD, which it prints as JSON in some errors: all fields, in their order, by their Go names.
 * Source: apiextensions-apiserver pkg/apis/apiextensions (types.go, types_jsonschema.go).
 */
import type { JsonSchema, ValidationRule } from "../schema/json-schema.ts";
import { goStruct, goStructFields } from "../status/go-text.ts";
import type { CrdPrinterColumn, CrdSubresources } from "./custom-resource-definition.ts";
import type { InternalVersion } from "./internal-version.ts";

export function versionStruct(version: InternalVersion): unknown {
  return goStruct({
    Name: version.name,
    Served: version.served,
    Storage: version.storage,
    Deprecated: version.deprecated,
    DeprecationWarning: version.deprecationWarning ?? null,
    Schema:
      version.schema === undefined
        ? null
        : goStruct({ OpenAPIV3Schema: schemaStruct(version.schema.openAPIV3Schema) }),
    Subresources: subresourcesStruct(version.subresources),
    AdditionalPrinterColumns: version.columns?.map(columnStruct) ?? null,
    SelectableFields:
      version.selectableFields?.map((field) => goStruct({ JSONPath: field.jsonPath })) ?? null,
  });
}

export function columnStruct(column: CrdPrinterColumn): unknown {
  return goStruct({
    Name: column.name ?? "",
    Type: column.type ?? "",
    Format: column.format ?? "",
    Description: column.description ?? "",
    Priority: column.priority ?? 0,
    JSONPath: column.jsonPath ?? "",
  });
}

export function subresourcesStruct(subresources: CrdSubresources | undefined): unknown {
  if (subresources === undefined) return null;
  const { status, scale } = subresources;
  return goStruct({
    Status: status === undefined ? null : goStruct({}),
    Scale:
      scale === undefined
        ? null
        : goStruct({
            SpecReplicasPath: scale.specReplicasPath ?? "",
            StatusReplicasPath: scale.statusReplicasPath ?? "",
            LabelSelectorPath: scale.labelSelectorPath ?? null,
          }),
  });
}

/** Null for no schema. */
export function schemaStruct(schema: JsonSchema | undefined): unknown {
  if (schema === undefined) return null;
  return goStruct({
    ID: schema.id ?? "",
    Schema: schema.$schema ?? "",
    Ref: schema.$ref ?? null,
    Description: schema.description ?? "",
    Type: schema.type ?? "",
    Nullable: schema.nullable ?? false,
    Format: schema.format ?? "",
    Title: schema.title ?? "",
    Default: schema.default ?? null,
    Maximum: schema.maximum ?? null,
    ExclusiveMaximum: schema.exclusiveMaximum ?? false,
    Minimum: schema.minimum ?? null,
    ExclusiveMinimum: schema.exclusiveMinimum ?? false,
    MaxLength: schema.maxLength ?? null,
    MinLength: schema.minLength ?? null,
    Pattern: schema.pattern ?? "",
    MaxItems: schema.maxItems ?? null,
    MinItems: schema.minItems ?? null,
    UniqueItems: schema.uniqueItems ?? false,
    MultipleOf: schema.multipleOf ?? null,
    Enum: schema.enum ?? null,
    MaxProperties: schema.maxProperties ?? null,
    MinProperties: schema.minProperties ?? null,
    Required: schema.required ?? null,
    Items: itemsStruct(schema.items),
    AllOf: schema.allOf?.map(schemaStruct) ?? null,
    OneOf: schema.oneOf?.map(schemaStruct) ?? null,
    AnyOf: schema.anyOf?.map(schemaStruct) ?? null,
    Not: schemaStruct(schema.not),
    Properties: schemaMap(schema.properties),
    AdditionalProperties: schemaOrBool(schema.additionalProperties),
    PatternProperties: schemaMap(schema.patternProperties),
    Dependencies: dependenciesStruct(schema.dependencies),
    AdditionalItems: schemaOrBool(schema.additionalItems),
    Definitions: schemaMap(schema.definitions),
    ExternalDocs: docsStruct(schema.externalDocs),
    Example: schema.example ?? null,
    XPreserveUnknownFields: schema["x-kubernetes-preserve-unknown-fields"] ?? null,
    XEmbeddedResource: schema["x-kubernetes-embedded-resource"] ?? false,
    XIntOrString: schema["x-kubernetes-int-or-string"] ?? false,
    XListMapKeys: schema["x-kubernetes-list-map-keys"] ?? null,
    XListType: schema["x-kubernetes-list-type"] ?? null,
    XMapType: schema["x-kubernetes-map-type"] ?? null,
    XValidations: schema["x-kubernetes-validations"]?.map(ruleStruct) ?? null,
  });
}

function ruleStruct(rule: ValidationRule): unknown {
  return goStruct({
    Rule: rule.rule ?? "",
    Message: rule.message ?? "",
    MessageExpression: rule.messageExpression ?? "",
    Reason: rule.reason ?? null,
    FieldPath: rule.fieldPath ?? "",
    OptionalOldSelf: rule.optionalOldSelf ?? null,
  });
}

export function itemsStruct(items: JsonSchema["items"]): unknown {
  if (items === undefined) return null;
  if (items === null) return goStruct({ Schema: null, JSONSchemas: null });
  return Array.isArray(items)
    ? goStruct({ Schema: null, JSONSchemas: items.map(schemaStruct) })
    : goStruct({ Schema: schemaStruct(items), JSONSchemas: null });
}

function schemaOrBool(value: JsonSchema | boolean | undefined): unknown {
  if (value === undefined) return null;
  return typeof value === "boolean"
    ? goStruct({ Allows: value, Schema: null })
    : goStruct({ Allows: true, Schema: schemaStruct(value) });
}

function schemaMap(schemas: Record<string, JsonSchema> | undefined): unknown {
  if (schemas === undefined) return null;
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, schemaStruct(schema)]));
}

function dependenciesStruct(dependencies: JsonSchema["dependencies"]): unknown {
  if (dependencies === undefined) return null;
  const entries = Object.entries(dependencies).map(([name, value]) => [
    name,
    Array.isArray(value)
      ? goStruct({ Schema: null, Property: value })
      : goStruct({ Schema: schemaStruct(value), Property: null }),
  ]);
  return Object.fromEntries(entries);
}

function docsStruct(docs: JsonSchema["externalDocs"]): unknown {
  return docs === undefined ? null : goStruct({ Description: docs.description ?? "", URL: docs.url ?? "" });
}

/** The same with empty lists and maps as nothing, as the server compares. Structs stay, even without fields. */
export function withoutEmpty(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.length === 0 ? null : value.map(withoutEmpty);
  const fields = goStructFields(value);
  const source = fields ?? (value as Record<string, unknown>);
  const entries = Object.entries(source).map(([name, field]) => [name, withoutEmpty(field)] as const);
  if (fields !== undefined) return goStruct(Object.fromEntries(entries));
  return entries.length === 0 ? null : Object.fromEntries(entries);
}
