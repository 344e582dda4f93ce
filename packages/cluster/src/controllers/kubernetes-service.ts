import { isAlreadyExists, isNotFound } from "@bowline/api";
import { Service } from "@bowline/api/core/v1";
import { type ControllerDefinition, defineLoop, watch } from "@bowline/runtime";
import { managerName } from "./control-plane.ts";
import { untilAborted } from "./served-kinds.ts";

const key = { namespace: "default", name: "kubernetes" };

/**
 * Keeps the Service `kubernetes`, under which pods find the API server: the first address of the range, made again when it
 * is deleted. Source: kubernetes pkg/controlplane/controller/kubernetesservice.
 */
export function kubernetesService(): ControllerDefinition {
  return defineLoop({
    name: "kubernetes-service",
    fieldManager: managerName,
    watches: [
      watch(Service, () => key, {
        predicates: [({ type, object }) => type === "deleted" && object.metadata.name === key.name],
      }),
    ],
    sources: [
      {
        name: "start",
        async start({ enqueue, signal }) {
          enqueue(key);
          await untilAborted(signal);
        },
      },
    ],
    async reconcile(_request, ctx) {
      try {
        await ctx.client.create(
          Service,
          {
            metadata: { ...key, labels: { component: "apiserver", provider: "kubernetes" } },
            spec: {
              type: "ClusterIP",
              clusterIP: "10.96.0.1",
              ports: [{ name: "https", port: 443, protocol: "TCP", targetPort: 6443 }],
            },
          },
          { signal: ctx.signal },
        );
      } catch (error) {
        // there already, or the namespace is on its way out
        if (!isAlreadyExists(error) && !isNotFound(error)) throw error;
      }
    },
  });
}
