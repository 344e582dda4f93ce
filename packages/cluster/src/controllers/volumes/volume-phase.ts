/** What becomes of volumes whose claim is gone. Source: kubernetes pkg/controller/volume/persistentvolume (pv_controller.go syncVolume). */
import { type DeepReadonly, hasFinalizer } from "@bowline/api";
import { PersistentVolume, PersistentVolumeClaim } from "@bowline/api/core/v1";
import { type ControllerDefinition, type ReconcileContext, defineController, watch } from "@bowline/runtime";
import { managerName } from "../control-plane.ts";

const protection = "kubernetes.io/pv-protection";

/** Says whether volumes are free, deletes those that are to be, and lets protected ones go when nobody has them. */
export function volumePhase(): ControllerDefinition {
  return defineController(PersistentVolume, {
    name: "persistentvolume-phase",
    fieldManager: managerName,
    whileDeleting: true,
    watches: [
      watch(PersistentVolumeClaim, ({ spec }) => (spec?.volumeName ? { name: spec.volumeName } : undefined)),
    ],
    reconcile,
  });
}

async function reconcile(
  volume: DeepReadonly<PersistentVolume>,
  ctx: ReconcileContext<PersistentVolume>,
): Promise<void> {
  const owner = volume.spec?.claimRef;
  const claim =
    owner?.name === undefined
      ? undefined
      : await ctx.get(PersistentVolumeClaim, { namespace: owner.namespace ?? "", name: owner.name });
  // an owner without a uid is a wish, not a binding
  const isGone = owner?.uid !== undefined && claim?.metadata.uid !== owner.uid;
  if (volume.metadata.deletionTimestamp !== undefined) {
    const isUsed = owner?.uid !== undefined && !isGone;
    if (isUsed || !hasFinalizer(volume, protection)) return;
    const finalizers = volume.metadata.finalizers?.filter((name) => name !== protection) ?? [];
    await ctx.patch(PersistentVolume, { name: volume.metadata.name ?? "" }, {
      metadata: { finalizers: finalizers.length > 0 ? finalizers : null },
    } as never);
    return;
  }
  const phase = owner?.uid === undefined ? "Available" : isGone ? "Released" : "Bound";
  if (phase !== "Bound" && volume.status?.phase !== phase) await ctx.patchStatus({ phase } as never);
  if (isGone && volume.spec?.persistentVolumeReclaimPolicy === "Delete") await ctx.delete(volume);
}
