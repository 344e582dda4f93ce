/** Jobs. Source: kubernetes pkg/apis/batch (v1/defaults.go, validation), pkg/registry/batch/job. */
import { type DeepReadonly, type FieldError, type LabelSelector, dns1123LabelErrors } from "@bowline/api";
import type { Job, JobSpec } from "@bowline/api/batch/v1";
import type { StoredObject } from "../../../store/revision.ts";
import { withMetadata } from "../../metadata.ts";
import { type BuiltinRules, numberReader } from "../builtin-rules.ts";
import { type Fields, fill, fillZero, mapField, mapItems, setField } from "../copy-on-write.ts";
import { checkImmutable, checkLabelSelector, same } from "../field-checks.ts";
import { FieldProblems } from "../field-problems.ts";
import { checkJobSpec } from "./job-spec.ts";
import { checkJobStatus } from "./job-status.ts";
import {
  type TemplateFields,
  checkSelectedLabels,
  compiled,
  templateWarnings,
  workloadDefaults,
} from "./workload-template.ts";

export type JobFields = DeepReadonly<Job>;

const specDefaults: Fields = Object.freeze({
  completionMode: "NonIndexed",
  suspend: false,
  manualSelector: false,
  template: Object.freeze({}),
});
const conditionDefault: Fields = Object.freeze({ status: "True" });

function defaultFailureRule(rule: Fields): Fields {
  return mapItems(rule, "onPodConditions", (condition: Fields) => fillZero(condition, conditionDefault));
}

function defaultJobSpec(given: Fields): Fields {
  let spec = given;
  if (spec["completions"] === undefined && spec["parallelism"] === undefined)
    spec = { ...spec, completions: 1, parallelism: 1 };
  spec = fill(spec, { parallelism: 1 });
  spec = fill(spec, { backoffLimit: spec["backoffLimitPerIndex"] === undefined ? 6 : 2 ** 31 - 1 });
  spec = fill(spec, specDefaults);
  spec = mapField(spec, "podFailurePolicy", (policy: Fields) =>
    mapItems(policy, "rules", defaultFailureRule),
  );
  const podReplacementPolicy = spec["podFailurePolicy"] === undefined ? "TerminatingOrFailed" : "Failed";
  return fill(spec, { podReplacementPolicy });
}

const defaultSpec = workloadDefaults(defaultJobSpec);

/** A Job without labels has those of its template. */
function defaults(object: StoredObject): StoredObject {
  const filled = defaultSpec(object);
  const labels = (filled["spec"] as { template?: TemplateFields } | undefined)?.template?.metadata?.labels;
  if (labels === undefined || Object.keys(object.metadata.labels ?? {}).length > 0) return filled;
  return withMetadata(filled, { labels });
}

const prefixedUid = "batch.kubernetes.io/controller-uid";
const prefixedName = "batch.kubernetes.io/job-name";
const legacyUid = "controller-uid";
const legacyName = "job-name";

