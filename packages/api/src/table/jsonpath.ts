/** A compiled JSONPath template as kubectl reads it. */
export interface JsonPath {
  /** The values that each `{...}` finds, in order; texts outside of braces are left out. */
  find(value: unknown): unknown[][];
  /** The template filled in, as `kubectl get -o jsonpath=` prints. @throws JsonPathError for a missing key (unless allowed) */
  print(value: unknown): string;
}

export interface JsonPathOptions {
  /** A key that is not there finds nothing instead of being an error. Default false. */
  readonly allowMissingKeys?: boolean;
}

/** A template that cannot be read or evaluated; the message is kubectl's. */
export class JsonPathError extends Error {
  override readonly name: string = "JsonPathError";
}

/** Compiles a template: `{.items[*].metadata.name}`. @throws JsonPathError */
export declare function parseJsonPath(template: string, options?: JsonPathOptions): JsonPath;

/** Compiles a column's path as CRDs and `-o custom-columns` write it: `.spec.x`, `spec.x` or `{.spec.x}`. @throws JsonPathError */
export declare function parseColumnPath(path: string): JsonPath;
