/** Which objects a stage is for. Source of the rules: kwok pkg/utils/lifecycle, pkg/utils/expression. */
import { type DeepReadonly, type KubeObject, compileExpression } from "@bowline/api";
import { parseQuery, runQuery } from "./jq/query.ts";
import type { StageRequirement, StageSelector } from "./stage.ts";

export type StageMatcher = (object: DeepReadonly<KubeObject>) => boolean;

type Labels = Readonly<Record<string, string>>;

/** @throws Error for an expression that cannot be read */
export function matcherOf(selector: StageSelector | undefined): StageMatcher {
  if (selector === undefined) return () => false;
  const { matchLabels = {}, matchAnnotations = {}, matchExpressions = [] } = selector;
  const has = (map: Labels | undefined, wanted: Labels): boolean =>
    Object.entries(wanted).every(([key, value]) => map?.[key] === value);
  const conditions = matchExpressions.map(conditionOf);
  return (object) =>
    has(object.metadata.labels, matchLabels) &&
    has(object.metadata.annotations, matchAnnotations) &&
    conditions.every((condition) => condition(object));
}

type Expression = NonNullable<StageSelector["matchExpressions"]>[number];

function conditionOf({ cel, jq, key, operator, values }: Expression): StageMatcher {
  if (cel !== undefined) return celCondition(cel.expression);
  if (jq !== undefined) return requirementCondition(jq);
  if (key === undefined || operator === undefined)
    throw new Error("an expression has a key and an operator, or jq, or cel");
  return requirementCondition({ key, operator, ...(values === undefined ? {} : { values }) });
}

/** An expression that fails, as one about a field that is absent does, is not true. */
function celCondition(text: string): StageMatcher {
  const { expression, error } = compileExpression(text, { variables: { self: "dyn" } });
  if (expression === undefined) throw new Error(`the expression ${JSON.stringify(text)}: ${error}`);
  if (expression.resultType !== "bool" && expression.resultType !== "dyn")
    throw new Error(`the expression ${JSON.stringify(text)} is no bool but ${expression.resultType}`);
  return (object) => expression.evaluate({ self: object }).value === true;
}

const needsValues: Readonly<Record<string, boolean>> = {
  In: true,
  NotIn: true,
  Exists: false,
  DoesNotExist: false,
};

function requirementCondition({ key, operator, values = [] }: StageRequirement): StageMatcher {
  const needs = needsValues[operator];
  if (needs === undefined)
    throw new Error(`the operator ${operator} is none of ${Object.keys(needsValues).join(", ")}`);
  if (needs !== values.length > 0)
    throw new Error(`the operator ${operator} goes with ${needs ? "values" : "no values"}`);
  const query = parseQuery(key);
  const wanted = new Set(values);
  return (object) => {
    const found = runQuery(query, object);
    switch (operator) {
      case "In":
        return found.some((value) => isOneOf(value, wanted));
      case "NotIn":
        return !found.some((value) => isOneOf(value, wanted));
      case "Exists":
        return found.length > 0;
      default:
        return found.length === 0;
    }
  };
}

function isOneOf(value: unknown, wanted: ReadonlySet<string>): boolean {
  return typeof value !== "object" && wanted.has(String(value));
}
