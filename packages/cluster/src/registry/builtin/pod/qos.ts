/** Quality of service of a pod. Source: kubernetes pkg/apis/core/helper/qos. */
import { compareQuantities } from "@bowline/api";
import { quantityOf } from "../field-checks.ts";
import type { PodSpecFields } from "./pod-spec.ts";
import type { ResourceList } from "./resources.ts";

export type QosClass = "Guaranteed" | "Burstable" | "BestEffort";

interface Resources {
  readonly requests?: ResourceList;
  readonly limits?: ResourceList;
}

/** Guaranteed: every container has limits for cpu and memory, and requests as much. BestEffort: none has either. */
export function podQosClass(spec: PodSpecFields | undefined): QosClass {
  const containers = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
  const all =
    spec?.resources === undefined
      ? containers.map((c) => (c.resources ?? {}) as Resources)
      : [spec.resources as Resources];
  if (!all.some((r) => isSet(r.requests) || isSet(r.limits))) return "BestEffort";
  return all.every(isGuaranteed) ? "Guaranteed" : "Burstable";
}

function isSet(list: ResourceList | undefined): boolean {
  return isPositive(list?.["cpu"]) || isPositive(list?.["memory"]);
}

function isPositive(value: string | undefined): boolean {
  return value !== undefined && quantityOf(value).unscaled > 0n;
}

function isGuaranteed({ requests, limits }: Resources): boolean {
  return ["cpu", "memory"].every((name) => {
    const limit = limits?.[name];
    if (limit === undefined || !isPositive(limit)) return false;
    const request = requests?.[name] ?? limit;
    return request === limit || compareQuantities(quantityOf(request), quantityOf(limit)) === 0;
  });
}
