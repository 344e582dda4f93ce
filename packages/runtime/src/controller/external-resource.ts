import type { DeepReadonly, KubeObject } from "@bowline/api";
import type { ReconcileContext } from "./reconcile-context.ts";

/**
 * Something outside of Kubernetes that an object stands for: a bucket, a DNS record, an account. The functions say how to
 * look at it and change it; `ensureExternal` decides which to call.
 */
export interface ExternalResource<T extends KubeObject, Observed> {
  /** Looks at it; undefined when it does not exist. Must see what `create` made, or answer what it kept of it. */
  observe(object: DeepReadonly<T>, signal: AbortSignal): Promise<Observed | undefined>;
  /** Must bear being repeated: a crash may come before anybody saw that it succeeded. */
  create(object: DeepReadonly<T>, signal: AbortSignal): Promise<void>;
  /** True when what is there is as the object wants it. */
  matches(observed: Observed, object: DeepReadonly<T>): boolean;
  /** Absent: it cannot be changed, and is deleted and created again. */
  update?(observed: Observed, object: DeepReadonly<T>, signal: AbortSignal): Promise<void>;
  delete(observed: Observed, signal: AbortSignal): Promise<void>;
}

/** What was done. */
export type ExternalOutcome = "created" | "updated" | "replaced" | "unchanged";

/** Makes the external resource as the object wants it. For `reconcile`. @throws what the resource's functions throw */
export async function ensureExternal<T extends KubeObject, Observed>(
  resource: ExternalResource<T, Observed>,
  object: DeepReadonly<T>,
  ctx: Pick<ReconcileContext<T>, "signal">,
): Promise<ExternalOutcome> {
  const { signal } = ctx;
  const observed = await resource.observe(object, signal);
  if (observed === undefined) {
    await resource.create(object, signal);
    return "created";
  }
  if (resource.matches(observed, object)) return "unchanged";
  if (resource.update !== undefined) {
    await resource.update(observed, object, signal);
    return "updated";
  }
  await resource.delete(observed, signal);
  await resource.create(object, signal);
  return "replaced";
}

/** Makes sure that the external resource is gone. For `cleanup`. @returns whether it was there */
export async function removeExternal<T extends KubeObject, Observed>(
  resource: ExternalResource<T, Observed>,
  object: DeepReadonly<T>,
  ctx: Pick<ReconcileContext<T>, "signal">,
): Promise<boolean> {
  const observed = await resource.observe(object, ctx.signal);
  if (observed === undefined) return false;
  await resource.delete(observed, ctx.signal);
  return true;
}
