/** A document that cannot be read. The message is Go's, as clients of the API server see it. */
export class DecodeError extends Error {
  override readonly name: string = "DecodeError";
}

/**
 * How deep a JSON document may be nested. Go's limit is 10,000 (encoding/json maxNestingDepth); what walks through objects here
 * is recursive, and a process whose stack runs out while a pattern is compiled ends at once.
 */
export const depthMax: number = 2_000;

/** The same for YAML, whose parser needs more of the stack for each level. */
export const yamlDepthMax: number = 300;
