import type { Json } from "../../object/object.ts";
import type { JsonSchema } from "../../schema/json-schema.ts";
import type { Conversion } from "./conversion.ts";
import { re2Pattern } from "./re2-pattern.ts";
import { nullable } from "./wrapper.ts";

/** `z.enum`: names or, for a TypeScript enum, its values. Zod leaves out the reverse names of numeric enums. */
export function convertEnum(
  conversion: Conversion,
  entries: Readonly<Record<string, string | number>>,
  path: string,
): JsonSchema {
  const numeric = new Set(Object.values(entries).filter((value) => typeof value === "number"));
  const values = Object.entries(entries)
    .filter(([name]) => !numeric.has(Number(name)))
    .map(([, value]) => value);
  return enumOf(conversion, values, path);
}

/** `z.literal`, of one or several values. */
export function convertLiteral(conversion: Conversion, values: readonly unknown[], path: string): JsonSchema {
  if (values.some((value) => value === undefined || typeof value === "bigint" || typeof value === "symbol")) {
    return conversion.refuse(path, "a literal that is no JSON value; use .optional() for undefined");
  }
  const present = values.filter((value) => value !== null);
  const schema = enumOf(conversion, present as Json[], path);
  return present.length === values.length ? schema : nullable(schema);
}

/** `z.templateLiteral`: the pattern that Zod builds. */
export function convertTemplate(conversion: Conversion, pattern: RegExp, path: string): JsonSchema {
  const converted = re2Pattern(pattern);
  if ("problem" in converted) return conversion.refuse(path, converted.problem);
  return { type: "string", pattern: converted.pattern };
}

/** The schema of a list of scalars; one structural schema has one type, so they must be of one. */
export function enumOf(conversion: Conversion, values: readonly Json[], path: string): JsonSchema {
  const types = new Set(values.map((value) => typeof value));
  const type = [...types][0];
  if (types.size > 1) {
    return conversion.refuse(
      path,
      `values of several types (${[...types].join(", ")}) in one enum; use one type`,
    );
  }
  if (type === undefined) return conversion.refuse(path, "an enum without values accepts nothing");
  if (type !== "number") return { type, enum: [...values] };
  return { type: values.every((value) => Number.isInteger(value)) ? "integer" : "number", enum: [...values] };
}
