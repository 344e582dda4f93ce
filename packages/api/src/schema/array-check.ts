import type { CompilePart } from "./check.ts";
import { type Correlation, correlatedItem } from "./correlation.ts";
import { type JsonSchema, itemSchema } from "./json-schema.ts";
import { jsonEqual } from "./json-value.ts";
import { type SchemaError, addError, invalidError } from "./schema-error.ts";
import { ratcheted } from "./ratchet.ts";

type ArrayCheck = (
  value: readonly unknown[],
  path: string,
  errors: SchemaError[],
  correlation: Correlation | undefined,
) => number;

/** Items first, then the number of items. The result is the score of the items. */
export function arrayCheck(schema: JsonSchema, compile: CompilePart): ArrayCheck {
  const { maxItems, minItems, uniqueItems } = schema;
  const items = itemSchema(schema);
  const checkItem = items === undefined ? undefined : ratcheted(compile(items));
  return (value, path, errors, correlation) => {
    let score = 0;
    if (checkItem !== undefined) {
      for (let i = 0; i < value.length; i++) {
        const old = correlation === undefined ? undefined : correlatedItem(correlation, i);
        score += checkItem(value[i], `${path}[${i}]`, errors, old);
      }
    }
    if (minItems !== undefined && value.length < minItems) {
      const message = `${path} in body should have at least ${minItems} items`;
      addError(errors, invalidError(path, value.length, message));
    }
    if (maxItems !== undefined && value.length > maxItems) {
      const message = `${path} in body should have at most ${maxItems} items`;
      addError(errors, tooMany(path, value.length, maxItems, message));
    }
    if (uniqueItems === true && value.some((item, i) => value.slice(0, i).some((o) => jsonEqual(item, o)))) {
      addError(errors, invalidError(path, undefined, `${path} in body shouldn't contain duplicates`));
    }
    return score;
  };
}

/** Too many items or too many properties: the server speaks of items in both cases. */
export function tooMany(path: string, count: number, max: number, message: string): SchemaError {
  const detail = max < 0 ? "has too many items" : `must have at most ${max} ${max === 1 ? "item" : "items"}`;
  return { message, type: "TooMany", path, badValue: count, detail };
}
