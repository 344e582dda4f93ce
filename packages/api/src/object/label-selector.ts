import { type FieldError, fieldErrorText, fieldErrorsText } from "../status/field-error.ts";
import { parseRequirements } from "./label-selector-parser.ts";
import { labelValueErrors, qualifiedNameErrors } from "./name.ts";
import { type DeepReadonly } from "./object.ts";
import { SelectorError } from "./selector-error.ts";

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

/** How a requirement relates key and values, in the words of the query text. */
export type LabelOperator = "in" | "notin" | "exists" | "!" | "=" | "==" | "!=" | "gt" | "lt";

/** One condition of a selector. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  /** Sorted. One for `=`, `==`, `!=`, `gt`, `lt`; none for `exists` and `!`. */
  readonly values: readonly string[];
}

/** A compiled selector: parse once, match many objects. */
export interface LabelMatcher {
  /** Sorted by key; none matches everything (unless `nothing`). */
  readonly requirements: readonly LabelRequirement[];
  /** Matches every object: lets callers skip the test. */
  readonly everything: boolean;
  /** Matches no object: lets callers skip the search. */
  readonly nothing: boolean;
  matches(labels: Labels): boolean;
  /** The canonical query text: `app=web,tier in (a,b)`; empty for everything and for nothing. */
  toString(): string;
}

/**
 * Compiles a `labelSelector` query: `app=web,tier in (a,b),!debug`. Empty or blank selects everything.
 * @throws SelectorError with the API server's wording
 * Source of grammar and rules: k8s.io/apimachinery pkg/labels (selector.go).
 */
export function parseLabelSelector(text: string): LabelMatcher {
  return matcherOf(parseRequirements(text, checkKey, checkRequirement));
}

/**
 * Compiles a LabelSelector object: undefined or null selects nothing, `{}` everything.
 * @throws SelectorError
 * Source: meta/v1 LabelSelectorAsSelector.
 */
export function compileLabelSelector(selector: DeepReadonly<LabelSelector> | null | undefined): LabelMatcher {
  if (selector === undefined || selector === null) return nothingMatcher;
  const requirements: LabelRequirement[] = [];
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) {
    requirements.push(checkRequirement({ key, operator: "=", values: [value] }));
  }
  for (const { key, operator, values } of selector.matchExpressions ?? []) {
    requirements.push(
      checkRequirement({ key, operator: objectOperator(operator), values: [...(values ?? [])].sort() }),
    );
  }
  return matcherOf(requirements);
}

/** Compiles plain labels: an object matches that has them all. None selects everything. Does not check their form. */
export function matchLabels(labels: Readonly<Record<string, string>>): LabelMatcher {
  return matcherOf(
    Object.entries(labels).map(([key, value]) => ({ key, operator: "=" as const, values: [value] })),
  );
}

const nothingMatcher: LabelMatcher = {
  requirements: [],
  everything: false,
  nothing: true,
  matches: () => false,
  toString: () => "",
};

function matcherOf(unsorted: readonly LabelRequirement[]): LabelMatcher {
  const requirements = [...unsorted].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  const tests = requirements.map(compileRequirement);
  return {
    requirements,
    everything: tests.length === 0,
    nothing: false,
    matches: (labels) => tests.every((test) => test(labels)),
    toString: () => requirements.map(requirementText).join(","),
  };
}

/** The test of one requirement: notin, != and ! also match objects that lack the key. */
function compileRequirement({ key, operator, values }: LabelRequirement): (labels: Labels) => boolean {
  const only = values[0] ?? "";
  const wanted: ReadonlySet<string> = new Set(values);
  const value = (labels: Labels): string | undefined =>
    labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case "=":
    case "==":
      return (labels) => value(labels) === only;
    case "!=":
      return (labels) => value(labels) !== only;
    case "in":
      return (labels) => wanted.has(value(labels) ?? absent);
    case "notin":
      return (labels) => !wanted.has(value(labels) ?? absent);
    case "exists":
      return (labels) => value(labels) !== undefined;
    case "!":
      return (labels) => value(labels) === undefined;
    case "gt":
    case "lt":
      return compareTest(value, operator, only);
  }
}

/** Stands for the value of a missing label; no label value contains it. */
const absent = "\0";

function compareTest(
  value: (labels: Labels) => string | undefined,
  operator: "gt" | "lt",
  bound: string,
): (labels: Labels) => boolean {
  const limit = parseInt64(bound);
  return (labels) => {
    const number = parseInt64(value(labels) ?? "");
    if (number === undefined || limit === undefined) return false;
    return operator === "gt" ? number > limit : number < limit;
  };
}

/** A decimal integer of 64 bits; undefined for anything else. */
function parseInt64(text: string): bigint | undefined {
  if (!/^[-+]?[0-9]+$/.test(text)) return undefined;
  const value = BigInt(text.startsWith("+") ? text.slice(1) : text);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

function requirementText({ key, operator, values }: LabelRequirement): string {
  switch (operator) {
    case "exists":
      return key;
    case "!":
      return `!${key}`;
    case "in":
    case "notin":
      return `${key} ${operator} (${values.join(",")})`;
    case "gt":
      return `${key}>${values.join(",")}`;
    case "lt":
      return `${key}<${values.join(",")}`;
    default:
      return `${key}${operator}${values.join(",")}`;
  }
}

function objectOperator(operator: string): LabelOperator {
  switch (operator) {
    case "In":
      return "in";
    case "NotIn":
      return "notin";
    case "Exists":
      return "exists";
    case "DoesNotExist":
      return "!";
    default:
      throw new SelectorError(`${JSON.stringify(operator)} is not a valid label selector operator`);
  }
}

function checkKey(key: string): void {
  const details = qualifiedNameErrors(key);
  if (details.length > 0)
    throw new SelectorError(fieldErrorText(invalidField("<nil>", key, details.join("; "))));
}

function checkRequirement(requirement: LabelRequirement): LabelRequirement {
  const { key, values } = requirement;
  const errors: FieldError[] = [];
  const keyDetails = qualifiedNameErrors(key);
  if (keyDetails.length > 0) errors.push(invalidField("key", key, keyDetails.join("; ")));
  errors.push(...countErrors(requirement));
  values.forEach((value, index) => {
    const details = labelValueErrors(value);
    if (details.length > 0) errors.push(invalidField(`values[${index}][${key}]`, value, details.join("; ")));
  });
  if (errors.length > 0) throw new SelectorError(fieldErrorsText(errors));
  return requirement;
}

function countErrors({ operator, values }: LabelRequirement): FieldError[] {
  const bad = values.length === 0 ? undefined : values;
  switch (operator) {
    case "in":
    case "notin":
      if (values.length > 0) return [];
      return [invalidField("values", bad, "for 'in', 'notin' operators, values set can't be empty")];
    case "exists":
    case "!":
      if (values.length === 0) return [];
      return [invalidField("values", bad, "values set must be empty for exists and does not exist")];
    case "gt":
    case "lt":
      return values.flatMap((value, index) =>
        parseInt64(value) === undefined
          ? [
              invalidField(
                `values[${index}]`,
                value,
                "for 'Gt', 'Lt' operators, the value must be an integer",
              ),
            ]
          : [],
      );
    default:
      return [];
  }
}

function invalidField(field: string, badValue: unknown, detail: string): FieldError {
  return { type: "Invalid", field, badValue, detail };
}
