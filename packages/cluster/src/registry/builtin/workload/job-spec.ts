/** The spec of a Job, alone or in a CronJob. Source: kubernetes pkg/apis/batch/validation (validateJobSpec). */
import { type DeepReadonly, dns1123SubdomainErrors, omittedValue, quote } from "@bowline/api";
import type { JobSpec, PodFailurePolicyRule, SuccessPolicyRule } from "@bowline/api/batch/v1";
import { checkNonNegative, checkOneOf, checkQualifiedName } from "../field-checks.ts";
import type { FieldProblems } from "../field-problems.ts";
import { checkPodTemplate } from "../pod/pod-spec.ts";
import { parseIndexes } from "./job-indexes.ts";

export type JobSpecFields = DeepReadonly<JobSpec>;

const indexedParallelismMax = 100_000;
const failedIndexesMax = 100_000;
const completionsSoftLimit = 100_000;
const highCompletionsParallelismMax = 10_000;
const highCompletionsFailedIndexesMax = 10_000;
const rulesMax = 20;
const exitCodesMax = 255;

export function checkJobSpec(problems: FieldProblems, path: string, spec: JobSpecFields): void {
  for (const field of [
    "parallelism",
    "completions",
    "activeDeadlineSeconds",
    "backoffLimit",
    "ttlSecondsAfterFinished",
    "backoffLimitPerIndex",
    "maxFailedIndexes",
  ] as const)
    checkNonNegative(problems, `${path}.${field}`, spec[field] as number | undefined);
  if (spec.maxFailedIndexes !== undefined && spec.backoffLimitPerIndex === undefined)
    problems.required(`${path}.backoffLimitPerIndex`, "when maxFailedIndexes is specified");
  if (spec.managedBy !== undefined) checkManagedBy(problems, `${path}.managedBy`, spec.managedBy);
  checkOneOf(problems, `${path}.completionMode`, spec.completionMode, ["NonIndexed", "Indexed"]);
  if (spec.completionMode === "Indexed") checkIndexed(problems, path, spec);
  else if (spec.completionMode === undefined || spec.completionMode === "NonIndexed") {
    for (const field of ["backoffLimitPerIndex", "maxFailedIndexes"] as const) {
      if (spec[field] !== undefined)
        problems.invalid(`${path}.${field}`, spec[field], "requires indexed completion mode");
    }
  }
  checkPolicies(problems, path, spec);
  checkPodTemplate(problems, `${path}.template`, spec.template ?? {});
  checkRestartPolicy(problems, `${path}.template.spec.restartPolicy`, spec);
}

const pathPattern = /^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/;

function checkManagedBy(problems: FieldProblems, field: string, value: string): void {
  if (value === "") return problems.required(field);
  const [host = "", ...rest] = value.split("/");
  const path = rest.join("/");
  if (rest.length === 0 || host === "" || path === "")
    problems.invalid(field, value, 'must be a domain-prefixed path (such as "acme.io/foo")');
  else {
    problems.allInvalid(field, host, dns1123SubdomainErrors(host));
    if (!pathPattern.test(path)) {
      problems.invalid(
        field,
        path,
        `Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')`,
      );
    }
  }
  if (value.length > 63) problems.tooLong(field, 63);
}

