/** How workload controllers create and delete pods. Source: kubernetes pkg/controller/controller_utils.go (RealPodControl). */
import type { DeepReadonly, KubeObject } from "@bowline/api";
import { Pod, type PodTemplateSpec } from "@bowline/api/core/v1";
import type { ReconcileContext } from "@bowline/runtime";
import type { ComponentEvents } from "../component-events.ts";
import { defined } from "../control-plane.ts";
import type { PodState } from "./pod-state.ts";

/** What a new pod has beside its template. */
export interface NewPod {
  /** Default: a name is generated from the owner's. */
  readonly name?: string;
  readonly generateName?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  /** Fields of the spec that replace those of the template. */
  readonly spec?: object;
}

/** What pods are created with and for. */
export interface PodMaker {
  readonly owner: DeepReadonly<KubeObject>;
  readonly template: DeepReadonly<PodTemplateSpec> | undefined;
  readonly events: ComponentEvents;
}

/** A pod of a template, ready to be created. */
export function podOf({ owner, template }: PodMaker, given: NewPod = {}): object {
  const { labels, annotations, finalizers } = template?.metadata ?? {};
  const allFinalizers = [...(finalizers ?? []), ...(given.finalizers ?? [])];
  const allAnnotations = { ...annotations, ...given.annotations };
  const naming =
    given.name === undefined
      ? { generateName: given.generateName ?? `${owner.metadata.name}-` }
      : { name: given.name };
  return {
    metadata: defined({
      ...naming,
      namespace: owner.metadata.namespace,
      labels: { ...labels, ...given.labels },
      annotations: Object.keys(allAnnotations).length > 0 ? allAnnotations : undefined,
      finalizers: allFinalizers.length > 0 ? allFinalizers : undefined,
    }),
    spec: given.spec === undefined ? template?.spec : { ...template?.spec, ...given.spec },
  };
}

/** @throws StatusError, after saying so in an event */
export async function createPod(
  maker: PodMaker,
  ctx: ReconcileContext<never>,
  given: NewPod = {},
): Promise<PodState> {
  const { owner, events } = maker;
  try {
    const pod = await ctx.create(Pod, podOf(maker, given) as never);
    events.record(ctx, owner, { reason: "SuccessfulCreate", message: `Created pod: ${pod.metadata.name}` });
    return pod;
  } catch (error) {
    ctx.signal.throwIfAborted();
    events.record(ctx, owner, {
      type: "Warning",
      reason: "FailedCreate",
      message: `Error creating: ${textOf(error)}`,
    });
    throw error;
  }
}

/** @throws StatusError, after saying so in an event; a pod that is gone is no error */
export async function deletePod(maker: PodMaker, ctx: ReconcileContext<never>, pod: PodState): Promise<void> {
  const { owner, events } = maker;
  try {
    await ctx.delete(pod);
    events.record(ctx, owner, { reason: "SuccessfulDelete", message: `Deleted pod: ${pod.metadata.name}` });
  } catch (error) {
    ctx.signal.throwIfAborted();
    events.record(ctx, owner, {
      type: "Warning",
      reason: "FailedDelete",
      message: `Error deleting: ${textOf(error)}`,
    });
    throw error;
  }
}

/**
 * Runs `count` calls in batches that double, so that a refusal costs one request and not five hundred.
 * @throws the first error, when the batch it was in is through
 */
export async function inGrowingBatches(
  count: number,
  work: (index: number) => Promise<unknown>,
): Promise<void> {
  for (let done = 0, size = 1; done < count; done += size, size *= 2) {
    size = Math.min(size, count - done);
    const results = await Promise.allSettled(Array.from({ length: size }, (_, i) => work(done + i)));
    const failed = results.find((result) => result.status === "rejected");
    if (failed?.status === "rejected") throw failed.reason;
  }
}

export function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
