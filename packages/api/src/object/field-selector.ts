/** One condition of a field selector. */
export interface FieldRequirement {
  /** `metadata.name`. */
  readonly field: string;
  readonly operator: "=" | "==" | "!=";
  readonly value: string;
}

/** A compiled field selector. Which fields a kind offers is the server's to check, from `requirements`. */
export interface FieldMatcher {
  readonly requirements: readonly FieldRequirement[];
  readonly everything: boolean;
  /** @param valueOf the text of a field; absent fields are `""` */
  matches(valueOf: (field: string) => string): boolean;
  /** The value that `field` must have, when a requirement pins it to one: lets `metadata.name=x` become a direct read. */
  exactMatch(field: string): string | undefined;
  /** The canonical text with escapes. */
  toString(): string;
}

/**
 * Compiles a `fieldSelector` query: `metadata.name=x,status.phase!=Running`.
 * @throws SelectorError
 */
export declare function parseFieldSelector(text: string): FieldMatcher;
