/** Numbers in the status of workloads. Source: kubernetes pkg/apis/apps/validation. */
import { checkNonNegative } from "../field-checks.ts";
import type { FieldProblems } from "../field-problems.ts";

type Counts = Readonly<Record<string, unknown>>;

export function checkCounts(problems: FieldProblems, status: Counts, fields: readonly string[]): void {
  for (const field of fields) checkNonNegative(problems, `status.${field}`, numberOf(status, field));
}

/** No count of replicas is above the count of all. */
export function checkWithinReplicas(
  problems: FieldProblems,
  status: Counts,
  fields: readonly string[],
): void {
  const total = numberOf(status, "replicas") ?? 0;
  for (const field of fields) {
    const count = numberOf(status, field) ?? 0;
    if (count > total) problems.invalid(`status.${field}`, count, "cannot be greater than status.replicas");
  }
}

/** @param ready `readyReplicas` or `status.readyReplicas`, as the kind's text has it */
export function checkAvailable(problems: FieldProblems, status: Counts, ready: string): void {
  const available = numberOf(status, "availableReplicas") ?? 0;
  if (available > (numberOf(status, "readyReplicas") ?? 0))
    problems.invalid("status.availableReplicas", available, `cannot be greater than ${ready}`);
}

export function checkCollisions(problems: FieldProblems, status: Counts, old: Counts): void {
  const before = numberOf(old, "collisionCount");
  const now = numberOf(status, "collisionCount");
  if (before !== undefined && (now === undefined || now < before))
    problems.invalid("status.collisionCount", now ?? 0, "cannot be decremented");
}

function numberOf(status: Counts, field: string): number | undefined {
  return status[field] as number | undefined;
}
