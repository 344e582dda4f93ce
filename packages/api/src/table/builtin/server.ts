import type { StorageVersion } from "../../builtin/apiserverinternal/v1alpha1.ts";
import type { FlowSchema, PriorityLevelConfiguration } from "../../builtin/flowcontrol/v1.ts";
import type { ResourceClaim, ResourceSlice } from "../../builtin/resource/v1.ts";
import type { StorageVersionMigration } from "../../builtin/storagemigration/v1beta1.ts";
import type { DeepReadonly, KubeObject } from "../../object/object.ts";
import { ageColumn, column, nameColumn, printerOf } from "../column.ts";
import { ageSince } from "../human-duration.ts";
import type { TablePrinter } from "../table.ts";
import { orElse, someOf } from "./text.ts";

const flowSchema: TablePrinter = printerOf<FlowSchema>(
  [
    nameColumn,
    column("PriorityLevel", "string", "The level that its requests are put into."),
    column("MatchingPrecedence", "string", "Lower is asked first."),
    column("DistinguisherMethod", "string", "What tells its flows apart."),
    ageColumn,
    column("MissingPL", "string", "True when that level does not exist."),
  ],
  ({ metadata, spec, status }, nowMs) => [
    metadata.name ?? "",
    spec?.priorityLevelConfiguration.name ?? "",
    spec?.matchingPrecedence ?? 0,
    spec?.distinguisherMethod?.type ?? "<none>",
    ageSince(metadata.creationTimestamp, nowMs),
    status?.conditions?.find((condition) => condition.type === "Dangling")?.status ?? "?",
  ],
);

const priorityLevel: TablePrinter = printerOf<PriorityLevelConfiguration>(
  [
    nameColumn,
    column("Type", "string", "Limited or Exempt."),
    column("NominalConcurrencyShares", "string", "Its share of the server's concurrency."),
    column("Queues", "string", "How many queues it has."),
    column("HandSize", "string", "How many queues a flow may use."),
    column("QueueLengthLimit", "string", "How many requests may wait in a queue."),
    ageColumn,
  ],
  ({ metadata, spec }, nowMs) => {
    const queuing = spec?.limited?.limitResponse?.queuing;
    return [
      metadata.name ?? "",
      spec?.type ?? "",
      spec?.limited === undefined ? "<none>" : (spec.limited.nominalConcurrencyShares ?? 0),
      queuing === undefined ? "<none>" : (queuing.queues ?? 0),
      queuing === undefined ? "<none>" : (queuing.handSize ?? 0),
      queuing === undefined ? "<none>" : (queuing.queueLengthLimit ?? 0),
      ageSince(metadata.creationTimestamp, nowMs),
    ];
  },
);

const storageVersion: TablePrinter = printerOf<StorageVersion>(
  [
    nameColumn,
    column("CommonEncodingVersion", "string", "The version that all servers encode in."),
    column("StorageVersions", "string", "The version that each server encodes in."),
    ageColumn,
  ],
  ({ metadata, status }, nowMs) => {
    const versions = (status?.storageVersions ?? []).map(
      (v) => `${v.apiServerID ?? ""}=${v.encodingVersion ?? ""}`,
    );
    return [
      metadata.name ?? "",
      status?.commonEncodingVersion ?? "<unset>",
      orElse(someOf(versions, 3), "<unset>"),
      ageSince(metadata.creationTimestamp, nowMs),
    ];
  },
);

const storageVersionMigration: TablePrinter = printerOf<StorageVersionMigration>(
  [
    column("Name", "string", "The name of the object."),
    column("Resource", "string", "The resource whose objects are rewritten."),
  ],
  ({ metadata, spec }) => {
    const resource = spec?.resource as { resource?: string; version?: string; group?: string } | undefined;
    return [
      metadata.name ?? "",
      `${resource?.resource ?? ""}.${resource?.version ?? ""}.${resource?.group ?? ""}`,
    ];
  },
);

const resourceClaim: TablePrinter = printerOf<ResourceClaim>(
  [nameColumn, column("State", "string", "Whether it is pending, allocated, reserved, deleted."), ageColumn],
  (object, nowMs) => [
    object.metadata.name ?? "",
    claimState(object),
    ageSince(object.metadata.creationTimestamp, nowMs),
  ],
);

function claimState({ metadata, status }: DeepReadonly<ResourceClaim>): string {
  const deleted = metadata.deletionTimestamp !== undefined;
  if (status?.allocation === undefined) return deleted ? "deleted" : "pending";
  const states = deleted ? ["deleted", "allocated"] : ["allocated"];
  if ((status.reservedFor?.length ?? 0) > 0) states.push("reserved");
  return states.join(",");
}

const resourceSlice: TablePrinter = printerOf<ResourceSlice>(
  [
    nameColumn,
    column("Node", "string", "The node that has the devices."),
    column("Driver", "string", "The driver that they belong to."),
    column("Pool", "string", "The pool that they are in."),
    ageColumn,
  ],
  ({ metadata, spec }, nowMs) => [
    metadata.name ?? "",
    spec.nodeName ?? "",
    spec.driver,
    spec.pool.name,
    ageSince(metadata.creationTimestamp, nowMs),
  ],
);

const nameAndAge: TablePrinter = printerOf<KubeObject>([nameColumn, ageColumn], ({ metadata }, nowMs) => [
  metadata.name ?? "",
  ageSince(metadata.creationTimestamp, nowMs),
]);

/** By group and kind. Source of columns and cells: kubernetes pkg/printers/internalversion (printers.go). */
export const serverPrinters: Readonly<Record<string, TablePrinter>> = {
  "flowcontrol.apiserver.k8s.io/FlowSchema": flowSchema,
  "flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration": priorityLevel,
  "internal.apiserver.k8s.io/StorageVersion": storageVersion,
  "resource.k8s.io/DeviceClass": nameAndAge,
  "resource.k8s.io/ResourceClaim": resourceClaim,
  "resource.k8s.io/ResourceClaimTemplate": nameAndAge,
  "resource.k8s.io/ResourceSlice": resourceSlice,
  "storagemigration.k8s.io/StorageVersionMigration": storageVersionMigration,
};
