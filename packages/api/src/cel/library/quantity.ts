/** Quantities. Source: Kubernetes' apiserver pkg/cel/library/quantity.go, pkg/cel/quantity.go. */
import {
  addQuantities,
  compareQuantities,
  isQuantity,
  parseQuantity,
  type Quantity,
  QuantityError,
  quantityNumber,
  subtractQuantities,
} from "../../object/quantity.ts";
import type { CelLibrary } from "../environment.ts";
import { declare, memberOverload, overload } from "../function.ts";
import { type CelType, celTypes, structType } from "../type.ts";
import { CelDouble, CelError, CelObject, type CelValue, intValue, noSuchOverload } from "../value.ts";

const { bool, double, int, string } = celTypes;
const quantityType: CelType = structType("kubernetes.Quantity");
const maxInt = 2n ** 63n - 1n;

export class CelQuantity extends CelObject {
  readonly quantity: Quantity;
  /** Whether Go keeps it as an int64 and an exponent; only of such it can tell that it is an integer. */
  readonly isSmall: boolean;
  /** Whether it is the result of a calculation, which Go refuses on the right of `==`. */
  readonly isComputed: boolean;

  constructor(quantity: Quantity, isSmall: boolean, isComputed: boolean) {
    super();
    this.quantity = quantity;
    this.isSmall = isSmall;
    this.isComputed = isComputed;
  }

  get type(): CelType {
    return quantityType;
  }

  equals(other: CelValue): boolean {
    if (!(other instanceof CelQuantity) || other.isComputed) throw noSuchOverload();
    return compareQuantities(this.quantity, other.quantity) === 0;
  }

  /** undefined when it is no integer, or Go cannot tell. */
  get integer(): bigint | undefined {
    const { unscaled, scale } = this.quantity;
    if (!this.isSmall || scale > 0) return undefined;
    const value = unscaled * 10n ** BigInt(-scale);
    return value > maxInt || value < -maxInt ? undefined : value;
  }
}

function parse(text: CelValue | undefined): CelQuantity {
  try {
    const quantity = parseQuantity(text as string);
    return new CelQuantity(quantity, quantity.text !== undefined, false);
  } catch (error) {
    if (error instanceof QuantityError) throw new CelError(error.message);
    throw error;
  }
}

function calculate(
  a: CelValue | undefined,
  b: CelValue | undefined,
  operation: (a: Quantity, b: Quantity) => Quantity,
): CelQuantity {
  const left = a as CelQuantity;
  const right = b instanceof CelQuantity ? b : fromInt(b as number | bigint);
  const result = operation(left.quantity, right.quantity);
  const fits = result.unscaled <= maxInt && result.unscaled >= -maxInt;
  return new CelQuantity(result, left.isSmall && right.isSmall && fits, true);
}

function fromInt(value: number | bigint): CelQuantity {
  return new CelQuantity({ unscaled: BigInt(value), scale: 0, format: "DecimalExponent" }, true, true);
}

function order(a: CelValue | undefined, b: CelValue | undefined): number {
  return Math.sign(compareQuantities((a as CelQuantity).quantity, (b as CelQuantity).quantity));
}

function integerOf(value: CelValue | undefined): number | bigint {
  const { integer } = value as CelQuantity;
  if (integer === undefined) throw new CelError("cannot convert value to integer");
  return intValue(integer);
}

function signOf(value: CelValue | undefined): number {
  const { unscaled } = (value as CelQuantity).quantity;
  return unscaled > 0n ? 1 : unscaled < 0n ? -1 : 0;
}

const pair = [quantityType, quantityType];

export const quantityLibrary: CelLibrary = {
  functions: [
    declare("quantity", overload("string_to_quantity", [string], quantityType, parse)),
    declare(
      "isQuantity",
      overload("is_quantity_string", [string], bool, (text) => isQuantity(text as string)),
    ),
    declare("sign", overload("quantity_sign", [quantityType], int, signOf)),
    declare(
      "isGreaterThan",
      memberOverload("quantity_is_greater_than", pair, bool, (a, b) => order(a, b) > 0),
    ),
    declare(
      "isLessThan",
      memberOverload("quantity_is_less_than", pair, bool, (a, b) => order(a, b) < 0),
    ),
    declare("compareTo", memberOverload("quantity_compare_to", pair, int, order)),
    declare(
      "asApproximateFloat",
      memberOverload(
        "quantity_get_float",
        [quantityType],
        double,
        (value) => new CelDouble(quantityNumber((value as CelQuantity).quantity)),
      ),
    ),
    declare("asInteger", memberOverload("quantity_get_int", [quantityType], int, integerOf)),
    declare(
      "isInteger",
      memberOverload(
        "quantity_is_integer",
        [quantityType],
        bool,
        (value) => (value as CelQuantity).integer !== undefined,
      ),
    ),
    declare(
      "add",
      memberOverload("quantity_add", pair, quantityType, (a, b) => calculate(a, b, addQuantities)),
      memberOverload("quantity_add_int", [quantityType, int], quantityType, (a, b) =>
        calculate(a, b, addQuantities),
      ),
    ),
    declare(
      "sub",
      memberOverload("quantity_sub", pair, quantityType, (a, b) => calculate(a, b, subtractQuantities)),
      memberOverload("quantity_sub_int", [quantityType, int], quantityType, (a, b) =>
        calculate(a, b, subtractQuantities),
      ),
    ),
  ],
};
