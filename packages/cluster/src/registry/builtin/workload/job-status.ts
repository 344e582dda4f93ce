/** The status of a Job, which may only go forward. Source: kubernetes pkg/apis/batch/validation (validateJobStatus). */
import { type DeepReadonly, omittedValue } from "@bowline/api";
import type { Job, JobStatus } from "@bowline/api/batch/v1";
import { checkNonNegative } from "../field-checks.ts";
import type { FieldProblems } from "../field-problems.ts";
import { type Indexes, parseIndexes } from "./job-indexes.ts";

type JobFields = DeepReadonly<Job>;
type StatusFields = DeepReadonly<JobStatus>;

function isTrue(status: StatusFields | undefined, type: string): boolean {
  return status?.conditions?.some((c) => c.type === type && c.status === "True") === true;
}

export function checkJobStatus(problems: FieldProblems, job: JobFields, old: JobFields): void {
  const status = job.status ?? {};
  for (const field of ["active", "succeeded", "failed", "ready", "terminating"] as const)
    checkNonNegative(problems, `status.${field}`, status[field]);
  checkUncounted(problems, status);
  checkConditions(problems, status);
  checkTimes(problems, status);
  checkFinished(problems, status);
  checkIndexTexts(problems, job, status);
  if (status.ready !== undefined && status.ready > (status.active ?? 0))
    problems.invalid("status.ready", status.ready, "cannot set more ready pods than active");
  if (
    job.spec?.successPolicy !== undefined &&
    !isTrue(status, "SuccessCriteriaMet") &&
    isTrue(status, "Complete")
  ) {
    conditionProblem(
      problems,
      "cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True",
    );
  }
  checkProgress(problems, job, old);
}

function conditionProblem(problems: FieldProblems, detail: string): void {
  problems.invalid("status.conditions", omittedValue, detail);
}

function checkUncounted(problems: FieldProblems, status: StatusFields): void {
  const seen = new Set<string>();
  for (const list of ["succeeded", "failed"] as const) {
    status.uncountedTerminatedPods?.[list]?.forEach((uid, i) => {
      const field = `status.uncountedTerminatedPods.${list}[${i}]`;
      if (uid === "") problems.invalid(field, uid, "must not be empty");
      else if (seen.has(uid)) problems.duplicate(field, uid);
      seen.add(uid);
    });
  }
}

function checkConditions(problems: FieldProblems, status: StatusFields): void {
  const complete = isTrue(status, "Complete");
  const failed = isTrue(status, "Failed");
  const target = isTrue(status, "FailureTarget");
  const success = isTrue(status, "SuccessCriteriaMet");
  if (complete && failed) conditionProblem(problems, "cannot set Complete=True and Failed=true conditions");
  if (complete && target)
    conditionProblem(problems, "cannot set Complete=True and FailureTarget=true conditions");
  if (failed && !target) {
    conditionProblem(problems, "cannot set Failed=True condition without the FailureTarget=true condition");
  }
  if (complete && !success) {
    conditionProblem(
      problems,
      "cannot set Complete=True condition without the SuccessCriteriaMet=true condition",
    );
  }
  if (success && failed)
    conditionProblem(problems, "cannot set SuccessCriteriaMet=True and Failed=true conditions");
  if (success && target)
    conditionProblem(problems, "cannot set SuccessCriteriaMet=True and FailureTarget=true conditions");
}

function checkTimes(problems: FieldProblems, status: StatusFields): void {
  const { completionTime, startTime } = status;
  const complete = isTrue(status, "Complete");
  if (completionTime !== undefined && !complete) {
    problems.invalid(
      "status.completionTime",
      completionTime,
      "cannot set completionTime when there is no Complete=True condition",
    );
  }
  if (completionTime === undefined && complete)
    problems.required("status.completionTime", "completionTime is required for Complete jobs");
  if (startTime !== undefined && completionTime !== undefined && completionTime < startTime) {
    problems.invalid(
      "status.completionTime",
      completionTime,
      "completionTime cannot be set before startTime",
    );
  }
}

