/**
 * Zod definitions to structural schemas: same values accepted, or a problem that names the place. Walks the definitions
 * themselves, because `z.toJSONSchema` drops silently what it cannot say and says much that a CRD may not hold
 * (bounds of safe integers, typeless unions, `$ref`, `additionalProperties` beside `properties`).
 */
import type * as z from "zod";
import type { JsonSchema } from "../../schema/json-schema.ts";
import type { DefinitionProblem } from "../definition-error.ts";
import type { AnyZodSchema } from "../kind-definition.ts";
import type { Conversion, KnownSchema } from "./conversion.ts";
import { applyChecks } from "./checks.ts";
import { convertIntersection } from "./intersection.ts";
import { convertArray, convertObject, convertRecord } from "./object.ts";
import { refusalOf } from "./refusal.ts";
import { convertEnum, convertLiteral, convertTemplate } from "./scalar.ts";
import { markOf } from "./schema-mark.ts";
import { convertUnion } from "./union.ts";
import { convertDefault, convertNullable } from "./wrapper.ts";
import { metaKeywords } from "./zod-meta.ts";

/** A schema and all that is wrong with it. */
export interface ConvertedSchema {
  readonly schema: JsonSchema;
  readonly problems: readonly DefinitionProblem[];
}

/** Converts a Zod schema. What has no structural form becomes a problem at its path below `path`. */
export function convertSchema(schema: AnyZodSchema, path: string): ConvertedSchema {
  const walk = new Walk();
  return { schema: walk.convert(schema, path), problems: walk.problems };
}

class Walk implements Conversion {
  readonly problems: DefinitionProblem[] = [];
  /** The schemas that enclose the place at hand, to notice recursion. */
  readonly #open = new Set<AnyZodSchema>();

  convert(schema: AnyZodSchema, path: string): JsonSchema {
    if (this.#open.has(schema)) return this.refuse(path, recursion);
    this.#open.add(schema);
    const replaced = schemaMark(schema);
    const converted =
      replaced === undefined ? convertKnown(this, schema as KnownSchema, path) : { ...replaced };
    const checked = applyChecks(this, schema, converted, path);
    this.#open.delete(schema);
    return Object.assign(checked, metaKeywords(schema));
  }

  refuse(path: string, message: string): JsonSchema {
    this.problems.push({ path, message });
    return {};
  }
}

const recursion =
  "the schema contains itself, and a structural schema cannot refer to itself; write the levels out, or use z.unknown() or " +
  "z.looseObject({}) where the depth is open";

function schemaMark(schema: AnyZodSchema): Readonly<JsonSchema> | undefined {
  for (const check of schema._zod.def.checks ?? []) {
    const mark = markOf(check);
    if (mark?.say === "schema") return mark.schema;
  }
  return undefined;
}

function convertKnown(conversion: Conversion, schema: KnownSchema, path: string): JsonSchema {
  const def = schema._zod.def;
  switch (def.type) {
    case "string":
      return { type: "string" };
    case "number":
      return { type: "number" };
    case "boolean":
      return { type: "boolean" };
    case "any":
    case "unknown":
      return { "x-kubernetes-preserve-unknown-fields": true, nullable: true };
    case "literal":
      return convertLiteral(conversion, def.values, path);
    case "enum":
      return convertEnum(conversion, def.entries, path);
    case "template_literal":
      return convertTemplate(conversion, (schema as z.core.$ZodTemplateLiteral)._zod.pattern, path);
    case "object":
      return convertObject(conversion, def, path);
    case "record":
      return convertRecord(conversion, def, path);
    case "array":
      return convertArray(conversion, def, path);
    case "union":
      return convertUnion(conversion, def, path);
    case "intersection":
      return convertIntersection(conversion, def, path);
    case "optional":
    case "nonoptional":
    case "readonly":
      return conversion.convert(def.innerType, path);
    case "lazy":
      return conversion.convert(def.getter(), path);
    case "nullable":
      return convertNullable(conversion, def, path);
    case "default":
    case "prefault":
      return convertDefault(conversion, def, path);
    default:
      return conversion.refuse(path, refusalOf(schema));
  }
}
