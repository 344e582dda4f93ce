/** Subresources, printer columns and selectable fields. Source: apiextensions validation.go. */
import type { JsonSchema } from "../schema/json-schema.ts";
import { fieldChild, fieldKey } from "../status/field-error.ts";
import type { CrdPrinterColumn, CrdSubresources } from "./custom-resource-definition.ts";
import type { ErrorList } from "./error-list.ts";
import { resolveFieldPath } from "./field-path.ts";
import { structuralConversionError } from "./structural-rules.ts";

export function checkSubresources(
  subresources: CrdSubresources | undefined,
  path: string,
  list: ErrorList,
): void {
  const scale = subresources?.scale;
  if (scale === undefined || scale === null) return;
  const place = `${fieldChild(path, "scale")}.`;
  const spec = ["spec"];
  checkScalePath(scale.specReplicasPath ?? "", `${place}specReplicasPath`, spec, "under .spec", list);
  checkScalePath(
    scale.statusReplicasPath ?? "",
    `${place}statusReplicasPath`,
    ["status"],
    "under .status",
    list,
  );
  const selector = scale.labelSelectorPath ?? "";
  if (selector === "") return;
  const either = "under either .spec or .status";
  checkScalePath(selector, `${place}labelSelectorPath`, ["spec", "status"], either, list);
}

function checkScalePath(
  jsonPath: string,
  field: string,
  roots: readonly string[],
  where: string,
  list: ErrorList,
): void {
  if (jsonPath === "") list.required(field);
  else if (!jsonPath.startsWith("."))
    list.invalid(field, jsonPath, "must be a simple json path starting with .");
  else if (!roots.some((root) => jsonPath.startsWith(`.${root}.`))) {
    list.invalid(field, jsonPath, `should be a json path ${where}`);
  }
}

const columnTypes = ["boolean", "date", "integer", "number", "string"];
const columnFormats = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];

export function checkColumns(
  columns: readonly CrdPrinterColumn[] | undefined,
  path: string,
  list: ErrorList,
): void {
  for (const [i, column] of (columns ?? []).entries()) checkColumn(column, fieldKey(path, i), list);
}

function checkColumn(column: CrdPrinterColumn, path: string, list: ErrorList): void {
  const { name = "", type = "", format = "", jsonPath = "" } = column;
  if (name === "") list.required(fieldChild(path, "name"));
  const oneOf = `must be one of ${columnTypes.join(",")}`;
  if (type === "") list.required(fieldChild(path, "type"), oneOf);
  else if (!columnTypes.includes(type)) list.invalid(fieldChild(path, "type"), type, oneOf);
  if (format !== "" && !columnFormats.includes(format)) {
    list.invalid(fieldChild(path, "format"), format, `must be one of ${columnFormats.join(",")}`);
  }
  const place = fieldChild(path, "JSONPath");
  if (jsonPath === "") list.required(place);
  else if (!jsonPath.startsWith("."))
    list.invalid(place, jsonPath, "must be a simple json path starting with .");
}

const selectableFieldsMaxCount = 8;

export interface SelectableFieldsPlace {
  readonly path: string;
  /** Where a schema that is not structural is reported. */
  readonly schemaPath: string;
  /** True: more than eight were stored before and stay. */
  readonly allowTooMany: boolean;
}

export function checkSelectableFields(
  fields: readonly { readonly jsonPath: string }[],
  schema: JsonSchema | undefined,
  place: SelectableFieldsPlace,
  list: ErrorList,
): void {
  const conversionError = schema === undefined ? undefined : structuralConversionError(schema);
  if (conversionError !== undefined) list.invalid(place.schemaPath, "", conversionError);
  const seen = new Set<string>();
  for (const [i, { jsonPath = "" }] of fields.entries()) {
    const field = fieldChild(fieldKey(place.path, i), "jsonPath");
    if (jsonPath === "") {
      list.required(field);
      continue;
    }
    const found = resolveFieldPath(jsonPath, schema ?? {});
    if ("error" in found) {
      list.invalid(field, jsonPath, `is an invalid path: ${found.error}`);
      continue;
    }
    if (found.root === "metadata") list.invalid(field, jsonPath, "must not point to fields in metadata");
    const { type } = found.schema;
    if (type !== "string" && type !== "boolean" && type !== "integer") {
      const detail =
        "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.";
      list.invalid(field, jsonPath, detail);
    }
    if (seen.has(found.path)) list.duplicate(field, jsonPath);
    seen.add(found.path);
  }
  if (seen.size > selectableFieldsMaxCount && !place.allowTooMany) {
    const detail = `must have at most ${selectableFieldsMaxCount} items`;
    list.errors.push({ type: "TooMany", field: place.path, badValue: seen.size, detail });
  }
}
