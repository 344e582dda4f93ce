import type { DeepReadonly, Json, KubeObject, ListMeta } from "../object/object.ts";
import { type StatusError, badRequest } from "../status/status-error.ts";
import { quote } from "../status/field-error.ts";

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
  readonly conditions?: readonly TableRowCondition[];
  /** A PartialObjectMetadata, the object, or null. */
  readonly object: unknown;
}

/** Says of a row that it is done with: `{ type: "Completed", status: "True", reason: "Succeeded" }`. */
export interface TableRowCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

/** Source: meta/v1 Table. */
export interface Table {
  readonly kind: "Table";
  readonly apiVersion: string;
  readonly metadata: ListMeta;
  readonly columnDefinitions: readonly TableColumn[] | null;
  readonly rows: readonly TableRow[];
}

/** How the objects of one kind are shown. Made once per kind (it compiles paths), used for every table. */
export interface TablePrinter {
  readonly columns: readonly TableColumn[];
  /** One row without its object. @param nowMs the time that ages are counted to, in ms since 1970 */
  row(
    object: DeepReadonly<KubeObject>,
    nowMs: number,
  ): { cells: Json[]; conditions?: readonly TableRowCondition[] };
}

/** How much of each object comes with its row. */
export type IncludeObject = "None" | "Metadata" | "Object";

/** The version of meta.k8s.io that was asked for. */
export type MetaVersion = "v1" | "v1beta1";

export interface TableOptions {
  readonly nowMs: number;
  /** Default Metadata. Parse the query with `parseIncludeObject`. */
  readonly includeObject?: IncludeObject;
  /** Default v1. */
  readonly version?: MetaVersion;
  /** Of the list, or `{ resourceVersion }` of the single object. */
  readonly metadata: ListMeta;
  /** False for the second and later events of a watch: columnDefinitions is null then. Default true. */
  readonly withColumns?: boolean;
}

/** The Table that answers a get, list or watch event. Objects are shared, not copied. */
export function buildTable(
  printer: TablePrinter,
  objects: readonly DeepReadonly<KubeObject>[],
  options: TableOptions,
): Table {
  const version = options.version ?? "v1";
  const include = options.includeObject ?? "Metadata";
  return {
    kind: "Table",
    apiVersion: `meta.k8s.io/${version}`,
    metadata: typedListMeta(options.metadata),
    columnDefinitions: options.withColumns === false ? null : printer.columns,
    rows: objects.map((object) => ({
      ...printer.row(object, options.nowMs),
      object: includedObject(object, include, version),
    })),
  };
}

/** Metadata of lists that Go has a type for: unlike those of custom resources, the last page's has no empty `continue`. */
export function typedListMeta(metadata: ListMeta): ListMeta {
  if (metadata.continue !== "") return metadata;
  const { continue: _last, ...rest } = metadata;
  return rest;
}

function includedObject(
  object: DeepReadonly<KubeObject>,
  include: IncludeObject,
  version: MetaVersion,
): unknown {
  if (include === "None") return null;
  return include === "Object" ? object : partialObjectMetadata(object, version);
}

/** An object's metadata alone. Source: meta/v1 PartialObjectMetadata. */
export interface PartialObjectMetadata {
  readonly kind: "PartialObjectMetadata";
  readonly apiVersion: string;
  readonly metadata: DeepReadonly<KubeObject["metadata"]>;
}

/** The PartialObjectMetadata of an object; the metadata is shared. */
export function partialObjectMetadata(
  object: DeepReadonly<KubeObject>,
  version: MetaVersion = "v1",
): PartialObjectMetadata {
  return { kind: "PartialObjectMetadata", apiVersion: `meta.k8s.io/${version}`, metadata: object.metadata };
}

/**
 * The query parameter `includeObject` of a request for a Table; empty is Metadata.
 * @throws StatusError 400 for any other text
 */
export function parseIncludeObject(text: string | null | undefined): IncludeObject {
  if (text === null || text === undefined || text === "") return "Metadata";
  if (text === "None" || text === "Metadata" || text === "Object") return text;
  throw invalidIncludeObject(text);
}

function invalidIncludeObject(text: string): StatusError {
  const problem = `Invalid value: ${quote(text)}: must be 'Metadata', 'Object', 'None', or empty`;
  return badRequest(`Unable to convert to Table as requested: includeObject: ${problem}`);
}
