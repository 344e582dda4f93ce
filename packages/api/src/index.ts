// Objects
export type {
  Condition,
  DeepReadonly,
  Json,
  JsonObject,
  KubeList,
  KubeObject,
  ListMeta,
  ManagedFieldsEntry,
  ObjectMeta,
  OwnerReference,
  UnstructuredObject,
} from "./object/object.ts";
export { deepFreeze } from "./object/freeze.ts";
export { jsonEqual } from "./object/equal.ts";

// Kinds
export { apiVersionOf, kindText, parseApiVersion, resourcePath } from "./kind/kind.ts";
export type { AnyKind, CreateOf, Kind, KindOf } from "./kind/kind.ts";
export { defineKind } from "./kind/define-kind.ts";
export type {
  AnyKindDefinition,
  AnyZodSchema,
  CreateObject,
  KindDefinition,
  ReadObject,
} from "./kind/kind-definition.ts";
export type { AnyCustomKind, CustomKind } from "./kind/custom-kind.ts";
export { crdManifest, crdManifestBytesMax, crdSizeWarning } from "./kind/crd-manifest.ts";
export { defineCrd } from "./kind/define-crd.ts";
export type { Crd, CrdOptions } from "./kind/crd-manifest.ts";
export { checkObject } from "./kind/check-object.ts";
export type { CheckObjectOptions, CheckedObject } from "./kind/check-object.ts";
export { KindDefinitionError, isKindDefinitionError } from "./kind/definition-error.ts";
export type { DefinitionProblem } from "./kind/definition-error.ts";

// Errors of an API server
export type { Status, StatusCause, StatusDetails, StatusReason } from "./status/status.ts";
export {
  StatusError,
  alreadyExists,
  badRequest,
  conflict,
  expired,
  failure,
  forbidden,
  internalError,
  invalid,
  isAlreadyExists,
  isConflict,
  isExpired,
  isForbidden,
  isInvalid,
  isNotFound,
  isStatusError,
  isTooManyRequests,
  isUnauthorized,
  methodNotSupported,
  notFound,
  qualifiedResource,
  unauthorized,
} from "./status/status-error.ts";
export type { ResourceName } from "./status/status-error.ts";
export {
  causeReason,
  fieldChild,
  fieldErrorBody,
  fieldErrorText,
  fieldErrorsText,
  fieldKey,
  omittedValue,
  quote,
} from "./status/field-error.ts";
export type { FieldError, FieldErrorType } from "./status/field-error.ts";
export { goJson } from "./status/go-text.ts";

// Schemas
export type { JsonSchema, ValidationRule } from "./schema/json-schema.ts";

// CEL
export { goDurationMs } from "./cel/time.ts";
export { compileExpression } from "./cel/compile-expression.ts";
export type {
  CompiledExpression,
  CompileExpressionOptions,
  EvaluateOptions,
  Expression,
  ExpressionResult,
  ExpressionVariable,
  ComputedFields,
  ComputedResult,
  ComputedValue,
  ResourceCheck,
} from "./cel/compile-expression.ts";
export type { AuthorizationAnswer, AuthorizationQuestion, Authorizer } from "./cel/library/authorizer.ts";
export { tryRule } from "./cel/try-rule.ts";
export type { TriedRule, TryRuleOptions } from "./cel/try-rule.ts";
export { checkSchemaRules } from "./cel/schema-check.ts";
export type { SchemaRulesCheckOptions } from "./cel/schema-check.ts";
export { compileSchemaRules, schemaRulesBudget } from "./cel/schema-rules.ts";
export type {
  CompileSchemaRulesOptions,
  SchemaRules,
  SchemaRulesOptions,
  SchemaRulesResult,
} from "./cel/schema-rules.ts";

