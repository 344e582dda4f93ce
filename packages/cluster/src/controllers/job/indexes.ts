/** Completion indexes of indexed Jobs. Source: kubernetes pkg/controller/job (indexed_job_utils.go). */
import type { PodState } from "../pods/pod-state.ts";

export const indexAnnotation = "batch.kubernetes.io/job-completion-index";

/** The index of a pod; undefined for one without a valid one. */
export function indexOf(pod: PodState): number | undefined {
  const text = pod.metadata.annotations?.[indexAnnotation];
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
}

/** `0-2,5` of {0, 1, 2, 5}. */
export function formatIndexes(indexes: ReadonlySet<number>): string {
  const sorted = [...indexes].sort((a, b) => a - b);
  const parts: string[] = [];
  for (let i = 0; i < sorted.length; ) {
    let end = i;
    while (sorted[end + 1] === (sorted[end] as number) + 1) end++;
    const [first, last] = [sorted[i] as number, sorted[end] as number];
    // two in a row are listed, three make a range
    parts.push(first === last ? `${first}` : last === first + 1 ? `${first},${last}` : `${first}-${last}`);
    i = end + 1;
  }
  return parts.join(",");
}

/** The reverse of `formatIndexes`. */
export function parseIndexes(text: string | undefined): Set<number> {
  const indexes = new Set<number>();
  for (const part of (text ?? "").split(",")) {
    if (part === "") continue;
    const [first, last = first] = part.split("-").map(Number);
    for (let index = first as number; index <= (last as number); index++) indexes.add(index);
  }
  return indexes;
}
