/** One rule on one value, without a server: for unit tests of schemas. */
import type { JsonSchema, ValidationRule } from "../schema/json-schema.ts";
import type { FieldError } from "../status/field-error.ts";
import { type Budget, runRules } from "./run-rules.ts";
import { compileRules } from "./schema-program.ts";
import { schemaRulesBudget } from "./schema-rules.ts";
import { declareSchema } from "./schema-type.ts";
import { shapeOf } from "./schema-shape.ts";

export interface TryRuleOptions {
  /** The schema of the value, as it is where the rule would stand. Its own rules are not run. */
  readonly schema: JsonSchema;
  readonly value: unknown;
  /** The value before an update; absent on create. A rule that needs it then holds. */
  readonly oldValue?: unknown;
  /** Path of the value in errors, default `self`. */
  readonly path?: string;
}

export interface TriedRule {
  /** Whether the rule is fulfilled. */
  readonly holds: boolean;
  /** What the API server would report: the rule's message, or why it does not compile or cannot be evaluated. */
  readonly errors: readonly FieldError[];
  /** Cost units used. */
  readonly cost: number;
  /** Most cost units that it could use on any value of the schema. A CRD may not have a rule of more than 10,000,000. */
  readonly estimatedCost: number;
}

/**
 * Runs a rule of `x-kubernetes-validations` on a value as the API server would. Throws when expressions cannot see values
 * of the schema at all (it has no type).
 */
export function tryRule(rule: string | ValidationRule, options: TryRuleOptions): TriedRule {
  const { value, oldValue, path = "self" } = options;
  const full = typeof rule === "string" ? { rule } : rule;
  const schema: JsonSchema = { ...options.schema, "x-kubernetes-validations": [full] };
  const isResource = schema["x-kubernetes-embedded-resource"] === true;
  const declared = declareSchema(schema, isResource);
  if (declared === undefined) throw new Error("a rule needs a schema with a type");
  const rules = compileRules(schema, declared);
  const node = {
    schema,
    rules,
    shape: shapeOf(schema, isResource),
    usesOldSelf: rules.some((compiled) => compiled.usesOldSelf),
    allOf: [],
    correlatesFields: true,
  };
  const errors: FieldError[] = [];
  const budget: Budget = { remaining: schemaRulesBudget };
  runRules(node, { path, base: path, value, old: oldValue }, budget, (error) => errors.push(error));
  const cost = schemaRulesBudget - Math.max(budget.remaining, 0);
  return { holds: errors.length === 0, errors, cost, estimatedCost: rules[0]?.costMax ?? 0 };
}
