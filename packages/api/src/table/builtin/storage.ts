import type { PersistentVolume, PersistentVolumeClaim } from "../../builtin/core/v1.ts";
import type {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  StorageClass,
  VolumeAttachment,
  VolumeAttributesClass,
} from "../../builtin/storage/v1.ts";
import type { DeepReadonly, ObjectMeta } from "../../object/object.ts";
import { ageColumn, column, nameColumn, printerOf, wideColumn } from "../column.ts";
import { ageSince } from "../human-duration.ts";
import type { TablePrinter } from "../table.ts";
import { orElse } from "./text.ts";

const persistentVolume: TablePrinter = printerOf<PersistentVolume>(
  [
    nameColumn,
    column("Capacity", "string", "Size of the volume."),
    column("Access Modes", "string", "How it can be mounted."),
    column("Reclaim Policy", "string", "What happens to it when its claim is gone."),
    column("Status", "string", "Whether it is bound to a claim."),
    column("Claim", "string", "Namespace and name of the claim."),
    column("StorageClass", "string", "The class it belongs to."),
    column("VolumeAttributesClass", "string", "The class of its attributes."),
    column("Reason", "string", "Why it is in its status."),
    ageColumn,
    wideColumn("VolumeMode", "string", "Filesystem or Block."),
  ],
  ({ metadata, spec, status }, nowMs) => [
    metadata.name ?? "",
    spec?.capacity?.["storage"] ?? "0",
    accessModes(spec?.accessModes),
    spec?.persistentVolumeReclaimPolicy ?? "",
    phaseOf(metadata, status?.phase),
    spec?.claimRef === undefined ? "" : `${spec.claimRef.namespace ?? ""}/${spec.claimRef.name ?? ""}`,
    storageClassOf(metadata, spec?.storageClassName),
    spec?.volumeAttributesClassName ?? "<unset>",
    status?.reason ?? "",
    ageSince(metadata.creationTimestamp, nowMs),
    spec?.volumeMode ?? "<unset>",
  ],
);

const persistentVolumeClaim: TablePrinter = printerOf<PersistentVolumeClaim>(
  [
    nameColumn,
    column("Status", "string", "Whether it is bound to a volume."),
    column("Volume", "string", "The volume it is bound to."),
    column("Capacity", "string", "Size of that volume."),
    column("Access Modes", "string", "How the volume can be mounted."),
    column("StorageClass", "string", "The class it asks for."),
    column("VolumeAttributesClass", "string", "The class of attributes it asks for."),
    ageColumn,
    wideColumn("VolumeMode", "string", "Filesystem or Block."),
  ],
  ({ metadata, spec, status }, nowMs) => {
    const bound = spec?.volumeName !== undefined && spec.volumeName !== "";
    return [
      metadata.name ?? "",
      phaseOf(metadata, status?.phase),
      spec?.volumeName ?? "",
      bound ? (status?.capacity?.["storage"] ?? "0") : "",
      bound ? accessModes(status?.accessModes) : "",
      storageClassOf(metadata, spec?.storageClassName),
      spec?.volumeAttributesClassName ?? "<unset>",
      ageSince(metadata.creationTimestamp, nowMs),
      spec?.volumeMode ?? "<unset>",
    ];
  },
);

const shortModes: Readonly<Record<string, string>> = {
  ReadWriteOnce: "RWO",
  ReadOnlyMany: "ROX",
  ReadWriteMany: "RWX",
  ReadWriteOncePod: "RWOP",
};

function accessModes(modes: readonly string[] | undefined): string {
  const known = Object.keys(shortModes).filter((mode) => modes?.includes(mode) === true);
  return known.map((mode) => shortModes[mode]).join(",");
}

function phaseOf(metadata: DeepReadonly<ObjectMeta>, phase: string | undefined): string {
  return metadata.deletionTimestamp === undefined ? (phase ?? "") : "Terminating";
}

function storageClassOf(metadata: DeepReadonly<ObjectMeta>, name: string | undefined): string {
  return metadata.annotations?.["volume.beta.kubernetes.io/storage-class"] ?? name ?? "";
}

