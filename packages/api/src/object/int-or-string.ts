/** A number or text on the wire: `3`, `"50%"`, `"http"`. Source: util/intstr IntOrString. */
export type IntOrString = number | string;

/**
 * The number that the value stands for: an integer as it is, a percentage of `total`.
 * @param rounding which way a fraction goes
 * @throws Error with the server's wording when it is neither
 */
export declare function scaledValue(
  value: IntOrString,
  options: { readonly total: number; readonly rounding: "up" | "down" },
): number;
