import type { Json } from "../object/object.ts";

/** What a decoder found in a document. */
export interface Decoded {
  readonly value: Json;
  /**
   * One text per field that occurs more than once in its object, in document order, in the words of strict field
   * validation: `duplicate field "spec.containers[0].name"`. The last occurrence won.
   */
  readonly duplicateFields: readonly string[];
}

/** A document that cannot be read. The message is Go's, as clients of the API server see it. */
export class DecodeError extends Error {
  override readonly name: string = "DecodeError";
}

/** @throws DecodeError */
export function decodeJson(text: string): Decoded {
  return { value: JSON.parse(text) as Json, duplicateFields: [] };
}

export interface EncodeJsonOptions {
  /** Two spaces of indentation and a line per field, as `?pretty=true` answers. */
  readonly pretty?: boolean;
}

/** The text of a JSON value as the API server writes it. A bigint becomes its digits. */
export function encodeJson(value: unknown, options: EncodeJsonOptions = {}): string {
  return JSON.stringify(value, undefined, options.pretty ? 2 : undefined);
}
