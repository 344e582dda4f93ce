/** A number or text on the wire: `3`, `"50%"`, `"http"`. Source: k8s.io/apimachinery pkg/util/intstr IntOrString. */
export type IntOrString = number | string;

/**
 * The number that the value stands for: an integer as it is, a percentage of `total`.
 * @param options `rounding` says which way a fraction goes: `maxSurge` rounds up, `maxUnavailable` down
 * @throws RangeError in the server's words for text that is no percentage
 * Source of the rule: pkg/util/intstr GetScaledValueFromIntOrPercent.
 */
export function scaledValue(
  value: IntOrString,
  options: { readonly total: number; readonly rounding: "up" | "down" },
): number {
  if (typeof value === "number") return value;
  const scaled = (percentOf(value) * options.total) / 100;
  return options.rounding === "up" ? Math.ceil(scaled) : Math.floor(scaled);
}

/** Whether the value is an integer or a percentage, as `scaledValue` wants it. */
export function isIntOrPercent(value: IntOrString): boolean {
  return typeof value === "number" || percentPattern.test(value);
}

const percentPattern = /^[-+]?[0-9]+%$/;

function percentOf(text: string): number {
  if (!text.endsWith("%")) {
    throw new RangeError("invalid value for IntOrString: invalid type: string is not a percentage");
  }
  if (percentPattern.test(text)) return Number(text.slice(0, -1));
  const digits = text.slice(0, -1);
  throw new RangeError(
    `invalid value for IntOrString: invalid value ${JSON.stringify(text)}: strconv.Atoi: parsing ${JSON.stringify(digits)}: invalid syntax`,
  );
}
