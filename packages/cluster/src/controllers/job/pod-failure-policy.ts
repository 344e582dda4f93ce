/** What a failed pod means for its Job. Source: kubernetes pkg/controller/job (pod_failure_policy.go). */
import type { DeepReadonly } from "@bowline/api";
import type { PodFailurePolicy } from "@bowline/api/batch/v1";
import type { PodState } from "../pods/pod-state.ts";

export interface FailureVerdict {
  readonly action: "FailJob" | "FailIndex" | "Ignore" | "Count";
  /** For the condition of a Job that fails. */
  readonly message: string;
}

const counts: FailureVerdict = { action: "Count", message: "" };

/** The first rule that matches decides; without one the failure counts. */
export function judgeFailure(
  policy: DeepReadonly<PodFailurePolicy> | undefined,
  pod: PodState,
): FailureVerdict {
  for (const [index, rule] of (policy?.rules ?? []).entries()) {
    const reason =
      rule.onExitCodes === undefined
        ? matchesCondition(rule.onPodConditions ?? [], pod)
        : matchesExitCode(rule.onExitCodes, pod);
    if (reason === undefined) continue;
    const action = rule.action as FailureVerdict["action"];
    return { action, message: `${reason} matching ${action} rule at index ${index}` };
  }
  return counts;
}

interface ExitCodes {
  readonly containerName?: string;
  readonly operator: string;
  readonly values: readonly number[];
}

function matchesExitCode({ containerName, operator, values }: ExitCodes, pod: PodState): string | undefined {
  const statuses = [...(pod.status?.containerStatuses ?? []), ...(pod.status?.initContainerStatuses ?? [])];
  for (const { name, state } of statuses) {
    const code = state?.terminated?.exitCode;
    if (code === undefined || code === 0 || (containerName !== undefined && containerName !== name)) continue;
    if (values.includes(code) === (operator === "In")) {
      return `Container ${name} for pod ${pod.metadata.namespace}/${pod.metadata.name} failed with exit code ${code}`;
    }
  }
  return undefined;
}

function matchesCondition(
  patterns: readonly { readonly type: string; readonly status?: string }[],
  pod: PodState,
): string | undefined {
  for (const { type, status = "True" } of patterns) {
    if (pod.status?.conditions?.some((condition) => condition.type === type && condition.status === status)) {
      return `Pod ${pod.metadata.namespace}/${pod.metadata.name} has condition ${type}`;
    }
  }
  return undefined;
}
