/** Deployments. Source: kubernetes pkg/apis/apps (v1/defaults.go, validation), pkg/registry/apps/deployment. */
import type { DeepReadonly, FieldError, LabelSelector } from "@bowline/api";
import type { Deployment } from "@bowline/api/apps/v1";
import type { StoredObject } from "../../../store/revision.ts";
import { withMetadata } from "../../metadata.ts";
import type { BuiltinRules } from "../builtin-rules.ts";
import { type Fields, fill, fillZero, mapField } from "../copy-on-write.ts";
import { checkImmutable, checkNonNegative, same } from "../field-checks.ts";
import { FieldProblems } from "../field-problems.ts";
import { checkAtMost100Percent, checkIntOrPercent, isZero } from "./int-or-percent.ts";
import { checkAvailable, checkCollisions, checkCounts, checkWithinReplicas } from "./replica-counts.ts";
import {
  checkReplicatedTemplate,
  checkSelector,
  compiled,
  namedTemplateWarnings,
  workloadDefaults,
} from "./workload-template.ts";

type DeploymentSpec = NonNullable<DeepReadonly<Deployment>["spec"]>;

const specDefaults: Fields = Object.freeze({
  replicas: 1,
  template: Object.freeze({}),
  strategy: Object.freeze({}),
  revisionHistoryLimit: 10,
  progressDeadlineSeconds: 600,
});
const rollingDefaults: Fields = Object.freeze({ maxUnavailable: "25%", maxSurge: "25%" });
const strategyType: Fields = Object.freeze({ type: "RollingUpdate" });
const strategyParts: Fields = Object.freeze({ rollingUpdate: Object.freeze({}) });

function defaultStrategy(given: Fields): Fields {
  const strategy = fillZero(given, strategyType);
  if (strategy["type"] !== "RollingUpdate") return strategy;
  return mapField(fill(strategy, strategyParts), "rollingUpdate", (rolling: Fields) =>
    fill(rolling, rollingDefaults),
  );
}

function checkSpec(problems: FieldProblems, spec: DeploymentSpec): void {
  checkNonNegative(problems, "spec.replicas", spec.replicas);
  checkSelector(problems, "spec.selector", spec.selector as LabelSelector | undefined, "deployment");
  const matcher = compiled(spec.selector as LabelSelector | undefined, () => {
    problems.invalid("spec.selector", spec.selector, "invalid label selector");
  });
  checkReplicatedTemplate(problems, "spec.template", spec.template ?? {}, { matcher, kind: "ReplicaSet" });
  checkStrategy(problems, spec.strategy ?? {});
  checkNonNegative(problems, "spec.minReadySeconds", spec.minReadySeconds);
  checkNonNegative(problems, "spec.revisionHistoryLimit", spec.revisionHistoryLimit);
  const deadline = spec.progressDeadlineSeconds;
  checkNonNegative(problems, "spec.progressDeadlineSeconds", deadline);
  if (deadline !== undefined && deadline <= (spec.minReadySeconds ?? 0))
    problems.invalid("spec.progressDeadlineSeconds", deadline, "must be greater than minReadySeconds");
}

function checkStrategy(problems: FieldProblems, strategy: NonNullable<DeploymentSpec["strategy"]>): void {
  const { type, rollingUpdate } = strategy;
  if (type === "Recreate") {
    if (rollingUpdate !== undefined) {
      problems.forbidden(
        "spec.strategy.rollingUpdate",
        "may not be specified when strategy `type` is 'Recreate'",
      );
    }
    return;
  }
  if (type !== "RollingUpdate") {
    const shown = { Type: type ?? "", RollingUpdate: rollingUpdate ?? null };
    return problems.notSupported("spec.strategy", shown, ["Recreate", "RollingUpdate"]);
  }
  const { maxUnavailable, maxSurge } = (rollingUpdate ?? {}) as Record<string, number | string>;
  const path = "spec.strategy.rollingUpdate";
  checkIntOrPercent(problems, `${path}.maxUnavailable`, maxUnavailable);
  checkIntOrPercent(problems, `${path}.maxSurge`, maxSurge);
  if (isZero(maxUnavailable) && isZero(maxSurge))
    problems.invalid(`${path}.maxUnavailable`, maxUnavailable, "may not be 0 when `maxSurge` is 0");
  checkAtMost100Percent(problems, `${path}.maxUnavailable`, maxUnavailable);
}

const asDeployment = (object: StoredObject): DeepReadonly<Deployment> =>
  object as unknown as DeepReadonly<Deployment>;

function specErrors(object: StoredObject): FieldProblems {
  const problems = new FieldProblems();
  checkSpec(problems, asDeployment(object).spec ?? ({} as DeploymentSpec));
  return problems;
}

function statusErrors(object: StoredObject, old: StoredObject): FieldError[] {
  const problems = new FieldProblems();
  const status = (object["status"] ?? {}) as Fields;
  checkCounts(problems, status, [
    "observedGeneration",
    "replicas",
    "updatedReplicas",
    "readyReplicas",
    "availableReplicas",
    "unavailableReplicas",
    "collisionCount",
  ]);
  checkWithinReplicas(problems, status, ["updatedReplicas", "readyReplicas", "availableReplicas"]);
  checkAvailable(problems, status, "readyReplicas");
  checkCollisions(problems, status, (old["status"] ?? {}) as Fields);
  return problems.list;
}

export const deploymentRules: BuiltinRules = {
  // annotations count too: rollbacks and change causes are in them
  generation: (object, old) =>
    !same(object["spec"], old["spec"]) || !same(object.metadata.annotations, old.metadata.annotations),
  defaults: workloadDefaults((spec) => mapField(fill(spec, specDefaults), "strategy", defaultStrategy)),
  validateCreate: (object) => specErrors(object).list,
  validateUpdate(object, old) {
    const problems = specErrors(object);
    checkImmutable(
      problems,
      "spec.selector",
      asDeployment(object).spec?.selector,
      asDeployment(old).spec?.selector,
    );
    return problems.list;
  },
  warnings: namedTemplateWarnings,
  prepareForStatusUpdate: (object, old) => withMetadata(object, { labels: old.metadata.labels }),
  validateStatusUpdate: statusErrors,
};
