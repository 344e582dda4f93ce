import type { DeepReadonly, Json, KubeObject } from "../object/object.ts";
import type { TableColumn, TablePrinter, TableRowCondition } from "./table.ts";

/** A column that is always shown. */
export function column(name: string, type: string, description: string, format = ""): TableColumn {
  return { name, type, format, description, priority: 0 };
}

/** A column that only `-o wide` shows. */
export function wideColumn(name: string, type: string, description: string, format = ""): TableColumn {
  return { name, type, format, description, priority: 1 };
}

export const nameColumn: TableColumn = column(
  "Name",
  "string",
  "The name of the object, unique in its namespace.",
  "name",
);
export const ageColumn: TableColumn = column("Age", "string", "The time since the object was created.");

/** The printer of one kind, typed by what it prints. */
export function printerOf<T extends KubeObject>(
  columns: readonly TableColumn[],
  cells: (object: DeepReadonly<T>, nowMs: number) => Json[],
  conditions?: (object: DeepReadonly<T>) => readonly TableRowCondition[] | undefined,
): TablePrinter {
  return {
    columns,
    row(object, nowMs) {
      // The caller looked this printer up by the object's kind.
      const typed = object as unknown as DeepReadonly<T>;
      const own = conditions?.(typed);
      return own === undefined
        ? { cells: cells(typed, nowMs) }
        : { cells: cells(typed, nowMs), conditions: own };
    },
  };
}
