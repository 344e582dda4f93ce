/** What containers on simulated nodes use: what a script says, else their image, else half of what they ask for. */
import { type DeepReadonly, parseQuantity, quantityMilliValue, quantityNumber } from "@bowline/api";
import type { Pod } from "@bowline/api/core/v1";
import type {
  MetricQuery,
  MetricScript,
  MetricSource,
  Usage,
} from "../controllers/autoscaler/metric-source.ts";
import { type ImageBehaviors, behaviorOf } from "./image-behavior.ts";

const idle = { cpu: "10m", memory: "32Mi" };

export class SimulatedMetrics implements MetricSource {
  readonly #script: MetricScript;
  readonly #images: ImageBehaviors | undefined;

  constructor(script: MetricScript | undefined, images: ImageBehaviors | undefined) {
    this.#script = script ?? {};
    this.#images = images;
  }

  usage(pod: DeepReadonly<Pod>, container: string): Usage | undefined {
    const spec = pod.spec?.containers.find(({ name }) => name === container);
    if (spec === undefined || pod.status?.phase !== "Running") return undefined;
    const requests = (spec.resources?.requests ?? {}) as Readonly<Record<string, string>>;
    const said =
      this.#script.usage?.(pod, container) ?? behaviorOf(spec.image ?? "", pod, this.#images).usage;
    const half = (name: "cpu" | "memory", read: (text: string) => number): number =>
      said?.[name] !== undefined
        ? read(said[name])
        : requests[name] === undefined
          ? read(idle[name])
          : read(requests[name]) / 2;
    return {
      cpuMilli: half("cpu", (text) => Number(quantityMilliValue(parseQuantity(text)))),
      memoryBytes: half("memory", (text) => quantityNumber(parseQuantity(text))),
    };
  }

  value(query: MetricQuery): number | undefined {
    return this.#script.value?.(query);
  }
}
