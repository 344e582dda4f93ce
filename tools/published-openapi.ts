/**
 * What a server publishes about CRDs, in the form in which the real server's was recorded: without prose, without the shared
 * meta types, and of operations only what tells them apart (`conformance/crds/README.md`).
 */
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** The parts of a CustomResourceDefinition that publishing depends on. */
export interface PublishedCrd {
  metadata: { name: string };
  spec: {
    group: string;
    scope: string;
    names: { plural: string; singular?: string; kind: string; listKind?: string };
    versions: {
      name: string;
      served: boolean;
      storage: boolean;
      schema?: { openAPIV3Schema?: object };
      subresources?: { status?: unknown; scale?: unknown };
      selectableFields?: { jsonPath: string }[];
    }[];
  };
}

/** A CRD and the file it is in, relative to the directory. */
export interface CrdFile {
  readonly file: string;
  readonly text: string;
  readonly crd: PublishedCrd;
}

/** Every JSON file below a directory that is a CRD, sorted by path. */
export function readCrds(directory: string): CrdFile[] {
  const files = readdirSync(directory, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".json"),
  );
  const out: CrdFile[] = [];
  for (const file of files.sort()) {
    const path = join(directory, file);
    if (!statSync(path).isFile()) continue;
    const text = readFileSync(path, "utf8");
    const value = JSON.parse(text) as { kind?: unknown };
    if (value.kind === "CustomResourceDefinition")
      out.push({ file, text, crd: value as unknown as PublishedCrd });
  }
  return out;
}

/** One operation as it was recorded. */
export interface RecordedOperation {
  action: string;
  operationId: string;
  /** Of the operation itself, without those of its path. */
  params: string[];
  responses: string[];
}

/** What was recorded of a group and version. */
export interface RecordedDocument {
  paths: Record<string, Record<string, RecordedOperation>>;
  schemas: Record<string, unknown>;
}

export function readRecord<T>(path: string): T | undefined {
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as T) : undefined;
}

/** A document of version 3 as it would have been recorded. */
export function recordOf(document: {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
}): RecordedDocument {
  const paths = Object.entries(document.paths).map(([path, item]) => [path, recordedOperations(item)]);
  return {
    paths: Object.fromEntries(paths) as RecordedDocument["paths"],
    schemas: recordedSchemas(document.components.schemas, "io.k8s.apimachinery."),
  };
}

function recordedOperations(item: Readonly<Record<string, unknown>>): Record<string, RecordedOperation> {
  const operations: Record<string, RecordedOperation> = {};
  for (const [method, value] of Object.entries(item)) {
    if (method === "parameters") continue;
    const operation = value as {
      operationId: string;
      parameters?: { name: string }[];
      responses: Record<string, unknown>;
      "x-kubernetes-action": string;
    };
    operations[method] = {
      action: operation["x-kubernetes-action"],
      operationId: operation.operationId,
      params: (operation.parameters ?? []).map((parameter) => parameter.name),
      responses: Object.keys(operation.responses),
    };
  }
  return operations;
}

/**
 * Schemas without prose.
 * @param leftOut the record has no schemas whose names begin so: shared types in version 3, all of `io.k8s.` in version 2
 */
export function recordedSchemas(
  schemas: Readonly<Record<string, unknown>>,
  leftOut: "io.k8s.apimachinery." | "io.k8s.",
): Record<string, unknown> {
  const entries = Object.entries(schemas).filter(([name]) => !name.startsWith(leftOut));
  return withoutProse(Object.fromEntries(entries)) as Record<string, unknown>;
}

/** A `description` is prose where its value is a text; a property may have that name too. */
function withoutProse(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutProse);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([key, v]) => key !== "description" || typeof v !== "string");
  return Object.fromEntries(entries.map(([key, v]) => [key, withoutProse(v)]));
}