function checkFinished(problems: FieldProblems, status: StatusFields): void {
  if (!isTrue(status, "Complete") && !isTrue(status, "Failed")) return;
  const { active = 0, terminating = 0, startTime, uncountedTerminatedPods: uncounted } = status;
  if (active > 0) problems.invalid("status.active", active, "active>0 is invalid for finished job");
  if (startTime === undefined)
    problems.required("status.startTime", "startTime is required for finished job");
  if ((uncounted?.failed?.length ?? 0) + (uncounted?.succeeded?.length ?? 0) > 0) {
    problems.invalid(
      "status.uncountedTerminatedPods",
      uncounted,
      "uncountedTerminatedPods needs to be empty for finished job",
    );
  }
  if (terminating > 0)
    problems.invalid("status.terminating", terminating, "terminating>0 is invalid for finished job");
}

function checkIndexTexts(problems: FieldProblems, job: JobFields, status: StatusFields): void {
  const { completedIndexes = "", failedIndexes } = status;
  const { completions, backoffLimitPerIndex, completionMode } = job.spec ?? ({} as never);
  const parsed = (field: string, text: string): Indexes | undefined => {
    if (completions === undefined) return undefined;
    const indexes = parseIndexes(text, completions);
    if (typeof indexes !== "string") return indexes;
    problems.invalid(`status.${field}`, text, `error parsing ${field}: ${indexes}`);
    return undefined;
  };
  const completed = parsed("completedIndexes", completedIndexes);
  if (completedIndexes !== "" && completionMode !== "Indexed") {
    problems.invalid(
      "status.completedIndexes",
      completedIndexes,
      "cannot set non-empty completedIndexes when non-indexed completion mode",
    );
  }
  if (failedIndexes === undefined) return;
  if (backoffLimitPerIndex === undefined) {
    problems.invalid(
      "status.failedIndexes",
      failedIndexes,
      "cannot set non-null failedIndexes when backoffLimitPerIndex is null",
    );
    return;
  }
  const failed = parsed("failedIndexes", failedIndexes);
  const overlap = firstOverlap(completed, failed);
  if (overlap !== undefined) {
    problems.invalid(
      "status.failedIndexes",
      failedIndexes,
      `failedIndexes and completedIndexes overlap at index: ${overlap}`,
    );
  }
}

function firstOverlap(a: Indexes | undefined, b: Indexes | undefined): number | undefined {
  for (const [first, last] of a?.intervals ?? []) {
    for (const [from, to] of b?.intervals ?? []) {
      if (first <= to && from <= last) return Math.max(first, from);
    }
  }
  return undefined;
}

/** What was once said of a Job stays said. */
function checkProgress(problems: FieldProblems, job: JobFields, old: JobFields): void {
  const status = job.status ?? {};
  const before = old.status ?? {};
  for (const type of ["Failed", "Complete", "FailureTarget"]) {
    if (isTrue(before, type) && !isTrue(status, type))
      conditionProblem(problems, `cannot disable the terminal ${type}=True condition`);
  }
  for (const counter of ["failed", "succeeded"] as const) {
    if ((status[counter] ?? 0) < (before[counter] ?? 0))
      problems.invalid(`status.${counter}`, status[counter] ?? 0, `cannot decrease the ${counter} counter`);
  }
  const { completionTime, startTime } = status;
  if (
    completionTime !== undefined &&
    before.completionTime !== undefined &&
    completionTime !== before.completionTime
  )
    problems.invalid("status.completionTime", completionTime, "completionTime cannot be mutated");
  if (before.startTime !== undefined && before.startTime !== startTime && job.spec?.suspend !== true)
    problems.required("status.startTime", "startTime cannot be removed for unsuspended job");
  if (isTrue(before, "SuccessCriteriaMet") && !isTrue(status, "SuccessCriteriaMet"))
    conditionProblem(problems, "cannot disable the SuccessCriteriaMet=True condition");
}
