import type { DeepReadonly } from "@bowline/api";
import type { Pod } from "@bowline/api/core/v1";

/** What one container uses now. */
export interface Usage {
  /** Thousandths of a CPU. */
  readonly cpuMilli: number;
  readonly memoryBytes: number;
}

/** What a metric of another kind is asked about. */
export interface MetricQuery {
  readonly type: "Pods" | "Object" | "External";
  readonly metric: string;
  readonly namespace: string;
  /** The object described, or the pod; undefined for external metrics. */
  readonly object?: { readonly kind: string; readonly name: string } | undefined;
}

/** Where autoscalers and `kubectl top` read figures. */
export interface MetricSource {
  /** Undefined: nothing is known (yet). */
  usage(pod: DeepReadonly<Pod>, container: string): Usage | undefined;
  /** A value in units. Undefined: there is no such metric. */
  value(query: MetricQuery): number | undefined;
}

/** Figures of a cluster, as a script gives them. Both may change from call to call. */
export interface MetricScript {
  /** What a container uses, as quantities: `{ cpu: "250m" }`. Default: what its image says, else half of its requests. */
  usage?(
    pod: DeepReadonly<Pod>,
    container: string,
  ): { readonly cpu?: string; readonly memory?: string } | undefined;
  /** Values of metrics of pods, objects and the outside. */
  value?(query: MetricQuery): number | undefined;
}
