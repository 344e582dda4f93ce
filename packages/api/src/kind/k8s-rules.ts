/** CEL rules as Zod checks, and the common ones by name. */
import type * as z from "zod";
import type { ValidationRule } from "../schema/json-schema.ts";
import { celField } from "./zod/cel-text.ts";
import { markCheck } from "./zod/schema-mark.ts";

/** What a rule may say beside its expression. */
export type RuleOptions = Omit<ValidationRule, "rule">;

/**
 * A CEL rule, on any schema: `z.object({...}).check(k8s.rule("self.min <= self.max", { message: "min exceeds max" }))`. The
 * API server evaluates it on every write; `oldSelf` makes it a rule about changes. Zod's own `parse` does not run it.
 */
export function rule(expression: string, options: RuleOptions = {}): z.core.$ZodCheck<unknown> {
  return markCheck({ say: "rule", rule: { rule: expression, ...options } });
}

/** Once set, the value stays. Adding or removing an optional field is still allowed: put a rule on the object against that. */
export function immutable(options: Pick<RuleOptions, "message" | "reason"> = {}): z.core.$ZodCheck<unknown> {
  return markCheck({
    say: "rule",
    rule: { rule: "self == oldSelf", message: "Value is immutable", ...options },
  });
}

/** Exactly one of these fields of the object is set. */
export function exactlyOneOf<const Field extends string>(
  ...fields: readonly Field[]
): z.core.$ZodCheck<{ readonly [F in Field]?: unknown }> {
  return countOf(fields, { is: "== 1", text: "exactly one of", holds: (count) => count === 1 });
}

/** Not more than one of these fields of the object is set. */
export function atMostOneOf<const Field extends string>(
  ...fields: readonly Field[]
): z.core.$ZodCheck<{ readonly [F in Field]?: unknown }> {
  return countOf(fields, { is: "<= 1", text: "at most one of", holds: (count) => count <= 1 });
}

/** One or more of these fields of the object are set. */
export function atLeastOneOf<const Field extends string>(
  ...fields: readonly Field[]
): z.core.$ZodCheck<{ readonly [F in Field]?: unknown }> {
  return countOf(fields, { is: ">= 1", text: "at least one of", holds: (count) => count >= 1 });
}

interface Count {
  readonly is: string;
  readonly text: string;
  holds(count: number): boolean;
}

function countOf<Field extends string>(
  fields: readonly Field[],
  count: Count,
): z.core.$ZodCheck<{ readonly [F in Field]?: unknown }> {
  const message = `${count.text} ${fields.join(", ")} must be set`;
  const terms = fields.map((field) => `has(self.${celField(field)})`);
  const expression = `[${terms.join(", ")}].filter(x, x).size() ${count.is}`;
  return markCheck({ say: "rule", rule: { rule: expression, message }, fields }, (value) =>
    count.holds(fields.filter((field) => value[field] !== undefined).length) ? undefined : message,
  );
}
