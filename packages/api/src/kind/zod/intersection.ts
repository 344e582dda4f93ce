import type * as z from "zod";
import type { JsonSchema } from "../../schema/json-schema.ts";
import { type Conversion, fieldPath } from "./conversion.ts";

/** `z.intersection` and `.and()`: objects join their fields, scalars of one type their constraints. */
export function convertIntersection(
  conversion: Conversion,
  def: z.core.$ZodIntersectionDef,
  path: string,
): JsonSchema {
  const left = conversion.convert(def.left, path);
  const right = conversion.convert(def.right, path);
  if (left.type === undefined || left.type !== right.type || left.type === "array") {
    return conversion.refuse(
      path,
      `an intersection of ${left.type ?? "any"} and ${right.type ?? "any"} has no structural form; write one schema`,
    );
  }
  return left.type === "object" ? joinObjects(conversion, left, right, path) : joinScalars(left, right);
}

function joinObjects(conversion: Conversion, left: JsonSchema, right: JsonSchema, path: string): JsonSchema {
  if (left.additionalProperties !== undefined || right.additionalProperties !== undefined) {
    return conversion.refuse(
      path,
      "an intersection with a z.record() has no structural form; write one schema",
    );
  }
  const properties = { ...left.properties };
  for (const [name, property] of Object.entries(right.properties ?? {})) {
    const other = properties[name];
    if (other !== undefined && JSON.stringify(other) !== JSON.stringify(property)) {
      conversion.refuse(
        fieldPath(path, name),
        "both sides of the intersection have this field, with different schemas",
      );
    }
    properties[name] = property;
  }
  const required = [...new Set([...(left.required ?? []), ...(right.required ?? [])])];
  const rules = [...(left["x-kubernetes-validations"] ?? []), ...(right["x-kubernetes-validations"] ?? [])];
  return {
    ...right,
    ...left,
    properties,
    ...(required.length === 0 ? {} : { required }),
    ...(rules.length === 0 ? {} : { "x-kubernetes-validations": rules }),
  };
}

function joinScalars(left: JsonSchema, right: JsonSchema): JsonSchema {
  const { type: _type, nullable, title: _t, description: _d, example: _e, ...constraints } = right;
  const rules = [
    ...(left["x-kubernetes-validations"] ?? []),
    ...(constraints["x-kubernetes-validations"] ?? []),
  ];
  delete constraints["x-kubernetes-validations"];
  const { nullable: leftNullable, ...rest } = left;
  return {
    ...rest,
    ...(leftNullable && nullable ? { nullable: true } : {}),
    ...(Object.keys(constraints).length === 0 ? {} : { allOf: [...(left.allOf ?? []), constraints] }),
    ...(rules.length === 0 ? {} : { "x-kubernetes-validations": rules }),
  };
}
