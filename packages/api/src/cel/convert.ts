/** `int(x)`, `string(x)` and the other conversions. Source: cel-go common/types (ConvertToType of each type). */
import { quote } from "../status/field-error.ts";
import { formatDouble, parseDouble } from "./number-text.ts";
import { checkRange, formatDuration, formatTimestamp, parseDuration, parseTimestamp } from "./time.ts";
import { decodeUtf8, encodeUtf8 } from "./utf8.ts";
import {
  CelDouble,
  CelDuration,
  CelError,
  CelTimestamp,
  CelUint,
  type CelValue,
  intValue,
  uintValue,
} from "./value.ts";

const two63 = 2 ** 63;
const two64 = 2 ** 64;

export function toInt(value: CelValue): number | bigint {
  if (typeof value === "number" || typeof value === "bigint") return value;
  if (typeof value === "string") return parseInt64(value);
  if (value instanceof CelUint) return intValue(value.value);
  if (value instanceof CelDouble) {
    const number = value.value;
    if (!Number.isFinite(number) || number <= -two63 || number >= two63)
      throw new CelError("integer overflow");
    return intValue(BigInt(Math.trunc(number)));
  }
  if (value instanceof CelTimestamp) return value.seconds;
  return intValue((value as CelDuration).nanos);
}

function parseInt64(text: string): number | bigint {
  if (!/^[+-]?\d+$/.test(text)) throw conversionError("string", "int");
  const value = BigInt(text.replace(/^\+/, ""));
  if (value > 9223372036854775807n || value < -9223372036854775808n) throw conversionError("string", "int");
  return intValue(value);
}

export function toUint(value: CelValue): CelUint {
  if (value instanceof CelUint) return value;
  if (typeof value === "number" || typeof value === "bigint") return uintValue(BigInt(value));
  if (value instanceof CelDouble) {
    const number = value.value;
    if (!Number.isFinite(number) || number < 0 || number >= two64)
      throw new CelError("unsigned integer overflow");
    return uintValue(BigInt(Math.trunc(number)));
  }
  const text = value as string;
  if (!/^\d+$/.test(text) || BigInt(text) > 18446744073709551615n) throw conversionError("string", "uint");
  return new CelUint(BigInt(text));
}

export function toDouble(value: CelValue): CelDouble {
  if (value instanceof CelDouble) return value;
  if (typeof value === "number" || typeof value === "bigint") return new CelDouble(Number(value));
  if (value instanceof CelUint) return new CelDouble(Number(value.value));
  const number = parseDouble(value as string);
  const overflows = number !== undefined && !Number.isFinite(number) && /\d/.test(value as string);
  if (number === undefined || overflows) throw conversionError("string", "double");
  return new CelDouble(number);
}

const truths = new Set(["1", "t", "T", "true", "TRUE", "True"]);
const falsehoods = new Set(["0", "f", "F", "false", "FALSE", "False"]);

export function toBool(value: CelValue): boolean {
  if (typeof value === "boolean") return value;
  if (truths.has(value as string)) return true;
  if (falsehoods.has(value as string)) return false;
  throw conversionError("string", "bool");
}

export function toBytes(value: CelValue): Uint8Array {
  return value instanceof Uint8Array ? value : encodeUtf8(value as string);
}

export function toText(value: CelValue): string {
  if (typeof value === "string") return value;
  if (typeof value === "boolean" || typeof value === "number" || typeof value === "bigint")
    return String(value);
  if (value instanceof CelUint) return String(value.value);
  if (value instanceof CelDouble) return formatDouble(value.value);
  if (value instanceof CelTimestamp) return formatTimestamp(value);
  if (value instanceof CelDuration) return formatDuration(value);
  const text = decodeUtf8(value as Uint8Array);
  if (text === undefined) throw new CelError("invalid UTF-8 in bytes, cannot convert to string");
  return text;
}

export function toTimestamp(value: CelValue): CelTimestamp {
  if (value instanceof CelTimestamp) return value;
  if (typeof value === "number" || typeof value === "bigint")
    return checkRange(new CelTimestamp(Number(value), 0));
  const parsed = parseTimestamp(value as string);
  if (parsed === undefined) throw new CelError(`invalid RFC 3339 timestamp ${quote(value as string)}`);
  return checkRange(parsed);
}

export function toDuration(value: CelValue): CelDuration {
  if (value instanceof CelDuration) return value;
  const parsed = parseDuration(value as string);
  if (parsed === undefined) throw conversionError("string", "google.protobuf.Duration");
  return parsed;
}

function conversionError(from: string, to: string): CelError {
  return new CelError(`type conversion error from '${from}' to '${to}'`);
}