// Discovery
export { buildDiscovery } from "./discovery/discovery.ts";
export type {
  AggregatedDiscovery,
  ApiGroup,
  ApiGroupList,
  ApiResourceEntry,
  ApiResourceList,
  ApiVersions,
  Discovery,
} from "./discovery/discovery.ts";
export type { ApiResource, ApiSubresource, GroupVersionKind } from "./discovery/api-resource.ts";
export { customApiResource, storageVersionHash } from "./discovery/custom-api-resource.ts";
export type { PublishedCustomResource } from "./discovery/custom-api-resource.ts";

// Tables
export { buildTable, parseIncludeObject, partialObjectMetadata, typedListMeta } from "./table/table.ts";
export type {
  IncludeObject,
  MetaVersion,
  PartialObjectMetadata,
  Table,
  TableColumn,
  TableOptions,
  TablePrinter,
  TableRow,
  TableRowCondition,
} from "./table/table.ts";
export { ageSince, humanDuration } from "./table/human-duration.ts";
export { customPrinter } from "./table/custom-printer.ts";
export type { PrinterColumn } from "./table/custom-printer.ts";

// Object rules
export {
  findCondition,
  isConditionFalse,
  isConditionTrue,
  removeCondition,
  setCondition,
} from "./object/condition.ts";
export type { ConditionUpdate } from "./object/condition.ts";
export { addFinalizer, hasFinalizer, removeFinalizer } from "./object/finalizer.ts";
export {
  AlreadyOwnedError,
  OwnerScopeError,
  controllerOf,
  hasOwnerReference,
  isAlreadyOwnedError,
  isControlledBy,
  isOwnerScopeError,
  removeOwnerReference,
  setControllerReference,
  setOwnerReference,
} from "./object/owner-reference.ts";
export type { Owner, OwnerReferenceOptions } from "./object/owner-reference.ts";
export { SelectorError } from "./object/selector-error.ts";
export { compileLabelSelector, matchLabels, parseLabelSelector } from "./object/label-selector.ts";
export type {
  LabelMatcher,
  LabelOperator,
  LabelRequirement,
  LabelSelector,
  LabelSelectorRequirement,
  Labels,
} from "./object/label-selector.ts";
export { escapeFieldValue, parseFieldSelector } from "./object/field-selector.ts";
export type { FieldMatcher, FieldRequirement } from "./object/field-selector.ts";
export {
  QuantityError,
  addQuantities,
  canonicalQuantity,
  compareQuantities,
  isQuantity,
  negateQuantity,
  parseQuantity,
  quantityMilliValue,
  quantityNumber,
  quantityText,
  quantityValue,
  subtractQuantities,
} from "./object/quantity.ts";
export type { Quantity, QuantityFormat } from "./object/quantity.ts";
export { isIntOrPercent, scaledValue } from "./object/int-or-string.ts";
export type { IntOrString } from "./object/int-or-string.ts";
export {
  dns1035LabelErrors,
  dns1123LabelErrors,
  dns1123SubdomainErrors,
  generatedName,
  labelValueErrors,
  pathSegmentNameErrors,
  qualifiedNameErrors,
} from "./object/name.ts";
export type { NameCheck } from "./object/name.ts";

// The wire
export { DecodeError } from "./codec/decode-error.ts";
export { decodeJson, encodeJson } from "./codec/json.ts";
export type { Decoded, EncodeJsonOptions } from "./codec/json.ts";
export { decodeYaml, encodeYaml } from "./codec/yaml.ts";

// Patches
export { applyJsonPatch, decodeJsonPatch, jsonPatchOperationsMax } from "./patch/json-patch.ts";
export type { DecodedJsonPatch } from "./patch/json-patch.ts";
export type { JsonPatchOperation } from "./patch/json-patch-operation.ts";
export type { Value, ValueList, ValueObject } from "./patch/json-value.ts";
export { applyMergePatch, decodeMergePatch } from "./patch/merge-patch.ts";
export type { DecodedMergePatch } from "./patch/merge-patch.ts";
export { patchSchemaOf } from "./patch/patch-schema.ts";
export type { PatchField, PatchSchema } from "./patch/patch-schema.ts";
export { applyStrategicMergePatch } from "./patch/strategic-merge-patch.ts";
export { StrategicPatchError } from "./patch/strategic-directive.ts";
export {
  createJsonPatch,
  createMergePatch,
  createStrategicMergePatch,
  createThreeWayJsonMergePatch,
  createThreeWayMergePatch,
} from "./patch/diff.ts";

