/** Leases. Source: kubernetes pkg/apis/coordination/validation. */
import type { DeepReadonly, FieldError } from "@bowline/api";
import type { Lease } from "@bowline/api/coordination/v1";
import type { StoredObject } from "../../store/revision.ts";
import type { BuiltinRules } from "./builtin-rules.ts";
import { type Fields, setField } from "./copy-on-write.ts";
import { FieldProblems } from "./field-problems.ts";

function errorsOf(object: StoredObject): FieldError[] {
  const problems = new FieldProblems();
  const spec = (object as unknown as DeepReadonly<Lease>).spec ?? {};
  const { leaseDurationSeconds: duration, leaseTransitions: transitions } = spec;
  if (duration !== undefined && duration <= 0)
    problems.invalid("spec.leaseDurationSeconds", duration, "must be greater than 0");
  if (transitions !== undefined && transitions < 0)
    problems.invalid("spec.leaseTransitions", transitions, "must be greater than or equal to 0");
  return problems.list;
}

/** Coordinated leader election is off by default: its fields are dropped. */
function withoutCoordination(object: StoredObject): StoredObject {
  const spec = (object["spec"] ?? {}) as Fields;
  return setField(
    object,
    "spec",
    setField(setField(spec, "strategy", undefined), "preferredHolder", undefined),
  );
}

export const leaseRules: BuiltinRules = {
  allowUnconditionalUpdate: false,
  allowCreateOnUpdate: true,
  prepareForCreate: withoutCoordination,
  prepareForUpdate: withoutCoordination,
  validateCreate: errorsOf,
  validateUpdate: errorsOf,
};
