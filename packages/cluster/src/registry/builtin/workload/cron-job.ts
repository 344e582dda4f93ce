/** CronJobs. Source: kubernetes pkg/apis/batch (v1/defaults.go, validation), pkg/registry/batch/cronjob. */
import type { DeepReadonly, FieldError } from "@bowline/api";
import type { CronJob, CronJobSpec, JobTemplateSpec } from "@bowline/api/batch/v1";
import type { StoredObject } from "../../../store/revision.ts";
import type { BuiltinRules } from "../builtin-rules.ts";
import { type Fields, fill, fillZero, mapField, setField } from "../copy-on-write.ts";
import { checkNonNegative, checkRequiredOneOf, same } from "../field-checks.ts";
import { FieldProblems } from "../field-problems.ts";
import { defaultPodTemplate } from "../pod/pod-defaults.ts";
import { podWarnings } from "../pod/pod-warnings.ts";
import { scheduleError } from "./cron-schedule.ts";
import { checkJobSpec } from "./job-spec.ts";

type SpecFields = DeepReadonly<CronJobSpec>;

const zeroDefaults: Fields = Object.freeze({ concurrencyPolicy: "Allow" });
const specDefaults: Fields = Object.freeze({
  suspend: false,
  successfulJobsHistoryLimit: 3,
  failedJobsHistoryLimit: 1,
  jobTemplate: Object.freeze({}),
});
const templateParts: Fields = Object.freeze({ metadata: Object.freeze({}), spec: Object.freeze({}) });

/** Of the Job in it only what its pods need is filled in; the rest comes with each Job. */
function defaults(object: StoredObject): StoredObject {
  const given = (object["spec"] ?? {}) as Fields;
  const spec = mapField(
    fill(fillZero(given, zeroDefaults), specDefaults),
    "jobTemplate",
    (template: Fields) =>
      mapField(fill(template, templateParts), "spec", (job: Fields) =>
        mapField(job, "template", defaultPodTemplate),
      ),
  );
  return setField(object, "spec", spec);
}

const zonePattern = /^[A-Za-z.\-_0-9+]{1,14}$/;

function checkTimeZone(problems: FieldProblems, zone: string | undefined): void {
  if (zone === undefined) return;
  const field = "spec.timeZone";
  if (zone === "") return problems.invalid(field, zone, "timeZone must be nil or non-empty string");
  const parts = zone.split("/");
  if (parts.some((p) => p === "." || p === ".." || p.startsWith("-") || !zonePattern.test(p)))
    return problems.invalid(field, zone, `unknown time zone ${zone}`);
  if (zone.toLowerCase() === "local") {
    problems.invalid(
      field,
      zone,
      "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones",
    );
  }
  if (!isTimeZone(zone)) problems.invalid(field, zone, `unknown time zone ${zone}`);
}

function isTimeZone(zone: string): boolean {
  if (zone === "Local") return true;
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}

function checkSchedule(problems: FieldProblems, spec: SpecFields, old: SpecFields | undefined): void {
  const { schedule = "", timeZone } = spec;
  if (schedule === "") return problems.required("spec.schedule");
  const error = scheduleError(schedule);
  if (error !== undefined) problems.invalid("spec.schedule", schedule, error);
  if (!schedule.includes("TZ")) return;
  if (old?.schedule?.includes("TZ") !== true) {
    problems.invalid(
      "spec.schedule",
      schedule,
      "cannot use TZ or CRON_TZ in schedule, use timeZone field instead",
    );
  } else if (timeZone !== undefined) {
    problems.invalid(
      "spec.schedule",
      schedule,
      "cannot use both timeZone field and TZ or CRON_TZ in schedule",
    );
  }
}

function checkSpec(problems: FieldProblems, spec: SpecFields, old: SpecFields | undefined): void {
  checkSchedule(problems, spec, old);
  checkNonNegative(
    problems,
    "spec.startingDeadlineSeconds",
    spec.startingDeadlineSeconds as number | undefined,
  );
  if (old === undefined || old.timeZone !== spec.timeZone) checkTimeZone(problems, spec.timeZone);
  checkRequiredOneOf(problems, "spec.concurrencyPolicy", spec.concurrencyPolicy, [
    "Allow",
    "Forbid",
    "Replace",
  ]);
  checkJobTemplate(problems, "spec.jobTemplate", spec.jobTemplate ?? {});
  checkNonNegative(problems, "spec.successfulJobsHistoryLimit", spec.successfulJobsHistoryLimit);
  checkNonNegative(problems, "spec.failedJobsHistoryLimit", spec.failedJobsHistoryLimit);
}

function checkJobTemplate(
  problems: FieldProblems,
  path: string,
  template: DeepReadonly<JobTemplateSpec>,
): void {
  const spec = template.spec ?? ({} as never);
  checkJobSpec(problems, `${path}.spec`, spec);
  if (spec.selector !== undefined)
    problems.invalid(`${path}.spec.selector`, spec.selector, "`selector` will be auto-generated");
  if (spec.manualSelector === true)
    problems.notSupported(`${path}.spec.manualSelector`, true as never, ["nil", "false"]);
}

const asCronJob = (object: StoredObject): DeepReadonly<CronJob> => object as unknown as DeepReadonly<CronJob>;
const specOf = (object: StoredObject): SpecFields => asCronJob(object).spec ?? ({} as SpecFields);
const nameLengthMax = 52;

function createErrors(object: StoredObject): FieldError[] {
  const problems = new FieldProblems();
  checkSpec(problems, specOf(object), undefined);
  const { name = "" } = object.metadata;
  if (name.length > nameLengthMax)
    problems.invalid("metadata.name", name, `must be no more than ${nameLengthMax} characters`);
  return problems.list;
}

function warnings(object: StoredObject, old: StoredObject | undefined): readonly string[] {
  const template = specOf(object).jobTemplate?.spec?.template;
  const out: string[] = [];
  if (old === undefined && specOf(object).schedule?.includes("TZ"))
    out.push(
      "spec.schedule: CRON_TZ or TZ used in spec.schedule is not officially supported, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details",
    );
  const before = old === undefined ? undefined : specOf(old).jobTemplate?.spec?.template;
  if (template !== undefined && (old === undefined || !same(template, before)))
    out.push(...podWarnings("spec.jobTemplate.spec.template", template));
  return out;
}

export const cronJobRules: BuiltinRules = {
  generation: true,
  defaults,
  validateCreate: createErrors,
  validateUpdate(object, old) {
    const problems = new FieldProblems();
    checkSpec(problems, specOf(object), specOf(old));
    return problems.list;
  },
  warnings,
};
