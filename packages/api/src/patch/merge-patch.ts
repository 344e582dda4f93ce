import type { Json } from "../object/object.ts";

/** A merge patch body, read. */
export interface DecodedMergePatch {
  readonly patch: Json;
  /** Texts of strict field validation: `duplicate field "spec.x"`. */
  readonly strictErrors: readonly string[];
}

/** @throws StatusError 400 for a body that is no JSON object */
export declare function decodeMergePatch(text: string): DecodedMergePatch;

/** The value after an RFC 7386 merge patch: null removes, objects merge, all else replaces. Same value when nothing changes. */
export declare function applyMergePatch(value: Json, patch: Json): Json;
