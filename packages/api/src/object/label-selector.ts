/** A label selector as objects hold it. Source: meta/v1 LabelSelector. */
export interface LabelSelector {
  matchLabels?: Record<string, string>;
  matchExpressions?: LabelSelectorRequirement[];
}

/** Source: meta/v1 LabelSelectorRequirement. */
export interface LabelSelectorRequirement {
  key: string;
  operator: "In" | "NotIn" | "Exists" | "DoesNotExist" | (string & {});
  values?: string[];
}

/** Labels of an object; undefined for none. */
export type Labels = Readonly<Record<string, string>> | undefined;

/** One condition of a selector. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: "in" | "notin" | "exists" | "!" | "=" | "==" | "!=" | "gt" | "lt";
  readonly values: readonly string[];
}

/** A compiled selector. */
export interface LabelMatcher {
  /** Sorted by key; empty matches everything (unless `nothing`). */
  readonly requirements: readonly LabelRequirement[];
  /** Matches every object: lets callers skip the test. */
  readonly everything: boolean;
  /** Matches no object. */
  readonly nothing: boolean;
  matches(labels: Labels): boolean;
  /** The canonical query text: `app=web,tier in (a,b)`. */
  toString(): string;
}

/** A selector that cannot be read; the message is the API server's. */
export class SelectorError extends Error {
  override readonly name: string = "SelectorError";
}

/**
 * Compiles a `labelSelector` query: `app=web,tier in (a,b),!debug`. Empty or blank selects everything.
 * @throws SelectorError
 */
export declare function parseLabelSelector(text: string): LabelMatcher;

/**
 * Compiles a LabelSelector object: undefined or null selects nothing, `{}` everything.
 * @throws SelectorError
 */
export declare function compileLabelSelector(selector: LabelSelector | null | undefined): LabelMatcher;
