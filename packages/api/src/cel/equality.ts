/** `==` over all values. Numbers of different types are compared by value. Source: cel-go common/types. */
import {
  CelDouble,
  CelDuration,
  type CelList,
  CelListBase,
  CelMap,
  CelObject,
  CelOptional,
  CelTimestamp,
  CelUint,
  type CelValue,
  isList,
  listAt,
  listSize,
} from "./value.ts";
import { CelType } from "./type.ts";

/**
 * Whether two values are equal. Throws a `CelError` where Kubernetes' lists and maps refuse to be compared with
 * something else.
 */
export function equals(a: CelValue, b: CelValue): boolean {
  if (typeof a === "string" || typeof a === "boolean" || a === null) return a === b;
  if (typeof a === "number" && typeof b === "number") return a === b;
  if (b === null) return false;
  if (typeof a === "number" || typeof a === "bigint" || a instanceof CelUint || a instanceof CelDouble) {
    return isNumeric(b) && compareNumbers(a, b) === 0;
  }
  return equalObjects(a, b);
}

function equalObjects(
  a: Exclude<CelValue, string | boolean | null | number | bigint | CelUint | CelDouble>,
  b: CelValue,
): boolean {
  if (Array.isArray(a)) return isList(b) && equalLists(a, b);
  if (a instanceof CelListBase || a instanceof CelMap || a instanceof CelObject) return a.equals(b);
  if (a instanceof Uint8Array) return b instanceof Uint8Array && compareBytes(a, b) === 0;
  if (a instanceof CelDuration) return b instanceof CelDuration && a.nanos === b.nanos;
  if (a instanceof CelTimestamp)
    return b instanceof CelTimestamp && a.seconds === b.seconds && a.nanos === b.nanos;
  if (a instanceof CelOptional) return b instanceof CelOptional && equalOptionals(a, b);
  return a instanceof CelType && b instanceof CelType && a.name === b.name;
}

/** Element by element, in order. */
export function equalLists(a: CelList, b: CelList): boolean {
  const size = listSize(a);
  if (size !== listSize(b)) return false;
  for (let i = 0; i < size; i++) if (!equals(listAt(a, i), listAt(b, i))) return false;
  return true;
}

function equalOptionals(a: CelOptional, b: CelOptional): boolean {
  if (a.value === undefined || b.value === undefined) return a.value === b.value;
  return equals(a.value, b.value);
}

export type CelNumber = number | bigint | CelUint | CelDouble;

export function isNumeric(value: CelValue): value is CelNumber {
  return (
    typeof value === "number" ||
    typeof value === "bigint" ||
    value instanceof CelDouble ||
    value instanceof CelUint
  );
}

/** -1, 0 or 1; NaN when one of them is NaN. Beside a double, integers count as doubles, too, as in cel-go. */
export function compareNumbers(a: CelNumber, b: CelNumber): number {
  const asDoubles = a instanceof CelDouble || b instanceof CelDouble;
  const x = asDoubles ? Number(plain(a)) : plain(a);
  const y = asDoubles ? Number(plain(b)) : plain(b);
  if (x < y) return -1;
  if (x > y) return 1;
  return Number.isNaN(x) || Number.isNaN(y) ? Number.NaN : 0;
}

function plain(value: CelNumber): number | bigint {
  return typeof value === "object" ? value.value : value;
}

/** Lexicographic order of bytes. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared; i++) {
    const difference = (a[i] as number) - (b[i] as number);
    if (difference !== 0) return Math.sign(difference);
  }
  return Math.sign(a.length - b.length);
}

/** Order of strings by code points, as their UTF-8 bytes sort. */
export function compareStrings(a: string, b: string): number {
  if (a === b) return 0;
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    const bothPlain = x < 0xd800 || y < 0xd800;
    return bothPlain ? Math.sign(x - y) : Math.sign(surrogateRank(x) - surrogateRank(y));
  }
  return Math.sign(a.length - b.length);
}

/** Surrogates stand for code points above all others. */
function surrogateRank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
