/** Leases. Source: kubernetes pkg/apis/coordination/validation. */
import { type DeepReadonly, type FieldError, qualifiedNameErrors } from "@bowline/api";
import type { Lease } from "@bowline/api/coordination/v1";
import type { StoredObject } from "../../store/revision.ts";
import type { BuiltinRules } from "./builtin-rules.ts";
import { FieldProblems } from "./field-problems.ts";

function errorsOf(object: StoredObject): FieldError[] {
  const problems = new FieldProblems();
  const spec = (object as unknown as DeepReadonly<Lease>).spec ?? {};
  const { leaseDurationSeconds: duration, leaseTransitions: transitions, strategy } = spec;
  if (duration !== undefined && duration <= 0)
    problems.invalid("spec.leaseDurationSeconds", duration, "must be greater than 0");
  if (transitions !== undefined && transitions < 0)
    problems.invalid("spec.leaseTransitions", transitions, "must be greater than or equal to 0");
  if (strategy !== undefined) {
    const field = "spec.strategy.strategy";
    if (strategy.includes("/")) problems.allInvalid(field, strategy, qualifiedNameErrors(strategy));
    else if (strategy !== "OldestEmulationVersion")
      problems.notSupported(field, strategy, ["OldestEmulationVersion"]);
  }
  if (spec.preferredHolder && !strategy)
    problems.forbidden("spec.preferredHolder", "may only be specified if `strategy` is defined");
  return problems.list;
}

export const leaseRules: BuiltinRules = {
  allowUnconditionalUpdate: false,
  allowCreateOnUpdate: true,
  validateCreate: errorsOf,
  validateUpdate: errorsOf,
};
