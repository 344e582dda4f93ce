/** Binds claims to volumes, and makes volumes for them. Source: kubernetes pkg/controller/volume/persistentvolume (pv_controller.go). */
import {
  type DeepReadonly,
  compareQuantities,
  compileLabelSelector,
  isAlreadyExists,
  parseQuantity,
} from "@bowline/api";
import { PersistentVolume, PersistentVolumeClaim } from "@bowline/api/core/v1";
import { StorageClass } from "@bowline/api/storage/v1";
import { type ControllerDefinition, type ReconcileContext, defineController, watch } from "@bowline/runtime";
import { ComponentEvents } from "../component-events.ts";
import { defined, keyOf, managerName } from "../control-plane.ts";

type Claim = DeepReadonly<PersistentVolumeClaim>;
type Volume = DeepReadonly<PersistentVolume>;
type Class = DeepReadonly<StorageClass>;
type Context = ReconcileContext<PersistentVolumeClaim>;

const bindCompleted = "pv.kubernetes.io/bind-completed";
const boundByController = "pv.kubernetes.io/bound-by-controller";
const selectedNode = "volume.kubernetes.io/selected-node";
const provisionedBy = "pv.kubernetes.io/provisioned-by";

/** Every provisioner but this one is played. */
const noProvisioner = "kubernetes.io/no-provisioner";

export function claimBinding(): ControllerDefinition {
  const events = new ComponentEvents("persistentvolume-controller");
  const pending = new Map<string, { readonly namespace: string; readonly name: string }>();
  const waiting = (): readonly { readonly namespace: string; readonly name: string }[] => [
    ...pending.values(),
  ];
  return defineController(PersistentVolumeClaim, {
    name: "persistentvolume-binder",
    fieldManager: managerName,
    watches: [
      watch(PersistentVolume, ({ spec }) => {
        const { claimRef } = spec ?? {};
        return claimRef?.name === undefined
          ? waiting()
          : { namespace: claimRef.namespace ?? "", name: claimRef.name };
      }),
      watch(StorageClass, waiting),
    ],
    gone: ({ namespace, name }) => void pending.delete(`${namespace}/${name}`),
    async reconcile(claim, ctx) {
      const isBound = await bindClaim(claim, ctx, events);
      const key = keyOf(claim);
      if (isBound) pending.delete(`${key.namespace}/${key.name}`);
      else pending.set(`${key.namespace}/${key.name}`, key);
    },
  });
}

/** @returns whether the claim has its volume */
async function bindClaim(claim: Claim, ctx: Context, events: ComponentEvents): Promise<boolean> {
  const wanted = claim.spec?.volumeName ?? "";
  if (wanted !== "") return bindTo(claim, await ctx.get(PersistentVolume, { name: wanted }), ctx, events);
  if (claim.status?.phase === undefined) await ctx.patchStatus({ phase: "Pending" });
  const found = await findVolume(claim, ctx);
  const className = claim.spec?.storageClassName ?? "";
  const storageClass = className === "" ? undefined : await ctx.get(StorageClass, { name: className });
  const waits =
    storageClass?.volumeBindingMode === "WaitForFirstConsumer" &&
    claim.metadata.annotations?.[selectedNode] === undefined;
  if (waits && !isPreBound(found, claim)) {
    const message = "waiting for first consumer to be created before binding";
    events.record(ctx, claim, { reason: "WaitForFirstConsumer", message });
    return false;
  }
  if (found !== undefined) return bind(claim, found, ctx);
  if (storageClass === undefined) return refuse(claim, className, ctx, events);
  if (storageClass.provisioner === noProvisioner) return false;
  return bind(claim, await provision(claim, storageClass, ctx, events), ctx);
}

function refuse(claim: Claim, className: string, ctx: Context, events: ComponentEvents): false {
  if (className === "") {
    const message = "no persistent volumes available for this claim and no storage class is set";
    events.record(ctx, claim, { reason: "FailedBinding", message });
  } else {
    const message = `storageclass.storage.k8s.io ${JSON.stringify(className)} not found`;
    events.record(ctx, claim, { type: "Warning", reason: "ProvisioningFailed", message });
  }
  return false;
}

/** Binds a claim to the volume that it names. */
async function bindTo(
  claim: Claim,
  volume: Volume | undefined,
  ctx: Context,
  events: ComponentEvents,
): Promise<boolean> {
  const wasBound = claim.metadata.annotations?.[bindCompleted] !== undefined;
  const owner = volume?.spec?.claimRef;
  const isOurs =
    owner !== undefined && owner.name === claim.metadata.name && owner.namespace === claim.metadata.namespace;
  if (
    volume !== undefined &&
    (owner === undefined || (isOurs && (owner.uid ?? claim.metadata.uid) === claim.metadata.uid))
  ) {
    return bind(claim, volume, ctx);
  }
  if (!wasBound) {
    if (claim.status?.phase === undefined) await ctx.patchStatus({ phase: "Pending" });
    return false;
  }
  if (claim.status?.phase !== "Lost") {
    await ctx.patchStatus({ phase: "Lost" });
    const message = "Bound claim has lost its PersistentVolume. Data on the volume is lost!";
    events.record(ctx, claim, { type: "Warning", reason: "ClaimLost", message });
  }
  return true;
}

function isPreBound(volume: Volume | undefined, claim: Claim): boolean {
  const owner = volume?.spec?.claimRef;
  return (
    owner !== undefined && owner.name === claim.metadata.name && owner.namespace === claim.metadata.namespace
  );
}

