/**
 * Resource quantities: exact decimal numbers with a suffix. Source of the grammar and the canonical form:
 * k8s.io/apimachinery pkg/api/resource (quantity.go, suffix.go).
 */

/** Which suffixes a quantity is written with: `500m`, `1Gi`, `1e3`. */
export type QuantityFormat = "DecimalSI" | "BinarySI" | "DecimalExponent";

/** An exact number, `unscaled * 10^-scale`, and the family of suffixes that it prints with. */
export interface Quantity {
  readonly unscaled: bigint;
  readonly scale: number;
  readonly format: QuantityFormat;
  /** The text it was read from, kept when that needs no rewriting. The server keeps `+1` and `01`, too. */
  readonly text?: string;
}

/** A text that is no quantity. The message is the API server's. */
export class QuantityError extends Error {
  override readonly name: string = "QuantityError";
}

const formPattern = /^([+-]?)0*([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[+-]?[0-9]*)$/;
const formMessage =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

interface Suffix {
  readonly format: QuantityFormat;
  readonly base: 2 | 10;
  readonly exponent: number;
}

const decimalSuffixes: readonly (readonly [number, string])[] = [
  [-9, "n"],
  [-6, "u"],
  [-3, "m"],
  [0, ""],
  [3, "k"],
  [6, "M"],
  [9, "G"],
  [12, "T"],
  [15, "P"],
  [18, "E"],
];
const binarySuffixes: readonly string[] = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

const suffixes: ReadonlyMap<string, Suffix> = new Map([
  ...binarySuffixes.map((text, i): [string, Suffix] => [
    text,
    { format: "BinarySI", base: 2, exponent: i * 10 },
  ]),
  ...decimalSuffixes.map(([exponent, text]): [string, Suffix] => [
    text,
    { format: "DecimalSI", base: 10, exponent },
  ]),
]);
/** The largest decimal suffix is E. Upstream prints no suffix at all beyond it, and so another number. */
const exponentMax = 18;
const decimalSuffixOf: ReadonlyMap<number, string> = new Map(decimalSuffixes);

/** Nothing finer than nano is kept. */
const scaleMax = 9;
const maxInt64 = 2n ** 63n - 1n;

/**
 * Reads `500m`, `1.5Gi`, `1e3`, `100`. A value finer than nano is rounded away from zero, one with a binary suffix is capped
 * at 2^63-1.
 * @throws QuantityError
 */
export function parseQuantity(value: string | number): Quantity {
  const text = String(value);
  const match = formPattern.exec(text);
  if (text === "" || match === null) throw new QuantityError(formMessage);
  const [, sign, whole = "", fraction = "", suffixText = ""] = match;
  const suffix = readSuffix(suffixText);
  const digits = BigInt(`0${whole}${fraction}`);
  const magnitude = capped(digits, fraction.length, suffix);
  const { unscaled, scale, format } = magnitude;
  const quantity: Quantity = { unscaled: sign === "-" ? -unscaled : unscaled, scale, format };
  return keepsText(whole || "0", fraction, suffix) ? { ...quantity, text } : quantity;
}

/** Whether the text is a quantity. */
export function isQuantity(text: string): boolean {
  try {
    parseQuantity(text);
    return true;
  } catch (error) {
    if (error instanceof QuantityError) return false;
    throw error;
  }
}

/** The canonical text: the largest suffix that leaves no fraction, so `1500m`, `1Gi`. */
export function quantityText(quantity: Quantity): string {
  if (quantity.text !== undefined) return quantity.text;
  if (quantity.unscaled === 0n) return "0";
  if (quantity.format === "BinarySI") {
    const text = binaryText(quantity);
    if (text !== undefined) return text;
  }
  return decimalText(quantity);
}

/**
 * The canonical text of a quantity's text: `0.5` is `500m`, `1024Ki` is `1Mi`.
 * @throws QuantityError
 */
export function canonicalQuantity(value: string | number): string {
  return quantityText(parseQuantity(value));
}

/** Negative, zero or positive as `a` is less than, equal to or greater than `b`. */
export function compareQuantities(a: Quantity, b: Quantity): number {
  const signs = sign(a.unscaled) - sign(b.unscaled);
  if (signs !== 0 || a.unscaled === 0n) return signs;
  const magnitudes = orderOf(a) - orderOf(b);
  if (magnitudes !== 0) return magnitudes * sign(a.unscaled);
  const [left, right] = aligned(a, b);
  return left < right ? -1 : left > right ? 1 : 0;
}

/** The exact sum, in the format of `a`, or of `b` when `a` is zero. */
export function addQuantities(a: Quantity, b: Quantity): Quantity {
  const [left, right, scale] = aligned(a, b);
  return { unscaled: left + right, scale, format: a.unscaled === 0n ? b.format : a.format };
}

/** The exact difference, in the format of `a`, or of `b` when `a` is zero. */
export function subtractQuantities(a: Quantity, b: Quantity): Quantity {
  return addQuantities(a, negateQuantity(b));
}

export function negateQuantity(quantity: Quantity): Quantity {
  return { unscaled: -quantity.unscaled, scale: quantity.scale, format: quantity.format };
}

/** The value as a whole number; a fraction is rounded away from zero. */
export function quantityValue(quantity: Quantity): bigint {
  return rescale(quantity, 0);
}

/** The value in thousandths; a finer fraction is rounded away from zero. */
export function quantityMilliValue(quantity: Quantity): bigint {
  return rescale(quantity, 3);
}

/** The nearest number: `0.5` for `500m`. */
export function quantityNumber(quantity: Quantity): number {
  return Number(`${quantity.unscaled}e${-quantity.scale}`);
}

function readSuffix(text: string): Suffix {
  const known = suffixes.get(text);
  if (known !== undefined) return known;
  if (/^[eE][+-]?[0-9]+$/.test(text)) {
    const exponent = Number(text.slice(1));
    if (Math.abs(exponent) < 2 ** 31) return { format: "DecimalExponent", base: 10, exponent };
  }
  throw new QuantityError("unable to parse quantity's suffix");
}

function capped(digits: bigint, fractionLength: number, suffix: Suffix): Quantity {
  if (suffix.base === 10) return roundedToNano(digits, fractionLength - suffix.exponent, suffix.format);
  const exact = roundedToNano(digits << BigInt(suffix.exponent), fractionLength, suffix.format);
  if (exact.scale > 0 && exact.unscaled > 0n && exact.unscaled < pow10(exact.scale)) {
    return { ...exact, format: "DecimalSI" };
  }
  const max = maxInt64 * pow10(exact.scale);
  return exact.unscaled > max ? { unscaled: maxInt64, scale: 0, format: "BinarySI" } : exact;
}

function roundedToNano(unscaled: bigint, scale: number, format: QuantityFormat): Quantity {
  if (scale <= scaleMax) return { unscaled, scale, format };
  return { unscaled: divideAwayFromZero(unscaled, scale - scaleMax), scale: scaleMax, format };
}

/** Whether the server prints the text as it came instead of the canonical form. Source: ParseQuantity's fast path. */
function keepsText(whole: string, fraction: string, suffix: Suffix): boolean {
  const shifted = whole + fraction;
  if (suffix.base === 2) {
    const digits = 15 - whole.length - Math.trunc(suffix.exponent * 0.3) - 1;
    return fraction === "" && digits >= 0 && Number(whole) % 8 !== 0;
  }
  const scale = suffix.exponent - fraction.length;
  const short = shifted.length <= 18 && scale >= -scaleMax;
  return short && scale % 3 === 0 && !shifted.endsWith("000") && !shifted.startsWith("0");
}

function binaryText(quantity: Quantity): string | undefined {
  const value = rescale(quantity, 0);
  if (quantity.scale > 0 && value * pow10(quantity.scale) !== quantity.unscaled) return undefined;
  if (value > -1024n && value < 1024n) return undefined;
  let amount = value;
  let power = 0;
  while (amount % 1024n === 0n && power < binarySuffixes.length - 1) {
    amount /= 1024n;
    power++;
  }
  return `${amount}${binarySuffixes[power]}`;
}

function decimalText(quantity: Quantity): string {
  let amount = quantity.unscaled;
  let exponent = -quantity.scale;
  while (amount % 10n === 0n) {
    amount /= 10n;
    exponent++;
  }
  const isSuffixed = quantity.format !== "DecimalExponent";
  const below = isSuffixed && exponent > exponentMax ? exponent - exponentMax : ((exponent % 3) + 3) % 3;
  amount *= pow10(below);
  exponent -= below;
  if (!isSuffixed) return exponent === 0 ? `${amount}` : `${amount}e${exponent}`;
  return `${amount}${decimalSuffixOf.get(exponent) ?? ""}`;
}

/** The value times `10^scale` as a whole number, rounded away from zero. */
function rescale({ unscaled, scale }: Quantity, to: number): bigint {
  return scale <= to ? unscaled * pow10(to - scale) : divideAwayFromZero(unscaled, scale - to);
}

function divideAwayFromZero(value: bigint, digits: number): bigint {
  const size = value < 0n ? -value : value;
  if (digits > size.toString().length) return BigInt(sign(value));
  const divisor = pow10(digits);
  const quotient = size / divisor + (size % divisor === 0n ? 0n : 1n);
  return value < 0n ? -quotient : quotient;
}

/** Both unscaled values at the finer of the two scales. */
function aligned(a: Quantity, b: Quantity): [bigint, bigint, number] {
  const scale = Math.max(a.scale, b.scale);
  return [a.unscaled * pow10(scale - a.scale), b.unscaled * pow10(scale - b.scale), scale];
}

/** How many digits stand before the decimal point: tells magnitudes apart without writing out `1e1000000`. */
function orderOf({ unscaled, scale }: Quantity): number {
  return (unscaled < 0n ? -unscaled : unscaled).toString().length - scale;
}

function sign(value: bigint): number {
  return value < 0n ? -1 : value > 0n ? 1 : 0;
}

function pow10(exponent: number): bigint {
  if (exponent > 100_000) throw new QuantityError("quantity is too large to be written out");
  return 10n ** BigInt(exponent);
}
