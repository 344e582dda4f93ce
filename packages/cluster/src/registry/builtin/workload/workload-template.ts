/** Selector and template, as workloads have them. Source: kubernetes pkg/apis/apps/validation. */
import { type DeepReadonly, type LabelSelector, type LabelMatcher, compileLabelSelector } from "@bowline/api";
import type { PodTemplateSpec } from "@bowline/api/core/v1";
import type { StoredObject } from "../../../store/revision.ts";
import { type Fields, mapField } from "../copy-on-write.ts";
import { checkLabelSelector, isEmptySelector, same } from "../field-checks.ts";
import type { FieldProblems } from "../field-problems.ts";
import { defaultPodTemplate } from "../pod/pod-defaults.ts";
import { checkPodTemplate } from "../pod/pod-spec.ts";
import { podWarnings } from "../pod/pod-warnings.ts";

export type TemplateFields = DeepReadonly<PodTemplateSpec>;
type Selector = DeepReadonly<LabelSelector>;

/** The defaults of a kind with a pod template at `spec.template`, from those of its spec. */
export function workloadDefaults(change: (spec: Fields) => Fields): (object: StoredObject) => StoredObject {
  return (object) => {
    const given = (object["spec"] ?? {}) as Fields;
    const spec = mapField(change(given), "template", defaultPodTemplate);
    return spec === object["spec"] ? object : ({ ...object, spec } as StoredObject);
  };
}

const nothing: LabelMatcher = compileLabelSelector(undefined);

/** The compiled selector, which for none selects nothing; undefined when it cannot be compiled, which `onError` hears of. */
export function compiled(selector: Selector | undefined, onError?: () => void): LabelMatcher | undefined {
  if (selector === undefined) return nothing;
  try {
    return compileLabelSelector(selector as LabelSelector);
  } catch {
    onError?.();
    return undefined;
  }
}

/** @param kind as the text about an empty selector names it */
export function checkSelector(
  problems: FieldProblems,
  field: string,
  selector: Selector | undefined,
  kind: string,
): void {
  if (selector === undefined) return problems.required(field);
  checkLabelSelector(problems, field, selector as LabelSelector);
  if (isEmptySelector(selector as never))
    problems.invalid(field, selector, `empty selector is invalid for ${kind}`);
}

/** The labels of the template are those that the selector looks for. */
export function checkSelectedLabels(
  problems: FieldProblems,
  path: string,
  template: TemplateFields,
  matcher: LabelMatcher | undefined,
): void {
  if (matcher === undefined || matcher.everything) return;
  const labels = template.metadata?.labels;
  if (!matcher.matches(labels as never)) {
    problems.invalid(
      `${path}.metadata.labels`,
      labels ?? null,
      "`selector` does not match template `labels`",
    );
  }
}

/** A template whose pods are replaced for ever. @param kind `ReplicaSet`, as texts name it */
export function checkReplicatedTemplate(
  problems: FieldProblems,
  path: string,
  template: TemplateFields,
  given: { readonly matcher: LabelMatcher | undefined; readonly kind: string },
): void {
  checkSelectedLabels(problems, path, template, given.matcher);
  checkPodTemplate(problems, path, template);
  checkKeepsRunning(problems, `${path}.spec`, template, given.kind);
}

export function checkKeepsRunning(
  problems: FieldProblems,
  path: string,
  template: TemplateFields,
  kind: string,
): void {
  const { restartPolicy = "", activeDeadlineSeconds } = template.spec ?? {};
  if (restartPolicy !== "Always") problems.notSupported(`${path}.restartPolicy`, restartPolicy, ["Always"]);
  if (activeDeadlineSeconds !== undefined)
    problems.forbidden(`${path}.activeDeadlineSeconds`, `activeDeadlineSeconds in ${kind} is not Supported`);
}

/** Warnings about a workload whose name becomes part of its pods' names, and about its template. */
export function namedTemplateWarnings(
  object: StoredObject,
  old: StoredObject | undefined,
): readonly string[] {
  const { name = "" } = object.metadata;
  const faults = [
    ...(name.length > 63 ? ["must be no more than 63 characters"] : []),
    ...(name.includes(".") ? ["must not contain dots"] : []),
  ];
  const about = templateWarnings(object, old);
  if (old !== undefined || faults.length === 0) return about;
  const text =
    "metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended";
  return [`${text}: [${faults.join(" ")}]`, ...about];
}

/** Warnings about a template, when it is new. */
export function templateWarnings(object: StoredObject, old: StoredObject | undefined): readonly string[] {
  const template = templateOf(object);
  if (template === undefined || (old !== undefined && same(template, templateOf(old)))) return [];
  return podWarnings("spec.template", template);
}

function templateOf(object: StoredObject): TemplateFields | undefined {
  return (object["spec"] as { template?: TemplateFields } | undefined)?.template;
}