/** The pods of a Job are found by its uid, unless the user chose a selector. */
function withGeneratedSelector(object: StoredObject): StoredObject {
  const spec = (object["spec"] ?? {}) as Fields;
  if (spec["manualSelector"] === true) return object;
  const { name = "", uid = "" } = object.metadata;
  const template = (spec["template"] ?? {}) as TemplateFields;
  const labels = {
    [legacyUid]: uid,
    [legacyName]: name,
    [prefixedUid]: uid,
    [prefixedName]: name,
    ...template.metadata?.labels,
  };
  const selector = (spec["selector"] ?? {}) as LabelSelector;
  const matchLabels = { [prefixedUid]: uid, ...selector.matchLabels };
  const labeled =
    Object.keys(object.metadata.labels ?? {}).length > 0 ? object : withMetadata(object, { labels });
  return {
    ...labeled,
    spec: {
      ...spec,
      selector: { ...selector, matchLabels },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  } as StoredObject;
}

function checkGeneratedSelector(problems: FieldProblems, job: JobFields): void {
  const { spec, metadata } = job;
  if (spec?.manualSelector === true || spec?.selector === undefined) return;
  const { uid = "", name = "" } = metadata;
  const labels = spec.template?.metadata?.labels ?? {};
  const path = "spec.template.metadata.labels";
  for (const [key, wanted] of [
    [legacyUid, uid],
    [legacyName, name],
    [prefixedUid, uid],
    [prefixedName, name],
  ] as const) {
    const found = labels[key];
    if (found === undefined) problems.required(`${path}[${key}]`, `must be '${wanted}'`);
    else if (found !== wanted) problems.invalid(`${path}[${key}]`, labels, `must be '${wanted}'`);
  }
  const expected = { [prefixedUid]: uid, [prefixedName]: name, [legacyUid]: uid, [legacyName]: name };
  const matcher = compiled(spec.selector as LabelSelector);
  if (matcher !== undefined && !matcher.matches(expected))
    problems.invalid("spec.selector", spec.selector, "`selector` not auto-generated");
}

function specErrors(object: StoredObject): FieldProblems {
  const problems = new FieldProblems();
  const job = object as unknown as JobFields;
  const spec = job.spec ?? ({} as DeepReadonly<JobSpec>);
  checkGeneratedSelector(problems, job);
  checkJobSpec(problems, "spec", spec);
  const selector = spec.selector as LabelSelector | undefined;
  if (selector === undefined) problems.required("spec.selector");
  else checkLabelSelector(problems, "spec.selector", selector);
  checkSelectedLabels(problems, "spec.template", spec.template ?? {}, compiled(selector));
  const { name = "" } = job.metadata;
  if (spec.completionMode === "Indexed" && (spec.completions ?? 0) > 0) {
    const hostname = `${name}-${(spec.completions ?? 0) - 1}`;
    if (dns1123LabelErrors(hostname).length > 0) {
      problems.invalid(
        "metadata.name",
        name,
        `will not able to create pod with invalid DNS label: ${hostname}`,
      );
    }
  }
  return problems;
}

const immutable = [
  "selector",
  "completionMode",
  "podFailurePolicy",
  "backoffLimitPerIndex",
  "managedBy",
  "successPolicy",
] as const;

function updateErrors(object: StoredObject, old: StoredObject): FieldError[] {
  const problems = specErrors(object);
  const now = (object["spec"] ?? {}) as Fields;
  const before = (old["spec"] ?? {}) as Fields;
  checkCompletions(problems, now, before);
  checkImmutable(problems, "spec.selector", now["selector"], before["selector"]);
  checkTemplateUpdate(problems, now, old);
  for (const field of immutable.slice(1))
    checkImmutable(problems, `spec.${field}`, now[field], before[field]);
  return problems.list;
}

/** An indexed Job may grow and shrink, together with its parallelism. */
function checkCompletions(problems: FieldProblems, now: Fields, before: Fields): void {
  if (now["completionMode"] !== "Indexed")
    return checkImmutable(problems, "spec.completions", now["completions"], before["completions"]);
  const completions = now["completions"];
  if (completions === undefined || completions === before["completions"]) return;
  if (completions !== now["parallelism"])
    problems.invalid("spec.completions", completions, "can only be modified in tandem with spec.parallelism");
}

/** The template may not change, but for where its pods go while a suspended Job has never started. */
function checkTemplateUpdate(problems: FieldProblems, now: Fields, old: StoredObject): void {
  const before = (old["spec"] ?? {}) as Fields;
  const template = (now["template"] ?? {}) as Fields;
  let oldTemplate = (before["template"] ?? {}) as Fields;
  const started = (old["status"] as Fields | undefined)?.["startTime"];
  if (before["suspend"] === true && started === undefined)
    oldTemplate = withPlacementOf(oldTemplate, template);
  if (!same(template, oldTemplate)) problems.invalid("spec.template", template, "field is immutable");
}

function withPlacementOf(oldTemplate: Fields, template: Fields): Fields {
  const next = (template["spec"] ?? {}) as Fields;
  let spec = (oldTemplate["spec"] ?? {}) as Fields;
  for (const field of ["nodeSelector", "tolerations", "schedulingGates"])
    spec = setField(spec, field, next[field]);
  const affinity = setField(
    (spec["affinity"] ?? {}) as Fields,
    "nodeAffinity",
    (next["affinity"] as Fields | undefined)?.["nodeAffinity"],
  );
  spec = setField(spec, "affinity", same(affinity, {}) ? undefined : affinity);
  const nextMetadata = (template["metadata"] ?? {}) as Fields;
  let metadata = (oldTemplate["metadata"] ?? {}) as Fields;
  for (const field of ["annotations", "labels"]) metadata = setField(metadata, field, nextMetadata[field]);
  return setField(setField(oldTemplate, "spec", spec), "metadata", metadata);
}

export const jobRules: BuiltinRules = {
  generation: true,
  defaultPropagation: "Orphan",
  orphanWarning:
    "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning",
  defaults,
  prepareForCreate: withGeneratedSelector,
  validateCreate: (object) => specErrors(object).list,
  validateUpdate: updateErrors,
  validateStatusUpdate(object, old) {
    const problems = new FieldProblems();
    checkJobStatus(problems, object as unknown as JobFields, old as unknown as JobFields);
    return problems.list;
  },
  warnings: templateWarnings,
  fields: { "status.successful": numberReader("status", "succeeded") },
};
