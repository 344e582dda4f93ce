/** The constraints that hang on a Zod schema (`.min()`, `.regex()`, `.check(k8s.rule(...))`) as keywords. */
import type * as z from "zod";
import type { JsonSchema } from "../../schema/json-schema.ts";
import type { AnyZodSchema } from "../kind-definition.ts";
import { type Conversion, fieldPath } from "./conversion.ts";
import { type SchemaMark, markOf } from "./schema-mark.ts";
import { applyStringFormat } from "./string-format.ts";

/** Adds all constraints of a schema to what its construct converted to, and returns the same object. */
export function applyChecks(
  conversion: Conversion,
  schema: AnyZodSchema,
  converted: JsonSchema,
  path: string,
): JsonSchema {
  const def = schema._zod.def;
  if ((def as { coerce?: boolean }).coerce === true) {
    conversion.refuse(
      path,
      "z.coerce changes values, and the API server stores what it was sent; use the plain schema",
    );
  }
  // A format such as z.email() or z.int32() is its own first check.
  if ((def as { check?: string }).check !== undefined && def.type !== "custom") {
    applyCheck(conversion, schema as unknown as z.core.$ZodCheck, converted, path);
  }
  for (const check of def.checks ?? []) {
    const mark = markOf(check);
    if (mark === undefined) applyCheck(conversion, check, converted, path);
    else applyMark(conversion, mark, converted, path);
  }
  return converted;
}

function applyMark(conversion: Conversion, mark: SchemaMark, to: JsonSchema, path: string): void {
  switch (mark.say) {
    case "rule":
      for (const field of mark.fields ?? []) {
        if (to.properties?.[field] === undefined) {
          conversion.refuse(
            fieldPath(path, field),
            "a rule names this field, and the object does not have it",
          );
        }
      }
      to["x-kubernetes-validations"] = [...(to["x-kubernetes-validations"] ?? []), mark.rule];
      return;
    case "keywords":
      Object.assign(to, mark.keywords);
      return;
    case "atomic":
      if (to.type === "array") to["x-kubernetes-list-type"] = "atomic";
      else if (to.type === "object") to["x-kubernetes-map-type"] = "atomic";
      else conversion.refuse(path, "k8s.atomic() is for lists and objects; anything else is atomic already");
      return;
    case "schema":
      return;
  }
}

function applyCheck(conversion: Conversion, check: z.core.$ZodCheck, to: JsonSchema, path: string): void {
  const def = (check as z.core.$ZodChecks)._zod.def;
  switch (def.check) {
    case "less_than":
      return atMost(to, Number(def.value), !def.inclusive);
    case "greater_than":
      return atLeast(to, Number(def.value), !def.inclusive);
    case "multiple_of":
      return multipleOf(to, Math.abs(Number(def.value)));
    case "number_format":
      return numberFormat(to, def.format);
    case "min_length":
      return lengthAtLeast(to, def.minimum);
    case "max_length":
      return lengthAtMost(to, def.maximum);
    case "length_equals":
      lengthAtLeast(to, def.length);
      return lengthAtMost(to, def.length);
    case "string_format":
      return applyStringFormat(conversion, def as z.core.$ZodCheckStringFormatDef, to, path);
    default:
      conversion.refuse(path, checkRefusal(def.check, to));
  }
}

function checkRefusal(check: string, to: JsonSchema): string {
  if (check === "overwrite") {
    return (
      ".trim(), .toLowerCase(), .normalize() and the like change values, and the API server stores what it was sent; " +
      "demand the form with .regex() instead"
    );
  }
  if (check === "custom") {
    return (
      ".refine() and .superRefine() are checked by JavaScript only; say it in CEL: " +
      `.check(k8s.rule("self ${to.type === "string" ? "!= ''" : "..."}", { message: "..." }))`
    );
  }
  return `the check ${check} has no structural form; say it in CEL with .check(k8s.rule(...))`;
}

function atMost(to: JsonSchema, limit: number, exclusive: boolean): void {
  if (to.maximum !== undefined && (to.maximum < limit || (to.maximum === limit && !exclusive))) return;
  to.maximum = limit;
  if (exclusive) to.exclusiveMaximum = true;
  else delete to.exclusiveMaximum;
}

function atLeast(to: JsonSchema, limit: number, exclusive: boolean): void {
  if (to.minimum !== undefined && (to.minimum > limit || (to.minimum === limit && !exclusive))) return;
  to.minimum = limit;
  if (exclusive) to.exclusiveMinimum = true;
  else delete to.exclusiveMinimum;
}

/** The keyword holds one divisor; more of them go into `allOf`. */
function multipleOf(to: JsonSchema, divisor: number): void {
  if (to.multipleOf === undefined || to.multipleOf === divisor) to.multipleOf = divisor;
  else to.allOf = [...(to.allOf ?? []), { multipleOf: divisor }];
}

function numberFormat(to: JsonSchema, format: z.core.$ZodNumberFormats): void {
  switch (format) {
    case "safeint":
      to.type = "integer";
      return;
    case "int32":
      to.type = "integer";
      to.format = "int32";
      return;
    case "uint32":
      to.type = "integer";
      to.format = "int64";
      atLeast(to, 0, false);
      return atMost(to, 0xffff_ffff, false);
    case "float32":
      to.format = "float";
      return;
    case "float64":
      to.format = "double";
  }
}

function lengthAtLeast(to: JsonSchema, length: number): void {
  if (to.type === "array") to.minItems = Math.max(to.minItems ?? 0, length);
  else to.minLength = Math.max(to.minLength ?? 0, length);
}

function lengthAtMost(to: JsonSchema, length: number): void {
  if (to.type === "array") to.maxItems = Math.min(to.maxItems ?? length, length);
  else to.maxLength = Math.min(to.maxLength ?? length, length);
}
