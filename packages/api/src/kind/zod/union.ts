import type * as z from "zod";
import type { JsonSchema } from "../../schema/json-schema.ts";
import type { Conversion, KnownSchema } from "./conversion.ts";
import { convertDiscriminatedUnion } from "./discriminated-union.ts";
import { escapeForRe2 } from "./re2-pattern.ts";
import { nullable } from "./wrapper.ts";

/** `z.union`, `z.xor` and `z.discriminatedUnion`, as far as one structural type holds all options. */
export function convertUnion(
  conversion: Conversion,
  def: z.core.$ZodUnionDef | z.core.$ZodDiscriminatedUnionDef,
  path: string,
): JsonSchema {
  if ("discriminator" in def) return convertDiscriminatedUnion(conversion, def, path);
  const known = def.options as readonly KnownSchema[];
  const present = known.filter(
    (option) => option._zod.def.type !== "null" && option._zod.def.type !== "undefined",
  );
  const options = present.map((option) => conversion.convert(option, path));
  const joined = options.length === 1 ? options[0] : join(options, def.inclusive === false);
  if (joined === undefined) return conversion.refuse(path, unionRefusal(options));
  const acceptsNull =
    options.some((option) => option.nullable) || known.some((option) => option._zod.def.type === "null");
  return acceptsNull ? nullable(joined) : joined;
}

function unionRefusal(options: readonly JsonSchema[]): string {
  const types = [...new Set(options.map((option) => option.type ?? "any"))].join(", ");
  if (options.every((option) => option.type === "object")) {
    return (
      "a union of objects has no structural form unless a field tells them apart: use z.discriminatedUnion(), or one " +
      "object with optional fields and .check(k8s.exactlyOneOf(...))"
    );
  }
  return (
    `a union of ${types} has no structural form; only scalars of one type, z.int() with z.string() (k8s.intOrString()) ` +
    "and z.discriminatedUnion() have one"
  );
}

/** The options as one schema, or undefined when no single type holds them. */
function join(options: readonly JsonSchema[], exclusive: boolean): JsonSchema | undefined {
  if (
    options.some((option) => option["x-kubernetes-validations"] !== undefined || option.default !== undefined)
  ) {
    return undefined;
  }
  return joinEnums(options, exclusive) ?? joinScalars(options, exclusive) ?? joinIntAndString(options);
}

function joinEnums(options: readonly JsonSchema[], exclusive: boolean): JsonSchema | undefined {
  const type = options[0]?.type;
  const pure = options.every((option) => option.type === type && Object.keys(option).join() === "type,enum");
  if (!pure || type === undefined) return undefined;
  const values = options.flatMap((option) => option.enum ?? []);
  const unique = values.filter((value) => values.indexOf(value) === values.lastIndexOf(value));
  return { type, enum: exclusive ? unique : [...new Set(values)] };
}

const scalars: ReadonlySet<string> = new Set(["string", "integer", "number", "boolean"]);

/** Options of one scalar type: their constraints become `anyOf`, or `oneOf` where exactly one must hold. */
function joinScalars(options: readonly JsonSchema[], exclusive: boolean): JsonSchema | undefined {
  const types = new Set(options.map((option) => option.type));
  const type = [...types][0];
  if (types.size !== 1 || type === undefined || !scalars.has(type)) return undefined;
  const constraints = options.map(constraintsOf);
  if (exclusive) return { type, oneOf: constraints };
  return constraints.some((part) => Object.keys(part).length === 0) ? { type } : { type, anyOf: constraints };
}

function constraintsOf(option: JsonSchema): JsonSchema {
  const {
    type: _type,
    nullable: _nullable,
    title: _title,
    description: _description,
    example: _example,
    ...rest
  } = option;
  return rest;
}

/**
 * An integer or a string. Keywords of numbers leave strings alone and reverse, so both sets go side by side; the enum of
 * strings has to be a pattern, because `enum` would be asked about the integer too.
 */
function joinIntAndString(options: readonly JsonSchema[]): JsonSchema | undefined {
  const [one, other] = options;
  if (options.length !== 2 || one === undefined || other === undefined) return undefined;
  const integer = one.type === "integer" ? one : other;
  const text = one.type === "integer" ? other : one;
  if (integer.type !== "integer" || text.type !== "string" || integer.enum !== undefined) return undefined;
  const { format: _format, ...ofInteger } = constraintsOf(integer);
  const { enum: values, ...ofText } = constraintsOf(text);
  if (integer.format === "int32") {
    ofInteger.minimum = Math.max(ofInteger.minimum ?? -0x8000_0000, -0x8000_0000);
    ofInteger.maximum = Math.min(ofInteger.maximum ?? 0x7fff_ffff, 0x7fff_ffff);
  }
  const pattern =
    values === undefined ? undefined : `^(?:${values.map((v) => escapeForRe2(String(v))).join("|")})$`;
  const both = [...(ofInteger.allOf ?? []), ...(ofText.allOf ?? [])];
  const shared = [pattern === undefined ? {} : { pattern }, both.length === 0 ? {} : { allOf: both }];
  return {
    anyOf: [{ type: "integer" }, { type: "string" }],
    "x-kubernetes-int-or-string": true,
    ...Object.assign({ ...ofInteger, ...ofText }, ...shared),
  };
}
