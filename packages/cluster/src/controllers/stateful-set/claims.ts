/** The claims of a StatefulSet's pods. Source: kubernetes pkg/controller/statefulset (stateful_pod_control.go, stateful_set_utils.go). */
import { type DeepReadonly, type OwnerReference, isAlreadyExists } from "@bowline/api";
import { PersistentVolumeClaim } from "@bowline/api/core/v1";
import type { ReconcileContext } from "@bowline/runtime";
import type { ComponentEvents } from "../component-events.ts";
import { keyOf } from "../control-plane.ts";
import type { PodState } from "../pods/pod-state.ts";
import { type SetState, claimName, podName, rangeOf } from "./ordinals.ts";

type Claim = DeepReadonly<PersistentVolumeClaim>;
type Context = ReconcileContext<never>;

/** Creates the claims of a pod that are not there. */
export async function ensureClaims(
  set: SetState,
  ordinal: number,
  ctx: Context,
  events: ComponentEvents,
): Promise<void> {
  for (const template of set.spec?.volumeClaimTemplates ?? []) {
    const name = claimName(set, template, ordinal);
    const key = { name, namespace: set.metadata.namespace ?? "" };
    if ((await ctx.get(PersistentVolumeClaim, key)) !== undefined) continue;
    const labels = { ...template.metadata?.labels, ...set.spec?.selector.matchLabels };
    const { annotations } = template.metadata ?? {};
    const metadata = { ...key, labels, ...(annotations === undefined ? {} : { annotations }) };
    try {
      await ctx.create(PersistentVolumeClaim, { metadata, spec: template.spec } as never, { owner: false });
      const message = `create Claim ${name} Pod ${podName(set, ordinal)} in StatefulSet ${set.metadata.name} success`;
      events.record(ctx, set, { reason: "SuccessfulCreate", message });
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
  }
}

/** Makes the owners of a pod's claims those that the retention policy asks for. */
export async function ownClaims(
  set: SetState,
  ordinal: number,
  pod: PodState | undefined,
  ctx: Context,
): Promise<void> {
  const { whenDeleted = "Retain", whenScaled = "Retain" } =
    set.spec?.persistentVolumeClaimRetentionPolicy ?? {};
  if (whenDeleted === "Retain" && whenScaled === "Retain" && set.spec?.volumeClaimTemplates === undefined)
    return;
  const { start, end } = rangeOf(set);
  const isCondemned = ordinal < start || ordinal >= end;
  for (const template of set.spec?.volumeClaimTemplates ?? []) {
    const claim = await ctx.get(PersistentVolumeClaim, {
      name: claimName(set, template, ordinal),
      namespace: set.metadata.namespace ?? "",
    });
    if (claim === undefined) continue;
    const setOwns = whenDeleted === "Delete" && !(whenScaled === "Delete" && isCondemned);
    const podOwns = whenScaled === "Delete" && isCondemned && pod !== undefined;
    await setOwners(claim, [setOwns ? set : undefined, podOwns ? pod : undefined], set, ctx);
  }
}

async function setOwners(
  claim: Claim,
  owners: readonly (SetState | PodState | undefined)[],
  set: SetState,
  ctx: Context,
): Promise<void> {
  const before = claim.metadata.ownerReferences ?? [];
  const isOurs = (reference: DeepReadonly<OwnerReference>): boolean =>
    (reference.kind === "StatefulSet" && reference.name === set.metadata.name) ||
    (reference.kind === "Pod" && reference.name.startsWith(`${set.metadata.name}-`));
  const wanted = owners.flatMap((owner) =>
    owner === undefined
      ? []
      : [
          {
            apiVersion: owner.apiVersion,
            kind: owner.kind,
            name: owner.metadata.name ?? "",
            uid: owner.metadata.uid ?? "",
          },
        ],
  );
  const ours = before.filter(isOurs);
  const isSame =
    ours.length === wanted.length && wanted.every((one) => ours.some(({ uid }) => uid === one.uid));
  if (isSame) return;
  const ownerReferences = [...before.filter((reference) => !isOurs(reference)), ...wanted];
  await ctx.patch(PersistentVolumeClaim, keyOf(claim), {
    metadata: { ownerReferences: ownerReferences.length > 0 ? ownerReferences : null },
  } as never);
}
