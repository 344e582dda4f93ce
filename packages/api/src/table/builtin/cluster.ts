import type {
  ComponentStatus,
  ConfigMap,
  Event,
  Namespace,
  Node,
  ResourceQuota,
  Secret,
  ServiceAccount,
} from "../../builtin/core/v1.ts";
import type { Lease } from "../../builtin/coordination/v1.ts";
import type { LeaseCandidate } from "../../builtin/coordination/v1beta1.ts";
import type { RuntimeClass } from "../../builtin/node/v1.ts";
import type { PriorityClass } from "../../builtin/scheduling/v1.ts";
import type { Event as EventV1 } from "../../builtin/events/v1.ts";
import type { DeepReadonly, Json } from "../../object/object.ts";
import { ageColumn, column, nameColumn, printerOf, wideColumn } from "../column.ts";
import { ageSince, timestampMs } from "../human-duration.ts";
import type { TablePrinter } from "../table.ts";
import { orElse } from "./text.ts";

const namespace: TablePrinter = printerOf<Namespace>(
  [nameColumn, column("Status", "string", "Active, or Terminating while it is being emptied."), ageColumn],
  ({ metadata, status }, nowMs) => [
    metadata.name ?? "",
    status?.phase ?? "",
    ageSince(metadata.creationTimestamp, nowMs),
  ],
);

const node: TablePrinter = printerOf<Node>(
  [
    nameColumn,
    column("Status", "string", "Whether it is ready, and whether pods are kept off it."),
    column("Roles", "string", "Roles that its labels give it."),
    ageColumn,
    column("Version", "string", "Version of its kubelet."),
    wideColumn("Internal-IP", "string", "Its address inside the cluster."),
    wideColumn("External-IP", "string", "Its address outside of the cluster."),
    wideColumn("OS-Image", "string", "Its operating system."),
    wideColumn("Kernel-Version", "string", "Version of its kernel."),
    wideColumn("Container-Runtime", "string", "Its container runtime, with the version."),
  ],
  (object, nowMs) => {
    const info = object.status?.nodeInfo;
    return [
      object.metadata.name ?? "",
      nodeStatus(object),
      orElse(nodeRoles(object).join(","), "<none>"),
      ageSince(object.metadata.creationTimestamp, nowMs),
      info?.kubeletVersion ?? "",
      nodeAddress(object, "InternalIP"),
      nodeAddress(object, "ExternalIP"),
      orElse(info?.osImage, "<unknown>"),
      orElse(info?.kernelVersion, "<unknown>"),
      orElse(info?.containerRuntimeVersion, "<unknown>"),
    ];
  },
);

function nodeStatus({ spec, status }: DeepReadonly<Node>): string {
  const ready = status?.conditions?.findLast((condition) => condition.type === "Ready");
  const words = [ready === undefined ? "Unknown" : ready.status === "True" ? "Ready" : "NotReady"];
  if (spec?.unschedulable === true) words.push("SchedulingDisabled");
  return words.join(",");
}

const roleLabel = "node-role.kubernetes.io/";

function nodeRoles({ metadata }: DeepReadonly<Node>): string[] {
  const roles = new Set<string>();
  for (const [key, value] of Object.entries(metadata.labels ?? {})) {
    if (key.startsWith(roleLabel) && key.length > roleLabel.length) roles.add(key.slice(roleLabel.length));
    else if (key === "kubernetes.io/role" && value !== "") roles.add(value);
  }
  return [...roles].sort();
}

function nodeAddress({ status }: DeepReadonly<Node>, type: string): string {
  return status?.addresses?.find((address) => address.type === type)?.address ?? "<none>";
}

const secret: TablePrinter = printerOf<Secret>(
  [
    nameColumn,
    column("Type", "string", "What the secret is for."),
    column("Data", "string", "How many entries it has."),
    ageColumn,
  ],
  (object, nowMs) => [
    object.metadata.name ?? "",
    object.type ?? "",
    count(object.data),
    ageSince(object.metadata.creationTimestamp, nowMs),
  ],
);

const configMap: TablePrinter = printerOf<ConfigMap>(
  [nameColumn, column("Data", "string", "How many entries it has."), ageColumn],
  (object, nowMs) => [
    object.metadata.name ?? "",
    count(object.data) + count(object.binaryData),
    ageSince(object.metadata.creationTimestamp, nowMs),
  ],
);

function count(entries: object | undefined): number {
  return Object.keys(entries ?? {}).length;
}

const serviceAccount: TablePrinter = printerOf<ServiceAccount>(
  [nameColumn, column("Secrets", "string", "How many secrets its pods may use."), ageColumn],
  (object, nowMs) => [
    object.metadata.name ?? "",
    object.secrets?.length ?? 0,
    ageSince(object.metadata.creationTimestamp, nowMs),
  ],
);

const event: TablePrinter = printerOf<Event>(
  [
    column("Last Seen", "string", "The time since it last happened."),
    column("Type", "string", "Normal or Warning."),
    column("Reason", "string", "What happened, in one word."),
    column("Object", "string", "Kind and name of the object that it is about."),
    wideColumn("Subobject", "string", "The part of the object that it is about."),
    wideColumn("Source", "string", "Who says so."),
    column("Message", "string", "What happened."),
    wideColumn("First Seen", "string", "The time since it first happened."),
    wideColumn("Count", "string", "How often it happened."),
    wideColumn("Name", "string", "The name of the event.", "name"),
  ],
  eventCells,
);

/** Events of both groups: those of events.k8s.io have other names for the same fields. */
type AnyEvent = Partial<Omit<DeepReadonly<EventV1>, keyof Event>>;

