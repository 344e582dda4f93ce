import type { TablePrinter } from "./table.ts";

/** The printer of a built-in kind, with the columns of the real server; kinds without their own show Name and Created At. */
export function builtinPrinter(kind: { group: string; kind: string }): TablePrinter {
  throw new Error(`not built yet (${kind.kind})`);
}
