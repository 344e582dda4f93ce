/** `+ - * / %`, unary minus and order. Source: cel-go common/types (overflow.go, compare.go and one file per type). */
import { compareBytes, compareNumbers, compareStrings, isNumeric } from "./equality.ts";
import { addDuration, timestampDifference } from "./time.ts";
import {
  CelDouble,
  CelDuration,
  CelError,
  type CelList,
  CelListBase,
  CelTimestamp,
  CelUint,
  type CelValue,
  durationValue,
  intValue,
  isInt,
  isList,
  listItems,
  noSuchOverload,
  uintValue,
} from "./value.ts";

export function add(a: CelValue, b: CelValue): CelValue {
  if (typeof a === "number" && typeof b === "number") return safe(a + b) ?? intValue(BigInt(a) + BigInt(b));
  if (typeof a === "string") {
    if (typeof b === "string") return a + b;
    throw noSuchOverload();
  }
  if (isInt(a) && isInt(b)) return intValue(BigInt(a) + BigInt(b));
  if (a instanceof CelDouble && b instanceof CelDouble) return new CelDouble(a.value + b.value);
  if (a instanceof CelUint && b instanceof CelUint) return uintValue(a.value + b.value);
  if (isList(a) && isList(b)) return concat(a, b);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Uint8Array.from([...a, ...b]);
  return addTimes(a, b);
}

function addTimes(a: CelValue, b: CelValue): CelValue {
  if (a instanceof CelDuration && b instanceof CelDuration) return durationValue(a.nanos + b.nanos);
  if (a instanceof CelTimestamp && b instanceof CelDuration) return addDuration(a, b.nanos);
  if (a instanceof CelDuration && b instanceof CelTimestamp) return addDuration(b, a.nanos);
  throw lacksOperator(a, "_+_");
}

function concat(a: CelList, b: CelList): CelList {
  if (a instanceof CelListBase) return a.concat(b);
  return [...(a as readonly CelValue[]), ...listItems(b)];
}

export function subtract(a: CelValue, b: CelValue): CelValue {
  if (typeof a === "number" && typeof b === "number") return safe(a - b) ?? intValue(BigInt(a) - BigInt(b));
  if (isInt(a) && isInt(b)) return intValue(BigInt(a) - BigInt(b));
  if (a instanceof CelDouble && b instanceof CelDouble) return new CelDouble(a.value - b.value);
  if (a instanceof CelUint && b instanceof CelUint) return uintValue(a.value - b.value);
  if (a instanceof CelDuration && b instanceof CelDuration) return durationValue(a.nanos - b.nanos);
  if (a instanceof CelTimestamp) {
    if (b instanceof CelDuration) return addDuration(a, durationValue(-b.nanos).nanos);
    if (b instanceof CelTimestamp) return timestampDifference(a, b);
  }
  throw lacksOperator(a, "_-_");
}

export function multiply(a: CelValue, b: CelValue): CelValue {
  if (typeof a === "number" && typeof b === "number") return safe(a * b) ?? intValue(BigInt(a) * BigInt(b));
  if (isInt(a) && isInt(b)) return intValue(BigInt(a) * BigInt(b));
  if (a instanceof CelDouble && b instanceof CelDouble) return new CelDouble(a.value * b.value);
  if (a instanceof CelUint && b instanceof CelUint) return uintValue(a.value * b.value);
  throw lacksOperator(a, "_*_");
}

export function divide(a: CelValue, b: CelValue): CelValue {
  if (a instanceof CelDouble && b instanceof CelDouble) return new CelDouble(a.value / b.value);
  if (isInt(a) && isInt(b)) {
    const divisor = BigInt(b);
    if (divisor === 0n) throw new CelError("division by zero");
    return intValue(BigInt(a) / divisor);
  }
  if (a instanceof CelUint && b instanceof CelUint) {
    if (b.value === 0n) throw new CelError("division by zero");
    return new CelUint(a.value / b.value);
  }
  throw lacksOperator(a, "_/_");
}

export function modulo(a: CelValue, b: CelValue): CelValue {
  if (isInt(a) && isInt(b)) return moduloInts(a, b);
  if (a instanceof CelUint && b instanceof CelUint) {
    if (b.value === 0n) throw new CelError("modulus by zero");
    return new CelUint(a.value % b.value);
  }
  throw a instanceof CelDouble ? new CelError("no such overload: _%_") : lacksOperator(a, "_%_");
}

function moduloInts(a: number | bigint, b: number | bigint): number | bigint {
  if (b === 0) throw new CelError("modulus by zero");
  if (typeof a === "number" && typeof b === "number") return (a % b) + 0;
  if (a === -9223372036854775808n && b === -1) throw new CelError("integer overflow");
  return intValue(BigInt(a) % BigInt(b));
}

export function negate(a: CelValue): CelValue {
  if (typeof a === "number") return 0 - a;
  if (typeof a === "bigint") return intValue(-a);
  if (a instanceof CelDouble) return new CelDouble(-a.value);
  if (a instanceof CelDuration) return durationValue(-a.nanos);
  throw typeof a === "boolean" ? noSuchOverload() : new CelError("no such overload: -_");
}

/** -1, 0 or 1. `operator` names the one that is asked for, for the message when there is no order. */
export function compare(a: CelValue, b: CelValue, operator: string): number {
  if (isNumeric(a)) {
    if (!isNumeric(b)) throw noSuchOverload();
    const order = compareNumbers(a, b);
    if (Number.isNaN(order)) throw new CelError("NaN values cannot be ordered");
    return order;
  }
  if (typeof a === "string" && typeof b === "string") return compareStrings(a, b);
  if (a instanceof CelTimestamp && b instanceof CelTimestamp) {
    return Math.sign(a.seconds - b.seconds || a.nanos - b.nanos);
  }
  if (a instanceof CelDuration && b instanceof CelDuration)
    return a.nanos < b.nanos ? -1 : a.nanos > b.nanos ? 1 : 0;
  if (typeof a === "boolean" && typeof b === "boolean") return Number(a) - Number(b);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return compareBytes(a, b);
  throw isOrdered(a) ? noSuchOverload() : new CelError(`no such overload: ${operator}`);
}

function isOrdered(a: CelValue): boolean {
  return (
    typeof a === "string" ||
    typeof a === "boolean" ||
    a instanceof CelTimestamp ||
    a instanceof CelDuration ||
    a instanceof Uint8Array
  );
}

function safe(result: number): number | undefined {
  return Number.isSafeInteger(result) ? result + 0 : undefined;
}

/** The left value's type either lacks the operator as such or the pair does not fit. */
function lacksOperator(a: CelValue, operator: string): CelError {
  const hasIt =
    isNumeric(a) ||
    ((operator === "_+_" || operator === "_-_") && (a instanceof CelDuration || a instanceof CelTimestamp)) ||
    (operator === "_+_" && (isList(a) || a instanceof Uint8Array));
  return hasIt ? noSuchOverload() : new CelError(`no such overload: ${operator}`);
}
