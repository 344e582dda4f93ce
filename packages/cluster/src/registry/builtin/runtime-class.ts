/** RuntimeClasses. Source: kubernetes pkg/apis/node/validation. */
import type { DeepReadonly, FieldError } from "@bowline/api";
import type { RuntimeClass } from "@bowline/api/node/v1";
import type { StoredObject } from "../../store/revision.ts";
import type { BuiltinRules } from "./builtin-rules.ts";
import { checkDnsLabel, checkImmutable, checkLabels, same } from "./field-checks.ts";
import { FieldProblems } from "./field-problems.ts";
import { checkResources } from "./pod/resources.ts";
import { checkTolerations } from "./pod/scheduling.ts";

function createErrors(object: StoredObject): FieldError[] {
  const problems = new FieldProblems();
  const { handler = "", overhead, scheduling } = object as unknown as DeepReadonly<RuntimeClass>;
  checkDnsLabel(problems, "handler", handler);
  if (overhead !== undefined)
    checkResources(problems, "overhead", { limits: overhead.podFixed } as never, { claims: new Set() });
  if (scheduling !== undefined) {
    checkLabels(problems, "scheduling.nodeSelector", scheduling.nodeSelector as never);
    const tolerations = scheduling.tolerations ?? [];
    checkTolerations(problems, "scheduling.tolerations", tolerations);
    tolerations.forEach((toleration, i) => {
      if (tolerations.findIndex((other) => same(other, toleration)) === i) return;
      const { key = "", operator = "", value = "", effect = "", tolerationSeconds = null } = toleration;
      const shown = { Key: key, Operator: operator, Value: value, Effect: effect };
      problems.duplicate(`scheduling.tolerations[${i}]`, { ...shown, TolerationSeconds: tolerationSeconds });
    });
  }
  return problems.list;
}

export const runtimeClassRules: BuiltinRules = {
  validateCreate: createErrors,
  validateUpdate(object, old) {
    const problems = new FieldProblems();
    checkImmutable(problems, "handler", object["handler"], old["handler"]);
    return problems.list;
  },
};
