import type { Condition, DeepReadonly, KubeObject } from "@bowline/api";

type Any = DeepReadonly<KubeObject> & {
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>> & { readonly conditions?: readonly Condition[] };
};

/** True when the object is ready for use, else why it is not. */
export type Readiness = true | string;

type Check = (object: Any) => Readiness;

/**
 * Whether an object does what it is there for: rollouts are complete, Jobs have completed, claims are bound. Kinds that
 * are not known here are judged by their condition `Ready` or `Available`; those without conditions are ready.
 */
export function isReady(object: DeepReadonly<KubeObject>): Readiness {
  const any = object as Any;
  if (any.metadata.deletionTimestamp !== undefined) return "it is being deleted";
  const check = checks[`${any.apiVersion}/${any.kind}`];
  return (check ?? byCondition)(any);
}

const checks: Readonly<Record<string, Check>> = {
  "apps/v1/Deployment": (o) =>
    rollout(o, number(o.spec, "replicas", 1), "availableReplicas", "updatedReplicas"),
  "apps/v1/ReplicaSet": (o) => rollout(o, number(o.spec, "replicas", 1), "availableReplicas"),
  "apps/v1/StatefulSet": (o) => rollout(o, number(o.spec, "replicas", 1), "readyReplicas", "updatedReplicas"),
  "apps/v1/DaemonSet": (o) =>
    rollout(o, number(o.status, "desiredNumberScheduled", 0), "numberAvailable", "updatedNumberScheduled"),
  "batch/v1/Job": (o) => conditionIs(o, "Complete") || failedJob(o),
  "v1/Pod": (o) => conditionIs(o, "Ready") || `the pod is ${text(o.status, "phase", "Pending")}`,
  "v1/PersistentVolumeClaim": (o) => {
    const phase = text(o.status, "phase", "Pending");
    return phase === "Bound" || `the claim is ${phase}`;
  },
  "v1/Namespace": (o) => text(o.status, "phase", "Active") === "Active" || "the namespace is terminating",
  "v1/Service": (o) => {
    if (text(o.spec, "type", "ClusterIP") !== "LoadBalancer") return true;
    const balancer = o.status?.["loadBalancer"] as { readonly ingress?: readonly unknown[] } | undefined;
    return (balancer?.ingress?.length ?? 0) > 0 || "the load balancer has no address yet";
  },
  "apiextensions.k8s.io/v1/CustomResourceDefinition": (o) =>
    conditionIs(o, "Established") || "the kind is not established yet",
};

function rollout(object: Any, wanted: number, ...counts: string[]): Readiness {
  const observed = number(object.status, "observedGeneration", 0);
  if (observed < (object.metadata.generation ?? 0)) return "the latest spec is not observed yet";
  const lacking = counts.find((count) => number(object.status, count, 0) < wanted);
  return lacking === undefined || `${number(object.status, lacking, 0)} of ${wanted} ${lacking}`;
}

function failedJob(object: Any): string {
  const failed = object.status?.conditions?.find((c) => c.type === "Failed" && c.status === "True");
  return failed === undefined ? "the job is running" : `the job failed: ${failed.message}`;
}

function byCondition(object: Any): Readiness {
  const condition = object.status?.conditions?.find((c) => c.type === "Ready" || c.type === "Available");
  if (condition === undefined || condition.status === "True") return true;
  return condition.message || `${condition.type} is ${condition.status} (${condition.reason})`;
}

function conditionIs(object: Any, type: string): boolean {
  return object.status?.conditions?.some((c) => c.type === type && c.status === "True") ?? false;
}

function number(of: Readonly<Record<string, unknown>> | undefined, field: string, otherwise: number): number {
  const value = of?.[field];
  return typeof value === "number" ? value : otherwise;
}

function text(of: Readonly<Record<string, unknown>> | undefined, field: string, otherwise: string): string {
  const value = of?.[field];
  return typeof value === "string" ? value : otherwise;
}
