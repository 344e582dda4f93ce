/** Claims of a pod's own. Source: kubernetes pkg/controller/volume/ephemeral. */
import { PersistentVolumeClaim, Pod } from "@bowline/api/core/v1";
import { isAlreadyExists } from "@bowline/api";
import { type ControllerDefinition, defineController } from "@bowline/runtime";
import { managerName } from "../control-plane.ts";

/** Makes the claims that pods have as ephemeral volumes; they go with their pod. */
export function ephemeralClaims(): ControllerDefinition {
  return defineController(Pod, {
    name: "ephemeral-volume-controller",
    fieldManager: managerName,
    predicates: [
      ({ object }) => object.spec?.volumes?.some((volume) => volume.ephemeral !== undefined) === true,
    ],
    async reconcile(pod, ctx) {
      for (const { name, ephemeral } of pod.spec?.volumes ?? []) {
        const template = ephemeral?.volumeClaimTemplate;
        if (template === undefined) continue;
        const key = { name: `${pod.metadata.name}-${name}`, namespace: pod.metadata.namespace ?? "" };
        if ((await ctx.get(PersistentVolumeClaim, key)) !== undefined) continue;
        const { labels, annotations } = template.metadata ?? {};
        const metadata = { ...key, ...(labels && { labels }), ...(annotations && { annotations }) };
        try {
          await ctx.create(PersistentVolumeClaim, { metadata, spec: template.spec } as never);
        } catch (error) {
          if (!isAlreadyExists(error)) throw error;
        }
      }
    },
  });
}
