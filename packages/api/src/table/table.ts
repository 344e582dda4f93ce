import type { DeepReadonly, Json, KubeObject, ListMeta } from "../object/object.ts";

export interface TableColumn {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  /** 0: always shown; above 0: only with `-o wide`. */
  readonly priority: number;
}

export interface TableRow {
  readonly cells: readonly Json[];
  readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason?: string; readonly message?: string }[];
  readonly object: unknown;
}

/** Source: meta/v1 Table. */
export interface Table {
  readonly kind: "Table";
  readonly apiVersion: string;
  readonly metadata: ListMeta;
  readonly columnDefinitions: readonly TableColumn[] | null;
  readonly rows: readonly TableRow[];
}

/** How the objects of one kind are shown. Made once per kind (compiles paths), used for every table. */
export interface TablePrinter {
  readonly columns: readonly TableColumn[];
  /** One row without its object. @param nowMs the time that ages are counted to, in ms since 1970 */
  row(object: DeepReadonly<KubeObject>, nowMs: number): { cells: Json[]; conditions?: TableRow["conditions"] };
}

export interface TableOptions {
  readonly nowMs: number;
  /** Value of the query `includeObject`; default Metadata. Validate it with `parseIncludeObject`. */
  readonly includeObject?: "None" | "Metadata" | "Object";
  /** `v1` (default) or `v1beta1` of meta.k8s.io. */
  readonly version?: "v1" | "v1beta1";
  /** Of the list, or `{ resourceVersion }` of the single object. */
  readonly metadata: ListMeta;
  /** False for the second and later events of a watch: columnDefinitions is null then. Default true. */
  readonly withColumns?: boolean;
}

/** The Table that answers a get, list or watch event. Objects are shared, not copied. */
export function buildTable(printer: TablePrinter, objects: readonly DeepReadonly<KubeObject>[], options: TableOptions): Table {
  throw new Error(`not built yet (${objects.length} ${options.nowMs} ${printer.columns.length})`);
}
