/**
 * The compiled CEL rules of a custom resource's schema.
 * Source: apiextensions-apiserver pkg/apiserver/schema/cel (validation.go).
 */
import {
  type Correlation,
  correlate,
  correlatedField,
  correlatedItem,
  isUnchanged,
} from "../schema/correlation.ts";
import type { JsonSchema } from "../schema/json-schema.ts";
import { type FieldError, fieldChild, fieldKey } from "../status/field-error.ts";
import { compileRuleTree, type RuleNode } from "./rule-tree.ts";
import { type Budget, runRules } from "./run-rules.ts";

/** Cost that the rules may use together on one object. Source: apiserver pkg/apis/cel (RuntimeCELCostBudget). */
export const schemaRulesBudget: number = 10_000_000;

export interface SchemaRulesOptions {
  /** Path of the value, default "" (the root; its own errors then have the field `<nil>`). */
  readonly path?: string;
  /** Cost units left, default {@link schemaRulesBudget}. */
  readonly budget?: number;
  /** False: errors of unchanged values are errors too, not warnings. Default true; without an old value it has no meaning. */
  readonly ratchet?: boolean;
}

export interface SchemaRulesResult {
  readonly errors: FieldError[];
  /** Failures of values that did not change; the server sends their text as Warning headers. */
  readonly ratcheted: FieldError[];
  /** Cost units left; negative when the budget ran out and the remaining rules were not run. */
  readonly remainingBudget: number;
}

export interface SchemaRules {
  /**
   * Runs all rules on a value that passed structural validation. `oldValue` is undefined on create. Neither is changed.
   */
  validate(value: unknown, oldValue?: unknown, options?: SchemaRulesOptions): SchemaRulesResult;
}

export interface CompileSchemaRulesOptions {
  /** Whether the schema is that of a whole resource (apiVersion, kind and metadata are then known). Default true. */
  readonly root?: boolean;
}

/**
 * Compiles the rules of a schema once, for use on many values; undefined when there are none. A rule that does not
 * compile becomes an error of every value, as in the API server.
 */
export function compileSchemaRules(
  schema: JsonSchema,
  options: CompileSchemaRulesOptions = {},
): SchemaRules | undefined {
  const tree = compileRuleTree(schema, options.root ?? true);
  if (tree === undefined) return undefined;
  return {
    validate(value, oldValue, { path = "", budget = schemaRulesBudget, ratchet = true } = {}) {
      const run: Run = { errors: [], ratcheted: [], remaining: budget };
      const ratcheting =
        ratchet && oldValue !== undefined ? { here: correlate(value, oldValue, schema) } : nothing;
      validate(tree, { path, value, old: oldValue, ratcheting }, run);
      return { errors: run.errors, ratcheted: run.ratcheted, remainingBudget: run.remaining };
    },
  };
}

interface Run extends Budget {
  readonly errors: FieldError[];
  readonly ratcheted: FieldError[];
}

/** What of the old object corresponds to a value, for forgiving what did not change. */
interface Ratcheting {
  readonly here?: Correlation | undefined;
  /** The nearest place above with a counterpart, when `here` has none. */
  readonly above?: Correlation | undefined;
}

const nothing: Ratcheting = {};

interface At {
  readonly path: string;
  readonly value: unknown;
  readonly old: unknown;
  readonly ratcheting: Ratcheting;
}

function validate(node: RuleNode, at: At, run: Run): void {
  const { value, path } = at;
  if (value === undefined || value === null) return;
  if (node.rules.length > 0) {
    runRules(
      node,
      { path: path === "" ? "<nil>" : path, base: path, value, old: at.old ?? undefined },
      run,
      (error, forgivable) => {
        (forgivable && forgives(at.ratcheting) ? run.ratcheted : run.errors).push(error);
      },
    );
    if (run.remaining < 0) return;
  }
  for (const branch of node.allOf) {
    validate(branch, { ...at, ratcheting: { above: at.ratcheting.above } }, run);
    if (run.remaining < 0) return;
  }
  if (Array.isArray(value)) validateItems(node, at, value, run);
  else if (typeof value === "object")
    validateFields(node, at, value as Readonly<Record<string, unknown>>, run);
}

function forgives({ here, above }: Ratcheting): boolean {
  const nearest = here ?? above;
  return nearest !== undefined && isUnchanged(nearest);
}

function validateItems(node: RuleNode, at: At, value: readonly unknown[], run: Run): void {
  const { items } = node;
  if (items === undefined) return;
  const oldItems = Array.isArray(at.old) ? correlate(value, at.old, node.schema) : undefined;
  for (let i = 0; i < value.length; i++) {
    const old = oldItems === undefined ? undefined : correlatedItem(oldItems, i)?.old;
    const path = fieldKey(at.path, i);
    validate(items, { path, value: value[i], old, ratcheting: itemRatcheting(at.ratcheting, i) }, run);
    if (run.remaining < 0) return;
  }
}

function itemRatcheting(parent: Ratcheting, index: number): Ratcheting {
  if (parent.here === undefined) return parent;
  return { here: correlatedItem(parent.here, index), above: parent.here };
}

function validateFields(node: RuleNode, at: At, value: Readonly<Record<string, unknown>>, run: Run): void {
  const old = isRecord(at.old) && node.correlatesFields ? at.old : undefined;
  const visit = (child: RuleNode, name: string, path: string): void => {
    const oldChild = old !== undefined && Object.hasOwn(old, name) ? old[name] : undefined;
    validate(
      child,
      { path, value: value[name], old: oldChild, ratcheting: fieldRatcheting(at.ratcheting, name) },
      run,
    );
  };
  if (node.values !== undefined) {
    for (const name of Object.keys(value)) {
      visit(node.values, name, fieldKey(at.path, name));
      if (run.remaining < 0) return;
    }
  }
  if (node.fields === undefined) return;
  for (const [name, child] of node.fields) {
    if (!Object.hasOwn(value, name)) continue;
    visit(child, name, fieldChild(at.path, name));
    if (run.remaining < 0) return;
  }
}

function fieldRatcheting(parent: Ratcheting, name: string): Ratcheting {
  if (parent.here === undefined) return parent;
  // Old and new are read in the same version, so a change of these would not show.
  if (parent.above === undefined && (name === "apiVersion" || name === "kind")) return nothing;
  return { here: correlatedField(parent.here, name), above: parent.here };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
