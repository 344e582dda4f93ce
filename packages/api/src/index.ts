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

// Kinds
export { apiVersionOf, kindText, parseApiVersion, resourcePath } from "./kind/kind.ts";
export type { CreateOf, Kind, KindOf } from "./kind/kind.ts";

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
export { causeReason, fieldChild, fieldErrorBody, fieldErrorText, fieldErrorsText, fieldKey, quote } from "./status/field-error.ts";
export type { FieldError, FieldErrorType } from "./status/field-error.ts";

// Schemas
export type { JsonSchema, ValidationRule } from "./schema/json-schema.ts";

// CEL
export { checkSchemaRules } from "./cel/schema-check.ts";
export type { SchemaRulesCheckOptions } from "./cel/schema-check.ts";
export { compileSchemaRules, schemaRulesBudget } from "./cel/schema-rules.ts";
export type { CompileSchemaRulesOptions, SchemaRules, SchemaRulesOptions, SchemaRulesResult } from "./cel/schema-rules.ts";

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
export { customApiResource } from "./discovery/custom-api-resource.ts";
export type { PublishedCustomResource } from "./discovery/custom-api-resource.ts";

// Tables
export { buildTable } from "./table/table.ts";
export type { Table, TableColumn, TableOptions, TablePrinter, TableRow } from "./table/table.ts";
export { customPrinter } from "./table/custom-printer.ts";
export type { PrinterColumn } from "./table/custom-printer.ts";
