import { type AnyKind, type DeepReadonly, type KubeObject, hasFinalizer } from "@bowline/api";
import type { ControllerDefinition } from "./define-controller.ts";
import { dropFinalizer, ensureFinalizer } from "./finalizer-guard.ts";
import type { LiveContext } from "./live-context.ts";
import type { ReconcileResult } from "./result.ts";

type Frozen = DeepReadonly<KubeObject>;

/**
 * Reconciles under a finalizer: it is on the object before anything else happens, so that what a first reconcile began
 * is always cleaned up, and it goes when cleanup has succeeded.
 */
export async function reconcileGuarded(
  definition: ControllerDefinition,
  finalizer: string,
  object: Frozen,
  ctx: LiveContext,
): Promise<ReconcileResult | undefined | void> {
  const ports = { client: ctx.client, kind: definition.kind as AnyKind, finalizer, signal: ctx.signal };
  if (object.metadata.deletionTimestamp === undefined) {
    const guarded = await ensureFinalizer(object, ports);
    if (guarded === undefined || guarded.metadata.deletionTimestamp !== undefined) return undefined;
    return definition.reconcile?.(guarded, ctx.withObject(guarded));
  }
  if (!hasFinalizer(object, finalizer)) {
    return definition.whileDeleting ? definition.reconcile?.(object, ctx) : undefined;
  }
  const result = await cleanUp(definition, object, ctx);
  if (result?.requeueAfterMs !== undefined) return result;
  await dropFinalizer(object, ports);
  return undefined;
}

/** A cleanup that fails says so on the object: whoever waits for the deletion must be able to see why. */
async function cleanUp(
  definition: ControllerDefinition,
  object: Frozen,
  ctx: LiveContext,
): Promise<ReconcileResult | undefined> {
  try {
    return (await definition.cleanup?.(object, ctx)) ?? undefined;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    ctx.event({ type: "Warning", reason: "CleanupFailed", action: "Cleanup", note: message });
    const { status } = object as { readonly status?: { readonly conditions?: unknown } };
    if (Array.isArray(status?.conditions)) {
      const update = { type: "CleanupFailed", status: true, reason: "CleanupFailed", message };
      // telling is second to failing: the first error is the one that counts
      await ctx.patchStatus({ conditions: ctx.condition(update) }).catch(() => undefined);
    }
    throw error;
  }
}