// JSONPath
export { JsonPathError } from "./table/jsonpath-parser.ts";
export { parseColumnPath, parseJsonPath, parseRelaxedPath, printResults } from "./table/jsonpath.ts";
export type { JsonPath, JsonPathOptions } from "./table/jsonpath.ts";

// Custom resource definitions
export { customResourceCleanupFinalizer, isCrdConditionTrue } from "./crd/custom-resource-definition.ts";
export type {
  CrdCondition,
  CrdConditionType,
  CrdConversion,
  CrdNames,
  CrdPrinterColumn,
  CrdScale,
  CrdSpec,
  CrdStatus,
  CrdSubresources,
  CrdVersion,
  CustomResourceDefinition,
} from "./crd/custom-resource-definition.ts";
export { defaultCrd } from "./crd/default-crd.ts";
export { prepareCrdForCreate, prepareCrdForStatusUpdate, prepareCrdForUpdate } from "./crd/prepare-crd.ts";
export { validateCrd, validateCrdStatusUpdate, validateCrdUpdate } from "./crd/validate-crd.ts";
export type { CrdVerdict } from "./crd/validate-crd.ts";
export { computeCrdStatus, terminatingCrdStatus } from "./crd/crd-conditions.ts";
export type { CrdStatusContext, CrdTermination } from "./crd/crd-conditions.ts";
export { compareVersions, deprecationWarning } from "./crd/crd-versions.ts";

// Custom resources against their schema
export {
  applyDefaults,
  compileSchema,
  decodeCustomResource,
  validateSchema,
  validateSchemaUpdate,
} from "./schema/structural-schema.ts";
export type { DecodeOptions, DecodedObject, StructuralSchema } from "./schema/structural-schema.ts";
export { validateCustomResource } from "./schema/validate-custom-resource.ts";
export type { CustomResourceCheck, CustomResourceVerdict } from "./schema/validate-custom-resource.ts";
export {
  finalizerWarnings,
  validateCommonFields,
  validateFieldManager,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from "./object/validate-metadata.ts";
export { decodeObjectMeta, decodeObjectMetaLeniently } from "./object/decode-object-meta.ts";
export type { DecodedMeta } from "./object/decode-object-meta.ts";
export type { MetadataCheckOptions } from "./object/validate-metadata.ts";

// Server-side apply and managedFields
export { applyPatch } from "./apply/apply-patch.ts";
export { withConversions } from "./apply/conversions.ts";
export { extractOwned } from "./apply/extract-owned.ts";
export type {
  ApplyRequest,
  ApplyResult,
  FieldManagement,
  ManagedFields,
  ManagedObject,
  TrackUpdateRequest,
} from "./apply/field-management.ts";
export { fieldSetOf } from "./apply/field-set.ts";
export type { FieldSet } from "./apply/field-set.ts";
export { keepManagedFieldsTimes } from "./apply/managed-fields-times.ts";
export { managerName } from "./apply/manager-name.ts";
export { managedFieldsProblem } from "./apply/managers.ts";
export { compileMergeType, deducedType } from "./apply/merge-type.ts";
export type { MergeType } from "./apply/merge-type.ts";
export { parentManagedFields, scaleManagedFields } from "./apply/scale-managers.ts";
export type { ReplicasPaths } from "./apply/scale-managers.ts";
export { mergeTyped } from "./apply/merge-typed.ts";
export { trackUpdate } from "./apply/track-update.ts";
export { zeroObject } from "./apply/zero-object.ts";
