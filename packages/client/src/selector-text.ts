import { type DeepReadonly, type LabelSelector, compileLabelSelector } from "@bowline/api";

/** A label selector as it stands in a query, or undefined when it selects everything. @throws SelectorError */
export function labelSelectorText(
  selector: string | DeepReadonly<LabelSelector> | undefined,
): string | undefined {
  if (selector === undefined || typeof selector === "string") return selector || undefined;
  return compileLabelSelector(selector as LabelSelector).toString() || undefined;
}

/**
 * A field selector as it stands in a query: `status.phase=Running`, or undefined when it selects everything. Values may
 * hold any character. Source: fields/selector.go EscapeValue.
 */
export function fieldSelectorText(
  selector: string | Readonly<Record<string, string>> | undefined,
): string | undefined {
  if (selector === undefined || typeof selector === "string") return selector || undefined;
  const escape = (value: string): string => value.replace(/[\\,=]/g, (special) => `\\${special}`);
  const pairs = Object.entries(selector).map(([field, value]) => `${field}=${escape(value)}`);
  return pairs.join(",") || undefined;
}
