/**
 * CEL's values as JavaScript values. The common ones cost nothing: bool, string, null are themselves, an int is a
 * `number` (a `bigint` beyond 2^53), a list is an array. What JSON cannot tell apart gets a class.
 * Source of the semantics: cel-go common/types.
 */
import { type CelType, celTypes } from "./type.ts";

/** Any value that an expression takes or yields. */
export type CelValue =
  | boolean
  | string
  | null
  | number
  | bigint
  | CelUint
  | CelDouble
  | Uint8Array
  | CelDuration
  | CelTimestamp
  | CelList
  | CelMap
  | CelOptional
  | CelType
  | CelObject;

/** A 64-bit unsigned integer. */
export class CelUint {
  readonly value: bigint;
  constructor(value: bigint) {
    this.value = value;
  }
}

export class CelDouble {
  readonly value: number;
  constructor(value: number) {
    this.value = value;
  }
}

/** A span of time in nanoseconds, within int64. */
export class CelDuration {
  readonly nanos: bigint;
  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

/** An instant: whole seconds since 1970 (may be negative) and nanoseconds 0..999999999. */
export class CelTimestamp {
  readonly seconds: number;
  readonly nanos: number;
  /** Minutes east of UTC in which it was written; it only affects its text. */
  readonly offsetMinutes: number;
  constructor(seconds: number, nanos: number, offsetMinutes = 0) {
    this.seconds = seconds;
    this.nanos = nanos;
    this.offsetMinutes = offsetMinutes;
  }
}

/** `optional.of(x)`, or `optional.none()` when `value` is undefined. */
export class CelOptional {
  static readonly none: CelOptional = new CelOptional(undefined);
  readonly value: CelValue | undefined;
  constructor(value: CelValue | undefined) {
    this.value = value;
  }
}

/** A list that is not a plain array: one that reads JSON through a schema. */
export abstract class CelListBase {
  abstract readonly size: number;
  abstract at(index: number): CelValue;
  /** Equality as the list's own type defines it (sets and maps ignore order). May throw {@link CelError}. */
  abstract equals(other: CelValue): boolean;
  abstract concat(other: CelList): CelList;
  abstract contains(value: CelValue): boolean;
}

export type CelList = readonly CelValue[] | CelListBase;

/** A map, or an object with fields. */
export abstract class CelMap {
  abstract readonly size: number;
  /** undefined when absent. Throws {@link CelError} for a key that such a map cannot have. */
  abstract get(key: CelValue): CelValue | undefined;
  abstract keys(): CelValue[];
  abstract equals(other: CelValue): boolean;
}

/** A value of a type that a library brings: a quantity, an IP address, a URL. */
export abstract class CelObject {
  abstract readonly type: CelType;
  abstract equals(other: CelValue): boolean;
  /** Fields of a message-like object; undefined when it has no such field. */
  field(_name: string): CelValue | undefined {
    return undefined;
  }
  /** The size that run-time costs count. */
  get costSize(): number {
    return 1;
  }
  /** Whether `optional.ofNonZeroValue` takes it for nothing. */
  get isZero(): boolean {
    return false;
  }
}

/**
 * The failure of an evaluation. Not an `Error`: failures are ordinary values of CEL (`a || b` absorbs them), and a
 * stack trace for each would cost more than the evaluation.
 */
export class CelError {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}

export function noSuchOverload(): CelError {
  return new CelError("no such overload");
}

export function isList(value: CelValue): value is CelList {
  return Array.isArray(value) || value instanceof CelListBase;
}

export function isInt(value: CelValue): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}

export function listSize(list: CelList): number {
  return Array.isArray(list) ? list.length : (list as CelListBase).size;
}

export function listAt(list: CelList, index: number): CelValue {
  return Array.isArray(list) ? (list[index] as CelValue) : (list as CelListBase).at(index);
}

/** All elements as an array; the same array when it already is one. */
export function listItems(list: CelList): readonly CelValue[] {
  if (Array.isArray(list)) return list;
  const view = list as CelListBase;
  const items: CelValue[] = [];
  for (let i = 0; i < view.size; i++) items.push(view.at(i));
  return items;
}

/** What `type(value)` yields; parameters are left out, as at run time. */
export function typeOfValue(value: CelValue): CelType {
  switch (typeof value) {
    case "boolean":
      return celTypes.bool;
    case "string":
      return celTypes.string;
    case "number":
    case "bigint":
      return celTypes.int;
    default:
      return typeOfObject(value);
  }
}

function typeOfObject(value: Exclude<CelValue, boolean | string | number | bigint>): CelType {
  if (value === null) return celTypes.null;
  if (isList(value)) return celTypes.list;
  if (value instanceof CelMap) return celTypes.map;
  if (value instanceof CelDouble) return celTypes.double;
  if (value instanceof CelUint) return celTypes.uint;
  if (value instanceof Uint8Array) return celTypes.bytes;
  if (value instanceof CelTimestamp) return celTypes.timestamp;
  if (value instanceof CelDuration) return celTypes.duration;
  if (value instanceof CelOptional) return celTypes.optional;
  if (value instanceof CelObject) return value.type;
  return celTypes.type;
}

const maxInt = 9223372036854775807n;
const minInt = -9223372036854775808n;
const maxUint = 18446744073709551615n;

/** An exact integer as a CEL int; throws "integer overflow" outside int64. */
export function intValue(value: bigint): number | bigint {
  if (value > maxInt || value < minInt) throw new CelError("integer overflow");
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** An exact integer as a CEL uint; throws "unsigned integer overflow" outside uint64. */
export function uintValue(value: bigint): CelUint {
  if (value < 0n || value > maxUint) throw new CelError("unsigned integer overflow");
  return new CelUint(value);
}

/** A count of nanoseconds as a duration; throws "integer overflow" outside int64. */
export function durationValue(nanos: bigint): CelDuration {
  if (nanos > maxInt || nanos < minInt) throw new CelError("integer overflow");
  return new CelDuration(nanos);
}
