import type { DeepReadonly, KubeObject } from "@bowline/api";
import { describe, expect, it } from "vitest";
import { isReady } from "./readiness.ts";

function object(apiVersion: string, kind: string, rest: object): DeepReadonly<KubeObject> {
  return { apiVersion, kind, metadata: { name: "x", generation: 2 }, ...rest };
}

const condition = (type: string, status: string, message = "") => ({ type, status, message, reason: "R" });

describe("isReady", () => {
  it.each([
    [
      "apps/v1",
      "Deployment",
      { spec: { replicas: 2 }, status: { observedGeneration: 2, availableReplicas: 2, updatedReplicas: 2 } },
      true,
    ],
    [
      "apps/v1",
      "Deployment",
      { spec: { replicas: 2 }, status: { observedGeneration: 2, availableReplicas: 1, updatedReplicas: 2 } },
      "1 of 2 availableReplicas",
    ],
    [
      "apps/v1",
      "Deployment",
      { spec: { replicas: 2 }, status: { observedGeneration: 2, availableReplicas: 2, updatedReplicas: 1 } },
      "1 of 2 updatedReplicas",
    ],
    [
      "apps/v1",
      "Deployment",
      { status: { observedGeneration: 1, availableReplicas: 1 } },
      "the latest spec is not observed yet",
    ],
    ["apps/v1", "Deployment", { spec: { replicas: 0 }, status: { observedGeneration: 2 } }, true],
    [
      "apps/v1",
      "StatefulSet",
      { status: { observedGeneration: 2, readyReplicas: 1, updatedReplicas: 1 } },
      true,
    ],
    [
      "apps/v1",
      "DaemonSet",
      {
        status: {
          observedGeneration: 2,
          desiredNumberScheduled: 3,
          numberAvailable: 2,
          updatedNumberScheduled: 3,
        },
      },
      "2 of 3 numberAvailable",
    ],
    ["batch/v1", "Job", { status: { conditions: [condition("Complete", "True")] } }, true],
    [
      "batch/v1",
      "Job",
      { status: { conditions: [condition("Failed", "True", "too often")] } },
      "the job failed: too often",
    ],
    ["batch/v1", "Job", {}, "the job is running"],
    ["v1", "Pod", { status: { phase: "Running", conditions: [condition("Ready", "True")] } }, true],
    ["v1", "Pod", {}, "the pod is Pending"],
    ["v1", "PersistentVolumeClaim", { status: { phase: "Bound" } }, true],
    ["v1", "Service", { spec: { type: "LoadBalancer" } }, "the load balancer has no address yet"],
    ["v1", "Service", { spec: { type: "ClusterIP" } }, true],
    ["apiextensions.k8s.io/v1", "CustomResourceDefinition", {}, "the kind is not established yet"],
    ["v1", "ConfigMap", {}, true],
    [
      "example.com/v1",
      "App",
      { status: { conditions: [condition("Ready", "False", "warming up")] } },
      "warming up",
    ],
    [
      "example.com/v1",
      "App",
      { status: { conditions: [condition("Available", "Unknown")] } },
      "Available is Unknown (R)",
    ],
  ] as const)("%s %s %j is %s", (apiVersion, kind, rest, wanted) => {
    expect(isReady(object(apiVersion, kind, rest))).toBe(wanted);
  });

  it("finds nothing ready that is being deleted", () => {
    const metadata = { name: "x", deletionTimestamp: "2026-01-01T00:00:00Z" };
    expect(isReady({ apiVersion: "v1", kind: "ConfigMap", metadata })).toBe("it is being deleted");
  });
});
