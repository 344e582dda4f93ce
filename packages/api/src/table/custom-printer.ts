import type { Json } from "../object/object.ts";
import { cellOf } from "./cell-text.ts";
import { nameColumn } from "./column.ts";
import { type JsonPath, parseColumnPath } from "./jsonpath.ts";
import type { TableColumn, TablePrinter } from "./table.ts";

/** One of `additionalPrinterColumns`. Source: apiextensions/v1 CustomResourceColumnDefinition. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly jsonPath: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
}

/** What a kind without columns of its own shows beside the name. */
const defaultColumns: readonly PrinterColumn[] = [
  {
    name: "Age",
    type: "date",
    jsonPath: ".metadata.creationTimestamp",
    description: "The time since the object was created.",
  },
];

interface CompiledColumn {
  readonly type: string;
  readonly path: JsonPath;
}

/**
 * The printer of a custom kind: Name, then the given columns, or Age when there are none. A path that cannot be parsed ends
 * the columns, which only a CRD of an old server can have. Source: apiextensions-apiserver tableconvertor.go.
 */
export function customPrinter(columns: readonly PrinterColumn[] | undefined): TablePrinter {
  const headers: TableColumn[] = [nameColumn];
  const compiled: CompiledColumn[] = [];
  for (const column of columns === undefined || columns.length === 0 ? defaultColumns : columns) {
    const path = compile(column.jsonPath);
    if (path === undefined) break;
    compiled.push({ type: column.type, path });
    headers.push(header(column));
  }
  return {
    columns: headers,
    row: (object, nowMs) => ({
      cells: [object.metadata.name ?? "", ...compiled.map((column) => cell(column, object, nowMs))],
    }),
  };
}

function header({ name, type, jsonPath, format, description, priority }: PrinterColumn): TableColumn {
  const fallback = `Column of the custom resource definition, JSONPath ${jsonPath}`;
  return {
    name,
    type,
    format: format ?? "",
    description: description === undefined || description === "" ? fallback : description,
    priority: priority ?? 0,
  };
}

function compile(jsonPath: string): JsonPath | undefined {
  try {
    return parseColumnPath(jsonPath);
  } catch {
    return undefined;
  }
}

/** The first value that the path finds; null when it finds none or fails on this object. */
function cell({ type, path }: CompiledColumn, object: unknown, nowMs: number): Json {
  let found: unknown[] | undefined;
  try {
    found = path.find(object)[0];
  } catch {
    return null;
  }
  return found === undefined || found.length === 0 ? null : cellOf(type, found[0], nowMs);
}
