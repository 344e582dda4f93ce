import type * as z from "zod";
import type { Json } from "../../object/object.ts";
import type { JsonSchema } from "../../schema/json-schema.ts";
import type { Conversion } from "./conversion.ts";

/**
 * `.nullable()`. The API server compares even null with an `enum` beside `nullable`, and refuses it whatever the enum holds
 * (recorded: conformance schema/enum-other-types); an enum one level deeper is not asked about null.
 */
export function convertNullable(
  conversion: Conversion,
  def: z.core.$ZodNullableDef,
  path: string,
): JsonSchema {
  return nullable(conversion.convert(def.innerType, path));
}

/** The schema with null accepted too. */
export function nullable(schema: JsonSchema): JsonSchema {
  const { enum: values, ...rest } = schema;
  if (values === undefined) return { ...schema, nullable: true };
  return { ...rest, nullable: true, allOf: [...(rest.allOf ?? []), { enum: values }] };
}

/** `.default()` and `.prefault()`: in both cases the API server fills in the value, and then the defaults inside of it. */
export function convertDefault(
  conversion: Conversion,
  def: z.core.$ZodDefaultDef | z.core.$ZodPrefaultDef,
  path: string,
): JsonSchema {
  const schema = conversion.convert(def.innerType, path);
  const value: unknown = def.defaultValue;
  const text = JSON.stringify(value, refuseBigint);
  if (text !== JSON.stringify(def.defaultValue, refuseBigint)) {
    return conversion.refuse(
      path,
      "the default differs from call to call, and a schema holds one value; set it in the controller",
    );
  }
  if (text === undefined || !sameJson(value, JSON.parse(text) as unknown)) {
    return conversion.refuse(path, "the default is no JSON value");
  }
  const wrong = issuesOf(def.innerType, value);
  if (wrong !== undefined) {
    return conversion.refuse(path, `the default ${text} is refused by its own schema: ${wrong}`);
  }
  return { ...schema, default: JSON.parse(text) as Json };
}

function refuseBigint(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? undefined : value;
}

/** Whether nothing was lost on the way through JSON: no dates, no functions, no undefined. */
function sameJson(value: unknown, copy: unknown): boolean {
  if (typeof value !== "object" || value === null) return Object.is(value, copy);
  if (Array.isArray(value)) {
    return Array.isArray(copy) && value.every((item, index) => sameJson(item, copy[index]));
  }
  if (typeof copy !== "object" || copy === null) return false;
  return Object.entries(value).every(([key, item]) => sameJson(item, (copy as Record<string, unknown>)[key]));
}

interface Validator {
  readonly "~standard"?: { validate(value: unknown): unknown };
}

/** What Zod says against a value, or undefined. Asked through Standard Schema, which every Zod schema implements. */
function issuesOf(schema: z.core.$ZodType, value: unknown): string | undefined {
  const result = (schema as Validator)["~standard"]?.validate(value) as
    | { issues?: readonly { message: string; path?: readonly unknown[] }[] }
    | undefined;
  return result?.issues?.map((issue) => [...(issue.path ?? []), issue.message].join(": ")).join("; ");
}
