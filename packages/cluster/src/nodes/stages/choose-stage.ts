import type { DeepReadonly, KubeObject } from "@bowline/api";
import type { Random } from "@bowline/client";
import type { CompiledStage } from "./compile-stage.ts";

/**
 * One of the stages that match, drawn as their weights say. Undefined: none matches.
 * @param kept the name of the one chosen before, which is kept while it matches, so that an object that changes while it
 * waits does not start again
 * Source of the rules: kwok pkg/utils/lifecycle (Match).
 */
export function chooseStage(
  stages: readonly CompiledStage[],
  object: DeepReadonly<KubeObject>,
  choice: { readonly kept: string | undefined; readonly random: Random },
): CompiledStage | undefined {
  const matching = stages.filter((stage) => stage.matches(object));
  const kept = matching.find(({ name }) => name === choice.kept);
  if (kept !== undefined || matching.length <= 1) return kept ?? matching[0];
  const weighed = matching.flatMap((stage) => {
    const weight = stage.weight(object);
    return weight === undefined ? [] : [{ stage, weight: Math.max(0, weight) }];
  });
  const total = weighed.reduce((sum, { weight }) => sum + weight, 0);
  if (total === 0) {
    const equal = weighed.length === 0 ? matching : weighed.map(({ stage }) => stage);
    return equal[Math.floor(choice.random.next() * equal.length)];
  }
  let drawn = choice.random.next() * total;
  return weighed.find(({ weight }) => (drawn -= weight) < 0)?.stage;
}
