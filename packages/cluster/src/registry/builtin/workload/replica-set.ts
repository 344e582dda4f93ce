/** ReplicaSets and ReplicationControllers. Source: kubernetes pkg/apis/apps, pkg/apis/core (v1/defaults.go, validation). */
import { type DeepReadonly, type FieldError, type LabelSelector, matchLabels } from "@bowline/api";
import type { ReplicaSet } from "@bowline/api/apps/v1";
import type { ReplicationController } from "@bowline/api/core/v1";
import type { StoredObject } from "../../../store/revision.ts";
import { withMetadata } from "../../metadata.ts";
import { type BuiltinRules, numberReader } from "../builtin-rules.ts";
import { type Fields, fill } from "../copy-on-write.ts";
import { checkImmutable, checkNonNegative } from "../field-checks.ts";
import { FieldProblems } from "../field-problems.ts";
import { checkAvailable, checkCounts, checkWithinReplicas } from "./replica-counts.ts";
import {
  type TemplateFields,
  checkReplicatedTemplate,
  checkSelector,
  compiled,
  namedTemplateWarnings,
  workloadDefaults,
} from "./workload-template.ts";

const replicasDefault: Fields = Object.freeze({ replicas: 1 });
const specDefaults: Fields = Object.freeze({ ...replicasDefault, template: Object.freeze({}) });

function statusErrors(object: StoredObject): FieldError[] {
  const problems = new FieldProblems();
  const status = (object["status"] ?? {}) as Fields;
  const parts = ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"];
  checkCounts(problems, status, ["replicas", ...parts, "observedGeneration"]);
  checkWithinReplicas(problems, status, parts);
  checkAvailable(problems, status, "readyReplicas");
  return problems.list;
}

function replicaSetErrors(object: StoredObject): FieldProblems {
  const problems = new FieldProblems();
  const { spec } = object as unknown as DeepReadonly<ReplicaSet>;
  const selector = spec?.selector as LabelSelector | undefined;
  checkNonNegative(problems, "spec.replicas", spec?.replicas);
  checkNonNegative(problems, "spec.minReadySeconds", spec?.minReadySeconds);
  // the real server's text names the wrong kind, too
  checkSelector(problems, "spec.selector", selector, "deployment");
  const matcher = compiled(selector, () => {
    problems.invalid("spec.selector", selector, "invalid label selector");
  });
  checkReplicatedTemplate(problems, "spec.template", spec?.template ?? {}, { matcher, kind: "ReplicaSet" });
  return problems;
}

const specOf = (object: StoredObject): Fields => (object["spec"] ?? {}) as Fields;

export const replicaSetRules: BuiltinRules = {
  generation: true,
  initialStatus: { replicas: 0 },
  defaults: workloadDefaults((spec) => fill(spec, specDefaults)),
  validateCreate: (object) => replicaSetErrors(object).list,
  validateUpdate(object, old) {
    const problems = replicaSetErrors(object);
    checkImmutable(problems, "spec.selector", specOf(object)["selector"], specOf(old)["selector"]);
    return problems.list;
  },
  validateStatusUpdate: statusErrors,
  warnings: namedTemplateWarnings,
  fields: { "status.replicas": numberReader("status", "replicas") },
};

function controllerErrors(object: StoredObject): FieldError[] {
  const problems = new FieldProblems();
  const { spec } = object as unknown as DeepReadonly<ReplicationController>;
  const selector = (spec?.selector ?? {}) as Readonly<Record<string, string>>;
  checkNonNegative(problems, "spec.minReadySeconds", spec?.minReadySeconds);
  if (Object.keys(selector).length === 0) problems.required("spec.selector");
  checkNonNegative(problems, "spec.replicas", spec?.replicas);
  if (spec?.template === undefined) problems.required("spec.template");
  else {
    checkReplicatedTemplate(problems, "spec.template", spec.template, {
      matcher: matchLabels(selector),
      kind: "ReplicationController",
    });
  }
  return problems.list;
}

/** The template's labels stand in for a missing selector and missing labels. */
function controllerDefaults(object: StoredObject): StoredObject {
  const template = specOf(object)["template"] as TemplateFields | undefined;
  const labels = template?.metadata?.labels;
  if (labels === undefined) return object;
  const spec = specOf(object);
  const selector = (spec["selector"] ?? {}) as Fields;
  const filled =
    Object.keys(selector).length > 0
      ? object
      : ({ ...object, spec: { ...spec, selector: labels } } as StoredObject);
  if (Object.keys(object.metadata.labels ?? {}).length > 0) return filled;
  return withMetadata(filled, { labels });
}

const replicationDefaults = workloadDefaults((spec) => fill(spec, replicasDefault));

export const replicationControllerRules: BuiltinRules = {
  generation: true,
  defaultPropagation: "Orphan",
  initialStatus: { replicas: 0 },
  defaults: (object) => controllerDefaults(replicationDefaults(object)),
  validateCreate: controllerErrors,
  validateUpdate: controllerErrors,
  validateStatusUpdate: statusErrors,
  warnings: namedTemplateWarnings,
  fields: { "status.replicas": numberReader("status", "replicas") },
};
