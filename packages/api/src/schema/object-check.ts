import { tooMany } from "./array-check.ts";
import type { CompilePart, ValueCheck } from "./check.ts";
import { type Correlation, correlatedField } from "./correlation.ts";
import type { JsonSchema } from "./json-schema.ts";
import { ratcheted } from "./ratchet.ts";
import { type SchemaError, addError, invalidError } from "./schema-error.ts";

type ObjectCheck = (
  value: Record<string, unknown>,
  path: string,
  errors: SchemaError[],
  correlation: Correlation | undefined,
) => number;

/** Number of properties, additional properties, properties, required ones. The result is the score of the properties. */
export function objectCheck(schema: JsonSchema, compile: CompilePart): ObjectCheck {
  const { minProperties, maxProperties, required } = schema;
  const properties = new Map<string, ValueCheck>();
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    properties.set(name, ratcheted(compile(property)));
  }
  const names = [...properties.keys()];
  const checks = [...properties.values()];
  const checkExtra = extraCheck(schema.additionalProperties, properties, compile);
  const checkCount = countCheck(minProperties, maxProperties);
  return (value, path, errors, correlation) => {
    checkCount?.(value, path, errors);
    let score = checkExtra === undefined ? 0 : checkExtra(value, path, errors, correlation);
    for (let i = 0; i < names.length; i++) {
      const name = names[i] as string;
      const given = value[name];
      // The prototype may have a property of that name.
      if (given === undefined || !Object.hasOwn(value, name)) continue;
      const old = correlation === undefined ? undefined : correlatedField(correlation, name, path === "");
      score += (checks[i] as ValueCheck)(given, path === "" ? name : `${path}.${name}`, errors, old);
    }
    if (required !== undefined) {
      for (const name of required) {
        if (Object.hasOwn(value, name)) continue;
        const place = `${path}.${name}`;
        addError(errors, {
          message: `${place} in body is required`,
          type: "Required",
          path: place,
          detail: "",
        });
      }
    }
    return score;
  };
}

function countCheck(
  min: number | undefined,
  max: number | undefined,
): ((value: Record<string, unknown>, path: string, errors: SchemaError[]) => void) | undefined {
  if (min === undefined && max === undefined) return undefined;
  return (value, path, errors) => {
    const count = Object.keys(value).length;
    if (min !== undefined && count < min) {
      const message = `${path} in body should have at least ${min} properties`;
      addError(errors, invalidError(path, count, message));
    }
    if (max !== undefined && count > max) {
      addError(errors, tooMany(path, count, max, `${path} in body should have at most ${max} properties`));
    }
  };
}

function extraCheck(
  additional: JsonSchema["additionalProperties"],
  properties: ReadonlyMap<string, ValueCheck>,
  compile: CompilePart,
): ObjectCheck | undefined {
  if (additional === undefined || additional === true) return undefined;
  if (additional === false) {
    return (value, path, errors) => {
      for (const key in value) {
        if (properties.has(key)) continue;
        addError(errors, invalidError(path, key, `${path}.${key} in body is a forbidden property`));
      }
      return 0;
    };
  }
  const check = ratcheted(compile(additional));
  return (value, path, errors, correlation) => {
    let score = 0;
    for (const key in value) {
      if (properties.has(key)) continue;
      const old = correlation === undefined ? undefined : correlatedField(correlation, key, path === "");
      score += check(value[key], `${path}.${key}`, errors, old);
    }
    return score;
  };
}
