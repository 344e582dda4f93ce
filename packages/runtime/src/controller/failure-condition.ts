import { type DeepReadonly, type KubeObject, StatusError, isConflict } from "@bowline/api";
import type { ReconcileAnswer } from "./define-controller.ts";
import type { ReconcileContext } from "./reconcile-context.ts";
import { TerminalError } from "./result.ts";

type Reconcile = (object: DeepReadonly<KubeObject>, ctx: ReconcileContext) => ReconcileAnswer;

/**
 * A reconcile whose failure is told in a condition of the object: `status: "False"`, the reason that the API server gave
 * (`Forbidden`, `Invalid`, ...) or `ReconcileFailed`, and the error's message. Conflicts are left out: they are over with the
 * next attempt. The error goes on to the queue as without it.
 */
export function reportingFailure(reconcile: Reconcile, type: string): Reconcile {
  return async (object, ctx) => {
    try {
      return await reconcile(object, ctx);
    } catch (error) {
      if (!ctx.signal.aborted && !isConflict(error)) await report(type, error, ctx);
      throw error;
    }
  };
}

async function report(type: string, error: unknown, ctx: ReconcileContext): Promise<void> {
  const message = error instanceof Error ? error.message : String(error);
  const conditions = ctx.condition({ type, status: false, reason: reasonOf(error), message });
  // telling is second to failing: the first error is the one that counts
  await ctx.patchStatus({ conditions } as never).catch(() => undefined);
}

function reasonOf(error: unknown): string {
  const cause = error instanceof TerminalError ? error.cause : error;
  const reason = cause instanceof StatusError ? cause.status.reason : undefined;
  return reason === undefined || reason === "" ? "ReconcileFailed" : reason;
}
