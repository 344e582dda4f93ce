/** The HorizontalPodAutoscaler controller. Source: kubernetes pkg/controller/podautoscaler (horizontal.go). */
import {
  type DeepReadonly,
  isStatusError,
  parseLabelSelector,
  parseQuantity,
  quantityNumber,
} from "@bowline/api";
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
  /** None before the first look at the target. */
  recommendations?: { readonly at: number; readonly replicas: number }[];
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
      const memory = memories.get(key) ?? { rescales: [] };
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
    // what is there at first counts as recommended, so that no new autoscaler takes pods away at once
    // (source: horizontal.go recordInitialRecommendation)
    this.#ports.memory.recommendations ??= [{ at: this.#now, replicas: current }];
    this.#set(
      "AbleToScale",
      "True",
      "SucceededGetScale",
      "the HPA controller was able to get the target's current scale",
    );
    const { desired, results, why } = await this.#decide(current, scale.status?.selector ?? "");
    if (desired !== current) {
      try {
        await setScale(this.#ctx.client, kind, key, desired, { signal: this.#ctx.signal });
      } catch (error) {
        const text = textOf(error);
        this.#say("Warning", "FailedRescale", `New size: ${desired}; reason: ${why}; error: ${text}`);
        const message = `the HPA controller was unable to update the target scale: ${text}`;
        this.#set("AbleToScale", "False", "FailedUpdateScale", message);
        return this.#write(current, this.#scaler.status?.desiredReplicas ?? 0, results);
      }
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
    const { results, problem } = await this.#read(current, selector);
    const highest = results.reduce<MetricResult | undefined>(
      (best, one) => (best === undefined || one.replicas > best.replicas ? one : best),
      undefined,
    );
    // with a metric unknown nobody is taken away
    if (highest === undefined || (problem !== undefined && highest.replicas < current)) {
      if (problem !== undefined) this.#set("ScalingActive", "False", ...problem);
      return { ...stay, results };
    }
    this.#set(
      "ScalingActive",
      "True",
      "ValidMetricFound",
      `the HPA was able to successfully calculate a replica count from ${highest.name}`,
    );
    const desired = this.#limited(current, highest.replicas);
    const why = highest.replicas > current ? `${highest.name} above target` : "All metrics below target";
    return { desired, results, why };
  }

  /** What the metrics ask for, and what to say of those that cannot be read. */
  async #read(
    current: number,
    selector: string,
  ): Promise<{
    readonly results: readonly MetricResult[];
    readonly problem: readonly [reason: string, message: string] | undefined;
  }> {
    const { metadata, spec } = this.#scaler;
    const namespace = metadata.namespace ?? "";
    const matcher = parseLabelSelector(selector);
    const pods = await this.#ctx.list(Pod, {
      namespace,
      filter: (pod) => matcher.matches(pod.metadata.labels),
    });
    const { scaleUp, scaleDown } = spec?.behavior ?? {};
    const tolerance = { up: toleranceOf(scaleUp), down: toleranceOf(scaleDown) };
    const given = { current, pods, namespace, tolerance };
    const metrics = spec?.metrics ?? [];
    const results: MetricResult[] = [];
    const problems: MetricProblem[] = [];
    for (const metric of metrics) {
      try {
        results.push(desiredByMetric(metric, given, this.#ports.source));
      } catch (error) {
        if (!(error instanceof MetricProblem)) throw error;
        problems.push(error);
        this.#say("Warning", error.reason, error.message);
      }
    }
    const [first] = problems;
    if (first === undefined) return { results, problem: undefined };
    if (results.length === 0 || Math.max(...results.map(({ replicas }) => replicas)) < current) {
      const text = `invalid metrics (${problems.length} invalid out of ${metrics.length}), first error is: ${first.message}`;
      this.#say("Warning", "FailedComputeMetricsReplicas", text);
    }
    const message = `the HPA was unable to compute the replica count: ${first.message}`;
    return { results, problem: [first.reason, message] };
  }

  /** Bounded by what was recommended before, by how fast it may go, and by minimum and maximum. */
  #limited(current: number, wanted: number): number {
    const stable = this.#stabilized(current, wanted);
    const [bounded, reason, message] = this.#bounded(current, stable);
    this.#set("ScalingLimited", bounded === stable ? "False" : "True", reason, message);
    return bounded;
  }

  /** Source: horizontal.go convertDesiredReplicasWithRules, convertDesiredReplicasWithBehaviorRate. */
  #bounded(current: number, wanted: number): readonly [replicas: number, reason: string, message: string] {
    const { behavior, minReplicas = 1, maxReplicas = 1 } = this.#scaler.spec ?? {};
    // without rules growth alone is limited: to twice as many, or four
    const isPaced = behavior !== undefined;
    const upLimit = isPaced ? this.#pace(current, true) : Math.max(2 * current, 4);
    const downLimit = isPaced ? this.#pace(current, false) : 0;
    if (wanted > current || !isPaced) {
      const most = Math.min(maxReplicas, upLimit);
      if (wanted > most) return maxReplicas > upLimit ? [most, ...tooFastUp] : [most, ...tooMany];
    }
    if (wanted < current || !isPaced) {
      const least = Math.max(minReplicas, downLimit);
      if (wanted < least) return minReplicas < downLimit ? [least, ...tooFastDown] : [least, ...tooFew];
    }
    return [wanted, "DesiredWithinRange", "the desired count is within the acceptable range"];
  }

  /** Source: horizontal.go stabilizeRecommendation, stabilizeRecommendationWithBehaviors. */
  #stabilized(current: number, wanted: number): number {
    const { memory } = this.#ports;
    const { behavior } = this.#scaler.spec ?? {};
    const upMs = (behavior?.scaleUp?.stabilizationWindowSeconds ?? 0) * 1000;
    const downSeconds = behavior?.scaleDown?.stabilizationWindowSeconds;
    const downMs = downSeconds === undefined ? downWindowMs : downSeconds * 1000;
    const since = (at: number) => (memory.recommendations ?? []).filter((each) => each.at > at);
    const recent = (windowMs: number): number[] => [
      wanted,
      ...since(this.#now - windowMs).map(({ replicas }) => replicas),
    ];
    const lowest = Math.min(...recent(upMs));
    const highest = Math.max(...recent(downMs));
    memory.recommendations = [
      ...since(this.#now - Math.max(upMs, downMs)),
      { at: this.#now, replicas: wanted },
    ];
    const stable = behavior === undefined ? highest : Math.min(Math.max(current, lowest), highest);
    if (stable === wanted)
      this.#set("AbleToScale", "True", "ReadyForNewScale", "recommended size matches current size");
    else if (behavior === undefined || wanted < current) this.#set("AbleToScale", "True", ...heldUp);
    else this.#set("AbleToScale", "True", ...heldDown);
    return stable;
  }

  /**
   * How far it may go at most in a direction now. Source: horizontal.go calculateScaleUpLimitWithScalingRules,
   * calculateScaleDownLimitWithBehaviors; autoscaling/v2 defaults.
   */
  #pace(current: number, isUp: boolean): number {
    const { scaleUp, scaleDown } = this.#scaler.spec?.behavior ?? {};
    const rules = isUp ? scaleUp : scaleDown;
    const policies = rules?.policies ?? (isUp ? defaultUp : defaultDown);
    if (rules?.selectPolicy === "Disabled") return current;
    const limits = policies.map(({ type, value, periodSeconds }) => {
      const recent = this.#ports.memory.rescales.filter(({ at }) => at > this.#now - periodSeconds * 1000);
      const start = current - recent.reduce((sum, { change }) => sum + change, 0);
      if (type === "Pods") return isUp ? start + value : start - value;
      return isUp ? Math.ceil(start * (1 + value / 100)) : Math.trunc(start * (1 - value / 100));
    });
    const isMin = rules?.selectPolicy === "Min";
    const limit = isUp === isMin ? Math.min(...limits) : Math.max(...limits);
    return isUp ? Math.max(current, limit) : Math.min(current, limit);
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

type Saying = readonly [reason: string, message: string];

const tooMany: Saying = [
  "TooManyReplicas",
  "the desired replica count is more than the maximum replica count",
];
const tooFew: Saying = ["TooFewReplicas", "the desired replica count is less than the minimum replica count"];
const tooFastUp: Saying = [
  "ScaleUpLimit",
  "the desired replica count is increasing faster than the maximum scale rate",
];
const tooFastDown: Saying = [
  "ScaleDownLimit",
  "the desired replica count is decreasing faster than the maximum scale rate",
];
const heldUp: Saying = [
  "ScaleDownStabilized",
  "recent recommendations were higher than current one, applying the highest recent recommendation",
];
const heldDown: Saying = [
  "ScaleUpStabilized",
  "recent recommendations were lower than current one, applying the lowest recent recommendation",
];

/** Differences of less than a tenth change nothing, unless the rules say something else. */
function toleranceOf(rules: { readonly tolerance?: unknown } | undefined): number {
  const { tolerance } = rules ?? {};
  return tolerance === undefined ? 0.1 : quantityNumber(parseQuantity(String(tolerance)));
}

const defaultUp = [
  { type: "Pods", value: 4, periodSeconds: 15 },
  { type: "Percent", value: 100, periodSeconds: 15 },
];
const defaultDown = [{ type: "Percent", value: 100, periodSeconds: 15 }];
