import type { DeepReadonly } from "@bowline/api";
import { Deployment } from "@bowline/api/apps/v1";
import { defineController } from "@bowline/runtime";
import { Application } from "../api/v1/application.ts";

export const applicationController = defineController(Application, {
  owns: [Deployment],
  failureCondition: "Available",
  // #region reconcile
  async reconcile(app, ctx) {
    const deployment = await ctx.apply(deploymentFor(app));
    const available = deployment.status?.availableReplicas ?? 0;
    await ctx.patchStatus({
      availableReplicas: available,
      conditions: ctx.condition({
        type: "Available",
        status: available >= app.spec.replicas,
        reason: available >= app.spec.replicas ? "AllReplicasReady" : "Progressing",
        message: `${available} of ${app.spec.replicas} replicas are available`,
      }),
    });
  },
  // #endregion reconcile
});

/** The Deployment that an Application asks for: the same for the same Application. */
export function deploymentFor(app: DeepReadonly<Application>): Deployment {
  const labels = { app: app.metadata.name ?? "" };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: app.metadata.name ?? "", labels },
    spec: {
      replicas: app.spec.replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          containers: [{ name: "app", image: `${app.spec.image}:${app.spec.version ?? "latest"}` }],
        },
      },
    },
  };
}
