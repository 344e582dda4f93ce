import type { StoredObject } from "../../store/revision.ts";
import { type BuiltinRules, fieldReader } from "./builtin-rules.ts";
import { defaultPodSpec } from "./pod-defaults.ts";

interface PodFields {
  readonly spec?: { readonly nodeName?: string; readonly terminationGracePeriodSeconds?: number };
  readonly status?: { readonly phase?: string };
}

/** Pods: defaults, phase Pending at the start, graceful deletion. Source: kubernetes pkg/registry/core/pod/strategy.go. */
export const podRules: BuiltinRules = {
  generation: true,
  defaults: (object) => {
    const spec = defaultPodSpec(object["spec"] as Record<string, unknown> | undefined);
    return spec === object["spec"] ? object : ({ ...object, spec } as StoredObject);
  },
  prepareForCreate: (object) => ({ ...object, status: { phase: "Pending", qosClass: qosClass(object) } }),
  gracePeriodSeconds(object, asked) {
    const { spec, status } = object as PodFields;
    if ((spec?.nodeName ?? "") === "" || status?.phase === "Failed" || status?.phase === "Succeeded")
      return 0;
    return asked ?? spec?.terminationGracePeriodSeconds ?? 30;
  },
  fields: {
    "spec.nodeName": fieldReader("spec", "nodeName"),
    "spec.restartPolicy": fieldReader("spec", "restartPolicy"),
    "spec.schedulerName": fieldReader("spec", "schedulerName"),
    "spec.serviceAccountName": fieldReader("spec", "serviceAccountName"),
    "spec.hostNetwork": (object) =>
      String((object["spec"] as { hostNetwork?: boolean } | undefined)?.hostNetwork ?? false),
    "status.phase": fieldReader("status", "phase"),
    "status.podIP": fieldReader("status", "podIP"),
    "status.nominatedNodeName": fieldReader("status", "nominatedNodeName"),
  },
};

interface Resources {
  readonly requests?: Readonly<Record<string, string>>;
  readonly limits?: Readonly<Record<string, string>>;
}

/** Guaranteed, Burstable or BestEffort, from the containers' requests and limits. Source: kubernetes pkg/apis/core/helper/qos. */
function qosClass(pod: StoredObject): string {
  const { containers = [], initContainers = [] } = (pod["spec"] ?? {}) as {
    containers?: { resources?: Resources }[];
    initContainers?: { resources?: Resources }[];
  };
  const all = [...initContainers, ...containers].map((c) => c.resources ?? {});
  const named = (r: Resources): boolean => hasCompute(r.requests) || hasCompute(r.limits);
  if (!all.some(named)) return "BestEffort";
  const guaranteed = all.every((r) =>
    ["cpu", "memory"].every((name) => {
      const limit = r.limits?.[name];
      return limit !== undefined && (r.requests?.[name] ?? limit) === limit;
    }),
  );
  return guaranteed ? "Guaranteed" : "Burstable";
}

function hasCompute(list: Readonly<Record<string, string>> | undefined): boolean {
  return list?.["cpu"] !== undefined || list?.["memory"] !== undefined;
}
