/** PriorityClasses. Source: kubernetes pkg/apis/scheduling (v1/defaults.go, validation). */
import type { StoredObject } from "../../store/revision.ts";
import type { BuiltinRules } from "./builtin-rules.ts";
import { type Fields, fill } from "./copy-on-write.ts";
import { checkOneOf } from "./field-checks.ts";
import { FieldProblems } from "./field-problems.ts";

const defaults: Fields = Object.freeze({ preemptionPolicy: "PreemptLowerPriority", value: 0 });
const userValueMax = 1_000_000_000;
const systemClasses: Readonly<Record<string, number>> = {
  "system-node-critical": 2_000_001_000,
  "system-cluster-critical": 2_000_000_000,
};

function notSystem(name: string): string {
  const known = systemClasses[name];
  if (known === undefined) return `${name} is not a known system priority class`;
  return `value of ${name} PriorityClass must be ${known}`;
}

function errorsOf(object: StoredObject): FieldProblems {
  const problems = new FieldProblems();
  const { name = "" } = object.metadata;
  const value = Number(object["value"] ?? 0);
  if (name.startsWith("system-")) {
    if (systemClasses[name] !== value)
      problems.forbidden(
        "metadata.name",
        `priority class names with 'system-' prefix are reserved for system use only. error: ${notSystem(name)}`,
      );
  } else if (value > userValueMax) {
    problems.forbidden("value", `maximum allowed value of a user defined priority is ${userValueMax}`);
  }
  checkOneOf(problems, "preemptionPolicy", object["preemptionPolicy"] as string | undefined, [
    "PreemptLowerPriority",
    "Never",
  ]);
  return problems;
}

export const priorityClassRules: BuiltinRules = {
  generation: (object, old) => Number(object["value"]) !== Number(old["value"]),
  defaults: (object) => fill(object, defaults),
  validateCreate: (object) => errorsOf(object).list,
  validateUpdate(object, old) {
    const problems = new FieldProblems();
    if (Number(object["value"] ?? 0) !== Number(old["value"] ?? 0))
      problems.forbidden("value", "may not be changed in an update.");
    if (object["preemptionPolicy"] !== old["preemptionPolicy"]) {
      problems.invalid("preemptionPolicy", object["preemptionPolicy"], "field is immutable");
    }
    return problems.list;
  },
};
