/**
 * HorizontalPodAutoscalers in autoscaling/v1, which only knows the target for CPU: the rest is kept in annotations.
 * Source: kubernetes pkg/apis/autoscaling/v1/conversion.go.
 */
import type { StoredObject } from "../../../store/revision.ts";
import type { VersionConversion } from "../../builtin-resource.ts";
import { withMetadata } from "../../metadata.ts";
import type { Fields } from "../copy-on-write.ts";

const annotation = {
  metrics: "autoscaling.alpha.kubernetes.io/metrics",
  current: "autoscaling.alpha.kubernetes.io/current-metrics",
  conditions: "autoscaling.alpha.kubernetes.io/conditions",
  behavior: "autoscaling.alpha.kubernetes.io/behavior",
} as const;

interface Metric {
  readonly type: string;
  readonly resource?: Fields;
  readonly [source: string]: unknown;
}

interface SpecV2 {
  readonly scaleTargetRef?: unknown;
  readonly minReplicas?: number;
  readonly maxReplicas?: number;
  readonly metrics?: readonly Metric[];
  readonly behavior?: unknown;
}

interface StatusV2 {
  readonly observedGeneration?: number;
  readonly lastScaleTime?: string;
  readonly currentReplicas?: number;
  readonly desiredReplicas?: number;
  readonly currentMetrics?: readonly Metric[] | null;
  readonly conditions?: readonly unknown[];
}

type Target = Readonly<{ type?: string; value?: string; averageValue?: string; averageUtilization?: number }>;

function isCpuUtilization(metric: Metric): boolean {
  const resource = metric.resource as { name?: string; target?: Target } | undefined;
  return (
    metric.type === "Resource" &&
    resource?.name === "cpu" &&
    resource.target?.averageUtilization !== undefined
  );
}

function defined(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** A metric as the first version wrote it: the target is spread over the source. */
function metricToV1(metric: Metric): Fields {
  const [field, source] = sourceOf(metric);
  const {
    target = {},
    metric: identifier,
    describedObject,
    name,
    container,
  } = source as {
    target?: Target;
    metric?: { name?: string; selector?: unknown };
    describedObject?: unknown;
    name?: string;
    container?: string;
  };
  const identified = { metricName: identifier?.name };
  switch (field) {
    case "object":
      return {
        type: metric.type,
        object: defined({
          target: describedObject,
          ...identified,
          targetValue: target.value ?? "0",
          selector: identifier?.selector,
          averageValue: target.averageValue,
        }),
      };
    case "external":
      return {
        type: metric.type,
        external: defined({
          ...identified,
          metricSelector: identifier?.selector,
          targetValue: target.value,
          targetAverageValue: target.averageValue,
        }),
      };
    case "pods":
      return {
        type: metric.type,
        pods: defined({
          ...identified,
          targetAverageValue: target.averageValue,
          selector: identifier?.selector,
        }),
      };
    default:
      return {
        type: metric.type,
        [field]: defined({
          name,
          targetAverageUtilization: target.averageUtilization,
          targetAverageValue: target.averageValue,
          container,
        }),
      };
  }
}

const sourceFields = ["object", "external", "pods", "resource", "containerResource"] as const;

function sourceOf(metric: Metric): readonly [(typeof sourceFields)[number], Fields] {
  const field = sourceFields.find((name) => metric[name] !== undefined) ?? "resource";
  return [field, (metric[field] ?? {}) as Fields];
}

function metricFromV1(metric: Metric): Fields {
  const [field, given] = sourceOf(metric);
  const source = given as Readonly<Record<string, never>>;
  const averageValue = source["targetAverageValue"] as string | undefined;
  switch (field) {
    case "object": {
      const average = source["averageValue"] as string | undefined;
      return {
        type: metric.type,
        object: {
          describedObject: source["target"],
          metric: defined({ name: source["metricName"], selector: source["selector"] }),
          target:
            average === undefined
              ? { type: "Value", value: source["targetValue"] }
              : { type: "AverageValue", averageValue: average },
        },
      };
    }
    case "external":
      return {
        type: metric.type,
        external: {
          metric: defined({ name: source["metricName"], selector: source["metricSelector"] }),
          target: defined({
            type: source["targetValue"] === undefined ? "AverageValue" : "Value",
            value: source["targetValue"],
            averageValue,
          }),
        },
      };
    case "pods":
      return {
        type: metric.type,
        pods: {
          metric: defined({ name: source["metricName"], selector: source["selector"] }),
          target: defined({ type: "AverageValue", averageValue }),
        },
      };
    default: {
      const averageUtilization = source["targetAverageUtilization"] as number | undefined;
      return {
        type: metric.type,
        [field]: defined({
          name: source["name"],
          container: source["container"],
          target: defined({
            type: averageUtilization === undefined ? "AverageValue" : "Utilization",
            averageUtilization,
            averageValue,
          }),
        }),
      };
    }
  }
}

function toV1(object: StoredObject): StoredObject {
  const spec = (object["spec"] ?? {}) as SpecV2;
  const status = (object["status"] ?? {}) as StatusV2;
  const metrics = spec.metrics ?? [];
  const cpu = metrics.find(isCpuUtilization)?.resource?.["target"] as Target | undefined;
  const others = metrics.filter((metric) => !isCpuUtilization(metric)).map(metricToV1);
  const current = status.currentMetrics ?? [];
  const currentCpu = current.find(
    (metric) => metric.type === "Resource" && metric.resource?.["name"] === "cpu",
  )?.resource?.["current"] as Target | undefined;
  const kept = defined({
    [annotation.metrics]: others.length > 0 ? JSON.stringify(others) : undefined,
    [annotation.current]: current.length > 0 ? JSON.stringify(current) : undefined,
    [annotation.conditions]: status.conditions?.length ? JSON.stringify(status.conditions) : undefined,
    [annotation.behavior]: spec.behavior === undefined ? undefined : JSON.stringify(spec.behavior),
  }) as Readonly<Record<string, string>>;
  const annotations = { ...object.metadata.annotations, ...kept };
  const shown = {
    ...object,
    apiVersion: "autoscaling/v1",
    spec: defined({
      maxReplicas: spec.maxReplicas,
      minReplicas: spec.minReplicas,
      scaleTargetRef: spec.scaleTargetRef,
      targetCPUUtilizationPercentage: cpu?.averageUtilization,
    }),
    status: defined({
      observedGeneration: status.observedGeneration,
      lastScaleTime: status.lastScaleTime,
      currentReplicas: status.currentReplicas ?? 0,
      desiredReplicas: status.desiredReplicas ?? 0,
      currentCPUUtilizationPercentage: currentCpu?.averageUtilization,
    }),
  } as StoredObject;
  return Object.keys(kept).length === 0 ? shown : withMetadata(shown, { annotations });
}

function parsed<T>(annotations: Readonly<Record<string, string>>, key: string): T | undefined {
  const text = annotations[key];
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as T;
  } catch {
    return undefined;
  }
}