function checkIndexed(problems: FieldProblems, path: string, spec: JobSpecFields): void {
  const { completions, parallelism, maxFailedIndexes, backoffLimitPerIndex } = spec;
  if (completions === undefined) problems.required(`${path}.completions`, "when completion mode is Indexed");
  const atMost = (field: "parallelism" | "maxFailedIndexes", max: number, when: string): void => {
    const value = spec[field];
    if (value !== undefined && value > max)
      problems.invalid(`${path}.${field}`, value, `must be less than or equal to ${max}${when}`);
  };
  atMost("parallelism", indexedParallelismMax, " when completion mode is Indexed");
  if (completions !== undefined && maxFailedIndexes !== undefined && maxFailedIndexes > completions) {
    problems.invalid(
      `${path}.maxFailedIndexes`,
      maxFailedIndexes,
      "must be less than or equal to completions",
    );
  }
  atMost("maxFailedIndexes", failedIndexesMax, "");
  if (backoffLimitPerIndex === undefined || (completions ?? 0) <= completionsSoftLimit) return;
  if (maxFailedIndexes === undefined) {
    problems.required(
      `${path}.maxFailedIndexes`,
      `must be specified when completions is above ${completionsSoftLimit}`,
    );
  }
  const when = ` when completions are above ${completionsSoftLimit} and used with backoff limit per index`;
  if (parallelism !== undefined) atMost("parallelism", highCompletionsParallelismMax, when);
  atMost("maxFailedIndexes", highCompletionsFailedIndexesMax, when);
}

function checkPolicies(problems: FieldProblems, path: string, spec: JobSpecFields): void {
  const { podFailurePolicy, successPolicy, podReplacementPolicy } = spec;
  if (podFailurePolicy !== undefined) {
    const rules = podFailurePolicy.rules ?? [];
    if (rules.length > rulesMax) tooMany(problems, `${path}.podFailurePolicy.rules`, rules.length, rulesMax);
    rules.forEach((rule, i) => {
      checkFailureRule(problems, `${path}.podFailurePolicy.rules[${i}]`, rule, spec);
    });
  }
  if (successPolicy !== undefined) {
    if (spec.completionMode !== "Indexed")
      problems.invalid(`${path}.successPolicy`, successPolicy, "requires indexed completion mode");
    else checkSuccessPolicy(problems, `${path}.successPolicy`, spec);
  }
  checkOneOf(
    problems,
    `${path}.podReplacementPolicy`,
    podReplacementPolicy,
    podFailurePolicy === undefined ? ["Failed", "TerminatingOrFailed"] : ["Failed"],
  );
}

function tooMany(problems: FieldProblems, field: string, count: number, max: number): void {
  problems.add([{ type: "TooMany", field, badValue: count, detail: `must have at most ${max} items` }]);
}

const quotedList = (values: readonly string[]): string => `[${values.map(quote).join(" ")}]`;
const actions = ["Count", "FailIndex", "FailJob", "Ignore"];
const statuses = ["False", "True", "Unknown"];

function checkFailureRule(
  problems: FieldProblems,
  path: string,
  rule: DeepReadonly<PodFailurePolicyRule>,
  spec: JobSpecFields,
): void {
  const { action, onExitCodes, onPodConditions = [] } = rule;
  if (!action) problems.required(`${path}.action`, `valid values: ${quotedList(actions)}`);
  else if (action === "FailIndex" && spec.backoffLimitPerIndex === undefined)
    problems.invalid(`${path}.action`, action, "requires the backoffLimitPerIndex to be set");
  else checkOneOf(problems, `${path}.action`, action, actions);
  if (onExitCodes !== undefined) checkExitCodes(problems, `${path}.onExitCodes`, onExitCodes, spec);
  if (onPodConditions.length > rulesMax)
    tooMany(problems, `${path}.onPodConditions`, onPodConditions.length, rulesMax);
  onPodConditions.forEach(({ type, status }, i) => {
    const at = `${path}.onPodConditions[${i}]`;
    checkQualifiedName(problems, `${at}.type`, type);
    if (!status) problems.required(`${at}.status`, `valid values: ${quotedList(statuses)}`);
    else checkOneOf(problems, `${at}.status`, status, statuses);
  });
  if (onExitCodes !== undefined && onPodConditions.length > 0)
    problems.invalid(path, omittedValue, "specifying both OnExitCodes and OnPodConditions is not supported");
  if (onExitCodes === undefined && onPodConditions.length === 0)
    problems.invalid(path, omittedValue, "specifying one of OnExitCodes and OnPodConditions is required");
}

