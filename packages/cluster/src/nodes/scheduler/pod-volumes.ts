/** What a pod's claims say about where it can run. Source: kubernetes pkg/scheduler/framework/plugins/volumebinding. */
import type { DeepReadonly } from "@bowline/api";
import { PersistentVolume, PersistentVolumeClaim } from "@bowline/api/core/v1";
import { StorageClass } from "@bowline/api/storage/v1";
import type { ReconcileContext } from "@bowline/runtime";
import type { Pod } from "@bowline/api/core/v1";
import { matchesNodeTerm } from "../../controllers/node-fit.ts";
import type { NodeState, PodState } from "./scheduler-state.ts";

type Claim = DeepReadonly<PersistentVolumeClaim>;

export interface PodVolumes {
  /** Why no node will do for now. */
  readonly problem: string | undefined;
  /** Claims that wait to hear which node their first pod runs on. */
  readonly unbound: readonly Claim[];
  /** Whether the volumes can be reached from the node. */
  allows(node: NodeState): boolean;
}

const none: PodVolumes = { problem: undefined, unbound: [], allows: () => true };

/** Names of the claims of a pod: those it names, and those of its ephemeral volumes. */
export function claimNames(pod: PodState): string[] {
  return (pod.spec?.volumes ?? []).flatMap((volume) => {
    if (volume.persistentVolumeClaim !== undefined) return [volume.persistentVolumeClaim.claimName];
    return volume.ephemeral === undefined ? [] : [`${pod.metadata.name}-${volume.name}`];
  });
}

export async function volumesOf(pod: PodState, ctx: ReconcileContext<Pod>): Promise<PodVolumes> {
  const names = claimNames(pod);
  if (names.length === 0) return none;
  const unbound: Claim[] = [];
  const volumes: DeepReadonly<PersistentVolume>[] = [];
  for (const name of names) {
    const claim = await ctx.get(PersistentVolumeClaim, name);
    if (claim === undefined)
      return { ...none, problem: `persistentvolumeclaim ${JSON.stringify(name)} not found` };
    if (claim.metadata.deletionTimestamp !== undefined) {
      return { ...none, problem: `persistentvolumeclaim ${JSON.stringify(name)} is being deleted` };
    }
    if (claim.status?.phase === "Bound") {
      const volume = await ctx.get(PersistentVolume, { name: claim.spec?.volumeName ?? "" });
      if (volume !== undefined) volumes.push(volume);
      continue;
    }
    if (!(await waitsForConsumer(claim, ctx)))
      return { ...none, problem: "pod has unbound immediate PersistentVolumeClaims" };
    unbound.push(claim);
  }
  const selectors = volumes.flatMap((volume) => volume.spec?.nodeAffinity?.required ?? []);
  return {
    problem: undefined,
    unbound,
    allows: (node) =>
      selectors.every((selector) => selector.nodeSelectorTerms.some((term) => matchesNodeTerm(term, node))),
  };
}

async function waitsForConsumer(claim: Claim, ctx: ReconcileContext<Pod>): Promise<boolean> {
  const name = claim.spec?.storageClassName;
  if (name === undefined || name === "") return false;
  const storageClass = await ctx.get(StorageClass, { name });
  return storageClass?.volumeBindingMode === "WaitForFirstConsumer";
}
