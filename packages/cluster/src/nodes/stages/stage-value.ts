/** Numbers and durations that stages take from the object. Source of the rules: kwok pkg/utils/lifecycle (value_*_from.go). */
import { type DeepReadonly, type KubeObject, compileExpression, goDurationMs } from "@bowline/api";
import { parseQuery, runQuery } from "./jq/query.ts";
import type { StageExpression } from "./stage.ts";

type Find = (object: DeepReadonly<KubeObject>) => unknown;

/** What an expression finds; undefined when it finds nothing. @throws Error when it cannot be read */
function finderOf({ expressionFrom, jq, cel }: StageExpression): Find {
  if (cel !== undefined) {
    const { expression, error } = compileExpression(cel.expression, { variables: { self: "dyn" } });
    if (expression === undefined)
      throw new Error(`the expression ${JSON.stringify(cel.expression)}: ${error}`);
    return (object) => expression.evaluate({ self: object }).value ?? undefined;
  }
  const query = parseQuery(jq?.expression ?? expressionFrom ?? "");
  return (object) => runQuery(query, object)[0];
}

/** The whole number that an expression finds, else what is given; undefined where the object says nothing that is one. */
export function countFrom(
  from: StageExpression | undefined,
  given: number,
): (object: DeepReadonly<KubeObject>) => number | undefined {
  if (from === undefined) return () => given;
  const find = finderOf(from);
  return (object) => {
    const found = find(object);
    if (typeof found === "number") return Math.trunc(found);
    if (typeof found !== "string") return given;
    return /^[+-]?\d+$/.test(found) ? Number(found) : undefined;
  };
}

/**
 * The milliseconds that an expression finds, else what is given. A point in time is waited for; a text is a duration in Go's
 * words: `1m30s`. An empty text is none at all.
 */
export function durationFrom(
  from: StageExpression | undefined,
  given: number | undefined,
): (object: DeepReadonly<KubeObject>, now: number) => number | undefined {
  if (from === undefined) return () => given;
  const find = finderOf(from);
  return (object, now) => {
    const found = find(object);
    if (found === "") return undefined;
    return (typeof found === "string" ? durationMs(found, now) : undefined) ?? given;
  };
}

function durationMs(text: string, now: number): number | undefined {
  if (/^\d{4}-\d\d-\d\dT/.test(text)) return Date.parse(text) - now;
  return goDurationMs(text);
}
