/**
 * Compiles a schema into one closure per node that checks a value in the words, the order and the quirks of the API
 * server's validator. Source: kube-openapi pkg/validation/validate; apiextensions-apiserver pkg/apiserver/validation.
 */
import { quote } from "../status/field-error.ts";
import { goJson } from "../status/go-text.ts";
import { arrayCheck } from "./array-check.ts";
import type { CheckPurpose, ValueCheck } from "./check.ts";
import { effectiveFormat, formatCheck } from "./format-check.ts";
import type { JsonSchema } from "./json-schema.ts";
import { type GoType, goTypeOf, jsonEqual } from "./json-value.ts";
import { junctorCheck } from "./junctor-check.ts";
import { isNearInteger, numberCheck } from "./number-check.ts";
import { objectCheck } from "./object-check.ts";
import { type SchemaError, addError } from "./schema-error.ts";
import { stringCheck } from "./string-check.ts";

/** The closure of a schema and all that is below it. */
export function compileCheck(schema: JsonSchema, purpose: CheckPurpose): ValueCheck {
  const compile = (child: JsonSchema): ValueCheck => compileCheck(child, purpose);
  const types = purpose === "object" ? schemaTypes(schema) : declaredType(schema);
  const format = purpose === "object" ? effectiveFormat(schema, types) : (schema.format ?? "");
  const checkType = typeCheck(types, format, schema.nullable === true);
  const checkEnum = enumCheck(schema.enum);
  const checkJunctors = junctorCheck(schema, purpose, compile);
  const checkString = stringCheck(schema);
  const checkFormat = formatCheck(format);
  const checkNumber = numberCheck(schema, types, format);
  const checkArray = arrayCheck(schema, compile);
  const checkObject = objectCheck(schema, compile);
  return (value, path, errors, correlation) => {
    const type = goTypeOf(value);
    if (type === "null") {
      const score = checkType === undefined ? 1 : checkType(type, path, errors);
      checkEnum?.(null, path, errors);
      return score;
    }
    // Each validator that looked counts one; junctors and enums always look.
    let score = 3;
    if (checkType !== undefined) score += 1 + checkType(type, path, errors, value);
    score += checkJunctors === undefined ? 1 : checkJunctors(value, path, errors, correlation);
    if (type === "string") {
      score += 1;
      checkString?.(value as string, path, errors);
      if (checkFormat !== undefined) {
        score += 1;
        checkFormat(value as string, path, errors);
      }
    } else if (type === "integer" || type === "number") {
      score += 2;
      checkNumber(value as number | bigint, type, path, errors);
    } else if (type === "array") {
      score += 2 + checkArray(value as readonly unknown[], path, errors, correlation);
    }
    checkEnum?.(value, path, errors);
    if (type === "object") {
      score += 1 + checkObject(value as Record<string, unknown>, path, errors, correlation);
    }
    return score;
  };
}

/** The types of a schema; an int-or-string has two. */
function schemaTypes(schema: JsonSchema): readonly string[] {
  if (schema["x-kubernetes-int-or-string"] === true) return ["integer", "string"];
  return declaredType(schema);
}

function declaredType(schema: JsonSchema): readonly string[] {
  return schema.type === undefined || schema.type === "" ? [] : [schema.type];
}

type TypeCheck = (type: GoType, path: string, errors: SchemaError[], value?: unknown) => number;

/** The check of type and nullability; 1 when it fits, else 0. */
function typeCheck(types: readonly string[], format: string, nullable: boolean): TypeCheck | undefined {
  if (types.length === 0 && format === "") return undefined;
  const expected = types.join(",");
  const [only] = types.length === 1 ? types : [];
  const integer = types.includes("integer");
  const number = types.includes("number");
  const fail = (path: string, want: string, got: string, errors: SchemaError[]): number => {
    const message = `${path} in body must be of type ${want}: ${quote(got)}`;
    addError(errors, { message, type: "TypeInvalid", path, badValue: got, detail: message });
    return 0;
  };
  return (type, path, errors, value) => {
    if (type === only) return 1;
    if (type === "null") {
      return types.length > 0 && !nullable ? fail(path, expected, "null", errors) : 1;
    }
    const fits =
      types.includes(type) ||
      (type === "number" && integer && isNearInteger(value as number)) ||
      (type === "integer" && number);
    if (fits) return 1;
    if (format !== "") {
      if (type !== "string" && type !== "array") {
        const valueFormat = type === "integer" ? "int64" : type === "number" ? "float64" : "";
        // Values of a kind that has a format of its own are described by it.
        if (valueFormat !== format) return fail(path, format, valueFormat, errors);
      } else if (!number && !integer) {
        return 1;
      }
    }
    return fail(path, expected, type, errors);
  };
}

/** Undefined when the schema has no enum. */
function enumCheck(
  allowed: JsonSchema["enum"],
): ((value: unknown, path: string, errors: SchemaError[]) => void) | undefined {
  if (allowed === undefined || allowed.length === 0) return undefined;
  const texts = new Set<unknown>(allowed.filter((v) => typeof v === "string"));
  const values = allowed.map((v) => quote(typeof v === "string" ? v : goJson(v))).join(", ");
  return (value, path, errors) => {
    if (typeof value === "string" ? texts.has(value) : allowed.some((v) => convertedEqual(value, v))) return;
    const message = `${path} in body should be one of [${values}]`;
    addError(errors, {
      message,
      type: "NotSupported",
      path,
      badValue: value,
      detail: `supported values: ${values}`,
    });
  };
}

/**
 * Whether a value equals an enum value after conversion to its type, as Go converts: 1.25 is the integer 1, and the
 * integer 97 is the text "a". Null is equal to nothing.
 */
function convertedEqual(value: unknown, allowed: unknown): boolean {
  if (value === null || allowed === null) return false;
  const from = goTypeOf(value);
  const to = goTypeOf(allowed);
  if (from === "number" && to === "integer") return jsonEqual(Math.trunc(Number(value)), allowed);
  if (from === "integer" && to === "number") return Number(value) === Number(allowed);
  if (from === "integer" && to === "string") return runeText(value as number | bigint) === allowed;
  return from === to && jsonEqual(value, allowed);
}

function runeText(code: number | bigint): string {
  const point = Number(code);
  const valid = point >= 0 && point <= 0x10ffff && !(point >= 0xd800 && point <= 0xdfff);
  return valid ? String.fromCodePoint(point) : "\ufffd";
}
