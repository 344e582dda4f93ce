/**
 * The objects that a pod, or a volume of one, makes its node read.
 * Source: kubernetes pkg/api/v1/pod (util.go), pkg/api/v1/persistentvolume (util.go).
 */
import type { DeepReadonly } from "@bowline/api";
import type { PersistentVolume, Pod, Volume } from "@bowline/api/core/v1";

type PodSpec = NonNullable<DeepReadonly<Pod>["spec"]>;
type Container = Pick<PodSpec["containers"][number], "env" | "envFrom">;

/** Names of the secrets of the pod's namespace. */
export function secretNames({ spec }: DeepReadonly<Pod>): Set<string> {
  const names = new Set<string>();
  const add = (name: string | undefined): void => void (name !== undefined && names.add(name));
  for (const { name } of spec?.imagePullSecrets ?? []) add(name);
  for (const { env = [], envFrom = [] } of containersOf(spec)) {
    for (const { valueFrom } of env ?? []) add(valueFrom?.secretKeyRef?.name);
    for (const { secretRef } of envFrom ?? []) add(secretRef?.name);
  }
  for (const volume of spec?.volumes ?? []) volumeSecretNames(volume, add);
  return names;
}

function volumeSecretNames(volume: DeepReadonly<Volume>, add: (name: string | undefined) => void): void {
  add(volume.secret?.secretName);
  for (const { secret } of volume.projected?.sources ?? []) add(secret?.name);
  add(volume.azureFile?.secretName);
  add(volume.csi?.nodePublishSecretRef?.name);
  const { cephfs, cinder, flexVolume, iscsi, rbd, scaleIO, storageos } = volume;
  for (const source of [cephfs, cinder, flexVolume, iscsi, rbd, scaleIO, storageos])
    add(source?.secretRef?.name);
}

/** Names of the config maps of the pod's namespace. */
export function configMapNames({ spec }: DeepReadonly<Pod>): Set<string> {
  const names = new Set<string>();
  const add = (name: string | undefined): void => void (name !== undefined && names.add(name));
  for (const { env = [], envFrom = [] } of containersOf(spec)) {
    for (const { valueFrom } of env ?? []) add(valueFrom?.configMapKeyRef?.name);
    for (const { configMapRef } of envFrom ?? []) add(configMapRef?.name);
  }
  for (const { configMap, projected } of spec?.volumes ?? []) {
    add(configMap?.name);
    for (const source of projected?.sources ?? []) add(source.configMap?.name);
  }
  return names;
}

/** Names of the volume claims of the pod's namespace; ephemeral volumes have one of their own. */
export function claimNames({ metadata, spec }: DeepReadonly<Pod>): Set<string> {
  const names = new Set<string>();
  for (const { name, persistentVolumeClaim, ephemeral } of spec?.volumes ?? []) {
    if (persistentVolumeClaim !== undefined) names.add(persistentVolumeClaim.claimName);
    else if (ephemeral !== undefined) names.add(`${metadata.name}-${name}`);
  }
  return names;
}

/** Names of the resource claims of the pod's namespace, as far as they exist. */
export function resourceClaimNames({ spec, status }: DeepReadonly<Pod>): Set<string> {
  const made = new Map(status?.resourceClaimStatuses?.map((each) => [each.name, each.resourceClaimName]));
  const names = (spec?.resourceClaims ?? []).map((each) => each.resourceClaimName ?? made.get(each.name));
  const extended = status?.extendedResourceClaimStatus?.resourceClaimName;
  return new Set([...names, extended].filter((name): name is string => name !== undefined && name !== ""));
}

/** Secrets that a node needs for a bound volume, as `namespace/name`; those of a driver's controller are not among them. */
export function volumeSecretKeys({ spec }: DeepReadonly<PersistentVolume>): Set<string> {
  const inClaim = spec?.claimRef?.namespace ?? "";
  const keys = new Set<string>();
  const add = (
    ref: { readonly name?: string | undefined; readonly namespace?: string | undefined } | undefined,
  ): void => {
    if (ref?.name !== undefined && ref.name !== "") keys.add(`${ref.namespace || inClaim}/${ref.name}`);
  };
  if (spec?.azureFile !== undefined)
    add({ name: spec.azureFile.secretName, namespace: spec.azureFile.secretNamespace });
  for (const name of ["nodePublishSecretRef", "nodeStageSecretRef", "nodeExpandSecretRef"] as const)
    add(spec?.csi?.[name]);
  for (const source of [
    spec?.cephfs,
    spec?.cinder,
    spec?.flexVolume,
    spec?.iscsi,
    spec?.rbd,
    spec?.scaleIO,
    spec?.storageos,
  ])
    add(source?.secretRef);
  return keys;
}

function containersOf(spec: PodSpec | undefined): readonly Container[] {
  return [...(spec?.initContainers ?? []), ...(spec?.containers ?? []), ...(spec?.ephemeralContainers ?? [])];
}
