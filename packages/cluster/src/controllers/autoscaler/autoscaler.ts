/** The HorizontalPodAutoscaler controller. Source: kubernetes pkg/controller/podautoscaler (horizontal.go). */
import { type DeepReadonly, isStatusError, parseLabelSelector } from "@bowline/api";
import { HorizontalPodAutoscaler } from "@bowline/api/autoscaling/v2";
import { Pod } from "@bowline/api/core/v1";
import { getScale, isNoKindMatch, rfc3339, setScale } from "@bowline/client";
import {
  type ControllerDefinition,
  type ReconcileContext,
  defineController,
  generationChanged,
} from "@bowline/runtime";
import { ComponentEvents } from "../component-events.ts";
import { type WorkloadCondition, managerName, replaceStatus, withCondition } from "../control-plane.ts";
import { textOf } from "../pods/pod-control.ts";
import { MetricProblem, type MetricResult, desiredByMetric } from "./desired-replicas.ts";
import type { MetricSource } from "./metric-source.ts";

type Autoscaler = DeepReadonly<HorizontalPodAutoscaler>;
type Context = ReconcileContext<HorizontalPodAutoscaler>;
type Conditions = readonly DeepReadonly<WorkloadCondition>[];

const periodMs = 15_000;
const downWindowMs = 300_000;

/** What was recommended when, and what was done: both bound what may be done now. */
interface Memory {
  recommendations: { readonly at: number; readonly replicas: number }[];
  rescales: { readonly at: number; readonly change: number }[];
}

export function horizontalAutoscaler(source: MetricSource): ControllerDefinition {
  const events = new ComponentEvents("horizontal-pod-autoscaler");
  const memories = new Map<string, Memory>();
  return defineController(HorizontalPodAutoscaler, {
    name: "horizontal-pod-autoscaler-controller",
    fieldManager: managerName,
    concurrency: 5,
    predicates: [generationChanged],
    everyMs: periodMs,
    gone: ({ namespace, name }) => void memories.delete(`${namespace}/${name}`),
    async reconcile(scaler, ctx) {
      const key = `${scaler.metadata.namespace}/${scaler.metadata.name}`;
      const memory = memories.get(key) ?? { recommendations: [], rescales: [] };
      memories.set(key, memory);
      await new Autoscaling(scaler, ctx, { source, events, memory }).run();
    },
  });
}

interface Ports {
  readonly source: MetricSource;
  readonly events: ComponentEvents;
  readonly memory: Memory;
}

class Autoscaling {
  readonly #scaler: Autoscaler;
  readonly #ctx: Context;
  readonly #ports: Ports;
  readonly #now: number;
  #conditions: Conditions;

  constructor(scaler: Autoscaler, ctx: Context, ports: Ports) {
    this.#scaler = scaler;
    this.#ctx = ctx;
    this.#ports = ports;
    this.#now = ctx.clock.now();
    this.#conditions = (scaler.status?.conditions ?? []) as Conditions;
  }