function eventCells(object: DeepReadonly<Event>, nowMs: number): Json[] {
  const other = object as AnyEvent;
  const about = (object as Partial<typeof object>).involvedObject ?? other.regarding;
  const firstTimestamp = object.firstTimestamp ?? other.deprecatedFirstTimestamp;
  const first = timestampMs(firstTimestamp) === undefined ? object.eventTime : firstTimestamp;
  const lastTimestamp = object.lastTimestamp ?? other.deprecatedLastTimestamp;
  const last = timestampMs(lastTimestamp) === undefined ? first : lastTimestamp;
  const times = object.count ?? other.deprecatedCount ?? 0;
  const kind = (about?.kind ?? "").toLowerCase();
  return [
    ageSince(object.series === undefined ? last : object.series.lastObservedTime, nowMs),
    object.type ?? "",
    object.reason ?? "",
    about?.name === undefined || about.name === "" ? kind : `${kind}/${about.name}`,
    about?.fieldPath ?? "",
    eventSource(object, other),
    (object.message ?? other.note ?? "").trim(),
    ageSince(first, nowMs),
    object.series === undefined ? (times === 0 ? 1 : times) : (object.series.count ?? 0),
    object.metadata.name ?? "",
  ];
}

function eventSource(object: DeepReadonly<Event>, other: AnyEvent): string {
  const source = object.source ?? other.deprecatedSource;
  const component = orElse(source?.component, object.reportingComponent ?? other.reportingController ?? "");
  const instance = orElse(source?.host, object.reportingInstance ?? "");
  return instance === "" ? component : `${component}, ${instance}`;
}

const componentStatus: TablePrinter = printerOf<ComponentStatus>(
  [
    nameColumn,
    column("Status", "string", "Healthy or Unhealthy."),
    column("Message", "string", "What the component says."),
    column("Error", "string", "What went wrong."),
  ],
  ({ metadata, conditions }) => {
    const healthy = conditions?.find((condition) => condition.type === "Healthy");
    const status = healthy === undefined ? "Unknown" : healthy.status === "True" ? "Healthy" : "Unhealthy";
    return [metadata.name ?? "", status, healthy?.message ?? "", healthy?.error ?? ""];
  },
);

const resourceQuota: TablePrinter = printerOf<ResourceQuota>(
  [
    nameColumn,
    column("Request", "string", "What is used of what may be requested."),
    column("Limit", "string", "What is used of what limits may add up to."),
    ageColumn,
  ],
  ({ metadata, status }, nowMs) => {
    const names = Object.keys(status?.hard ?? {}).sort();
    const text = (name: string): string =>
      `${name}: ${status?.used?.[name] ?? "0"}/${status?.hard?.[name] ?? "0"}`;
    const isLimit = (name: string): boolean => name.startsWith("limits.");
    return [
      metadata.name ?? "",
      names
        .filter((name) => !isLimit(name))
        .map(text)
        .join(", "),
      names.filter(isLimit).map(text).join(", "),
      ageSince(metadata.creationTimestamp, nowMs),
    ];
  },
);

const priorityClass: TablePrinter = printerOf<PriorityClass>(
  [
    nameColumn,
    column("Value", "integer", "The priority; higher goes first."),
    column("Global-Default", "boolean", "Whether pods without a class get it."),
    ageColumn,
    column("PreemptionPolicy", "string", "Whether its pods may take the place of others."),
  ],
  (object, nowMs) => [
    object.metadata.name ?? "",
    object.value ?? 0,
    object.globalDefault ?? false,
    ageSince(object.metadata.creationTimestamp, nowMs),
    object.preemptionPolicy ?? "",
  ],
);

const runtimeClass: TablePrinter = printerOf<RuntimeClass>(
  [nameColumn, column("Handler", "string", "The runtime's configuration that runs its pods."), ageColumn],
  (object, nowMs) => [
    object.metadata.name ?? "",
    object.handler,
    ageSince(object.metadata.creationTimestamp, nowMs),
  ],
);

const lease: TablePrinter = printerOf<Lease>(
  [nameColumn, column("Holder", "string", "Who holds the lease."), ageColumn],
  ({ metadata, spec }, nowMs) => [
    metadata.name ?? "",
    spec?.holderIdentity ?? "",
    ageSince(metadata.creationTimestamp, nowMs),
  ],
);

const leaseCandidate: TablePrinter = printerOf<LeaseCandidate>(
  [
    nameColumn,
    column("LeaseName", "string", "The lease that it wants to hold."),
    column("BinaryVersion", "string", "The version that it is."),
    column("EmulationVersion", "string", "The version that it behaves like."),
    ageColumn,
  ],
  ({ metadata, spec }, nowMs) => [
    metadata.name ?? "",
    spec?.leaseName ?? "",
    spec?.binaryVersion ?? "",
    spec?.emulationVersion ?? "",
    ageSince(metadata.creationTimestamp, nowMs),
  ],
);

/** By group and kind. Source of columns and cells: kubernetes pkg/printers/internalversion (printers.go). */
export const clusterPrinters: Readonly<Record<string, TablePrinter>> = {
  "/ComponentStatus": componentStatus,
  "/ConfigMap": configMap,
  "/Event": event,
  "/Namespace": namespace,
  "/Node": node,
  "/ResourceQuota": resourceQuota,
  "/Secret": secret,
  "/ServiceAccount": serviceAccount,
  "coordination.k8s.io/Lease": lease,
  "coordination.k8s.io/LeaseCandidate": leaseCandidate,
  "events.k8s.io/Event": event,
  "node.k8s.io/RuntimeClass": runtimeClass,
  "scheduling.k8s.io/PriorityClass": priorityClass,
};