const storageClass: TablePrinter = printerOf<StorageClass>(
  [
    nameColumn,
    column("Provisioner", "string", "What makes its volumes."),
    column("ReclaimPolicy", "string", "What happens to a volume when its claim is gone."),
    column("VolumeBindingMode", "string", "When claims are bound."),
    column("AllowVolumeExpansion", "string", "Whether volumes may grow."),
    ageColumn,
  ],
  (object, nowMs) => [
    nameWithDefault(object.metadata, ["storageclass.kubernetes.io", "storageclass.beta.kubernetes.io"]),
    object.provisioner,
    object.reclaimPolicy ?? "Delete",
    object.volumeBindingMode ?? "Immediate",
    object.allowVolumeExpansion ?? false,
    ageSince(object.metadata.creationTimestamp, nowMs),
  ],
);

const volumeAttributesClass: TablePrinter = printerOf<VolumeAttributesClass>(
  [nameColumn, column("DriverName", "string", "The driver that knows the attributes."), ageColumn],
  (object, nowMs) => [
    nameWithDefault(object.metadata, ["volumeattributesclass.alpha.kubernetes.io"]),
    object.driverName,
    ageSince(object.metadata.creationTimestamp, nowMs),
  ],
);

function nameWithDefault(metadata: DeepReadonly<ObjectMeta>, domains: readonly string[]): string {
  const isDefault = domains.some((domain) => metadata.annotations?.[`${domain}/is-default-class`] === "true");
  return isDefault ? `${metadata.name ?? ""} (default)` : (metadata.name ?? "");
}

const volumeAttachment: TablePrinter = printerOf<VolumeAttachment>(
  [
    nameColumn,
    column("Attacher", "string", "The driver that attaches the volume.", "name"),
    column("PV", "string", "The volume."),
    column("Node", "string", "The node it is attached to."),
    column("Attached", "boolean", "Whether it is attached."),
    ageColumn,
  ],
  ({ metadata, spec, status }, nowMs) => [
    metadata.name ?? "",
    spec?.attacher ?? "",
    spec?.source.persistentVolumeName ?? "",
    spec?.nodeName ?? "",
    status?.attached ?? false,
    ageSince(metadata.creationTimestamp, nowMs),
  ],
);

const csiNode: TablePrinter = printerOf<CSINode>(
  [nameColumn, column("Drivers", "integer", "How many drivers the node has."), ageColumn],
  ({ metadata, spec }, nowMs) => [
    metadata.name ?? "",
    spec?.drivers?.length ?? 0,
    ageSince(metadata.creationTimestamp, nowMs),
  ],
);

const csiDriver: TablePrinter = printerOf<CSIDriver>(
  [
    nameColumn,
    column("AttachRequired", "boolean", "Whether volumes must be attached first."),
    column("PodInfoOnMount", "boolean", "Whether the driver is told about the pod."),
    column("StorageCapacity", "boolean", "Whether pods are scheduled by free capacity."),
    column("TokenRequests", "string", "Audiences of the tokens that it gets."),
    column("RequiresRepublish", "boolean", "Whether it is called again and again."),
    column("Modes", "string", "Life cycles of volumes that it supports."),
    ageColumn,
  ],
  ({ metadata, spec }, nowMs) => [
    metadata.name ?? "",
    spec?.attachRequired ?? true,
    spec?.podInfoOnMount ?? false,
    spec?.storageCapacity ?? false,
    spec?.tokenRequests?.map((request) => request.audience).join(",") ?? "<unset>",
    spec?.requiresRepublish ?? false,
    orElse(spec?.volumeLifecycleModes?.join(","), "<none>"),
    ageSince(metadata.creationTimestamp, nowMs),
  ],
);

const csiStorageCapacity: TablePrinter = printerOf<CSIStorageCapacity>(
  [
    nameColumn,
    column("StorageClassName", "string", "The class that the capacity is for."),
    column("Capacity", "string", "How much is free."),
  ],
  (object) => [object.metadata.name ?? "", object.storageClassName, object.capacity ?? "<unset>"],
);

/** By group and kind. Source of columns and cells: kubernetes pkg/printers/internalversion (printers.go). */
export const storagePrinters: Readonly<Record<string, TablePrinter>> = {
  "/PersistentVolume": persistentVolume,
  "/PersistentVolumeClaim": persistentVolumeClaim,
  "storage.k8s.io/CSIDriver": csiDriver,
  "storage.k8s.io/CSINode": csiNode,
  "storage.k8s.io/CSIStorageCapacity": csiStorageCapacity,
  "storage.k8s.io/StorageClass": storageClass,
  "storage.k8s.io/VolumeAttachment": volumeAttachment,
  "storage.k8s.io/VolumeAttributesClass": volumeAttributesClass,
};
