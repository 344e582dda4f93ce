import type { HorizontalPodAutoscaler as AutoscalerV1 } from "../../builtin/autoscaling/v1.ts";
import type { HorizontalPodAutoscaler, MetricSpec, MetricStatus } from "../../builtin/autoscaling/v2.ts";
import type { DeepReadonly } from "../../object/object.ts";
import { ageColumn, column, nameColumn, printerOf } from "../column.ts";
import { ageSince } from "../human-duration.ts";
import type { TablePrinter } from "../table.ts";
import { someOf } from "./text.ts";

/** Shows objects of both versions. Source: kubernetes pkg/printers/internalversion (formatHPAMetrics). */
export const autoscalerPrinter: TablePrinter = printerOf<HorizontalPodAutoscaler>(
  [
    nameColumn,
    column("Reference", "string", "What is scaled."),
    column("Targets", "string", "The present and the wanted value of each metric."),
    column("MinPods", "string", "The least number of replicas."),
    column("MaxPods", "integer", "The greatest number of replicas."),
    column("Replicas", "integer", "How many replicas there are."),
    ageColumn,
  ],
  (object, nowMs) => [
    object.metadata.name ?? "",
    `${object.spec?.scaleTargetRef.kind ?? ""}/${object.spec?.scaleTargetRef.name ?? ""}`,
    targets(object),
    object.spec?.minReplicas === undefined ? "<unset>" : String(object.spec.minReplicas),
    object.spec?.maxReplicas ?? 0,
    object.status?.currentReplicas ?? 0,
    ageSince(object.metadata.creationTimestamp, nowMs),
  ],
);

function targets(object: DeepReadonly<HorizontalPodAutoscaler>): string {
  const metrics = object.spec?.metrics ?? [];
  if (metrics.length === 0) return cpuTarget(object as unknown as DeepReadonly<AutoscalerV1>);
  const current = object.status?.currentMetrics ?? [];
  return someOf(
    metrics.map((metric, index) => metricText(metric, current[index])),
    2,
    ", ",
  );
}

/** Version v1 knows one metric, and keeps it in fields of its own. */
function cpuTarget({ spec, status }: DeepReadonly<AutoscalerV1>): string {
  if (spec?.targetCPUUtilizationPercentage === undefined) return "<none>";
  const current = status?.currentCPUUtilizationPercentage;
  return `cpu: ${current === undefined ? "<unknown>" : `${current}%`}/${spec.targetCPUUtilizationPercentage}%`;
}

type Target = DeepReadonly<NonNullable<MetricSpec["resource"]>["target"]>;
type Current = DeepReadonly<NonNullable<MetricStatus["resource"]>["current"]> | undefined;

function metricText(spec: DeepReadonly<MetricSpec>, status: DeepReadonly<MetricStatus> | undefined): string {
  switch (spec.type) {
    case "External":
      return spec.external === undefined ? "" : valueText(spec.external.target, status?.external?.current);
    case "Object":
      return spec.object === undefined ? "" : valueText(spec.object.target, status?.object?.current);
    case "Pods":
      return `${status?.pods?.current.averageValue ?? "<unknown>"}/${spec.pods?.target.averageValue ?? "0"}`;
    case "Resource":
      return spec.resource === undefined
        ? ""
        : `${spec.resource.name}: ${resourceText(spec.resource.target, status?.resource?.current)}`;
    case "ContainerResource":
      return spec.containerResource === undefined
        ? ""
        : `${spec.containerResource.name}: ${resourceText(spec.containerResource.target, status?.containerResource?.current)}`;
    default:
      return "<unknown type>";
  }
}

function valueText(target: Target, current: Current): string {
  if (target.averageValue !== undefined) {
    return `${current?.averageValue ?? "<unknown>"}/${target.averageValue} (avg)`;
  }
  return `${current?.value ?? "<unknown>"}/${target.value ?? "0"}`;
}

function resourceText(target: Target, current: Current): string {
  if (target.averageValue !== undefined)
    return `${current?.averageValue ?? "<unknown>"}/${target.averageValue}`;
  const percent = (value: number | undefined, none: string): string =>
    value === undefined ? none : `${value}%`;
  return `${percent(current?.averageUtilization, "<unknown>")}/${percent(target.averageUtilization, "<auto>")}`;
}
