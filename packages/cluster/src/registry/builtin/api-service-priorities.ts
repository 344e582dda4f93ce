/**
 * Which group comes first where clients choose between kinds of one name, and which version within its group.
 * Source: kubernetes pkg/controlplane/apiserver (aggregator.go), cmd/kube-apiserver/app (aggregator.go).
 */
export interface ApiServicePriority {
  readonly group: number;
  readonly version: number;
}

/** Of groups whose only served version is `v1`, by group. */
const groupPriorities: Readonly<Record<string, number>> = {
  apps: 17_800,
  "events.k8s.io": 17_750,
  "authentication.k8s.io": 17_700,
  "authorization.k8s.io": 17_600,
  autoscaling: 17_500,
  batch: 17_400,
  "certificates.k8s.io": 17_300,
  "networking.k8s.io": 17_200,
  policy: 17_100,
  "rbac.authorization.k8s.io": 17_000,
  "storage.k8s.io": 16_800,
  "apiextensions.k8s.io": 16_700,
  "admissionregistration.k8s.io": 16_700,
  "scheduling.k8s.io": 16_600,
  "coordination.k8s.io": 16_500,
  "node.k8s.io": 16_300,
  "discovery.k8s.io": 16_200,
  "flowcontrol.apiserver.k8s.io": 16_100,
  "resource.k8s.io": 15_900,
};

const exceptions: Readonly<Record<string, ApiServicePriority>> = {
  "/v1": { group: 18_000, version: 1 },
  "autoscaling/v2": { group: 17_500, version: 30 },
  "flowcontrol.apiserver.k8s.io/v1": { group: 16_100, version: 21 },
};

/** Undefined for a group that the API server does not register: that of APIServices themselves. */
export function apiServicePriority(group: string, version: string): ApiServicePriority | undefined {
  const priority = groupPriorities[group];
  return (
    exceptions[`${group}/${version}`] ??
    (priority === undefined ? undefined : { group: priority, version: 15 })
  );
}

/** Of every group and version that a CustomResourceDefinition serves. */
export const customPriority: ApiServicePriority = { group: 1000, version: 100 };
