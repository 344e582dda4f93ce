import type { Json } from "../object/object.ts";

/** One operation of an RFC 6902 JSON patch. */
export interface JsonPatchOperation {
  readonly op: "add" | "remove" | "replace" | "move" | "copy" | "test";
  /** RFC 6901 pointer: `/spec/replicas`, `/metadata/labels/example.com~1x`. */
  readonly path: string;
  /** Source pointer of move and copy. */
  readonly from?: string;
  /** Value of add, replace and test. */
  readonly value?: unknown;
}

/** How many operations the API server accepts in one patch. */
export const jsonPatchOperationsMax: number = 10_000;

/** A patch body, read. */
export interface DecodedJsonPatch {
  readonly operations: readonly JsonPatchOperation[];
  /** Texts of strict field validation: `json patch duplicate field "[0].path"`. */
  readonly strictErrors: readonly string[];
}

/**
 * Reads a JSON patch body as the API server does.
 * @throws StatusError 400 for what is no JSON patch, 413 for more than `jsonPatchOperationsMax` operations
 */
export declare function decodeJsonPatch(text: string): DecodedJsonPatch;

/**
 * The value after all operations; shares every part that no operation touched, and is the same value when none changed
 * anything.
 * @throws StatusError 422 when a path is not there or a test fails
 */
export declare function applyJsonPatch(value: Json, operations: readonly JsonPatchOperation[]): Json;