  async run(): Promise<void> {
    const { spec, metadata } = this.#scaler;
    const ref = spec?.scaleTargetRef;
    const kind = { apiVersion: ref?.apiVersion ?? "v1", kind: ref?.kind ?? "" };
    const key = { name: ref?.name ?? "", namespace: metadata.namespace ?? "" };
    let scale: Awaited<ReturnType<typeof getScale>>;
    try {
      scale = await getScale(this.#ctx.client, kind, key, { signal: this.#ctx.signal });
    } catch (error) {
      if (!isStatusError(error) && !isNoKindMatch(error)) throw error;
      const message = `the HPA controller was unable to get the target's current scale: ${textOf(error)}`;
      this.#set("AbleToScale", "False", "FailedGetScale", message);
      this.#say("Warning", "FailedGetScale", textOf(error));
      return this.#write(
        this.#scaler.status?.currentReplicas ?? 0,
        this.#scaler.status?.desiredReplicas ?? 0,
        [],
      );
    }
    const current = scale.spec?.replicas ?? 0;
    this.#set(
      "AbleToScale",
      "True",
      "SucceededGetScale",
      "the HPA controller was able to get the target's current scale",
    );
    const { desired, results, why } = await this.#decide(current, scale.status?.selector ?? "");
    if (desired !== current) {
      await setScale(this.#ctx.client, kind, key, desired, { signal: this.#ctx.signal });
      this.#ports.memory.rescales.push({ at: this.#now, change: desired - current });
      this.#set(
        "AbleToScale",
        "True",
        "SucceededRescale",
        `the HPA controller was able to update the target scale to ${desired}`,
      );
      this.#say("Normal", "SuccessfulRescale", `New size: ${desired}; reason: ${why}`);
    }
    await this.#write(current, desired, results, desired !== current);
  }

  async #decide(
    current: number,
    selector: string,
  ): Promise<{ desired: number; results: readonly MetricResult[]; why: string }> {
    const { minReplicas = 1, maxReplicas = 1 } = this.#scaler.spec ?? {};
    const stay = { desired: current, results: [], why: "" };
    if (current === 0 && minReplicas !== 0) {
      this.#set(
        "ScalingActive",
        "False",
        "ScalingDisabled",
        "scaling is disabled since the replica count of the target is zero",
      );
      return stay;
    }
    if (current > maxReplicas)
      return { ...stay, desired: maxReplicas, why: "Current number of replicas above Spec.MaxReplicas" };
    if (current < minReplicas)
      return { ...stay, desired: minReplicas, why: "Current number of replicas below Spec.MinReplicas" };
    const results = await this.#read(current, selector);
    const highest = results.reduce<MetricResult | undefined>(
      (best, one) => (best === undefined || one.replicas > best.replicas ? one : best),
      undefined,
    );
    if (highest === undefined) return stay;
    this.#set(
      "ScalingActive",
      "True",
      "ValidMetricFound",
      `the HPA was able to successfully calculate a replica count from ${highest.name}`,
    );
    const desired = this.#limited(current, highest.replicas);
    const why = desired > current ? `${highest.name} above target` : "All metrics below target";
    return { desired, results, why };
  }

  /** What the metrics ask for; those that cannot be read are told of. */
  async #read(current: number, selector: string): Promise<readonly MetricResult[]> {
    const namespace = this.#scaler.metadata.namespace ?? "";
    const matcher = parseLabelSelector(selector);
    const pods = await this.#ctx.list(Pod, {
      namespace,
      filter: (pod) => matcher.matches(pod.metadata.labels),
    });
    const results: MetricResult[] = [];
    for (const spec of this.#scaler.spec?.metrics ?? []) {
      try {
        results.push(desiredByMetric(spec, { current, pods, namespace }, this.#ports.source));
      } catch (error) {
        if (!(error instanceof MetricProblem)) throw error;
        this.#set(
          "ScalingActive",
          "False",
          error.reason,
          `the HPA was unable to compute the replica count: ${error.message}`,
        );
        this.#say("Warning", error.reason, error.message);
      }
    }
    return results;
  }

  /** Bounded by the window of recommendations, by how fast it may go, and by minimum and maximum. */
  #limited(current: number, wanted: number): number {
    const { minReplicas = 1, maxReplicas = 1 } = this.#scaler.spec ?? {};
    const stable = this.#stabilized(current, wanted);
    const paced = this.#paced(current, stable);
    const bounded = Math.max(minReplicas, Math.min(maxReplicas, paced));
    if (stable > maxReplicas)
      this.#set(
        "ScalingLimited",
        "True",
        "TooManyReplicas",
        "the desired replica count is more than the maximum replica count",
      );
    else if (stable < minReplicas)
      this.#set(
        "ScalingLimited",
        "True",
        "TooFewReplicas",
        "the desired replica count is less than the minimum replica count",
      );
    else if (paced !== stable) {
      const [reason, text] =
        stable > current ? ["ScaleUpLimit", "increasing faster"] : ["ScaleDownLimit", "decreasing faster"];
      this.#set(
        "ScalingLimited",
        "True",
        reason,
        `the desired replica count is ${text} than the maximum scale rate`,
      );
    } else
      this.#set(
        "ScalingLimited",
        "False",
        "DesiredWithinRange",
        "the desired count is within the acceptable range",
      );
    return bounded;
  }

  #stabilized(current: number, wanted: number): number {
    const { scaleUp, scaleDown } = this.#scaler.spec?.behavior ?? {};
    const upMs = (scaleUp?.stabilizationWindowSeconds ?? 0) * 1000;
    const downMs =
      scaleDown?.stabilizationWindowSeconds === undefined
        ? downWindowMs
        : scaleDown.stabilizationWindowSeconds * 1000;
    const { memory } = this.#ports;
    memory.recommendations = memory.recommendations.filter(
      ({ at }) => at > this.#now - Math.max(upMs, downMs),
    );
    const recent = (windowMs: number): number[] => [
      wanted,
      ...memory.recommendations.filter(({ at }) => at > this.#now - windowMs).map(({ replicas }) => replicas),
    ];
    const lowest = Math.min(...recent(upMs));
    const highest = Math.max(...recent(downMs));
    memory.recommendations.push({ at: this.#now, replicas: wanted });
    const stable = Math.min(Math.max(current, lowest), highest);
    if (stable !== wanted) {
      const [reason, text] =
        wanted < current
          ? [
              "ScaleDownStabilized",
              "recent recommendations were higher than current one, applying the highest recent recommendation",
            ]
          : [
              "ScaleUpStabilized",
              "recent recommendations were lower than current one, applying the lowest recent recommendation",
            ];
      this.#set("AbleToScale", "True", reason, text);
    } else this.#set("AbleToScale", "True", "ReadyForNewScale", "recommended size matches current size");
    return stable;
  }

  /** Source: horizontal.go calculateScaleUpLimitWithScalingRules; autoscaling/v2 defaults. */
  #paced(current: number, wanted: number): number {
    const isUp = wanted > current;
    const { scaleUp, scaleDown } = this.#scaler.spec?.behavior ?? {};
    const rules = isUp ? scaleUp : scaleDown;
    const policies = rules?.policies ?? (isUp ? defaultUp : defaultDown);
    if (wanted === current) return wanted;
    if (rules?.selectPolicy === "Disabled") return current;
    const limits = policies.map(({ type, value, periodSeconds }) => {
      const recent = this.#ports.memory.rescales.filter(
        ({ at, change }) => at > this.#now - periodSeconds * 1000 && change > 0 === isUp,
      );
      const start = current - recent.reduce((sum, { change }) => sum + change, 0);
      const step = type === "Pods" ? value : isUp ? Math.ceil((start * value) / 100) : (start * value) / 100;
      return isUp ? start + step : Math.ceil(start - step);
    });
    const isMin = rules?.selectPolicy === "Min";
    const limit = isUp === isMin ? Math.min(...limits) : Math.max(...limits);
    return isUp ? Math.max(current, Math.min(wanted, limit)) : Math.min(current, Math.max(wanted, limit));
  }

  #set(type: string, status: "True" | "False", reason: string, message: string): void {
    this.#conditions = withCondition(this.#conditions, { type, status, reason, message }, this.#now);
  }

  #say(type: "Normal" | "Warning", reason: string, message: string): void {
    this.#ports.events.record(this.#ctx, this.#scaler, { type, reason, message });
  }

  async #write(
    current: number,
    desired: number,
    results: readonly MetricResult[],
    didScale = false,
  ): Promise<void> {
    const { memory } = this.#ports;
    memory.rescales = memory.rescales.filter(({ at }) => at > this.#now - 1_800_000);
    await replaceStatus(this.#scaler as never, this.#ctx as never, {
      observedGeneration: this.#scaler.metadata.generation,
      currentReplicas: current,
      desiredReplicas: desired,
      lastScaleTime: didScale ? rfc3339(this.#now) : this.#scaler.status?.lastScaleTime,
      currentMetrics: results.length > 0 ? results.map((result) => result.current) : undefined,
      conditions: this.#conditions,
    });
  }
}

const defaultUp = [
  { type: "Pods", value: 4, periodSeconds: 15 },
  { type: "Percent", value: 100, periodSeconds: 15 },
];
const defaultDown = [{ type: "Percent", value: 100, periodSeconds: 15 }];
