/** A document that cannot be read. The message is Go's, as clients of the API server see it. */
export class DecodeError extends Error {
  override readonly name: string = "DecodeError";
}

/** How deep a document may be nested. Source: encoding/json maxNestingDepth. */
export const depthMax: number = 10_000;
