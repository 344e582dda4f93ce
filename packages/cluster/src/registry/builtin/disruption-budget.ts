/** PodDisruptionBudgets. Source: kubernetes pkg/apis/policy/validation. */
import type { DeepReadonly, FieldError } from "@bowline/api";
import type { PodDisruptionBudget } from "@bowline/api/policy/v1";
import type { StoredObject } from "../../store/revision.ts";
import type { BuiltinRules } from "./builtin-rules.ts";
import { type Fields, fill } from "./copy-on-write.ts";
import { checkLabelSelector, checkNonNegative, checkOneOf } from "./field-checks.ts";
import { FieldProblems } from "./field-problems.ts";
import { checkAtMost100Percent, checkIntOrPercent } from "./workload/int-or-percent.ts";

const noFields: Fields = Object.freeze({});

function errorsOf(object: StoredObject): FieldError[] {
  const problems = new FieldProblems();
  const spec = (object as unknown as DeepReadonly<PodDisruptionBudget>).spec ?? {};
  if (spec.minAvailable !== undefined && spec.maxUnavailable !== undefined) {
    // as the server's internal type has it
    const shown = {
      MinAvailable: spec.minAvailable,
      Selector: spec.selector ?? null,
      MaxUnavailable: spec.maxUnavailable,
      UnhealthyPodEvictionPolicy: spec.unhealthyPodEvictionPolicy ?? null,
    };
    problems.invalid("spec", shown, "minAvailable and maxUnavailable cannot be both set");
  }
  for (const field of ["minAvailable", "maxUnavailable"] as const) {
    checkIntOrPercent(problems, `spec.${field}`, spec[field] as number | string | undefined);
    checkAtMost100Percent(problems, `spec.${field}`, spec[field] as number | string | undefined);
  }
  checkLabelSelector(problems, "spec.selector", spec.selector as never);
  checkOneOf(problems, "spec.unhealthyPodEvictionPolicy", spec.unhealthyPodEvictionPolicy, [
    "AlwaysAllow",
    "IfHealthyBudget",
  ]);
  return problems.list;
}

function statusErrors(object: StoredObject): FieldError[] {
  const problems = new FieldProblems();
  const status = (object["status"] ?? {}) as Fields;
  for (const field of ["disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"])
    checkNonNegative(problems, `status.${field}`, status[field] as number | undefined);
  return problems.list;
}

export const disruptionBudgetRules: BuiltinRules = {
  generation: true,
  allowUnconditionalUpdate: false,
  defaults: (object) => fill(object, { spec: noFields }),
  initialStatus: { currentHealthy: 0, desiredHealthy: 0, disruptionsAllowed: 0, expectedPods: 0 },
  validateCreate: errorsOf,
  validateUpdate: errorsOf,
  validateStatusUpdate: statusErrors,
};