/** The volume that waits for this claim, or the smallest that fits it. */
async function findVolume(claim: Claim, ctx: Context): Promise<Volume | undefined> {
  const selector =
    claim.spec?.selector === undefined ? undefined : compileLabelSelector(claim.spec.selector as never);
  const size = parseQuantity(requestOf(claim));
  const sizeOf = (volume: Volume): ReturnType<typeof parseQuantity> =>
    parseQuantity(volume.spec?.capacity?.["storage"] ?? "0");
  const fitting = (await ctx.list(PersistentVolume)).filter((volume) => {
    const { spec, metadata } = volume;
    if (metadata.deletionTimestamp !== undefined) return false;
    if (spec?.claimRef !== undefined)
      return isPreBound(volume, claim) && (spec.claimRef.uid ?? claim.metadata.uid) === claim.metadata.uid;
    return (
      (spec?.storageClassName ?? "") === (claim.spec?.storageClassName ?? "") &&
      (spec?.volumeMode ?? "Filesystem") === (claim.spec?.volumeMode ?? "Filesystem") &&
      (claim.spec?.accessModes ?? []).every((mode) => spec?.accessModes?.includes(mode)) &&
      (selector?.matches(metadata.labels) ?? true) &&
      compareQuantities(sizeOf(volume), size) >= 0
    );
  });
  const preBound = fitting.find((volume) => isPreBound(volume, claim));
  return preBound ?? [...fitting].sort((a, b) => compareQuantities(sizeOf(a), sizeOf(b)))[0];
}

function requestOf(claim: Claim): string {
  return String(claim.spec?.resources?.requests?.["storage"] ?? "0");
}

/** Writes the volume first, then the claim: what a crash leaves is completed by the next look. */
async function bind(claim: Claim, volume: Volume, ctx: Context): Promise<true> {
  const { uid, name, namespace } = claim.metadata;
  let current = volume;
  if (volume.spec?.claimRef?.uid !== uid) {
    const claimRef = { apiVersion: "v1", kind: "PersistentVolumeClaim", name, namespace, uid };
    current = await ctx.client.patch(PersistentVolume, volume, {
      merge: { metadata: { annotations: { [boundByController]: "yes" } }, spec: { claimRef } } as never,
    });
  }
  if (current.status?.phase !== "Bound") {
    await ctx.client.patch(
      PersistentVolume,
      volume,
      { merge: { status: { phase: "Bound" } } as never },
      { subresource: "status" },
    );
  }
  if (
    claim.spec?.volumeName !== volume.metadata.name ||
    claim.metadata.annotations?.[bindCompleted] === undefined
  ) {
    const annotations = {
      [bindCompleted]: "yes",
      ...(claim.spec?.volumeName ? {} : { [boundByController]: "yes" }),
    };
    await ctx.patch(PersistentVolumeClaim, keyOf(claim), {
      metadata: { annotations },
      spec: { volumeName: volume.metadata.name ?? "" },
    });
  }
  const capacity = await grown(claim, current, ctx);
  await ctx.patchStatus(
    defined({ phase: "Bound", accessModes: current.spec?.accessModes, capacity }) as never,
  );
  return true;
}

/** The capacity of the volume, after it grew to what the claim asks for. */
async function grown(claim: Claim, volume: Volume, ctx: Context): Promise<object> {
  const wanted = requestOf(claim);
  const capacity = volume.spec?.capacity ?? {};
  if (compareQuantities(parseQuantity(capacity["storage"] ?? "0"), parseQuantity(wanted)) >= 0)
    return capacity;
  const merge = { spec: { capacity: { storage: wanted } } };
  await ctx.client.patch(PersistentVolume, volume, { merge: merge as never });
  return { ...capacity, storage: wanted };
}

/** Makes a volume for the claim, as an external provisioner would. */
async function provision(
  claim: Claim,
  storageClass: Class,
  ctx: Context,
  events: ComponentEvents,
): Promise<Volume> {
  const { uid = "", name, namespace } = claim.metadata;
  const node = claim.metadata.annotations?.[selectedNode];
  const volumeName = `pvc-${uid}`;
  const key = { name: volumeName };
  const body = {
    metadata: { ...key, annotations: { [provisionedBy]: storageClass.provisioner } },
    spec: defined({
      capacity: { storage: requestOf(claim) },
      accessModes: claim.spec?.accessModes,
      volumeMode: claim.spec?.volumeMode ?? "Filesystem",
      persistentVolumeReclaimPolicy: storageClass.reclaimPolicy ?? "Delete",
      storageClassName: storageClass.metadata.name,
      mountOptions: storageClass.mountOptions,
      claimRef: { apiVersion: "v1", kind: "PersistentVolumeClaim", name, namespace, uid },
      hostPath: { path: `/var/lib/bowline/${namespace}-${name}-${volumeName}`, type: "DirectoryOrCreate" },
      nodeAffinity: node === undefined ? undefined : { required: { nodeSelectorTerms: [nodeTerm(node)] } },
    }),
  };
  try {
    const volume = await ctx.create(PersistentVolume, body as never, { owner: false });
    events.record(ctx, claim, {
      reason: "ProvisioningSucceeded",
      message: `Successfully provisioned volume ${volumeName}`,
    });
    return volume;
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    return ctx.client.get(PersistentVolume, key);
  }
}

function nodeTerm(node: string): object {
  return { matchExpressions: [{ key: "kubernetes.io/hostname", operator: "In", values: [node] }] };
}
