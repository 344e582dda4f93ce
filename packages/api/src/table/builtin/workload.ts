import type {
  ControllerRevision,
  DaemonSet,
  Deployment,
  ReplicaSet,
  StatefulSet,
} from "../../builtin/apps/v1.ts";
import type { Scale } from "../../builtin/autoscaling/v1.ts";
import type { CronJob, Job } from "../../builtin/batch/v1.ts";
import type { PodTemplate, ReplicationController } from "../../builtin/core/v1.ts";
import type { PodDisruptionBudget } from "../../builtin/policy/v1.ts";
import { parseApiVersion } from "../../kind/kind.ts";
import { compileLabelSelector } from "../../object/label-selector.ts";
import type { DeepReadonly } from "../../object/object.ts";
import { ageColumn, column, nameColumn, printerOf } from "../column.ts";
import { ageSince, humanDuration, timestampMs } from "../human-duration.ts";
import type { TableColumn, TablePrinter } from "../table.ts";
import {
  boolText,
  containerCells,
  containersColumn,
  imagesColumn,
  labelsText,
  selectorColumn,
  selectorText,
} from "./text.ts";

const templateColumns: readonly TableColumn[] = [containersColumn, imagesColumn, selectorColumn];

const replicaColumns: readonly TableColumn[] = [
  nameColumn,
  column("Desired", "integer", "How many replicas are asked for."),
  column("Current", "integer", "How many replicas there are."),
  column("Ready", "integer", "How many replicas are ready."),
  ageColumn,
  ...templateColumns,
];

const deployment: TablePrinter = printerOf<Deployment>(
  [
    nameColumn,
    column("Ready", "string", "How many replicas are ready, of how many that are asked for."),
    column("Up-to-date", "integer", "How many replicas run the current template."),
    column("Available", "integer", "How many replicas have been ready for long enough."),
    ageColumn,
    ...templateColumns,
  ],
  ({ metadata, spec, status }, nowMs) => [
    metadata.name ?? "",
    `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`,
    status?.updatedReplicas ?? 0,
    status?.availableReplicas ?? 0,
    ageSince(metadata.creationTimestamp, nowMs),
    ...containerCells(spec?.template.spec?.containers),
    deploymentSelector(spec?.selector),
  ],
);

/** Unlike the other kinds, an empty selector is shown as nothing at all. */
function deploymentSelector(selector: Parameters<typeof compileLabelSelector>[0]): string {
  try {
    return compileLabelSelector(selector).toString();
  } catch {
    return "<invalid>";
  }
}

const replicaSet: TablePrinter = printerOf<ReplicaSet>(
  replicaColumns,
  ({ metadata, spec, status }, nowMs) => [
    metadata.name ?? "",
    spec?.replicas ?? 0,
    status?.replicas ?? 0,
    status?.readyReplicas ?? 0,
    ageSince(metadata.creationTimestamp, nowMs),
    ...containerCells(spec?.template?.spec?.containers),
    selectorText(spec?.selector),
  ],
);

const replicationController: TablePrinter = printerOf<ReplicationController>(
  replicaColumns,
  ({ metadata, spec, status }, nowMs) => [
    metadata.name ?? "",
    spec?.replicas ?? 0,
    status?.replicas ?? 0,
    status?.readyReplicas ?? 0,
    ageSince(metadata.creationTimestamp, nowMs),
    ...containerCells(spec?.template?.spec?.containers),
    labelsText(spec?.selector),
  ],
);

const statefulSet: TablePrinter = printerOf<StatefulSet>(
  [
    nameColumn,
    column("Ready", "string", "How many replicas are ready, of how many that are asked for."),
    ageColumn,
    containersColumn,
    imagesColumn,
  ],
  ({ metadata, spec, status }, nowMs) => [
    metadata.name ?? "",
    `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`,
    ageSince(metadata.creationTimestamp, nowMs),
    ...containerCells(spec?.template.spec?.containers),
  ],
);

const daemonSet: TablePrinter = printerOf<DaemonSet>(
  [
    nameColumn,
    column("Desired", "integer", "How many nodes should run its pod."),
    column("Current", "integer", "How many of those nodes have one."),
    column("Ready", "integer", "How many of those have a ready one."),
    column("Up-to-date", "integer", "How many run the current template."),
    column("Available", "integer", "How many have been ready for long enough."),
    column("Node Selector", "string", "The labels that a node must have."),
    ageColumn,
    ...templateColumns,
  ],
  ({ metadata, spec, status }, nowMs) => [
    metadata.name ?? "",
    status?.desiredNumberScheduled ?? 0,
    status?.currentNumberScheduled ?? 0,
    status?.numberReady ?? 0,
    status?.updatedNumberScheduled ?? 0,
    status?.numberAvailable ?? 0,
    labelsText(spec?.template.spec?.nodeSelector),
    ageSince(metadata.creationTimestamp, nowMs),
    ...containerCells(spec?.template.spec?.containers),
    selectorText(spec?.selector),
  ],
);

const job: TablePrinter = printerOf<Job>(
  [
    nameColumn,
    column("Status", "string", "What the job is doing or how it ended."),
    column("Completions", "string", "How many pods succeeded, of how many that must."),
    column("Duration", "string", "How long the job ran, or has been running."),
    ageColumn,
    ...templateColumns,
  ],
  (object, nowMs) => [
    object.metadata.name ?? "",
    jobStatus(object),
    jobCompletions(object),
    jobDuration(object, nowMs),
    ageSince(object.metadata.creationTimestamp, nowMs),
    ...containerCells(object.spec?.template.spec?.containers),
    selectorText(object.spec?.selector),
  ],
);

