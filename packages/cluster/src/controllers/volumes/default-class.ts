import { StorageClass } from "@bowline/api/storage/v1";
import { isAlreadyExists } from "@bowline/api";
import { type ControllerDefinition, defineLoop } from "@bowline/runtime";
import { managerName } from "../control-plane.ts";
import { untilAborted } from "../served-kinds.ts";

/** Gives a new cluster the storage class `standard`, the default one, whose volumes are there at once. */
export function defaultClass(): ControllerDefinition {
  return defineLoop({
    name: "default-storage-class",
    fieldManager: managerName,
    sources: [
      {
        name: "start",
        async start({ enqueue, signal }) {
          enqueue({ name: "standard" });
          await untilAborted(signal);
        },
      },
    ],
    async reconcile(_request, ctx) {
      // a cluster that has classes is not new
      if ((await ctx.client.list(StorageClass, { signal: ctx.signal })).items.length > 0) return;
      try {
        await ctx.client.create(StorageClass, {
          metadata: {
            name: "standard",
            annotations: { "storageclass.kubernetes.io/is-default-class": "true" },
          },
          provisioner: "bowline.dev/simulated",
          reclaimPolicy: "Delete",
          volumeBindingMode: "Immediate",
          allowVolumeExpansion: true,
        });
      } catch (error) {
        if (!isAlreadyExists(error)) throw error;
      }
    },
  });
}