const utilization = (averageUtilization: number): Metric => ({
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization } },
});
const defaultCpuUtilization = 80;

function toV2(object: StoredObject): StoredObject {
  const annotations = object.metadata.annotations ?? {};
  const { targetCPUUtilizationPercentage: cpu, ...spec } = (object["spec"] ?? {}) as SpecV2 & {
    targetCPUUtilizationPercentage?: number;
  };
  const { currentCPUUtilizationPercentage: currentCpu, ...status } = (object["status"] ?? {}) as StatusV2 & {
    currentCPUUtilizationPercentage?: number;
  };
  const others = (parsed<Metric[]>(annotations, annotation.metrics) ?? []).map(metricFromV1);
  const metrics = cpu === undefined ? others : [...others, utilization(cpu)];
  const measured =
    parsed<Metric[]>(annotations, annotation.current) ??
    (currentCpu === undefined
      ? null
      : [{ type: "Resource", resource: { name: "cpu", current: { averageUtilization: currentCpu } } }]);
  const kept = Object.fromEntries(
    Object.entries(annotations).filter(([key]) => !Object.values<string>(annotation).includes(key)),
  );
  const stored = {
    ...object,
    apiVersion: "autoscaling/v2",
    spec: defined({
      ...spec,
      metrics: metrics.length > 0 ? metrics : [utilization(defaultCpuUtilization)],
      behavior: parsed(annotations, annotation.behavior),
    }),
    status: defined({
      ...status,
      currentMetrics: measured,
      conditions: parsed(annotations, annotation.conditions),
    }),
  } as StoredObject;
  return withMetadata(stored, {
    annotations: Object.keys(kept).length === 0 ? undefined : kept,
  });
}

/** autoscaling/v1 on what autoscaling/v2 stores. */
export const autoscalerConversion: VersionConversion = {
  view: "autoscaling/v1",
  read: (object) => Object.freeze(toV1(object)),
  write: (object) => Object.freeze(toV2(object)),
};
