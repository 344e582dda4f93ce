/** Deletes Jobs some time after they ended. Source: kubernetes pkg/controller/ttlafterfinished. */
import { Job } from "@bowline/api/batch/v1";
import { type ControllerDefinition, defineController } from "@bowline/runtime";
import { keyOf, managerName } from "../control-plane.ts";

export function ttlAfterFinished(): ControllerDefinition {
  return defineController(Job, {
    name: "ttl-after-finished-controller",
    fieldManager: managerName,
    async reconcile(job, ctx) {
      const seconds = job.spec?.ttlSecondsAfterFinished;
      const end = job.status?.conditions?.find(
        ({ type, status }) => (type === "Complete" || type === "Failed") && status === "True",
      );
      if (seconds === undefined || end === undefined) return undefined;
      const leftMs = Date.parse(end.lastTransitionTime ?? "") + seconds * 1000 - ctx.clock.now();
      if (leftMs > 0) return { requeueAfterMs: leftMs };
      const preconditions = { uid: job.metadata.uid ?? "" };
      await ctx.client.delete(Job, keyOf(job), {
        preconditions,
        propagationPolicy: "Foreground",
        signal: ctx.signal,
      });
      return undefined;
    },
  });
}
