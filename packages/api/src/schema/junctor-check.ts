import { quote } from "../status/field-error.ts";
import type { CheckPurpose, CompilePart, ValueCheck } from "./check.ts";
import type { JsonSchema } from "./json-schema.ts";
import { type SchemaError, addError, placelessError } from "./schema-error.ts";

/**
 * anyOf, oneOf, allOf and not. Undefined when the schema has none of them.
 *
 * Nothing is ratcheted below a junctor, so alternatives see no old value.
 * Source: kube-openapi pkg/validation/validate/schema_props.go.
 */
export function junctorCheck(
  schema: JsonSchema,
  purpose: CheckPurpose,
  compilePart: CompilePart,
): ValueCheck | undefined {
  const checks: ValueCheck[] = [];
  const compile = (branch: JsonSchema): ValueCheck => compilePart(shapeless(branch, purpose));
  const compileAll = (branches: readonly JsonSchema[]): ValueCheck[] => branches.map(compile);
  if (schema.anyOf !== undefined && schema.anyOf.length > 0)
    checks.push(anyOfCheck(compileAll(schema.anyOf)));
  if (schema.oneOf !== undefined && schema.oneOf.length > 0)
    checks.push(oneOfCheck(compileAll(schema.oneOf)));
  if (schema.allOf !== undefined && schema.allOf.length > 0)
    checks.push(allOfCheck(compileAll(schema.allOf)));
  if (schema.not !== undefined) checks.push(notCheck(compile(schema.not)));
  if (checks.length === 0) return undefined;
  return (value, path, errors) => {
    let score = 1;
    for (const check of checks) score += check(value, path, errors, undefined);
    return score;
  };
}

/** For defaults, junctors and what is below them say nothing about additional properties. */
function shapeless(schema: JsonSchema, purpose: CheckPurpose): JsonSchema {
  if (purpose === "object") return schema;
  const { additionalProperties: _dropped, properties, ...rest } = schema;
  if (properties === undefined) return rest;
  const entries = Object.entries(properties).map(([name, s]) => [name, shapeless(s, purpose)] as const);
  return { ...rest, properties: Object.fromEntries(entries) };
}

interface Attempt {
  readonly score: number;
  readonly errors: readonly SchemaError[];
}

function attempt(check: ValueCheck, value: unknown, path: string): Attempt {
  const errors: SchemaError[] = [];
  return { score: check(value, path, errors, undefined), errors };
}

/** The alternative that got furthest; of equals the first. */
function better(best: Attempt | undefined, tried: Attempt): Attempt {
  return best === undefined || tried.score > best.score ? tried : best;
}

function report(best: Attempt | undefined, errors: SchemaError[]): number {
  if (best === undefined) return 0;
  for (const error of best.errors) addError(errors, error);
  return best.score;
}

function anyOfCheck(checks: readonly ValueCheck[]): ValueCheck {
  return (value, path, errors) => {
    let best: Attempt | undefined;
    for (const check of checks) {
      const tried = attempt(check, value, path);
      if (tried.errors.length === 0) return tried.score;
      best = better(best, tried);
    }
    addError(errors, placelessError(`${quote(path)} must validate at least one schema (anyOf)`));
    return report(best, errors);
  };
}

function oneOfCheck(checks: readonly ValueCheck[]): ValueCheck {
  return (value, path, errors) => {
    let best: Attempt | undefined;
    let first: Attempt | undefined;
    let valid = 0;
    for (const check of checks) {
      const tried = attempt(check, value, path);
      if (tried.errors.length === 0) {
        valid++;
        best = undefined;
        first ??= tried;
      } else if (valid === 0) {
        best = better(best, tried);
      }
    }
    if (valid === 1) return first?.score ?? 0;
    const found = valid === 0 ? "Found none valid" : `Found ${valid} valid alternatives`;
    addError(
      errors,
      placelessError(`${quote(path)} must validate one and only one schema (oneOf). ${found}`),
    );
    return report(best, errors);
  };
}

function allOfCheck(checks: readonly ValueCheck[]): ValueCheck {
  return (value, path, errors) => {
    let score = 0;
    let valid = 0;
    for (const check of checks) {
      const tried = attempt(check, value, path);
      if (tried.errors.length === 0) valid++;
      score += report(tried, errors);
    }
    if (valid !== checks.length) {
      const none = valid === 0 ? ". None validated" : "";
      addError(errors, placelessError(`${quote(path)} must validate all the schemas (allOf)${none}`));
    }
    return score;
  };
}

function notCheck(check: ValueCheck): ValueCheck {
  return (value, path, errors) => {
    if (attempt(check, value, path).errors.length === 0) {
      addError(errors, placelessError(`${quote(path)} must not validate the schema (not)`));
    }
    return 0;
  };
}
