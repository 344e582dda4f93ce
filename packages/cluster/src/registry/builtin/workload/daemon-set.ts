/** DaemonSets. Source: kubernetes pkg/apis/apps (v1/defaults.go, validation). */
import type { DeepReadonly, FieldError, LabelSelector } from "@bowline/api";
import type { DaemonSet } from "@bowline/api/apps/v1";
import type { StoredObject } from "../../../store/revision.ts";
import { withMetadata } from "../../metadata.ts";
import type { BuiltinRules } from "../builtin-rules.ts";
import { type Fields, fill, fillZero, mapField } from "../copy-on-write.ts";
import {
  checkImmutable,
  checkLabelSelector,
  checkNonNegative,
  isEmptySelector,
  same,
} from "../field-checks.ts";
import { FieldProblems } from "../field-problems.ts";
import { checkPodTemplate } from "../pod/pod-spec.ts";
import { checkAtMost100Percent, checkIntOrPercent, isZero } from "./int-or-percent.ts";
import { checkCollisions, checkCounts } from "./replica-counts.ts";
import {
  checkKeepsRunning,
  checkSelectedLabels,
  compiled,
  templateWarnings,
  workloadDefaults,
} from "./workload-template.ts";

type DaemonSetSpec = NonNullable<DeepReadonly<DaemonSet>["spec"]>;

const specDefaults: Fields = Object.freeze({
  revisionHistoryLimit: 10,
  template: Object.freeze({}),
  updateStrategy: Object.freeze({}),
});
const typeDefault: Fields = Object.freeze({ type: "RollingUpdate" });
const rollingPart: Fields = Object.freeze({ rollingUpdate: Object.freeze({}) });
const rollingDefaults: Fields = Object.freeze({ maxUnavailable: 1, maxSurge: 0 });
/** What Go has where nothing is given. */
const rollingZeros: Fields = Object.freeze({ maxUnavailable: 0, maxSurge: 0 });

const templateGeneration = "deprecated.daemonset.template.generation";

/** An old field of the spec lives on as an annotation that counts the changes of the template. Source: pkg/apis/apps/v1/conversion.go. */
function withTemplateGeneration(object: StoredObject, generation: number): StoredObject {
  const { annotations } = object.metadata;
  return withMetadata(object, {
    annotations: { ...annotations, [templateGeneration]: String(generation) },
  });
}

function nextTemplateGeneration(object: StoredObject, old: StoredObject): number {
  const before = Number(old.metadata.annotations?.[templateGeneration] ?? 1);
  const template = (o: StoredObject): unknown => (o["spec"] as Fields | undefined)?.["template"];
  return same(template(object), template(old)) ? before : before + 1;
}

function defaultStrategy(given: Fields): Fields {
  const strategy = fillZero(given, typeDefault);
  if (strategy["type"] !== "RollingUpdate") {
    return mapField(strategy, "rollingUpdate", (rolling: Fields) => fill(rolling, rollingZeros));
  }
  return mapField(fill(strategy, rollingPart), "rollingUpdate", (rolling: Fields) =>
    fill(rolling, rollingDefaults),
  );
}

function checkSpec(problems: FieldProblems, spec: DaemonSetSpec): void {
  const selector = spec.selector as LabelSelector | undefined;
  checkLabelSelector(problems, "spec.selector", selector);
  const template = spec.template ?? {};
  checkSelectedLabels(problems, "spec.template", template, compiled(selector));
  if (selector !== undefined && isEmptySelector(selector as never))
    problems.invalid("spec.selector", selector, "empty selector is invalid for daemonset");
  checkPodTemplate(problems, "spec.template", template);
  checkKeepsRunning(problems, "spec.template.spec", template, "DaemonSet");
  checkNonNegative(problems, "spec.minReadySeconds", spec.minReadySeconds);
  checkStrategy(problems, spec.updateStrategy ?? {});
  checkNonNegative(problems, "spec.revisionHistoryLimit", spec.revisionHistoryLimit);
}

function checkStrategy(
  problems: FieldProblems,
  strategy: NonNullable<DaemonSetSpec["updateStrategy"]>,
): void {
  const { type, rollingUpdate } = strategy;
  if (type === "OnDelete") return;
  if (type !== "RollingUpdate") {
    const shown = { Type: type ?? "", RollingUpdate: rollingUpdate ?? null };
    return problems.notSupported("spec.updateStrategy", shown, ["RollingUpdate", "OnDelete"]);
  }
  const path = "spec.updateStrategy.rollingUpdate";
  if (rollingUpdate === undefined) return problems.required(path);
  const { maxUnavailable, maxSurge } = rollingUpdate as Readonly<Record<string, number | string>>;
  checkIntOrPercent(problems, `${path}.maxUnavailable`, maxUnavailable);
  checkIntOrPercent(problems, `${path}.maxSurge`, maxSurge);
  checkAtMost100Percent(problems, `${path}.maxUnavailable`, maxUnavailable);
  checkAtMost100Percent(problems, `${path}.maxSurge`, maxSurge);
  if (!isZero(maxUnavailable) && !isZero(maxSurge))
    problems.invalid(`${path}.maxSurge`, maxSurge, "may not be set when maxUnavailable is non-zero");
  if (isZero(maxUnavailable) && isZero(maxSurge))
    problems.required(`${path}.maxUnavailable`, "cannot be 0 when maxSurge is 0");
}

function specErrors(object: StoredObject): FieldProblems {
  const problems = new FieldProblems();
  checkSpec(problems, (object["spec"] ?? {}) as DaemonSetSpec);
  return problems;
}

function statusErrors(object: StoredObject, old: StoredObject): FieldError[] {
  const problems = new FieldProblems();
  const status = (object["status"] ?? {}) as Fields;
  checkCounts(problems, status, [
    "currentNumberScheduled",
    "numberMisscheduled",
    "desiredNumberScheduled",
    "numberReady",
    "observedGeneration",
    "updatedNumberScheduled",
    "numberAvailable",
    "numberUnavailable",
    "collisionCount",
  ]);
  checkCollisions(problems, status, (old["status"] ?? {}) as Fields);
  return problems.list;
}

export const daemonSetRules: BuiltinRules = {
  generation: true,
  initialStatus: {
    currentNumberScheduled: 0,
    desiredNumberScheduled: 0,
    numberMisscheduled: 0,
    numberReady: 0,
  },
  defaults: workloadDefaults((spec) => mapField(fill(spec, specDefaults), "updateStrategy", defaultStrategy)),
  prepareForCreate: (object) => withTemplateGeneration(object, 1),
  prepareForUpdate: (object, old) => withTemplateGeneration(object, nextTemplateGeneration(object, old)),
  validateCreate: (object) => specErrors(object).list,
  validateUpdate(object, old) {
    const problems = specErrors(object);
    checkImmutable(
      problems,
      "spec.selector",
      (object["spec"] as Fields | undefined)?.["selector"],
      (old["spec"] as Fields | undefined)?.["selector"],
    );
    return problems.list;
  },
  validateStatusUpdate: statusErrors,
  warnings: templateWarnings,
};
