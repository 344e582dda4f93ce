import type { AnyKind, Condition, DeepReadonly, KindOf, KubeObject } from "@bowline/api";
import type { Desired, Observed } from "./define-controller.ts";
import type { ReconcileContext, StatusPatch } from "./reconcile-context.ts";
import type { ReconcileResult } from "./result.ts";

type Frozen = DeepReadonly<KubeObject>;

/**
 * What the pure form of a controller sees, made of plain objects: for unit tests and for `bowline render`.
 * `definition.desired(app, observed(app, [deployment]))`
 */
export function observed<T extends KubeObject>(
  object: DeepReadonly<T>,
  owned: readonly Frozen[] = [],
  now: number = Date.UTC(2026, 0, 1),
): Observed<T> {
  return {
    object,
    now,
    owned: <K extends AnyKind>(kind: K) => {
      const found = owned.filter((child) => child.kind === kind.kind && child.apiVersion === kind.apiVersion);
      found.sort((a, b) => ((a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1));
      return found as unknown as readonly DeepReadonly<KindOf<K>>[];
    },
  };
}

/** The reconcile function of a controller in its pure form: observe, ask, make it so, report. */
export function reconcileDesired<T extends KubeObject>(
  ownedKinds: readonly AnyKind[],
  desired: (object: DeepReadonly<T>, observed: Observed<T>) => Desired,
): (object: DeepReadonly<T>, ctx: ReconcileContext<T>) => Promise<ReconcileResult | undefined> {
  return async (object, ctx) => {
    const owned = (await Promise.all(ownedKinds.map((kind) => ctx.owned(kind)))).flat() as readonly Frozen[];
    const answer = desired(object, observed(object, owned, ctx.clock.now()));
    const children = await ctx.children(answer.children);
    const status = (answer.status ?? {}) as { readonly conditions?: readonly DeepReadonly<Condition>[] };
    const conditions = conditionsOf(object, status.conditions, children.condition, ctx);
    await ctx.patchStatus({ ...status, conditions } as unknown as StatusPatch<T>);
    return answer.requeueAfterMs === undefined ? undefined : { requeueAfterMs: answer.requeueAfterMs };
  };
}

/** The conditions stated, each with its transition time kept, and `Ready` from the children unless it is among them. */
function conditionsOf<T extends KubeObject>(
  object: DeepReadonly<T>,
  stated: readonly DeepReadonly<Condition>[] = [],
  ready: Omit<Condition, "lastTransitionTime">,
  ctx: ReconcileContext<T>,
): Condition[] {
  const all = stated.some((condition) => condition.type === "Ready") ? stated : [...stated, ready];
  const { status } = object as {
    readonly status?: { readonly conditions?: readonly DeepReadonly<Condition>[] };
  };
  let list = (status?.conditions ?? []) as Condition[];
  for (const { type, status: value, reason, message } of all) {
    list = ctx.condition({ type, status: value, reason, message }, list);
  }
  return list;
}
