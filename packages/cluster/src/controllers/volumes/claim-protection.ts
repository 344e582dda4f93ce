/** Keeps claims that pods use. Source: kubernetes pkg/controller/volume/pvcprotection. */
import { type DeepReadonly, hasFinalizer } from "@bowline/api";
import { PersistentVolumeClaim, Pod } from "@bowline/api/core/v1";
import { type ControllerDefinition, defineController, watch } from "@bowline/runtime";
import { keyOf, managerName } from "../control-plane.ts";
import { isPodFinished } from "../pods/pod-state.ts";

const protection = "kubernetes.io/pvc-protection";

/** Lets a deleted claim go when no pod uses it any more. */
export function claimProtection(): ControllerDefinition {
  return defineController(PersistentVolumeClaim, {
    name: "persistentvolumeclaim-protection",
    fieldManager: managerName,
    whileDeleting: true,
    predicates: [({ object }) => object.metadata.deletionTimestamp !== undefined],
    watches: [
      watch(Pod, claimsOf, {
        predicates: [(event) => event.type === "deleted" || isPodFinished(event.object)],
      }),
    ],
    async reconcile(claim, ctx) {
      if (claim.metadata.deletionTimestamp === undefined || !hasFinalizer(claim, protection)) return;
      const { namespace, name } = keyOf(claim);
      const users = await ctx.list(Pod, {
        namespace,
        filter: (pod) => !isPodFinished(pod) && claimsOf(pod).some((used) => used.name === name),
      });
      if (users.length > 0) return;
      const finalizers = claim.metadata.finalizers?.filter((one) => one !== protection) ?? [];
      await ctx.patch(PersistentVolumeClaim, name, {
        metadata: { finalizers: finalizers.length > 0 ? finalizers : null },
      } as never);
    },
  });
}

function claimsOf(pod: DeepReadonly<Pod>): { readonly namespace: string; readonly name: string }[] {
  return (pod.spec?.volumes ?? []).flatMap((volume) => {
    const name =
      volume.persistentVolumeClaim?.claimName ??
      (volume.ephemeral === undefined ? undefined : `${pod.metadata.name}-${volume.name}`);
    return name === undefined ? [] : [{ namespace: pod.metadata.namespace ?? "", name }];
  });
}
