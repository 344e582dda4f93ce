/** How many replicas one metric asks for. Source: kubernetes pkg/controller/podautoscaler (replica_calculator.go). */
import { type DeepReadonly, parseQuantity, quantityMilliValue, quantityNumber } from "@bowline/api";
import type { HorizontalPodAutoscaler } from "@bowline/api/autoscaling/v2";
import { type PodState, isPodFinished, isPodReady, isPodTerminating } from "../pods/pod-state.ts";
import type { MetricSource, Usage } from "./metric-source.ts";

type Autoscaler = DeepReadonly<HorizontalPodAutoscaler>;
export type MetricSpec = NonNullable<NonNullable<Autoscaler["spec"]>["metrics"]>[number];

/** How far the use may be from the target without anything being done, as a part of it. */
export interface Tolerance {
  readonly up: number;
  readonly down: number;
}

interface Given {
  readonly current: number;
  readonly pods: readonly PodState[];
  readonly namespace: string;
  readonly tolerance: Tolerance;
}

export interface MetricResult {
  readonly replicas: number;
  /** For the status. */
  readonly current: object;
  /** For the event of a rescale. */
  readonly name: string;
}

/** A metric that cannot be read: reason and message of the condition. */
export class MetricProblem extends Error {
  readonly reason: string;
  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** @throws MetricProblem */
export function desiredByMetric(spec: MetricSpec, given: Given, source: MetricSource): MetricResult {
  switch (spec.type) {
    case "Resource":
    case "ContainerResource":
      return byResource(spec, given, source);
    case "Pods":
      return byPods(spec, given, source);
    default:
      return byValue(spec, given, source);
  }
}

function byResource(spec: MetricSpec, given: Given, source: MetricSource): MetricResult {
  const { pods } = given;
  const { name = "", target } = spec.resource ?? spec.containerResource ?? {};
  const only = spec.containerResource?.container;
  const living = pods.filter((pod) => !isPodFinished(pod) && !isPodTerminating(pod));
  const ready = living.filter(isPodReady);
  let used = 0;
  let requested = 0;
  for (const pod of ready) {
    for (const container of pod.spec?.containers ?? []) {
      if (only !== undefined && container.name !== only) continue;
      const usage = source.usage(pod, container.name);
      if (usage === undefined) continue;
      used += amountOf(usage, name);
      const request = (container.resources?.requests as Record<string, string> | undefined)?.[name];
      if (request === undefined && target?.averageUtilization !== undefined) {
        throw new MetricProblem(
          "FailedGetResourceMetric",
          `failed to get ${name} utilization: missing request for ${name} in container ${container.name} of Pod ${pod.metadata.name}`,
        );
      }
      requested += request === undefined ? 0 : toAmount(request, name);
    }
  }
  if (ready.length === 0) {
    throw new MetricProblem(
      "FailedGetResourceMetric",
      `failed to get ${name} utilization: unable to get metrics for resource ${name}: no metrics returned from resource metrics API`,
    );
  }
  const average = used / ready.length;
  const utilization = requested === 0 ? 0 : Math.floor((used * 100) / requested);
  const ratio =
    target?.averageUtilization !== undefined
      ? utilization / target.averageUtilization
      : average / toAmount(String(target?.averageValue ?? "1"), name);
  const shown = {
    averageValue: toText(average, name),
    ...(target?.averageUtilization === undefined ? {} : { averageUtilization: utilization }),
  };
  const field = only === undefined ? "resource" : "containerResource";
  const where = only === undefined ? { name } : { name, container: only };
  const what =
    target?.averageUtilization === undefined
      ? `${name} resource`
      : `${name} resource utilization (percentage of request)`;
  return {
    replicas: byRatio(ratio, given, { ready: ready.length, others: living.length - ready.length }),
    current: { type: spec.type, [field]: { ...where, current: shown } },
    name: what,
  };
}

/**
 * Within the tolerance nothing changes. Pods that are not ready are no reason to add more: they are taken to use nothing, and
 * when that turns the verdict, nothing is done.
 * Source: replica_calculator.go (calcPlainMetricReplicas, GetResourceReplicas).
 */
function byRatio(
  ratio: number,
  { current, tolerance }: Given,
  counts: { readonly ready: number; readonly others: number },
): number {
  const { ready, others } = counts;
  if (others === 0 || ratio <= 1) return isWithin(ratio, tolerance) ? current : Math.ceil(ratio * ready);
  const diluted = (ratio * ready) / (ready + others);
  if (isWithin(diluted, tolerance) || diluted < 1) return current;
  return Math.max(current, Math.ceil(diluted * (ready + others)));
}

function isWithin(ratio: number, { up, down }: Tolerance): boolean {
  return ratio >= 1 - down && ratio <= 1 + up;
}

function byPods(spec: MetricSpec, given: Given, source: MetricSource): MetricResult {
  const { pods, namespace } = given;
  const { metric, target } = spec.pods ?? {};
  const name = metric?.name ?? "";
  const ready = pods.filter((pod) => isPodReady(pod) && !isPodTerminating(pod));
  const pending = pods.filter((pod) => pod.status?.phase === "Pending" && !isPodTerminating(pod));
  const values = ready.flatMap((pod) => {
    const object = { kind: "Pod", name: pod.metadata.name ?? "" };
    return source.value({ type: "Pods", metric: name, namespace, object }) ?? [];
  });
  if (values.length === 0)
    throw new MetricProblem(
      "FailedGetPodsMetric",
      `unable to get metric ${name}: no metrics returned from custom metrics API`,
    );
  const average = values.reduce((sum, value) => sum + value, 0) / values.length;
  const ratio = average / quantityNumber(parseQuantity(String(target?.averageValue ?? "1")));
  return {
    replicas: byRatio(ratio, given, { ready: values.length, others: pending.length }),
    current: { type: "Pods", pods: { metric: { name }, current: { averageValue: milliText(average) } } },
    name: `pods metric ${name}`,
  };
}

function byValue(
  spec: MetricSpec,
  { current, namespace, tolerance }: Given,
  source: MetricSource,
): MetricResult {
  const isObject = spec.type === "Object";
  const { metric, target } = (isObject ? spec.object : spec.external) ?? {};
  const name = metric?.name ?? "";
  const object = isObject ? spec.object?.describedObject : undefined;
  const value = source.value({ type: isObject ? "Object" : "External", metric: name, namespace, object });
  if (value === undefined) {
    throw new MetricProblem(
      isObject ? "FailedGetObjectMetric" : "FailedGetExternalMetric",
      `unable to get metric ${name}: no metrics returned`,
    );
  }
  const per = target?.averageValue;
  const wanted = quantityNumber(parseQuantity(String(per ?? target?.value ?? "1")));
  const ratio = per === undefined ? value / wanted : value / (wanted * Math.max(1, current));
  const replicas = isWithin(ratio, tolerance)
    ? current
    : per === undefined
      ? Math.ceil(ratio * current)
      : Math.ceil(value / wanted);
  const shown =
    per === undefined
      ? { value: milliText(value) }
      : { averageValue: milliText(value / Math.max(1, current)) };
  const field = isObject
    ? { object: { metric: { name }, describedObject: object, current: shown } }
    : { external: { metric: { name }, current: shown } };
  return {
    replicas,
    current: { type: spec.type, ...field },
    name: `${isObject ? "object" : "external"} metric ${name}`,
  };
}

function amountOf(usage: Usage, name: string): number {
  return name === "cpu" ? usage.cpuMilli : usage.memoryBytes;
}

function toAmount(text: string, name: string): number {
  const quantity = parseQuantity(text);
  return name === "cpu" ? Number(quantityMilliValue(quantity)) : quantityNumber(quantity);
}

function toText(amount: number, name: string): string {
  return name === "cpu" ? `${Math.floor(amount)}m` : String(Math.floor(amount));
}

function milliText(value: number): string {
  return Number.isInteger(value) ? String(value) : `${Math.round(value * 1000)}m`;
}
