/**
 * Ranges of sizes and costs, for estimates. 2^64 stands for the largest unsigned 64-bit integer, at which all
 * arithmetic stops. Source: cel-go checker/cost.go (SizeEstimate, CostEstimate).
 */
export interface Range {
  readonly min: number;
  readonly max: number;
}

export const zero: Range = { min: 0, max: 0 };
export const one: Range = { min: 1, max: 1 };
/** Stands for the largest size. */
export const sizeLimit: number = 2 ** 64;

/** Nothing is known. */
export const unknownSize: Range = { min: 0, max: sizeLimit };

export function fixed(size: number): Range {
  return { min: size, max: size };
}

export function addRanges(a: Range, b: Range): Range {
  return { min: capped(a.min + b.min), max: capped(a.max + b.max) };
}

export function multiplyRanges(a: Range, b: Range): Range {
  return { min: product(a.min, b.min), max: product(a.max, b.max) };
}

/** Both ends times a factor, rounded up. */
export function scaleRange(range: Range, factor: number): Range {
  return { min: Math.ceil(product(range.min, factor)), max: Math.ceil(product(range.max, factor)) };
}

/** The smallest range that holds both. */
export function unionRanges(a: Range, b: Range): Range {
  return { min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) };
}

export function sumRanges(ranges: readonly Range[]): Range {
  return ranges.reduce(addRanges, zero);
}

function product(a: number, b: number): number {
  return a === 0 || b === 0 ? 0 : capped(a * b);
}

function capped(value: number): number {
  return Math.min(value, sizeLimit);
}
