/** What is wrong with a pod, and the words for it. Source: k8s.io/pod-security-admission policy (helpers.go, visitor.go). */
import type { DeepReadonly, ObjectMeta } from "@bowline/api";
import { type AnyContainer, type Spec, allContainers } from "./pod-fields.ts";

/** What is wrong: in short, and in detail. */
export interface Violation {
  readonly reason: string;
  readonly detail: string;
}

export type PodCheck = (spec: Spec, metadata: DeepReadonly<ObjectMeta>) => Violation | undefined;

export function quoted(texts: readonly string[]): string {
  return texts.map((text) => JSON.stringify(text)).join(", ");
}

export function plural(one: string, many: string, count: number): string {
  return count === 1 ? one : many;
}

/** `container "a"`, `containers "a", "b"`. */
export function containers(names: readonly string[]): string {
  return `${plural("container", "containers", names.length)} ${quoted(names)}`;
}

export function sorted(texts: Iterable<string>): string[] {
  return [...new Set(texts)].sort();
}

export function named(spec: Spec, bad: (container: AnyContainer) => boolean): string[] {
  return allContainers(spec)
    .filter(bad)
    .map((container) => container.name);
}

/** The pod and containers that set something wrong: `pod and container "a"`. */
export function setters(pod: boolean, names: readonly string[]): string {
  return [...(pod ? ["pod"] : []), ...(names.length > 0 ? [containers(names)] : [])].join(" and ");
}

export const isWindows = (spec: Spec): boolean => spec.os?.name === "windows";
/** Root of a user namespace is nobody outside of it. */
export const hasUserNamespace = (spec: Spec): boolean => spec.hostUsers === false;
