/** Which suffixes a quantity is written with. */
export type QuantityFormat = "DecimalSI" | "BinarySI" | "DecimalExponent";

/** An exact number with the suffix family that it prints with: `unscaled * 10^-scale`. */
export interface Quantity {
  readonly unscaled: bigint;
  readonly scale: number;
  readonly format: QuantityFormat;
}

/** A text that is no quantity; the message is the API server's. */
export class QuantityError extends Error {
  override readonly name: string = "QuantityError";
}

/** Reads `500m`, `1.5Gi`, `1e3`, `100`. @throws QuantityError */
export declare function parseQuantity(text: string | number): Quantity;
/** Whether the text can be read. */
export declare function isQuantity(text: string): boolean;
/** The canonical text: `1500m`, `1Gi`. */
export declare function quantityText(quantity: Quantity): string;
/** The canonical text of a quantity's text: `0.5` is `500m`, `1024Ki` is `1Mi`. @throws QuantityError */
export declare function canonicalQuantity(text: string | number): string;
/** Negative, zero or positive as `a` is less than, equal to or greater than `b`. */
export declare function compareQuantities(a: Quantity, b: Quantity): number;
export declare function addQuantities(a: Quantity, b: Quantity): Quantity;
export declare function subtractQuantities(a: Quantity, b: Quantity): Quantity;
export declare function negateQuantity(a: Quantity): Quantity;
/** The value rounded up (away from zero) to a whole number. */
export declare function quantityValue(quantity: Quantity): bigint;
/** The value in thousandths, rounded up (away from zero). */
export declare function quantityMilliValue(quantity: Quantity): bigint;
/** The value as a number, possibly rounded. */
export declare function quantityNumber(quantity: Quantity): number;