function jobStatus({ metadata, status }: DeepReadonly<Job>): string {
  const holds = (type: string): boolean =>
    status?.conditions?.find((c) => c.type === type)?.status === "True";
  if (holds("Complete")) return "Complete";
  if (holds("Failed")) return "Failed";
  if (metadata.deletionTimestamp !== undefined) return "Terminating";
  if (holds("Suspended")) return "Suspended";
  return holds("FailureTarget") ? "FailureTarget" : "Running";
}

function jobCompletions({ spec, status }: DeepReadonly<Job>): string {
  const succeeded = status?.succeeded ?? 0;
  if (spec?.completions !== undefined) return `${succeeded}/${spec.completions}`;
  const parallelism = spec?.parallelism ?? 0;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function jobDuration({ status }: DeepReadonly<Job>, nowMs: number): string {
  const start = timestampMs(status?.startTime);
  if (start === undefined) return "";
  return humanDuration((timestampMs(status?.completionTime) ?? nowMs) - start);
}

const cronJob: TablePrinter = printerOf<CronJob>(
  [
    nameColumn,
    column("Schedule", "string", "When it runs, in cron's notation."),
    column("Timezone", "string", "The time zone of the schedule."),
    column("Suspend", "boolean", "True while it starts no more jobs."),
    column("Active", "integer", "How many of its jobs are running."),
    column("Last Schedule", "string", "The time since it last started a job."),
    ageColumn,
    ...templateColumns,
  ],
  ({ metadata, spec, status }, nowMs) => [
    metadata.name ?? "",
    spec?.schedule ?? "",
    spec?.timeZone ?? "<none>",
    boolText(spec?.suspend),
    status?.active?.length ?? 0,
    status?.lastScheduleTime === undefined ? "<none>" : ageSince(status.lastScheduleTime, nowMs),
    ageSince(metadata.creationTimestamp, nowMs),
    ...containerCells(spec?.jobTemplate.spec?.template.spec?.containers),
    selectorText(spec?.jobTemplate.spec?.selector),
  ],
);

const podTemplate: TablePrinter = printerOf<PodTemplate>(
  [
    nameColumn,
    column("Containers", "string", "Names of the template's containers."),
    column("Images", "string", "Images of the template's containers."),
    column("Pod Labels", "string", "Labels of the pods made from the template."),
  ],
  ({ metadata, template }) => [
    metadata.name ?? "",
    ...containerCells(template?.spec?.containers),
    labelsText(template?.metadata?.labels),
  ],
);

const controllerRevision: TablePrinter = printerOf<ControllerRevision>(
  [
    nameColumn,
    column("Controller", "string", "The object whose state the revision holds."),
    column("Revision", "string", "The revision's number."),
    ageColumn,
  ],
  (object, nowMs) => [
    object.metadata.name ?? "",
    controllerText(object),
    object.revision,
    ageSince(object.metadata.creationTimestamp, nowMs),
  ],
);

function controllerText({ metadata }: DeepReadonly<ControllerRevision>): string {
  const owner = metadata.ownerReferences?.find((reference) => reference.controller === true);
  if (owner === undefined) return "<none>";
  const { group } = parseApiVersion(owner.apiVersion);
  const kind = group === "" ? owner.kind : `${owner.kind}.${group}`;
  return `${kind.toLowerCase()}/${owner.name}`;
}

const podDisruptionBudget: TablePrinter = printerOf<PodDisruptionBudget>(
  [
    nameColumn,
    column("Min Available", "string", "How many pods must stay available."),
    column("Max Unavailable", "string", "How many pods may be unavailable."),
    column("Allowed Disruptions", "integer", "How many pods may be evicted now."),
    ageColumn,
  ],
  ({ metadata, spec, status }, nowMs) => [
    metadata.name ?? "",
    String(spec?.minAvailable ?? "N/A"),
    String(spec?.maxUnavailable ?? "N/A"),
    status?.disruptionsAllowed ?? 0,
    ageSince(metadata.creationTimestamp, nowMs),
  ],
);

const scale: TablePrinter = printerOf<Scale>(
  [
    column("Name", "string", "The name of the object, unique in its namespace."),
    column("Desired", "integer", "How many replicas are asked for."),
    column("Available", "integer", "How many replicas there are."),
    ageColumn,
  ],
  ({ metadata, spec, status }, nowMs) => [
    metadata.name ?? "",
    spec?.replicas ?? 0,
    status?.replicas ?? 0,
    ageSince(metadata.creationTimestamp, nowMs),
  ],
);

/** By group and kind. Source of columns and cells: kubernetes pkg/printers/internalversion (printers.go). */
export const workloadPrinters: Readonly<Record<string, TablePrinter>> = {
  "/PodTemplate": podTemplate,
  "/ReplicationController": replicationController,
  "apps/ControllerRevision": controllerRevision,
  "apps/DaemonSet": daemonSet,
  "apps/Deployment": deployment,
  "apps/ReplicaSet": replicaSet,
  "apps/StatefulSet": statefulSet,
  "autoscaling/Scale": scale,
  "batch/CronJob": cronJob,
  "batch/Job": job,
  "policy/PodDisruptionBudget": podDisruptionBudget,
};
