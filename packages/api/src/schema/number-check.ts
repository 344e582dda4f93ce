import { goFloat } from "../status/go-text.ts";
import type { JsonSchema } from "./json-schema.ts";
import { type SchemaError, addError, invalidError, placelessError } from "./schema-error.ts";

type NumberType = "integer" | "number";
type NumberCheck = (value: number | bigint, type: NumberType, path: string, errors: SchemaError[]) => void;

/**
 * Range of the type and format, multipleOf, minimum, maximum. Integer values are compared as integers, so bounds and
 * factors lose their fraction then: 2.5 means 2. Source: kube-openapi validator.go (numberValidator), values.go.
 */
export function numberCheck(schema: JsonSchema, types: readonly string[], format: string): NumberCheck {
  const range = rangeCheck(types, format);
  const bounds: NumberCheck[] = [];
  // Bounds are doubles, however large an integer the schema has.
  const { multipleOf, minimum, maximum } = schema;
  if (multipleOf !== undefined) bounds.push(multipleCheck(Number(multipleOf), range));
  if (minimum !== undefined) {
    bounds.push(boundCheck("Minimum boundary", Number(minimum), schema.exclusiveMinimum === true, range));
  }
  if (maximum !== undefined) {
    bounds.push(boundCheck("Maximum boundary", Number(maximum), schema.exclusiveMaximum === true, range));
  }
  return (value, type, path, errors) => {
    range?.("Checked", value, type, path, errors);
    for (const check of bounds) check(value, type, path, errors);
  };
}

type RangeCheck = (
  what: string,
  value: number | bigint,
  type: NumberType,
  path: string,
  errors: SchemaError[],
) => boolean;

/** Whether a number can be held by the type and format at all; undefined when every number can. */
function rangeCheck(types: readonly string[], format: string): RangeCheck | undefined {
  const [type] = types;
  if (types.length !== 1 || (type !== "integer" && type !== "number")) return undefined;
  if (type === "number" && format !== "float") return undefined;
  const fits = type === "number" ? isFloat32 : format === "int32" ? isInt32 : isInt64;
  // A format of another type means nothing for a number.
  const known = type === "number" || format === "int32" || format === "int64";
  const suffix = known ? `${type} with format ${format}` : `${type} (default format)`;
  return (what, value, _type, path, errors) => {
    if (fits(value)) return true;
    addError(errors, placelessError(`${what} value must be of type ${suffix} in ${path}`));
    return false;
  };
}

function isInt32(value: number | bigint): boolean {
  return isInt64(value) && value >= -(2 ** 31) && value < 2 ** 31;
}

/** A double is looked at in its shortest decimal form, in which the least 64-bit integer does not fit. */
function isInt64(value: number | bigint): boolean {
  if (typeof value === "number" && !(Number.isInteger(value) && Math.abs(value) < 1e21)) return false;
  const integer = BigInt(String(value));
  return BigInt.asIntN(64, integer) === integer;
}

function isFloat32(value: number | bigint): boolean {
  return Number.isFinite(Math.fround(Number(value)));
}

function multipleCheck(factor: number, range: RangeCheck | undefined): NumberCheck {
  const whole = truncated(factor);
  return (value, type, path, errors) => {
    const comparable = range?.("MultipleOf", factor, "number", path, errors) ?? true;
    const asInteger = comparable && type === "integer";
    const used = asInteger ? whole : factor;
    const text = asInteger ? String(whole) : goFloat(factor);
    if (used <= 0) {
      const message = `factor MultipleOf declared for ${path} must be positive: ${text}`;
      addError(errors, invalidError(path, asInteger ? whole : factor, message));
    } else if (!(asInteger ? BigInt(value) % whole === 0n : isMultiple(Number(value), factor))) {
      addError(errors, invalidError(path, value, `${path} in body should be a multiple of ${text}`));
    }
  };
}

function isMultiple(value: number, factor: number): boolean {
  return isNearInteger(factor < 1 ? (1 / factor) * value : value / factor);
}

/**
 * Whether a double is an integer but for rounding errors; larger ones than a double holds exactly are not.
 * Source: go-openapi/swag conv (IsFloat64AJSONInteger).
 */
export function isNearInteger(value: number): boolean {
  const limit = 2 ** 53 - 1;
  if (!Number.isFinite(value) || value < -limit || value > limit) return false;
  const rounded = Math.sign(value) * Math.round(Math.abs(value));
  return value === rounded || Math.abs(value - rounded) < 1e-9 * Math.abs(rounded);
}

function boundCheck(
  what: string,
  bound: number,
  exclusive: boolean,
  range: RangeCheck | undefined,
): NumberCheck {
  const lower = what.startsWith("Min");
  const whole = truncated(bound);
  const words = `${lower ? "greater" : "less"} than${exclusive ? "" : " or equal to"}`;
  return (value, type, path, errors) => {
    const comparable = range?.(what, bound, "number", path, errors) ?? true;
    const asInteger = comparable && type === "integer";
    const limit = asInteger ? whole : bound;
    const given = asInteger ? value : Number(value);
    if (lower ? (exclusive ? given > limit : given >= limit) : exclusive ? given < limit : given <= limit)
      return;
    const text = asInteger ? String(whole) : goFloat(bound);
    addError(errors, invalidError(path, value, `${path} in body should be ${words} ${text}`));
  };
}

/** A double as a 64-bit integer, as Go converts it on amd64: what does not fit becomes the smallest one. */
function truncated(value: number): bigint {
  const fits = value > -(2 ** 63) && value < 2 ** 63;
  return fits ? BigInt(Math.trunc(value)) : -(2n ** 63n);
}