function checkExitCodes(
  problems: FieldProblems,
  path: string,
  requirement: NonNullable<DeepReadonly<PodFailurePolicyRule>["onExitCodes"]>,
  spec: JobSpecFields,
): void {
  const { operator, containerName, values = [] } = requirement;
  if (!operator) problems.required(`${path}.operator`, `valid values: ${quotedList(["In", "NotIn"])}`);
  else checkOneOf(problems, `${path}.operator`, operator, ["In", "NotIn"]);
  const { containers = [], initContainers = [] } = spec.template?.spec ?? {};
  if (
    containerName !== undefined &&
    ![...containers, ...initContainers].some((c) => c.name === containerName)
  ) {
    problems.invalid(
      `${path}.containerName`,
      containerName,
      "must be one of the container or initContainer names in the pod template",
    );
  }
  if (values.length === 0) problems.invalid(`${path}.values`, values, "at least one value is required");
  if (values.length > exitCodesMax) tooMany(problems, `${path}.values`, values.length, exitCodesMax);
  const seen = new Set<number>();
  values.forEach((value, i) => {
    if (operator === "In" && value === 0)
      problems.invalid(`${path}.values[${i}]`, value, "must not be 0 for the In operator");
    if (seen.has(value)) problems.duplicate(`${path}.values[${i}]`, value);
    seen.add(value);
  });
  if (values.some((value, i) => i > 0 && (values[i - 1] ?? 0) > value))
    problems.invalid(`${path}.values`, values, "must be ordered");
}

function checkSuccessPolicy(problems: FieldProblems, path: string, spec: JobSpecFields): void {
  const rules = spec.successPolicy?.rules ?? [];
  if (rules.length === 0) {
    problems.required(
      `${path}.rules`,
      "at least one rules must be specified when the successPolicy is specified",
    );
  }
  if (rules.length > rulesMax) tooMany(problems, `${path}.rules`, rules.length, rulesMax);
  rules.forEach((rule, i) => {
    checkSuccessRule(problems, `${path}.rules[${i}]`, rule, spec.completions ?? 0);
  });
}

function checkSuccessRule(
  problems: FieldProblems,
  path: string,
  rule: DeepReadonly<SuccessPolicyRule>,
  completions: number,
): void {
  const { succeededCount, succeededIndexes } = rule;
  if (succeededCount === undefined && succeededIndexes === undefined) {
    problems.required(path, "at least one of succeededCount or succeededIndexes must be specified");
  }
  let total: number | undefined;
  if (succeededIndexes !== undefined) {
    const parsed = parseIndexes(succeededIndexes, completions);
    if (typeof parsed === "string") {
      problems.invalid(
        `${path}.succeededIndexes`,
        succeededIndexes,
        `error parsing succeededIndexes: ${parsed}`,
      );
    } else total = parsed.count;
  }
  if (succeededCount === undefined) return;
  const field = `${path}.succeededCount`;
  checkNonNegative(problems, field, succeededCount);
  const atMost = (max: number, what: string): void => {
    if (succeededCount > max)
      problems.invalid(field, succeededCount, `must be less than or equal to ${max} (${what})`);
  };
  atMost(completions, "the number of specified completions");
  if (total !== undefined) atMost(total, "the number of indexes in the specified succeededIndexes field");
}

function checkRestartPolicy(problems: FieldProblems, field: string, spec: JobSpecFields): void {
  const policy = spec.template?.spec?.restartPolicy ?? "";
  if (policy === "" || policy === "Always") problems.required(field, 'valid values: "OnFailure", "Never"');
  else if (policy !== "OnFailure" && policy !== "Never")
    problems.notSupported(field, policy, ["OnFailure", "Never"]);
  else if (spec.podFailurePolicy !== undefined && policy !== "Never")
    problems.invalid(field, policy, 'only "Never" is supported when podFailurePolicy is specified');
}
