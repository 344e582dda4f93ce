import { describe, expect, it } from "vitest";
import { type IntOrString, isIntOrPercent, scaledValue } from "./int-or-string.ts";

// Expected values are those of k8s.io/apimachinery 0.36.

/** Value, total, rounded up, rounded down. */
const values: readonly (readonly [IntOrString, number, number, number])[] = [
  [5, 0, 5, 5],
  [5, 1, 5, 5],
  [5, 3, 5, 5],
  [5, 10, 5, 5],
  [5, 7, 5, 5],
  [0, 0, 0, 0],
  [0, 1, 0, 0],
  [0, 3, 0, 0],
  [0, 10, 0, 0],
  [0, 7, 0, 0],
  [-3, 0, -3, -3],
  [-3, 1, -3, -3],
  [-3, 3, -3, -3],
  [-3, 10, -3, -3],
  [-3, 7, -3, -3],
  ["50%", 0, 0, 0],
  ["50%", 1, 1, 0],
  ["50%", 3, 2, 1],
  ["50%", 10, 5, 5],
  ["50%", 7, 4, 3],
  ["0%", 0, 0, 0],
  ["0%", 1, 0, 0],
  ["0%", 3, 0, 0],
  ["0%", 10, 0, 0],
  ["0%", 7, 0, 0],
  ["100%", 0, 0, 0],
  ["100%", 1, 1, 1],
  ["100%", 3, 3, 3],
  ["100%", 10, 10, 10],
  ["100%", 7, 7, 7],
  ["33%", 0, 0, 0],
  ["33%", 1, 1, 0],
  ["33%", 3, 1, 0],
  ["33%", 10, 4, 3],
  ["33%", 7, 3, 2],
  ["1%", 0, 0, 0],
  ["1%", 1, 1, 0],
  ["1%", 3, 1, 0],
  ["1%", 10, 1, 0],
  ["1%", 7, 1, 0],
  ["99%", 0, 0, 0],
  ["99%", 1, 1, 0],
  ["99%", 3, 3, 2],
  ["99%", 10, 10, 9],
  ["99%", 7, 7, 6],
  ["150%", 0, 0, 0],
  ["150%", 1, 2, 1],
  ["150%", 3, 5, 4],
  ["150%", 10, 15, 15],
  ["150%", 7, 11, 10],
  ["-10%", 0, 0, 0],
  ["-10%", 1, 0, -1],
  ["-10%", 3, 0, -1],
  ["-10%", 10, -1, -1],
  ["-10%", 7, 0, -1],
  ["+5%", 0, 0, 0],
  ["+5%", 1, 1, 0],
  ["+5%", 3, 1, 0],
  ["+5%", 10, 1, 0],
  ["+5%", 7, 1, 0],
];

/** Value, error. */
const mistakes: readonly (readonly [string, string])[] = [
  ["%", 'invalid value for IntOrString: invalid value "%": strconv.Atoi: parsing "": invalid syntax'],
  ["x", "invalid value for IntOrString: invalid type: string is not a percentage"],
  ["5", "invalid value for IntOrString: invalid type: string is not a percentage"],
  ["50", "invalid value for IntOrString: invalid type: string is not a percentage"],
  [
    "5.5%",
    'invalid value for IntOrString: invalid value "5.5%": strconv.Atoi: parsing "5.5": invalid syntax',
  ],
  ["a%", 'invalid value for IntOrString: invalid value "a%": strconv.Atoi: parsing "a": invalid syntax'],
  [" 5%", 'invalid value for IntOrString: invalid value " 5%": strconv.Atoi: parsing " 5": invalid syntax'],
  ["5 %", 'invalid value for IntOrString: invalid value "5 %": strconv.Atoi: parsing "5 ": invalid syntax'],
  ["", "invalid value for IntOrString: invalid type: string is not a percentage"],
  [
    "10%%",
    'invalid value for IntOrString: invalid value "10%%": strconv.Atoi: parsing "10%": invalid syntax',
  ],
  ["http", "invalid value for IntOrString: invalid type: string is not a percentage"],
];

describe("scaledValue", () => {
  for (const [value, total, up, down] of values) {
    it(`scales ${value} of ${total}`, () => {
      expect(scaledValue(value, { total, rounding: "up" }) + 0).toBe(up);
      expect(scaledValue(value, { total, rounding: "down" }) + 0).toBe(down);
      expect(isIntOrPercent(value)).toBe(true);
    });
  }
  for (const [value, message] of mistakes) {
    it(`refuses ${JSON.stringify(value)}`, () => {
      expect(() => scaledValue(value, { total: 10, rounding: "up" })).toThrow(new RangeError(message));
      expect(isIntOrPercent(value)).toBe(false);
    });
  }
});
