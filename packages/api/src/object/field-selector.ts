import { SelectorError } from "./selector-error.ts";

/** One condition of a field selector. */
export interface FieldRequirement {
  /** `metadata.name`. */
  readonly field: string;
  /** `==` in a query is the same as `=`. */
  readonly operator: "=" | "!=";
  /** Without escapes. */
  readonly value: string;
}

/** A compiled field selector. Which fields a kind offers is the server's to check, from `requirements`. */
export interface FieldMatcher {
  readonly requirements: readonly FieldRequirement[];
  /** Matches every object: lets callers skip the test. */
  readonly everything: boolean;
  /** @param valueOf the text of a field; absent fields are `""` */
  matches(valueOf: (field: string) => string): boolean;
  /** The value that `field` must have, when a requirement pins it to one: lets `metadata.name=x` become a direct read. */
  exactMatch(field: string): string | undefined;
  /** The canonical text with escapes. */
  toString(): string;
}

/**
 * Compiles a `fieldSelector` query: `metadata.name=x,status.phase!=Running`. `\`, `,` and `=` in values are escaped by `\`.
 * Empty terms are skipped, so `,` selects everything.
 * @throws SelectorError with the API server's wording
 * Source: k8s.io/apimachinery pkg/fields (selector.go).
 */
export function parseFieldSelector(text: string): FieldMatcher {
  const requirements = splitTerms(text)
    .sort()
    .filter((term) => term !== "")
    .map((term) => parseTerm(term, text))
    // A term without field and value, such as `=`, requires nothing.
    .filter(({ field, value }) => field !== "" || value !== "");
  return matcherOf(requirements);
}

/** Escapes a value for use in a field selector query. */
export function escapeFieldValue(value: string): string {
  return value.replace(/[\\,=]/g, "\\$&");
}

function matcherOf(requirements: readonly FieldRequirement[]): FieldMatcher {
  return {
    requirements,
    everything: requirements.length === 0,
    matches: (valueOf) =>
      requirements.every(({ field, operator, value }) => (valueOf(field) === value) === (operator === "=")),
    exactMatch: (field) => requirements.find((r) => r.field === field && r.operator === "=")?.value,
    toString: () => requirements.map((r) => `${r.field}${r.operator}${escapeFieldValue(r.value)}`).join(","),
  };
}

/** Splits at commas that no backslash precedes. */
function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === "\\") i++;
    else if (text[i] === ",") {
      terms.push(text.slice(start, i));
      start = i + 1;
    }
  }
  terms.push(text.slice(start));
  return terms;
}

function parseTerm(term: string, text: string): FieldRequirement {
  const match = /^(.*?)(!=|==|=)(.*)$/s.exec(term);
  if (match === null) throw new SelectorError(`invalid selector: '${text}'; can't understand '${term}'`);
  const [, field = "", operator, value = ""] = match;
  return { field, operator: operator === "!=" ? "!=" : "=", value: unescapeValue(value) };
}

function unescapeValue(value: string): string {
  if (!/[\\,=]/.test(value)) return value;
  let out = "";
  let escaped = false;
  for (const char of value) {
    const special = char === "\\" || char === "," || char === "=";
    if (escaped && !special) {
      throw new SelectorError(`invalid field selector: invalid escape sequence: \\${char}`);
    }
    if (escaped || !special) {
      out += char;
      escaped = false;
    } else if (char === "\\") escaped = true;
    else
      throw new SelectorError(`invalid field selector: unescaped character in value: ${char.charCodeAt(0)}`);
  }
  if (escaped) throw new SelectorError("invalid field selector: invalid escape sequence: \\");
  return out;
}
